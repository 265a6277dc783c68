/* A GPU that is a script, in the place of device_client.c: for tests of the commands that measure. */
#ifndef TESTS_SCRIPTED_GPU_H
#define TESTS_SCRIPTED_GPU_H

#include <stdbool.h>
#include <stdint.h>

/* All zero: an H200 without noise on which every kernel is right. */
struct gpu_script {
    const char *name;                          /* what the GPU says it is; NULL for an H200 */
    bool all_wrong;                            /* every kernel is wrong on rows that begin with -inf; */
    uint64_t wrong_code;                       /* or an image of this hash; 0 for none; */
    const char *wrong_kernel;                  /* or a kernel with this in its name; NULL for none; */
    int wrong_threads;                         /* or blocks of that many; 0 for none */
    int faulty_threads;                        /* blocks of that many fault; 0 for none */
    int unsteady_threads;                      /* likewise, give rows other bits at another M */
    bool hot_differs;                          /* blocks of 128 threads are the fastest with hot buffers */
    double noise;                              /* of samples, as a part of them */
    double (*time_us)(int64_t M, int threads); /* of a launch; NULL: as scripted_gpu.c has it */
    int kill_at; /* the verification in which the process is killed; 0 for none */

    int verified; /* how many verifications there were */
    int measured; /* the most entries of one measurement */
};

/* Shared with the processes that are forked; NULL before it is opened. */
extern struct gpu_script *script;

bool script_open(void);

#endif
