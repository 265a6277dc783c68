#include "tuner/cli/report_failures.h"

#include "tuner/cli/report.h"

enum { SHOWN = 12 };

static bool has_failed(const struct trial *t)
{
    return t->finished && t->verdict != VERDICT_CORRECT;
}

static const char *reason_of(const struct trial *t)
{
    return t->reason != NULL ? t->reason : "no reason was given";
}

void report_failures_print(FILE *out, const struct tuning *t)
{
    int count = 0;
    for (int i = 0; i < t->space_count; i++) {
        const struct trial *trial = &t->trials[i];
        if (!has_failed(trial) || count++ >= SHOWN)
            continue;
        report_key(out, "Failed:", trial->key);
        fprintf(out, "        %s: %s\n", verdict_name(trial->verdict), reason_of(trial));
    }
    if (count > SHOWN)
        fprintf(out, "        and %d more (--json lists them)\n", count - SHOWN);
}

json_t *report_failures_json(const struct tuning *t)
{
    json_t *list = json_array();
    for (int i = 0; i < t->space_count; i++)
        if (has_failed(&t->trials[i]))
            json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "variant", t->trials[i].key, "verdict",
                                                  verdict_name(t->trials[i].verdict), "reason",
                                                  reason_of(&t->trials[i])));
    return list;
}
