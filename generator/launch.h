/* How a variant is launched: the manifest's `launches` and workspace. */
#ifndef GENERATOR_LAUNCH_H
#define GENERATOR_LAUNCH_H

#include "generator/error.h"
#include "generator/problem.h"

enum { LAUNCHES_MAX = 4, LAUNCH_ARGS_MAX = 8, EXPRESSION_SIZE = 160 };

enum argument { ARG_X, ARG_Y, ARG_WORKSPACE, ARG_M, ARG_N, ARG_X_STRIDE, ARG_Y_STRIDE, ARG_SCALE };
enum argument_type { TYPE_PTR, TYPE_I32, TYPE_I64, TYPE_F32 };

struct launch {
    char kernel[STEM_SIZE];
    char grid_of_M[EXPRESSION_SIZE]; /* of M and sms: the grid's x extent; y and z are 1 */
    int block[3], cluster[3];
    int dynamic_smem_bytes;
    bool cooperative, programmatic;
    int arg_count;
    struct {
        enum argument name;
        enum argument_type type;
    } args[LAUNCH_ARGS_MAX];
};

struct launch_plan {
    int count;
    struct launch launches[LAUNCHES_MAX]; /* in order, on one stream */
    char workspace_of_M[EXPRESSION_SIZE]; /* bytes; zero-filled once, left ready for the next run by every run
                                           */
};

/* Integers, M, sms, + - *, / (rounding down), ceil(a, b) (a / b rounded up), min(a, b), max(a, b),
   parentheses. Division by zero and overflow are errors. */
bool expression_evaluate(const char *text, int64_t M, int64_t sms, int64_t *value, struct error *e);

/* The same expression as C text, for launchers: `long long` arithmetic on variables M and sms, with
   softmax_ceil, softmax_min and softmax_max for the calls. The caller frees it; NULL and `e` where it is no
   expression. */
char *expression_to_c(const char *text, struct error *e);

/* The manifest's array; `M` and `sms` give the values of `grid`. A new reference, NULL on an error. */
json_t *launch_plan_to_json(const struct launch_plan *plan, int64_t M, int64_t sms, struct error *e);

/* Reads `launches` (an array as above; `grid` may be absent) and `workspace_of_M` (may be NULL: "0"). */
bool launch_plan_of_json(const json_t *launches, const json_t *workspace_of_M, struct launch_plan *plan,
                         struct error *e);

const char *argument_name(enum argument a);
const char *argument_type_name(enum argument_type t);

#endif
