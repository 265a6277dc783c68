#include "tuner/cli/interrupt.h"

#include "generator/error.h"
#include "generator/worker.h"

#include <stddef.h>

volatile sig_atomic_t interrupt_signal = 0;

/* Signals that come nearer to each other than a person means them to are one: `timeout` sends its own to the
   process and to its group. */
static const double apart_seconds = 1;
static double came; /* on monotonic_seconds(), the first; for the handler alone */

static void on_signal(int number)
{
    double now = monotonic_seconds();
    if (interrupt_signal == 0) {
        interrupt_signal = number;
        came = now;
    } else if (now - came > apart_seconds) {
        signal(number, SIG_DFL);
        raise(number); /* acts when the handler returns */
    }
}

void interrupt_watch(void)
{
    /* No SA_RESTART: a wait ends at once. While one signal is handled the other waits. */
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGINT);
    sigaddset(&action.sa_mask, SIGTERM);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

int interrupt_status(int status)
{
    if (interrupt_signal == SIGINT)
        return STATUS_INTERRUPTED;
    return interrupt_signal == SIGTERM ? STATUS_TERMINATED : status;
}
