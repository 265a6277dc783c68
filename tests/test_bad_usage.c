/* What a user gets wrong: one clear line that names the place, the designed status, and nothing written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "program.h"

struct mistake {
    const char *arguments;
    int status;
    const char *line; /* part of what is said */
};

static const struct mistake mistakes[] = {
    {"--arch sm_120", 2, "--N is missing"},
    {"--N 0 --arch sm_120", 2, "--N: 0 is out of range"},
    {"--N -5 --arch sm_120", 2, "--N: -5 is out of range"},
    {"--N 9999999999999 --arch sm_120", 2, "--N: 9999999999999 is out of range"},
    {"--N 99999999999999999999999 --arch sm_120", 2, "--N: 99999999999999999999999 is out of range"},
    {"--N abc --arch sm_120", 2, "--N: 'abc' is not a whole number"},
    {"--N 12x --arch sm_120", 2, "--N: '12x' is not a whole number"},
    {"--N 64,, --arch sm_120", 2, "--N: '64,,': numbers are joined by commas without blanks"},
    {"--N 8 --M -1 --arch sm_120", 2, "--M: -1 is out of range"},
    {"--N 2147483647 --M 70368744177664 --arch sm_120", 2, "2^46 elements"},
    {"--N 8 --dtype f64 --arch sm_120", 2, "--dtype: 'f64' is not known: it is f32, f16 or bf16"},
    {"--N 8 --op relu --arch sm_120", 2, "--op: 'relu' is not known"},
    {"--N 8 --scale 2 --arch sm_120", 2, "--scale: '2' is not known: it is none or value"},
    {"--N 8 --cache warm --arch sm_120", 2, "--cache: 'warm' is not known: it is cold or hot"},
    {"--N 8 --cache cld --arch sm_120", 2, "it is cold or hot: did you mean 'cold'?"},
    {"--N 8 --dtype fp32 --arch sm_120", 2, ": it is f32, f16 or bf16: did you mean 'f32'?"},
    {"--N 8 --op log-softmax --arch sm_120", 2, "did you mean 'log_softmax'?"},
    {"--N 8 --align 3 --arch sm_120", 2, "alignment is 3"},
    {"--N 8 --x-stride 4 --arch sm_120", 2, "x stride is 4"},
    {"--N 8 --in-place --out-dtype bf16 --arch sm_120", 2, "in place"},
    {"--N 8 --arch sm_999", 2, "sm_999"},
    {"--N 8 --arch sm90", 2, "known are sm_75, "},
    {"--N 8 --arch sm90", 2, ": did you mean 'sm_90'?"},
    {"--N 8 --arch sm_120 --gpu none-such", 2, "none-such"},
    {"--N 8 --gpu 5090", 2, "did you mean 'rtx5090'?"},
    {"--N 8 --M 0 --arch sm_120", 2, "f32 0x8: without rows there is no time to choose by"},
    {"--N 8 --M 64,0 --arch sm_120 --device none", 2, "f32 0x8: without rows"},
    {"bench v4 --N 8 --M 0 --arch sm_120", 2, "f32 0x8: without rows"},
    {"--N 8 --arch sm_120 --jobs 0", 2, "--jobs: 0 is out of range"},
    {"--N 8 --arch sm_120 --seconds -1", 2, "--seconds: -1 is out of range"},
    {"--N 8 --arch sm_120 --seconds soon", 2, "--seconds: 'soon' is not a number"},
    {"--N 8 --arch sm_120 --seconds nan", 2, "--seconds: 'nan' is not a number"},
    {"--N 8 --arch sm_120 --tolerance 0", 2, "--tolerance: 0 is out of range"},
    {"--N 8 --arch sm_120 --seed x", 2, "--seed: 'x' is not a whole number"},
    {"--N 8 --arch sm_120 --strategy genetic", 2,
     "--strategy: 'genetic' is not known: it is exhaustive, random or local"},
    {"--N 8 --arch sm_120 --strategy clever", 2, "--strategy: 'clever' is not known"},
    {"--N 8 --arch sm_120 --device gpu", 2, "--device: 'gpu' is not known"},
    {"--N 8 --arch sm_120 --device cuda:x", 2, "--device cuda: 'x' is not a whole number"},
    {"--N 8 --arch sm_120 --space huge", 2, "--space: 'huge' is not known"},
    {"--N 8 --arch sm_120 --set threads", 2, "--set: 'threads' is not NAME=VALUE"},
    {"list --N 8 --arch sm_120 --set none=1", 2, "none"},
    {"list --N 8 --arch sm_120 --set thread=64", 2, "programmatic): did you mean 'threads'?"},
    {"list --N 8 --arch sm_120 --set scope=blok", 2, "split): did you mean 'block'?"},
    {"source --N 8 --arch sm_120 --variant scpe=block", 2, "did you mean 'scope'?"},
    {"source --N 8 --arch sm_120 --variant scope=wrap", 2, "did you mean 'warp'?"},
    {"list --N 8 --arch sm_120 --config none.lua", 2, "none.lua"},
    {"list --N 8 --arch sm_120 --problems p.json", 2, "--problems"},
    {"list --arch sm_120 --problems none.json", 2, "--problems none.json cannot be read: No such file"},
    {"list --arch sm_120 --problems .", 2, "--problems . cannot be read: Is a directory"},
    {"list --arch sm_120 --problems", 2, "option '--problems' requires an argument: FILE"},
    {"list --arch sm_120 --N 8 --count=1", 2, "option '--count' takes no value"},
    {"list --arch sm_120,sm_90 --N 8", 2, "--arch: 'sm_120,sm_90' is more than one: run once for each"},
    {"list --arch sm_120 --N 8 --set threads=64,exp=ex2", 2, "more than one: give --set again for each"},
    {"--N 8 --arch sm_120 --device none --output /proc/out", 2, "--output /proc/out"},
    {"--N 8 --arch sm_120 --device none --output /dev/null", 2, "--output /dev/null: Not a directory"},
    {"--N 8 --arch sm_120 --device none --store /proc/store", 3, "--store /proc/store"},
    {"--N 8 --device none", 3, "--arch sm_120"},
    {"source --N 8192 --arch sm_120 --variant v4 --set exp=ex2", 2,
     "--set exp=ex2 does not apply to the preset 'v4': write --variant v4,exp=ex2"},
    {"check --N 8192 --arch sm_120 --variant v4,guard=none --set exp=ex2 --device emulator", 2,
     "preset 'v4': write --variant v4,guard=none,exp=ex2"},
    {"store explain --N 8192 --arch sm_120 --variant v4 --set exp=ex2", 2, "preset 'v4'"},
    {"source --N 8 --arch sm_120 --variant v99", 2, "v99"},
    {"source --N 8 --arch sm_120 --variant threads=7", 2, "threads"},
    {"bench --N 8 --arch sm_120", 2, "nothing to race"},
    {"bench --N 8 --arch sm_120 v2 --device none", 3, "needs the GPU itself"},
    {"check --N 8 --arch sm_120 --device none", 3, "needs a device"},
    {"confirm", 2, "FOLDER is missing"},
    {"confirm none", 2, "none: No such file or directory"},
    {"confirm .", 2, ".: there is no manifest"},
    {"confirm stderr.txt", 2, "stderr.txt: this is no folder: name the one that the kernel is in"},
    {"tuen --N 8", 2, "'tuen' is no command: did you mean 'tune'?"},
    {"help", 2, "'help' is no command: see 'softmax-tune --help'"},
    {"store prne", 2, "did you mean 'prune'?"},
    {"--n 8", 2, "unrecognized option '--n': did you mean '--N'?"},
    {"-N 8", 2, "unrecognized option '-N': did you mean '--N'?"},
    {"--N 8 --dtpye=f16", 2, "unrecognized option '--dtpye': did you mean '--dtype'?"},
    {"--N 8 --variant v4", 2, "'--variant': it is an option of 'source', 'check', 'bench', 'store'"},
    {"gpus --foo", 2, "softmax-tune gpus: unrecognized option '--foo': see 'softmax-tune gpus --help'"},
    {"list --N 8 --arch sm_120 more", 2, "'more' is not expected here: see 'softmax-tune list --help'"},
    {"list --N 8 16 --arch sm_120", 2,
     "'16' is not expected here: the numbers of a list are joined by commas"},
    {"check --N 8 --arch sm_120 v4", 2, "'v4' is not expected here: a variant is named by --variant v4"},
};

