#include "generator/worker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A length that no sane message reaches: a child that writes garbage is taken for dead, not believed. */
enum { MESSAGE_MAX = 1 << 30 };

struct worker {
    int pid; /* 0 once reaped */
    int descriptor;
    char death[256];
};

double monotonic_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void message_clear(struct message *m)
{
    json_decref(m->body);
    free(m->blob);
    *m = (struct message){0};
}

/* Waits until `descriptor` is ready for `events`, or until `end` on the monotonic clock; infinite for end 0.
 */
static bool wait_ready(int descriptor, short events, double end)
{
    for (;;) {
        double left = end == 0 ? -1 : end - monotonic_seconds();
        if (end != 0 && left < 0)
            left = 0;
        struct pollfd p = {.fd = descriptor, .events = events};
        int ready = poll(&p, 1, end == 0 ? -1 : (int)(left * 1000) + (left > 0));
        if (ready > 0)
            return true;
        if (ready == 0 || errno != EINTR) {
            errno = ready == 0 ? ETIMEDOUT : errno;
            return false;
        }
    }
}

static bool read_all(int descriptor, void *to, size_t size, double end)
{
    for (size_t done = 0; done < size;) {
        if (!wait_ready(descriptor, POLLIN, end))
            return false;
        ssize_t n = recv(descriptor, (char *)to + done, size - done, 0);
        if (n > 0)
            done += (size_t)n;
        else if (n == 0) {
            errno = 0;
            return false;
        } else if (errno != EINTR)
            return false;
    }
    return true;
}

static bool write_all(int descriptor, const void *from, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = send(descriptor, (const char *)from + done, size - done, MSG_NOSIGNAL);
        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            return false;
    }
    return true;
}

struct message_header {
    uint64_t body_size, blob_size;
};

static bool read_message(int descriptor, struct message *m, double end)
{
    *m = (struct message){0};
    struct message_header header;
    if (!read_all(descriptor, &header, sizeof header, end))
        return false;
    if (header.body_size > MESSAGE_MAX || header.blob_size > MESSAGE_MAX) {
        errno = EPROTO;
        return false;
    }
    char *text = malloc((size_t)header.body_size + 1);
    void *blob = malloc((size_t)header.blob_size + 1);
    bool whole = text != NULL && blob != NULL && read_all(descriptor, text, header.body_size, end) &&
                 read_all(descriptor, blob, header.blob_size, end);
    json_t *body = whole ? json_loadb(text, header.body_size, 0, NULL) : NULL;
    free(text);
    if (body == NULL) {
        if (whole)
            errno = EPROTO;
        free(blob);
        return false;
    }
    ((char *)blob)[header.blob_size] = '\0';
    *m = (struct message){.body = body, .blob = blob, .blob_size = header.blob_size};
    return true;
}

bool message_read(int descriptor, struct message *m)
{
    return read_message(descriptor, m, 0);
}

bool message_write(int descriptor, const struct message *m)
{
    char *text = json_dumps(m->body, JSON_COMPACT);
    if (text == NULL) {
        errno = EINVAL;
        return false;
    }
    struct message_header header = {.body_size = strlen(text),
                                    .blob_size = m->blob == NULL ? 0 : m->blob_size};
    bool written = write_all(descriptor, &header, sizeof header) &&
                   write_all(descriptor, text, header.body_size) &&
                   write_all(descriptor, m->blob, header.blob_size);
    free(text);
    return written;
}

/* What the child does between the fork and its work. */
static void become_child(int parent, size_t memory_limit)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* the parent died before the line above */
        _exit(STATUS_MISSING);
    setpgid(0, 0); /* the terminal's interrupt is the parent's to handle */
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++)
        signal(fatal[i], SIG_DFL); /* a crash ends the child, whatever the parent would do about its own */
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    if (memory_limit > 0) {
        struct rlimit limit = {.rlim_cur = memory_limit, .rlim_max = memory_limit};
        setrlimit(RLIMIT_AS, &limit);
    }
    struct rlimit no_core = {0};
    setrlimit(RLIMIT_CORE, &no_core);
}

enum { SEND_SECONDS = 10 };

