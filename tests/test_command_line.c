/* The commands end to end, on a machine with or without a GPU: everything here is for sm_120 without a
 * device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "program.h"

#include <fcntl.h>
#include <pty.h>

static bool is_there(const char *folder, const char *name)
{
    char *path = must_format("%s/%s", folder, name);
    bool there = access(path, F_OK) == 0;
    free(path);
    return there;
}

static void every_command_has_a_page_of_at_most_100_columns(void **state)
{
    char *folder = *state;
    static const char *const commands[] = {"", "tune", "list", "source", "check", "bench", "confirm", "gpus"};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        char *arguments = must_format("%s --help", commands[i]);
        struct run run = run_well(folder, arguments);
        assert_string_equal(run.err, "");
        assert_non_null(strstr(run.out, "Usage:"));
        assert_non_null(strstr(run.out, "Examples:"));
        assert_non_null(strstr(run.out, "Exit status:"));
        for (const char *line = run.out; *line != '\0'; line += strcspn(line, "\n") + 1)
            assert_true(strcspn(line, "\n") <= 100);
        run_clear(&run);
        free(arguments);
    }
}

static void version_names_program_compiler_and_lua(void **state)
{
    struct run run = run_well(*state, "--version");
    assert_memory_equal(run.out, "softmax-tune ", 13);
    assert_non_null(strstr(run.out, "\nNVRTC "));
    assert_non_null(strstr(run.out, "\nLua 5.4"));
    run_clear(&run);
}

static void list_prints_a_key_a_line_and_count_their_number(void **state)
{
    struct run keys = run_well(*state, "list --arch sm_120 --N 8192 --config article");
    struct run count = run_well(*state, "list --arch sm_120 --N 8192 --config article --count");
    assert_true(count_lines(keys.out) > 5);
    assert_int_equal(count_lines(keys.out), atoi(count.out));
    for (const char *line = keys.out; *line != '\0'; line += strcspn(line, "\n") + 1)
        assert_memory_equal(line, "scope=", 6);
    run_clear(&keys);
    run_clear(&count);
}

static void list_as_json_holds_the_same_keys(void **state)
{
    struct run keys = run_well(*state, "list --arch sm_120 --N 64 --config article");
    json_t *document = run_json(*state, "list --arch sm_120 --N 64 --config article --json");
    json_t *problem = json_array_get(json_object_get(document, "problems"), 0);
    json_t *variants = json_object_get(problem, "variants");
    assert_int_equal(json_integer_value(json_object_get(problem, "count")), count_lines(keys.out));
    assert_int_equal(json_array_size(variants), count_lines(keys.out));
    const char *first = json_string_value(json_array_get(variants, 0));
    assert_memory_equal(keys.out, first, strlen(first));
    run_clear(&keys);
    json_decref(document);
}

static void set_pins_a_parameter(void **state)
{
    struct run run = run_well(*state, "list --arch sm_120 --N 8192 --config article --set threads=128");
    assert_true(count_lines(run.out) > 0);
    for (const char *line = run.out; *line != '\0'; line += strcspn(line, "\n") + 1)
        assert_non_null(strstr(line, "threads=128,"));
    run_clear(&run);
}

static void source_prints_the_named_variant_with_the_whole_stem(void **state)
{
    struct run run = run_well(*state, "source --arch sm_120 --N 8192 --M 4096 --config article --variant v4");
    assert_non_null(strstr(run.out, "softmax_f32_m4096_n8192_sm_120("));
    assert_non_null(strstr(run.out, "vec_bytes=16"));
    assert_non_null(strstr(run.out, "__global__"));
    run_clear(&run);
}

static void source_without_a_variant_prints_the_first_of_the_list(void **state)
{
    const char *space = "--arch sm_120 --N 8192 --config article --set threads=128";
    char *list = must_format("list %s", space), *source = must_format("source %s --json", space);
    struct run keys = run_well(*state, list);
    json_t *document = run_json(*state, source);
    json_t *first = json_array_get(json_object_get(document, "sources"), 0);
    const char *variant = json_string_value(json_object_get(first, "variant"));
    assert_int_equal(strcspn(keys.out, "\n"), strlen(variant));
    assert_memory_equal(keys.out, variant, strlen(variant));
    json_decref(document);
    run_clear(&keys);
    free(source);
    free(list);
}

static void a_pin_that_a_preset_has_or_that_is_overruled_is_no_mistake(void **state)
{
    const char *command = "source --arch sm_120 --N 8192 --config article";
    static const char *const rest[] = {"--variant v4 --set vec_bytes=16",
                                       "--variant v4,threads=128 --set threads=512"};
    for (size_t i = 0; i < 2; i++) {
        char *arguments = must_format("%s %s", command, rest[i]);
        struct run run = run_well(*state, arguments);
        run_clear(&run);
        free(arguments);
    }
}

static void tune_without_a_device_emits_a_prediction_and_its_runners_up(void **state)
{
    char *folder = *state;
    json_t *document = run_json(folder, "--arch sm_120 --N 64 --M 1000 --config article --set threads=128 "
                                        "--device none --json --quiet");
    json_t *problem = json_array_get(json_object_get(document, "problems"), 0);
    json_t *choice = json_object_get(problem, "choice");
    assert_string_equal(json_string_value(json_object_get(choice, "basis")), "predicted");
    assert_string_equal(json_string_value(json_object_get(choice, "schema")), "softmax-tune/kernel/1");
    assert_true(json_real_value(json_object_get(choice, "predicted_us")) > 0);
    assert_null(json_object_get(choice, "time_us"));
    assert_int_equal(json_array_size(json_object_get(problem, "runners_up")), 4);
    assert_int_equal(json_array_size(json_object_get(problem, "presets")), 5);
    json_t *trials = json_object_get(problem, "trials");
    assert_int_equal(json_integer_value(json_object_get(trials, "correct")), 0);
    assert_true(json_integer_value(json_object_get(trials, "unverified")) > 5);
    assert_true(json_is_real(json_object_get(json_object_get(problem, "seconds"), "compile")));
    json_decref(document);
    static const char *const suffixes[] = {"cu", "cubin", "ptx", "h", "json"};
    for (int rank = 1; rank <= 5; rank++)
        for (int i = 0; i < 5; i++) {
            char place[64] = "out";
            if (rank > 1)
                snprintf(place, sizeof place, "out/candidates/softmax_f32_m1000_n64_sm_120/%d", rank);
            char *name = must_format("%s/softmax_f32_m1000_n64_sm_120.%s", place, suffixes[i]);
            assert_true(is_there(folder, name));
            free(name);
        }
}

static void predicted_candidates_are_kernels_of_different_kinds(void **state)
{
    json_t *document = run_json(*state, "--arch sm_120 --N 4096 --config article --set scope=block "
                                        "--set reduction=shuffle --device none --json --quiet");
    json_t *problem = json_array_get(json_object_get(document, "problems"), 0);
    json_t *list = json_array();
    json_array_append(list, json_object_get(problem, "choice"));
    json_array_extend(list, json_object_get(problem, "runners_up"));
    assert_int_equal(json_array_size(list), 5);
    /* Here the threads of a block are all that launches differ in: no number of them comes thrice. */
    for (size_t i = 0; i < 5; i++) {
        int alike = 0;
        json_t *config = json_object_get(json_array_get(list, i), "config");
        for (size_t j = 0; j < 5; j++)
            alike +=
                json_equal(json_object_get(json_object_get(json_array_get(list, j), "config"), "threads"),
                           json_object_get(config, "threads"));
        assert_in_range(alike, 1, 2);
    }
    json_decref(list);
    json_decref(document);
}

