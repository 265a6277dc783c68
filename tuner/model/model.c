#include "tuner/model/model.h"

#include "tuner/model/model_traits.h"

#include <math.h>

/* docs/model.md says where each figure is from. */
static const double dram_efficiency = 0.88; /* of the data sheet's bandwidth, what a copy reaches */
static const double l2_bytes_clock_sm = 24; /* bytes a clock an SM, all SMs together */
static const double sm_bytes_clock = 28;    /* bytes a clock that one SM takes from L2 */
static const double dram_latency_us = 0.65, l2_latency_us = 0.3, l1_latency_us = 0.02, barrier_us = 0.03;
/* What a launch costs; one that begins while its predecessor ends; one that has asked for x by then, where x
   is small; and one that follows in the same call. */
static const double launch_us = 1.3, early_us = 1.25, asked_us = 1.05, next_us = 0.75;
static const double asked_bytes = 8 << 20;
static const double mufu_clock_sm = 16, issue_clock_sm = 128; /* results, lane instructions a clock an SM */
static const double line_bytes = 128, sector_bytes = 32;
static const double ends_share = 0.3; /* of what the blocks in flight move */
static const double loop_unroll = 4;  /* loads that the compiler lets a loop have in flight */
static const double limits_power = 6; /* how sharply the slowest limit rules: 1 adds them all up */

/* One launch of a variant, and a part of its blocks that runs at once. */
struct load {
    const struct problem *p;
    const struct gpu *gpu;
    struct model_traits traits;
    double threads;       /* a block */
    double blocks_per_sm; /* that fit */
    double spill_bytes;   /* a thread */
    double share;         /* of the problem's traffic that this launch has: 1 over the number of launches */
};

static double clocks_to_us(const struct load *l, double clocks)
{
    return clocks / l->gpu->clock_mhz;
}

static double row_bytes_in(const struct load *l)
{
    return (double)l->p->N * dtype_size(l->p->dtype_in);
}

static double row_bytes_out(const struct load *l)
{
    return (double)l->p->N * dtype_size(l->p->dtype_out);
}

/* L2 that one line can use. The large GPUs have it in two halves, each of which keeps what its own SMs read.
 */
static double l2_usable(const struct gpu *gpu)
{
    int cc = gpu->compute_capability;
    bool halves = cc == 80 || cc == 90 || cc == 100 || cc == 103;
    return (double)gpu->l2_bytes * (halves ? 0.5 : 0.8);
}

/* The fraction of a repeated read that L2 has lost: between two reads of a row the blocks in flight move
   their rows' bytes, an equal part of them in each pass. The slope is fitted to the counters of v2, v4 and v5
   on an H200. */
static double lost_from_l2(const struct load *l, double rows_in_flight)
{
    double moved = rows_in_flight * (row_bytes_in(l) + row_bytes_out(l)) / fmax(l->traits.reads, 1);
    double ratio = moved / l2_usable(l->gpu);
    return fmin(1, fmax(0, 1.45 * (ratio - 0.6)));
}

/* 128-byte lines that one access of a warp touches. */
static double lines_of_access(const struct load *l, double vec_bytes, double stride_bytes)
{
    double together = fmin(l->traits.row_threads, 32), groups = 32 / together;
    double apart = groups * ceil(together * vec_bytes / line_bytes);
    double dense = ceil(groups * stride_bytes / line_bytes) + 1; /* short rows share lines */
    return fmax(32 * vec_bytes / line_bytes, fmin(apart, fmax(1, dense)));
}

/* Whether what the problem moves stays in L2 from run to run. */
static bool is_hot(const struct load *l)
{
    return l->p->cache == CACHE_HOT && problem_bytes(l->p) < 0.8 * (double)l->gpu->l2_bytes;
}

