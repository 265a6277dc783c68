/* The child process that answers messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "generator/worker.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE = 60 }; /* seconds; only a broken worker uses them up */

/* Answers {"do": ...}: "echo" gives the message back, the others misbehave. */
static int misbehaving(int descriptor, void *context)
{
    struct message m;
    while (message_read(descriptor, &m)) {
        const char *what = json_string_value(json_object_get(m.body, "do"));
        if (strcmp(what, "crash") == 0)
            raise(SIGSEGV);
        if (strcmp(what, "exit") == 0)
            _exit(7);
        if (strcmp(what, "hang") == 0)
            pause();
        if (strcmp(what, "stop") == 0)
            raise(SIGSTOP);
        if (strcmp(what, "garbage") == 0) {
            static const char garbage[64] = "this is no header, and its length would be absurd";
            if (write(descriptor, garbage, sizeof garbage) != (ssize_t)sizeof garbage)
                _exit(8);
            pause();
        }
        if (strcmp(what, "context") == 0)
            json_object_set_new(m.body, "context", json_string(context));
        if (strcmp(what, "interrupt") == 0)
            raise(SIGINT);
        message_write(descriptor, &m);
        message_clear(&m);
    }
    return 0;
}

static struct worker *start(void)
{
    static char context[] = "from before the fork";
    struct error e = {0};
    struct worker *w = worker_start("test worker", misbehaving, context, 0, &e);
    assert_non_null(w);
    return w;
}

static enum worker_answer ask(struct worker *w, const char *what, double seconds, struct message *reply)
{
    struct message m = {.body = json_pack("{s:s}", "do", what)};
    assert_true(worker_send(w, &m));
    message_clear(&m);
    return worker_receive(w, seconds, reply);
}

static void a_message_comes_back_with_its_blob(void **state)
{
    (void)state;
    struct worker *w = start();
    enum { SIZE = 3 << 20 }; /* larger than any socket buffer */
    struct message m = {.body = json_pack("{s:s}", "do", "echo"), .blob = malloc(SIZE), .blob_size = SIZE},
                   reply;
    for (int i = 0; i < SIZE; i++)
        ((unsigned char *)m.blob)[i] = (unsigned char)(i * 31 >> 3);
    assert_true(worker_send(w, &m));
    assert_int_equal(worker_receive(w, PATIENCE, &reply), WORKER_ANSWERED);
    assert_int_equal(reply.blob_size, SIZE);
    assert_memory_equal(reply.blob, m.blob, SIZE);
    assert_true(json_equal(reply.body, m.body));
    message_clear(&m);
    message_clear(&reply);
    worker_stop(w);
}

static void the_context_is_the_parents_memory(void **state)
{
    (void)state;
    struct worker *w = start();
    struct message reply;
    assert_int_equal(ask(w, "context", PATIENCE, &reply), WORKER_ANSWERED);
    assert_string_equal(json_string_value(json_object_get(reply.body, "context")), "from before the fork");
    message_clear(&reply);
    worker_stop(w);
}

static void the_terminals_interrupt_does_not_end_it(void **state)
{
    (void)state;
    struct worker *w = start();
    struct message reply;
    assert_int_equal(ask(w, "interrupt", PATIENCE, &reply), WORKER_ANSWERED);
    message_clear(&reply);
    worker_stop(w);
}

static void its_death_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *what, *death;
    } cases[] = {{"crash", "signal 11"}, {"exit", "status 7"}};
    for (size_t i = 0; i < 2; i++) {
        struct worker *w = start();
        struct message reply;
        assert_int_equal(ask(w, cases[i].what, PATIENCE, &reply), WORKER_DIED);
        assert_non_null(strstr(worker_death(w), cases[i].death));
        assert_null(reply.body);
        assert_int_equal(worker_pid(w), 0);
        worker_stop(w);
    }
}

static void a_late_one_is_killed(void **state)
{
    (void)state;
    struct worker *w = start();
    int pid = worker_pid(w);
    struct message reply;
    assert_int_equal(ask(w, "hang", 0.05, &reply), WORKER_LATE);
    assert_string_equal(worker_death(w), "did not answer within 0.05 s");
    assert_int_equal(kill(pid, 0), -1);
    struct message m = {.body = json_object()};
    assert_false(worker_send(w, &m));
    assert_int_equal(worker_receive(w, 0, &reply), WORKER_DIED);
    message_clear(&m);
    worker_stop(w);
}

static void a_worker_that_was_stopped_is_dead_and_says_so(void **state)
{
    (void)state;
    struct worker *w = start();
    struct message reply;
    struct message m = {.body = json_pack("{s:s}", "do", "stop")};
    siginfo_t how;
    assert_true(worker_send(w, &m));
    message_clear(&m);
    assert_int_equal(waitid(P_PID, (id_t)worker_pid(w), &how, WSTOPPED | WNOWAIT), 0);
    assert_int_equal(worker_receive(w, 0.05, &reply), WORKER_DIED);
    assert_string_equal(worker_death(w), "was stopped by signal 19 (Stopped (signal))");
    worker_stop(w);
}

static void garbage_is_death(void **state)
{
    (void)state;
    struct worker *w = start();
    struct message reply;
    assert_int_equal(ask(w, "garbage", PATIENCE, &reply), WORKER_DIED);
    assert_int_equal(worker_pid(w), 0);
    worker_stop(w);
}

static void one_workers_end_is_not_held_open_by_another(void **state)
{
    (void)state;
    struct worker *first = start(), *second = start();
    struct message reply;
    assert_int_equal(ask(first, "exit", PATIENCE, &reply), WORKER_DIED);
    assert_int_equal(ask(second, "echo", PATIENCE, &reply), WORKER_ANSWERED);
    message_clear(&reply);
    worker_stop(first);
    worker_stop(second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_comes_back_with_its_blob),
        cmocka_unit_test(the_context_is_the_parents_memory),
        cmocka_unit_test(the_terminals_interrupt_does_not_end_it),
        cmocka_unit_test(its_death_is_told),
        cmocka_unit_test(a_late_one_is_killed),
        cmocka_unit_test(a_worker_that_was_stopped_is_dead_and_says_so),
        cmocka_unit_test(garbage_is_death),
        cmocka_unit_test(one_workers_end_is_not_held_open_by_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
