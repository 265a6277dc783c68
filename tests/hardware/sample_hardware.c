/* sample_hardware FOLDER [ARCH]: compiles a sample of the space, which record_hardware runs on a GPU and
   test_hardware.c on the emulator. Writes FOLDER/variants.json and the cubins (hardware_variants.h). */
#include "tests/hardware/hardware_variants.h"
#include "tests/kernel_spaces.h"
#include "tuner/compile/compiler.h"

#include <string.h>

static struct compiler *compiler;
static const char *folder, *arch = "sm_90";

static void die(const struct error *e)
{
    fprintf(stderr, "sample_hardware: %s\n", e->text);
    exit(1);
}

static json_t *kernels_of(const struct image *image)
{
    json_t *kernels = json_array();
    for (int i = 0; i < image->kernel_count; i++)
        json_array_append_new(kernels, json_pack("{s:s, s:i, s:i}", "name", image->kernels[i].name,
                                                 "registers", image->kernels[i].registers, "static_smem",
                                                 image->kernels[i].static_smem_bytes));
    return kernels;
}

static void write_cubin(const struct image *image, size_t index)
{
    char *path = must_format("%s/%03zu.cubin", folder, index);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(image->cubin, 1, image->cubin_size, file) != image->cubin_size ||
        fclose(file) != 0) {
        perror(path);
        exit(1);
    }
    free(path);
}

static struct image compile(struct generator *g, const char *key)
{
    struct error e = {0};
    struct source source;
    struct compile_result result;
    if (!generator_source(g, key, "kernel", &source, &e))
        die(&e);
    struct compile_request request = {.source = &source, .arch = arch};
    if (!compiler_compile(compiler, &request, &result, &e))
        die(&e);
    source_clear(&source);
    if (result.outcome != COMPILE_DONE) {
        fprintf(stderr, "%s: %s\n", key, result.reason);
        exit(1);
    }
    return result.image;
}

static void add_variant(json_t *variants, struct generator *g, const struct problem *p, const char *key,
                        int first_kind)
{
    struct error e = {0};
    struct image image = compile(g, key);
    struct image_facts facts = {.registers = image.kernels[0].registers,
                                .static_smem_bytes = image.kernels[0].static_smem_bytes};
    struct launch_plan plan;
    if (!generator_launch(g, key, "kernel", &facts, &plan, &e))
        die(&e);
    json_t *launches = launch_plan_to_json(&plan, p->M, gpu_of(arch).sms, &e);
    if (launches == NULL)
        die(&e);
    write_cubin(&image, json_array_size(variants));
    json_array_append_new(variants, json_pack("{s:s, s:o, s:i, s:o, s:s, s:o, s:s}", "key", key, "problem",
                                              problem_to_json(p), "first_kind", first_kind, "launches",
                                              launches, "workspace_of_M", plan.workspace_of_M, "kernels",
                                              kernels_of(&image), "ptx", image.ptx));
    image_clear(&image);
}

/* A variant of each schedule, which is a key's first value, of the full space; others for each `turn`. */
static void add_sample(json_t *variants, const struct problem *p, size_t turn)
{
    struct generator *g = space_for("softmax", true, p, arch);
    json_t *keys = variants_of(g);
    size_t total = json_array_size(keys);
    for (size_t first = 0, end = 0; first < total; first = end) {
        const char *key = json_string_value(json_array_get(keys, first));
        size_t schedule = strcspn(key, ",") + 1;
        while (end < total && strncmp(json_string_value(json_array_get(keys, end)), key, schedule) == 0)
            end++;
        add_variant(variants, g, p,
                    json_string_value(json_array_get(keys, first + turn * 37 % (end - first))),
                    (int)(turn * 3 % ORACLE_MIXED_KINDS));
    }
    json_decref(keys);
    generator_close(g);
}

static void add_problems(json_t *variants)
{
    static const int64_t columns[] = {1,   7,    32,   33,   100,  257,  512, 769,
                                      999, 1000, 1024, 1025, 2048, 4095, 4096};
    static const enum dtype types[][2] = {
        {DTYPE_F32, DTYPE_F32}, {DTYPE_F16, DTYPE_F16}, {DTYPE_BF16, DTYPE_BF16}, {DTYPE_BF16, DTYPE_F32}};
    size_t turn = 0;
    for (size_t n = 0; n < sizeof columns / sizeof columns[0]; n++)
        for (size_t t = 0; t < 3; t++, turn++) {
            struct problem p = problem_default(hardware_rows(columns[n]), columns[n]);
            const enum dtype *type = types[turn % 11 == 10 ? 3 : t];
            p.dtype_in = type[0];
            p.dtype_out = type[1];
            p.op = turn % 5 == 4 ? OP_LOG_SOFTMAX : OP_SOFTMAX;
            p.in_place = turn % 7 == 6 && type[0] == type[1];
            p.scaled = turn % 6 == 5;
            add_sample(variants, &p, turn);
        }
}

int main(int argc, char **argv)
{
    struct error e = {0};
    if (argc < 2) {
        fprintf(stderr, "usage: sample_hardware FOLDER [ARCH]\n");
        return 2;
    }
    folder = argv[1];
    arch = argc > 2 ? argv[2] : arch;
    compiler = compiler_open(&(struct compiler_options){0}, &e);
    if (compiler == NULL)
        die(&e);
    json_t *variants = json_array();
    add_problems(variants);
    printf("%zu variants\n", json_array_size(variants));
    json_t *document =
        json_pack("{s:s, s:s, s:o}", "nvrtc", compiler_build(compiler), "arch", arch, "variants", variants);
    char *path = must_format("%s/variants.json", folder);
    int failed = json_dump_file(document, path, JSON_COMPACT);
    if (failed != 0)
        perror(path);
    free(path);
    json_decref(document);
    compiler_close(compiler);
    return failed != 0;
}
