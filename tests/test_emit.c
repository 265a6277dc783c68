/* Emission: the five files of a choice, what compilers say of them, and reading them back. Needs NVRTC; nvcc
   and g++ are used where they are. */
#include "tests/temporary_folder.h"
#include "tuner/compile/compiler.h"
#include "tuner/emit/emit.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

static struct compiler *compiler;

/* What a test asks of a choice; the rest is the same in all. */
struct wish {
    struct problem problem;
    const char *kernels;   /* CUDA, with @ for the stem */
    const char *launches;  /* JSON, likewise */
    const char *workspace; /* an expression */
};

static char *with_stem(const char *text, const char *stem)
{
    char *result = NULL;
    size_t size;
    FILE *file = open_memstream(&result, &size);
    for (; *text != '\0'; text++)
        if (*text == '@')
            fputs(stem, file);
        else
            fputc(*text, file);
    fclose(file);
    return result;
}

static void compile_emitted(struct choice *c)
{
    struct error e;
    char *text = emit_cu_text(c, &e);
    assert_non_null(text);
    struct source source = {.text = text, .size = strlen(text)};
    struct compile_request request = {.source = &source, .arch = c->gpu.arch};
    struct compile_result result;
    assert_true(compiler_compile(compiler, &request, &result, &e));
    assert_null(result.reason);
    c->image = result.image;
    free(text);
}

static struct choice make_choice(const struct wish *wish)
{
    struct choice c = {.problem = wish->problem, .basis = "measured"};
    struct gpu_list list;
    struct error e;
    assert_true(gpu_list_load(&list, &e));
    assert_true(gpu_find(&list, "sm_90", "h200", &c.gpu, &e));
    gpu_list_clear(&list);
    c.space = must_strdup("softmax");
    c.variant = must_strdup("scope=block,threads=256");
    c.config = json_pack("{s:s, s:i}", "scope", "block", "threads", 256);
    char stem[STEM_SIZE];
    choice_stem(&c, stem);
    c.source.text = with_stem(wish->kernels, stem);
    c.source.size = strlen(c.source.text);
    char *launches = with_stem(wish->launches, stem);
    json_t *array = json_loads(launches, 0, NULL), *workspace = json_string(wish->workspace);
    assert_true(launch_plan_of_json(array, workspace, &c.plan, &e));
    json_decref(array);
    json_decref(workspace);
    free(launches);
    c.time_us = 131.23456789, c.time_us_low = 131.0, c.time_us_high = 131.5, c.limit_us = 127.1,
    c.max_error = 0.31;
    c.predicted_us = NAN;
    compile_emitted(&c);
    return c;
}

static struct wish plain(void)
{
    return (struct wish){
        .problem = problem_default(8192, 1024),
        .kernels = "extern \"C\" __global__ void __launch_bounds__(256)\n@(const float *x, float *y)\n"
                   "{\n    y[blockIdx.x * 1024LL + threadIdx.x] = x[blockIdx.x * 1024LL + threadIdx.x];\n}\n",
        .launches = "[{\"kernel\": \"@\", \"grid_of_M\": \"M\", \"block\": [256, 1, 1], \"args\": "
                    "[{\"name\": \"x\", \"type\": \"ptr\"}, {\"name\": \"y\", \"type\": \"ptr\"}]}]",
        .workspace = "0",
    };
}

