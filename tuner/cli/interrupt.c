#include "tuner/cli/interrupt.h"

#include "generator/error.h"

#include <stddef.h>

volatile sig_atomic_t interrupt_signal = 0;

static void on_signal(int number)
{
    interrupt_signal = number;
}

void interrupt_watch(void)
{
    /* SA_RESETHAND: a second signal acts as if nothing were watched. No SA_RESTART: a wait ends at once. */
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

int interrupt_status(int status)
{
    if (interrupt_signal == SIGINT)
        return STATUS_INTERRUPTED;
    return interrupt_signal == SIGTERM ? STATUS_TERMINATED : status;
}
