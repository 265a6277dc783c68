#include "generator/gpu.h"

#include "generator/nearest.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { WARP = 32 };

int gpu_blocks_per_sm(const struct gpu *gpu, int threads, int registers, int64_t smem_bytes)
{
    int warps = (threads + WARP - 1) / WARP;
    int blocks = gpu->max_blocks_per_sm;
    if (warps < 1 || registers > gpu->max_registers_per_thread || smem_bytes > gpu->smem_per_block)
        return 0;
    if (gpu->max_threads_per_sm / WARP / warps < blocks)
        blocks = gpu->max_threads_per_sm / WARP / warps;
    if (registers > 0) {
        /* Registers are given to a warp in units, and an SM's file is split over its four partitions. */
        int warp_registers =
            (registers * WARP + gpu->register_unit - 1) / gpu->register_unit * gpu->register_unit;
        int resident = gpu->registers_per_sm / 4 / warp_registers * 4;
        if (resident / warps < blocks)
            blocks = resident / warps;
    }
    int64_t block_smem = (smem_bytes + gpu->smem_reserved + 127) / 128 * 128;
    if (block_smem > 0 && gpu->smem_per_sm / block_smem < blocks)
        blocks = (int)(gpu->smem_per_sm / block_smem);
    return blocks;
}

/* "sm_100a" and "sm_100f" are served by sm_100's GPUs. */
static bool arch_serves(const char *arch, const char *asked)
{
    size_t length = strlen(arch);
    if (strncmp(arch, asked, length) != 0)
        return false;
    return asked[length] == '\0' ||
           ((asked[length] == 'a' || asked[length] == 'f') && asked[length + 1] == '\0');
}

/* Refuses `typed`, an architecture or else a GPU's name. */
static bool refuse_unknown(const struct gpu_list *list, bool archs, const char *typed, struct error *e)
{
    char text[512] = "", hint[HINT_SIZE];
    size_t used = 0;
    struct nearest nearest = nearest_to(typed, strlen(typed));
    for (int i = 0; i < list->count; i++) {
        const char *name = archs ? list->gpus[i].arch : list->gpus[i].short_name;
        nearest_offer(&nearest, name);
        bool again = false;
        for (int j = 0; archs && j < i; j++)
            again |= strcmp(list->gpus[j].arch, name) == 0;
        if (!again && used + strlen(name) + 2 < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used == 0 ? "" : ", ", name);
    }
    return error_set(e, STATUS_USAGE, "no GPU of %s '%s' is described: known are %s%s",
                     archs ? "architecture" : "the name", typed, text, nearest_hint(&nearest, hint));
}

bool gpu_find(const struct gpu_list *list, const char *arch, const char *name, struct gpu *gpu,
              struct error *e)
{
    bool arch_known = false, name_known = false;
    for (int i = 0; i < list->count; i++) {
        const struct gpu *g = &list->gpus[i];
        bool arch_fits = arch == NULL || arch_serves(g->arch, arch);
        bool name_fits =
            name == NULL || strcasecmp(g->short_name, name) == 0 || strcasecmp(g->name, name) == 0;
        arch_known |= arch_fits;
        name_known |= name_fits;
        if (!arch_fits || !name_fits)
            continue;
        *gpu = *g;
        if (arch != NULL)
            snprintf(gpu->arch, sizeof gpu->arch, "%s", arch);
        return true;
    }
    if (!arch_known || !name_known)
        return refuse_unknown(list, !arch_known, arch_known ? name : arch, e);
    return error_set(e, STATUS_USAGE,
                     "the GPU '%s' is not of architecture %s ('softmax-tune gpus' lists them)", name, arch);
}

/* The fields that travel as integers, in one table for both directions. */
static const struct {
    const char *name;
    size_t offset;
} integer_fields[] = {
#define FIELD(f)                                                                                             \
    {                                                                                                        \
#f, offsetof(struct gpu, f)                                                                          \
    }
    FIELD(compute_capability), FIELD(sms),
    FIELD(max_threads_per_sm), FIELD(max_blocks_per_sm),
    FIELD(registers_per_sm),   FIELD(max_registers_per_thread),
    FIELD(register_unit),      FIELD(smem_per_sm),
    FIELD(smem_per_block),     FIELD(smem_reserved),
    FIELD(max_cluster),        FIELD(ptx_version),
#undef FIELD
};

json_t *gpu_to_json(const struct gpu *gpu)
{
    json_t *object = json_pack("{s:s, s:s, s:s, s:I, s:f, s:f}", "name", gpu->name, "short_name",
                               gpu->short_name, "arch", gpu->arch, "l2_bytes", (json_int_t)gpu->l2_bytes,
                               "dram_gbs", gpu->dram_gbs, "clock_mhz", gpu->clock_mhz);
    for (size_t i = 0; i < sizeof integer_fields / sizeof integer_fields[0]; i++) {
        const int *value = (const int *)(const void *)((const char *)gpu + integer_fields[i].offset);
        json_object_set_new(object, integer_fields[i].name, json_integer(*value));
    }
    return object;
}

bool gpu_of_json(const json_t *object, struct gpu *gpu, struct error *e)
{
    *gpu = (struct gpu){0};
    const char *name, *short_name, *arch;
    json_int_t l2_bytes;
    json_error_t reason;
    if (json_unpack_ex((json_t *)object, &reason, 0, "{s:s, s:s, s:s, s:I, s:F, s:F}", "name", &name,
                       "short_name", &short_name, "arch", &arch, "l2_bytes", &l2_bytes, "dram_gbs",
                       &gpu->dram_gbs, "clock_mhz", &gpu->clock_mhz) != 0)
        return error_set(e, STATUS_USAGE, "a GPU descriptor's fields: %s", reason.text);
    snprintf(gpu->name, sizeof gpu->name, "%s", name);
    snprintf(gpu->short_name, sizeof gpu->short_name, "%s", short_name);
    snprintf(gpu->arch, sizeof gpu->arch, "%s", arch);
    gpu->l2_bytes = l2_bytes;
    for (size_t i = 0; i < sizeof integer_fields / sizeof integer_fields[0]; i++) {
        const json_t *field = json_object_get(object, integer_fields[i].name);
        if (field == NULL && strcmp(integer_fields[i].name, "ptx_version") == 0)
            continue;
        if (!json_is_integer(field))
            return error_set(e, STATUS_USAGE, "the descriptor of %s has no integer '%s'", name,
                             integer_fields[i].name);
        *(int *)(void *)((char *)gpu + integer_fields[i].offset) = (int)json_integer_value(field);
    }
    return true;
}