/* Everything that a plan can ask for. */
static struct wish elaborate(void)
{
    struct wish w = {
        .problem = problem_default(64, 4096),
        .kernels =
            "extern \"C\" __global__ void __launch_bounds__(128)\n"
            "@_part(const unsigned short *x, float *part, int M, long long N, int stride, float scale)\n"
            "{\n    extern __shared__ float shared[];\n"
            "    shared[threadIdx.x] = x[threadIdx.x] * scale + stride;\n    __syncthreads();\n"
            "    part[blockIdx.x] = shared[0] + M + N;\n}\n"
            "extern \"C\" __global__ void __launch_bounds__(256)\n"
            "@(const unsigned short *x, unsigned short *y, const float *part, long long M)\n"
            "{\n    y[threadIdx.x] = x[threadIdx.x] + (unsigned short)part[blockIdx.x] + (int)M;\n}\n",
        .launches =
            "[{\"kernel\": \"@_part\", \"grid_of_M\": \"16 * max(M, sms)\", \"block\": [128, 1, 1], "
            "\"cluster\": [16, 1, 1], \"dynamic_smem_bytes\": 65536, \"cooperative\": true, \"args\": "
            "[{\"name\": \"x\", \"type\": \"ptr\"}, {\"name\": \"workspace\", \"type\": \"ptr\"}, "
            "{\"name\": \"M\", \"type\": \"i32\"}, {\"name\": \"N\", \"type\": \"i64\"}, "
            "{\"name\": \"x_stride\", \"type\": \"i32\"}, {\"name\": \"scale\", \"type\": \"f32\"}]}, "
            "{\"kernel\": \"@\", \"grid_of_M\": \"ceil(M, 4)\", \"block\": [32, 8, 1], \"programmatic\": true, "
            "\"args\": [{\"name\": \"x\", \"type\": \"ptr\"}, {\"name\": \"y\", \"type\": \"ptr\"}, "
            "{\"name\": \"workspace\", \"type\": \"ptr\"}, {\"name\": \"M\", \"type\": \"i64\"}]}]",
        .workspace = "64 * max(M, sms)",
    };
    w.problem.dtype_in = w.problem.dtype_out = DTYPE_BF16;
    w.problem.scaled = true;
    w.problem.x_stride = 5000;
    return w;
}

static void emit_to(const struct choice *c, const char *folder)
{
    struct error e = {0};
    bool emitted = emit_choice(c, folder, &e);
    assert_string_equal(e.text, "");
    assert_true(emitted);
}

/* Runs a shell command; its output is shown when it fails. */
static bool runs(const char *command)
{
    FILE *pipe = popen(command, "r");
    char output[4096] = "";
    size_t size = fread(output, 1, sizeof output - 1, pipe);
    output[size] = '\0';
    int status = pclose(pipe);
    if (status != 0)
        print_message("%s\n%s\n", command, output);
    return status == 0;
}

static bool have(const char *program)
{
    char command[256];
    snprintf(command, sizeof command, "PATH=$PATH:/usr/local/cuda/bin command -v %s >/dev/null 2>&1",
             program);
    return system(command) == 0;
}

static void five_files_are_written_and_nothing_else(void **state)
{
    (void)state;
    char *folder = temporary_folder(), *deep = must_format("%s/not/there", folder);
    struct wish wish = plain();
    struct choice c = make_choice(&wish);
    emit_to(&c, deep);
    emit_to(&c, deep); /* over the first */
    DIR *listing = opendir(deep);
    int count = 0;
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            assert_int_equal(strncmp(entry->d_name, "softmax_f32_m8192_n1024_sm_90.", 30), 0);
            count++;
        }
    closedir(listing);
    assert_int_equal(count, 5);
    choice_clear(&c);
    free(deep);
    temporary_folder_remove(folder);
}

