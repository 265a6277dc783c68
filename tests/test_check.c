/* `check` end to end, on the emulator: verdicts, counts, and the article's counters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "program.h"

#include <fcntl.h>
#include <pty.h>
#include <unistd.h>

static int64_t count_of(json_t *variant, const char *name)
{
    return json_integer_value(json_object_get(json_object_get(variant, "counts"), name));
}

static void counts_are_for_the_whole_problem(void **state)
{
    json_t *document = run_json(*state, "check --arch sm_120 --N 256 --M 64 --config article --variant v4 "
                                        "--device emulator --json");
    json_t *variant = json_array_get(json_object_get(document, "variants"), 0);
    assert_string_equal(json_string_value(json_object_get(variant, "verdict")), "correct");
    assert_true(json_real_value(json_object_get(variant, "max_error")) < 1);
    /* Three passes over 64 rows of 1024 bytes, and one of writing: sectors of 32 bytes. */
    assert_int_equal(count_of(variant, "global_load_sectors"), 3 * 64 * 1024 / 32);
    assert_int_equal(count_of(variant, "global_store_sectors"), 64 * 1024 / 32);
    assert_null(json_object_get(variant, "article"));
    json_decref(document);
}

static void the_articles_counters_stand_beside_those_counted(void **state)
{
    struct run run = run_program(*state, "check --arch sm_120 --N 8192 --config article --variant v1 "
                                         "--variant v4 --variant v5 --device emulator --rows 2 --quiet");
    assert_int_equal(run.status, 1); /* the article's v5 is wrong on rows that begin with -inf */
    assert_non_null(strstr(run.out, "201,326,592 sectors (32.0 a request, 12.5 % of their bytes used)"));
    static const char *const rows[][4] = {{"requested at L1  ", "25,165,824", "8,388,608", "here"},
                                          {"below L1  ", "25,331,031", "8,388,623", "the article"},
                                          {"requested at L1  ", "16,777,216", "8,388,608", "here"},
                                          {"below L1  ", "17,260,927", "8,388,620", "the article"}};
    const char *line = run.out;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        line = strstr(line, rows[i][0]);
        assert_non_null(line);
        char *text = must_format("%.*s", (int)strcspn(line, "\n"), line);
        for (int k = 1; k < 4; k++)
            assert_non_null(strstr(text, rows[i][k]));
        free(text);
        line++;
    }
    run_clear(&run);
}

static void the_articles_counters_are_in_the_json(void **state)
{
    json_t *document = run_json(*state, "check --arch sm_120 --N 8192 --config article --variant v4 "
                                        "--device emulator --rows 2 --json");
    json_t *variant = json_array_get(json_object_get(document, "variants"), 0);
    json_t *article = json_object_get(variant, "article");
    assert_int_equal(json_integer_value(json_object_get(article, "sectors_read")), 25331031);
    assert_int_equal(json_integer_value(json_object_get(article, "sectors_written")), 8388623);
    assert_int_equal(count_of(variant, "global_load_sectors"), 25165824);
    json_decref(document);
}

static void nothing_is_said_of_the_article_for_another_problem(void **state)
{
    struct run run = run_well(*state, "check --arch sm_120 --N 4096 --config article --variant v4 "
                                      "--device emulator --rows 2 --quiet");
    assert_null(strstr(run.out, "the article"));
    assert_non_null(strstr(run.out, "\ncorrect"));
    assert_non_null(strstr(run.out, "Counts are for all 8192 rows"));
    run_clear(&run);
}

/* A kernel for two columns that is wrong when it has more than three rows. */
static void launches_have_as_many_rows_as_they_are_told(void **state)
{
    char *folder = *state;
    write_text(folder, "few.cu",
               "extern \"C\" __global__ void ${kernel}(const float *x, float *y, long long M)\n"
               "{\n"
               "    const float a = x[2 * blockIdx.x], b = x[2 * blockIdx.x + 1], top = fmaxf(a, b);\n"
               "    const float p = expf(a - top), q = expf(b - top), factor = M > 3 ? 2 : 1;\n"
               "    y[2 * blockIdx.x] = factor * p / (p + q);\n"
               "    y[2 * blockIdx.x + 1] = factor * q / (p + q);\n"
               "}\n");
    write_text(
        folder, "few.lua",
        "return space { name = 'few', template = 'few.cu', parameters = { { 'a', { 1 }, 'nothing' } },\n"
        "  launch = function(v) return { { grid_of_M = 'M', block = 1, args = { 'x', 'y', 'M' } } } end }\n");
    struct run three = run_well(folder, "check --arch sm_120 --N 2 --config few.lua --templates . "
                                        "--device emulator --rows 3 --quiet");
    struct run four = run_program(folder, "check --arch sm_120 --N 2 --config few.lua --templates . "
                                          "--device emulator --rows 4 --quiet");
    assert_int_equal(four.status, 1);
    assert_non_null(strstr(four.out, "\ncorrectness"));
    run_clear(&three);
    run_clear(&four);
}

