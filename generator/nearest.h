/* "Did you mean": which of the known names is nearest to what was typed. */
#ifndef GENERATOR_NEAREST_H
#define GENERATOR_NEAREST_H

#include <stddef.h>

enum { HINT_SIZE = 128 };

/* Holds pointers to what it was given, all of which must outlive it. */
struct nearest {
    const char *typed;
    size_t length;    /* of `typed`, which need not end there */
    const char *name; /* the nearest so far; NULL while none is near enough */
    int rank;         /* of `name`: less is nearer */
};

struct nearest nearest_to(const char *typed, size_t length);

/* One of the known names. Near are those that differ in at most a third of their letters (one left out, put
   in, replaced, or two exchanged, whatever their case), then those of which what was typed is a part, or the
   other way round; of equals the first is kept. */
void nearest_offer(struct nearest *n, const char *name);

/* ": did you mean 'threads'?" for the end of a message, or "". Returns `text`. */
const char *nearest_hint(const struct nearest *n, char text[HINT_SIZE]);

#endif
