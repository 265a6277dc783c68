/* Softmax of rows of 1024 floats, on GPUs of the architectures that the library was built for. */
#ifndef ROW_SOFTMAX_H
#define ROW_SOFTMAX_H

#include "row_softmax_kernels.h"

struct row_softmax {
    int arch; /* of the GPU: 90, 120 */
    struct softmax_f32_m8192_n1024_sm_90_module sm_90;
    struct softmax_f32_m8192_n1024_sm_120_module sm_120;
};

/* Loads the kernel for the current context's GPU; CUDA_ERROR_NO_BINARY_FOR_GPU when there is none. */
CUresult row_softmax_load(struct row_softmax *s);
void row_softmax_unload(struct row_softmax *s);

/* Bytes of workspace for M rows; zero-filled once, it serves every launch on one stream. */
size_t row_softmax_workspace_bytes(const struct row_softmax *s, long long M);

/* y = softmax(x), M rows of 1024 floats each; `workspace` may be 0 where 0 bytes are needed. */
CUresult row_softmax(const struct row_softmax *s, CUdeviceptr x, CUdeviceptr y, long long M,
                     CUdeviceptr workspace, CUstream stream);

#endif
