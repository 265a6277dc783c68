/* The compiler over an NVRTC that crashes, hangs and lies (fake_nvrtc.c): each costs its own source alone. */
#include "tests/handmade_source.h"
#include "tests/temporary_folder.h"
#include "tuner/compile/compiler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct compiler *open_compiler(int jobs, double deadline_seconds, const char *cache)
{
    struct compiler_options options = {.jobs = jobs, .deadline_seconds = deadline_seconds, .cache = cache};
    struct error e = {0};
    struct compiler *c = compiler_open(&options, &e);
    assert_string_equal(e.text, "");
    assert_non_null(c);
    return c;
}

static void submit(struct compiler *c, uint64_t ticket, const char *text)
{
    struct source source = handmade_source(text);
    struct compile_request request = {.ticket = ticket, .source = &source, .arch = "sm_90"};
    struct error e;
    assert_true(compiler_submit(c, &request, &e));
    source_clear(&source);
}

/* Compiles `text`; the result is cleared, but for what the caller asks to see. */
static enum compile_outcome compile(struct compiler *c, const char *text, char reason[256], bool *from_cache)
{
    struct source source = handmade_source(text);
    struct compile_request request = {.source = &source, .arch = "sm_90"};
    struct compile_result result;
    struct error e;
    assert_true(compiler_compile(c, &request, &result, &e));
    snprintf(reason, 256, "%s", result.reason == NULL ? "" : result.reason);
    if (from_cache != NULL)
        *from_cache = result.from_cache;
    if (result.outcome == COMPILE_DONE)
        assert_int_equal(result.image.kernels[0].registers, 7);
    image_clear(&result.image);
    free(result.reason);
    source_clear(&source);
    return result.outcome;
}

static void crash_fails_one_source_and_the_next_compiles(void **state)
{
    (void)state;
    char reason[256];
    struct compiler *c = open_compiler(1, 0, NULL);
    assert_int_equal(compile(c, "fine", reason, NULL), COMPILE_DONE);
    assert_int_equal(compile(c, "CRASH", reason, NULL), COMPILE_FAILED);
    assert_string_equal(reason, "the compiler was killed by signal 11 (Segmentation fault)");
    assert_int_equal(compile(c, "fine again", reason, NULL), COMPILE_DONE);
    compiler_close(c);
}

static void endless_compile_is_late_and_the_next_compiles(void **state)
{
    (void)state;
    char reason[256];
    struct compiler *c = open_compiler(1, 3, NULL);
    assert_int_equal(compile(c, "HANG", reason, NULL), COMPILE_LATE);
    assert_string_equal(reason, "the compiler did not end within 3 s");
    assert_int_equal(compile(c, "fine", reason, NULL), COMPILE_DONE);
    compiler_close(c);
}

static void what_is_given_up_leaves_nothing_behind(void **state)
{
    (void)state;
    char reason[256];
    struct compile_result result;
    struct compiler *c = open_compiler(1, 60, NULL);
    submit(c, 1, "HANG");
    submit(c, 2, "fine, and waiting");
    compiler_abandon(c);
    assert_int_equal(compiler_pending(c), 0);
    assert_true(compiler_has_room(c));
    assert_false(compiler_next(c, 0, &result));
    assert_int_equal(compile(c, "fine", reason, NULL), COMPILE_DONE);
    compiler_close(c);
}

static void compile_that_eats_memory_fails_alone(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__)
    skip(); /* the sanitizer leaves no room for a limit */
#endif
    char reason[256];
    struct compiler *c = open_compiler(1, 0, NULL);
    assert_int_equal(compile(c, "EXHAUST", reason, NULL), COMPILE_FAILED);
    assert_int_equal(compile(c, "fine", reason, NULL), COMPILE_DONE);
    compiler_close(c);
}

static void garbage_is_a_failure_with_a_reason(void **state)
{
    (void)state;
    char reason[256];
    struct compiler *c = open_compiler(1, 0, NULL);
    assert_int_equal(compile(c, "GARBAGE", reason, NULL), COMPILE_FAILED);
    assert_string_equal(reason,
                        "NVRTC wrote what cannot be used: not a whole cubin: it is no ELF file for an "
                        "NVIDIA GPU");
    assert_int_equal(compile(c, "SILENT", reason, NULL), COMPILE_FAILED);
    assert_string_equal(reason, "NVRTC gave no reason (NVRTC_ERROR_COMPILATION)");
    compiler_close(c);
}

static void two_compiles_run_in_two_workers_at_once(void **state)
{
    (void)state;
    char *folder = temporary_folder();
    char *text = must_format("MEET %s", folder);
    struct compiler *c = open_compiler(2, 0, NULL);
    assert_true(compiler_has_room(c));
    submit(c, 1, text);
    assert_true(compiler_has_room(c));
    submit(c, 2, text);
    assert_false(compiler_has_room(c));
    assert_int_equal(compiler_pending(c), 2);
    struct pollfd descriptors[4];
    assert_int_equal(compiler_poll(c, descriptors, 4), 2);
    uint64_t tickets = 0;
    for (int i = 0; i < 2; i++) {
        struct compile_result result;
        assert_true(compiler_next(c, 60, &result));
        assert_int_equal(result.outcome, COMPILE_DONE);
        tickets += result.ticket;
        image_clear(&result.image);
    }
    assert_int_equal(tickets, 3);
    assert_int_equal(compiler_pending(c), 0);
    struct compile_result none;
    assert_false(compiler_next(c, 60, &none));
    compiler_close(c);
    free(text);
    temporary_folder_remove(folder);
}

