/* What a space file may say, and which variants it means. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "generator/worker.h"
#include "tests/space_fixture.h"

/* A space of two parameters; the tests replace or add what they are about. */
#define LAUNCH                                                                                               \
    "  launch = function(v) return { { grid_of_M = 'M', block = v.threads, args = { 'x', 'y' } } } end,\n"
#define SPACE(parameters, rest)                                                                              \
    "return space {\n"                                                                                       \
    "  name = 'test', template = 'test.cu',\n"                                                               \
    "  parameters = {\n" parameters "  },\n" LAUNCH rest "}\n"
#define TWO "{ 'threads', { 256, 64 }, 'threads' },\n{ 'vec', { 1, 2, 4 }, 'elements' },\n"

/* What listing everything gives: the keys, why there are none, or the error. The file's folder is cut off. */
static const char *listed_with(const char *space, struct generator_options options)
{
    static char text[8192];
    struct fixture f = fixture_with(space, options);
    fixture_problem(&f, 8, 1024);
    char *result = f.g == NULL ? must_strdup(f.e.text) : fixture_list(&f, 0);
    size_t folder = strlen(f.folder) + 1;
    snprintf(text, sizeof text, "%s", result + (strncmp(result, f.folder, folder - 1) == 0 ? folder : 0));
    free(result);
    fixture_close(&f);
    return text;
}

static const char *listed(const char *space)
{
    return listed_with(space, (struct generator_options){0});
}

static void the_first_values_come_first_and_the_last_parameter_varies_fastest(void **state)
{
    (void)state;
    assert_string_equal(listed(SPACE(TWO, "")), "threads=256,vec=1 threads=256,vec=2 threads=256,vec=4 "
                                                "threads=64,vec=1 threads=64,vec=2 threads=64,vec=4");
}

static void values_are_integers_booleans_and_words(void **state)
{
    (void)state;
    assert_string_equal(listed(SPACE("{ 'a', { 2^3, -1, true, false, 'w_o.r-d' }, 'doc' }", "")),
                        "a=8 a=-1 a=true a=false a=w_o.r-d");
}

static void a_function_gives_values_for_the_problem_and_the_gpu(void **state)
{
    (void)state;
    assert_string_equal(
        listed(SPACE("{ 'a', function(problem, gpu) return { problem.N, problem.M, problem.row_align, "
                     "problem.size_in, gpu.sms } end, 'doc' }",
                     "")),
        "a=1024 a=8 a=16 a=4 a=10");
}

static void a_constraint_cuts_what_it_does_not_hold_for(void **state)
{
    (void)state;
    assert_string_equal(
        listed(SPACE(
            TWO,
            "constraints = {\n"
            "{ { 'vec', 'threads' }, function(vec, threads, problem, gpu)\n"
            "    return vec * threads <= 256 and problem.N == 1024 and gpu.sms == 10 end, 'small' } },\n")),
        "threads=256,vec=1 threads=64,vec=1 threads=64,vec=2 threads=64,vec=4");
}

static void full_values_are_added_only_on_request(void **state)
{
    (void)state;
    const char *space =
        SPACE("{ 'a', { 1 }, 'doc', full = { 2, 3 } }, { 'b', { 1, 2 }, 'doc' }",
              "constraints = { { { 'b' }, function(b) return b == 1 end, 'one', only = 'default' } },");
    assert_string_equal(listed(space), "a=1,b=1");
    assert_string_equal(listed_with(space, (struct generator_options){.full = true}),
                        "a=1,b=1 a=1,b=2 a=2,b=1 a=2,b=2 a=3,b=1 a=3,b=2");
}

static void a_pin_keeps_one_value_of_the_full_list(void **state)
{
    (void)state;
    const char *space = SPACE("{ 'a', { 1 }, 'doc', full = { 2, 3 } }, { 'b', { true, false }, 'doc' }", "");
    assert_string_equal(
        listed_with(space, (struct generator_options){.pins = (const char *const[]){"a=3", NULL}}),
        "a=3,b=true a=3,b=false");
    assert_string_equal(
        listed_with(space, (struct generator_options){.pins = (const char *const[]){"a=3", "b=false", NULL}}),
        "a=3,b=false");
}

