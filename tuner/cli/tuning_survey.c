#include "tuner/cli/tuning_survey.h"

#include "generator/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void survey_begin(struct survey *s, int columns)
{
    *s = (struct survey){.columns = columns, .places = json_object()};
    s->least = must_malloc((size_t)columns * sizeof *s->least);
    for (int i = 0; i < columns; i++)
        s->least[i] = INFINITY;
}

void survey_clear(struct survey *s)
{
    for (int i = 0; i < s->count; i++) {
        for (int column = 0; column < s->columns; column++)
            free(s->variants[i].cells[column].reason);
        free(s->variants[i].cells);
        free(s->variants[i].key);
    }
    free(s->variants);
    free(s->least);
    json_decref(s->places);
    *s = (struct survey){0};
}

static struct survey_variant *add_variant(struct survey *s, const char *key)
{
    if (s->count == s->capacity) {
        s->capacity = s->capacity > 0 ? 2 * s->capacity : 64;
        s->variants = must_realloc(s->variants, (size_t)s->capacity * sizeof *s->variants);
    }
    json_object_set_new(s->places, key, json_integer(s->count));
    struct survey_variant *v = &s->variants[s->count++];
    *v = (struct survey_variant){.key = must_strdup(key),
                                 .cells = must_malloc((size_t)s->columns * sizeof *v->cells)};
    for (int i = 0; i < s->columns; i++)
        v->cells[i] = (struct survey_cell){.time = NAN, .expected = 1};
    return v;
}

static struct survey_variant *find_or_add(struct survey *s, const char *key)
{
    const json_t *place = json_object_get(s->places, key);
    return place != NULL ? &s->variants[json_integer_value(place)] : add_variant(s, key);
}

struct survey_cell *survey_at(struct survey *s, const char *key, int column)
{
    return &find_or_add(s, key)->cells[column];
}

void survey_bar(struct survey *s, const char *key)
{
    find_or_add(s, key)->barred = true;
}

static void find_least(struct survey *s, int column)
{
    s->least[column] = INFINITY;
    for (int i = 0; i < s->count; i++)
        s->least[column] = fmin(s->least[column], s->variants[i].cells[column].time);
}

static void set_time(struct survey *s, struct survey_cell *cell, int column, double time)
{
    bool was_least = cell->time == s->least[column];
    cell->time = time;
    if (was_least)
        find_least(s, column);
    s->least[column] = fmin(s->least[column], time);
}

void survey_time(struct survey *s, const char *key, int column, enum survey_state state, double time)
{
    struct survey_cell *cell = survey_at(s, key, column);
    cell->state = state;
    set_time(s, cell, column, time);
}

void survey_allow(struct survey *s, const char *key, int column, double expected)
{
    struct survey_cell *cell = survey_at(s, key, column);
    cell->state = SURVEY_VALID;
    cell->expected = fmax(1, expected);
}

void survey_fail(struct survey *s, const char *key, int column, const char *reason)
{
    struct survey_cell *cell = survey_at(s, key, column);
    cell->state = SURVEY_FAILED;
    set_time(s, cell, column, NAN);
    free(cell->reason);
    cell->reason = reason != NULL ? must_strdup(reason) : NULL;
}

const struct survey_variant *survey_best(const struct survey *s, int column)
{
    for (int i = 0; i < s->count; i++)
        if (s->variants[i].cells[column].time == s->least[column])
            return &s->variants[i];
    return NULL;
}

static bool is_timed(const struct survey_cell *cell)
{
    return cell->state == SURVEY_TIMED || cell->state == SURVEY_ROUGH;
}

bool survey_is_near(const struct survey *s, const struct survey_variant *v, double most)
{
    bool near = false;
    for (int i = 0; i < s->columns; i++) {
        if (v->cells[i].state == SURVEY_FAILED)
            return false;
        near = near || (is_timed(&v->cells[i]) && v->cells[i].time <= most * s->least[i]);
    }
    return near;
}

/* Whether every cell's state is `state` or a later one. */
static bool is_all(const struct survey *s, const struct survey_variant *v, enum survey_state state)
{
    for (int i = 0; i < s->columns; i++)
        if (v->cells[i].state < state)
            return false;
    return true;
}

