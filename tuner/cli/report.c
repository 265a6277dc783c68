#include "tuner/cli/report.h"

#include "tuner/cli/output.h"
#include "tuner/cli/report_caches.h"
#include "tuner/cli/report_failures.h"
#include "tuner/cli/report_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TIES_SHOWN = 8, LINE_WIDTH = 100 };

bool report_has_color(FILE *out)
{
    const char *refused = getenv("NO_COLOR");
    return isatty(fileno(out)) && (refused == NULL || refused[0] == '\0');
}

int report_cell(FILE *out, int width, int decimals, double value, const char *unit)
{
    char text[32];
    if (isfinite(value))
        snprintf(text, sizeof text, "%.*f%s", decimals, value, unit);
    else
        snprintf(text, sizeof text, "-");
    return fprintf(out, " %*s", width, text);
}

static void print_row(FILE *out, const struct tuning *t, const struct report_row *row, double v1_us,
                      bool bold)
{
    double gbs = problem_bytes(&t->problem) / row->us / 1e3;
    char version[32];
    snprintf(version, sizeof version, "%s%s", row->version, row->mark);
    fprintf(out, "%s%-8s %-28s %-18s", bold && report_has_color(out) ? "\033[1m" : "", version, row->idea,
            row->configuration);
    report_cell(out, 10, row->us < 100 ? 2 : 1, row->us, "");
    report_cell(out, 7, 0, gbs, "");
    report_cell(out, 7, 2, v1_us / row->us, "");
    report_cell(out, 7, 1, 100 * gbs / t->session->gpu.dram_gbs, "%");
    report_cell(out, 7, 1, 100 * t->race.limit.median / row->us, "%");
    fprintf(out, "%s\n", bold && report_has_color(out) ? "\033[0m" : "");
}

/* The name of the article's version that has the choice's code, or NULL. */
static const char *same_preset(const struct tuning *t, const struct trial *trial)
{
    for (int i = t->space_count; i < t->count; i++)
        if (tuning_stand_in(t, &t->trials[i]) == tuning_stand_in(t, trial))
            return t->trials[i].label;
    return NULL;
}

static void print_chosen(FILE *out, const struct tuning *t, double v1_us)
{
    for (int i = 0; i < t->choice_count; i++) {
        char version[32];
        if (i == 0)
            snprintf(version, sizeof version, "choice");
        else
            snprintf(version, sizeof version, "next %d", i + 1);
        struct report_row row = report_row_of(t, t->chosen[i], version);
        const char *same = same_preset(t, t->chosen[i]);
        if (same != NULL)
            snprintf(row.idea, sizeof row.idea, "the same as %s", same);
        else
            snprintf(row.idea, sizeof row.idea, "%s", i == 0 ? "the best of the space" : "a runner-up");
        print_row(out, t, &row, v1_us, i == 0);
    }
    for (int i = 0; i < t->race.tie_count && i < TIES_SHOWN; i++) {
        struct report_row row = report_row_of(t, t->race.ties[i], "tie");
        snprintf(row.idea, sizeof row.idea, "tied with the choice");
        print_row(out, t, &row, v1_us, false);
    }
}

static void print_table(FILE *out, const struct tuning *t)
{
    bool measured = t->session->measures;
    fprintf(out, "%-8s %-28s %-18s %10s %7s %7s %7s %7s\n", "version", "idea", "blocks x threads",
            measured ? "us" : "predicted", measured ? "GB/s" : "(GB/s)", "x v1", "of peak", "of lim.");
    const struct trial *v1 = report_preset(t, "v1");
    double v1_us = v1 != NULL ? report_us(t, v1) : NAN;
    for (int i = t->space_count; i < t->count; i++) {
        struct report_row row = report_row_of(t, &t->trials[i], t->trials[i].label);
        print_row(out, t, &row, v1_us, false);
    }
    print_chosen(out, t, v1_us);
    if (measured) {
        struct report_row limit = {
            .version = "limit", .idea = "a copy of the same bytes", .us = t->race.limit.median, .mark = ""};
        print_row(out, t, &limit, v1_us, false);
    }
}

