#include "tuner/cli/report_invariance.h"

#include "tuner/cli/report_rows.h"

#include <math.h>

void report_invariance(struct report_summary *s, const struct invariance *v, const struct problem *p)
{
    char text[STEM_SIZE];
    problem_describe(p, text);
    size_t count = json_array_size(v->launched);
    text_print(&s->notes, "Proof:  %s%s: ", text, v->count > 1 ? " and its other M" : "");
    if (count == 0)
        text_print(&s->notes, "none: nothing was run\n");
    for (size_t i = 0; i < count; i++)
        text_print(
            &s->notes, "%s%lld%s", i == 0 ? "rows have the same bits, wherever they are, in batches of " : "",
            (long long)json_integer_value(json_array_get(v->launched, i)), i + 1 == count ? "\n" : ", ");
    if (v->passed_over > 0)
        text_print(&s->notes, "        %d passed over: %s\n", v->passed_over, v->passed_why);
}

json_t *invariance_json(const struct invariance *v, const struct tuning *t, double alone_us)
{
    double cost = t->choice_count > 0 ? report_us(t, t->chosen[0]) / alone_us - 1 : NAN;
    return json_pack("{s:b, s:O?, s:o, s:o, s:i}", "proven", v->launched != NULL, "rows", v->launched,
                     "alone_us", isfinite(alone_us) ? json_real(alone_us) : json_null(), "cost",
                     isfinite(cost) ? json_real(cost) : json_null(), "passed_over", v->passed_over);
}
