/* From a variant's key to the emulator's verdict: render, perhaps edit, compile, verify. */
#ifndef TESTS_EMULATOR_PROOF_H
#define TESTS_EMULATOR_PROOF_H

#include <string.h>

#include "tests/kernel_spaces.h"
#include "tuner/compile/compiler.h"
#include "tuner/devices/device.h"
#include "tuner/verify/verify.h"

enum { COMPILE_SECONDS = 300 }; /* a machine may be busy */

struct proof {
    struct compiler *compiler; /* not owned */
    struct gpu gpu;
    struct generator *generator;
    struct device *device;
    struct verifier *verifier;
};

/* NULL, saying why, where NVRTC is not here: the test is then skipped. */
static inline struct compiler *proof_compiler(void)
{
    struct error e = {0};
    struct compiler *c = compiler_open(&(struct compiler_options){.deadline_seconds = COMPILE_SECONDS}, &e);
    if (c == NULL)
        fprintf(stderr, "skipped: %s\n", e.text);
    return c;
}

static inline _Noreturn void proof_die(const struct error *e)
{
    fprintf(stderr, "%s\n", e->text);
    exit(1);
}

static inline struct proof proof_open(struct compiler *c, const char *config, bool full_space,
                                      const char *arch, const struct problem *p, int64_t rows)
{
    struct error e = {0};
    struct proof f = {
        .compiler = c, .gpu = gpu_of(arch), .generator = space_for(config, full_space, p, arch)};
    struct verify_options options = {.rows = rows, .tolerance = 1, .seed = 1};
    if (!emulator_device_open(&f.gpu, &f.device, &e))
        proof_die(&e);
    f.verifier = verifier_open(f.device, p, &options, &e);
    if (f.verifier == NULL)
        proof_die(&e);
    return f;
}

static inline void proof_close(struct proof *f)
{
    verifier_close(f->verifier);
    f->device->operations->close(f->device);
    generator_close(f->generator);
}

static inline struct source proof_source(const struct proof *f, const char *key)
{
    struct error e = {0};
    struct source s;
    if (!generator_source(f->generator, key, "kernel", &s, &e))
        proof_die(&e);
    return s;
}

/* Runs an image, which is cleared, as the variant `key`. */
static inline struct variant_verdict proof_verify(const struct proof *f, const char *key, struct image *image)
{
    struct error e = {0};
    struct image_facts facts = {.registers = image->kernels[0].registers,
                                .static_smem_bytes = image->kernels[0].static_smem_bytes};
    struct launch_plan plan;
    struct variant_verdict verdict = {.verdict = VERDICT_RUNTIME};
    void *module;
    if (!generator_launch(f->generator, key, "kernel", &facts, &plan, &e))
        proof_die(&e);
    if (f->device->operations->load(f->device, image, &plan, &module, &e)) {
        verifier_run(f->verifier, module, &plan, &verdict);
        f->device->operations->unload(f->device, module);
    } else {
        snprintf(verdict.reason, sizeof verdict.reason, "%.400s", e.text);
    }
    image_clear(image);
    return verdict;
}

static inline struct image proof_compile(const struct proof *f, const struct source *s)
{
    struct error e = {0};
    struct compile_request request = {.source = s, .arch = f->gpu.arch, .line_info = true};
    struct compile_result result;
    if (!compiler_compile(f->compiler, &request, &result, &e))
        proof_die(&e);
    if (result.outcome != COMPILE_DONE) {
        fprintf(stderr, "%s\n", result.reason);
        exit(1);
    }
    return result.image;
}

/* A variant of the space, as it is. */
static inline struct variant_verdict proof_variant(const struct proof *f, const char *variant)
{
    struct error e = {0};
    char *key = generator_key(f->generator, variant, true, &e);
    if (key == NULL)
        proof_die(&e);
    struct source source = proof_source(f, key);
    struct image image = proof_compile(f, &source);
    struct variant_verdict verdict = proof_verify(f, key, &image);
    source_clear(&source);
    free(key);
    return verdict;
}

#endif