/* With no driver. */
static const struct mistake without_a_gpu[] = {
    {"list --N 8", 3, "there is no GPU here: name one to work for with --arch, for example --arch sm_120 ("},
    {"source --N 8 --device emulator", 3, "there is no GPU here: name one to work for with --arch"},
    {"check --N 8 --device emulator", 3, "there is no GPU here: name one to work for with --arch"},
    {"--N 8 --device cuda", 3, "driver; or use --device emulator and name a GPU to work for with --arch"},
    {"--N 8 --arch sm_120 --device cuda", 3, "; or use --device emulator"},
    {"bench v4 --N 8", 3, "'bench' measures, so it needs the GPU itself: there is no CUDA driver"},
};

static void make_each(const struct mistake *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *folder = temporary_folder();
        struct run run = run_program(folder, list[i].arguments);
        bool right = run.status == list[i].status && count_lines(run.err) == 1 &&
                     strncmp(run.err, "softmax-tune", 12) == 0 && strstr(run.err, list[i].line) != NULL &&
                     run.out[0] == '\0';
        if (!right)
            fail_msg("'%s' gave status %d, said '%s' and printed '%s'", list[i].arguments, run.status,
                     run.err, run.out);
        run_clear(&run);
        temporary_folder_remove(folder);
    }
}

