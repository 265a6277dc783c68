/* The pipeline with a real space and compiler, and a device that says what the test wants. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/kernel_spaces.h"
#include "tests/temporary_folder.h"
#include "tuner/race/pipeline.h"

#include <math.h>
#include <string.h>
#include <sys/eventfd.h>

/* ---- the device ---- */

struct device_client {
    int descriptor; /* readable while a verdict waits */
    bool busy;
    uint64_t ticket;
    int verified;
    uint64_t wrong;                       /* ticket of the trial that is wrong */
    volatile sig_atomic_t *stop_at_first; /* set with the first verdict, or NULL */
};

bool device_client_verify(struct device_client *c, uint64_t ticket, const struct image *image,
                          const struct launch_plan *plan, struct error *e)
{
    (void)e;
    assert_false(c->busy);
    assert_true(image->cubin_size > 0 && plan->count == 1);
    c->busy = true;
    c->ticket = ticket;
    c->verified++;
    return eventfd_write(c->descriptor, 1) == 0;
}

int device_client_descriptor(const struct device_client *c)
{
    return c->descriptor;
}

bool device_client_next(struct device_client *c, double seconds, struct device_verdict *verdict)
{
    eventfd_t value;
    (void)seconds;
    if (!c->busy || eventfd_read(c->descriptor, &value) != 0)
        return false;
    bool wrong = c->ticket == c->wrong;
    *verdict = (struct device_verdict){
        .ticket = c->ticket,
        .verdict = wrong ? VERDICT_CORRECTNESS : VERDICT_CORRECT,
        .reason = wrong ? must_strdup("row 3 is wrong") : NULL,
        .max_error = wrong ? 7 : 0.5,
        .copies = wrong ? NAN : 1.25,
    };
    c->busy = false;
    if (c->stop_at_first != NULL)
        *c->stop_at_first = SIGINT;
    return true;
}

/* ---- what the tests share ---- */

enum { TRIALS_MAX = 4 };

struct setting {
    char *folder;
    struct generator *space;
    struct compiler *compiler;
    struct device_client device;
    struct pipeline pipeline;
    struct pipeline_times times;
    struct trial trials[TRIALS_MAX];
    int count;
};

static int set_up(void **state)
{
    struct setting *s = must_calloc(1, sizeof *s);
    struct error e;
    struct gpu gpu = gpu_of("sm_120");
    struct problem problem = problem_default(8, 64);
    s->folder = temporary_folder();
    s->device = (struct device_client){.descriptor = eventfd(0, EFD_NONBLOCK), .wrong = UINT64_MAX};
    s->compiler = compiler_open(&(struct compiler_options){.jobs = 2, .cache = s->folder}, &e);
    s->space = generator_open(&(struct generator_options){.config = "article"}, &e);
    if (s->compiler == NULL || s->space == NULL)
        fail_msg("%s", e.text);
    gpu.ptx_version = compiler_ptx_version(s->compiler);
    if (!generator_set_problem(s->space, &problem, &gpu, &e))
        fail_msg("%s", e.text);
    s->pipeline = (struct pipeline){.compiler = s->compiler,
                                    .device = &s->device,
                                    .arch = "sm_120",
                                    .kernel = "softmax_f32_n64_sm_120",
                                    .deadline = INFINITY};
    *state = s;
    return 0;
}

static int tear_down(void **state)
{
    struct setting *s = *state;
    for (int i = 0; i < s->count; i++)
        trial_clear(&s->trials[i]);
    generator_close(s->space);
    compiler_close(s->compiler);
    close(s->device.descriptor);
    temporary_folder_remove(s->folder);
    free(s);
    return 0;
}

static void add(struct setting *s, const char *preset)
{
    struct error e;
    char *key = generator_key(s->space, preset, true, &e);
    if (key == NULL)
        fail_msg("%s", e.text);
    s->trials[s->count] = trial_of(s->space, key, s->count);
    s->count++;
    free(key);
}

static void run(struct setting *s)
{
    struct error e;
    if (!pipeline_run(&s->pipeline, s->trials, s->count, &s->times, &e))
        fail_msg("%s", e.text);
}

/* ---- the tests ---- */

