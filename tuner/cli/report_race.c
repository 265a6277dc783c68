#include "tuner/cli/report.h"

#include <math.h>
#include <stdio.h>

static const char *standing(const struct tuning *t, const struct trial *trial)
{
    if (trial->verdict != VERDICT_CORRECT)
        return verdict_name(trial->verdict);
    if (trial == t->race.winner)
        return "fastest";
    return t->race.winner != NULL && race_tied(trial, t->race.winner) ? "tied" : "";
}

static void print_line(FILE *out, const struct tuning *t, const struct trial *trial)
{
    const struct trial *timed = tuning_stand_in(t, trial);
    fprintf(out, "%-11s ", standing(t, timed));
    if (isnan(timed->time_us))
        fprintf(out, "%9s %19s %7s %8s", "-", "-", "-", "-");
    else
        fprintf(out, "%9.2f %9.2f-%-9.2f %7.0f %7.1f%%", timed->time_us, timed->time_us_low,
                timed->time_us_high, problem_bytes(&t->problem) / timed->time_us / 1e3,
                100 * t->race.limit.median / timed->time_us);
    fprintf(out, "  %s%s%s\n", trial->label, trial->reason != NULL ? ": " : "",
            trial->reason != NULL ? trial->reason : "");
}

void report_race_print(FILE *out, const struct tuning *t)
{
    char text[STEM_SIZE];
    problem_describe(&t->problem, text);
    fprintf(out, "%s on %s, %s cache, %d rounds\n\n", text, t->session->gpu.name,
            cache_name(t->problem.cache), t->race.rounds);
    fprintf(out, "%-11s %9s %19s %7s %8s  %s\n", "", "us", "95 %", "GB/s", "of limit", "kernel");
    for (int i = 0; i < t->count; i++)
        print_line(out, t, &t->trials[i]);
    fprintf(out, "%-11s %9.2f %9.2f-%-9.2f %7.0f %7.1f%%  a copy of the same bytes\n", "limit",
            t->race.limit.median, t->race.limit.low, t->race.limit.high,
            problem_bytes(&t->problem) / t->race.limit.median / 1e3, 100.0);
}
