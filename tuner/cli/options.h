/* Options: what the command line asks for, checked. */
#ifndef TUNER_CLI_OPTIONS_H
#define TUNER_CLI_OPTIONS_H

#include "generator/generator.h"
#include "tuner/race/strategy.h"

enum device_wish { WISH_AUTO, WISH_CUDA, WISH_EMULATOR, WISH_NONE };

/* Texts belong to argv unless it says otherwise. */
struct options {
    const struct command *command;
    char *again; /* owned: the command line, quoted for a shell */

    struct problem *problems; /* owned; one for each pair of M and N, or of --problems */
    int problem_count;
    const char *arch;     /* "sm_120"; NULL for native, the GPU here */
    const char *gpu_name; /* NULL where it was not given */

    struct generator_options space; /* its pins are owned */
    int pin_count;

    enum device_wish device;
    int device_index;
    int jobs; /* 0: one a core */
    double tolerance;
    const char *store; /* NULL for the default */
    bool json, quiet;

    double seconds; /* INFINITY for no bound */
    enum strategy_kind strategy;
    uint64_t seed;
    const char *output;
    bool batch_invariant; /* one variant for all M of a problem */
    bool count_only;
    const char **variants; /* owned array: as typed */
    int variant_count;
    const char **rivals; /* owned array */
    int rival_count;
    int limit;    /* variants to check; 0 for all */
    int64_t rows; /* of one launch while checking; 0 lets the device choose */
    const char *folder;
    const char **words; /* owned array: what the store is to do */
    int word_count;
    double older_than_days; /* INFINITY where it was not given */
    int64_t most_bytes;     /* -1 likewise */
};

/* Reads the command line. Ends the program, after one line that names the place, on wrong usage (status 2),
   and for
   --help and --version. options_clear() frees. */
void options_parse(int argc, char **argv, struct options *o);
void options_clear(struct options *o);

#endif