static void manifest_has_the_fields_that_its_readers_know(void **state)
{
    (void)state;
    static const char *const fields[] = {"schema",
                                         "op",
                                         "dtype_in",
                                         "dtype_out",
                                         "M",
                                         "N",
                                         "x_stride",
                                         "y_stride",
                                         "align",
                                         "in_place",
                                         "scale",
                                         "cache",
                                         "arch",
                                         "gpu",
                                         "basis",
                                         "space",
                                         "variant",
                                         "config",
                                         "source",
                                         "cubin",
                                         "workspace_of_M",
                                         "workspace_bytes",
                                         "launches",
                                         "registers",
                                         "spill_bytes",
                                         "time_us",
                                         "static_smem_bytes",
                                         "time_us_low",
                                         "time_us_high",
                                         "bandwidth_gbs",
                                         "of_limit",
                                         "of_peak",
                                         "max_error"};
    struct wish wish = plain();
    struct choice c = make_choice(&wish);
    struct error e;
    json_t *manifest = emit_manifest(&c, &e);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (json_object_get(manifest, fields[i]) == NULL)
            fail_msg("no %s", fields[i]);
    assert_int_equal(json_object_size(manifest), sizeof fields / sizeof fields[0]);
    assert_string_equal(json_string_value(json_object_get(manifest, "cubin")),
                        "softmax_f32_m8192_n1024_sm_90.cubin");
    assert_string_equal(json_string_value(json_object_get(manifest, "scale")), "none");
    assert_true(json_real_value(json_object_get(manifest, "time_us")) == 131.235);
    double bandwidth = json_real_value(json_object_get(manifest, "bandwidth_gbs"));
    assert_true(fabs(bandwidth - 8192.0 * 1024 * 8 / 131.235e3) < 0.01);
    json_t *launch = json_array_get(json_object_get(manifest, "launches"), 0);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(launch, "grid"), 0)), 8192);
    json_decref(manifest);
    choice_clear(&c);
}

static void predicted_manifest_has_no_measured_figure_and_no_nan(void **state)
{
    (void)state;
    static const char *const measured[] = {"time_us",  "time_us_low", "time_us_high", "bandwidth_gbs",
                                           "of_limit", "of_peak",     "max_error"};
    struct wish wish = plain();
    struct choice c = make_choice(&wish);
    snprintf(c.basis, sizeof c.basis, "predicted");
    c.time_us = c.time_us_low = c.time_us_high = c.limit_us = c.max_error = NAN;
    c.predicted_us = 140.5;
    struct error e;
    json_t *manifest = emit_manifest(&c, &e);
    for (size_t i = 0; i < sizeof measured / sizeof measured[0]; i++)
        assert_null(json_object_get(manifest, measured[i]));
    assert_true(json_real_value(json_object_get(manifest, "predicted_us")) == 140.5);
    json_decref(manifest);
    char *text = emit_cu_text(&c, &e);
    assert_non_null(strstr(text, "chosen    predicted for NVIDIA H200, not measured: 140.5 us"));
    assert_null(strstr(text, "nan"));
    free(text);
    choice_clear(&c);
}

static void sms_and_M_give_the_manifests_grid_and_workspace(void **state)
{
    (void)state;
    struct wish wish = elaborate();
    struct choice c = make_choice(&wish);
    struct error e;
    json_t *manifest = emit_manifest(&c, &e);
    assert_int_equal(json_integer_value(json_object_get(manifest, "workspace_bytes")), 64 * 132);
    json_t *launch = json_array_get(json_object_get(manifest, "launches"), 0);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(launch, "grid"), 0)), 16 * 132);
    assert_string_equal(json_string_value(json_object_get(manifest, "scale")), "value");
    json_decref(manifest);
    choice_clear(&c);
}

static void assert_same_choice(const struct choice *a, const struct choice *b)
{
    struct error e;
    char *text_a = emit_cu_text(a, &e), *text_b = emit_cu_text(b, &e);
    assert_string_equal(text_a, text_b);
    free(text_a);
    free(text_b);
    json_t *manifest_a = emit_manifest(a, &e), *manifest_b = emit_manifest(b, &e);
    assert_true(json_equal(manifest_a, manifest_b));
    json_decref(manifest_a);
    json_decref(manifest_b);
    assert_int_equal(a->image.cubin_size, b->image.cubin_size);
    assert_memory_equal(a->image.cubin, b->image.cubin, a->image.cubin_size);
    assert_string_equal(a->image.ptx, b->image.ptx);
    assert_int_equal(a->image.code_hash, b->image.code_hash);
}

