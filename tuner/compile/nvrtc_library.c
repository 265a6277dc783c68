#include "tuner/compile/nvrtc_library.h"

#include <dlfcn.h>
#include <glob.h>
#include <nvrtc.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct nvrtc_library {
    void *handle;
    char *path;
    __typeof__(nvrtcVersion) *version;
    __typeof__(nvrtcGetNumSupportedArchs) *arch_count;
    __typeof__(nvrtcGetSupportedArchs) *archs;
    __typeof__(nvrtcGetErrorString) *error_string;
    __typeof__(nvrtcCreateProgram) *create;
    __typeof__(nvrtcDestroyProgram) *destroy;
    __typeof__(nvrtcCompileProgram) *compile;
    __typeof__(nvrtcGetProgramLogSize) *log_size;
    __typeof__(nvrtcGetProgramLog) *log;
    __typeof__(nvrtcGetPTXSize) *ptx_size;
    __typeof__(nvrtcGetPTX) *ptx;
    __typeof__(nvrtcGetCUBINSize) *cubin_size;
    __typeof__(nvrtcGetCUBIN) *cubin;
};

static const struct {
    const char *symbol;
    size_t offset;
} functions[] = {
    {"nvrtcVersion", offsetof(struct nvrtc_library, version)},
    {"nvrtcGetNumSupportedArchs", offsetof(struct nvrtc_library, arch_count)},
    {"nvrtcGetSupportedArchs", offsetof(struct nvrtc_library, archs)},
    {"nvrtcGetErrorString", offsetof(struct nvrtc_library, error_string)},
    {"nvrtcCreateProgram", offsetof(struct nvrtc_library, create)},
    {"nvrtcDestroyProgram", offsetof(struct nvrtc_library, destroy)},
    {"nvrtcCompileProgram", offsetof(struct nvrtc_library, compile)},
    {"nvrtcGetProgramLogSize", offsetof(struct nvrtc_library, log_size)},
    {"nvrtcGetProgramLog", offsetof(struct nvrtc_library, log)},
    {"nvrtcGetPTXSize", offsetof(struct nvrtc_library, ptx_size)},
    {"nvrtcGetPTX", offsetof(struct nvrtc_library, ptx)},
    {"nvrtcGetCUBINSize", offsetof(struct nvrtc_library, cubin_size)},
    {"nvrtcGetCUBIN", offsetof(struct nvrtc_library, cubin)},
};

static const char *const library_names[] = {"libnvrtc.so.13", "libnvrtc.so.12"};
enum { LIBRARY_NAMES = sizeof library_names / sizeof library_names[0] };

/* NVRTC opens libnvrtc-builtins by name through the loader, which does not look beside NVRTC: loaded first
   from there, it is found by its name, and is the one that belongs to this NVRTC. */
static void load_builtins_beside(const char *path)
{
    const char *end = strrchr(path, '/');
    if (end == NULL)
        return;
    char *pattern = must_format("%.*s/libnvrtc-builtins.so*", (int)(end - path), path);
    glob_t found;
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            dlopen(found.gl_pathv[i], RTLD_NOW | RTLD_GLOBAL);
        globfree(&found);
    }
    free(pattern);
}

static struct nvrtc_library *load(const char *path, struct error *e)
{
    load_builtins_beside(path);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        error_set(e, STATUS_MISSING, "%s", dlerror());
        return NULL;
    }
    struct nvrtc_library *library = must_calloc(1, sizeof *library);
    library->handle = handle;
    library->path = must_strdup(path);
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *address = dlsym(handle, functions[i].symbol);
        if (address == NULL) {
            error_set(e, STATUS_MISSING, "%s is too old: it has no %s, and CUDA 12 is needed", path,
                      functions[i].symbol);
            nvrtc_library_close(library);
            return NULL;
        }
        memcpy((char *)library + functions[i].offset, &address, sizeof address);
    }
    return library;
}

/* The newest library in a folder that matches `pattern`; NULL and `e` untouched where there is none. A
   library that is there and cannot be loaded is an error worth telling, so it is kept in `e`. */
static struct nvrtc_library *load_in(const char *pattern, struct error *e)
{
    struct nvrtc_library *library = NULL;
    for (int i = 0; i < LIBRARY_NAMES && library == NULL; i++) {
        char *files = must_format("%s/%s", pattern, library_names[i]);
        glob_t found;
        if (glob(files, 0, NULL, &found) == 0) {
            for (size_t k = found.gl_pathc; k > 0 && library == NULL; k--)
                library = load(found.gl_pathv[k - 1], e);
            globfree(&found);
        }
        free(files);
    }
    return library;
}

static struct nvrtc_library *load_in_toolkit(const char *root, struct error *e)
{
    static const char *const folders[] = {"lib64", "targets/x86_64-linux/lib", "lib"};
    struct nvrtc_library *library = NULL;
    for (size_t i = 0; root != NULL && i < sizeof folders / sizeof folders[0] && library == NULL; i++) {
        char *pattern = must_format("%s/%s", root, folders[i]);
        library = load_in(pattern, e);
        free(pattern);
    }
    return library;
}

