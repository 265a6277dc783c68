#include "tuner/emit/launcher_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The words in which the two APIs differ. */
struct api {
    bool driver;
    const char *error, *success, *invalid, *stream;
};

static const struct api runtime_api = {false, "cudaError_t", "cudaSuccess", "cudaErrorInvalidValue",
                                       "cudaStream_t"};
static const struct api driver_api = {true, "CUresult", "CUDA_SUCCESS", "CUDA_ERROR_INVALID_VALUE",
                                      "CUstream"};

/* What is known of the plan before its text is written. */
struct launcher {
    const struct api *api;
    const struct choice *choice;
    const char *stem;
    bool sms, error;                         /* the body needs these variables */
    bool workspace;                          /* some launch has it as an argument */
    int kernels[LAUNCHES_MAX], kernel_count; /* of each launch; of the plan */
    const char *names[LAUNCHES_MAX];
    char *grids[LAUNCHES_MAX], *workspace_bytes; /* owned: C text */
};

static bool mentions_sms(const char *expression)
{
    return strstr(expression, "sms") != NULL;
}

static bool clustered(const struct launch *l)
{
    return l->cluster[0] * l->cluster[1] * l->cluster[2] > 1;
}

static int attribute_count(const struct launch *l)
{
    return clustered(l) + l->cooperative + l->programmatic;
}

/* Blocks may have 48 KiB less their static shared memory without asking; how much that is, is not known here.
 */
static bool opts_in(const struct launch *l)
{
    return l->dynamic_smem_bytes > 0;
}

static bool large_cluster(const struct launch *l)
{
    return l->cluster[0] * l->cluster[1] * l->cluster[2] > 8;
}

static void number_kernels(struct launcher *w)
{
    const struct launch_plan *plan = &w->choice->plan;
    for (int i = 0; i < plan->count; i++) {
        int k = 0;
        while (k < w->kernel_count && strcmp(w->names[k], plan->launches[i].kernel) != 0)
            k++;
        if (k == w->kernel_count)
            w->names[w->kernel_count++] = plan->launches[i].kernel;
        w->kernels[i] = k;
    }
}

static void launcher_clear(struct launcher *w)
{
    for (int i = 0; i < LAUNCHES_MAX; i++)
        free(w->grids[i]);
    free(w->workspace_bytes);
}

static bool launcher_plan(struct launcher *w, const struct choice *c, const char *stem, const struct api *api,
                          struct error *e)
{
    *w = (struct launcher){.api = api, .choice = c, .stem = stem};
    w->workspace_bytes = expression_to_c(c->plan.workspace_of_M, e);
    bool known = w->workspace_bytes != NULL;
    for (int i = 0; i < c->plan.count && known; i++) {
        const struct launch *l = &c->plan.launches[i];
        w->grids[i] = expression_to_c(l->grid_of_M, e);
        known = w->grids[i] != NULL;
        w->sms = w->sms || mentions_sms(l->grid_of_M);
        w->error = w->error || (!api->driver && (opts_in(l) || large_cluster(l)));
        for (int k = 0; k < l->arg_count; k++)
            w->workspace = w->workspace || l->args[k].name == ARG_WORKSPACE;
    }
    w->error = w->error || c->plan.count > 1;
    number_kernels(w);
    if (!known)
        launcher_clear(w);
    return known;
}

/* The functions that an expression's text calls, each once in a translation unit. */
static void write_calls(FILE *file, const struct launcher *w)
{
    static const struct {
        const char *name, *value;
    } calls[] = {{"ceil", "(a + b - 1) / b"}, {"min", "a < b ? a : b"}, {"max", "a > b ? a : b"}};
    for (size_t k = 0; k < sizeof calls / sizeof calls[0]; k++) {
        char *call = must_format("softmax_%s(", calls[k].name);
        bool called = strstr(w->workspace_bytes, call) != NULL;
        for (int i = 0; i < w->choice->plan.count; i++)
            called = called || strstr(w->grids[i], call) != NULL;
        if (called)
            fprintf(file,
                    "#ifndef SOFTMAX_TUNE_%s\n#define SOFTMAX_TUNE_%s\n"
                    "static inline long long %slong long a, long long b)\n{\n    return %s;\n}\n#endif\n\n",
                    calls[k].name, calls[k].name, call, calls[k].value);
        free(call);
    }
}

