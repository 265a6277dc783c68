#include "tuner/model/model_expect.h"

#include "tuner/model/model.h"

#include <string.h>

/* As many registers as a row's arithmetic takes, or as few as the variant asks for. */
static struct image guess_image(const struct gpu *gpu, const json_t *config, const struct launch_plan *plan)
{
    const int usual_registers = 40;
    json_int_t resident = json_integer_value(json_object_get(config, "resident"));
    struct image image = {.kernel_count = plan->count};
    for (int i = 0; i < plan->count; i++) {
        struct image_kernel *k = &image.kernels[i];
        memcpy(k->name, plan->launches[i].kernel, sizeof k->name);
        k->registers = usual_registers;
        if (resident > 0 && gpu->registers_per_sm / resident < usual_registers)
            k->registers = (int)(gpu->registers_per_sm / resident);
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
        struct image image = guess_image(gpu, config, &plan);
        *us = model_predict_us(p, gpu, config, &image, &plan);
    }
    json_decref(config);
    return ok;
}
