#include "tuner/cli/version.h"

#include "generator/generator.h"
#include "tuner/compile/compiler.h"

void version_print(FILE *out)
{
    fprintf(out, "softmax-tune %s\n", SOFTMAX_TUNE_VERSION);
    struct error e;
    struct compiler *compiler = compiler_open(&(struct compiler_options){.jobs = 1}, &e);
    if (compiler != NULL) {
        int major, minor;
        compiler_version(compiler, &major, &minor);
        fprintf(out, "NVRTC %d.%d\n", major, minor);
        compiler_close(compiler);
    } else {
        fprintf(out, "NVRTC is missing: %s\n", e.text);
    }
    fprintf(out, "%s\n", generator_lua_version());
}