/* `sms`, for the runtime API, where `fail` is what follows when it cannot be known. */
static void write_runtime_sms(FILE *file, const char *fail)
{
    fprintf(file,
            "    int device = 0, sms = 0;\n"
            "    if (cudaGetDevice(&device) != cudaSuccess ||\n"
            "        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device) != cudaSuccess)\n"
            "        return %s;\n",
            fail);
}

/* The same signature for every choice, so that a caller's code fits the next one too. */
static void write_workspace_bytes(FILE *file, const struct launcher *w)
{
    bool sms = mentions_sms(w->choice->plan.workspace_of_M), rows = strchr(w->workspace_bytes, 'M') != NULL;
    fprintf(file, "/* Bytes of workspace for M rows. */\n");
    if (w->api->driver)
        fprintf(file,
                "static inline size_t %s_workspace_bytes(const struct %s_module *module, long long M)\n{\n",
                w->stem, w->stem);
    else
        fprintf(file, "size_t %s_workspace_bytes(long long M)\n{\n", w->stem);
    if (sms && w->api->driver)
        fprintf(file, "    int sms = module->sms;\n");
    else if (w->api->driver)
        fprintf(file, "    (void)module;\n");
    else if (sms)
        write_runtime_sms(file, "0");
    if (!rows)
        fprintf(file, "    (void)M;\n");
    bool none = strcmp(w->workspace_bytes, "0") == 0;
    fprintf(file, none ? "    return 0;\n}\n\n" : "    return (size_t)(%s);\n}\n\n", w->workspace_bytes);
}

/* "    const int N = 8192;" for the arguments that the plan passes by value and the caller does not give. */
static void write_constants(FILE *file, const struct launcher *w)
{
    const struct problem *p = &w->choice->problem;
    const struct {
        enum argument name;
        int64_t value;
    } constants[] = {{ARG_N, p->N}, {ARG_X_STRIDE, p->x_stride}, {ARG_Y_STRIDE, p->y_stride}};
    const struct launch_plan *plan = &w->choice->plan;
    for (size_t c = 0; c < sizeof constants / sizeof constants[0]; c++)
        for (int type = TYPE_I32; type <= TYPE_I64; type++) {
            bool passed = false;
            for (int i = 0; i < plan->count; i++)
                for (int k = 0; k < plan->launches[i].arg_count; k++)
                    passed = passed || (plan->launches[i].args[k].name == constants[c].name &&
                                        plan->launches[i].args[k].type == (enum argument_type)type);
            if (passed)
                fprintf(file, "    %s %s_%s = %" PRId64 ";\n", type == TYPE_I32 ? "int" : "long long",
                        argument_name(constants[c].name), argument_type_name((enum argument_type)type),
                        constants[c].value);
        }
}

/* The variable whose address is passed for an argument. */
static void write_argument(FILE *file, enum argument name, enum argument_type type)
{
    if (name == ARG_N || name == ARG_X_STRIDE || name == ARG_Y_STRIDE)
        fprintf(file, "&%s_%s", argument_name(name), argument_type_name(type));
    else if (name == ARG_M && type == TYPE_I32)
        fprintf(file, "&M_i32");
    else
        fprintf(file, "&%s", argument_name(name));
}

static bool passes_short_M(const struct launch_plan *plan)
{
    for (int i = 0; i < plan->count; i++)
        for (int k = 0; k < plan->launches[i].arg_count; k++)
            if (plan->launches[i].args[k].name == ARG_M && plan->launches[i].args[k].type == TYPE_I32)
                return true;
    return false;
}

static void write_kernel(FILE *file, const struct launcher *w, int launch)
{
    if (w->api->driver)
        fprintf(file, "module->kernels[%d]", w->kernels[launch]);
    else
        fprintf(file, "%s_entry", w->names[w->kernels[launch]]);
}

