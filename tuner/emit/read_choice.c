#include "tuner/emit/emit.h"

#include "tuner/emit/emitted_text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The whole file with a NUL after it; NULL and `e` when it cannot be read. The caller frees it. */
static char *read_file(const char *path, size_t *size, struct error *e)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        error_set(e, STATUS_USAGE, "%s: %s", path, strerror(errno));
        return NULL;
    }
    char *text = NULL;
    *size = 0;
    for (size_t room = 65536, n = 1; n > 0; room *= 2) {
        text = must_realloc(text, room + 1);
        n = fread(text + *size, 1, room - *size, file);
        *size += n;
    }
    bool whole = !ferror(file);
    fclose(file);
    text[*size] = '\0';
    if (whole)
        return text;
    free(text);
    error_set(e, STATUS_USAGE, "%s cannot be read", path);
    return NULL;
}

/* A file beside the manifest, named for its last part: "out/a.json", "a.cu" -> "out/a.cu". The caller frees
 * it. */
static char *beside(const char *manifest_path, const char *name)
{
    const char *slash = strrchr(manifest_path, '/');
    return must_format("%.*s%s", slash == NULL ? 0 : (int)(slash + 1 - manifest_path), manifest_path, name);
}

static double figure(const json_t *manifest, const char *name)
{
    const json_t *value = json_object_get(manifest, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static bool read_gpu(const json_t *manifest, const char *stem, struct choice *c, struct error *e)
{
    const char *arch = json_string_value(json_object_get(manifest, "arch"));
    const char *name = json_string_value(json_object_get(manifest, "gpu"));
    if (arch == NULL || name == NULL)
        return error_set(e, STATUS_USAGE, "'arch' or 'gpu' is not there");
    struct gpu_list list;
    if (!gpu_list_load(&list, e))
        return false;
    /* A GPU that no descriptor is for still has its architecture's; only its name is its own. */
    bool found = gpu_find(&list, arch, name, &c->gpu, NULL) || gpu_find(&list, arch, NULL, &c->gpu, e);
    gpu_list_clear(&list);
    if (!found)
        return false;
    snprintf(c->gpu.name, sizeof c->gpu.name, "%s", name);
    char unnamed[STEM_SIZE];
    choice_stem(c, unnamed);
    c->gpu_named = strcmp(unnamed, stem) != 0;
    return true;
}

static bool read_fields(json_t *manifest, struct choice *c, struct error *e)
{
    const char *schema = "", *basis = "", *space = "", *variant = "";
    json_t *config = NULL, *launches = NULL, *workspace = NULL;
    if (json_unpack(manifest, "{s:s, s:s, s:s, s:s, s:o, s:o, s?o}", "schema", &schema, "basis", &basis,
                    "space", &space, "variant", &variant, "config", &config, "launches", &launches,
                    "workspace_of_M", &workspace) != 0 ||
        strcmp(schema, "softmax-tune/kernel/1") != 0)
        return error_set(e, STATUS_USAGE, "this is no manifest of schema softmax-tune/kernel/1");
    if (!problem_of_json(manifest, &c->problem, e) || !launch_plan_of_json(launches, workspace, &c->plan, e))
        return false;
    snprintf(c->basis, sizeof c->basis, "%s", basis);
    c->space = must_strdup(space);
    c->variant = must_strdup(variant);
    c->config = json_incref(config);
    c->time_us = figure(manifest, "time_us");
    c->time_us_low = figure(manifest, "time_us_low");
    c->time_us_high = figure(manifest, "time_us_high");
    c->limit_us = figure(manifest, "of_limit") * c->time_us;
    c->predicted_us = figure(manifest, "predicted_us");
    c->max_error = figure(manifest, "max_error");
    return true;
}

static bool read_source(const char *path, struct choice *c, struct error *e)
{
    size_t size;
    char *text = read_file(path, &size, e);
    if (text == NULL)
        return false;
    const char *kernel;
    bool found = emitted_text_kernel(text, &kernel, &c->source.size);
    if (found) {
        c->source.text = must_malloc(c->source.size + 1);
        memcpy(c->source.text, kernel, c->source.size);
        c->source.text[c->source.size] = '\0';
    } else {
        error_set(e, STATUS_USAGE, "%s is not as it was emitted: kernel and launcher cannot be told apart",
                  path);
    }
    free(text);
    return found;
}

/* The figures of an image are those of its largest kernel in each respect: the manifest has one of each. */
static bool read_image(const char *cubin_path, const char *ptx_path, const json_t *manifest, struct choice *c,
                       struct error *e)
{
    size_t cubin_size = 0, ptx_size = 0;
    char *cubin = read_file(cubin_path, &cubin_size, e);
    char *ptx = cubin == NULL ? NULL : read_file(ptx_path, &ptx_size, e);
    bool made = ptx != NULL;
    if (made && !image_make(&c->image, cubin, cubin_size, ptx, ptx_size, NULL, e))
        made = error_set(e, STATUS_USAGE, "%s: %s", cubin_path, e == NULL ? "" : e->text);
    for (int i = 0; made && i < c->image.kernel_count; i++) {
        struct image_kernel *k = &c->image.kernels[i];
        k->registers = (int)json_integer_value(json_object_get(manifest, "registers"));
        k->spill_bytes = (int)json_integer_value(json_object_get(manifest, "spill_bytes"));
        k->static_smem_bytes = (int)json_integer_value(json_object_get(manifest, "static_smem_bytes"));
    }
    for (int i = 0; made && i < c->plan.count; i++)
        if (image_kernel_find(&c->image, c->plan.launches[i].kernel) == NULL)
            made = error_set(e, STATUS_USAGE, "%s has no kernel %s", cubin_path, c->plan.launches[i].kernel);
    free(ptx);
    free(cubin);
    return made;
}

static bool read_parts(const char *manifest_path, json_t *manifest, struct choice *c, struct error *e)
{
    const char *source = json_string_value(json_object_get(manifest, "source"));
    const char *cubin = json_string_value(json_object_get(manifest, "cubin"));
    struct error why;
    size_t length = source == NULL ? 0 : strlen(source);
    if (cubin == NULL || length < 4 || strcmp(source + length - 3, ".cu") != 0)
        return error_set(e, STATUS_USAGE, "%s: 'source' or 'cubin' is not there", manifest_path);
    char *stem = must_format("%.*s", (int)length - 3, source);
    char *ptx = must_format("%s.ptx", stem);
    char *source_path = beside(manifest_path, source), *cubin_path = beside(manifest_path, cubin),
         *ptx_path = beside(manifest_path, ptx);
    bool read = (read_fields(manifest, c, &why) && read_gpu(manifest, stem, c, &why)) ||
                error_set(e, STATUS_USAGE, "%s: %s", manifest_path, why.text);
    read = read && read_source(source_path, c, e) && read_image(cubin_path, ptx_path, manifest, c, e);
    free(ptx_path);
    free(cubin_path);
    free(source_path);
    free(ptx);
    free(stem);
    return read;
}

bool emit_read_choice(const char *manifest_path, struct choice *c, struct error *e)
{
    *c = (struct choice){0};
    json_error_t reason;
    json_t *manifest = json_load_file(manifest_path, JSON_REJECT_DUPLICATES, &reason);
    if (manifest == NULL)
        return error_set(e, STATUS_USAGE, "%s:%d: %s", manifest_path, reason.line, reason.text);
    bool read = read_parts(manifest_path, manifest, c, e);
    json_decref(manifest);
    if (!read)
        choice_clear(c);
    return read;
}
