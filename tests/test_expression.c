/* The manifest's expressions: values as bench's reader computes them, C text, and refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "generator/launch.h"

#include <stdlib.h>
#include <string.h>

static void values(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t M, sms, value;
    } cases[] = {
        {"M", 8192, 132, 8192},
        {"ceil(M, 4)", 9, 1, 3},
        {"ceil(M, 4)", 8, 1, 2},
        {"ceil(0 - M, 4)", 9, 1, -2},
        {"min(M, sms * 8)", 8192, 132, 1056},
        {"max(M, sms * 8)", 8192, 132, 8192},
        {"M - 1 - 1", 5, 1, 3},
        {"2 + 3 * 4", 0, 0, 14},
        {"(2 + 3) * 4", 0, 0, 20},
        {"7 / 2", 0, 0, 3},
        {"(0 - 7) / 2", 0, 0, -4},
        {"24 / 4 / 2", 0, 0, 3},
        {" min( ceil(M,2) , max(1,2) ) ", 100, 1, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t value = 0;
        struct error e = {0};
        if (!expression_evaluate(cases[i].text, cases[i].M, cases[i].sms, &value, &e))
            fail_msg("%s", e.text);
        if (value != cases[i].value)
            fail_msg("%s is %ld, not %ld", cases[i].text, (long)value, (long)cases[i].value);
    }
}

static void what_is_no_expression_is_refused(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "",         "M +",       "M M",     "N",     "ceil(M)",   "ceil(M, 2",
        "M / 0",    "ceil(1,0)", "(M",      "M)",    "M % 2",     "99999999999999999999",
        "foo(1,2)", "-1",        "min 1,2", "2 ^ 3", "M*M*M*M*M", "1.5"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t value;
        struct error e = {0};
        if (expression_evaluate(cases[i], INT64_C(1) << 40, 1, &value, &e))
            fail_msg("'%s' was taken", cases[i]);
        assert_int_equal(e.status, STATUS_USAGE);
        assert_non_null(strstr(e.text, "expression"));
    }
}

static void deep_nesting_is_refused_and_not_followed(void **state)
{
    (void)state;
    char text[100001];
    memset(text, '(', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    int64_t value;
    struct error e = {0};
    assert_false(expression_evaluate(text, 1, 1, &value, &e));
}

static void c_text_names_the_calls(void **state)
{
    (void)state;
    struct error e = {0};
    char *c = expression_to_c("min(ceil(M,4), sms*8)+1", &e);
    assert_non_null(c);
    assert_string_equal(c, "softmax_min(softmax_ceil(M, 4), sms * 8) + 1");
    free(c);
    assert_null(expression_to_c("M +", &e));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(what_is_no_expression_is_refused),
        cmocka_unit_test(deep_nesting_is_refused_and_not_followed),
        cmocka_unit_test(c_text_names_the_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
