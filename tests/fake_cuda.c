/* A CUDA driver (and an NVML) of host memory, for tests. A kernel (fake_kernels.c) runs when it is launched;
   its error shows when the stream is waited for, and sticks, as on a GPU. Time is a clock that only kernels
   and copies move on.

   Environment: FAKE_CUDA_VERSION, FAKE_CUDA_DEVICES, FAKE_CUDA_NAME, FAKE_CUDA_REFUSE (no image is for this GPU),
   FAKE_CUDA_LOG (a file that gets "graph NAME LAUNCHES SETS" for each graph made and "replay NAME" for each
   replay), FAKE_NVML_THROTTLE (the question, from 1, that is answered with a slowdown). */
#include "tests/fake_kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- launches ---- */

enum { OPS_MAX = 4096 };

struct CUgraph_st {
    struct op ops[OPS_MAX];
    int count;
};

struct CUgraphExec_st {
    struct CUgraph_st graph;
};

struct CUevent_st {
    double us;
};

struct CUfunc_st {
    const struct script *script;
    int dynamic_smem, large_cluster;
};

static double clock_us;
static CUresult sticky;
static struct CUgraph_st *capturing;

static void write_log(const char *what, const struct op *op, int launches, int sets)
{
    const char *path = getenv("FAKE_CUDA_LOG");
    FILE *f = path == NULL ? NULL : fopen(path, "a");
    if (f == NULL)
        return;
    if (launches > 0)
        fprintf(f, "%s %s %d %d\n", what, op->script->name, launches, sets);
    else
        fprintf(f, "%s %s\n", what, op->script->name);
    fclose(f);
}

static void run_op(struct op *op)
{
    if (sticky != CUDA_SUCCESS)
        return;
    clock_us += op->script->us;
    sticky = op->script->run(op);
}

static CUresult submit(struct op op)
{
    if (capturing == NULL) {
        run_op(&op);
        return CUDA_SUCCESS;
    }
    if (capturing->count == OPS_MAX)
        return CUDA_ERROR_OUT_OF_MEMORY;
    op.replayed = true;
    capturing->ops[capturing->count++] = op;
    return CUDA_SUCCESS;
}

/* A cluster of 16, cooperative, programmatic, with 100000 bytes of shared memory: all asked for. */
static bool has_attributes(const CUlaunchConfig *config, const struct CUfunc_st *f)
{
    bool cluster = false, cooperative = false, programmatic = false;
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const CUlaunchAttribute *a = &config->attrs[i];
        cluster |= a->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION && a->value.clusterDim.x == 16 &&
                   a->value.clusterDim.y == 1 && a->value.clusterDim.z == 1;
        cooperative |= a->id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE && a->value.cooperative == 1;
        programmatic |= a->id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION &&
                        a->value.programmaticStreamSerializationAllowed == 1;
    }
    return cluster && cooperative && programmatic && config->sharedMemBytes == 100000 &&
           f->dynamic_smem == 100000 && f->large_cluster == 1 && config->gridDimX == 16 &&
           config->blockDimX == 64 && config->blockDimY == 2;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **arguments, void **extra)
{
    (void)extra;
    if (sticky != CUDA_SUCCESS)
        return sticky;
    if (f->script->at_launch != CUDA_SUCCESS)
        return f->script->at_launch;
    if (strcmp(f->script->name, "needs_attributes") == 0 && !has_attributes(config, f))
        return CUDA_ERROR_INVALID_VALUE;
    struct op op = {.script = f->script};
    int first = f->script->takes_batch ? 1 : 0;
    if (first == 1)
        op.batch = *(const struct oracle_batch *)arguments[0];
    for (int i = first; i < f->script->arguments; i++)
        memcpy(&op.values[i], arguments[i], i == f->script->narrow ? 4 : 8);
    return submit(op);
}

/* ---- starting ---- */

static int number(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text == NULL ? otherwise : atoi(text);
}

CUresult cuDriverGetVersion(int *version)
{
    *version = number("FAKE_CUDA_VERSION", 13000);
    return CUDA_SUCCESS;
}

CUresult cuInit(unsigned flags)
{
    (void)flags;
    return number("FAKE_CUDA_DEVICES", 1) == 0 ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult r, const char **text)
{
    *text = r == CUDA_ERROR_ILLEGAL_ADDRESS                ? "CUDA_ERROR_ILLEGAL_ADDRESS"
            : r == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE ? "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"
                                                           : "CUDA_ERROR";
    return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult r, const char **text)
{
    *text = r == CUDA_ERROR_ILLEGAL_ADDRESS                ? "an illegal memory access was encountered"
            : r == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE ? "too many blocks in cooperative launch"
                                                           : "an error";
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count)
{
    *count = number("FAKE_CUDA_DEVICES", 1);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int index)
{
    *device = index;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device)
{
    (void)device;
    snprintf(name, (size_t)size, "%s",
             getenv("FAKE_CUDA_NAME") == NULL ? "NVIDIA H200" : getenv("FAKE_CUDA_NAME"));
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute a, CUdevice device)
{
    (void)device;
    switch (a) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        *value = 9;
        break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
        *value = 0;
        break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
        *value = 4;
        break;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
        *value = 1 << 16;
        break;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
        *value = 1980000;
        break;
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
        *value = 1000000;
        break;
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
        *value = 512;
        break;
    case CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO:
        *value = 2;
        break;
    default:
        *value = 2048;
    }
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *id, int size, CUdevice device)
{
    (void)device;
    snprintf(id, (size_t)size, "0000:1b:00.0");
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    (void)device;
    *context = (CUcontext)&clock_us;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    (void)device;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    (void)context;
    return CUDA_SUCCESS;
}