static void choice_is_read_back_as_it_was_written(void **state)
{
    (void)state;
    char *folder = temporary_folder();
    struct wish wishes[] = {plain(), elaborate()};
    for (int i = 0; i < 4; i++) {
        struct choice c = make_choice(&wishes[i % 2]), back;
        if (i >= 2) {
            snprintf(c.basis, sizeof c.basis, "predicted");
            c.time_us = c.time_us_low = c.time_us_high = c.limit_us = c.max_error = NAN;
            c.predicted_us = 1.0 / 3;
            image_clear(&c.image);
            compile_emitted(&c);
        }
        emit_to(&c, folder);
        char stem[STEM_SIZE];
        choice_stem(&c, stem);
        char *path = must_format("%s/%s.json", folder, stem);
        struct error e = {0};
        bool read = emit_read_choice(path, &back, &e);
        assert_string_equal(e.text, "");
        assert_true(read);
        assert_same_choice(&c, &back);
        choice_clear(&back);
        choice_clear(&c);
        free(path);
    }
    temporary_folder_remove(folder);
}

static void damaged_files_are_named_when_they_are_read(void **state)
{
    (void)state;
    static const char *const suffixes[] = {"cu", "cubin", "ptx", "json"};
    struct wish wish = plain();
    struct choice c = make_choice(&wish), back;
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        char *folder = temporary_folder();
        emit_to(&c, folder);
        char *path = must_format("%s/softmax_f32_m8192_n1024_sm_90.%s", folder, suffixes[i]);
        char *manifest = must_format("%s/softmax_f32_m8192_n1024_sm_90.json", folder);
        struct error e;
        assert_int_equal(truncate(path, 100), 0);
        assert_false(emit_read_choice(manifest, &back, &e));
        assert_int_equal(e.status, STATUS_USAGE);
        assert_non_null(strstr(e.text, folder));
        unlink(path);
        assert_false(emit_read_choice(manifest, &back, &e));
        assert_non_null(strstr(e.text, path));
        free(manifest);
        free(path);
        temporary_folder_remove(folder);
    }
    choice_clear(&c);
}

static void folder_that_cannot_be_written_is_status_2(void **state)
{
    (void)state;
    struct wish wish = plain();
    struct choice c = make_choice(&wish);
    struct error e;
    assert_false(emit_choice(&c, "/dev/null/out", &e));
    assert_int_equal(e.status, STATUS_USAGE);
    assert_string_equal(e.text, "/dev/null/out: Not a directory");
    choice_clear(&c);
}

static void image_of_another_kernel_is_not_written(void **state)
{
    (void)state;
    char *folder = temporary_folder();
    struct wish wish = plain();
    struct choice c = make_choice(&wish);
    struct error e;
    c.plan.launches[0].kernel[0] = 'S';
    assert_false(emit_choice(&c, folder, &e));
    assert_non_null(strstr(e.text, "has no kernel Softmax_f32"));
    assert_int_equal(rmdir(folder), 0);
    choice_clear(&c);
    free(folder);
}

static void cu_stands_alone_for_nvcc(void **state)
{
    (void)state;
    if (!have("nvcc"))
        skip();
    char *folder = temporary_folder();
    struct wish wishes[] = {plain(), elaborate()};
    for (int i = 0; i < 2; i++) {
        struct choice c = make_choice(&wishes[i]);
        emit_to(&c, folder);
        choice_clear(&c);
    }
    char *command =
        must_format("cd %s && export PATH=$PATH:/usr/local/cuda/bin && for f in *.cu; do out=$(nvcc "
                    "-arch=sm_90 -c $f 2>&1) && test -z \"$out\" || { echo \"$out\"; exit 1; }; done",
                    folder);
    assert_true(runs(command));
    free(command);
    temporary_folder_remove(folder);
}

