/* The comment at the head of an emitted file. */
#ifndef TUNER_EMIT_COMMENT_TEXT_H
#define TUNER_EMIT_COMMENT_TEXT_H

#include "tuner/emit/choice.h"

#include <stdio.h>

/* Writes problem, variant, launches and how the variant was chosen; no comment marks, lines of "   ..." that
   follow a first line. Says nothing of the image nor of the last verification: the image is made of this
   text. */
void comment_text_write(FILE *file, const struct choice *c);

#endif
