#include "tuner/cli/report_caches.h"

#include "tuner/cli/report.h"

#include <math.h>
#include <string.h>

static enum cache_state other_state(const struct tuning *t)
{
    return t->problem.cache == CACHE_COLD ? CACHE_HOT : CACHE_COLD;
}

/* Whether the choice is neither the other race's winner nor tied with it. */
static bool differs(const struct tuning *t)
{
    const struct trial *winner = t->other.race.winner, *choice = t->other.choice;
    return choice != winner && (choice == NULL || isnan(choice->time_us) || !race_tied(choice, winner));
}

void report_caches_print(FILE *out, const struct tuning *t)
{
    const struct trial *winner = t->other.race.winner, *choice = t->other.choice;
    if (winner == NULL)
        return;
    const char *label = other_state(t) == CACHE_HOT ? "Hot:" : "Cold:";
    double limit = t->other.race.limit.median;
    if (!differs(t)) {
        fprintf(out, "%-8s%.2f us (a copy %.2f): this choice is among the best there too\n", label,
                choice->time_us, limit);
        return;
    }
    fprintf(out, "%-8sanother variant wins (--cache %s): %.2f us (a copy %.2f", label,
            cache_name(other_state(t)), winner->time_us, limit);
    if (choice != NULL && !isnan(choice->time_us))
        fprintf(out, ", this choice %.2f", choice->time_us);
    fprintf(out, "):\n");
    report_key(out, "", winner->key);
}

json_t *report_caches_json(const struct tuning *t)
{
    const struct trial *winner = t->other.race.winner, *choice = t->other.choice;
    if (winner == NULL)
        return NULL;
    json_t *object = json_pack("{s:s, s:s, s:f, s:b}", "cache", cache_name(other_state(t)), "winner",
                               winner->key, "winner_us", winner->time_us, "differs", differs(t));
    bool timed = choice != NULL && !isnan(choice->time_us);
    json_object_set_new(object, "choice_us", timed ? json_real(choice->time_us) : json_null());
    double limit = t->other.race.limit.median;
    json_object_set_new(object, "limit_us", isfinite(limit) ? json_real(limit) : json_null());
    return object;
}
