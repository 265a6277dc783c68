#include "tuner/cli/report_summary.h"

#include "tuner/cli/report.h"
#include "tuner/cli/report_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_WIDTH = 100, PROBLEM_WIDTH = 24 };

void report_summary_add(struct report_summary *s, const struct tuning *t, const struct error *why,
                        double alone_us)
{
    s->rows = must_realloc(s->rows, (size_t)(s->count + 1) * sizeof *s->rows);
    struct summary_row *row = &s->rows[s->count++];
    *row = (struct summary_row){.us = NAN, .limit_us = NAN, .v1_us = NAN, .alone_us = alone_us};
    problem_describe(&t->problem, row->problem);
    s->predicted = !t->session->measures;
    if (why != NULL || t->choice_count == 0) {
        row->why = must_strdup(why != NULL ? why->text : "it was not reached");
    } else {
        const struct trial *v1 = report_preset(t, "v1");
        row->key = must_strdup(t->choices[0].variant);
        row->us = report_us(t, t->chosen[0]);
        row->bandwidth_gbs = problem_bytes(&t->problem) / row->us / 1e3;
        row->limit_us = t->race.limit.median;
        row->v1_us = v1 != NULL ? report_us(t, v1) : NAN;
    }
    s->times.generate += t->times.generate;
    s->times.compile += t->times.compile;
    s->times.verify += t->times.verify;
    s->times.idle += t->times.idle;
    s->measure_seconds += t->measure_seconds;
    s->seconds += t->seconds;
}

void report_summary_clear(struct report_summary *s)
{
    for (int i = 0; i < s->count; i++) {
        free(s->rows[i].key);
        free(s->rows[i].why);
    }
    free(s->rows);
    text_free(&s->notes);
    *s = (struct report_summary){0};
}

/* The index-th name=value of a key and its length; 0 where it has no more. */
static size_t value_at(const char *key, int index, const char **value)
{
    for (; index > 0 && *key != '\0'; index--)
        key += strcspn(key, ",") + (key[strcspn(key, ",")] == ',');
    *value = key;
    return strcspn(key, ",");
}

/* Whether every choice has the index-th value of `key`. */
static bool is_shared(const struct report_summary *s, const char *key, int index)
{
    const char *value, *other;
    size_t length = value_at(key, index, &value);
    for (int i = 0; i < s->count; i++)
        if (s->rows[i].key != NULL &&
            (value_at(s->rows[i].key, index, &other) != length || memcmp(value, other, length) != 0))
            return false;
    return true;
}

static bool is_all_shared(const struct report_summary *s, const char *key)
{
    const char *value;
    bool shared = true;
    for (int i = 0; shared && value_at(key, i, &value) > 0; i++)
        shared = is_shared(s, key, i);
    return shared;
}

/* The values of `key` that all choices share, or those that they do not, from `column` on. */
static void print_values(FILE *out, const struct report_summary *s, const char *key, bool shared, int column)
{
    const char *value;
    int at = column;
    for (int i = 0; value_at(key, i, &value) > 0; i++) {
        int length = (int)value_at(key, i, &value);
        if (is_shared(s, key, i) != shared)
            continue;
        if (at > column && at + 1 + length > LINE_WIDTH) {
            fprintf(out, ",\n%*s", column, "");
            at = column;
        }
        fprintf(out, "%s%.*s", at > column ? "," : "", length, value);
        at += length + (at > column);
    }
    fputc('\n', out);
}

static bool has_invariant(const struct report_summary *s)
{
    for (int i = 0; i < s->count; i++)
        if (isfinite(s->rows[i].alone_us))
            return true;
    return false;
}

static void print_row(FILE *out, const struct report_summary *s, const struct summary_row *row)
{
    int column = fprintf(out, "%-*s", PROBLEM_WIDTH, row->problem);
    column += report_cell(out, 9, row->us < 100 ? 2 : 1, row->us, "");
    column += report_cell(out, 7, 0, row->key != NULL ? row->bandwidth_gbs : NAN, "");
    column += report_cell(out, 7, 1, 100 * row->limit_us / row->us, "%");
    column += report_cell(out, 7, 2, row->v1_us / row->us, "");
    if (has_invariant(s)) {
        column += report_cell(out, 9, row->alone_us < 100 ? 2 : 1, row->alone_us, "");
        column += report_cell(out, 7, 1, 100 * (row->us / row->alone_us - 1), "%");
    }
    column += fprintf(out, "  ");
    if (row->key == NULL)
        fprintf(out, "none: %s\n", row->why);
    else if (is_all_shared(s, row->key))
        fprintf(out, "that below\n");
    else
        print_values(out, s, row->key, false, column);
}

void report_summary_print(FILE *out, const struct report_summary *s, const struct session *session,
                          const char *folder)
{
    const char *key = NULL;
    int kernels = 0;
    fprintf(out, "\n%d problem%s on %s (%s)%s\n\n%-*s %9s %7s %7s %7s", s->count, s->count == 1 ? "" : "s",
            session->gpu.name, session->gpu.arch,
            s->predicted ? ": PREDICTED times, none measured here" : "", PROBLEM_WIDTH, "problem",
            s->predicted ? "predicted" : "us", s->predicted ? "(GB/s)" : "GB/s", "of lim.", "x v1");
    if (has_invariant(s))
        fprintf(out, " %9s %7s", "best", "cost");
    fprintf(out, "  choice\n");
    for (int i = 0; i < s->count; i++) {
        print_row(out, s, &s->rows[i]);
        key = s->rows[i].key != NULL ? s->rows[i].key : key;
        kernels += s->rows[i].key != NULL;
    }
    if (key != NULL) {
        fprintf(out, "\n%-8s", is_all_shared(s, key) ? "Choice:" : "Shared:");
        print_values(out, s, key, true, 8);
    }
    fputs(s->notes.data != NULL ? s->notes.data : "", out);
    fprintf(out, "Time:   generate %.1f, compile %.1f (all workers), verify %.1f, measure %.1f, idle %.1f; ",
            s->times.generate, s->times.compile, s->times.verify, s->measure_seconds, s->times.idle);
    fprintf(out, "%.1f s in all\nFiles:  %d kernel%s in %s, each .cu .cubin .ptx .h .json\n", s->seconds,
            kernels, kernels == 1 ? "" : "s", folder);
}