static void write_attributes(FILE *file, const struct launcher *w, const struct launch *l, const char *indent)
{
    const char *prefix = w->api->driver ? "CU_LAUNCH_ATTRIBUTE_" : "cudaLaunchAttribute";
    const char *value = w->api->driver ? "value" : "val";
    int index = 0;
    if (clustered(l)) {
        fprintf(file, "%sattributes[%d].id = %s%s;\n", indent, index, prefix,
                w->api->driver ? "CLUSTER_DIMENSION" : "ClusterDimension");
        for (int axis = 0; axis < 3; axis++)
            fprintf(file, "%sattributes[%d].%s.clusterDim.%c = %d;\n", indent, index, value, "xyz"[axis],
                    l -> cluster[axis]);
        index++;
    }
    if (l->cooperative) {
        fprintf(file, "%sattributes[%d].id = %s%s;\n", indent, index, prefix,
                w->api->driver ? "COOPERATIVE" : "Cooperative");
        fprintf(file, "%sattributes[%d].%s.cooperative = 1;\n", indent, index++, value);
    }
    if (l->programmatic) {
        fprintf(file, "%sattributes[%d].id = %s%s;\n", indent, index, prefix,
                w->api->driver ? "PROGRAMMATIC_STREAM_SERIALIZATION" : "ProgrammaticStreamSerialization");
        fprintf(file, "%sattributes[%d].%s.programmaticStreamSerializationAllowed = 1;\n", indent, index++,
                value);
    }
}

/* The configuration for cudaLaunchKernelExC and cuLaunchKernelEx. */
static void write_config(FILE *file, const struct launcher *w, const struct launch *l, const char *indent)
{
    int count = attribute_count(l);
    if (w->api->driver) {
        fprintf(file, "%sCUlaunchAttribute attributes[%d];\n%sCUlaunchConfig config;\n", indent, count,
                indent);
        fprintf(file, "%smemset(attributes, 0, sizeof attributes);\n%smemset(&config, 0, sizeof config);\n",
                indent, indent);
    } else {
        fprintf(file, "%scudaLaunchAttribute attributes[%d] = {};\n%scudaLaunchConfig_t config = {};\n",
                indent, count, indent);
    }
    write_attributes(file, w, l, indent);
    if (w->api->driver) {
        fprintf(file, "%sconfig.gridDimX = (unsigned)grid;\n%sconfig.gridDimY = config.gridDimZ = 1;\n",
                indent, indent);
        for (int axis = 0; axis < 3; axis++)
            fprintf(file, "%sconfig.blockDim%c = %d;\n", indent, "XYZ"[axis], l -> block[axis]);
        fprintf(file, "%sconfig.sharedMemBytes = %d;\n%sconfig.hStream = stream;\n", indent,
                l->dynamic_smem_bytes, indent);
    } else {
        fprintf(file, "%sconfig.gridDim = dim3((unsigned)grid);\n%sconfig.blockDim = dim3(%d, %d, %d);\n",
                indent, indent, l->block[0], l->block[1], l->block[2]);
        fprintf(file, "%sconfig.dynamicSmemBytes = %d;\n%sconfig.stream = stream;\n", indent,
                l->dynamic_smem_bytes, indent);
    }
    fprintf(file, "%sconfig.attrs = attributes;\n%sconfig.numAttrs = %d;\n", indent, indent, count);
}

static void write_call(FILE *file, const struct launcher *w, int launch)
{
    const struct launch *l = &w->choice->plan.launches[launch];
    bool config = attribute_count(l) > 0;
    if (config) {
        fprintf(file, w->api->driver ? "cuLaunchKernelEx(&config, " : "cudaLaunchKernelExC(&config, ");
        write_kernel(file, w, launch);
        fprintf(file, w->api->driver ? ", args, NULL);\n" : ", args);\n");
        return;
    }
    fprintf(file, w->api->driver ? "cuLaunchKernel(" : "cudaLaunchKernel(");
    write_kernel(file, w, launch);
    if (w->api->driver)
        fprintf(file, ", (unsigned)grid, 1, 1, %d, %d, %d, %d, stream, args, NULL);\n", l->block[0],
                l->block[1], l->block[2], l->dynamic_smem_bytes);
    else
        fprintf(file, ", dim3((unsigned)grid), dim3(%d, %d, %d), args, %d, stream);\n", l->block[0],
                l->block[1], l->block[2], l->dynamic_smem_bytes);
}

/* The runtime API knows no moment of loading: what the kernel asks for is said before each launch. */
static void write_opting_in(FILE *file, const struct launcher *w, int launch, const char *indent)
{
    const struct launch *l = &w->choice->plan.launches[launch];
    const struct {
        bool needed;
        const char *attribute;
        int value;
    } asked[] = {{opts_in(l), "cudaFuncAttributeMaxDynamicSharedMemorySize", l->dynamic_smem_bytes},
                 {large_cluster(l), "cudaFuncAttributeNonPortableClusterSizeAllowed", 1}};
    for (size_t i = 0; i < 2; i++)
        if (asked[i].needed)
            fprintf(file,
                    "%serror = cudaFuncSetAttribute(%s_entry, %s, %d);\n%sif (error != cudaSuccess)\n"
                    "%s    return error;\n",
                    indent, w->names[w->kernels[launch]], asked[i].attribute, asked[i].value, indent, indent);
}