/* ---- modules ---- */

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    if (getenv("FAKE_CUDA_REFUSE") != NULL || memcmp(image, "BAD", 3) == 0)
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    *module = (CUmodule)calloc(1, 1);
    return sticky;
}

CUresult cuModuleUnload(CUmodule module)
{
    free(module);
    return sticky;
}

CUresult cuModuleGetFunction(CUfunction *f, CUmodule module, const char *name)
{
    static struct CUfunc_st functions[4096];
    static int count;
    (void)module;
    const struct script *script = fake_kernel(name);
    if (script == NULL)
        return CUDA_ERROR_NOT_FOUND;
    *f = &functions[count++ % 4096];
    **f = (struct CUfunc_st){.script = script};
    return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute a, int value)
{
    if (a == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
        f->dynamic_smem = value;
    if (a == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED)
        f->large_cluster = value;
    return sticky;
}

/* ---- memory ---- */

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes)
{
    void *block = aligned_alloc(512, (bytes + 511) / 512 * 512);
    *address = (uintptr_t)block;
    return sticky != CUDA_SUCCESS ? sticky : block == NULL ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr address)
{
    free((void *)(uintptr_t)address);
    return sticky;
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes)
{
    if (sticky == CUDA_SUCCESS)
        memcpy(to, (const void *)(uintptr_t)from, bytes);
    return sticky;
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes)
{
    if (sticky == CUDA_SUCCESS)
        memcpy((void *)(uintptr_t)to, from, bytes);
    return sticky;
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    (void)stream;
    return submit((struct op){.script = &fake_memcpy, .values = {to, from, bytes}});
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char byte, size_t bytes, CUstream stream)
{
    (void)stream;
    if (sticky == CUDA_SUCCESS)
        memset((void *)(uintptr_t)to, byte, bytes);
    return sticky;
}

/* ---- streams, graphs, events ---- */

CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    (void)flags;
    *stream = (CUstream)&clock_us;
    return CUDA_SUCCESS;
}

CUresult cuStreamDestroy_v2(CUstream stream)
{
    (void)stream;
    return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream)
{
    (void)stream;
    return sticky;
}

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode)
{
    (void)stream, (void)mode;
    capturing = calloc(1, sizeof *capturing);
    return CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
    (void)stream;
    *graph = capturing;
    capturing = NULL;
    return CUDA_SUCCESS;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
    (void)flags;
    int sets = 0;
    for (int i = 0; i < graph->count; i++) {
        bool seen = false;
        for (int k = 0; k < i; k++)
            seen |= graph->ops[k].values[0] == graph->ops[i].values[0];
        sets += !seen;
    }
    write_log("graph", &graph->ops[0], graph->count, sets);
    *exec = malloc(sizeof **exec);
    (*exec)->graph = *graph;
    return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph graph)
{
    free(graph);
    return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
    (void)stream;
    write_log("replay", &exec->graph.ops[0], 0, 0);
    for (int i = 0; i < exec->graph.count; i++)
        run_op(&exec->graph.ops[i]);
    return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec exec)
{
    free(exec);
    return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent *event, unsigned flags)
{
    (void)flags;
    *event = calloc(1, sizeof **event);
    return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event)
{
    free(event);
    return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
    (void)stream;
    event->us = clock_us;
    return sticky;
}

#undef cuEventElapsedTime
CUresult cuEventElapsedTime(float *milliseconds, CUevent from,
                            CUevent to); /* cuda.h has its second version */
CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to)
{
    *milliseconds = (float)((to->us - from->us) / 1e3);
    return sticky;
}

/* ---- NVML, which comes without a header ---- */

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetHandleByPciBusId_v2(const char *id, void **gpu);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *gpu, unsigned long long *reasons);
int nvmlDeviceGetClockInfo(void *gpu, int kind, unsigned *mhz);

int nvmlInit_v2(void)
{
    return 0;
}

int nvmlShutdown(void)
{
    return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *id, void **gpu)
{
    *gpu = &clock_us;
    return strcmp(id, "0000:1b:00.0");
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *gpu, unsigned long long *reasons)
{
    static int questions;
    (void)gpu;
    *reasons = ++questions == number("FAKE_NVML_THROTTLE", 0) ? 0x8 : 0;
    return 0;
}

int nvmlDeviceGetClockInfo(void *gpu, int kind, unsigned *mhz)
{
    (void)gpu, (void)kind;
    *mhz = 1980;
    return 0;
}
