/* What the .cu consists of: head comment, kernel, launcher. */
#ifndef TUNER_EMIT_EMITTED_TEXT_H
#define TUNER_EMIT_EMITTED_TEXT_H

#include "generator/error.h"

#include <stddef.h>

/* The kernel's part of a .cu text that emit_cu_text() made: points into it. False when the marks are not
 * there. */
bool emitted_text_kernel(const char *text, const char **kernel, size_t *size);

#endif
