-- GPU descriptors: the fields of struct gpu (generator/gpu.h). The first GPU of an architecture is its default.
--
-- What every GPU of a compute capability has: the tables "Technical Specifications per Compute Capability" and "Feature
-- Support" of NVIDIA's CUDA C++ Programming Guide. max_cluster above 8 needs the function attribute for non-portable
-- sizes. A driver says the exact l2_bytes and sms of the GPU it drives, and is believed before this file.
local KiB, MiB = 1024, 1024 * 1024

local capability = {
  sm_75 = { max_threads_per_sm = 1024, max_blocks_per_sm = 16, smem_per_sm = 64 * KiB, smem_per_block = 64 * KiB,
            smem_reserved = 0, max_cluster = 0 },
  sm_80 = { max_threads_per_sm = 2048, max_blocks_per_sm = 32, smem_per_sm = 164 * KiB, smem_per_block = 163 * KiB,
            max_cluster = 0 },
  sm_86 = { max_threads_per_sm = 1536, max_blocks_per_sm = 16, smem_per_sm = 100 * KiB, smem_per_block = 99 * KiB,
            max_cluster = 0 },
  sm_89 = { max_threads_per_sm = 1536, max_blocks_per_sm = 24, smem_per_sm = 100 * KiB, smem_per_block = 99 * KiB,
            max_cluster = 0 },
  sm_90 = { max_threads_per_sm = 2048, max_blocks_per_sm = 32, smem_per_sm = 228 * KiB, smem_per_block = 227 * KiB,
            max_cluster = 16 },
  sm_100 = { max_threads_per_sm = 2048, max_blocks_per_sm = 32, smem_per_sm = 228 * KiB, smem_per_block = 227 * KiB,
             max_cluster = 16 },
  sm_120 = { max_threads_per_sm = 1536, max_blocks_per_sm = 24, smem_per_sm = 100 * KiB, smem_per_block = 99 * KiB,
             max_cluster = 8 },
}
capability.sm_103 = capability.sm_100
capability.sm_121 = capability.sm_120

local every = { registers_per_sm = 65536, max_registers_per_thread = 255, register_unit = 256, smem_reserved = KiB,
                ptx_version = 0 }   -- ptx_version is the compiler's: unknown here

local function gpu(own)
  local all = { compute_capability = tonumber((own.arch:gsub("sm_", ""))) }
  for _, source in ipairs({ every, capability[own.arch], own }) do
    for field, value in pairs(source) do all[field] = value end
  end
  return all
end

-- sms, dram_gbs and clock_mhz (boost) are those of the document named above each; l2_bytes too unless it says so.
return {
  -- "NVIDIA Turing GPU Architecture" white paper; T4 data sheet.
  gpu { name = "Tesla T4", short_name = "t4", arch = "sm_75", sms = 40, l2_bytes = 4 * MiB, dram_gbs = 320,
        clock_mhz = 1590 },

  -- "NVIDIA A100 Tensor Core GPU Architecture" white paper; A100 data sheet (80 GB, SXM).
  gpu { name = "NVIDIA A100-SXM4-80GB", short_name = "a100", arch = "sm_80", sms = 108, l2_bytes = 40 * MiB,
        dram_gbs = 2039, clock_mhz = 1410 },

  -- "NVIDIA Ampere GA102 GPU Architecture" white paper.
  gpu { name = "NVIDIA GeForce RTX 3090", short_name = "rtx3090", arch = "sm_86", sms = 82, l2_bytes = 6 * MiB,
        dram_gbs = 936, clock_mhz = 1695 },

  -- "NVIDIA Ada GPU Architecture" white paper.
  gpu { name = "NVIDIA GeForce RTX 4090", short_name = "rtx4090", arch = "sm_89", sms = 128, l2_bytes = 72 * MiB,
        dram_gbs = 1008, clock_mhz = 2520 },
  -- L40S data sheet; L2 from the Ada white paper's table for AD102.
  gpu { name = "NVIDIA L40S", short_name = "l40s", arch = "sm_89", sms = 142, l2_bytes = 96 * MiB, dram_gbs = 864,
        clock_mhz = 2520 },

  -- H200 data sheet; sms and L2 as its driver says them.
  gpu { name = "NVIDIA H200", short_name = "h200", arch = "sm_90", sms = 132, l2_bytes = 60 * MiB, dram_gbs = 4800,
        clock_mhz = 1980 },
  -- "NVIDIA H100 Tensor Core GPU Architecture" white paper; H100 data sheet (SXM).
  gpu { name = "NVIDIA H100 80GB HBM3", short_name = "h100", arch = "sm_90", sms = 132, l2_bytes = 50 * MiB,
        dram_gbs = 3350, clock_mhz = 1980 },

  -- DGX B200 data sheet (64 TB/s for eight); sms, clock and L2 as published by users of the driver, not by a data sheet.
  gpu { name = "NVIDIA B200", short_name = "b200", arch = "sm_100", sms = 148, l2_bytes = 126 * MiB, dram_gbs = 8000,
        clock_mhz = 1965 },
  -- DGX B300 data sheet (8 TB/s each); the rest taken to be the B200's.
  gpu { name = "NVIDIA B300", short_name = "b300", arch = "sm_103", sms = 148, l2_bytes = 126 * MiB, dram_gbs = 8000,
        clock_mhz = 1965 },

  -- "NVIDIA RTX Blackwell GPU Architecture" white paper. The RTX 5080 is the article's.
  gpu { name = "NVIDIA GeForce RTX 5080", short_name = "rtx5080", arch = "sm_120", sms = 84, l2_bytes = 64 * MiB,
        dram_gbs = 960, clock_mhz = 2617 },
  gpu { name = "NVIDIA GeForce RTX 5090", short_name = "rtx5090", arch = "sm_120", sms = 170, l2_bytes = 96 * MiB,
        dram_gbs = 1792, clock_mhz = 2407 },

  -- DGX Spark data sheet (6144 cores, LPDDR5X); clock and L2 as published by users of the driver.
  gpu { name = "NVIDIA GB10", short_name = "gb10", arch = "sm_121", sms = 48, l2_bytes = 24 * MiB, dram_gbs = 273,
        clock_mhz = 2418 },
}