static void print_footnotes(FILE *out, const struct tuning *t)
{
    for (int i = t->space_count; i < t->count; i++) {
        const struct trial *trial = &t->trials[i];
        if (trial->finished && trial->verdict != VERDICT_CORRECT)
            fprintf(out, "* %s cannot win: %s: %s\n", trial->label, verdict_name(trial->verdict),
                    trial->reason != NULL ? trial->reason : "no reason was given");
    }
    const char *sentence;
    json_t *presets;
    json_object_foreach(t->not_valid, sentence, presets)
        fprintf(out, "%s: not valid for this problem (%s)\n", json_string_value(presets), sentence);
}

void report_key(FILE *out, const char *label, const char *key)
{
    fprintf(out, "%-8s", label);
    int column = 8;
    while (*key != '\0') {
        int length = (int)strcspn(key, ",");
        length += key[length] == ',';
        if (column + length > LINE_WIDTH) {
            fprintf(out, "\n%8s", "");
            column = 8;
        }
        fprintf(out, "%.*s", length, key);
        column += length;
        key += length;
    }
    fputc('\n', out);
}

/* A variant as what it has other than `reference`, value by value in the same order. */
static void print_difference(FILE *out, const char *label, const char *key, const char *reference)
{
    char *difference = must_malloc(strlen(key) + 1), *end = difference;
    while (*key != '\0') {
        size_t length = strcspn(key, ","), other = strcspn(reference, ",");
        if (length != other || memcmp(key, reference, length) != 0) {
            if (end > difference)
                *end++ = ',';
            memcpy(end, key, length);
            end += length;
        }
        key += length + (key[length] == ',');
        reference += other + (reference[other] == ',');
    }
    *end = '\0';
    report_key(out, label, difference);
    free(difference);
}

static void print_evidence(FILE *out, const struct tuning *t)
{
    const struct choice *c = &t->choices[0];
    fputc('\n', out);
    report_key(out, "Choice:", c->variant);
    for (int i = 1; i < t->choice_count; i++) {
        char label[24];
        snprintf(label, sizeof label, "Next %d:", i + 1);
        print_difference(out, label, t->choices[i].variant, c->variant);
    }
    for (int i = 0; i < t->race.tie_count && i < TIES_SHOWN; i++)
        print_difference(out, "Tied:", t->race.ties[i]->key, c->variant);
    if (t->race.tie_count > TIES_SHOWN)
        fprintf(out, "        and %d more (--json lists them)\n", t->race.tie_count - TIES_SHOWN);
    if (t->session->measures) {
        static const char *const ends[] = {"apart from the others",
                                           "tied",
                                           "within 1 % of the limit",
                                           "undecided when the rounds were spent",
                                           "undecided when --seconds were spent",
                                           "undecided when it was stopped"};
        fprintf(out, "Race:   %.1f to %.1f us (95 %%), %s after %d rounds%s", c->time_us_low, c->time_us_high,
                ends[t->race.end], t->race.rounds, t->race.recalled ? ", in an earlier run" : "");
        if (t->race.throttled > 0)
            fprintf(out, "; %d samples were dropped, since the GPU was throttled", t->race.throttled);
        fprintf(out, "\n");
        report_caches_print(out, t);
    } else {
        if (t->has_stored)
            fprintf(out, "Basis:  stored, measured on %s: %.4g us\n", t->stored.gpu, t->stored.time_us);
        else
            fprintf(out, "Basis:  predicted for %s: 'softmax-tune confirm %s' on that GPU settles it\n",
                    t->session->gpu.name, t->session->options->output);
        fprintf(out, t->proven > 0
                         ? "Proof:  on the emulator (the PTX, not ptxas's code), on a sample of rows\n"
                         : "Proof:  none: nothing was run\n");
    }
    if (isfinite(c->max_error))
        fprintf(out, "Error:  at most %.2f of its bound\n", c->max_error);
}

/* Whether a kernel keeps the row on the chip, so that each element is read from memory once. */
static bool keeps_row(const struct choice *c)
{
    const char *cache = json_string_value(json_object_get(c->config, "cache"));
    return cache != NULL && strcmp(cache, "none") != 0;
}

