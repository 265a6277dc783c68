/* What the store knows of the variants of a space, and why not of the others. */
#ifndef TUNER_CLI_STORE_EXPLAIN_LIST_H
#define TUNER_CLI_STORE_EXPLAIN_LIST_H

#include "tuner/cli/session.h"

/* Explains the variants that --variant names, each in a line of its own, or all of the space, summed up by
   what differs. Prints, or appends to "problems" of `document` where that is not NULL. */
bool store_explain_list(struct session *s, const struct problem *p, json_t *document, struct error *e);

#endif
