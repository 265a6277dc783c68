/* The emitted .h: the cubin as an array and a driver-API launcher, for C and C++. */
#ifndef TUNER_EMIT_HEADER_TEXT_H
#define TUNER_EMIT_HEADER_TEXT_H

#include "tuner/emit/choice.h"

/* The caller frees the text; NULL and `e` on failure. */
char *header_text(const struct choice *c, struct error *e);

#endif