static void a_variant_that_nothing_can_prove_is_not_trusted_without_a_guard(void **state)
{
    struct run run =
        run_program(*state, "--arch sm_120 --N 64 --config article --set passes=2 --set guard=none "
                            "--device none --quiet");
    assert_int_equal(run.status, 1);
    assert_int_equal(count_lines(run.err), 1);
    run_clear(&run);
}

static void the_emulator_proves_what_is_predicted_and_finds_v5_wrong(void **state)
{
    struct run run =
        run_well(*state, "--arch sm_120 --N 256 --config article --set threads=128 --set scope=block "
                         "--device emulator");
    assert_non_null(strstr(run.out, "\nProof:  on the emulator (the PTX, not ptxas's code)"));
    assert_non_null(strstr(run.out, "\nv5* "));
    assert_non_null(strstr(run.out, "\n* v5 cannot win: correctness: wrong on rows that begin with -inf"));
    run_clear(&run);
}

static void the_report_of_a_prediction_says_so_and_fits_100_columns(void **state)
{
    struct run run =
        run_well(*state, "--arch sm_120 --N 64 --config article --set threads=128 --device none");
    assert_non_null(strstr(run.out, "PREDICTED"));
    assert_non_null(strstr(run.out, "\nv5 "));
    assert_non_null(strstr(run.out, "\nchoice "));
    assert_non_null(strstr(run.out, "\nNext 5: ")); /* by what it has other than the choice */
    assert_non_null(strstr(run.out, "\nAgain:  softmax-tune --arch sm_120 --N 64 --config article "
                                    "--set threads=128 --device none --seed 1\n"));
    assert_null(strstr(run.out, "\033")); /* no colour into a file */
    for (const char *line = run.out; *line != '\0'; line += strcspn(line, "\n") + 1)
        if (strncmp(line, "Again:", 6) != 0)
            assert_true(strcspn(line, "\n") <= 100);
    run_clear(&run);
}