static void sources_beyond_the_workers_wait_and_compile_passes_them(void **state)
{
    (void)state;
    char reason[256];
    struct compiler *c = open_compiler(1, 0, NULL);
    for (uint64_t ticket = 0; ticket < 5; ticket++)
        submit(c, ticket, ticket == 2 ? "CRASH" : "fine");
    assert_int_equal(compile(c, "mine", reason, NULL), COMPILE_DONE);
    assert_int_equal(compiler_pending(c), 5);
    for (uint64_t ticket = 0; ticket < 5; ticket++) {
        struct compile_result result;
        assert_true(compiler_next(c, 60, &result));
        assert_int_equal(result.ticket, ticket);
        assert_int_equal(result.outcome, ticket == 2 ? COMPILE_FAILED : COMPILE_DONE);
        image_clear(&result.image);
        free(result.reason);
    }
    submit(c, 9, "HANG"); /* still running when the compiler is closed */
    submit(c, 10, "waiting");
    compiler_close(c);
}

static void second_compile_comes_from_the_cache_and_failures_do_not(void **state)
{
    (void)state;
    char *folder = temporary_folder();
    char reason[256];
    bool from_cache;
    struct compiler *c = open_compiler(1, 0, folder);
    assert_null(compiler_warning(c));
    assert_int_equal(compile(c, "fine", reason, &from_cache), COMPILE_DONE);
    assert_false(from_cache);
    assert_int_equal(compile(c, "fine", reason, &from_cache), COMPILE_DONE);
    assert_true(from_cache);
    assert_int_equal(compile(c, "other", reason, &from_cache), COMPILE_DONE);
    assert_false(from_cache);
    assert_int_equal(compile(c, "GARBAGE", reason, &from_cache), COMPILE_FAILED);
    assert_int_equal(compile(c, "GARBAGE", reason, &from_cache), COMPILE_FAILED);
    assert_false(from_cache);
    compiler_close(c);
    temporary_folder_remove(folder);
}

static void cache_that_cannot_be_written_is_a_warning(void **state)
{
    (void)state;
    char reason[256];
    struct compiler *c = open_compiler(1, 0, "/dev/null/cache");
    assert_string_equal(compiler_warning(c),
                        "the image cache /dev/null/cache cannot be written: Not a directory; "
                        "going on without it");
    assert_int_equal(compile(c, "fine", reason, NULL), COMPILE_DONE);
    compiler_close(c);
}

static void only_the_compilers_own_architectures_are_known(void **state)
{
    (void)state;
    struct compiler *c = open_compiler(1, 0, NULL);
    assert_true(compiler_knows(c, "sm_90"));
    assert_true(compiler_knows(c, "sm_90a"));
    assert_true(compiler_knows(c, "sm_120f"));
    assert_false(compiler_knows(c, "sm_90f"));
    assert_false(compiler_knows(c, "sm_100"));
    assert_false(compiler_knows(c, "sm_90ab"));
    assert_false(compiler_knows(c, "90"));
    struct source source = handmade_source("fine");
    struct compile_request request = {.source = &source, .arch = "sm_999"};
    struct error e;
    assert_false(compiler_submit(c, &request, &e));
    assert_int_equal(e.status, STATUS_USAGE);
    assert_string_equal(e.text, "NVRTC 13.0 does not compile for sm_999; it does for sm_90 to sm_120");
    source_clear(&source);
    compiler_close(c);
}

static void no_nvrtc_is_status_3_and_says_where_it_was_looked_for(void **state)
{
    (void)state;
    struct compiler_options options = {.jobs = 1};
    struct error e;
    setenv("SOFTMAX_TUNE_NVRTC", "/nowhere/libnvrtc.so.13", 1);
    struct compiler *c = compiler_open(&options, &e);
    setenv("SOFTMAX_TUNE_NVRTC", FAKE_NVRTC, 1);
    assert_null(c);
    assert_int_equal(e.status, STATUS_MISSING);
    assert_non_null(strstr(e.text, "SOFTMAX_TUNE_NVRTC=/nowhere/libnvrtc.so.13"));
    assert_non_null(strstr(e.text, "./tune.sh"));
    assert_null(strchr(e.text, '\n'));
}

static void library_that_is_no_nvrtc_is_status_3(void **state)
{
    (void)state;
    struct compiler_options options = {.jobs = 1};
    struct error e;
    setenv("SOFTMAX_TUNE_NVRTC", "libc.so.6", 1);
    struct compiler *c = compiler_open(&options, &e);
    setenv("SOFTMAX_TUNE_NVRTC", FAKE_NVRTC, 1);
    assert_null(c);
    assert_int_equal(e.status, STATUS_MISSING);
    assert_non_null(strstr(e.text, "has no nvrtcVersion"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crash_fails_one_source_and_the_next_compiles),
        cmocka_unit_test(endless_compile_is_late_and_the_next_compiles),
        cmocka_unit_test(what_is_given_up_leaves_nothing_behind),
        cmocka_unit_test(compile_that_eats_memory_fails_alone),
        cmocka_unit_test(garbage_is_a_failure_with_a_reason),
        cmocka_unit_test(two_compiles_run_in_two_workers_at_once),
        cmocka_unit_test(sources_beyond_the_workers_wait_and_compile_passes_them),
        cmocka_unit_test(second_compile_comes_from_the_cache_and_failures_do_not),
        cmocka_unit_test(cache_that_cannot_be_written_is_a_warning),
        cmocka_unit_test(only_the_compilers_own_architectures_are_known),
        cmocka_unit_test(no_nvrtc_is_status_3_and_says_where_it_was_looked_for),
        cmocka_unit_test(library_that_is_no_nvrtc_is_status_3),
    };
    setenv("SOFTMAX_TUNE_NVRTC", FAKE_NVRTC, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
