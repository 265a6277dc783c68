#include "tuner/emit/header_text.h"

#include "tuner/emit/comment_text.h"
#include "tuner/emit/launcher_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void write_head(FILE *file, const struct choice *c, const char *stem)
{
    const char *scale = c->problem.scaled ? ", scale" : "";
    fprintf(
        file,
        "/* %s: a kernel and its launcher for the CUDA driver API, for C and C++.\n   Made by softmax-tune.\n\n",
        stem);
    comment_text_write(file, c);
    fprintf(file,
            "\n"
            "   Use, in a context of an %s GPU (the primary context, which the runtime API uses, is one):\n"
            "       struct %s_module module;\n"
            "       CUresult error = %s_load(&module);\n"
            "       ... error = %s(&module, x, y, M%s, workspace, stream);\n"
            "       %s_unload(&module); */\n",
            c->gpu.arch, stem, stem, stem, scale, stem);
}

/* The guard's name: the stem in capitals. */
static void write_guard(FILE *file, const char *stem)
{
    char guard[STEM_SIZE];
    size_t i = 0;
    for (; stem[i] != '\0' && i + 1 < sizeof guard; i++)
        guard[i] = isalnum((unsigned char)stem[i]) ? (char)toupper((unsigned char)stem[i]) : '_';
    guard[i] = '\0';
    fprintf(file, "#ifndef %s_H\n#define %s_H\n\n", guard, guard);
}

static void write_cubin(FILE *file, const struct choice *c, const char *stem)
{
    fprintf(file, "/* cuModuleLoadData() wants an aligned image. */\n"
                  "#ifndef SOFTMAX_TUNE_ALIGNED\n"
                  "#ifdef __cplusplus\n"
                  "#define SOFTMAX_TUNE_ALIGNED alignas(16)\n"
                  "#elif __STDC_VERSION__ >= 201112L\n"
                  "#define SOFTMAX_TUNE_ALIGNED _Alignas(16)\n"
                  "#else\n"
                  "#define SOFTMAX_TUNE_ALIGNED __attribute__((aligned(16)))\n"
                  "#endif\n"
                  "#endif\n\n");
    fprintf(file, "SOFTMAX_TUNE_ALIGNED static const unsigned char %s_cubin[%zu] = {", stem,
            c->image.cubin_size);
    const unsigned char *bytes = c->image.cubin;
    for (size_t i = 0; i < c->image.cubin_size; i++)
        fprintf(file, "%s%d,", i % 24 == 0 ? "\n    " : "", bytes[i]);
    fprintf(file, "\n};\n\n");
}

char *header_text(const struct choice *c, struct error *e)
{
    char stem[STEM_SIZE], *text = NULL;
    size_t size = 0;
    choice_stem(c, stem);
    FILE *file = open_memstream(&text, &size);
    write_head(file, c, stem);
    write_guard(file, stem);
    fprintf(file, "#include <cuda.h>\n#include <stddef.h>\n#include <string.h>\n\n");
    write_cubin(file, c, stem);
    bool written = launcher_text_driver(file, c, stem, e);
    fprintf(file, "\n#endif\n");
    fclose(file);
    if (written)
        return text;
    free(text);
    return NULL;
}
