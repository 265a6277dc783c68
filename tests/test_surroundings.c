/* What surrounds the program is not as it should be: streams that are closed, files that may not grow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "program.h"

#define TUNE                                                                                                 \
    "--N 64 --arch sm_90 --device none --config article --set scope=block --set threads=256 --set reduction=shuffle"

/* Runs a line of sh in `folder`, in which $PROGRAM is the program; its exit status. */
static int run_shell(const char *folder, const char *line)
{
    char *command = must_format("cd '%s' && export HOME='%s' XDG_CACHE_HOME= PROGRAM='%s' && %s", folder,
                                folder, PROGRAM, line);
    int status = system(command);
    free(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void assert_shell(const char *folder, const char *line)
{
    int status = run_shell(folder, line);
    if (status != 0)
        fail_msg("'%s' gave status %d", line, status);
}

static char *text_of(const char *folder, const char *name)
{
    char *path = must_format("%s/%s", folder, name), *text = read_all(path);
    free(path);
    return text;
}

/* A worker's socket must not take the number of a closed stream, or what is printed goes to the worker. */
static void closed_streams_do_not_reach_the_workers(void **state)
{
    (void)state;
    char *folder = temporary_folder();
    assert_shell(folder, "$PROGRAM " TUNE " >/dev/null <&- 2>&-");
    assert_shell(folder, "test -f out/softmax_f32_m8192_n64_sm_90.json");
    assert_int_equal(run_shell(folder, "$PROGRAM list --N 64 --arch sm_90 --config article 2>err.txt >&-"),
                     2);
    char *said = text_of(folder, "err.txt");
    assert_non_null(strstr(said, "standard output"));
    assert_int_equal(count_lines(said), 1);
    free(said);
    temporary_folder_remove(folder);
}

/* `check` flushes its lines as it goes: the last flush has nothing left to fail with. */
static void lines_that_are_lost_as_they_are_printed_end_with_status_2(void **state)
{
    (void)state;
    char *folder = temporary_folder();
    assert_int_equal(run_shell(folder,
                               "$PROGRAM check --N 64 --arch sm_90 --device emulator --variant v4 --quiet "
                               "2>err.txt >/dev/full"),
                     2);
    char *said = text_of(folder, "err.txt");
    assert_non_null(strstr(said, "standard output"));
    free(said);
    temporary_folder_remove(folder);
}

/* The images are in the cache by then, so that only the emitted files meet the limit. */
static void a_file_that_may_not_grow_is_named_and_nothing_is_left(void **state)
{
    (void)state;
    char *folder = temporary_folder();
    assert_shell(folder, "$PROGRAM " TUNE " --output first --quiet >/dev/null");
    assert_int_equal(run_shell(folder, "ulimit -f 8; exec $PROGRAM " TUNE
                                       " --output second --quiet 2>&1 >/dev/null | cat >said.txt;"
                                       " exec find second ! -type d | wc -l >left.txt"),
                     0);
    char *said = text_of(folder, "said.txt"), *left = text_of(folder, "left.txt");
    assert_non_null(strstr(said, "File too large"));
    assert_int_equal(count_lines(said), 1);
    assert_int_equal(atoi(left), 0);
    free(said);
    free(left);
    temporary_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_streams_do_not_reach_the_workers),
        cmocka_unit_test(lines_that_are_lost_as_they_are_printed_end_with_status_2),
        cmocka_unit_test(a_file_that_may_not_grow_is_named_and_nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
