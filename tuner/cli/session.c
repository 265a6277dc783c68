#include "tuner/cli/session.h"

#include "tuner/cli/command.h"
#include "tuner/cli/folder.h"
#include "tuner/cli/session_store.h"
#include "tuner/store/gpu_watch.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool open_compiler(struct session *s, struct error *e)
{
    char *store = session_store_folder(s->options);
    char *folder = store != NULL ? must_format("%s/images", store) : NULL;
    struct error why;
    bool usable = s->options->store == NULL || folder_writable(folder, &why);
    if (!usable)
        error_set(e, STATUS_MISSING, "--store %s", why.text);
    else
        s->compiler = compiler_open(&(struct compiler_options){.jobs = s->options->jobs, .cache = folder}, e);
    free(folder);
    free(store);
    if (s->compiler == NULL)
        return false;
    if (compiler_warning(s->compiler) != NULL)
        fprintf(stderr, "softmax-tune: %s\n", compiler_warning(s->compiler));
    return true;
}

/* Whether `here` is the GPU that the options ask for, as far as they do. */
static bool is_asked_for(const struct session *s, const struct gpu *here)
{
    const struct options *o = s->options;
    if (o->arch == NULL && o->gpu_name == NULL)
        return true;
    return here->compute_capability == s->gpu.compute_capability &&
           (o->gpu_name == NULL || strcasecmp(here->name, s->gpu.name) == 0);
}

static bool open_emulator(struct session *s, struct error *e)
{
    struct error why;
    s->device = device_client_open(DEVICE_EMULATOR, 0, &s->gpu, &why);
    if (s->device == NULL && s->options->device == WISH_EMULATOR)
        return error_set(e, why.status, "--device emulator: %s", why.text);
    if (s->device == NULL)
        fprintf(stderr, "softmax-tune: nothing is proven, since the emulator does not start: %s\n", why.text);
    return true;
}

/* Whether the command can do without the GPU that was looked for and, as `why` says, is not here. */
static bool accept_none(const struct options *o, enum session_need need, bool native, const struct error *why,
                        struct error *e)
{
    if (need == NEED_GPU)
        return error_set(e, STATUS_MISSING, "'%s' measures, so it needs the GPU itself: %s", o->command->name,
                         why->text);
    if (o->device == WISH_CUDA && need != NEED_NO_DEVICE)
        return error_set(e, STATUS_MISSING, "--device cuda: %s; or use --device emulator%s", why->text,
                         native ? " and name a GPU to work for with --arch, for example --arch sm_120" : "");
    return !native ||
           error_set(e, STATUS_MISSING,
                     "there is no GPU here: name one to work for with --arch, for example --arch sm_120 (%s)",
                     why->text);
}

/* Finds the GPU to tune for, and keeps the device open where that GPU is here and is needed. */
static bool find_gpu(struct session *s, enum session_need need, struct error *e)
{
    const struct options *o = s->options;
    bool native = o->arch == NULL && o->gpu_name == NULL;
    bool wanted = native || (need != NEED_NO_DEVICE && (o->device == WISH_AUTO || o->device == WISH_CUDA));
    struct error why = {0};
    if (!native && !gpu_find(&s->gpus, o->arch, o->gpu_name, &s->gpu, e))
        return false;
    if (native && o->device == WISH_NONE)
        return error_set(e, STATUS_MISSING,
                         "--device none looks for no GPU: name one, for example --arch sm_120");
    if (wanted)
        s->device = device_client_open(DEVICE_CUDA, o->device_index, NULL, &why);
    if (wanted && s->device == NULL)
        return accept_none(o, need, native, &why, e);
    if (s->device == NULL)
        return true;
    const struct gpu *here = device_client_gpu(s->device);
    s->measures = is_asked_for(s, here);
    if (s->measures) {
        char arch[sizeof s->gpu.arch];
        memcpy(arch, s->gpu.arch, sizeof arch);
        s->gpu = *here;
        if (!native)
            memcpy(s->gpu.arch, arch, sizeof arch); /* "sm_100a" stays what was asked for */
        return true;
    }
    if (o->device == WISH_CUDA)
        return error_set(e, STATUS_MISSING, "--device cuda: the GPU here is %s (%s), not %s (%s)", here->name,
                         here->arch, s->gpu.name, s->gpu.arch);
    return true;
}

static bool open_device(struct session *s, enum session_need need, struct error *e)
{
    const struct options *o = s->options;
    if (!find_gpu(s, need, e))
        return false;
    bool keep = s->measures && need != NEED_NO_DEVICE && (o->device == WISH_AUTO || o->device == WISH_CUDA);
    if (need == NEED_GPU && !keep)
        return error_set(e, STATUS_MISSING, "'%s' measures, so it needs the GPU itself: %s (%s) is not here",
                         o->command->name, s->gpu.name, s->gpu.arch);
    if (keep)
        return true;
    device_client_close(s->device);
    s->device = NULL;
    s->measures = false;
    return need == NEED_NO_DEVICE || o->device == WISH_NONE || open_emulator(s, e);
}

static bool open_spaces(struct session *s, struct error *e)
{
    s->space = generator_open(&s->options->space, e);
    if (s->space == NULL)
        return false;
    s->article = generator_open(&(struct generator_options){.config = "article"}, e);
    return s->article != NULL;
}

bool session_open(struct session *s, const struct options *o, enum session_need need, struct error *e)
{
    *s = (struct session){.options = o, .gpu_named = o->gpu_name != NULL};
    if (o->command->takes_space && !open_spaces(s, e))
        return false;
    if (!gpu_list_load(&s->gpus, e) || !open_compiler(s, e) || !open_device(s, need, e))
        return false;
    s->gpu.ptx_version = compiler_ptx_version(s->compiler);
    if (compiler_knows(s->compiler, s->gpu.arch))
        return true;
    int major, minor;
    compiler_version(s->compiler, &major, &minor);
    return error_set(e, STATUS_MISSING, "NVRTC %d.%d does not compile for %s: another CUDA Toolkit is needed",
                     major, minor, s->gpu.arch);
}

void session_close(struct session *s)
{
    device_client_close(s->device);
    compiler_close(s->compiler);
    generator_close(s->space);
    generator_close(s->article);
    gpu_list_clear(&s->gpus);
    store_close(s->store);
    gpu_watch_close(s->watch);
    *s = (struct session){0};
}

static bool set_device_problem(struct session *s, const struct problem *p, bool thorough, struct error *e)
{
    const struct verify_options verify = {
        .rows = s->options->rows,
        .seed = s->options->seed,
        .tolerance = s->options->tolerance,
        .thorough = thorough,
        .timed = !thorough,
    };
    return device_client_set_problem(s->device, p, &verify, e);
}

bool session_set_device_problem(struct session *s, const struct problem *p, struct error *e)
{
    return set_device_problem(s, p, false, e);
}

bool session_set_problem(struct session *s, const struct problem *p, bool device, bool thorough,
                         struct error *e)
{
    return (s->space == NULL || generator_set_problem(s->space, p, &s->gpu, e)) &&
           (s->article == NULL || generator_set_problem(s->article, p, &s->gpu, e)) &&
           (!device || s->device == NULL || set_device_problem(s, p, thorough, e));
}
