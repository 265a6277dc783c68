#include "tuner/cli/rival.h"

#include "generator/text_buffer.h"
#include "tuner/cli/rival_launch.h"
#include "tuner/compile/cuda_headers.h"
#include "tuner/emit/emit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_BYTES_MAX = 16 << 20 };

/* Whether a kernel for `a` computes `b` too: all that its source depends on, which M is not. */
static bool same_kernel_problem(const struct problem *a, const struct problem *b)
{
    return a->op == b->op && a->dtype_in == b->dtype_in && a->dtype_out == b->dtype_out && a->N == b->N &&
           a->x_stride == b->x_stride && a->y_stride == b->y_stride && a->align <= b->align &&
           a->in_place == b->in_place && a->scaled == b->scaled;
}

static bool add_manifest(struct tuning *t, const char *path, struct error *e)
{
    struct choice rival;
    struct error why;
    if (!emit_read_choice(path, &rival, &why))
        return error_set(e, why.status, "--rival %s", why.text);
    bool fits = same_kernel_problem(&rival.problem, &t->problem);
    if (!fits)
        error_set(e, STATUS_USAGE, "--rival %s: this kernel computes another problem", path);
    else if (rival.gpu.compute_capability != t->session->gpu.compute_capability)
        fits = error_set(e, STATUS_USAGE, "--rival %s: this kernel is for %s, and the GPU here is %s", path,
                         rival.gpu.arch, t->session->gpu.arch);
    if (fits)
        tuning_add_image(t, rival.variant, path, &rival.image, &rival.plan);
    choice_clear(&rival);
    return fits;
}

/* ---- FILE.cu:SYMBOL ---- */

/* The text as a source whose lines are the file's own, for messages. */
static struct source source_of(const char *path, const struct text_buffer *text)
{
    struct source source = {.text = must_strdup(text->data), .size = text->size, .file_count = 1};
    source.files = must_malloc(sizeof *source.files);
    source.files[0] = must_strdup(path);
    for (const char *c = text->data; *c != '\0'; c++)
        source.line_count += *c == '\n';
    source.line_count++;
    source.lines = must_calloc((size_t)source.line_count, sizeof *source.lines);
    for (int i = 0; i < source.line_count; i++)
        source.lines[i].line = i + 1;
    return source;
}

/* The kernel of that name, or of that function where it is not extern "C": a function's name is mangled to
   _Z, its length, the name, and the parameters' types. */
static const struct image_kernel *find_kernel(const struct image *image, const char *symbol)
{
    const struct image_kernel *kernel = image_kernel_find(image, symbol);
    char *mangled = must_format("_Z%zu%s", strlen(symbol), symbol);
    for (int i = 0; kernel == NULL && i < image->kernel_count; i++)
        if (strncmp(image->kernels[i].name, mangled, strlen(mangled)) == 0)
            kernel = &image->kernels[i];
    free(mangled);
    return kernel;
}

static bool finish_plan(const struct image *image, const char *symbol, struct launch_plan *plan,
                        struct error *e)
{
    const struct image_kernel *kernel = find_kernel(image, symbol);
    if (kernel == NULL)
        return error_set(e, STATUS_USAGE, "it has no kernel %s, but %s", symbol,
                         image->kernel_count > 0 ? image->kernels[0].name : "none");
    snprintf(plan->launches[0].kernel, sizeof plan->launches[0].kernel, "%s", kernel->name);
    return rival_launch_type(image->ptx, kernel->name, &plan->launches[0], e);
}

static bool compile(struct tuning *t, const char *path, const struct text_buffer *text,
                    struct compile_result *result, struct error *e)
{
    struct source source = source_of(path, text);
    char *headers = cuda_headers_folder();
    const struct compile_request request = {
        .source = &source, .arch = t->session->gpu.arch, .headers = headers};
    bool ok = compiler_compile(t->session->compiler, &request, result, e);
    source_clear(&source);
    free(headers);
    return ok;
}

static bool add_symbol(struct tuning *t, const char *named, const char *path, const char *symbol,
                       const struct text_buffer *text, struct error *e)
{
    struct launch_plan plan;
    struct compile_result result;
    struct error why;
    if (!rival_launch_read(path, text->data, symbol, &plan, &why))
        return error_set(e, why.status, "--rival %s", why.text);
    if (!compile(t, path, text, &result, e))
        return false;
    bool compiled = result.outcome == COMPILE_DONE;
    if (compiled && !finish_plan(&result.image, symbol, &plan, &why)) {
        image_clear(&result.image);
        return error_set(e, why.status, "--rival %s: %s", named, why.text);
    }
    struct trial *trial = tuning_add_image(t, named, named, &result.image, &plan);
    if (!compiled) {
        trial->compiled = false;
        trial_fail(trial, result.outcome == COMPILE_LATE ? VERDICT_TIMEOUT : VERDICT_COMPILE, result.reason);
    }
    return true;
}

bool rival_add(struct tuning *t, const char *named, struct error *e)
{
    const char *end = strrchr(named, '.'), *colon = strrchr(named, ':');
    if (end != NULL && strcmp(end, ".json") == 0)
        return add_manifest(t, named, e);
    if (colon == NULL || colon - named < 4 || strncmp(colon - 3, ".cu", 3) != 0 || colon[1] == '\0')
        return error_set(
            e, STATUS_USAGE,
            "--rival %s: a rival is the manifest (.json) of an emitted kernel, or FILE.cu:SYMBOL", named);
    char *path = must_format("%.*s", (int)(colon - named), named);
    struct text_buffer text = {0};
    struct error why;
    bool ok = text_read_file(&text, path, FILE_BYTES_MAX, &why) ||
              error_set(e, STATUS_USAGE, "--rival %s", why.text);
    ok = ok && add_symbol(t, named, path, colon + 1, &text, e);
    text_free(&text);
    free(path);
    return ok;
}