struct worker *worker_start(const char *name, worker_main *run, void *context, size_t memory_limit,
                            struct error *e)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        error_set(e, STATUS_MISSING, "cannot start a %s: %s", name, strerror(errno));
        return NULL;
    }
    fflush(NULL); /* else the child would print again what is still buffered */
    int parent = getpid();
    int pid = fork();
    if (pid < 0) {
        error_set(e, STATUS_MISSING, "cannot start a %s: %s", name, strerror(errno));
        close(ends[0]);
        close(ends[1]);
        return NULL;
    }
    if (pid == 0) {
        become_child(parent, memory_limit);
        /* Other workers' sockets must not stay open here: their children would never see the parent's end
         * close. */
        if (ends[1] != 3) {
            dup2(ends[1], 3);
            ends[1] = 3;
        }
        closefrom(4);
        _exit(run(ends[1], context));
    }
    close(ends[1]);
    /* A child that was stopped reads nothing: the parent must not wait for it for ever. */
    const struct timeval send_limit = {.tv_sec = SEND_SECONDS};
    setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &send_limit, sizeof send_limit);
    struct worker *w = must_calloc(1, sizeof *w);
    w->pid = pid;
    w->descriptor = ends[0];
    return w;
}

enum { DEATH_SECONDS = 30 };

/* Waits for the child's end, at most `seconds`. */
static bool wait_child(int pid, double seconds, int *how)
{
    double end = monotonic_seconds() + seconds;
    for (;;) {
        int ended = waitpid(pid, how, WNOHANG);
        if (ended == pid || (ended < 0 && errno != EINTR))
            return true;
        if (monotonic_seconds() > end)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
    }
}

/* Ends and reaps the child, and writes how it ended unless that is known. A child that closed its socket is
   given a moment to exit on its own, so that its own status is seen and not the signal. One that even SIGKILL
   does not end (a driver that tears down a hung GPU) is left to init. */
static void reap(struct worker *w, bool at_once)
{
    if (w->pid == 0)
        return;
    int how = 0;
    if (at_once || !wait_child(w->pid, 2, &how)) {
        kill(w->pid, SIGKILL);
        if (!wait_child(w->pid, DEATH_SECONDS, &how))
            snprintf(w->death, sizeof w->death, "does not end (process %d)", w->pid);
    }
    w->pid = 0;
    if (w->death[0] != '\0')
        return;
    if (WIFSIGNALED(how))
        snprintf(w->death, sizeof w->death, "was killed by signal %d (%s)", WTERMSIG(how),
                 strsignal(WTERMSIG(how)));
    else
        snprintf(w->death, sizeof w->death, "exited with status %d", WEXITSTATUS(how));
}

void worker_stop(struct worker *w)
{
    if (w == NULL)
        return;
    reap(w, true);
    close(w->descriptor);
    free(w);
}

int worker_descriptor(const struct worker *w)
{
    return w->descriptor;
}

int worker_pid(const struct worker *w)
{
    return w->pid;
}

bool worker_send(struct worker *w, const struct message *m)
{
    return w->pid != 0 && message_write(w->descriptor, m);
}

/* Whether somebody stopped the child, which its death then says. */
static bool is_stopped(struct worker *w)
{
    int how;
    if (waitpid(w->pid, &how, WNOHANG | WUNTRACED) != w->pid || !WIFSTOPPED(how))
        return false;
    snprintf(w->death, sizeof w->death, "was stopped by signal %d (%s)", WSTOPSIG(how),
             strsignal(WSTOPSIG(how)));
    return true;
}

enum worker_answer worker_receive(struct worker *w, double seconds, struct message *reply)
{
    *reply = (struct message){0};
    if (w->pid == 0)
        return WORKER_DIED;
    if (read_message(w->descriptor, reply, monotonic_seconds() + seconds))
        return WORKER_ANSWERED;
    if (errno == ETIMEDOUT) {
        bool stopped = is_stopped(w);
        if (!stopped)
            snprintf(w->death, sizeof w->death, "did not answer within %g s", seconds);
        reap(w, true);
        return stopped ? WORKER_DIED : WORKER_LATE;
    }
    /* A closed socket means that the child has exited or is about to; garbage means that it must not go on.
     */
    reap(w, errno != 0);
    return WORKER_DIED;
}

const char *worker_death(const struct worker *w)
{
    return w->death[0] == '\0' ? "is alive" : w->death;
}
