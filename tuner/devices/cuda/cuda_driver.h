/* The CUDA driver, loaded at run time: libcuda.so.1, or what $SOFTMAX_TUNE_CUDA_DRIVER names. */
#ifndef TUNER_DEVICES_CUDA_CUDA_DRIVER_H
#define TUNER_DEVICES_CUDA_CUDA_DRIVER_H

#include <cuda.h>

#include "generator/error.h"

/* field, symbol, parameters. Symbols are spelled with their version, so that an old or a new cuda.h makes no
   difference. */
#define CUDA_FUNCTIONS(X)                                                                                    \
    X(driver_version, "cuDriverGetVersion", (int *version))                                                  \
    X(init, "cuInit", (unsigned flags))                                                                      \
    X(error_name, "cuGetErrorName", (CUresult r, const char **text))                                         \
    X(error_string, "cuGetErrorString", (CUresult r, const char **text))                                     \
    X(device_count, "cuDeviceGetCount", (int *count))                                                        \
    X(device_get, "cuDeviceGet", (CUdevice * device, int index))                                             \
    X(device_name, "cuDeviceGetName", (char *name, int size, CUdevice device))                               \
    X(device_attribute, "cuDeviceGetAttribute", (int *value, CUdevice_attribute a, CUdevice device))         \
    X(device_bus_id, "cuDeviceGetPCIBusId", (char *id, int size, CUdevice device))                           \
    X(context_retain, "cuDevicePrimaryCtxRetain", (CUcontext * context, CUdevice device))                    \
    X(context_release, "cuDevicePrimaryCtxRelease_v2", (CUdevice device))                                    \
    X(context_set, "cuCtxSetCurrent", (CUcontext context))                                                   \
    X(module_load, "cuModuleLoadData", (CUmodule * module, const void *image))                               \
    X(module_unload, "cuModuleUnload", (CUmodule module))                                                    \
    X(module_function, "cuModuleGetFunction", (CUfunction * function, CUmodule module, const char *name))    \
    X(function_set, "cuFuncSetAttribute", (CUfunction function, CUfunction_attribute a, int value))          \
    X(memory_allocate, "cuMemAlloc_v2", (CUdeviceptr * address, size_t bytes))                               \
    X(memory_free, "cuMemFree_v2", (CUdeviceptr address))                                                    \
    X(copy_to_host, "cuMemcpyDtoH_v2", (void *to, CUdeviceptr from, size_t bytes))                           \
    X(copy_to_device, "cuMemcpyHtoD_v2", (CUdeviceptr to, const void *from, size_t bytes))                   \
    X(copy, "cuMemcpyDtoDAsync_v2", (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))       \
    X(fill, "cuMemsetD8Async", (CUdeviceptr to, unsigned char byte, size_t bytes, CUstream stream))          \
    X(stream_create, "cuStreamCreate", (CUstream * stream, unsigned flags))                                  \
    X(stream_destroy, "cuStreamDestroy_v2", (CUstream stream))                                               \
    X(stream_synchronize, "cuStreamSynchronize", (CUstream stream))                                          \
    X(capture_begin, "cuStreamBeginCapture_v2", (CUstream stream, CUstreamCaptureMode mode))                 \
    X(capture_end, "cuStreamEndCapture", (CUstream stream, CUgraph * graph))                                 \
    X(graph_instantiate, "cuGraphInstantiateWithFlags",                                                      \
      (CUgraphExec * exec, CUgraph graph, unsigned long long flags))                                         \
    X(graph_destroy, "cuGraphDestroy", (CUgraph graph))                                                      \
    X(graph_launch, "cuGraphLaunch", (CUgraphExec exec, CUstream stream))                                    \
    X(graph_exec_destroy, "cuGraphExecDestroy", (CUgraphExec exec))                                          \
    X(launch, "cuLaunchKernelEx",                                                                            \
      (const CUlaunchConfig *config, CUfunction function, void **arguments, void **extra))                   \
    X(event_create, "cuEventCreate", (CUevent * event, unsigned flags))                                      \
    X(event_destroy, "cuEventDestroy_v2", (CUevent event))                                                   \
    X(event_record, "cuEventRecord", (CUevent event, CUstream stream))                                       \
    X(event_elapsed, "cuEventElapsedTime", (float *milliseconds, CUevent from, CUevent to))

struct cuda_driver {
    void *handle;
    int version; /* 12080 for CUDA 12.8 */
#define CUDA_FIELD(field, symbol, parameters) CUresult(*field) parameters;
    CUDA_FUNCTIONS(CUDA_FIELD)
#undef CUDA_FIELD
};

/* Loads the driver and initializes it. NULL and status 3: no driver, too old a driver, no GPU. */
struct cuda_driver *cuda_driver_open(struct error *e);
void cuda_driver_close(struct cuda_driver *driver); /* NULL is allowed */

/* Whether `r` is success; else "<what>: an illegal memory access was encountered
   (CUDA_ERROR_ILLEGAL_ADDRESS)". */
bool cuda_ok(const struct cuda_driver *driver, CUresult r, const char *what, struct error *e);

#endif