/* Whether `before` stands in front of a number that is not less than `least`. */
static bool shows(const char *text, const char *before, int least)
{
    for (const char *at = text; (at = strstr(at, before)) != NULL; at++)
        if (atoi(at + strlen(before)) >= least)
            return true;
    return false;
}

/* Starts a `check` of hundreds of variants on a terminal, its output there too unless `to_file`, waits until
   the terminal shows `before` and `least` or more, and terminates it as `timeout` does: twice, once as the
   process and once in its group. What the terminal showed is in `text`; returns the exit status, less than 0
   for a signal. */
static int terminate_check(const char *folder, bool to_file, const char *before, int least, char *text,
                           size_t room)
{
    int terminal;
    pid_t child = forkpty(&terminal, NULL, NULL, NULL);
    assert_true(child >= 0);
    if (child == 0) {
        if (chdir(folder) != 0 || (to_file && dup2(creat("out.json", 0666), STDOUT_FILENO) < 0))
            _exit(99);
        setenv("HOME", folder, 1);
        setenv("TERM", "xterm", 1);
        unsetenv("XDG_CACHE_HOME");
        execl(PROGRAM, PROGRAM, "check", "--arch", "sm_120", "--N", "256", "--device", "emulator", "--jobs",
              "1", to_file ? "--json" : (char *)NULL, (char *)NULL);
        _exit(98);
    }
    size_t size = 0;
    bool sent = false;
    text[0] = '\0';
    for (ssize_t got; (got = read(terminal, text + size, room - size - 1)) > 0;) {
        size += (size_t)got;
        text[size] = '\0';
        if (!sent && shows(text, before, least))
            sent = kill(child, SIGTERM) == 0 && kill(child, SIGTERM) == 0;
    }
    close(terminal);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!sent)
        fail_msg("'%s%d' was never shown: '%s'", before, least, text);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void a_line_comes_as_soon_as_its_variant_is_settled(void **state)
{
    static char text[1 << 20];
    assert_int_equal(terminate_check(*state, false, "correct  ", 0, text, sizeof text), 143);
    int lines = 0;
    for (const char *at = text; (at = strstr(at, "correct  ")) != NULL; at++, lines++)
        if (at[-1] != '\n' && strncmp(at - 3, "\033[K", 3) != 0) /* the bar was wiped away before */
            fail_msg("a verdict does not stand at the beginning of a line: '%.60s'", at - 20);
    assert_true(lines >= 1);
    const char *end = strstr(text, " variants were checked");
    assert_non_null(end);
    while (end[-1] != ':')
        end--;
    int checked, all;
    assert_int_equal(sscanf(end, "%d of %d", &checked, &all), 2);
    assert_int_equal(checked, lines);
    assert_true(checked < all);
}

static void a_terminated_check_leaves_a_whole_document(void **state)
{
    static char text[1 << 20];
    /* The bar is drawn now and then, and may pass over a number. */
    assert_int_equal(terminate_check(*state, true, "] ", 3, text, sizeof text), 143);
    char *path = must_format("%s/out.json", (char *)*state);
    json_t *document = json_load_file(path, 0, NULL);
    assert_true(json_array_size(json_object_get(document, "variants")) >= 3);
    json_decref(document);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_for_the_whole_problem),
        cmocka_unit_test(the_articles_counters_stand_beside_those_counted),
        cmocka_unit_test(the_articles_counters_are_in_the_json),
        cmocka_unit_test(nothing_is_said_of_the_article_for_another_problem),
        cmocka_unit_test(launches_have_as_many_rows_as_they_are_told),
        cmocka_unit_test(a_line_comes_as_soon_as_its_variant_is_settled),
        cmocka_unit_test(a_terminated_check_leaves_a_whole_document),
    };
    return cmocka_run_group_tests(tests, temporary_folder_set_up, temporary_folder_tear_down);
}
