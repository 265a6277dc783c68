#include "tuner/compile/ptxas_log.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kernel that "Compiling entry function 'NAME' for 'sm_90'" names. */
static struct image_kernel *named_kernel(const char *line, struct image_kernel *kernels, int count)
{
    const char *name = strstr(line, "Compiling entry function '");
    if (name == NULL)
        return NULL;
    name = strchr(name, '\'') + 1;
    size_t length = strcspn(name, "'");
    for (int i = 0; i < count; i++)
        if (strlen(kernels[i].name) == length && memcmp(kernels[i].name, name, length) == 0)
            return &kernels[i];
    return NULL;
}

/* The integer before `unit` in "64 bytes smem"; 0 where the line has none. */
static int figure_before(const char *line, const char *unit)
{
    const char *at = strstr(line, unit);
    if (at == NULL)
        return 0;
    while (at > line && isdigit((unsigned char)at[-1]))
        at--;
    return (int)strtol(at, NULL, 10);
}

int ptxas_log_read(const char *log, struct image_kernel *kernels, int kernel_count)
{
    struct image_kernel *kernel = NULL;
    int found = 0;
    while (*log != '\0') {
        size_t length = strcspn(log, "\n");
        char line[1024];
        snprintf(line, sizeof line, "%.*s", (int)(length < sizeof line ? length : sizeof line - 1), log);
        log += length + (log[length] == '\n');

        if (strstr(line, "Compiling entry function") != NULL) {
            kernel = named_kernel(line, kernels, kernel_count);
        } else if (kernel != NULL && strstr(line, "bytes stack frame") != NULL) {
            /* One such line for the kernel and one for each function that it calls. */
            kernel->spill_bytes +=
                figure_before(line, " bytes spill stores") + figure_before(line, " bytes spill loads");
            int stack = figure_before(line, " bytes stack frame");
            kernel->stack_bytes = stack > kernel->stack_bytes ? stack : kernel->stack_bytes;
        } else if (kernel != NULL && strstr(line, " registers") != NULL) {
            kernel->registers = figure_before(line, " registers");
            kernel->static_smem_bytes = figure_before(line, " bytes smem");
            int stack = figure_before(line, " bytes cumulative stack size");
            kernel->stack_bytes = stack > kernel->stack_bytes ? stack : kernel->stack_bytes;
            kernel = NULL;
            found++;
        }
    }
    return found;
}
