#include "tuner/model/model_traits.h"

#include <math.h>
#include <string.h>

/* Instructions, counted in what ptxas makes of the templates. */
static const double expf_instructions = 8, ex2_instructions = 3;
static const double pass_instructions =
    2; /* an element and pass, beside its exponentials: maximum or add, address */

static const double tile_instructions = 3; /* an element: into shared memory and out of it */

static bool is_word(const json_t *config, const char *name, const char *word)
{
    const char *text = json_string_value(json_object_get(config, name));
    return text != NULL && strcmp(text, word) == 0;
}

static double number_of(const json_t *config, const char *name, double otherwise)
{
    const json_t *value = json_object_get(config, name);
    return json_is_integer(value) && json_integer_value(value) > 0 ? (double)json_integer_value(value)
                                                                   : otherwise;
}

static double exponentials(const struct model_traits *t, const json_t *config, double passes, double elements,
                           enum operation op)
{
    double last = op == OP_SOFTMAX ? 1 : 0; /* a logarithm of the sum needs none for the result */
    if (is_word(config, "cache", "registers"))
        return 1;
    if (t->held) /* packed or in shared memory: as they were read */
        return 1 + last;
    if (passes >= 3)
        return 1 + last;
    return (is_word(config, "update", "vector") ? 1 + 1 / elements : 2) + last;
}

/* How long an exchange between blocks takes, in barriers of a block; over a grid it grows with the blocks. */
static const double cluster_barriers = 3, grid_barriers = 24, grid_block_barriers = 0.125;

static double barriers_of(const json_t *config, double threads, double passes, bool alone)
{
    if (alone || is_word(config, "reduction", "none"))
        return 0;
    if (is_word(config, "scope", "cluster"))
        return cluster_barriers;
    if (is_word(config, "scope", "grid"))
        return grid_barriers + grid_block_barriers * number_of(config, "blocks", 1);
    if (is_word(config, "reduction", "tree"))
        return 2 * (1 + log2(fmax(threads, 2)));
    if (is_word(config, "reduction", "butterfly"))
        return passes >= 3 ? 2 : 1;
    return 4;
}

/* Instructions, an element, for what is before a row's first whole vector and after its last one. */
static double edge_instructions(const struct problem *p, const struct model_traits *t, double size)
{
    const double each = 24; /* of a thread, for each edge element's turn and for finding where they are */
    bool whole = fmod((double)p->x_stride * size, t->vec_bytes) == 0 && fmod(p->align, t->vec_bytes) == 0;
    double vec = t->vec_bytes / size, edges = fmin((double)p->N, 2 * (vec - 1));
    return whole ? 0 : each * (1 + ceil(edges / t->row_threads)) * t->row_threads / (double)p->N;
}

struct model_traits model_traits_of(const struct problem *p, const json_t *config,
                                    const struct launch *launch)
{
    struct model_traits t = {0};
    double threads = (double)launch->block[0] * launch->block[1] * launch->block[2];
    double passes = number_of(config, "passes", 3), size = dtype_size(p->dtype_in);
    const json_t *cache = json_object_get(config, "cache");
    t.held = cache != NULL && !is_word(config, "cache", "none");
    t.reads = t.held ? 1 : passes;
    t.vec_bytes = fmax(size, number_of(config, "vec_bytes", size));
    t.row_threads = threads * number_of(config, "blocks", 1);
    if (is_word(config, "scope", "thread"))
        t.row_threads = 1;
    else if (is_word(config, "scope", "warp") || is_word(config, "scope", "tile"))
        t.row_threads = number_of(config, "lanes", 32);
    t.exps = exponentials(&t, config, passes, t.vec_bytes / size, p->op);
    bool fast = is_word(config, "exp", "ex2");
    double conversions = (size < 4 ? t.reads : 0) + (dtype_size(p->dtype_out) < 4 ? 0.5 : 0);
    t.instructions = t.exps * (fast ? ex2_instructions : expf_instructions) + passes * pass_instructions +
                     conversions + (t.reads + 1) * size / t.vec_bytes;
    t.instructions += is_word(config, "scope", "tile") ? tile_instructions : edge_instructions(p, &t, size);
    t.asks = is_word(config, "programmatic", "prefetch");
    t.barriers = barriers_of(config, threads, passes, t.row_threads <= 32);
    return t;
}
