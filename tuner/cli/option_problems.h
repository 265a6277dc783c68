/* The problems that a command line asks for: of lists, or of a file. Each function that fails fills `e`
 * (status 2). */
#ifndef TUNER_CLI_OPTION_PROBLEMS_H
#define TUNER_CLI_OPTION_PROBLEMS_H

#include "generator/problem.h"
#include "tuner/cli/option_values.h"

struct problem_shape {
    struct problem problem; /* all but M and N; strides 0 where they were not given */
    bool out_given;         /* the output's type was; else it is the input's */
};

/* One problem for each pair of M (DEFAULT_M where the list is empty) and N. *problems is the caller's, also
   after a failure. */
bool problems_of_lists(const struct problem_shape *shape, const struct integer_list *M,
                       const struct integer_list *N, struct problem **problems, int *count, struct error *e);

/* A file with a JSON array, at least one object with the manifest's fields (problem_of_json) and no others.
   *problems is the caller's, also after a failure. */
bool problems_of_file(const char *path, struct problem **problems, int *count, struct error *e);

/* Keeps the first of equal problems, and says so on standard error unless `quiet`. */
void problems_drop_repeated(struct problem *problems, int *count, bool quiet);

/* Refuses M = 0, where nothing is left that could take time. */
bool problems_have_rows(const struct problem *problems, int count, struct error *e);

#endif
