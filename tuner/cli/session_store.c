#include "tuner/cli/session_store.h"

#include "tuner/store/gpu_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *session_store_folder(const struct options *o)
{
    if (o->store != NULL)
        return must_strdup(o->store);
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache != NULL && cache[0] == '/')
        return must_format("%s/softmax-tune", cache);
    return home != NULL && home[0] != '\0' ? must_format("%s/.cache/softmax-tune", home) : NULL;
}

/* The GPU as the system numbers it: CUDA_VISIBLE_DEVICES renumbers them for each process. The caller frees
 * it. */
static char *physical_gpu(int index)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    for (int i = 0; visible != NULL && visible[0] != '\0' && i < index; i++) {
        visible = strchr(visible, ',');
        visible = visible != NULL ? visible + 1 : NULL;
    }
    if (visible == NULL || visible[0] == '\0')
        return must_format("%d", index);
    return must_format("%.*s", (int)strcspn(visible, ","), visible);
}

bool session_open_store(struct session *s, struct error *e)
{
    struct error why;
    char *folder = session_store_folder(s->options);
    if (folder == NULL)
        return true;
    s->store = store_open(folder, 0, &why);
    if (s->store != NULL && store_warning(s->store) != NULL)
        fprintf(stderr, "softmax-tune: %s\n", store_warning(s->store));
    if (s->measures) {
        char *which = physical_gpu(s->options->device_index);
        s->watch = gpu_watch_open(folder, s->gpu.name, which);
        free(which);
    }
    free(folder);
    return s->store != NULL || session_store_failed(s, &why, e);
}

bool session_store_failed(struct session *s, const struct error *why, struct error *e)
{
    store_close(s->store);
    s->store = NULL;
    if (s->options->store != NULL)
        return error_set(e, STATUS_MISSING, "--store: %s", why->text);
    fprintf(stderr, "softmax-tune: going on without the store: %s\n", why->text);
    return true;
}

struct store_environment session_environment(const struct session *s)
{
    return store_environment_of(&s->gpu, compiler_build(s->compiler), compiler_options_text(),
                                s->options->tolerance);
}
