/* Kill -9 at many moments: the store opens each time, no finished trial is lost, none is counted twice. */
#include "tests/store_fixture.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>

#include <cmocka.h>

enum { KILLS = 50, SEED = 4 };

static struct error error;

/* Opens the store and puts trials one after another, from `first` on, telling of each when it is finished. */
static void write_until_killed(const char *folder, int first, int descriptor)
{
    struct store *s = fixture_open(folder, &error);
    bool ok = s != NULL;
    for (int i = first; ok; i++)
        ok = fixture_put(s, i, &error) && write(descriptor, &i, sizeof i) == sizeof i;
    fprintf(stderr, "the writer failed: %s\n", error.text);
    _exit(1);
}

/* Waits until the writer has told of `most` trials, lets it go on for a while that no clock measures, kills
   it, and returns the last trial that it told of. */
static int kill_after(pid_t writer, int descriptor, int most, int turns)
{
    int last = -1, told;
    for (int i = 0; i < most && read(descriptor, &told, sizeof told) == sizeof told; i++)
        last = told;
    for (volatile int turn = 0; turn < turns; turn++)
        continue;
    kill(writer, SIGKILL);
    waitpid(writer, NULL, 0);
    while (read(descriptor, &told, sizeof told) == sizeof told)
        last = told;
    return last;
}

static void a_killed_writer_loses_nothing_that_it_had_finished(void **state)
{
    (void)state;
    char *folder = temporary_folder();
    int finished = 0; /* trials 0 to finished - 1 were told of */
    srand(SEED);
    for (int i = 0; i < KILLS; i++) {
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        pid_t writer = fork();
        if (writer == 0) {
            close(ends[0]);
            write_until_killed(folder, finished, ends[1]);
        }
        close(ends[1]);
        /* Now and then before the first trial: while the store is opened, or made. */
        int last = kill_after(writer, ends[0], i % 5 == 0 ? 0 : rand() % 20, rand() % 2000000);
        close(ends[0]);
        finished = last >= 0 ? last + 1 : finished;

        struct store *s = fixture_open(folder, &error);
        if (s == NULL)
            fail_msg("after kill %d: %s", i + 1, error.text);
        struct store_size size;
        assert_true(store_measure(s, &size, &error));
        /* The writer may have been killed between a trial and its word of it; the next puts that again. */
        assert_true(size.trials == finished || size.trials == finished + 1);
        for (int number = 0; number < finished; number++) {
            struct store_key key = fixture_key(number);
            struct store_times times;
            assert_int_equal(store_find(s, &key, NULL, &times, &error), STORE_HIT);
            assert_int_equal(times.count, 3);
            free(times.samples);
        }
        store_close(s);
    }
    assert_true(finished > KILLS);
    temporary_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_killed_writer_loses_nothing_that_it_had_finished),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