static double mean_ratio(const struct survey *s, const struct survey_variant *v, bool expected)
{
    double sum = v->barred ? INFINITY : 0;
    for (int i = 0; i < s->columns; i++) {
        const struct survey_cell *cell = &v->cells[i];
        if (cell->state == SURVEY_FAILED)
            return INFINITY;
        sum += is_timed(cell) ? cell->time / s->least[i] : expected ? cell->expected : 1;
    }
    return sum / s->columns;
}

double survey_score(const struct survey *s, const struct survey_variant *v)
{
    return mean_ratio(s, v, false);
}

/* ---- lists, in the order of what is scored ---- */

struct scored {
    const struct survey_variant *variant;
    double score;
    bool rough;
};

static int by_score(const void *a, const void *b)
{
    const struct scored *x = a, *y = b;
    if (x->rough != y->rough)
        return x->rough - y->rough;
    if (x->score != y->score)
        return x->score < y->score ? -1 : 1;
    return (x->variant > y->variant) - (x->variant < y->variant);
}

const struct survey_variant **survey_ranking(const struct survey *s, int *count)
{
    struct scored *scored = must_malloc((size_t)(s->count + 1) * sizeof *scored);
    const struct survey_variant **list = must_malloc((size_t)(s->count + 1) * sizeof *list);
    *count = 0;
    for (int i = 0; i < s->count; i++)
        if (!s->variants[i].barred && is_all(s, &s->variants[i], SURVEY_ROUGH))
            scored[(*count)++] = (struct scored){.variant = &s->variants[i],
                                                 .score = survey_score(s, &s->variants[i]),
                                                 .rough = !is_all(s, &s->variants[i], SURVEY_TIMED)};
    qsort(scored, (size_t)*count, sizeof *scored, by_score);
    for (int i = 0; i < *count; i++)
        list[i] = scored[i].variant;
    free(scored);
    return list;
}

double survey_best_for_all(const struct survey *s)
{
    double best = INFINITY;
    for (int i = 0; i < s->count; i++)
        if (is_all(s, &s->variants[i], SURVEY_TIMED))
            best = fmin(best, survey_score(s, &s->variants[i]));
    return best;
}

/* Those of `scored`, in their order, which have a time in the column: the first `most` are taken. */
static void take_first(const struct scored *scored, int count, int column, int most, bool *taken)
{
    int found = 0;
    for (int i = 0; i < count && found < most; i++)
        if (is_timed(&scored[i].variant->cells[column])) {
            taken[i] = true;
            found++;
        }
}

const struct survey_variant **survey_promising(const struct survey *s, int most, int *count)
{
    struct scored *scored = must_malloc((size_t)(s->count + 1) * sizeof *scored);
    const struct survey_variant **list = must_malloc((size_t)(s->count + 1) * sizeof *list);
    bool *taken = must_calloc((size_t)s->count + 1, sizeof *taken);
    double best = survey_best_for_all(s);
    int candidates = 0;
    for (int i = 0; i < s->count; i++) {
        const struct survey_variant *v = &s->variants[i];
        if (is_all(s, v, SURVEY_VALID) && !is_all(s, v, SURVEY_TIMED) && survey_score(s, v) < best)
            scored[candidates++] = (struct scored){.variant = v, .score = mean_ratio(s, v, true)};
    }
    qsort(scored, (size_t)candidates, sizeof *scored, by_score);
    for (int column = 0; column < s->columns; column++)
        take_first(scored, candidates, column, most, taken);
    *count = 0;
    for (int i = 0; i < candidates; i++)
        if (taken[i])
            list[(*count)++] = scored[i].variant;
    free(taken);
    free(scored);
    return list;
}

const struct survey_variant *survey_nearest(const struct survey *s, int *column)
{
    const struct survey_variant *nearest = NULL;
    int fewest = s->columns + 1;
    for (int i = 0; i < s->count; i++) {
        int failed = 0, first = 0;
        for (int c = s->columns - 1; c >= 0; c--)
            if (s->variants[i].cells[c].state == SURVEY_FAILED) {
                failed++;
                first = c;
            }
        if (failed > 0 && failed < fewest) {
            nearest = &s->variants[i];
            fewest = failed;
            *column = first;
        }
    }
    return nearest;
}
