#include "tests/scripted_gpu.h"

#include "tests/kernel_spaces.h"
#include "tuner/devices/device_client.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

struct gpu_script *script;

bool script_open(void)
{
    script = mmap(NULL, sizeof *script, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return script != MAP_FAILED;
}

struct device_client {
    struct gpu gpu;
    int descriptor;
    enum cache_state cache;
    int64_t M;
    bool timed;
    struct device_verdict verdict;
};

struct device_client *device_client_open(enum device_kind kind, int index, const struct gpu *gpu,
                                         struct error *e)
{
    (void)index, (void)gpu;
    if (kind != DEVICE_CUDA) {
        error_set(e, STATUS_MISSING, "there is no emulator in this test");
        return NULL;
    }
    struct device_client *c = must_calloc(1, sizeof *c);
    c->gpu = gpu_of("sm_90");
    if (script->name != NULL)
        snprintf(c->gpu.name, sizeof c->gpu.name, "%s", script->name);
    c->descriptor = eventfd(0, EFD_NONBLOCK);
    return c;
}

void device_client_close(struct device_client *c)
{
    if (c != NULL)
        close(c->descriptor);
    free(c);
}

const struct gpu *device_client_gpu(const struct device_client *c)
{
    return &c->gpu;
}

enum device_kind device_client_kind(const struct device_client *c)
{
    (void)c;
    return DEVICE_CUDA;
}

bool device_client_set_problem(struct device_client *c, const struct problem *p,
                               const struct verify_options *options, struct error *e)
{
    (void)e;
    c->cache = p->cache;
    c->M = p->M;
    c->timed = options->timed;
    return true;
}

/* A copy takes 100 us, a block of 512 threads 105, others 120 and more, a thread a row 2000. */
static double true_time(const struct device_client *c, const struct launch_plan *plan)
{
    const struct launch *l = &plan->launches[0];
    if (script->time_us != NULL)
        return script->time_us(c->M, l->block[0]);
    if (l->grid_of_M[0] == 'c')
        return 2000;
    if (script->hot_differs && c->cache == CACHE_HOT && l->block[0] == 128)
        return 95;
    return l->block[0] == 512 ? 105 : 120 + l->block[0] / 100.0;
}

static enum verdict verdict_of(const struct image *image, const struct launch *l)
{
    if (l->block[0] == script->faulty_threads)
        return VERDICT_RUNTIME;
    bool wrong = script->all_wrong || l->block[0] == script->wrong_threads ||
                 (script->wrong_code != 0 && image->code_hash == script->wrong_code) ||
                 (script->wrong_kernel != NULL && strstr(l->kernel, script->wrong_kernel) != NULL);
    return wrong ? VERDICT_CORRECTNESS : VERDICT_CORRECT;
}

bool device_client_verify(struct device_client *c, uint64_t ticket, const struct image *image,
                          const struct launch_plan *plan, struct error *e)
{
    (void)e;
    if (++script->verified == script->kill_at)
        raise(SIGKILL);
    c->verdict = (struct device_verdict){.ticket = ticket,
                                         .verdict = verdict_of(image, &plan->launches[0]),
                                         .max_error = 0.25,
                                         .copies = c->timed ? true_time(c, plan) / 100 : NAN,
                                         .seconds = 0.01};
    if (c->verdict.verdict != VERDICT_CORRECT) {
        bool ran = c->verdict.verdict == VERDICT_CORRECTNESS;
        c->verdict.reason = must_strdup(ran ? "wrong on rows that begin with -inf" : "an illegal access");
        c->verdict.max_error = ran ? INFINITY : NAN;
        c->verdict.copies = NAN;
    }
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
    if (eventfd_read(c->descriptor, &value) != 0)
        return false;
    *verdict = c->verdict;
    return true;
}

bool device_client_measure(struct device_client *c, const struct device_entry *entries, int count, int rounds,
                           uint64_t seed, double *samples, char **failures, struct error *e)
{
    (void)failures, (void)e;
    script->measured = count > script->measured ? count : script->measured;
    for (int i = 0; i < rounds * count; i++) {
        const struct device_entry *entry = &entries[i % count];
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        double noise = script->noise * ((double)(seed >> 11) / 9007199254740992.0 - 0.5);
        samples[i] = (entry->image == NULL ? 100 : true_time(c, entry->plan)) * (1 + noise);
    }
    return true;
}

bool device_client_compare_batches(struct device_client *c, const struct image *image,
                                   const struct launch_plan *plan, const int64_t *rows, int count,
                                   char **reason, json_t **launched, struct error *e)
{
    (void)c, (void)image, (void)e;
    bool differs = plan->launches[0].block[0] == script->unsteady_threads;
    *reason = differs ? must_strdup("a row's bits depend on the batch") : NULL;
    *launched = differs ? NULL : json_array();
    for (int i = 0; !differs && i < count; i++)
        json_array_append_new(*launched, json_integer(rows[i]));
    return true;
}
