#include "tuner/cli/choose.h"

#include "tuner/emit/emit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct image_facts choose_facts(const struct image *image)
{
    struct image_facts facts = {0};
    for (int i = 0; i < image->kernel_count; i++) {
        const struct image_kernel *k = &image->kernels[i];
        facts.registers = k->registers > facts.registers ? k->registers : facts.registers;
        facts.spill_bytes = k->spill_bytes > facts.spill_bytes ? k->spill_bytes : facts.spill_bytes;
        if (k->static_smem_bytes > facts.static_smem_bytes)
            facts.static_smem_bytes = k->static_smem_bytes;
    }
    return facts;
}

static void set_evidence(struct choice *c, const struct trial *t, double limit_us)
{
    bool measured = !isnan(t->time_us);
    snprintf(c->basis, sizeof c->basis, "%s", measured ? "measured" : "predicted");
    c->time_us = t->time_us;
    c->time_us_low = t->time_us_low;
    c->time_us_high = t->time_us_high;
    c->limit_us = measured ? limit_us : NAN;
    c->predicted_us = measured ? NAN : t->predicted_us;
    c->max_error = t->max_error;
}

bool choose_uncompiled(struct session *s, const struct problem *p, const struct trial *t, double limit_us,
                       const struct stored_choice *stored, struct choice *choice, struct error *e)
{
    *choice = (struct choice){.problem = *p, .gpu = s->gpu, .gpu_named = s->gpu_named};
    set_evidence(choice, t, limit_us);
    if (stored != NULL)
        stored_choice_tell(stored, choice);
    char stem[STEM_SIZE];
    problem_stem(p, true, s->gpu.arch, s->gpu_named ? s->gpu.short_name : NULL, stem);
    struct image_facts facts = choose_facts(&t->image);
    json_t *described = generator_describe(t->space, e);
    bool ok = described != NULL;
    if (ok) {
        choice->space = must_strdup(json_string_value(json_object_get(described, "name")));
        choice->variant = must_strdup(t->key);
        choice->config = generator_config(t->space, t->key, e);
        ok = choice->config != NULL && generator_source(t->space, t->key, stem, &choice->source, e) &&
             generator_launch(t->space, t->key, stem, &facts, &choice->plan, e);
    }
    json_decref(described);
    if (!ok)
        choice_clear(choice);
    return ok;
}

/* The image of the very text that is emitted. */
static bool compile_emitted(struct session *s, struct choice *choice, struct error *e)
{
    char *text = emit_cu_text(choice, e);
    if (text == NULL)
        return false;
    struct source source = {.text = text, .size = strlen(text)};
    struct compile_request request = {.source = &source, .arch = s->gpu.arch};
    struct compile_result result;
    bool ok = compiler_compile(s->compiler, &request, &result, e);
    free(text);
    if (!ok)
        return false;
    if (result.outcome != COMPILE_DONE) {
        error_set(e, STATUS_MISSING, "the text of %s to be emitted does not compile: %s", choice->variant,
                  result.reason);
        free(result.reason);
        return false;
    }
    choice->image = result.image;
    return true;
}

bool choose_trial(struct session *s, const struct problem *p, const struct trial *t, double limit_us,
                  const struct stored_choice *stored, struct choice *choice, struct error *e)
{
    if (!choose_uncompiled(s, p, t, limit_us, stored, choice, e))
        return false;
    bool ok = compile_emitted(s, choice, e);
    if (ok && choice->image.code_hash != t->image.code_hash)
        ok = error_set(
            e, STATUS_MISSING,
            "the machine code of the text to be emitted is not that of the variant that was tuned, %s: "
            "nothing is written; please report this with its source",
            t->key);
    if (!ok)
        choice_clear(choice);
    return ok;
}

bool choose_run(struct session *s, const struct image *image, const struct launch_plan *plan,
                struct device_verdict *verdict, struct error *e)
{
    if (!device_client_verify(s->device, 0, image, plan, e))
        return false;
    /* The client keeps the deadline; a signal only cuts a wait short. */
    while (!device_client_next(s->device, 1, verdict))
        continue;
    return true;
}

bool choose_verify(struct session *s, struct choice *choice, struct error *e)
{
    struct device_verdict verdict;
    if (!choose_run(s, &choice->image, &choice->plan, &verdict, e))
        return false;
    bool correct = verdict.verdict == VERDICT_CORRECT;
    choice->max_error = verdict.max_error;
    if (!correct)
        error_set(e, STATUS_NONE_SURVIVED,
                  "the kernel to be emitted is wrong, so it is not written: %s: %s: %s", choice->variant,
                  verdict_name(verdict.verdict), verdict.reason);
    free(verdict.reason);
    json_decref(verdict.counts);
    return correct;
}
