#include "row_softmax.h"

/* 90 for compute capability 9.0. */
static CUresult current_arch(int *arch)
{
    CUdevice device;
    int major = 0, minor = 0;
    CUresult error = cuCtxGetDevice(&device);
    if (error == CUDA_SUCCESS)
        error = cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    if (error == CUDA_SUCCESS)
        error = cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    *arch = 10 * major + minor;
    return error;
}

CUresult row_softmax_load(struct row_softmax *s)
{
    CUresult error = current_arch(&s->arch);
    if (error != CUDA_SUCCESS)
        return error;
    switch (s->arch) {
    case 90:
        return softmax_f32_m8192_n1024_sm_90_load(&s->sm_90);
    case 120:
        return softmax_f32_m8192_n1024_sm_120_load(&s->sm_120);
    default:
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
}

void row_softmax_unload(struct row_softmax *s)
{
    if (s->arch == 90)
        softmax_f32_m8192_n1024_sm_90_unload(&s->sm_90);
    else
        softmax_f32_m8192_n1024_sm_120_unload(&s->sm_120);
}

size_t row_softmax_workspace_bytes(const struct row_softmax *s, long long M)
{
    return s->arch == 90 ? softmax_f32_m8192_n1024_sm_90_workspace_bytes(&s->sm_90, M)
                         : softmax_f32_m8192_n1024_sm_120_workspace_bytes(&s->sm_120, M);
}

CUresult row_softmax(const struct row_softmax *s, CUdeviceptr x, CUdeviceptr y, long long M,
                     CUdeviceptr workspace, CUstream stream)
{
    return s->arch == 90 ? softmax_f32_m8192_n1024_sm_90(&s->sm_90, x, y, M, workspace, stream)
                         : softmax_f32_m8192_n1024_sm_120(&s->sm_120, x, y, M, workspace, stream);
}
