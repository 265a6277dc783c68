#include "tuner/devices/cuda/cuda_properties.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct {
    CUdevice_attribute attribute;
    size_t offset; /* of an int in struct gpu */
} int_fields[] = {
    {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, offsetof(struct gpu, sms)},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, offsetof(struct gpu, max_threads_per_sm)},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, offsetof(struct gpu, max_blocks_per_sm)},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, offsetof(struct gpu, registers_per_sm)},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, offsetof(struct gpu, smem_per_sm)},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, offsetof(struct gpu, smem_per_block)},
    {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, offsetof(struct gpu, smem_reserved)},
};

static bool attribute_of(const struct cuda_driver *driver, CUdevice ordinal, CUdevice_attribute attribute,
                         int *value, struct error *e)
{
    return cuda_ok(driver, driver->device_attribute(value, attribute, ordinal),
                   "reading the GPU's properties", e);
}

/* "NVIDIA GeForce RTX 5080" to "rtx5080". */
static void shorten(const char *name, char *to, size_t size)
{
    size_t used = 0;
    static const char *const left_out[] = {"NVIDIA ", "GeForce "};
    for (int i = 0; i < 2; i++)
        if (strncasecmp(name, left_out[i], strlen(left_out[i])) == 0)
            name += strlen(left_out[i]);
    for (; *name != '\0' && used + 1 < size; name++)
        if (isalnum((unsigned char)*name))
            to[used++] = (char)tolower((unsigned char)*name);
    to[used] = '\0';
}

static void use_descriptor(const struct gpu_list *list, struct gpu *gpu)
{
    for (int i = 0; i < list->count; i++)
        if (strcasecmp(list->gpus[i].name, gpu->name) == 0) {
            memcpy(gpu->short_name, list->gpus[i].short_name, sizeof gpu->short_name);
            gpu->dram_gbs = list->gpus[i].dram_gbs;
            gpu->max_cluster = list->gpus[i].max_cluster;
            return;
        }
}

bool cuda_properties_read(const struct cuda_driver *driver, CUdevice ordinal, const struct gpu_list *known,
                          struct gpu *gpu, struct error *e)
{
    *gpu = (struct gpu){.max_registers_per_thread = 255, .register_unit = 256};
    if (!cuda_ok(driver, driver->device_name(gpu->name, sizeof gpu->name, ordinal), "reading the GPU's name",
                 e))
        return false;
    for (size_t i = 0; i < sizeof int_fields / sizeof int_fields[0]; i++)
        if (!attribute_of(driver, ordinal, int_fields[i].attribute,
                          (int *)(void *)((char *)gpu + int_fields[i].offset), e))
            return false;
    int major, minor, l2, clock_khz, memory_khz, bus_bits;
    if (!attribute_of(driver, ordinal, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major, e) ||
        !attribute_of(driver, ordinal, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor, e) ||
        !attribute_of(driver, ordinal, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, &l2, e) ||
        !attribute_of(driver, ordinal, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, &clock_khz, e) ||
        !attribute_of(driver, ordinal, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, &memory_khz, e) ||
        !attribute_of(driver, ordinal, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, &bus_bits, e))
        return false;
    gpu->compute_capability = 10 * major + minor;
    snprintf(gpu->arch, sizeof gpu->arch, "sm_%d", gpu->compute_capability);
    gpu->l2_bytes = l2;
    gpu->clock_mhz = clock_khz / 1e3;
    gpu->dram_gbs = 2.0 * memory_khz * 1e3 * bus_bits / 8 / 1e9; /* two transfers a clock */
    gpu->max_cluster = major < 9 ? 0 : major <= 10 ? 16 : 8;
    shorten(gpu->name, gpu->short_name, sizeof gpu->short_name);
    use_descriptor(known, gpu);
    return true;
}
