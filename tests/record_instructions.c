/* Runs the instruction samples on the GPU and writes what it answers: `record_instructions >
   tests/ptx/instructions.txt`. A line a sample: its name, and the results of its lanes. What the driver does
   not assemble is left out. */
#include <stdio.h>

#include "tests/instruction_samples.h"
#include "tuner/devices/cuda/cuda_driver.h"

static bool run(const struct cuda_driver *d, const struct instruction_sample *s, CUdeviceptr in,
                CUdeviceptr out, uint64_t answers[SAMPLE_LANES])
{
    CUmodule module;
    CUfunction function;
    if (d->module_load(&module, s->text) != CUDA_SUCCESS)
        return false;
    CUlaunchConfig config = {.gridDimX = 1,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = SAMPLE_LANES,
                             .blockDimY = 1,
                             .blockDimZ = 1};
    void *arguments[] = {&in, &out};
    bool good = d->module_function(&function, module, "k") == CUDA_SUCCESS &&
                d->copy_to_device(in, s->in, sizeof s->in) == CUDA_SUCCESS &&
                d->launch(&config, function, arguments, NULL) == CUDA_SUCCESS &&
                d->copy_to_host(answers, out, SAMPLE_LANES * 8) == CUDA_SUCCESS;
    d->module_unload(module);
    return good;
}

int main(void)
{
    struct error e;
    struct cuda_driver *d = cuda_driver_open(&e);
    CUdevice device;
    CUcontext context;
    CUdeviceptr in, out;
    char name[256] = "";
    if (d == NULL) {
        fprintf(stderr, "%s\n", e.text);
        return 3;
    }
    if (d->device_get(&device, 0) != CUDA_SUCCESS ||
        d->device_name(name, sizeof name, device) != CUDA_SUCCESS ||
        d->context_retain(&context, device) != CUDA_SUCCESS || d->context_set(context) != CUDA_SUCCESS ||
        d->memory_allocate(&in, SAMPLE_LANES * SAMPLE_OPERANDS * 8) != CUDA_SUCCESS ||
        d->memory_allocate(&out, SAMPLE_LANES * 8) != CUDA_SUCCESS)
        return 3;
    printf("# What an %s answers; written by record_instructions, read by test_emulator_hardware.\n", name);
    static struct instruction_sample s;
    for (int i = 0; instruction_sample(i, &s); i++) {
        uint64_t answers[SAMPLE_LANES];
        if (!run(d, &s, in, out, answers)) {
            fprintf(stderr, "not assembled: %s\n", s.name);
            continue;
        }
        printf("%s:", s.name);
        for (int lane = 0; lane < SAMPLE_LANES; lane++)
            printf(" %llx", (unsigned long long)answers[lane]);
        printf("\n");
    }
    d->context_release(device);
    cuda_driver_close(d);
    return 0;
}