static void every_trial_is_compiled_and_verified(void **state)
{
    struct setting *s = *state;
    add(s, "v2");
    add(s, "v3");
    add(s, "v4");
    run(s);
    for (int i = 0; i < 3; i++) {
        assert_true(s->trials[i].finished && s->trials[i].compiled && s->trials[i].verified);
        assert_int_equal(s->trials[i].verdict, VERDICT_CORRECT);
        assert_true(s->trials[i].max_error == 0.5);
        assert_true(s->trials[i].copies == 1.25);
        assert_int_equal(s->trials[i].same_as, i);
    }
    assert_int_equal(s->device.verified, 3);
    assert_true(s->times.generate > 0 && s->times.compile > 0);
}

static void trials_of_equal_code_are_verified_once_and_share_the_verdict(void **state)
{
    struct setting *s = *state;
    add(s, "v3");
    add(s, "v2");
    add(s, "v2");
    s->trials[1].order = 7; /* of equal ones the least order stands for the others */
    s->device.wrong = 1;
    run(s);
    assert_int_equal(s->device.verified, 2);
    assert_int_equal(s->trials[1].same_as, 2);
    assert_int_equal(s->trials[2].same_as, 2);
    assert_int_equal(s->trials[1].verdict, s->trials[2].verdict);
    assert_true(s->trials[1].finished && s->trials[2].finished);
}

static void a_wrong_trial_keeps_its_reason_and_the_run_goes_on(void **state)
{
    struct setting *s = *state;
    add(s, "v3");
    add(s, "v4");
    s->device.wrong = 0;
    run(s);
    assert_int_equal(s->trials[0].verdict, VERDICT_CORRECTNESS);
    assert_string_equal(s->trials[0].reason, "row 3 is wrong");
    assert_true(s->trials[0].max_error == 7);
    assert_int_equal(s->trials[1].verdict, VERDICT_CORRECT);
}

static void without_a_device_trials_are_compiled_only(void **state)
{
    struct setting *s = *state;
    add(s, "v3");
    s->pipeline.device = NULL;
    run(s);
    assert_true(s->trials[0].finished && s->trials[0].compiled);
    assert_false(s->trials[0].verified);
    assert_int_equal(s->trials[0].plan->launches[0].block[0], 256);
}

static void a_trial_that_comes_with_its_image_is_only_verified(void **state)
{
    struct setting *s = *state;
    add(s, "v3");
    s->trials[0].barred = true; /* keeps its code though there is no device */
    s->pipeline.device = NULL;
    run(s);
    s->trials[0].finished = false;
    s->trials[0].same_as = -1;
    s->pipeline.device = &s->device;
    s->pipeline.compiler = NULL;
    run(s);
    assert_true(s->trials[0].verified);
    assert_int_equal(s->device.verified, 1);
}

/* Gives trials from the last to the first, and hears of them. */
struct backwards {
    int left, told[TRIALS_MAX], told_count;
};

static int next_backwards(void *context)
{
    struct backwards *b = context;
    return b->left > 0 ? --b->left : -1;
}

static void hear(void *context, int trial)
{
    struct backwards *b = context;
    b->told[b->told_count++] = trial;
}

static void trials_are_begun_in_the_order_that_is_asked_for(void **state)
{
    struct setting *s = *state;
    add(s, "v2");
    add(s, "v3");
    add(s, "v4");
    struct backwards order = {.left = 2}; /* the last is never given */
    s->pipeline.next = next_backwards;
    s->pipeline.tell = hear;
    s->pipeline.order_context = &order;
    run(s);
    assert_true(s->trials[0].finished && s->trials[1].finished && !s->trials[2].finished);
    assert_int_equal(order.told_count, 2);
    assert_int_equal(order.told[0] + order.told[1], 1);
}

static void code_that_nobody_will_ask_for_is_dropped(void **state)
{
    struct setting *s = *state;
    add(s, "v2");
    add(s, "v3");
    s->pipeline.device = NULL;
    s->trials[1].barred = true;
    run(s);
    assert_null(s->trials[0].image.cubin);
    assert_int_equal(s->trials[0].image.kernel_count, 1);
    assert_non_null(s->trials[1].image.cubin);
}

static void a_preset_keeps_the_code_of_the_trial_that_stands_for_it(void **state)
{
    struct setting *s = *state;
    add(s, "v2");
    add(s, "v2");
    s->pipeline.device = NULL;
    s->trials[1].barred = true;
    run(s);
    assert_int_equal(s->trials[1].same_as, 0);
    assert_non_null(s->trials[0].image.cubin);
    assert_non_null(s->trials[1].image.ptx);
}

/* Remembers one trial by its place: as right, or as one that did not compile. */
struct memory {
    struct trial *right, *uncompilable;
    int asked_of_sources, kept;
    bool full;
};

