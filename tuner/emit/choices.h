/* Choices files: measured choices that ship with the program, in kernels/, and answer later requests
   without a GPU.

   {"schema": "softmax-tune/choices/1", "choices": [...]}: each a manifest of basis `measured`, or as much of
   one as its problem, arch, gpu, space, variant and figures; docs/kernels.md says how one is added. */
#ifndef TUNER_EMIT_CHOICES_H
#define TUNER_EMIT_CHOICES_H

#include "tuner/emit/choice.h"

struct stored_choice {
    char *space, *variant;                                          /* owned */
    char gpu[64];                                                   /* where it was measured: "NVIDIA H200" */
    double time_us, time_us_low, time_us_high, limit_us, max_error; /* NaN where it was not stored */
};

/* The choice that the file `document` holds for exactly this problem: of that GPU, else the first of its
   architecture (its `arch` too must be the same: sm_90a is not sm_90). False when there is none. */
bool choices_find(const json_t *document, const struct problem *p, const struct gpu *gpu,
                  struct stored_choice *found);

/* The same over the files that are built in, in the order of their names. */
bool choices_find_built_in(const struct problem *p, const struct gpu *gpu, struct stored_choice *found);

void stored_choice_clear(struct stored_choice *s);

/* Gives the choice, which is for the GPU c->gpu, its basis and its figures: "measured", or
   "measured-on:<gpu>" where the GPU is another. */
void stored_choice_tell(const struct stored_choice *s, struct choice *c);

#endif
