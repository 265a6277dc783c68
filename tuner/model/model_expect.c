#include "tuner/model/model_expect.h"

#include "tuner/model/model.h"
#include "tuner/model/model_traits.h"

#include <math.h>
#include <string.h>

/* Registers that a thread takes: its part of a row, beside which a row kept as it was read needs more room.
 */
static double guess_registers(const struct problem *p, const json_t *config, double row_threads)
{
    const char *cache = json_string_value(json_object_get(config, "cache"));
    const double room = 12, unpacked_room = 22, usual = 32;
    double elements = ceil((double)p->N / row_threads), words = elements * dtype_size(p->dtype_in) / 4;
    if (cache == NULL || strcmp(cache, "none") == 0 || strcmp(cache, "shared") == 0)
        return usual;
    if (strcmp(cache, "registers") == 0)
        return room + elements;
    return unpacked_room + (strcmp(cache, "both") == 0 ? words / 2 : words);
}

/* As many registers as a part of a row takes, or as few as the variant asks for. */
static struct image guess_image(const struct problem *p, const struct gpu *gpu, const json_t *config,
                                const struct launch_plan *plan)
{
    const double least_registers = 24;
    json_int_t resident = json_integer_value(json_object_get(config, "resident"));
    struct image image = {.kernel_count = plan->count};
    for (int i = 0; i < plan->count; i++) {
        const struct launch *launch = &plan->launches[i];
        struct image_kernel *k = &image.kernels[i];
        int threads = launch->block[0] * launch->block[1] * launch->block[2];
        double row_threads = model_traits_of(p, config, launch).row_threads;
        double registers = guess_registers(p, config, row_threads);
        double most = (double)gpu->registers_per_sm / (double)(resident > threads ? resident : threads);
        memcpy(k->name, launch->kernel, sizeof k->name);
        k->registers = (int)fmin(fmax(registers, least_registers), fmin(most, gpu->max_registers_per_thread));
    }
    return image;
}

bool model_expect_us(struct generator *space, const char *key, const struct problem *p, const struct gpu *gpu,
                     double *us, struct error *e)
{
    struct launch_plan plan;
    json_t *config = generator_config(space, key, e);
    bool ok = config != NULL && generator_launch(space, key, "kernel", NULL, &plan, e);
    if (ok) {
        struct image image = guess_image(p, gpu, config, &plan);
        *us = model_predict_us(p, gpu, config, &image, &plan);
    }
    json_decref(config);
    return ok;
}
