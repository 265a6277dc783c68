/* How fast the emulator is: thread-instructions a second of the article's kernels on block-per-row and
   thread-per-row launches, and the time to check one variant on 8 rows of 8192. Run it by hand; it is no
   test. */
#include <stdio.h>
#include <time.h>

#include "tests/emulator_proof.h"
#include "tuner/devices/emulator/emulator_device.h"
#include "tuner/verify/oracle_host.h"

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* CPU seconds of the fastest of five launches on ordinary rows. */
static double time_launch(const struct proof *f, void *module, const struct launch_plan *plan,
                          const struct problem *p, int64_t rows)
{
    struct error e = {0};
    struct machine *m = ((struct emulator *)f->device)->machine;
    struct oracle_batch b = verify_batch(p, &(struct verify_options){.seed = 1}, rows);
    b.first_kind = KIND_ORDINARY;
    b.kind_count = 1;
    struct launch_values v = {
        .M = rows, .N = p->N, .x_stride = p->x_stride, .y_stride = p->y_stride, .scale = 1};
    v.x = machine_allocate(m, oracle_x_bytes(&b), 256);
    v.y = machine_allocate(m, oracle_y_bytes(&b), 256);
    if (!f->device->operations->make_input(f->device, &b, v.x, &e))
        proof_die(&e);
    double best = 1e9;
    for (int i = 0; i < 5; i++) {
        machine_counts_reset(m);
        double start = cpu_seconds();
        if (!f->device->operations->launch(f->device, module, plan, &v, &e))
            proof_die(&e);
        double took = cpu_seconds() - start;
        best = took < best ? took : best;
    }
    return best;
}

static void bench(struct compiler *c, const char *preset, int64_t rows, enum dtype dtype)
{
    struct error e = {0};
    struct problem p = problem_default(8192, 8192);
    p.dtype_in = p.dtype_out = dtype;
    struct proof f = proof_open(c, "article", false, "sm_120", &p, 8);
    char *key = generator_key(f.generator, preset, false, &e);
    struct source s = proof_source(&f, key);
    struct image image = proof_compile(&f, &s);
    struct launch_plan plan;
    struct image_facts facts = {.registers = image.kernels[0].registers};
    void *module;
    if (!generator_launch(f.generator, key, "kernel", &facts, &plan, &e) ||
        !f.device->operations->load(f.device, &image, &plan, &module, &e))
        proof_die(&e);
    double seconds = time_launch(&f, module, &plan, &p, rows);
    const struct machine_counts *counts = machine_counts(((struct emulator *)f.device)->machine);
    double rate = (double)counts->thread_instructions / seconds;
    double start = cpu_seconds();
    struct variant_verdict verdict = proof_verify(&f, key, &image);
    printf(
        "%-3s %-5s %4lld rows: %7.1f million thread-instructions/s; checked on 8 rows of 8192 in %6.1f ms\n",
        preset, dtype_name(dtype), (long long)rows, rate * 1e-6, (cpu_seconds() - start) * 1e3);
    json_decref(verdict.counts);
    source_clear(&s);
    free(key);
    proof_close(&f);
}

int main(void)
{
    struct compiler *c = proof_compiler();
    if (c == NULL)
        return 77;
    bench(c, "v1", 256, DTYPE_F32);
    for (int i = 0; i < 2; i++) {
        enum dtype dtype = i == 0 ? DTYPE_F32 : DTYPE_BF16;
        bench(c, "v2", 64, dtype);
        bench(c, "v3", 64, dtype);
        bench(c, "v4", 64, dtype);
        bench(c, "v5,guard=clamped", 64, dtype);
    }
    compiler_close(c);
    return 0;
}
