/* What a kernel gets for each argument that its launch names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tuner/devices/launch_argument.h"

static const struct launch_values values = {.x = UINT64_C(0x700000001000),
                                            .y = UINT64_C(0x700000002000),
                                            .workspace = UINT64_C(0x700000003000),
                                            .M = INT64_C(1) << 40,
                                            .N = INT32_MAX,
                                            .x_stride = INT64_C(1) << 31,
                                            .y_stride = -1,
                                            .scale = 0.7f};

static bool argument(enum argument name, enum argument_type type, union argument_value *value,
                     struct error *e)
{
    struct launch l = {.kernel = "k", .arg_count = 2, .args = {{ARG_SCALE, TYPE_F32}, {name, type}}};
    return launch_argument(&l, 1, &values, value, e);
}

static union argument_value value_of(enum argument name, enum argument_type type)
{
    union argument_value value;
    struct error e;
    if (!argument(name, type, &value, &e))
        fail_msg("%s", e.text);
    return value;
}

static void an_argument_has_the_value_of_its_name_in_the_type_of_the_kernel(void **state)
{
    (void)state;
    assert_int_equal(value_of(ARG_X, TYPE_PTR).ptr, values.x);
    assert_int_equal(value_of(ARG_Y, TYPE_PTR).ptr, values.y);
    assert_int_equal(value_of(ARG_WORKSPACE, TYPE_PTR).ptr, values.workspace);
    assert_int_equal(value_of(ARG_M, TYPE_I64).i64, values.M);
    assert_int_equal(value_of(ARG_N, TYPE_I32).i32, INT32_MAX);
    assert_int_equal(value_of(ARG_X_STRIDE, TYPE_I64).i64, values.x_stride);
    assert_int_equal(value_of(ARG_Y_STRIDE, TYPE_I32).i32, -1);
    assert_true(value_of(ARG_SCALE, TYPE_F32).f32 == values.scale);
    assert_true(value_of(ARG_M, TYPE_F32).f32 == 1099511627776.0f);
}

static void a_value_that_an_i32_cannot_hold_is_refused(void **state)
{
    (void)state;
    union argument_value value;
    struct error e;
    assert_false(argument(ARG_X_STRIDE, TYPE_I32, &value, &e));
    assert_string_equal(e.text, "x_stride = 2147483648 does not fit the i32 argument of kernel k");
}

static void an_argument_takes_the_bytes_of_its_type(void **state)
{
    (void)state;
    assert_int_equal(argument_size(TYPE_PTR), 8);
    assert_int_equal(argument_size(TYPE_I64), 8);
    assert_int_equal(argument_size(TYPE_I32), 4);
    assert_int_equal(argument_size(TYPE_F32), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_argument_has_the_value_of_its_name_in_the_type_of_the_kernel),
        cmocka_unit_test(a_value_that_an_i32_cannot_hold_is_refused),
        cmocka_unit_test(an_argument_takes_the_bytes_of_its_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
