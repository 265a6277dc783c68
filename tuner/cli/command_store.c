#include "generator/nearest.h"
#include "tuner/cli/command.h"
#include "tuner/cli/output.h"
#include "tuner/cli/session_store.h"
#include "tuner/cli/store_explain_list.h"
#include "tuner/store/export.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct store *open_store(const struct options *o, struct error *e)
{
    char *folder = session_store_folder(o);
    if (folder == NULL) {
        error_set(e, STATUS_MISSING,
                  "there is no home folder to look for a store in: name one with --store DIR");
        return NULL;
    }
    struct store *s = store_open(folder, 0, e);
    if (s != NULL && store_warning(s) != NULL)
        fprintf(stderr, "softmax-tune: %s\n", store_warning(s));
    free(folder);
    return s;
}

static void print_size(const char *path, const struct store_size *size)
{
    printf("%s: %" PRId64 " trials of %" PRId64 " problems, %.1f MiB\n", path, size->trials, size->problems,
           (double)size->bytes / 1048576);
}

static bool show(struct store *s, const struct options *o, struct error *e)
{
    struct store_size size;
    if (!store_measure(s, &size, e))
        return false;
    if (o->json)
        output_json(json_pack("{s:s, s:I, s:I, s:I}", "path", store_path(s), "trials",
                              (json_int_t)size.trials, "problems", (json_int_t)size.problems, "bytes",
                              (json_int_t)size.bytes));
    else
        print_size(store_path(s), &size);
    return true;
}

static bool prune(struct store *s, const struct options *o, struct error *e)
{
    if (!isfinite(o->older_than_days) && o->most_bytes < 0)
        return error_set(e, STATUS_USAGE, "prune what? say --older-than DAYS, --bytes SIZE, or both");
    struct store_size size;
    uint64_t most = o->most_bytes < 0 ? (uint64_t)INT64_MAX : (uint64_t)o->most_bytes;
    if (!store_measure(s, &size, e))
        return false;
    int64_t before = size.trials;
    if (!store_prune(s, o->older_than_days * 86400, most, e) || !store_measure(s, &size, e))
        return false;
    if (!o->json)
        printf("%" PRId64 " trials were removed\n", before - size.trials);
    return show(s, o, e);
}

static bool explain(struct store *s, const struct options *o, struct error *e)
{
    struct session session;
    if (o->problem_count == 0) {
        store_close(s);
        return error_set(e, STATUS_USAGE,
                         "explain what? --N is missing: the number of columns, for example --N 8192");
    }
    bool ok = session_open(&session, o, NEED_DEVICE, e);
    session.store = s; /* closed with the session */
    json_t *document = o->json ? json_pack("{s:[]}", "problems") : NULL;
    for (int i = 0; ok && i < o->problem_count; i++)
        ok = store_explain_list(&session, &o->problems[i], document, e);
    if (ok && document != NULL)
        output_json(json_incref(document));
    json_decref(document);
    session_close(&session);
    return ok;
}

/* What the space of --config calls itself; *name stays NULL where no space was named. */
static bool name_space(const struct options *o, const struct gpu_list *gpus, char **name, struct error *e)
{
    struct gpu gpu;
    *name = NULL;
    if (o->space.config == NULL)
        return true;
    const char *arch = o->arch == NULL && o->gpu_name == NULL ? gpus->gpus[0].arch : o->arch;
    struct generator *space = generator_open(&o->space, e);
    json_t *described = NULL;
    if (space != NULL && gpu_find(gpus, arch, o->gpu_name, &gpu, e) &&
        generator_set_problem(space, &o->problems[0], &gpu, e))
        described = generator_describe(space, e);
    if (described != NULL)
        *name = must_strdup(json_string_value(json_object_get(described, "name")));
    json_decref(described);
    generator_close(space);
    return *name != NULL;
}

static bool export(struct store *s, const struct options *o, struct error *e)
{
    bool t4 = o->word_count == 2 && strcmp(o->words[1], "t4") == 0;
    if (!t4 && (o->word_count != 2 || strcmp(o->words[1], "kernel-tuner") != 0))
        return error_set(e, STATUS_USAGE, "export as what? it is 'export kernel-tuner' or 'export t4'");
    if (o->problem_count != 1)
        return error_set(e, STATUS_USAGE,
                         "one file holds one problem: name one, for example --M 8192 --N 8192");
    struct gpu_list gpus;
    struct gpu gpu = {0};
    struct export_selection selection = {.problem = &o->problems[0]};
    char *space = NULL, *text = NULL;
    if (!gpu_list_load(&gpus, e))
        return false;
    bool named = o->arch != NULL || o->gpu_name != NULL;
    if ((!named || gpu_find(&gpus, o->arch, o->gpu_name, &gpu, e)) && name_space(o, &gpus, &space, e)) {
        selection.gpu = o->gpu_name != NULL ? gpu.name : NULL;
        selection.compute_capability = gpu.compute_capability;
        selection.space = space;
        text = t4 ? export_t4(s, &selection, e) : export_kernel_tuner(s, &selection, e);
    }
    if (text != NULL)
        fputs(text, stdout);
    free(text);
    free(space);
    gpu_list_clear(&gpus);
    return text != NULL;
}

int command_store(const struct options *o, struct error *e)
{
    static const struct {
        const char *name;
        int words;
        bool (*run)(struct store *s, const struct options *o, struct error *e);
        bool closes; /* it closes the store itself */
    } actions[] = {{"show", 1, show, false},
                   {"prune", 1, prune, false},
                   {"explain", 1, explain, true},
                   {"export", 2, export, false}};
    const char *name = o->word_count > 0 ? o->words[0] : "show";
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        if (strcmp(actions[i].name, name) != 0 || o->word_count > actions[i].words)
            continue;
        struct store *s = open_store(o, e);
        bool ok = s != NULL && actions[i].run(s, o, e);
        if (s != NULL && !actions[i].closes)
            store_close(s);
        return ok ? STATUS_DONE : e->status;
    }
    const char *word = o->words[o->word_count - 1];
    char hint[HINT_SIZE];
    struct nearest nearest = nearest_to(word, strlen(word));
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
        nearest_offer(&nearest, actions[i].name);
    error_set(e, STATUS_USAGE,
              "'%s' is not expected here: it is store, store explain, store prune or store export%s", word,
              nearest_hint(&nearest, hint));
    return e->status;
}
