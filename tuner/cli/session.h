/* Session: what every command that looks at a problem has open: GPU, device, compiler and spaces. */
#ifndef TUNER_CLI_SESSION_H
#define TUNER_CLI_SESSION_H

#include "tuner/cli/options.h"
#include "tuner/compile/compiler.h"
#include "tuner/devices/device_client.h"

enum session_need {
    NEED_NO_DEVICE, /* a GPU is looked for only where its architecture is asked for */
    NEED_DEVICE,    /* the GPU where it is here, else the emulator; none with --device none */
    NEED_GPU,       /* a GPU to measure on, else status 3 */
};

struct session {
    const struct options *options;
    struct gpu_list gpus;
    struct gpu gpu; /* the one that is tuned for */
    bool gpu_named; /* --gpu was given */
    struct compiler *compiler;
    struct generator *space;      /* the user's; NULL where the command takes none */
    struct generator *article;    /* configs/article.lua, for v1 to v5 */
    struct device_client *device; /* NULL: nothing can be run */
    bool measures;                /* the device is the GPU that is tuned for */
    struct store *store;          /* NULL: off, or not opened (session_store.h) */
    struct gpu_watch *watch;      /* of the GPU, likewise */
};

/* Opens what the command needs; warnings go to standard error. Cleared by session_close(), also after a
 * failure. */
bool session_open(struct session *s, const struct options *o, enum session_need need, struct error *e);
void session_close(struct session *s);

/* Tells spaces and device the problem. Where `device` is false, or there is none, the spaces alone. */
bool session_set_problem(struct session *s, const struct problem *p, bool device, bool thorough,
                         struct error *e);

/* Tells the device, which there is, alone. */
bool session_set_device_problem(struct session *s, const struct problem *p, struct error *e);

#endif
