/* The names of options, looked at before argp reads them: it would say no more than that one is unknown. */
#ifndef TUNER_CLI_OPTION_NAMES_H
#define TUNER_CLI_OPTION_NAMES_H

#include <argp.h>

/* Ends the program, after one line and with status 2, at the first word of the command line that looks like
   an option and is none of `all` (which ends with {0}) nor an abbreviation of one, or that lacks its value,
   or has one too many. `program` begins the line: "softmax-tune list". */
void option_names_check(const char *program, int argc, char **argv, const struct argp_option *all);

#endif