/* "Rows:   v2 has 1056 rows in flight (8 blocks an SM), 33.0 MiB, 55 % of L2: re-read from L2 in part" */
static void print_rereads(FILE *out, const struct tuning *t, const struct trial *trial, const char *subject,
                          bool read_once)
{
    struct rows_in_flight flight = report_rows_in_flight(t, trial);
    if (flight.rows == 0 || t->session->gpu.l2_bytes <= 0)
        return;
    double share = flight.bytes / (double)t->session->gpu.l2_bytes;
    fprintf(out, "Rows:   %s has %" PRId64 " in flight (%d blocks an SM), %.1f MiB, %.0f %% of L2: %s\n",
            subject, flight.rows, flight.blocks_per_sm, flight.bytes / 1048576, 100 * share,
            read_once      ? "read once"
            : share <= 0.5 ? "re-read from L2"
            : share <= 1   ? "re-read from L2 in part"
                           : "re-read from DRAM mostly");
}

static void print_memory(FILE *out, const struct tuning *t)
{
    const struct tuning_memory *m = &t->memory;
    if (m->recalled > 0)
        fprintf(out, "Store:  %d trials, presets included, were known and not done again\n", m->recalled);
    if (m->stale > 0)
        fprintf(out, "Store:  %d trials were known from another environment and done again\n", m->stale);
    if (m->disturbed_by != 0)
        fprintf(out, "Beware: process %d used this GPU meanwhile: tune again when it is idle\n",
                m->disturbed_by);
}

static void print_times(FILE *out, const struct tuning *t)
{
    int counts[VERDICT_CORRECTNESS + 1], unverified;
    tuning_count_verdicts(t, counts, &unverified);
    fprintf(out, "Trials: %d variant%s:", t->space_count, t->space_count == 1 ? "" : "s");
    const char *separator = " ";
    for (int v = 0; v <= VERDICT_CORRECTNESS; v++)
        if (counts[v] > 0) {
            fprintf(out, "%s%d %s", separator, counts[v], verdict_name((enum verdict)v));
            separator = ", ";
        }
    if (unverified > 0)
        fprintf(out, "%s%d compiled only", separator, unverified);
    int equal = 0;
    for (int i = 0; i < t->space_count; i++)
        equal += t->trials[i].same_as >= 0 && t->trials[i].same_as != i;
    if (equal > 0)
        fprintf(out, "; %d have the code of another", equal);
    fprintf(out, "%s\n", t->complete ? "" : "; the run ended before the others");
    fprintf(out, "Time:   generate %.1f, compile %.1f (all workers), verify %.1f, measure %.1f, idle %.1f; ",
            t->times.generate, t->times.compile, t->times.verify, t->measure_seconds, t->times.idle);
    fprintf(out, "%.1f s in all\n", t->seconds);
    print_memory(out, t);
}

void report_print(FILE *out, const struct tuning *t, char *const *manifests)
{
    char text[STEM_SIZE];
    problem_describe(&t->problem, text);
    fprintf(out, "\n%s on %s (%s), %s cache%s\n\n", text, t->session->gpu.name, t->session->gpu.arch,
            cache_name(t->problem.cache),
            t->session->measures ? "" : ": PREDICTED times, none measured here");
    print_table(out, t);
    print_footnotes(out, t);
    if (t->choice_count > 0) {
        print_evidence(out, t);
        const struct trial *v2 = report_preset(t, "v2");
        print_rereads(out, t, t->chosen[0], "the choice", keeps_row(&t->choices[0]));
        if (v2 != NULL)
            print_rereads(out, t, v2, "v2", false);
    }
    report_failures_print(out, t);
    print_times(out, t);
    if (manifests != NULL)
        output_print(out, manifests);
}

void report_again(FILE *out, const struct options *o)
{
    fprintf(out, "Again:  %s", o->again);
    if (strstr(o->again, "--seed") == NULL)
        fprintf(out, " --seed %" PRIu64, o->seed);
    fprintf(out, "\n");
}
