/* Computes the softmax of a few rows on the GPU and shows that each row's results add up to 1. */
#include "row_softmax.h"

#include <stdio.h>

enum { ROWS = 4, COLUMNS = 1024 };

static float values[ROWS * COLUMNS];

static CUresult compute(const struct row_softmax *softmax)
{
    CUdeviceptr x = 0, y = 0, workspace = 0;
    size_t workspace_bytes = row_softmax_workspace_bytes(softmax, ROWS);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        values[i] = (float)(i % 97) / 7;
    CUresult error = cuMemAlloc(&x, sizeof values);
    if (error == CUDA_SUCCESS)
        error = cuMemAlloc(&y, sizeof values);
    if (error == CUDA_SUCCESS && workspace_bytes > 0)
        error = cuMemAlloc(&workspace, workspace_bytes);
    if (error == CUDA_SUCCESS && workspace_bytes > 0)
        error = cuMemsetD8(workspace, 0, workspace_bytes);
    if (error == CUDA_SUCCESS)
        error = cuMemcpyHtoD(x, values, sizeof values);
    if (error == CUDA_SUCCESS)
        error = row_softmax(softmax, x, y, ROWS, workspace, NULL);
    if (error == CUDA_SUCCESS)
        error = cuMemcpyDtoH(values, y, sizeof values);
    if (workspace != 0)
        cuMemFree(workspace);
    cuMemFree(y);
    cuMemFree(x);
    return error;
}

static int failed(CUresult error, const char *what)
{
    const char *name = "unknown";
    if (error == CUDA_SUCCESS)
        return 0;
    cuGetErrorName(error, &name);
    fprintf(stderr, "show: %s: %s\n", what, name);
    return 1;
}

int main(void)
{
    CUdevice device;
    CUcontext context;
    struct row_softmax softmax;
    if (failed(cuInit(0), "cuInit") || failed(cuDeviceGet(&device, 0), "cuDeviceGet") ||
        failed(cuDevicePrimaryCtxRetain(&context, device), "the GPU's context") ||
        failed(cuCtxSetCurrent(context), "the GPU's context") ||
        failed(row_softmax_load(&softmax), "loading the kernel") || failed(compute(&softmax), "the kernel"))
        return 1;
    for (int row = 0; row < ROWS; row++) {
        double sum = 0;
        for (int column = 0; column < COLUMNS; column++)
            sum += values[row * COLUMNS + column];
        printf("row %d adds up to %.6f\n", row, sum);
    }
    row_softmax_unload(&softmax);
    cuDevicePrimaryCtxRelease(device);
    return 0;
}
