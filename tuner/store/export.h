/* What is stored of one problem, in the formats of others: Kernel Tuner's cache and T4's results. */
#ifndef TUNER_STORE_EXPORT_H
#define TUNER_STORE_EXPORT_H

#include "tuner/store/store.h"

/* Whose trials. Of several GPUs or environments that fit, those of the latest trial. */
struct export_selection {
    const struct problem *problem;
    const char *gpu;        /* the driver's name; NULL for any */
    int compute_capability; /* 90; 0 for any */
    const char *space;      /* its name; NULL for the one with the most trials */
};

/* The whole file. The caller frees it. NULL and status 2 where nothing, or nothing timed, is stored that
   fits; 3 where the store cannot be read. */
char *export_kernel_tuner(struct store *s, const struct export_selection *selection, struct error *e);
char *export_t4(struct store *s, const struct export_selection *selection, struct error *e);

#endif
