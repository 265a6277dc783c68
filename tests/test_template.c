/* Templates: what text, values, Lua lines and parts become. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "generator/text_buffer.h"
#include "tests/space_fixture.h"

static const char space[] =
    "return space {\n"
    "  name = 'test', template = 'main.cu',\n"
    "  parameters = { { 'n', { 3, 1 }, 'doc' }, { 'flag', { true, false }, 'doc' }, { 'word', { 'max' }, 'doc' } },\n"
    "  launch = function(v) return { { grid_of_M = 'M', block = 32, args = { 'x' } } } end,\n"
    "}\n";

/* The source of the variant `key` with `text` as its template, or the error without the folder in it. */
static const char *rendered(struct fixture *f, const char *key, const char *text)
{
    static char result[8192];
    struct source source;
    fixture_template(f, "main.cu", text);
    generator_close(f->g);
    f->g = generator_open(&(struct generator_options){.config = f->config, .templates = f->folder}, &f->e);
    fixture_problem(f, 8, 1024);
    if (!generator_source(f->g, key, "kern", &source, &f->e)) {
        assert_int_equal(f->e.status, STATUS_USAGE);
        size_t folder = strlen(f->folder);
        bool cut = strncmp(f->e.text, f->folder, folder) == 0;
        snprintf(result, sizeof result, "%s", f->e.text + (cut ? folder + 1 : 0));
        return result;
    }
    snprintf(result, sizeof result, "%s", source.text);
    assert_int_equal(strlen(source.text), source.size);
    source_clear(&source);
    return result;
}

static int open_fixture(void **state)
{
    static struct fixture f;
    f = fixture_open(space);
    *state = &f;
    return f.g == NULL;
}

static int close_fixture(void **state)
{
    fixture_close(*state);
    return 0;
}

static void text_is_kept_as_it_is(void **state)
{
    assert_string_equal(rendered(*state, "", "int a;\n    \"\\n\"; \\ $ { } % 5\n\tb;"),
                        "int a;\n    \"\\n\"; \\ $ { } % 5\n    b;\n");
}

static void values_are_put_in(void **state)
{
    assert_string_equal(rendered(*state, "",
                                 "${n} ${flag} ${word} ${kernel} ${problem.N} ${gpu.arch}\n"
                                 "${n * 2}${word:upper()}${({ a = '}' }).a}x\n"),
                        "3 true max kern 1024 sm_90\n6MAX}x\n");
}

static void a_number_is_written_without_loss(void **state)
{
    assert_string_equal(rendered(*state, "", "${8 / 2} ${1 / 3} ${-0.5} ${2^53} ${math.mininteger}\n"),
                        "4 0.3333333333333333 -0.5 9007199254740992 -9223372036854775808\n");
}

static void lua_lines_choose_and_repeat(void **state)
{
    const char *text =
        "% if flag then\nyes\n% else\nno\n% end\n    % for i = 1, n do\n    v[${i}];\n    % end\n";
    assert_string_equal(rendered(*state, "", text), "yes\n    v[1];\n    v[2];\n    v[3];\n");
    assert_string_equal(rendered(*state, "n=1,flag=false", text), "no\n    v[1];\n");
}

static void blank_lines_collapse(void **state)
{
    assert_string_equal(rendered(*state, "", "\n\na\n\n% if not flag then\nx\n% end\n\n${''}\n\nb  \n\n"),
                        "a\n\nb\n");
}

static void a_value_of_several_lines_keeps_the_indentation(void **state)
{
    assert_string_equal(rendered(*state, "", "  ${'a\\nb'};\n"), "  a\n  b;\n");
}

static void a_part_is_indented_like_its_include(void **state)
{
    fixture_template(*state, "part.cu", "p(${n}) {\n    q;\n}\n");
    assert_string_equal(rendered(*state, "", "{\n    % include 'part.cu'\n}\n"),
                        "{\n    p(3) {\n        q;\n    }\n}\n");
}

static void names_given_to_a_part_are_known_only_there(void **state)
{
    fixture_template(*state, "part.cu", "${op}_${n}\n% made = op\n% function later() return op end\n");
    assert_string_equal(
        rendered(*state, "", "% include('part.cu', { op = 'sum', n = 7 })\n${n} ${made} ${later()}\n"),
        "sum_7\n3 sum sum\n");
    assert_string_equal(rendered(*state, "", "% include('part.cu', { op = 'sum' })\n% local x = op\n"),
                        "main.cu:2: unknown value 'op'");
}

