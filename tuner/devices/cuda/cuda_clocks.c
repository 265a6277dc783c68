#include "tuner/devices/cuda/cuda_clocks.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "generator/error.h"

/* nvml.h does not come with NVRTC's packages; these are its values. */
enum { NVML_SUCCESS = 0, NVML_CLOCK_SM = 1 };
enum {
    REASON_POWER_CAP = 0x4,
    REASON_HARDWARE_SLOWDOWN = 0x8,
    REASON_HEAT = 0x20,
    REASON_HARDWARE_HEAT = 0x40,
    REASON_POWER_BRAKE = 0x80,
};

struct cuda_clocks {
    void *handle, *gpu;
    int (*init)(void);
    int (*shutdown)(void);
    int (*find)(const char *bus_id, void **gpu);
    int (*reasons)(void *gpu, unsigned long long *reasons);
    int (*clock)(void *gpu, int kind, unsigned *mhz);
    bool started;
    unsigned settled_mhz; /* 0: not yet */
};

static const struct {
    const char *symbol;
    size_t offset;
} functions[] = {
    {"nvmlInit_v2", offsetof(struct cuda_clocks, init)},
    {"nvmlShutdown", offsetof(struct cuda_clocks, shutdown)},
    {"nvmlDeviceGetHandleByPciBusId_v2", offsetof(struct cuda_clocks, find)},
    /* its newer name, nvmlDeviceGetCurrentClocksEventReasons, is not in every driver */
    {"nvmlDeviceGetCurrentClocksThrottleReasons", offsetof(struct cuda_clocks, reasons)},
    {"nvmlDeviceGetClockInfo", offsetof(struct cuda_clocks, clock)},
};

static bool find_functions(struct cuda_clocks *clocks)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *address = dlsym(clocks->handle, functions[i].symbol);
        if (address == NULL)
            return false;
        memcpy((char *)clocks + functions[i].offset, &address, sizeof address);
    }
    return true;
}

struct cuda_clocks *cuda_clocks_open(const char *bus_id)
{
    const char *chosen = getenv("SOFTMAX_TUNE_NVML");
    void *handle =
        dlopen(chosen != NULL && chosen[0] != '\0' ? chosen : "libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL)
        return NULL;
    struct cuda_clocks *clocks = must_calloc(1, sizeof *clocks);
    clocks->handle = handle;
    if (find_functions(clocks)) {
        clocks->started = clocks->init() == NVML_SUCCESS;
        if (clocks->started && clocks->find(bus_id, &clocks->gpu) == NVML_SUCCESS)
            return clocks;
    }
    cuda_clocks_close(clocks);
    return NULL;
}

void cuda_clocks_close(struct cuda_clocks *clocks)
{
    if (clocks == NULL)
        return;
    if (clocks->started)
        clocks->shutdown();
    dlclose(clocks->handle);
    free(clocks);
}

void cuda_clocks_settle(struct cuda_clocks *clocks)
{
    if (clocks != NULL && clocks->clock(clocks->gpu, NVML_CLOCK_SM, &clocks->settled_mhz) != NVML_SUCCESS)
        clocks->settled_mhz = 0;
}

bool cuda_clocks_throttled(struct cuda_clocks *clocks)
{
    unsigned long long reasons;
    unsigned mhz;
    if (clocks == NULL || clocks->reasons(clocks->gpu, &reasons) != NVML_SUCCESS)
        return false;
    if (reasons & (REASON_HARDWARE_SLOWDOWN | REASON_HEAT | REASON_HARDWARE_HEAT | REASON_POWER_BRAKE))
        return true;
    return (reasons & REASON_POWER_CAP) != 0 && clocks->settled_mhz > 0 &&
           clocks->clock(clocks->gpu, NVML_CLOCK_SM, &mhz) == NVML_SUCCESS &&
           mhz * 20 < clocks->settled_mhz * 19;
}