static bool recall(void *context, struct trial *t, const struct source *source)
{
    struct memory *memory = context;
    memory->asked_of_sources += source != NULL;
    if (source != NULL && t == memory->uncompilable) {
        trial_fail(t, VERDICT_COMPILE, must_strdup("it did not compile"));
        return true;
    }
    if (source != NULL || t != memory->right)
        return false;
    assert_int_equal(t->plan->count, 1);
    t->verified = true;
    t->max_error = 0.125;
    return true;
}

static bool keep(void *context, const struct trial *t, struct error *e)
{
    struct memory *memory = context;
    assert_true(t->finished && t != memory->right && t != memory->uncompilable);
    memory->kept++;
    return !memory->full || error_set(e, STATUS_MISSING, "the disk is full");
}

static void what_is_recalled_is_not_done_again_and_the_rest_is_kept(void **state)
{
    struct setting *s = *state;
    add(s, "v2");
    add(s, "v3");
    add(s, "v4");
    struct memory memory = {.right = &s->trials[0], .uncompilable = &s->trials[1]};
    s->pipeline.recall = recall;
    s->pipeline.keep = keep;
    s->pipeline.memory_context = &memory;
    run(s);
    assert_int_equal(s->device.verified, 1);
    assert_int_equal(memory.asked_of_sources, 3);
    assert_int_equal(memory.kept, 1);
    assert_true(s->trials[0].recalled && s->trials[0].finished && s->trials[0].max_error == 0.125);
    assert_true(s->trials[0].compiled && s->trials[0].same_as == 0);
    assert_int_equal(s->trials[1].verdict, VERDICT_COMPILE);
    assert_false(s->trials[1].compiled);
    assert_false(s->trials[2].recalled);
    assert_true(s->trials[2].finished && s->trials[2].verified);
}

static void a_trial_that_cannot_be_kept_ends_the_run(void **state)
{
    struct setting *s = *state;
    struct error e;
    struct memory memory = {.full = true};
    add(s, "v2");
    add(s, "v3");
    s->pipeline.keep = keep;
    s->pipeline.memory_context = &memory;
    assert_false(pipeline_run(&s->pipeline, s->trials, s->count, &s->times, &e));
    assert_int_equal(e.status, STATUS_MISSING);
    assert_string_equal(e.text, "the disk is full");
}

static void a_stopped_run_begins_nothing_more(void **state)
{
    struct setting *s = *state;
    volatile sig_atomic_t stop = 0;
    add(s, "v1");
    add(s, "v2");
    add(s, "v3");
    add(s, "v4");
    s->pipeline.stop = &stop;
    s->device.stop_at_first = &stop;
    run(s);
    assert_int_equal(s->device.verified, 1);
    int finished = 0;
    for (int i = 0; i < s->count; i++)
        finished += s->trials[i].finished;
    assert_int_equal(finished, 1);
}

static void after_the_deadline_nothing_begins(void **state)
{
    struct setting *s = *state;
    add(s, "v2");
    s->pipeline.deadline = 0;
    run(s);
    assert_false(s->trials[0].finished);
    assert_int_equal(s->device.verified, 0);
}

static void a_template_that_is_wrong_ends_the_run(void **state)
{
    struct setting *s = *state;
    struct error e;
    s->trials[s->count++] = trial_of(s->space, "no=key", 0);
    assert_false(pipeline_run(&s->pipeline, s->trials, s->count, &s->times, &e));
    assert_int_equal(e.status, STATUS_USAGE);
}

#define with_setting(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_setting(every_trial_is_compiled_and_verified),
        with_setting(trials_of_equal_code_are_verified_once_and_share_the_verdict),
        with_setting(a_wrong_trial_keeps_its_reason_and_the_run_goes_on),
        with_setting(without_a_device_trials_are_compiled_only),
        with_setting(a_trial_that_comes_with_its_image_is_only_verified),
        with_setting(trials_are_begun_in_the_order_that_is_asked_for),
        with_setting(code_that_nobody_will_ask_for_is_dropped),
        with_setting(a_preset_keeps_the_code_of_the_trial_that_stands_for_it),
        with_setting(what_is_recalled_is_not_done_again_and_the_rest_is_kept),
        with_setting(a_trial_that_cannot_be_kept_ends_the_run),
        with_setting(a_stopped_run_begins_nothing_more),
        with_setting(after_the_deadline_nothing_begins),
        with_setting(a_template_that_is_wrong_ends_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