static void write_launch(FILE *file, const struct launcher *w, int launch, const char *indent)
{
    const struct launch *l = &w->choice->plan.launches[launch];
    bool last = launch + 1 == w->choice->plan.count;
    fprintf(file, "%slong long grid = %s;\n", indent, w->grids[launch]);
    fprintf(file, "%sif (grid < 1 || grid > 2147483647)\n%s    return %s;\n", indent, indent,
            w->api->invalid);
    if (!w->api->driver)
        write_opting_in(file, w, launch, indent);
    fprintf(file, "%svoid *args[] = {", indent);
    for (int i = 0; i < l->arg_count; i++) {
        fprintf(file, i > 0 ? ", " : "");
        write_argument(file, l->args[i].name, l->args[i].type);
    }
    fprintf(file, "};\n");
    if (attribute_count(l) > 0)
        write_config(file, w, l, indent);
    fprintf(file, "%s%s", indent, last ? "return " : "error = ");
    write_call(file, w, launch);
    if (!last)
        fprintf(file, "%sif (error != %s)\n%s    return error;\n", indent, w->api->success, indent);
}

static void write_body(FILE *file, const struct launcher *w)
{
    const struct launch_plan *plan = &w->choice->plan;
    const struct api *api = w->api;
    fprintf(file, "{\n");
    fprintf(file, "    if (M <= 0)\n        return M == 0 ? %s : %s;\n", api->success, api->invalid);
    if (passes_short_M(plan))
        fprintf(file, "    if (M > 2147483647)\n        return %s;\n    int M_i32 = (int)M;\n", api->invalid);
    if (w->error)
        fprintf(file, "    %s error = %s;\n", api->error, api->success);
    if (w->sms && api->driver)
        fprintf(file, "    int sms = module->sms;\n");
    if (w->sms && !api->driver)
        write_runtime_sms(file, "cudaErrorInvalidDevice");
    write_constants(file, w);
    if (!w->workspace)
        fprintf(file, "    (void)workspace;\n");
    if (plan->count == 1) {
        write_launch(file, w, 0, "    ");
    } else {
        for (int i = 0; i < plan->count; i++) {
            fprintf(file, "    {\n");
            write_launch(file, w, i, "        ");
            fprintf(file, "    }\n");
        }
    }
    fprintf(file, "}\n");
}

static void write_description(FILE *file, const struct launcher *w)
{
    const struct problem *p = &w->choice->problem;
    const char *scale = p->scaled ? "scale * " : "";
    fprintf(file, "/* y = %s(%sx) for M rows of %" PRId64 ". ", operation_name(p->op), scale, p->N);
    if (strcmp(w->choice->plan.workspace_of_M, "0") == 0)
        fprintf(file, "No workspace is needed: it may be NULL. */\n");
    else
        fprintf(file,
                "The workspace has %s_workspace_bytes() bytes, zero-filled once; it\n"
                "   belongs to one stream, and every launch leaves it ready for the next. */\n",
                w->stem);
}

/* The name of the C type that a pointer to elements has: a 16-bit type is called differently by everyone. */
static const char *element_type(enum dtype t)
{
    return t == DTYPE_F32 ? "float" : "void";
}

bool launcher_text_runtime(FILE *file, const struct choice *c, const char *stem, struct error *e)
{
    struct launcher w;
    if (!launcher_plan(&w, c, stem, &runtime_api, e))
        return false;
    write_calls(file, &w);
    write_workspace_bytes(file, &w);
    fprintf(file, "/* Before the launcher gives the kernel's name a second meaning. */\n");
    for (int i = 0; i < w.kernel_count; i++)
        fprintf(file, "static const void *const %s_entry = (const void *)%s;\n", w.names[i], w.names[i]);
    fprintf(file, "\n");
    write_description(file, &w);
    fprintf(file, "cudaError_t %s(const %s *x, %s *y, long long M, %svoid *workspace,\n", stem,
            element_type(c->problem.dtype_in), element_type(c->problem.dtype_out),
            c->problem.scaled ? "float scale, " : "");
    fprintf(file, "%*scudaStream_t stream)\n", (int)strlen(stem) + 13, "");
    write_body(file, &w);
    launcher_clear(&w);
    return true;
}

