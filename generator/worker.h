/* A child process that answers messages: what may hang, crash or be poisoned runs in one of these.

   The parent sends a message and waits for the reply with a deadline, or polls worker_descriptor(). A child
   that dies or is late is killed and reaped; the caller starts another. The parent must have no threads. A
   child dies with its parent, ignores the terminal's interrupt, and holds no other worker's descriptor. */
#ifndef GENERATOR_WORKER_H
#define GENERATOR_WORKER_H

#include "generator/error.h"

#include <jansson.h>
#include <stdint.h>

/* A JSON object and, beside it, bytes that need no quoting (a source, a cubin). */
struct message {
    json_t *body; /* owned */
    void *blob;   /* owned, may be NULL */
    size_t blob_size;
};

void message_clear(struct message *m);

/* Reads or writes one whole message on a stream socket; false at its end or on an error (errno says which; 0
   at the end). message_write does not take `m`. */
bool message_read(int descriptor, struct message *m);
bool message_write(int descriptor, const struct message *m);

struct worker;

/* What a worker runs: reads messages from `descriptor`, writes replies to it; its return value is the child's
   exit status. `context` is the parent's memory as it was at the fork. */
typedef int worker_main(int descriptor, void *context);

/* Forks. `name` is for messages ("compile worker"); `memory_limit` in bytes bounds the address space, 0 for
   none. The result is freed by worker_stop(). */
struct worker *worker_start(const char *name, worker_main *run, void *context, size_t memory_limit,
                            struct error *e);

/* Kills the child if it lives, reaps it and frees the worker. NULL is allowed. */
void worker_stop(struct worker *w);

int worker_descriptor(const struct worker *w);
int worker_pid(const struct worker *w);

enum worker_answer { WORKER_ANSWERED, WORKER_LATE, WORKER_DIED };

/* Sends `m`, which stays the caller's. False when the child is gone. */
bool worker_send(struct worker *w, const struct message *m);

/* Waits at most `seconds` for the next reply and stores it in `reply`, then the caller's. When the child is
   late it is killed; one that somebody stopped counts as dead, not late; late or dead, worker_death() says
   how it ended. */
enum worker_answer worker_receive(struct worker *w, double seconds, struct message *reply);

/* "was killed by signal 11 (Segmentation fault)", "exited with status 3", "did not answer within 10 s". */
const char *worker_death(const struct worker *w);

/* Seconds on a monotonic clock. */
double monotonic_seconds(void);

#endif
