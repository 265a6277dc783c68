/* The emulator against a GPU, instruction by instruction: tests/ptx/instructions.txt holds what the GPU
 * answered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/instruction_samples.h"
#include "tuner/devices/emulator/lane_types.h"
#include "tuner/devices/emulator/machine.h"

static FILE *recorded;

/* The sample's answers on the emulator. */
static void run_sample(const struct instruction_sample *s, uint64_t answers[SAMPLE_LANES])
{
    struct error e = {.text = ""};
    struct machine *m = machine_open(&(struct machine_options){.sms = 1, .smem_per_block = 48 << 10});
    uint64_t params[2] = {machine_allocate(m, sizeof s->in, 256), machine_allocate(m, SAMPLE_LANES * 8, 256)};
    memcpy(machine_memory(m, params[0], sizeof s->in), s->in, sizeof s->in);
    machine_written(m, params[0], sizeof s->in);
    struct machine_module *module = machine_load(m, s->text, strlen(s->text), &e);
    struct machine_launch launch = {.kernel = "k",
                                    .grid = {1, 1, 1},
                                    .block = {SAMPLE_LANES, 1, 1},
                                    .cluster = {1, 1, 1},
                                    .params = params,
                                    .param_bytes = sizeof params,
                                    .blocks_per_sm = 1};
    if (module == NULL || !machine_launch(m, module, &launch, &e))
        fail_msg("%s: %s", s->name, e.text);
    memcpy(answers, machine_memory(m, params[1], SAMPLE_LANES * 8), SAMPLE_LANES * 8);
    machine_unload(m, module);
    machine_close(m);
}

/* The value of an approximate instruction's result. */
static double value_of(const char *name, uint64_t bits, int part)
{
    if (strstr(name, "bf16") != NULL)
        return brain_value((uint32_t)(bits >> 16 * part) & 0xffff);
    if (strstr(name, "f16") != NULL)
        return half_value((uint32_t)(bits >> 16 * part) & 0xffff);
    return float_of((uint32_t)bits);
}

static bool agree(const char *name, uint64_t got, uint64_t expected)
{
    double absolute, relative = instruction_tolerance(name, &absolute);
    if (got == expected)
        return true;
    if (relative == 0 && absolute == 0)
        return false;
    for (int part = 0; part < (strstr(name, "x2") != NULL ? 2 : 1); part++) {
        double a = value_of(name, got, part), b = value_of(name, expected, part);
        if (!(isnan(a) && isnan(b)) && a != b && !(fabs(a - b) <= relative * fabs(b) + absolute))
            return false;
    }
    return true;
}

static int compare(const struct instruction_sample *s, const char *line)
{
    uint64_t answers[SAMPLE_LANES];
    int failures = 0;
    run_sample(s, answers);
    for (int lane = 0; lane < SAMPLE_LANES; lane++) {
        char *end;
        uint64_t expected = strtoull(line, &end, 16);
        const uint64_t *in = &s->in[lane * SAMPLE_OPERANDS];
        line = end;
        if (!agree(s->name, answers[lane], expected) && failures++ < 3)
            print_error("%s of %llx, %llx, %llx: %llx, the GPU has %llx\n", s->name,
                        (unsigned long long)in[0], (unsigned long long)in[1], (unsigned long long)in[2],
                        (unsigned long long)answers[lane], (unsigned long long)expected);
    }
    return failures > 0;
}

/* The samples were recorded in their order, of which some may be missing: the search goes on from *index. */
static bool find_sample(const char *name, size_t length, int *index, struct instruction_sample *s)
{
    for (int i = *index; instruction_sample(i, s); i++) {
        if (strlen(s->name) == length && memcmp(s->name, name, length) == 0) {
            *index = i + 1;
            return true;
        }
    }
    print_error("there is no sample '%.*s' (behind those before it)\n", (int)length, name);
    return false;
}

static void every_sample_runs(void **state)
{
    (void)state;
    static struct instruction_sample s;
    uint64_t answers[SAMPLE_LANES];
    int count = 0;
    for (; instruction_sample(count, &s); count++)
        run_sample(&s, answers);
    assert_true(count > 500);
}

static void every_instruction_agrees_with_the_gpu(void **state)
{
    (void)state;
    static struct instruction_sample s;
    char line[1024];
    int compared = 0, failures = 0, index = 0;
    if (recorded == NULL)
        skip();
    while (fgets(line, sizeof line, recorded) != NULL) {
        const char *colon = strchr(line, ':');
        if (line[0] == '#' || colon == NULL)
            continue;
        if (find_sample(line, (size_t)(colon - line), &index, &s))
            failures += compare(&s, colon + 1);
        else
            failures++;
        compared++;
    }
    print_message("%d instructions compared\n", compared);
    assert_true(compared > 950);
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sample_runs),
        cmocka_unit_test(every_instruction_agrees_with_the_gpu),
    };
    recorded = fopen(SOURCE_DIR "/tests/ptx/instructions.txt", "r");
    if (recorded == NULL)
        print_message("skipped in part: there is no tests/ptx/instructions.txt\n");
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (recorded != NULL)
        fclose(recorded);
    return failed;
}