static void write_driver_attribute(FILE *file, int kernel, const char *name, int value)
{
    fprintf(file,
            "    if (error == CUDA_SUCCESS)\n"
            "        error = cuFuncSetAttribute(module->kernels[%d], CU_FUNC_ATTRIBUTE_%s, %d);\n",
            kernel, name, value);
}

/* Function attributes that the module's kernels need, once each. */
static void write_driver_attributes(FILE *file, const struct launcher *w)
{
    const struct launch_plan *plan = &w->choice->plan;
    for (int k = 0; k < w->kernel_count; k++) {
        int bytes = 0;
        bool large = false;
        for (int i = 0; i < plan->count; i++) {
            if (w->kernels[i] != k)
                continue;
            bytes =
                plan->launches[i].dynamic_smem_bytes > bytes ? plan->launches[i].dynamic_smem_bytes : bytes;
            large = large || large_cluster(&plan->launches[i]);
        }
        if (bytes > 0)
            write_driver_attribute(file, k, "MAX_DYNAMIC_SHARED_SIZE_BYTES", bytes);
        if (large)
            write_driver_attribute(file, k, "NON_PORTABLE_CLUSTER_SIZE_ALLOWED", 1);
    }
}

static bool module_has_sms(const struct launcher *w)
{
    return w->sms || mentions_sms(w->choice->plan.workspace_of_M);
}

static void write_module(FILE *file, const struct launcher *w)
{
    const char *stem = w->stem;
    fprintf(file, "struct %s_module {\n    CUmodule module;\n    CUfunction kernels[%d];\n%s};\n\n", stem,
            w->kernel_count, module_has_sms(w) ? "    int sms;\n" : "");
    fprintf(file,
            "/* Releases what %s_load() loaded, in the same context. */\n"
            "static inline CUresult %s_unload(struct %s_module *module)\n{\n"
            "    return cuModuleUnload(module->module);\n}\n\n",
            stem, stem, stem);
    fprintf(
        file,
        "/* Loads the kernel into the current context, that of an %s GPU. After a failure there is nothing to\n"
        "   unload. */\n"
        "static inline CUresult %s_load(struct %s_module *module)\n{\n"
        "    CUresult error = cuModuleLoadData(&module->module, %s_cubin);\n"
        "    if (error != CUDA_SUCCESS)\n        return error;\n",
        w->choice->gpu.arch, stem, stem, stem);
    for (int k = 0; k < w->kernel_count; k++)
        fprintf(file, "%s    %serror = cuModuleGetFunction(&module->kernels[%d], module->module, \"%s\");\n",
                k > 0 ? "    if (error == CUDA_SUCCESS)\n" : "", k > 0 ? "    " : "", k, w->names[k]);
    write_driver_attributes(file, w);
    if (w->sms)
        fprintf(
            file,
            "    CUdevice device = 0;\n"
            "    if (error == CUDA_SUCCESS)\n"
            "        error = cuCtxGetDevice(&device);\n"
            "    if (error == CUDA_SUCCESS)\n"
            "        error = cuDeviceGetAttribute(&module->sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, "
            "device);\n");
    fprintf(file, "    if (error != CUDA_SUCCESS)\n        %s_unload(module);\n    return error;\n}\n\n",
            stem);
}

bool launcher_text_driver(FILE *file, const struct choice *c, const char *stem, struct error *e)
{
    struct launcher w;
    if (!launcher_plan(&w, c, stem, &driver_api, e))
        return false;
    write_calls(file, &w);
    write_module(file, &w);
    write_workspace_bytes(file, &w);
    write_description(file, &w);
    fprintf(
        file,
        "static inline CUresult %s(const struct %s_module *module, CUdeviceptr x, CUdeviceptr y, long long M,\n",
        stem, stem);
    fprintf(file, "%*s%sCUdeviceptr workspace, CUstream stream)\n", (int)strlen(stem) + 24, "",
            c->problem.scaled ? "float scale, " : "");
    write_body(file, &w);
    launcher_clear(&w);
    return true;
}