static void each_mistake_gets_one_line_and_its_status(void **state)
{
    (void)state;
    make_each(mistakes, sizeof mistakes / sizeof mistakes[0]);
}

static void without_a_gpu_each_command_says_what_works(void **state)
{
    (void)state;
    setenv("SOFTMAX_TUNE_CUDA_DRIVER", "/nowhere/libcuda.so.1", 1);
    make_each(without_a_gpu, sizeof without_a_gpu / sizeof without_a_gpu[0]);
    unsetenv("SOFTMAX_TUNE_CUDA_DRIVER");
}

static void an_unknown_option_gets_a_hint(void **state)
{
    (void)state;
    char *folder = temporary_folder();
    struct run run = run_program(folder, "list --foo");
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "unrecognized option '--foo'"));
    assert_non_null(strstr(run.err, "softmax-tune list --help"));
    run_clear(&run);
    temporary_folder_remove(folder);
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char *path = must_format("%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    free(path);
}

static void a_wrong_file_of_problems_is_named_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *line;
    } files[] = {
        {"[\n{\"N\": 8},\n{\"N\" 8}]", "problems.json:3"},
        {"{\"N\": 8}", "no JSON array"},
        {"[]", "no JSON array"},
        {"[{\"N\": 8}, {\"N\": 0}]", "problem 2"},
        {"[{\"N\": 8, \"dtype_in\": \"f64\"}]", "problem 1: type 'f64': f32, f16 or bf16"},
        {"[{\"N\": 8, \"dtype_out\": \"f64\"}]", "problem 1: type 'f64': f32, f16 or bf16"},
        {"[7]", "problem 1: it is an integer, and not an object"},
        {"[{\"N\": 8}, {\"N\": 8, \"dtype\": \"f16\"}]",
         "problem 2: a problem has no field 'dtype' (it has op, dtype_in, "},
        {"[{\"N\": 8, \"dtype\": \"f16\"}]", "cache): did you mean 'dtype_in'?"},
        {"[{\"n\": 8}]", "no field 'n' (it has op, dtype_in, dtype_out, M, N, x_stride"},
        {"[{\"n\": 8}]", "did you mean 'N'?"},
        {"[{\"N\": \"8\"}]", "problem 1: 'N' is a string, and is to be an integer"},
        {"[{\"N\": 8, \"in_place\": 1}]", "'in_place' is an integer, and is to be true or false"},
        {"[{\"M\": 8}]", "problem 1: 'N' is missing"},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char *folder = temporary_folder();
        write_file(folder, "problems.json", files[i].text);
        struct run run = run_program(folder, "list --arch sm_120 --problems problems.json");
        assert_int_equal(run.status, 2);
        assert_int_equal(count_lines(run.err), 1);
        assert_non_null(strstr(run.err, files[i].line));
        run_clear(&run);
        temporary_folder_remove(folder);
    }
}

static void a_file_may_have_no_problem_without_rows_to_tune(void **state)
{
    (void)state;
    char *folder = temporary_folder();
    write_file(folder, "problems.json", "[{\"N\": 8}, {\"N\": 16, \"M\": 0}]");
    struct run run = run_program(folder, "--arch sm_120 --problems problems.json --device none");
    assert_int_equal(run.status, 2);
    assert_int_equal(count_lines(run.err), 1);
    assert_non_null(strstr(run.err, "f32 0x16: without rows"));
    run_clear(&run);
    temporary_folder_remove(folder);
}

static void a_space_that_is_wrong_is_named_with_its_line(void **state)
{
    (void)state;
    char *folder = temporary_folder();
    write_file(folder, "mine.lua", "return space {\n  name = 'mine',\n  parameters = { {");
    struct run run = run_program(folder, "list --arch sm_120 --N 8 --config mine.lua");
    assert_int_equal(run.status, 2);
    assert_int_equal(count_lines(run.err), 1);
    assert_non_null(strstr(run.err, "mine.lua:3"));
    run_clear(&run);
    temporary_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_mistake_gets_one_line_and_its_status),
        cmocka_unit_test(without_a_gpu_each_command_says_what_works),
        cmocka_unit_test(an_unknown_option_gets_a_hint),
        cmocka_unit_test(a_wrong_file_of_problems_is_named_with_its_line),
        cmocka_unit_test(a_file_may_have_no_problem_without_rows_to_tune),
        cmocka_unit_test(a_space_that_is_wrong_is_named_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
