/* Interrupt and terminate: the first asks the run to end with the best so far, another one, more than a
   second later, ends the program. */
#ifndef TUNER_CLI_INTERRUPT_H
#define TUNER_CLI_INTERRUPT_H

#include <signal.h>

void interrupt_watch(void);

/* 0, or the signal that came: SIGINT or SIGTERM. */
extern volatile sig_atomic_t interrupt_signal;

/* STATUS_INTERRUPTED, STATUS_TERMINATED, or `status` where no signal came. */
int interrupt_status(int status);

#endif
