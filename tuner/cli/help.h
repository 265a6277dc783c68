/* --help and --usage: what a manual page would say. */
#ifndef TUNER_CLI_HELP_H
#define TUNER_CLI_HELP_H

#include "tuner/cli/command.h"

/* The whole page of a command; `options` are all that it takes, group by group, each after its header. */
void help_print(const struct command *c, const struct argp_option *options);
/* The synopsis alone. */
void help_print_usage(const struct command *c);

#endif
