/* What the tuner must say of each poison in tests/poison/. cmocka.h comes before. */
#ifndef TESTS_POISON_VERDICTS_H
#define TESTS_POISON_VERDICTS_H

#include <jansson.h>
#include <stdbool.h>
#include <string.h>

struct poison {
    const char *name, *verdict, *reason; /* a part of the reason */
    const char *emulated; /* likewise, where the emulator finds it in another way, as `runtime` */
    const char *also; /* what it may also be found by: which of two blocks writes last is chance on a GPU */
};

static const struct poison poisons[] = {
    {"fault", "runtime", "illegal memory access", "out of bounds", NULL},
    {"hang", "timeout", "did not end within", "does not end", NULL},
    {"past_row", "correctness", "writes outside its buffers: at byte 0 after the end", "data race",
     "wrong on rows"},
    {"second_launch", "correctness", "row 0, column 0 is 2", NULL, NULL},
    {"last_maximum", "correctness", "wrong on rows", NULL, NULL},
    {"minus_infinity", "correctness", "is nan", NULL, NULL},
    {"writes_input", "correctness", "changes its input", NULL, NULL},
    {"too_much_shared", "runtime", "shared memory", "shared memory", NULL},
    {"no_compile", "compile", "poison.cu:", NULL, NULL},
    {"endless_compile", "timeout", "the compiler did not end within", NULL, NULL},
};
enum { POISONS = sizeof poisons / sizeof poisons[0] };

/* `failed`: objects with "reason", "verdict" and, as `key`, the variant. All ten and nothing else. */
static inline void assert_poisons(const json_t *failed, const char *key, bool emulated)
{
    size_t i;
    json_t *trial;
    assert_int_equal(json_array_size(failed), POISONS);
    for (int p = 0; p < POISONS; p++) {
        char prefix[64];
        const json_t *found = NULL;
        bool otherwise = emulated && poisons[p].emulated != NULL;
        snprintf(prefix, sizeof prefix, "poison=%s,", poisons[p].name);
        json_array_foreach(failed, i, trial) if (strncmp(json_string_value(json_object_get(trial, key)),
                                                         prefix, strlen(prefix)) == 0) found = trial;
        assert_non_null(found);
        const char *verdict = json_string_value(json_object_get(found, "verdict")),
                   *reason = json_string_value(json_object_get(found, "reason"));
        bool known = strstr(reason, otherwise ? poisons[p].emulated : poisons[p].reason) != NULL ||
                     (poisons[p].also != NULL && strstr(reason, poisons[p].also) != NULL);
        if (strcmp(verdict, otherwise ? "runtime" : poisons[p].verdict) != 0 || !known)
            fail_msg("%s: %s: %s", poisons[p].name, verdict, reason);
    }
}

#endif