static void the_report_tells_which_presets_are_not_valid_and_why(void **state)
{
    struct run run =
        run_well(*state, "--arch sm_120 --N 33 --config article --set threads=128 --device none");
    assert_non_null(strstr(run.out, "\nv3 "));
    assert_null(strstr(run.out, "\nv4 "));
    const char *line = strstr(run.out, "\nv4, v5: not valid for this problem (");
    assert_non_null(line);
    assert_true(line < strstr(run.out, "\nChoice:"));
    run_clear(&run);
}

static void a_choice_that_keeps_its_row_reads_it_once(void **state)
{
    static const char *const space =
        "--arch sm_120 --N 8192 --set threads=256 --set vec_bytes=16 --set exp=ex2 --set scope=block --device none";
    static const char *const caches[][2] = {{"registers --set update=element", "read once\n"},
                                            {"none --set update=vector", "re-read from "}};
    for (size_t i = 0; i < 2; i++) {
        char *arguments = must_format("%s --set cache=%s", space, caches[i][0]);
        struct run run = run_well(*state, arguments);
        const char *line = strstr(run.out, "\nRows:   the choice has ");
        assert_non_null(line);
        assert_non_null(strstr(run.out, "\nRows:   v2 has "));
        const char *end = strstr(line, "of L2: ");
        assert_memory_equal(end + strlen("of L2: "), caches[i][1], strlen(caches[i][1]));
        run_clear(&run);
        free(arguments);
    }
}

static void lists_give_a_choice_a_pair(void **state)
{
    json_t *document = run_json(*state, "--arch sm_120 --N 32,64 --M 1,8 --config article --set threads=128 "
                                        "--set vec_bytes=4 --device none --json");
    json_t *problems = json_object_get(document, "problems");
    assert_int_equal(json_array_size(problems), 4);
    static const int shapes[4][2] = {{1, 32}, {8, 32}, {1, 64}, {8, 64}};
    for (size_t i = 0; i < 4; i++) {
        json_t *choice = json_object_get(json_array_get(problems, i), "choice");
        assert_int_equal(json_integer_value(json_object_get(choice, "M")), shapes[i][0]);
        assert_int_equal(json_integer_value(json_object_get(choice, "N")), shapes[i][1]);
    }
    json_decref(document);
}

static void several_problems_end_in_one_table(void **state)
{
    char *folder = *state;
    struct run run = run_well(folder, "--arch sm_120 --N 32,64 --M 1,8 --config article --set threads=128 "
                                      "--set scope=block --device none --quiet --output many");
    static const char *const rows[] = {"\nf32 1x32 ", "\nf32 8x32 ", "\nf32 1x64 ", "\nf32 8x64 "};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_non_null(strstr(run.out, rows[i]));
    assert_non_null(strstr(run.out, "4 problems on "));
    assert_non_null(strstr(run.out, "PREDICTED"));
    /* What all choices share is said once. */
    const char *shared = strstr(run.out, "\nShared: scope=block,threads=128");
    assert_non_null(shared);
    assert_ptr_equal(strstr(run.out, "scope="), shared + strlen("\nShared: "));
    assert_non_null(strstr(run.out, "\nFiles:  4 kernels in many"));
    assert_non_null(strstr(run.out, "\nAgain:  softmax-tune --arch sm_120 --N 32,64 --M 1,8"));
    assert_true(is_there(folder, "many/softmax_f32_m1_n32_sm_120.cubin"));
    assert_true(is_there(folder, "many/softmax_f32_m8_n64_sm_120.cubin"));
    run_clear(&run);
}

static void a_problem_that_fails_among_several_has_its_reason_in_the_table(void **state)
{
    /* No variant of 16-byte loads takes a row of 33 columns. */
    struct run run = run_program(*state, "--arch sm_120 --N 33,64 --M 8 --config article --set threads=128 "
                                         "--set vec_bytes=16 --device none --quiet --output some");
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.out, "\nf32 8x33 "));
    assert_non_null(strstr(run.out, "none: no variant of the space takes f32 8x33: "));
    assert_non_null(strstr(run.out, "\nFiles:  1 kernel in some"));
    assert_true(is_there(*state, "some/softmax_f32_m8_n64_sm_120.cubin"));
    run_clear(&run);
}

