/* The commands of softmax-tune, a file each (command_<name>.c). */
#ifndef TUNER_CLI_COMMAND_H
#define TUNER_CLI_COMMAND_H

#include "tuner/cli/options.h"

#include <argp.h>

struct command {
    const char *name;
    int (*run)(const struct options *o,
               struct error *e);     /* the exit status; `e` is set where it is not STATUS_DONE */
    bool takes_problem, takes_space; /* which groups of options it has */
    bool problem_optional;           /* it has work to do without a problem, too */
    bool needs_rows;                 /* it chooses by time, so that M = 0 is refused */
    const struct argp_option *own;   /* the options that only some commands have; ends with {0} */
    const char *arguments;           /* what else the synopsis shows: " V..." */
    const char *summary;             /* for the list of commands */
    const char *title;               /* for the first line of its page */
    const char *text, *examples;     /* for its page; lines of at most 100 columns */
    const char *files;               /* likewise; NULL for none */
};

int command_tune(const struct options *o, struct error *e);
int command_list(const struct options *o, struct error *e);
int command_source(const struct options *o, struct error *e);
int command_check(const struct options *o, struct error *e);
int command_bench(const struct options *o, struct error *e);
int command_confirm(const struct options *o, struct error *e);
int command_store(const struct options *o, struct error *e);
int command_gpus(const struct options *o, struct error *e);

/* The table of commands, tune first; ends with a NULL name. */
extern const struct command commands[];

#endif