/* A program that launches with both headers, over a driver that only tells what it is asked. */
static const char program[] =
    "#include \"softmax_f32_m8192_n1024_sm_90.h\"\n"
    "#include \"SECOND.h\"\n"
    "#include <stdio.h>\n"
    "#include <stdint.h>\n"
    "CUresult cuModuleLoadData(CUmodule *m, const void *i) {\n"
    "  *m = 0; return ((uintptr_t)i % 16 || memcmp(i, \"\\177ELF\", 4)) ? CUDA_ERROR_INVALID_IMAGE : CUDA_SUCCESS; }\n"
    "CUresult cuModuleUnload(CUmodule m) { (void)m; return CUDA_SUCCESS; }\n"
    "CUresult cuModuleGetFunction(CUfunction *f, CUmodule m, const char *n) {\n"
    "  (void)m; *f = (CUfunction)(uintptr_t)n; return CUDA_SUCCESS; }\n"
    "CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute a, int v) {\n"
    "  printf(\"%s attribute %d = %d\\n\", (const char *)f, (int)a, v); return CUDA_SUCCESS; }\n"
    "CUresult cuCtxGetDevice(CUdevice *d) { *d = 0; return CUDA_SUCCESS; }\n"
    "CUresult cuDeviceGetAttribute(int *v, CUdevice_attribute a, CUdevice d) {\n"
    "  (void)d; *v = a == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT ? 132 : 0; return CUDA_SUCCESS; }\n"
    "CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,\n"
    "    unsigned bz, unsigned s, CUstream st, void **a, void **e) {\n"
    "  (void)st; (void)e;\n"
    "  printf(\"%s %u,%u,%u %u,%u,%u %u x=%d y=%d\\n\", (const char *)f, gx, gy, gz, bx, by, bz, s,\n"
    "         (int)*(CUdeviceptr *)a[0], (int)*(CUdeviceptr *)a[1]);\n"
    "  return CUDA_SUCCESS; }\n"
    "CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction f, void **a, void **e) {\n"
    "  (void)e;\n"
    "  printf(\"%s %u,%u,%u %u,%u,%u %u attribute %d\", (const char *)f, c->gridDimX, c->gridDimY, c->gridDimZ,\n"
    "         c->blockDimX, c->blockDimY, c->blockDimZ, c->sharedMemBytes, (int)c->attrs[c->numAttrs - 1].id);\n"
    "  if (c->numAttrs > 1)\n"
    "    printf(\" cluster %u M=%d N=%lld stride=%d scale=%g\", c->attrs[0].value.clusterDim.x, *(int *)a[2],\n"
    "           *(long long *)a[3], *(int *)a[4], *(float *)a[5]);\n"
    "  printf(\"\\n\");\n"
    "  return CUDA_SUCCESS; }\n"
    "int main(void) {\n"
    "  struct softmax_f32_m8192_n1024_sm_90_module a;\n"
    "  struct SECOND_module b;\n"
    "  if (softmax_f32_m8192_n1024_sm_90_load(&a) || SECOND_load(&b)) return 1;\n"
    "  if (softmax_f32_m8192_n1024_sm_90_workspace_bytes(&a, 3) != 0 || SECOND_workspace_bytes(&b, 200) != 12800)\n"
    "    return 2;\n"
    "  if (softmax_f32_m8192_n1024_sm_90(&a, 11, 22, 0, 0, 0) != CUDA_SUCCESS) return 3;\n"
    "  if (softmax_f32_m8192_n1024_sm_90(&a, 11, 22, -1, 0, 0) != CUDA_ERROR_INVALID_VALUE) return 4;\n"
    "  if (softmax_f32_m8192_n1024_sm_90(&a, 11, 22, 4294967297LL, 0, 0) != CUDA_ERROR_INVALID_VALUE) return 5;\n"
    "  if (softmax_f32_m8192_n1024_sm_90(&a, 11, 22, 7, 0, 0) != CUDA_SUCCESS) return 6;\n"
    "  if (SECOND(&b, 11, 22, 9, 0.5f, 33, 0) != CUDA_SUCCESS) return 7;\n"
    "  softmax_f32_m8192_n1024_sm_90_unload(&a);\n"
    "  SECOND_unload(&b);\n"
    "  return 0;\n"
    "}\n";

