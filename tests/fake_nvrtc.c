/* An NVRTC that does what a word in the source says: CRASH, HANG, EXHAUST, GARBAGE, SILENT, or MEET <folder>
   (returns once two processes are in it). Any other source becomes a kernel called "fake". */
#include "tests/fake_cubin.h"

#include <dirent.h>
#include <fcntl.h>
#include <nvrtc.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

struct _nvrtcProgram {
    char text[4096];
    unsigned char cubin[FAKE_CUBIN_SIZE];
    const char *log, *ptx;
};

nvrtcResult nvrtcVersion(int *major, int *minor)
{
    *major = 13;
    *minor = 0;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetNumSupportedArchs(int *count)
{
    *count = 2;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int *archs)
{
    archs[0] = 90;
    archs[1] = 120;
    return NVRTC_SUCCESS;
}

const char *nvrtcGetErrorString(nvrtcResult result)
{
    return result == NVRTC_SUCCESS ? "NVRTC_SUCCESS" : "NVRTC_ERROR_COMPILATION";
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *text, const char *name, int header_count,
                               const char *const *headers, const char *const *header_names)
{
    (void)name, (void)header_count, (void)headers, (void)header_names;
    *program = calloc(1, sizeof **program);
    snprintf((*program)->text, sizeof(*program)->text, "%s", text);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
    free(*program);
    return NVRTC_SUCCESS;
}

static void meet(const char *folder)
{
    char path[512];
    snprintf(path, sizeof path, "%.*s/%d", (int)strcspn(folder, " \n"), folder, (int)getpid());
    close(open(path, O_CREAT | O_WRONLY, 0600));
    *strrchr(path, '/') = '\0';
    for (int present = 0; present < 2 + 2;) { /* and . and .. */
        DIR *listing = opendir(path);
        for (present = 0; listing != NULL && readdir(listing) != NULL; present++)
            ;
        closedir(listing);
    }
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int option_count, const char *const *options)
{
    (void)option_count, (void)options;
    const char *text = program->text, *folder = strstr(text, "MEET ");
    if (strstr(text, "CRASH") != NULL) {
        signal(SIGSEGV, SIG_DFL);
        raise(SIGSEGV);
    }
    while (strstr(text, "HANG") != NULL)
        pause();
    if (strstr(text, "EXHAUST") != NULL) {
        void *volatile block = malloc((size_t)64 << 30); /* volatile: else clang takes it for granted */
        if (block == NULL)
            abort();
        free(block);
    }
    if (folder != NULL)
        meet(folder + 5);
    program->log = "ptxas info    : Compiling entry function 'fake' for 'sm_90'\n"
                   "ptxas info    : Used 7 registers, 64 bytes smem\n";
    program->ptx = "// a fake compiler\n.version 9.0\n.visible .entry fake()\n{ ret; }\n";
    fake_cubin(program->cubin, "fake", text, 64);
    if (strstr(text, "GARBAGE") != NULL)
        memset(program->cubin, 0xa5, sizeof program->cubin);
    if (strstr(text, "SILENT") != NULL) {
        program->log = "\xff\xfe";
        return NVRTC_ERROR_COMPILATION;
    }
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *size)
{
    *size = strlen(program->log) + 1;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log)
{
    strcpy(log, program->log);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *size)
{
    *size = strlen(program->ptx) + 1;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *ptx)
{
    strcpy(ptx, program->ptx);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *size)
{
    *size = sizeof program->cubin;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *cubin)
{
    memcpy(cubin, program->cubin, sizeof program->cubin);
    return NVRTC_SUCCESS;
}
