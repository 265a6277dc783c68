#include "tuner/emit/emit.h"

#include "tuner/compile/cubin.h"
#include "tuner/compile/make_folders.h"
#include "tuner/emit/comment_text.h"
#include "tuner/emit/emitted_text.h"
#include "tuner/emit/header_text.h"
#include "tuner/emit/launcher_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Between the parts of a .cu: no template ends a kernel so. */
static const char head_end[] = " */\n\n", launcher_start[] = "\n#ifndef __CUDACC_RTC__\n";

char *emit_cu_text(const struct choice *c, struct error *e)
{
    char stem[STEM_SIZE], *text = NULL;
    size_t size = 0;
    choice_stem(c, stem);
    FILE *file = open_memstream(&text, &size);
    fprintf(file, "/* %s: a kernel for %s, and its launcher. Made by softmax-tune.\n\n", stem, c->gpu.arch);
    comment_text_write(file, c);
    fprintf(file, "\n   nvcc -arch=%s -c %s.cu%s", c->gpu.arch, stem, head_end);
    fwrite(c->source.text, 1, c->source.size, file);
    fprintf(file, "%s", launcher_start);
    bool written = launcher_text_runtime(file, c, stem, e);
    fprintf(file, "#endif\n");
    fclose(file);
    if (written)
        return text;
    free(text);
    return NULL;
}

bool emitted_text_kernel(const char *text, const char **kernel, size_t *size)
{
    const char *start = strstr(text, head_end), *end = strstr(text, launcher_start);
    if (start == NULL || end == NULL || start + strlen(head_end) > end)
        return false;
    *kernel = start + strlen(head_end);
    *size = (size_t)(end - *kernel);
    return true;
}

/* Whether the image is one of this choice's: its code is whole and has the kernels that are launched. */
static bool check_image(const struct choice *c, struct error *e)
{
    uint64_t hash;
    if (!cubin_code_hash(c->image.cubin, c->image.cubin_size, &hash, e))
        return false;
    for (int i = 0; i < c->plan.count; i++)
        if (image_kernel_find(&c->image, c->plan.launches[i].kernel) == NULL)
            return error_set(e, STATUS_USAGE, "the image has no kernel %s, which the choice %s launches",
                             c->plan.launches[i].kernel, c->variant);
    return true;
}

enum { FILES = 5 };
static const char *const suffixes[FILES] = {"cu", "cubin", "ptx", "h", "json"}; /* the manifest is the last */

struct emitted {
    char *path, *temporary;
    const void *bytes;
    size_t size;
};

static bool write_temporary(const struct emitted *f, struct error *e)
{
    FILE *file = fopen(f->temporary, "wb");
    bool written = file != NULL && fwrite(f->bytes, 1, f->size, file) == f->size;
    int why = errno;
    if (file != NULL && fclose(file) != 0 && written) {
        written = false;
        why = errno;
    }
    return written || error_set(e, STATUS_USAGE, "%s: %s", f->path, strerror(why));
}

static bool write_files(const struct emitted files[FILES], struct error *e)
{
    bool written = true;
    for (int i = 0; i < FILES && written; i++)
        written = write_temporary(&files[i], e);
    if (written)
        unlink(files[FILES - 1].path); /* an old manifest must not stand beside new files */
    for (int i = 0; i < FILES && written; i++)
        written = rename(files[i].temporary, files[i].path) == 0 ||
                  error_set(e, STATUS_USAGE, "%s: %s", files[i].path, strerror(errno));
    for (int i = 0; i < FILES && !written; i++)
        unlink(files[i].temporary);
    return written;
}

static char *manifest_text(const struct choice *c, struct error *e)
{
    json_t *manifest = emit_manifest(c, e);
    if (manifest == NULL)
        return NULL;
    char *dumped = json_dumps(manifest, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    char *text = dumped == NULL ? NULL : must_format("%s\n", dumped);
    if (dumped == NULL)
        error_set(e, STATUS_USAGE, "the manifest of %s cannot be written as JSON", c->variant);
    free(dumped);
    json_decref(manifest);
    return text;
}

bool emit_choice(const struct choice *c, const char *folder, struct error *e)
{
    if (!check_image(c, e))
        return false;
    char *cu = emit_cu_text(c, e);
    char *header = cu == NULL ? NULL : header_text(c, e);
    char *manifest = header == NULL ? NULL : manifest_text(c, e);
    bool written = manifest != NULL;
    if (written && !make_folders(folder))
        written = error_set(e, STATUS_USAGE, "%s: %s", folder, strerror(errno));
    if (written) {
        char stem[STEM_SIZE];
        choice_stem(c, stem);
        struct emitted files[FILES] = {{.bytes = cu, .size = strlen(cu)},
                                       {.bytes = c->image.cubin, .size = c->image.cubin_size},
                                       {.bytes = c->image.ptx, .size = c->image.ptx_size},
                                       {.bytes = header, .size = strlen(header)},
                                       {.bytes = manifest, .size = strlen(manifest)}};
        for (int i = 0; i < FILES; i++) {
            files[i].path = must_format("%s/%s.%s", folder, stem, suffixes[i]);
            files[i].temporary = must_format("%s/.%s.%s.%d", folder, stem, suffixes[i], (int)getpid());
        }
        written = write_files(files, e);
        for (int i = 0; i < FILES; i++) {
            free(files[i].path);
            free(files[i].temporary);
        }
    }
    free(manifest);
    free(header);
    free(cu);
    return written;
}