static const char expected_calls[] = "SECOND_part attribute 8 = 65536\n"
                                     "SECOND_part attribute 14 = 1\n"
                                     "softmax_f32_m8192_n1024_sm_90 7,1,1 256,1,1 0 x=11 y=22\n"
                                     "SECOND_part 2112,1,1 128,1,1 65536 attribute 2 cluster 16 M=9 N=4096 "
                                     "stride=5000 scale=0.5\n"
                                     "SECOND 3,1,1 32,8,1 0 attribute 6\n";

static char *name_second(const char *text, const char *stem)
{
    char *result = NULL;
    size_t size;
    FILE *file = open_memstream(&result, &size);
    for (const char *at = text; *at != '\0';) {
        if (strncmp(at, "SECOND", 6) == 0) {
            fputs(stem, file);
            at += 6;
        } else {
            fputc(*at++, file);
        }
    }
    fclose(file);
    return result;
}

static void write_text(const char *folder, const char *name, const char *text, const char *stem)
{
    char *path = must_format("%s/%s", folder, name), *named = name_second(text, stem);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(named, file);
    fclose(file);
    free(named);
    free(path);
}

static void header_launches_from_c_and_from_cpp(void **state)
{
    (void)state;
    char *folder = temporary_folder(), stem[STEM_SIZE];
    struct wish wishes[] = {plain(), elaborate()};
    for (int i = 0; i < 2; i++) {
        struct choice c = make_choice(&wishes[i]);
        choice_stem(&c, stem);
        emit_to(&c, folder);
        choice_clear(&c);
    }
    write_text(folder, "program.c", program, stem);
    write_text(folder, "expected", expected_calls, stem);
    static const char *const compilers[][2] = {{"cc", "cc -std=c99 -xc"},
                                               {"cc", "cc -std=c11 -xc"},
                                               {"clang", "clang -std=c99 -xc"},
                                               {"clang", "clang -std=c17 -xc"},
                                               {"g++", "g++ -std=c++11 -xc++"},
                                               {"g++", "g++ -std=c++17 -xc++"},
                                               {"clang++", "clang++ -std=c++17 -xc++"}};
    for (size_t i = 0; i < sizeof compilers / sizeof compilers[0]; i++) {
        if (!have(compilers[i][0]))
            continue;
        char *command =
            must_format("cd %s && %s -Wall -Wextra -Wpedantic -Wshadow -Werror -isystem %s program.c -o "
                        "program 2>&1 && ./program >calls && diff expected calls",
                        folder, compilers[i][1], CUDA_INCLUDE);
        assert_true(runs(command));
        free(command);
    }
    temporary_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_files_are_written_and_nothing_else),
        cmocka_unit_test(manifest_has_the_fields_that_its_readers_know),
        cmocka_unit_test(predicted_manifest_has_no_measured_figure_and_no_nan),
        cmocka_unit_test(sms_and_M_give_the_manifests_grid_and_workspace),
        cmocka_unit_test(choice_is_read_back_as_it_was_written),
        cmocka_unit_test(damaged_files_are_named_when_they_are_read),
        cmocka_unit_test(folder_that_cannot_be_written_is_status_2),
        cmocka_unit_test(image_of_another_kernel_is_not_written),
        cmocka_unit_test(cu_stands_alone_for_nvcc),
        cmocka_unit_test(header_launches_from_c_and_from_cpp),
    };
    struct compiler_options options = {.jobs = 1};
    struct error e;
    compiler = compiler_open(&options, &e);
    if (compiler == NULL) {
        printf("skipped: %s\n", e.text);
        return e.status == STATUS_MISSING ? 77 : 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    compiler_close(compiler);
    return failed;
}
