#include "tuner/devices/cuda/cuda_driver.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* cuLaunchKernelEx and graphs of cooperative launches, and cubins of NVRTC 12. */
enum { OLDEST_DRIVER = 12000 };

static const struct {
    const char *symbol;
    size_t offset;
} functions[] = {
#define CUDA_SYMBOL(field, symbol, parameters) {symbol, offsetof(struct cuda_driver, field)},
    CUDA_FUNCTIONS(CUDA_SYMBOL)
#undef CUDA_SYMBOL
};

static const char *driver_path(void)
{
    const char *chosen = getenv("SOFTMAX_TUNE_CUDA_DRIVER");
    return chosen != NULL && chosen[0] != '\0' ? chosen : "libcuda.so.1";
}

bool cuda_ok(const struct cuda_driver *driver, CUresult r, const char *what, struct error *e)
{
    if (r == CUDA_SUCCESS)
        return true;
    const char *name = NULL, *text = NULL;
    driver->error_name(r, &name);
    driver->error_string(r, &text);
    return error_set(e, STATUS_MISSING, "%s: %s (%s)", what, text == NULL ? "unknown error" : text,
                     name == NULL ? "an error that this driver does not name" : name);
}

static bool find_functions(struct cuda_driver *driver, struct error *e)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *address = dlsym(driver->handle, functions[i].symbol);
        if (address == NULL)
            return error_set(
                e, STATUS_MISSING,
                "the CUDA driver (%s) is too old: it has no %s; update NVIDIA's driver to one for "
                "CUDA 12.0 or newer",
                driver_path(), functions[i].symbol);
        memcpy((char *)driver + functions[i].offset, &address, sizeof address);
    }
    return true;
}

/* The version comes first: of an old driver it is the age that matters, not which function it lacks. */
static bool check_version(struct cuda_driver *driver, struct error *e)
{
    void *address = dlsym(driver->handle, "cuDriverGetVersion");
    memcpy(&driver->driver_version, &address, sizeof address);
    if (address != NULL && driver->driver_version(&driver->version) == CUDA_SUCCESS &&
        driver->version < OLDEST_DRIVER)
        return error_set(
            e, STATUS_MISSING,
            "the CUDA driver is too old: it is for CUDA %d.%d; update NVIDIA's driver to one for "
            "CUDA 12.0 or newer",
            driver->version / 1000, driver->version % 1000 / 10);
    return true;
}

static bool initialize(struct cuda_driver *driver, struct error *e)
{
    CUresult r = driver->init(0);
    if (r == CUDA_ERROR_NO_DEVICE)
        return error_set(e, STATUS_MISSING,
                         "there is no NVIDIA GPU on this machine (or CUDA_VISIBLE_DEVICES hides it)");
    return cuda_ok(driver, r, "the CUDA driver does not start", e);
}

struct cuda_driver *cuda_driver_open(struct error *e)
{
    void *handle = dlopen(driver_path(), RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        error_set(e, STATUS_MISSING, "there is no CUDA driver (%s); install NVIDIA's driver", dlerror());
        return NULL;
    }
    struct cuda_driver *driver = must_calloc(1, sizeof *driver);
    driver->handle = handle;
    if (!check_version(driver, e) || !find_functions(driver, e) || !initialize(driver, e)) {
        cuda_driver_close(driver);
        return NULL;
    }
    return driver;
}

void cuda_driver_close(struct cuda_driver *driver)
{
    if (driver == NULL)
        return;
    dlclose(driver->handle);
    free(driver);
}