/* What one block takes at the least, its loads, stores and barriers following each other. */
static double block_us(const struct load *l)
{
    const struct model_traits *t = &l->traits;
    double loads = ceil(row_bytes_in(l) / t->row_threads / t->vec_bytes);
    double first = is_hot(l) ? l2_latency_us : dram_latency_us;
    double barriers = t->barriers * barrier_us;
    if (t->held)
        return first + barriers + l2_latency_us;
    double batches = ceil(loads / loop_unroll);
    if (t->row_threads == 1) { /* a thread finds the rest of a sector in L1 */
        double misses = fmin(1, loop_unroll * t->vec_bytes / sector_bytes);
        return batches * (misses * (first + (t->reads - 1) * l2_latency_us) + t->reads * l1_latency_us);
    }
    return batches * (first + (t->reads - 1) * l2_latency_us) + barriers + l2_latency_us;
}

/* A part of a launch's blocks: the waves that fill the GPU, or what is left for the last one. */
struct part {
    double rows;
    double sms;      /* that work */
    double resident; /* blocks in flight */
    double turns;    /* blocks that each place for one sees, one after another */
};

static double block_rows(const struct load *l)
{
    return l->threads / l->traits.row_threads;
}

static double rows_in_flight(const struct load *l, const struct part *part)
{
    return fmin(part->rows, part->resident * block_rows(l));
}

/* Bytes that one access stores. */
static double vec_bytes_out(const struct load *l)
{
    return fmin(16, l->traits.vec_bytes * dtype_size(l->p->dtype_out) / dtype_size(l->p->dtype_in));
}

static double dram_us(const struct load *l, const struct part *part)
{
    double in = part->rows * row_bytes_in(l), out = part->rows * row_bytes_out(l);
    double repeated = l->traits.reads - 1, lost = lost_from_l2(l, rows_in_flight(l, part));
    return is_hot(l) ? 0 : (in * (1 + repeated * lost) + out) / (l->gpu->dram_gbs * 1e3 * dram_efficiency);
}

/* Bytes between L2 and the SMs. A store that does not fill its sector costs the whole of it. */
static double l2_bytes(const struct load *l, const struct part *part)
{
    const struct model_traits *t = &l->traits;
    double vec_out = vec_bytes_out(l);
    double waste = t->row_threads * vec_out < sector_bytes && row_bytes_out(l) >= sector_bytes
                       ? sector_bytes / (t->row_threads * vec_out)
                       : 1;
    double spilled = 2 * l->spill_bytes * part->rows * t->row_threads;
    return part->rows * row_bytes_in(l) * t->reads + part->rows * row_bytes_out(l) * waste + spilled;
}

static double l1_us(const struct load *l, const struct part *part)
{
    const struct model_traits *t = &l->traits;
    double elements = part->rows * (double)l->p->N, vec_out = vec_bytes_out(l);
    double size_in = dtype_size(l->p->dtype_in), size_out = dtype_size(l->p->dtype_out);
    double loads = elements * size_in / t->vec_bytes / 32 * t->reads,
           stores = elements * size_out / vec_out / 32;
    double lines = loads * lines_of_access(l, t->vec_bytes, (double)l->p->x_stride * size_in) +
                   stores * lines_of_access(l, vec_out, (double)l->p->y_stride * size_out);
    return clocks_to_us(l, lines / part->sms);
}

/* Little's law: bytes in flight over latency. */
static double latency_us(const struct load *l, const struct part *part)
{
    const struct model_traits *t = &l->traits;
    double thread_bytes = row_bytes_in(l) / t->row_threads;
    double in_flight = rows_in_flight(l, part) * t->row_threads *
                       fmin(thread_bytes, t->held ? thread_bytes : loop_unroll * t->vec_bytes);
    double first = is_hot(l) ? l2_latency_us : dram_latency_us, repeated = t->reads - 1;
    return part->rows * row_bytes_in(l) * (first + repeated * l2_latency_us) / fmax(in_flight, 1);
}

/* A block loads, computes and stores in turn; only other blocks of its SM fill the gaps. Where all blocks run
   at once, most of what they move is in the other limits. */
static double turns_us(const struct load *l, const struct part *part)
{
    double share =
        fmin(l->gpu->dram_gbs * 1e3 * dram_efficiency / part->sms, sm_bytes_clock * l->gpu->clock_mhz);
    double moves =
        block_rows(l) * (row_bytes_in(l) + row_bytes_out(l)) / share * (part->turns > 1 ? 1 : 0.25);
    return part->turns * (block_us(l) + moves);
}