static void a_source_that_does_not_compile_is_a_failed_trial_and_all_failing_is_status_1(void **state)
{
    char *folder = *state;
    char *path = must_format("%s/broken.cu", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("extern \"C\" __global__ void ${kernel}(const float *x, float *y)\n{\n    y[0] = nothing;\n}\n",
          file);
    fclose(file);
    free(path);
    path = must_format("%s/broken.lua", folder);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs(
        "return space { name = 'broken', template = 'broken.cu', parameters = { { 'a', { 1, 2 }, 'nothing' } },\n"
        "  launch = function(v) return { { grid_of_M = 'M', block = 32, args = { 'x', 'y' } } } end }\n",
        file);
    fclose(file);
    free(path);
    struct run run =
        run_program(folder, "--arch sm_120 --N 64 --config broken.lua --templates . --device none "
                            "--quiet --output broken");
    assert_int_equal(run.status, 1);
    assert_int_equal(count_lines(run.err), 1);
    assert_non_null(strstr(run.err, "broken.cu:3"));
    assert_false(is_there(folder, "broken/softmax_f32_m8192_n64_sm_120.json"));
    run_clear(&run);
}

/* Starts the program on a terminal, waits until its bar says that ten variants were compiled (the article's
   come first, and are not chosen), and sends it a signal. */
static int interrupt_after_ten_variants(const char *folder, const char *n, int signal_number)
{
    int terminal;
    pid_t child = forkpty(&terminal, NULL, NULL, NULL);
    assert_true(child >= 0);
    if (child == 0) {
        int nothing = open("/dev/null", O_WRONLY);
        if (chdir(folder) != 0 || dup2(nothing, STDOUT_FILENO) < 0)
            _exit(99);
        setenv("HOME", folder, 1);
        setenv("TERM", "xterm", 1);
        unsetenv("XDG_CACHE_HOME");
        execl(PROGRAM, PROGRAM, "--arch", "sm_120", "--N", n, "--device", "none", "--jobs", "1",
              (char *)NULL);
        _exit(98);
    }
    char text[65536] = "";
    size_t size = 0;
    bool sent = false;
    ssize_t got;
    while ((got = read(terminal, text + size, sizeof text - size - 1)) > 0) {
        size += (size_t)got;
        text[size] = '\0';
        const char *bar = strstr(text, "] ");
        while (bar != NULL && atoi(bar + 2) < 10)
            bar = strstr(bar + 1, "] ");
        if (bar != NULL && !sent)
            sent = kill(child, signal_number) == 0;
        if (size > sizeof text / 2)
            size = 0;
    }
    close(terminal);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!sent)
        fail_msg("ten variants were never compiled: '%s'", text);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void an_interrupted_run_emits_the_best_so_far(void **state)
{
    assert_int_equal(interrupt_after_ten_variants(*state, "4096", SIGINT), 130);
    assert_true(is_there(*state, "out/softmax_f32_m8192_n4096_sm_120.json"));
    assert_true(is_there(*state, "out/softmax_f32_m8192_n4096_sm_120.cubin"));
}

static void a_terminated_run_emits_the_best_so_far(void **state)
{
    assert_int_equal(interrupt_after_ten_variants(*state, "2048", SIGTERM), 143);
    assert_true(is_there(*state, "out/softmax_f32_m8192_n2048_sm_120.json"));
}

static void a_budget_that_is_spent_at_once_is_a_problem_without_survivor(void **state)
{
    struct run run =
        run_program(*state, "--arch sm_120 --N 64 --device none --seconds 1e-9 --quiet --output spent");
    assert_int_equal(run.status, 1);
    assert_int_equal(count_lines(run.err), 1);
    assert_non_null(strstr(run.err, "no variant was ready"));
    assert_false(is_there(*state, "spent/softmax_f32_m8192_n64_sm_120.json"));
    run_clear(&run);
}

static void a_problem_that_is_asked_for_again_is_done_once(void **state)
{
    struct run run = run_well(*state, "list --arch sm_120 --N 64,128,64 --M 8,8 --count");
    assert_int_equal(count_lines(run.out), 4); /* a name and a number each */
    assert_string_equal(run.err, "softmax-tune: f32 8x64, and 3 more, is asked for again, and done once\n");
    run_clear(&run);
    write_text(*state, "again.json",
               "[{\"N\": 64}, {\"N\": 64, \"M\": 8192, \"op\": \"softmax\"}, "
               "{\"N\": 64, \"align\": 4}]");
    run = run_well(*state, "list --arch sm_120 --problems again.json --count");
    assert_int_equal(count_lines(run.out), 4);
    assert_string_equal(run.err, "softmax-tune: f32 8192x64 is asked for again, and done once\n");
    run_clear(&run);
    run = run_well(*state, "list --arch sm_120 --problems again.json --count --quiet");
    assert_string_equal(run.err, "");
    run_clear(&run);
}

static void a_problem_without_rows_has_variants_and_a_source(void **state)
{
    struct run run = run_well(*state, "list --arch sm_120 --N 64 --M 0 --count");
    assert_true(atoi(run.out) > 0);
    run_clear(&run);
    run = run_well(*state, "source --arch sm_120 --N 64 --M 0");
    assert_non_null(strstr(run.out, "softmax_f32_m0_n64_sm_120"));
    run_clear(&run);
    run = run_well(*state, "check --arch sm_120 --N 64 --M 0 --limit 1 --device emulator --quiet");
    assert_non_null(strstr(run.out, "\ncorrect"));
    run_clear(&run);
}

static void problems_come_from_a_file(void **state)
{
    char *path = must_format("%s/problems.json", (char *)*state);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("[{\"N\": 64}, {\"N\": 128, \"M\": 3, \"dtype_in\": \"bf16\", \"op\": \"log_softmax\"}]", file);
    fclose(file);
    free(path);
    json_t *document = run_json(*state, "list --arch sm_120 --problems problems.json --count --json");
    json_t *problems = json_object_get(document, "problems");
    assert_int_equal(json_array_size(problems), 2);
    json_t *first = json_object_get(json_array_get(problems, 0), "problem");
    json_t *second = json_object_get(json_array_get(problems, 1), "problem");
    assert_int_equal(json_integer_value(json_object_get(first, "M")), 8192);
    assert_int_equal(json_integer_value(json_object_get(second, "M")), 3);
    assert_string_equal(json_string_value(json_object_get(second, "dtype_in")), "bf16");
    assert_string_equal(json_string_value(json_object_get(second, "op")), "log_softmax");
    json_decref(document);
}

static void gpus_as_json_says_whether_one_is_here(void **state)
{
    json_t *document = run_json(*state, "gpus --device none --json");
    assert_true(json_array_size(json_object_get(document, "gpus")) >= 10);
    assert_true(json_is_null(json_object_get(document, "here")));
    json_decref(document);
}

int main(void)
{
    /* One folder for all: what one test compiled, the next finds in the cache. */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command_has_a_page_of_at_most_100_columns),
        cmocka_unit_test(version_names_program_compiler_and_lua),
        cmocka_unit_test(list_prints_a_key_a_line_and_count_their_number),
        cmocka_unit_test(list_as_json_holds_the_same_keys),
        cmocka_unit_test(set_pins_a_parameter),
        cmocka_unit_test(source_prints_the_named_variant_with_the_whole_stem),
        cmocka_unit_test(source_without_a_variant_prints_the_first_of_the_list),
        cmocka_unit_test(a_pin_that_a_preset_has_or_that_is_overruled_is_no_mistake),
        cmocka_unit_test(tune_without_a_device_emits_a_prediction_and_its_runners_up),
        cmocka_unit_test(predicted_candidates_are_kernels_of_different_kinds),
        cmocka_unit_test(a_variant_that_nothing_can_prove_is_not_trusted_without_a_guard),
        cmocka_unit_test(the_emulator_proves_what_is_predicted_and_finds_v5_wrong),
        cmocka_unit_test(the_report_of_a_prediction_says_so_and_fits_100_columns),
        cmocka_unit_test(the_report_tells_which_presets_are_not_valid_and_why),
        cmocka_unit_test(a_choice_that_keeps_its_row_reads_it_once),
        cmocka_unit_test(lists_give_a_choice_a_pair),
        cmocka_unit_test(several_problems_end_in_one_table),
        cmocka_unit_test(a_problem_that_fails_among_several_has_its_reason_in_the_table),
        cmocka_unit_test(a_source_that_does_not_compile_is_a_failed_trial_and_all_failing_is_status_1),
        cmocka_unit_test(an_interrupted_run_emits_the_best_so_far),
        cmocka_unit_test(a_terminated_run_emits_the_best_so_far),
        cmocka_unit_test(a_budget_that_is_spent_at_once_is_a_problem_without_survivor),
        cmocka_unit_test(problems_come_from_a_file),
        cmocka_unit_test(a_problem_that_is_asked_for_again_is_done_once),
        cmocka_unit_test(a_problem_without_rows_has_variants_and_a_source),
        cmocka_unit_test(gpus_as_json_says_whether_one_is_here),
    };
    return cmocka_run_group_tests(tests, temporary_folder_set_up, temporary_folder_tear_down);
}