static void a_wrong_pin_is_refused(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"vec=3", "--set vec=3: parameter 'vec' has no value '3' for this problem (it has 1, 2, 4)"},
        {"vex=1",
         "--set vex=1: space 'test' has no parameter 'vex' (it has threads, vec): did you mean 'vec'?"},
        {"vec", "--set vec: 'vec' is not NAME=VALUE"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(
            listed_with(SPACE(TWO, ""),
                        (struct generator_options){.pins = (const char *const[]){cases[i][0], NULL}}),
            cases[i][1]);
    assert_string_equal(
        listed_with(SPACE(TWO, ""),
                    (struct generator_options){.pins = (const char *const[]){"vec=1", "vec=2", NULL}}),
        "--set vec=2: 'vec' is set twice");
}

static void an_empty_space_says_which_constraints_emptied_it(void **state)
{
    (void)state;
    assert_string_equal(
        listed(SPACE(
            TWO,
            "constraints = {\n"
            "{ { 'vec' }, function(vec) return vec > 1 end, 'vectors' },\n"
            "{ { 'threads' }, function(threads) return threads > 64 end, 'large blocks' },\n"
            "{ { 'vec', 'threads' }, function() return false end, 'nothing' },\n"
            "{ {}, function(problem, gpu) return problem.N > 0 and gpu.sms > 0 end, 'a problem' } },\n")),
        "space 'test' has no variant for this problem: of 6 combinations 'large blocks' rules out 3, 'nothing' rules out 2, "
        "'vectors' rules out 1");
    assert_string_equal(listed(SPACE("{ 'a', function() return {} end, 'doc' }", "")),
                        "space 'test': parameter 'a' has no value for this problem");
}