static double part_us(const struct load *l, struct part part)
{
    double elements = part.rows * (double)l->p->N, bytes = l2_bytes(l, &part);
    const double limits[] = {
        dram_us(l, &part),
        clocks_to_us(l, bytes / (l2_bytes_clock_sm * l->gpu->sms)),
        clocks_to_us(l, bytes / (sm_bytes_clock * part.sms)),
        l1_us(l, &part),
        clocks_to_us(l, elements * l->traits.exps / (mufu_clock_sm * part.sms)),
        clocks_to_us(l, elements * l->traits.instructions / (issue_clock_sm * part.sms)),
        latency_us(l, &part),
        turns_us(l, &part),
    };
    double sum = 0;
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        sum += pow(limits[i], limits_power);
    return pow(sum, 1 / limits_power);
}

/* The first blocks of a launch only read and the last only write, as far as L2 does not take that up. */
static double ends_us(const struct load *l, const struct part *part)
{
    return ends_share * fmax(0, 1 - (double)l->gpu->l2_bytes / problem_bytes(l->p)) * dram_us(l, part);
}

/* All of a launch's blocks: the waves that fill the GPU, and the last one, which may not. */
static double launch_time_us(const struct load *l, double blocks)
{
    double rows = (double)l->p->M, sms = l->gpu->sms, at_once = l->blocks_per_sm * sms;
    double full = floor(blocks / at_once), tail = blocks - full * at_once, us = 0;
    if (full > 0) {
        us += part_us(
            l, (struct part){
                   .rows = rows * full * at_once / blocks, .sms = sms, .resident = at_once, .turns = full});
        us += ends_us(l, &(struct part){.rows = rows * at_once / blocks, .resident = at_once});
    }
    if (tail > 0)
        us += part_us(l, (struct part){.rows = rows * tail / blocks,
                                       .sms = fmin(tail, sms),
                                       .resident = tail,
                                       .turns = full > 0 ? 0 : 1});
    return us * l->share;
}

static double start_us(const struct load *l, const struct launch *launch, int index)
{
    if (!launch->programmatic)
        return launch_us;
    if (index > 0)
        return next_us;
    if (!l->traits.asks)
        return early_us;
    bool shared = l->traits.row_threads > l->threads && launch->cluster[0] == 1;
    return shared && (double)l->p->M * row_bytes_in(l) > asked_bytes ? launch_us : asked_us;
}

static bool can_run(const struct gpu *gpu, const struct launch *launch, int64_t blocks, int blocks_per_sm)
{
    int cluster = launch->cluster[0] * launch->cluster[1] * launch->cluster[2];
    return blocks_per_sm > 0 && launch->block[0] * launch->block[1] * launch->block[2] <= 1024 &&
           blocks <= INT32_MAX && (cluster <= 1 || cluster <= gpu->max_cluster) &&
           (!launch->cooperative || blocks <= (int64_t)blocks_per_sm * gpu->sms);
}

double model_predict_us(const struct problem *p, const struct gpu *gpu, const json_t *config,
                        const struct image *image, const struct launch_plan *plan)
{
    double us = 0;
    for (int i = 0; i < plan->count; i++) {
        const struct launch *launch = &plan->launches[i];
        const struct image_kernel *kernel = image_kernel_find(image, launch->kernel);
        int64_t blocks;
        if (kernel == NULL || !expression_evaluate(launch->grid_of_M, p->M, gpu->sms, &blocks, NULL))
            return NAN;
        int threads = launch->block[0] * launch->block[1] * launch->block[2];
        int blocks_per_sm = gpu_blocks_per_sm(
            gpu, threads, kernel->registers, (int64_t)kernel->static_smem_bytes + launch->dynamic_smem_bytes);
        if (!can_run(gpu, launch, blocks, blocks_per_sm))
            return NAN;
        struct load l = {.p = p,
                         .gpu = gpu,
                         .traits = model_traits_of(p, config, launch),
                         .threads = threads,
                         .blocks_per_sm = blocks_per_sm,
                         .spill_bytes = kernel->spill_bytes,
                         .share = 1.0 / plan->count};
        us += start_us(&l, launch, i) + (blocks > 0 ? launch_time_us(&l, (double)blocks) : 0);
    }
    return us;
}