static void a_function_with_text_stands_where_it_is_called(void **state)
{
    assert_string_equal(rendered(*state, "",
                                 "% local function step(i)\n    a${i} {\n      b;\n    }\n% end\n"
                                 "{\n  % for i = 1, 2 do\n  %   step(i)\n  % end\n}\n"),
                        "{\n  a1 {\n    b;\n  }\n  a2 {\n    b;\n  }\n}\n");
}

static void functions_within_functions_and_parts_add_up(void **state)
{
    fixture_template(*state, "part.cu",
                     "% function inner()\ni;\n% end\n% function outer()\n{\n  % inner()\n}\n% end\n");
    fixture_template(*state, "use.cu", "u;\n  % outer()\n");
    assert_string_equal(rendered(*state, "", "% include 'part.cu'\n  % include 'use.cu'\n"),
                        "  u;\n    {\n      i;\n    }\n");
}

static void a_variant_leaves_nothing_to_the_next(void **state)
{
    struct fixture *f = *state;
    rendered(f, "", "% if n == 3 then left = 1 end\n% if n == 1 then\n${left}\n% end\n");
    struct source source;
    assert_false(generator_source(f->g, "n=1", "kern", &source, &f->e));
    assert_non_null(strstr(f->e.text, "main.cu:3: unknown value 'left'"));
}

