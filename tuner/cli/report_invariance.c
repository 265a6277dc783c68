#include "tuner/cli/report_invariance.h"

#include "tuner/cli/report_rows.h"

#include <math.h>
#include <string.h>

static const double shown_percent = 0.05; /* less is 0.0 in the table */

/* The values of `key`, joined by commas, that are not those of `other`; both have the same names. */
static void print_difference(struct text_buffer *out, const char *key, const char *other)
{
    bool first = true;
    while (*key != '\0' && *other != '\0') {
        size_t length = strcspn(key, ","), other_length = strcspn(other, ",");
        if (length != other_length || memcmp(key, other, length) != 0) {
            text_print(out, "%s%.*s", first ? "" : ",", (int)length, key);
            first = false;
        }
        key += length + (key[length] == ',');
        other += other_length + (other[other_length] == ',');
    }
}

/* Of the choice beside the best for that M alone. */
static double cost_percent(const struct summary_row *row)
{
    return 100 * (row->us / row->alone_us - 1);
}

/* `rows` are those of the problems in the table. */
static void print_cost(struct text_buffer *out, const struct invariance *v, const struct summary_row *rows)
{
    double sum = 0, most = 0;
    int known = 0;
    for (int i = 0; i < v->count; i++) {
        double cost = cost_percent(&rows[i]);
        if (isnan(cost))
            continue;
        sum += cost;
        most = fmax(most, cost);
        known++;
    }
    if (known > 0)
        text_print(out, "%.1f %% on the average, %.1f %% at most, beside the best variant for each M\n",
                   sum / known, most);
    else
        text_print(out, "not known\n");
    if (v->joined > 0)
        text_print(
            out,
            "        %d variants are listed for some M; %d of them were tried at M that do not list them\n",
            v->listed, v->joined);
}

/* Where it is not the choice and the table shows a difference. */
static void print_best(struct text_buffer *out, const struct invariance *v, const struct summary_row *rows)
{
    const char *title = "Best:";
    for (int i = 0; i < v->count; i++) {
        if (v->best[i] == NULL || strcmp(v->best[i], v->key) == 0 ||
            !(cost_percent(&rows[i]) >= shown_percent))
            continue;
        text_print(out, "%-7s %s alone: as the choice, but ", title, rows[i].problem);
        print_difference(out, v->best[i], v->key);
        text_print(out, "\n");
        title = "";
    }
}

static void print_proof(struct text_buffer *out, const struct invariance *v)
{
    size_t count = json_array_size(v->launched);
    if (count == 0)
        text_print(out, "none, since nothing was run: run it on the GPU, or with --device emulator\n");
    for (size_t i = 0; i < count; i++)
        text_print(
            out, "%s%lld%s", i == 0 ? "rows have the same bits, wherever they are, in batches of " : "",
            (long long)json_integer_value(json_array_get(v->launched, i)), i + 1 == count ? "\n" : ", ");
    if (v->passed_over > 0)
        text_print(out, "        %d passed over: %s\n", v->passed_over, v->passed_why);
}

void report_invariance(struct report_summary *s, const struct invariance *v)
{
    const struct summary_row *rows = &s->rows[s->count - v->count];
    const char *others = v->count > 1 ? " and its other M" : "";
    text_print(&s->notes, "Cost:   %s%s: ", rows[0].problem, others);
    print_cost(&s->notes, v, rows);
    print_best(&s->notes, v, rows);
    text_print(&s->notes, "Proof:  %s%s: ", rows[0].problem, others);
    print_proof(&s->notes, v);
}

json_t *invariance_json(const struct invariance *v, const struct tuning *t, double alone_us)
{
    double cost = t->choice_count > 0 ? report_us(t, t->chosen[0]) / alone_us - 1 : NAN;
    return json_pack("{s:b, s:O?, s:o, s:o, s:i}", "proven", v->launched != NULL, "rows", v->launched,
                     "alone_us", isfinite(alone_us) ? json_real(alone_us) : json_null(), "cost",
                     isfinite(cost) ? json_real(cost) : json_null(), "passed_over", v->passed_over);
}
