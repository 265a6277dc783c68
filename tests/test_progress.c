/* The bar on a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tuner/cli/progress.h"

#include <math.h>
#include <pty.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Draws a bar once on a terminal of so many columns; how many of them it takes, or -1 if it is not wiped to
   the end of its line. */
static int columns_drawn(unsigned short columns)
{
    struct winsize size = {.ws_row = 24, .ws_col = columns};
    int terminal;
    pid_t child = forkpty(&terminal, NULL, NULL, &size);
    if (child < 0)
        skip(); /* a machine without pseudo-terminals */
    if (child == 0) {
        struct progress p;
        setenv("TERM", "xterm", 1);
        progress_open(&p, false);
        progress_begin(&p, "compile");
        p.shown = -INFINITY; /* it is due */
        progress_pipeline(&p, &(struct pipeline_progress){.finished = 120, .total = 240, .best_copies = NAN});
        _exit(0);
    }
    char text[1024];
    size_t length = 0;
    for (ssize_t got; (got = read(terminal, text + length, sizeof text - 1 - length)) > 0;)
        length += (size_t)got;
    text[length] = '\0';
    close(terminal);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_memory_equal(text, "\rcompile", strlen("\rcompile"));
    const char *end = strstr(text, "\033[K");
    return end != NULL ? (int)(end - text) - 1 : -1;
}

static void a_bar_leaves_the_last_column_of_a_narrow_terminal_free(void **state)
{
    (void)state;
    assert_int_equal(columns_drawn(40), 39);
    assert_int_equal(columns_drawn(10), 9);
}

static void a_wide_terminal_has_the_whole_bar(void **state)
{
    (void)state;
    assert_in_range(columns_drawn(200), 50, 120);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bar_leaves_the_last_column_of_a_narrow_terminal_free),
        cmocka_unit_test(a_wide_terminal_has_the_whole_bar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
