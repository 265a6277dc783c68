/* "Did you mean": what a mistyped name is taken for, and what is too far away to be said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "generator/nearest.h"

#include <string.h>

static const char *const parameters[] = {"scope", "threads", "vec_bytes", "cache", "exp", NULL};
static const char *const gpus[] = {"a100", "rtx5080", "rtx5090", "h200", "h100", "NVIDIA H200", NULL};

static void expect(const char *typed, const char *const *names, const char *meant)
{
    struct nearest n = nearest_to(typed, strlen(typed));
    for (; *names != NULL; names++)
        nearest_offer(&n, *names);
    if (meant == NULL ? n.name != NULL : n.name == NULL || strcmp(n.name, meant) != 0)
        fail_msg("'%s' is taken for '%s', not for '%s'", typed, n.name != NULL ? n.name : "none",
                 meant != NULL ? meant : "none");
}

static void a_slip_of_the_fingers_is_undone(void **state)
{
    (void)state;
    expect("thread", parameters, "threads");   /* one is missing */
    expect("threadss", parameters, "threads"); /* one too many */
    expect("tjreads", parameters, "threads");  /* another one */
    expect("htreads", parameters, "threads");  /* two in the wrong order */
    expect("vecbytes", parameters, "vec_bytes");
    expect("Vec-Bytes", parameters, "vec_bytes");
    expect("SCOPE", parameters, "scope"); /* case alone is no distance */
    expect("ex", parameters, "exp");
}

static void part_of_a_name_stands_for_it(void **state)
{
    (void)state;
    expect("vec", parameters, "vec_bytes");
    expect("5090", gpus, "rtx5090");
    expect("GeForce RTX5090", gpus, "rtx5090");
}

static void the_nearest_wins_and_of_equals_the_first(void **state)
{
    (void)state;
    expect("h20", gpus, "h200");
    expect("rtx5070", gpus, "rtx5080");
    expect("nvidia h20", gpus, "NVIDIA H200");
}

static void what_is_far_from_all_gets_no_hint(void **state)
{
    (void)state;
    static const char *const numbers[] = {"256", "1024", "32", NULL};
    static const char *const versions[] = {"v1", "v2", NULL};
    expect("block", parameters, NULL);
    expect("", parameters, NULL);
    expect("v9", versions, NULL); /* half of it is wrong */
    expect("24", numbers, NULL);  /* part of a number means nothing */
    expect("33", numbers, NULL);
    char text[200];
    memset(text, 't', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    expect(text, parameters, NULL);
}

static void the_hint_ends_a_message(void **state)
{
    (void)state;
    char text[HINT_SIZE];
    struct nearest n = nearest_to("thread=64", 6); /* the typed text need not end there */
    assert_string_equal(nearest_hint(&n, text), "");
    nearest_offer(&n, "threads");
    assert_string_equal(nearest_hint(&n, text), ": did you mean 'threads'?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slip_of_the_fingers_is_undone),
        cmocka_unit_test(part_of_a_name_stands_for_it),
        cmocka_unit_test(the_nearest_wins_and_of_equals_the_first),
        cmocka_unit_test(what_is_far_from_all_gets_no_hint),
        cmocka_unit_test(the_hint_ends_a_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
