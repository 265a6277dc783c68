/* Choosing: makes of a trial the choice that is emitted. */
#ifndef TUNER_CLI_CHOOSE_H
#define TUNER_CLI_CHOOSE_H

#include "tuner/cli/session.h"
#include "tuner/emit/choices.h"
#include "tuner/race/race.h"

/* What the space's launch function is told of an image: of several kernels the largest need of each. */
struct image_facts choose_facts(const struct image *image);

/* Generates the trial's source with the full stem as the kernel's name, compiles exactly the .cu text that
   will be emitted, and makes sure that this is the machine code that was timed. Its evidence is that of
   `stored`, or, where this is NULL, the trial's: times where it was measured, with `limit_us`, else the
   prediction. Status 3 when the code differs. The choice is the caller's. */
bool choose_trial(struct session *s, const struct problem *p, const struct trial *t, double limit_us,
                  const struct stored_choice *stored, struct choice *choice, struct error *e);

/* The choice as it is before it is compiled, for the text of its .cu. */
bool choose_uncompiled(struct session *s, const struct problem *p, const struct trial *t, double limit_us,
                       const struct stored_choice *stored, struct choice *choice, struct error *e);

/* Verifies an image on the session's device and waits for the verdict, whose reason and counts are the
 * caller's. */
bool choose_run(struct session *s, const struct image *image, const struct launch_plan *plan,
                struct device_verdict *verdict, struct error *e);

/* Verifies the choice's own image on the session's device, which has been told the problem, and stores its
   max_error. Status 1 when it is wrong. */
bool choose_verify(struct session *s, struct choice *choice, struct error *e);

#endif
