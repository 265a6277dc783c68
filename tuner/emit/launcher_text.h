/* Launchers: the C text that launches a choice's plan, for the runtime API (the .cu) and the driver API (the
 * .h). */
#ifndef TUNER_EMIT_LAUNCHER_TEXT_H
#define TUNER_EMIT_LAUNCHER_TEXT_H

#include "tuner/emit/choice.h"

#include <stdio.h>

/* The launcher's text under what the .cu needs for it: C++ for nvcc. */
bool launcher_text_runtime(FILE *file, const struct choice *c, const char *stem, struct error *e);

/* `struct <stem>_module`, <stem>_load(), <stem>_unload(), <stem>_workspace_bytes() and <stem>(), for C and
 * C++. */
bool launcher_text_driver(FILE *file, const struct choice *c, const char *stem, struct error *e);

#endif
