#include "tuner/race/strategy.h"

#include "generator/error.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WANDER = 4 }; /* local: every so many are not a neighbour, so that a valley is left again */

struct keyed {
    const char *key;
    int variant;
};

struct strategy {
    enum strategy_kind kind;
    struct strategy_space space;
    uint64_t random;
    int *order; /* a permutation of the variants; what is left of it begins at `at` */
    int at;
    bool *given;
    int given_count;
    /* STRATEGY_LOCAL */
    struct keyed *sorted;        /* by key */
    double *costs;               /* NaN until it is told, and once its neighbours were looked at */
    int *neighbours;             /* of the centre, in a random order */
    int neighbour_count, center; /* center: -1 before the first is told */
    double center_cost;
};

static uint64_t next_random(uint64_t *state) /* splitmix64 */
{
    uint64_t z = *state += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
}

static void shuffle(int *list, int count, uint64_t *state)
{
    for (int i = count - 1; i > 0; i--) {
        int j = (int)(next_random(state) % (uint64_t)(i + 1)), held = list[i];
        list[i] = list[j];
        list[j] = held;
    }
}

/* ---- the order by expectation ---- */

struct expected {
    double cost;
    int rank, variant; /* rank: among equal ones */
};

static int by_expectation(const void *a, const void *b)
{
    const struct expected *x = a, *y = b;
    if (isnan(x->cost) != isnan(y->cost))
        return isnan(x->cost) - isnan(y->cost);
    if (x->cost < y->cost || x->cost > y->cost)
        return x->cost < y->cost ? -1 : 1;
    return x->rank - y->rank;
}

/* `order` is the rank of equal ones, and of those of which nothing is expected, which come last. */
static void sort_by_expectation(struct strategy *s)
{
    int count = s->space.count;
    struct expected *list = must_malloc((size_t)(count + 1) * sizeof *list);
    for (int i = 0; i < count; i++) {
        int v = s->order[i];
        double cost = s->space.expected != NULL ? s->space.expected[v] : NAN;
        list[i] = (struct expected){.cost = cost, .rank = i, .variant = v};
    }
    qsort(list, (size_t)count, sizeof *list, by_expectation);
    for (int i = 0; i < count; i++)
        s->order[i] = list[i].variant;
    free(list);
}

/* ---- neighbours ---- */

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct keyed *)a)->key, ((const struct keyed *)b)->key);
}

static void sort_keys(struct strategy *s)
{
    s->sorted = must_malloc((size_t)(s->space.count + 1) * sizeof *s->sorted);
    for (int i = 0; i < s->space.count; i++)
        s->sorted[i] = (struct keyed){.key = s->space.keys[i], .variant = i};
    qsort(s->sorted, (size_t)s->space.count, sizeof *s->sorted, by_key);
}

static void print_value(const json_t *value, char text[64])
{
    if (json_is_string(value))
        snprintf(text, 64, "%s", json_string_value(value));
    else if (json_is_boolean(value))
        snprintf(text, 64, "%s", json_is_true(value) ? "true" : "false");
    else
        snprintf(text, 64, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
}

/* Adds the variant whose key is the first `head` bytes of `key`, `value` and `tail`, if it is one. */
static void add_neighbour(struct strategy *s, const char *key, int head, const char *value, const char *tail)
{
    char *text = must_format("%.*s%s%s", head, key, value, tail);
    const struct keyed wanted = {.key = text},
                       *found = bsearch(&wanted, s->sorted, (size_t)s->space.count, sizeof wanted, by_key);
    if (found != NULL && !s->given[found->variant])
        s->neighbours[s->neighbour_count++] = found->variant;
    free(text);
}

static void find_neighbours(struct strategy *s)
{
    const char *key = s->space.keys[s->center], *at = key;
    size_t i, k;
    json_t *parameter, *value;
    s->neighbour_count = 0;
    json_array_foreach(s->space.parameters, i, parameter)
    {
        at += strcspn(at, "=");
        at += *at == '=';
        const char *tail = at + strcspn(at, ",");
        json_array_foreach(json_object_get(parameter, "values"), k, value)
        {
            char text[64];
            print_value(value, text);
            if (s->neighbour_count < s->space.count)
                add_neighbour(s, key, (int)(at - key), text, tail);
        }
        at = tail;
    }
    shuffle(s->neighbours, s->neighbour_count, &s->random);
}

/* Goes on from the best variant whose neighbours were not looked at. */
static bool move_center(struct strategy *s)
{
    int best = -1;
    for (int i = 0; i < s->space.count; i++)
        if (isfinite(s->costs[i]) && (best < 0 || s->costs[i] < s->costs[best]))
            best = i;
    if (best < 0)
        return false;
    s->center = best;
    s->center_cost = s->costs[best];
    s->costs[best] = NAN;
    find_neighbours(s);
    return true;
}

static int next_neighbour(struct strategy *s)
{
    do {
        while (s->neighbour_count > 0) {
            int v = s->neighbours[--s->neighbour_count];
            if (!s->given[v])
                return v;
        }
    } while (move_center(s));
    return -1;
}

/* ---- the interface ---- */

struct strategy *strategy_open(enum strategy_kind kind, const struct strategy_space *space, uint64_t seed)
{
    struct strategy *s = must_calloc(1, sizeof *s);
    *s = (struct strategy){.kind = kind, .space = *space, .random = seed, .center = -1};
    size_t count = (size_t)space->count + 1;
    s->order = must_malloc(count * sizeof *s->order);
    s->given = must_calloc(count, sizeof *s->given);
    for (int i = 0; i < space->count; i++)
        s->order[i] = i;
    if (kind != STRATEGY_EXHAUSTIVE)
        shuffle(s->order, space->count, &s->random);
    if (kind != STRATEGY_RANDOM)
        sort_by_expectation(s);
    if (kind == STRATEGY_LOCAL) {
        s->costs = must_malloc(count * sizeof *s->costs);
        s->neighbours = must_malloc(count * sizeof *s->neighbours);
        for (int i = 0; i < space->count; i++)
            s->costs[i] = NAN;
        sort_keys(s);
    }
    return s;
}

void strategy_close(struct strategy *s)
{
    if (s == NULL)
        return;
    free(s->order);
    free(s->given);
    free(s->sorted);
    free(s->costs);
    free(s->neighbours);
    free(s);
}

int strategy_next(struct strategy *s)
{
    int v = -1;
    if (s->kind == STRATEGY_LOCAL && s->given_count % WANDER != 0)
        v = next_neighbour(s);
    while (v < 0 && s->at < s->space.count) {
        v = s->order[s->at++];
        v = s->given[v] ? -1 : v;
    }
    if (v < 0)
        return -1;
    s->given[v] = true;
    s->given_count++;
    return v;
}

void strategy_tell(struct strategy *s, int variant, double cost)
{
    if (s->kind != STRATEGY_LOCAL)
        return;
    s->costs[variant] = cost;
    if (isfinite(cost) && (s->center < 0 || cost < s->center_cost))
        move_center(s);
}