/* Where tune.sh puts NVIDIA's pip packages. The caller frees it. */
static char *packages_folder(void)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (data != NULL && data[0] != '\0')
        return must_format("%s/softmax-tune/cuda", data);
    return must_format("%s/.local/share/softmax-tune/cuda", home == NULL ? "" : home);
}

static struct nvrtc_library *search(struct error *e)
{
    struct nvrtc_library *library = NULL;
    struct error unloadable = {0};
    for (int i = 0; i < LIBRARY_NAMES && library == NULL; i++)
        library = load(library_names[i], NULL);
    if (library == NULL)
        library = load_in_toolkit(getenv("CUDA_HOME"), &unloadable);
    if (library == NULL)
        library = load_in_toolkit(getenv("CUDA_PATH"), &unloadable);
    if (library == NULL)
        library = load_in_toolkit("/usr/local/cuda*", &unloadable);
    char *packages = packages_folder();
    if (library == NULL) {
        char *pattern = must_format("%s/nvidia/cu1[23]/lib", packages);
        library = load_in(pattern, &unloadable);
        free(pattern);
    }
    if (library == NULL)
        error_set(
            e, STATUS_MISSING,
            "NVRTC was not found (libnvrtc.so.13 or .12: the loader's folders, $CUDA_HOME, $CUDA_PATH, "
            "/usr/local/cuda*, %s)%s%s; ./tune.sh installs it, or `pip install nvidia-cuda-nvrtc` and set "
            "SOFTMAX_TUNE_NVRTC to its libnvrtc.so.13",
            packages, unloadable.text[0] == '\0' ? "" : "; ", unloadable.text);
    free(packages);
    return library;
}

struct nvrtc_library *nvrtc_library_open(const char *path, struct error *e)
{
    const char *chosen = getenv("SOFTMAX_TUNE_NVRTC");
    if (path != NULL)
        return load(path, e);
    if (chosen == NULL || chosen[0] == '\0')
        return search(e);
    struct error cause;
    struct nvrtc_library *library = load(chosen, &cause);
    if (library == NULL)
        error_set(e, STATUS_MISSING,
                  "NVRTC cannot be loaded from SOFTMAX_TUNE_NVRTC=%s: %s; unset it to search "
                  "for NVRTC, or ./tune.sh installs it",
                  chosen, cause.text);
    return library;
}

void nvrtc_library_close(struct nvrtc_library *library)
{
    if (library == NULL)
        return;
    dlclose(library->handle);
    free(library->path);
    free(library);
}

const char *nvrtc_library_path(const struct nvrtc_library *library)
{
    return library->path;
}

bool nvrtc_library_version(const struct nvrtc_library *library, int *major, int *minor)
{
    return library->version(major, minor) == NVRTC_SUCCESS;
}

int nvrtc_library_archs(const struct nvrtc_library *library, int *archs, int most)
{
    int count = 0;
    if (library->arch_count(&count) != NVRTC_SUCCESS || count <= 0)
        return 0;
    int *all = must_calloc((size_t)count, sizeof *all);
    if (library->archs(all) != NVRTC_SUCCESS)
        count = 0;
    if (count > most)
        count = most;
    memcpy(archs, all, (size_t)count * sizeof *archs);
    free(all);
    return count;
}

typedef nvrtcResult size_function(nvrtcProgram program, size_t *size);
typedef nvrtcResult bytes_function(nvrtcProgram program, char *bytes);

/* The bytes and a NUL after them; never NULL. */
static char *take(nvrtcProgram program, size_function *measure, bytes_function *copy, size_t *size)
{
    *size = 0;
    if (measure(program, size) != NVRTC_SUCCESS)
        *size = 0;
    char *bytes = must_calloc(*size + 1, 1);
    if (*size > 0 && copy(program, bytes) != NVRTC_SUCCESS)
        *size = 0;
    return bytes;
}

void nvrtc_library_compile(const struct nvrtc_library *library, const char *text, const char *const *options,
                           int option_count, struct nvrtc_output *output)
{
    *output = (struct nvrtc_output){0};
    nvrtcProgram program;
    nvrtcResult result = library->create(&program, text, "source", 0, NULL, NULL);
    output->result = library->error_string(result);
    if (result != NVRTC_SUCCESS) {
        output->log = must_calloc(1, 1);
        output->ptx = must_calloc(1, 1);
        return;
    }
    result = library->compile(program, option_count, options);
    output->result = library->error_string(result);
    output->log = take(program, library->log_size, library->log, &output->log_size);
    output->ptx = take(program, library->ptx_size, library->ptx, &output->ptx_size);
    output->log_size = strlen(output->log); /* NVRTC counts the NUL */
    output->ptx_size = strlen(output->ptx);
    output->compiled = result == NVRTC_SUCCESS;
    if (output->compiled)
        output->cubin = take(program, library->cubin_size, library->cubin, &output->cubin_size);
    library->destroy(&program);
}

void nvrtc_output_clear(struct nvrtc_output *output)
{
    free(output->log);
    free(output->ptx);
    free(output->cubin);
    *output = (struct nvrtc_output){0};
}