static void what_is_wrong_is_named_with_its_place(void **state)
{
    static const char *const cases[][2] = {
        {"a\n${foo}\n", "main.cu:2: unknown value 'foo'"},
        {"a\n${problem.foo}\n", "main.cu:2: problem has no field 'foo'"},
        {"${gpu.foo}\n", "main.cu:1: gpu has no field 'foo'"},
        {"${problem.M}\n", "main.cu:1: problem.M cannot be used here: one kernel serves every M"},
        {"% local t = {}\n${n} ${t.foo}\n", "main.cu:2: unknown value 't.foo'"},
        {"\n${n} ${{}}\n", "main.cu:2: '{}' is no integer, word or boolean but a table"},
        {"${1 / 0}\n", "main.cu:1: '1 / 0' is no integer, word or boolean but a number without digits"},
        {"a\n${n\n}\n", "main.cu:2: '${' is not closed in its line"},
        {"${n, n}\n", "main.cu:1: ')' expected near ','"},
        {"${}\n", "main.cu:1: unexpected symbol near ')'"},
        {"a\n% for i = 1, 2 do\nb\n", "main.cu:4: 'end' expected (to close 'for' at line 2) near <eof>"},
        {"a\n% end\nb\n", "main.cu:2: <eof> expected near 'end'"},
        {"% local x = 1 +\nb\n", "main.cu:2: unexpected symbol near ';'"},
        {"a\n% error('what')\n", "main.cu:2: what"},
        {"a\n% local x = n + nil\n", "main.cu:2: attempt to perform arithmetic on a nil value"},
        {"% include 'main.cu'\n",
         "main.cu:1: parts are included more than 16 deep: does 'main.cu' include itself?"},
        {"\n% include '../main.cu'\n",
         "main.cu:2: '../main.cu' is no name of a template: a file below the folder of templates"},
        {"% include()\n", "main.cu:1: bad argument #1 to 'include' (string expected, got no value)"},
        {"% __emit(1, {})\n", "main.cu:1: bad argument #2 to '__emit' (string expected, got table)"},
        {"% __emit(-7, 'a', nil)\n", "main.cu:1: unknown value ''"},
        {"% _ENV = nil include 'main.cu'\n", "main.cu:1: attempt to index a nil value (local '_ENV')"},
        {"% include('main.cu', 3)\n", "main.cu:1: bad argument #2 to 'include' (table expected, got number)"},
        {"% local s = 'x' while true do s = s .. s end\n", "main.cu: the template uses more than 512 MiB"},
        {"% while true do\nthe same line again\n% end\n", "main.cu:2: the source grows past 16777216 bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(rendered(*state, "", cases[i][0]), cases[i][1]);
    struct fixture *f = *state;
    char *expected =
        must_format("main.cu:2: there is no template 'none.cu', neither in %s nor built in", f->folder);
    assert_string_equal(rendered(f, "", "\n% include 'none.cu'\n"), expected);
    free(expected);
}

static void an_error_within_a_part_names_the_part(void **state)
{
    fixture_template(*state, "part.cu", "a\n\n${foo}\n");
    assert_string_equal(rendered(*state, "", "% include 'part.cu'\n"), "part.cu:3: unknown value 'foo'");
    fixture_template(*state, "part.cu", "% for\n");
    assert_string_equal(rendered(*state, "", "% include 'part.cu'\n"),
                        "part.cu:2: <name> expected near <eof>");
}

static void every_line_is_mapped_to_its_template(void **state)
{
    struct fixture *f = *state;
    fixture_template(f, "part.cu", "\np1\np2\n");
    rendered(f, "", "a\n% for i = 1, 2 do\nb${i}\n% include 'part.cu'\n% end\n\nc\n");
    struct source s;
    assert_true(generator_source(f->g, "", "kern", &s, &f->e));
    static const struct {
        int file, line;
    } expected[] = {{0, 1}, {0, 3}, {1, 1}, {1, 2}, {1, 3}, {0, 3}, {1, 1}, {1, 2}, {1, 3}, {0, 6}, {0, 7}};
    assert_string_equal(s.text, "a\nb1\n\np1\np2\nb2\n\np1\np2\n\nc\n");
    assert_int_equal(s.line_count, sizeof expected / sizeof expected[0]);
    for (int i = 0; i < s.line_count; i++) {
        assert_int_equal(s.lines[i].file, expected[i].file);
        assert_int_equal(s.lines[i].line, expected[i].line);
    }
    assert_int_equal(s.file_count, 2);
    assert_string_equal(s.files[1] + strlen(f->folder), "/part.cu");
    source_clear(&s);
}

static void a_built_in_template_is_named_as_such(void **state)
{
    (void)state;
    struct error e;
    struct source s;
    struct problem p = problem_default(8, 1024);
    struct gpu gpu = test_gpu();
    struct generator *g = generator_open(&(struct generator_options){.config = "article"}, &e);
    assert_true(generator_set_problem(g, &p, &gpu, &e));
    assert_true(generator_source(g, "v5", "kern", &s, &e));
    assert_string_equal(s.files[0], "templates/article.cu");
    source_clear(&s);
    generator_close(g);
}

/* The text of the first block of `language` in docs/space.md. */
static char *example(const char *language)
{
    struct text_buffer manual = {0};
    struct error e;
    assert_true(text_read_file(&manual, SOURCE_DIR "/docs/space.md", 1 << 20, &e));
    char *fence = must_format("```%s\n", language), *begin = strstr(manual.data, fence);
    assert_non_null(begin);
    begin += strlen(fence);
    char *text = must_format("%.*s", (int)(strstr(begin, "```") - begin), begin);
    free(fence);
    text_free(&manual);
    return text;
}

static void the_example_of_the_manual_is_right(void **state)
{
    (void)state;
    char *manual_space = example("lua"), *manual_template = example("c");
    struct fixture f = fixture_open(manual_space);
    fixture_template(&f, "rows.cu", manual_template);
    char *keys = fixture_list(&f, 0);
    assert_string_equal(keys, "threads=256,vec_bytes=4 threads=256,vec_bytes=16 threads=128,vec_bytes=4 "
                              "threads=128,vec_bytes=16 threads=512,vec_bytes=4");
    struct source s;
    struct launch_plan plan;
    assert_true(generator_launch(f.g, "wide", "kern", NULL, &plan, &f.e));
    assert_true(generator_source(f.g, "wide", "kern", &s, &f.e));
    assert_non_null(
        strstr(s.text,
               "i < 256; i += 256) {\n        sum += x_row[4 * i + 0];\n        sum += x_row[4 * i + 1];\n"));
    source_clear(&s);
    free(keys);
    free(manual_space);
    free(manual_template);
    fixture_close(&f);
}

int main(void)
{
#define WITH_SPACE(test) cmocka_unit_test_setup_teardown(test, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        WITH_SPACE(text_is_kept_as_it_is),
        WITH_SPACE(values_are_put_in),
        WITH_SPACE(a_number_is_written_without_loss),
        WITH_SPACE(lua_lines_choose_and_repeat),
        WITH_SPACE(blank_lines_collapse),
        WITH_SPACE(a_value_of_several_lines_keeps_the_indentation),
        WITH_SPACE(a_part_is_indented_like_its_include),
        WITH_SPACE(names_given_to_a_part_are_known_only_there),
        WITH_SPACE(a_function_with_text_stands_where_it_is_called),
        WITH_SPACE(functions_within_functions_and_parts_add_up),
        WITH_SPACE(a_variant_leaves_nothing_to_the_next),
        WITH_SPACE(what_is_wrong_is_named_with_its_place),
        WITH_SPACE(an_error_within_a_part_names_the_part),
        WITH_SPACE(every_line_is_mapped_to_its_template),
        cmocka_unit_test(a_built_in_template_is_named_as_such),
        cmocka_unit_test(the_example_of_the_manual_is_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