static void what_is_wrong_is_named_with_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *space, *expected;
    } cases[] = {
        {"return space {", "space.lua:1: unexpected symbol near <eof>"},
        {"", "space.lua: the file does not end with return space { ... }"},
        {"space { name = 'a' }", "space.lua: the file does not end with return space { ... }"},
        {"\nreturn spice {}", "space.lua:2: unknown value 'spice'"},
        {"return space(3)", "space.lua:1: bad argument #1 to 'space' (table expected, got number)"},
        {"\nreturn space { name = 'a b', template = 't' }",
         "space.lua:2: the space's name is no word of A-Z a-z 0-9 _ . -"},
        {"return space {\n name = 't', template = 't',\n parametres = {} }",
         "space.lua:3: the space has no field 'parametres' (it has name, template, parameters, constraints, launch, presets)"},
        {"return space { name = 't', template = 't' }", "space.lua:1: the space has no field 'launch'"},
        {"return space { name = 't', template = 3, launch = print }", "space.lua:1: unknown value 'print'"},
        {SPACE("", ""), "space.lua:1: a space has 1 to 64 parameters, and this one 0"},
        {SPACE("{ 'vec', { 1 }, 'doc' },\n{ 'a', { 1 }, 'doc' },\n{ 'vec', { 1 }, 'doc' },\n", ""),
         "space.lua:6: parameter 'vec' is given twice"},
        {SPACE("{ 'vec', { 1, 2,\n 1 }, 'doc' }", ""), "space.lua:4: parameter 'vec' has the value 1 twice"},
        {SPACE("{ 'vec', { 1, '1' }, 'doc' }", ""), "space.lua:4: parameter 'vec' has the value 1 twice"},
        {SPACE("{ 'vec', { 1 }, 'doc', full = { 1 } }", ""),
         "space.lua:4: parameter 'vec' has the value 1 twice"},
        {SPACE("{ 'vec', { 0.5 }, 'doc' }", ""),
         "space.lua:4: value 1 of parameter 'vec': a value is an integer, true, "
         "false or a word of A-Z a-z 0-9 _ . -, and this is a fraction"},
        {SPACE("{ 'vec', { 'a b' }, 'doc' }", ""),
         "space.lua:4: value 1 of parameter 'vec': a word has 1 to 64 of the characters A-Z a-z 0-9 _ . -"},
        {SPACE("{ 'vec', { {} }, 'doc' }", ""),
         "space.lua:4: value 1 of parameter 'vec': a value is an integer, true, false or a word of A-Z a-z 0-9 _ . -"},
        {SPACE("{ 'vec', { 1, nil, 3 }, 'doc' }", ""),
         "space.lua:4: values of parameter 'vec': a list is expected, and this one has holes"},
        {SPACE("{ 'vec', { a = 1 }, 'doc' }", ""),
         "space.lua:4: values of parameter 'vec': a list is expected, and 'a' is no place in it"},
        {SPACE("{ 'vec', function() local t = {} for i = 1, 5000 do t[i] = i end return t end, 'doc' }", ""),
         "space.lua:4: parameter 'vec' has more than 4096 values"},
        {SPACE("{ 'vec', {}, 'doc' }", ""), "space.lua:4: parameter 'vec' has no values"},
        {SPACE("{ 'vec', { 1 } }", ""), "space.lua:4: parameter 'vec' has no sentence that says what it is"},
        {SPACE("{ 'vec' }", ""),
         "space.lua:4: parameter 'vec' has no values: a list or a function(problem, gpu) is expected"},
        {SPACE("{ 3, { 1 }, 'doc' }", ""), "space.lua:1: parameter 1 is not { name, values, doc }"},
        {SPACE("{ '2x', { 1 }, 'doc' }", ""),
         "space.lua:4: parameter 1: '2x' is no name (a letter, then letters, digits and _)"},
        {SPACE("{ 'gpu', { 1 }, 'doc' }", ""),
         "space.lua:4: parameter 'gpu': this name means something else in a template"},
        {SPACE("{ 'math', { 1 }, 'doc' }", ""),
         "space.lua:4: parameter 'math': this name means something else in a template"},
        {SPACE("{ 'vec', { 1 }, 'doc', fall = { 2 } }", ""),
         "space.lua:4: a parameter has no field 'fall' (it has full)"},
        {SPACE("{ 'vec',\nfunction(problem)\nreturn { problem.rows } end, 'doc' }", ""),
         "space.lua:6: problem has no field 'rows'"},
        {SPACE("{ 'vec',\nfunction(problem) return 3 end, 'doc' }", ""),
         "space.lua:5: the values of parameter 'vec' are a number, not a list"},
        {SPACE(TWO, "constraints = { { { 'vex' },\nfunction() return true end, 'what' } },"),
         "space.lua:9: constraint 'what' names no parameter of this space: 'vex'"},
        {SPACE(TWO, "constraints = { { { 'vec' },\nfunction() return 1 end, 'what' } },"),
         "space.lua:9: constraint 'what' returns a number, not true or false"},
        {SPACE(TWO, "constraints = { { { 'vec' },\nfunction(vec) return vec + nil end, 'what' } },"),
         "space.lua:9: attempt to perform arithmetic on a nil value"},
        {SPACE(TWO, "constraints = { { { 'vec' }, 'what' } },"),
         "space.lua:1: constraint 1 has no function as its second entry"},
        {SPACE(TWO, "constraints = { { { 'vec' }, function() return true end } },"),
         "space.lua:8: constraint 1 has no sentence that says what it requires"},
        {SPACE(TWO, "constraints = { { 'vec', function() return true end, 'what' } },"),
         "space.lua:8: constraint 'what' has no list of parameters as its first entry"},
        {SPACE(TWO, "constraints = { { { 'vec' }, function() return true end, 'what', only = 'full' } },"),
         "space.lua:8: constraint 'what': only is \"default\" or left out"},
        {SPACE(TWO, "presets = {\nv1 = { vex = 1 } },"),
         "space.lua:9: preset 'v1' sets 'vex', which is no parameter of this space"},
        {SPACE(TWO, "presets = {\nv1 = { vec = 3 } },"),
         "space.lua:9: preset 'v1': parameter 'vec' has no value 3"},
        {SPACE(TWO, "presets = {\nv1 = 3 },"),
         "space.lua:9: a preset is name = { parameter = value, ... }, and 'v1' is not"},
        {SPACE(TWO, "presets = 3,"), "space.lua:8: 'presets' is a number, not a table"},
        {SPACE("{ 'vec', { 1 }, 'not UTF-8: \\xff' }", ""), "space.lua:4: this text is not UTF-8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(listed(cases[i].space), cases[i].expected);
}

static void a_file_that_is_not_there_is_named(void **state)
{
    (void)state;
    struct error e;
    assert_null(generator_open(&(struct generator_options){.config = "/nowhere/space.lua"}, &e));
    assert_string_equal(
        e.text,
        "/nowhere/space.lua cannot be read: No such file or directory (built in are the spaces softmax and article)");
    assert_int_equal(e.status, STATUS_USAGE);
    assert_null(generator_open(&(struct generator_options){.config = "/tmp"}, &e));
    assert_string_equal(e.text,
                        "/tmp cannot be read: Is a directory (built in are the spaces softmax and article)");
    assert_null(generator_open(&(struct generator_options){.templates = "/nowhere"}, &e));
    assert_string_equal(e.text, "there is no folder /nowhere to take templates from");
}

/* The completed key, or the error. */
static const char *completed(struct fixture *f, const char *typed, bool valid_only)
{
    static char text[sizeof f->e.text];
    char *key = generator_key(f->g, typed, valid_only, &f->e);
    snprintf(text, sizeof text, "%s", key == NULL ? f->e.text : key);
    free(key);
    return text;
}

static const char keyed_space[] = SPACE(
    TWO "{ 'wide', function(problem) return problem.N >= 4096 and { 0, 1 } or { 0 } end, 'doc' },",
    "constraints = { { { 'vec', 'threads' }, function(vec, threads) return vec * threads <= 256 end, 'small' } },\n"
    "presets = { v1 = { vec = 4, threads = 64 }, v2 = { wide = 1 }, v3 = {} },");

static void a_key_is_completed_and_ordered(void **state)
{
    (void)state;
    struct fixture f = fixture_open(keyed_space);
    assert_string_equal(completed(&f, "vec=2,threads=64", true), "threads=64,vec=2,wide=0");
    assert_string_equal(completed(&f, "threads=64", true), "threads=64,vec=1,wide=0");
    assert_string_equal(completed(&f, "", true), "threads=256,vec=1,wide=0");
    assert_string_equal(completed(&f, "v1", true), "threads=64,vec=4,wide=0");
    assert_string_equal(completed(&f, "v1,vec=2", true), "threads=64,vec=2,wide=0");
    assert_string_equal(completed(&f, "vec=4", false), "threads=256,vec=4,wide=0");
    fixture_close(&f);
}

static void a_wrong_key_is_refused(void **state)
{
    (void)state;
    struct fixture f = fixture_open(keyed_space);
    assert_string_equal(completed(&f, "vec=4", true),
                        "variant threads=256,vec=4,wide=0 is not valid for this problem: small");
    assert_int_equal(f.e.status, STATUS_USAGE);
    assert_string_equal(
        completed(&f, "vec=3", true),
        "variant 'vec=3': parameter 'vec' has no value '3' for this problem (it has 1, 2, 4)");
    assert_string_equal(
        completed(&f, "vex=3", true),
        "variant 'vex=3': space 'test' has no parameter 'vex' (it has threads, vec, wide): did you mean 'vec'?");
    assert_string_equal(completed(&f, "v9", true),
                        "variant 'v9': 'v9' is neither a preset of space 'test' (v1, v2, v3) nor NAME=VALUE");
    assert_string_equal(completed(&f, "vec=1,v1", true), "variant 'vec=1,v1': 'v1' is not NAME=VALUE");
    assert_string_equal(completed(&f, "vec=1,vec=2", true), "variant 'vec=1,vec=2': 'vec' is given twice");
    assert_string_equal(completed(&f, "vec=\xff", true), "a name, variant or problem is not UTF-8");
    assert_string_equal(completed(&f, "vec=1,", true), "variant 'vec=1,' ends with a comma");
    assert_string_equal(completed(&f, "v2", false),
                        "variant 'v2': parameter 'wide' has no value '1' for this problem (it has 0)");
    fixture_close(&f);
}

static void defaults_follow_the_pins_but_presets_do_not(void **state)
{
    (void)state;
    struct fixture f = fixture_with(
        keyed_space, (struct generator_options){.pins = (const char *const[]){"threads=64", NULL}});
    fixture_problem(&f, 8, 1024);
    assert_string_equal(completed(&f, "vec=2", true), "threads=64,vec=2,wide=0");
    assert_string_equal(completed(&f, "v3", true), "threads=256,vec=1,wide=0");
    fixture_close(&f);
}

static void a_variant_of_the_full_space_may_be_named(void **state)
{
    (void)state;
    struct fixture f = fixture_open(
        SPACE("{ 'a', { 1 }, 'doc', full = { 2 } }",
              "constraints = { { { 'a' }, function(a) return a == 1 end, 'one', only = 'default' } },"));
    assert_string_equal(completed(&f, "a=2", true), "a=2");
    fixture_close(&f);
}

static void a_config_has_the_types_of_the_values(void **state)
{
    (void)state;
    struct fixture f =
        fixture_open(SPACE("{ 'a', { 4 }, 'doc' }, { 'b', { true }, 'doc' }, { 'c', { 'w' }, 'doc' }", ""));
    json_t *config = generator_config(f.g, "a=4", &f.e);
    char *text = json_dumps(config, JSON_COMPACT);
    assert_string_equal(text, "{\"a\":4,\"b\":true,\"c\":\"w\"}");
    free(text);
    json_decref(config);
    fixture_close(&f);
}

static void a_description_has_everything(void **state)
{
    (void)state;
    struct fixture f = fixture_open(keyed_space);
    json_t *description = generator_describe(f.g, &f.e);
    char *text = json_dumps(description, JSON_COMPACT);
    assert_string_equal(
        text,
        "{\"name\":\"test\",\"parameters\":[{\"name\":\"threads\",\"doc\":\"threads\",\"values\":[256,64]},"
        "{\"name\":\"vec\",\"doc\":\"elements\",\"values\":[1,2,4]},{\"name\":\"wide\",\"doc\":\"doc\",\"values\":[0]}],"
        "\"presets\":{\"v1\":\"threads=64,vec=4,wide=0\",\"v2\":\"threads=256,vec=1,wide=1\",\"v3\":\"threads=256,vec=1,wide=0\"},"
        "\"combinations\":6,\"constraints\":[\"small\"]}");
    free(text);
    json_decref(description);
    fixture_close(&f);
}

static void another_problem_changes_values_and_answers(void **state)
{
    (void)state;
    struct fixture f = fixture_open(SPACE(
        "{ 'a', function(problem) return { problem.N, 1 } end, 'doc' }",
        "constraints = { { { 'a' }, function(a, problem) return a == 1 or problem.N > 2000 end, 'what' } },"));
    char *first = fixture_list(&f, 0);
    fixture_problem(&f, 8, 4096);
    char *second = fixture_list(&f, 0);
    assert_string_equal(first, "a=1");
    assert_string_equal(second, "a=4096 a=1");
    free(first);
    free(second);
    fixture_close(&f);
}

static void a_listing_stops_at_most(void **state)
{
    (void)state;
    struct fixture f = fixture_open(SPACE(TWO, ""));
    char *keys = fixture_list(&f, 2);
    assert_string_equal(keys, "threads=256,vec=1 threads=256,vec=2");
    free(keys);
    fixture_close(&f);
}

/* 10^7 combinations, of which constraints leave 1000, each as soon as it can. That this takes seconds where
   pruning is late shows in the deadline. */
static void ten_million_combinations_are_pruned_early(void **state)
{
    (void)state;
    struct text_buffer {
        char text[4096];
    } space = {"return space { name = 'test', template = 'test.cu', parameters = {\n"};
    for (char name = 'a'; name <= 'g'; name++)
        snprintf(space.text + strlen(space.text), sizeof space.text - strlen(space.text),
                 "{ '%c', { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 }, 'digit' },\n", name);
    snprintf(space.text + strlen(space.text), sizeof space.text - strlen(space.text),
             "},\n" LAUNCH "constraints = {\n");
    for (char name = 'a'; name <= 'd'; name++)
        snprintf(space.text + strlen(space.text), sizeof space.text - strlen(space.text),
                 "{ { '%c' }, function(%c) return %c == 0 end, 'zero' },\n", name, name, name);
    strcat(space.text, "} }");
    struct fixture f = fixture_open(space.text);
    json_t *keys = generator_list(f.g, 0, NULL, &f.e);
    assert_int_equal(json_array_size(keys), 1000);
    assert_string_equal(json_string_value(json_array_get(keys, 999)), "a=0,b=0,c=0,d=0,e=9,f=9,g=9");
    json_decref(keys);
    fixture_close(&f);
}

static void too_many_variants_are_an_error(void **state)
{
    (void)state;
    struct fixture f = fixture_with(
        SPACE("{ 'a', function() local t = {} for i = 1, 1000 do t[i] = i end return t end, 'doc' },\n"
              "{ 'b', function() local t = {} for i = 1, 1000 do t[i] = i end return t end, 'doc' },\n",
              ""),
        (struct generator_options){.memory_bytes = 4 << 20});
    fixture_problem(&f, 8, 1024);
    assert_null(generator_list(f.g, 0, NULL, &f.e));
    assert_non_null(strstr(f.e.text, "more than can be listed: narrow the space by constraints or --set"));
    fixture_close(&f);
}

static void a_listing_that_takes_too_long_is_an_error(void **state)
{
    (void)state;
    static const char *const hundreds =
        "local function hundred() local t = {} for i = 1, 100 do t[i] = i end return t end\n";
    char *space = must_format(
        "%s%s", hundreds,
        SPACE(
            "{ 'a', hundred(), 'doc' }, { 'b', hundred(), 'doc' }, { 'c', hundred(), 'doc' }, { 'd', hundred(), 'doc' }",
            "constraints = { { { 'a', 'b', 'c', 'd' }, function() return false end, 'none' } },"));
    struct fixture f = fixture_with(space, (struct generator_options){.deadline_seconds = 2});
    free(space);
    fixture_problem(&f, 8, 1024);
    assert_null(generator_list(f.g, 0, NULL, &f.e));
    assert_non_null(
        strstr(f.e.text, "space.lua: the list of its 100000000 combinations takes too long: narrow it by"));
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_values_come_first_and_the_last_parameter_varies_fastest),
        cmocka_unit_test(values_are_integers_booleans_and_words),
        cmocka_unit_test(a_function_gives_values_for_the_problem_and_the_gpu),
        cmocka_unit_test(a_constraint_cuts_what_it_does_not_hold_for),
        cmocka_unit_test(full_values_are_added_only_on_request),
        cmocka_unit_test(a_pin_keeps_one_value_of_the_full_list),
        cmocka_unit_test(a_wrong_pin_is_refused),
        cmocka_unit_test(an_empty_space_says_which_constraints_emptied_it),
        cmocka_unit_test(what_is_wrong_is_named_with_its_place),
        cmocka_unit_test(a_file_that_is_not_there_is_named),
        cmocka_unit_test(a_key_is_completed_and_ordered),
        cmocka_unit_test(a_wrong_key_is_refused),
        cmocka_unit_test(defaults_follow_the_pins_but_presets_do_not),
        cmocka_unit_test(a_variant_of_the_full_space_may_be_named),
        cmocka_unit_test(a_config_has_the_types_of_the_values),
        cmocka_unit_test(a_description_has_everything),
        cmocka_unit_test(another_problem_changes_values_and_answers),
        cmocka_unit_test(a_listing_stops_at_most),
        cmocka_unit_test(ten_million_combinations_are_pruned_early),
        cmocka_unit_test(too_many_variants_are_an_error),
        cmocka_unit_test(a_listing_that_takes_too_long_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
