/* Device: what runs images. `cuda` drives a GPU, `emulator` executes PTX on this CPU.

   A device lives inside a device worker (device_worker.h); nothing else calls these. Addresses are the
   device's own; a device that knows no pointers of the host (cuda) and one that knows nothing else (emulator)
   look alike. */
#ifndef TUNER_DEVICES_DEVICE_H
#define TUNER_DEVICES_DEVICE_H

#include "generator/gpu.h"
#include "generator/launch.h"
#include "tuner/compile/image.h"
#include "tuner/verify/oracle.h"

typedef uint64_t device_address;

/* What a launch passes for each argument that its plan names. */
struct launch_values {
    device_address x, y, workspace;
    int64_t M, N, x_stride, y_stride;
    float scale;
};

/* One candidate in a measurement. */
struct measured_entry {
    void *module;                   /* of load(); NULL for the device's copy, the limit */
    const struct launch_plan *plan; /* NULL likewise */
};

/* Memory that a device worker shares with its parent, and inherits from the worker it replaces. */
struct device_shared {
    volatile long beat; /* moves on with every step of a measurement */
    volatile int entry; /* of the measurement: being launched, or -1; what to blame for a death or a hang */
    size_t
        kept_size; /* what the next worker need not make again (cuda: the oracle's machine code); 0: none */
    unsigned char kept[1 << 20];
};

struct device {
    const struct device_operations *operations;
    struct gpu gpu;
    int64_t batch_elements; /* of x, the most that one launch of the verifier should have */
    int verify_launches;    /* the most that verifying one variant of a tuning run should take */
};

/* Every function returns false and fills `e` on failure. `fatal` in a failure's text is not needed: a device
   whose context is lost fails every later call, and its worker is replaced. */
struct device_operations {
    const char *name; /* "cuda", "emulator" */

    void (*close)(struct device *d);

    /* An image ready to launch; *module is the device's, released by unload(). */
    bool (*load)(struct device *d, const struct image *image, const struct launch_plan *plan, void **module,
                 struct error *e);
    void (*unload)(struct device *d, void *module);

    /* `bytes` bytes between guard zones, at an address that `align` divides and 2 * align does not: alignment
       that a problem does not promise is not given. Contents undefined (the emulator: never written). */
    bool (*allocate)(struct device *d, size_t bytes, size_t align, device_address *address, struct error *e);
    void (*release)(struct device *d, device_address address);
    bool (*fill)(struct device *d, device_address address, unsigned char byte, size_t bytes, struct error *e);
    bool (*read)(struct device *d, void *to, device_address from, size_t bytes, struct error *e);
    bool (*write)(struct device *d, device_address to, const void *from, size_t bytes, struct error *e);
    /* Whether every guard zone is whole; else says which buffer was written beyond, on which side, how far.
     */
    bool (*guards_whole)(struct device *d, struct error *e);

    /* Runs the plan once and waits for it. */
    bool (*launch)(struct device *d, void *module, const struct launch_plan *plan,
                   const struct launch_values *v, struct error *e);

    /* The verifier's two loops over a batch of rows (oracle.h), where the data is. */
    bool (*make_input)(struct device *d, const struct oracle_batch *batch, device_address x, struct error *e);
    bool (*judge)(struct device *d, const struct oracle_batch *batch, device_address x, device_address y,
                  struct oracle_verdict *verdict, struct error *e);

    /* Counters of the plan on ordinary rows of the problem, as the object `counts` of design.md, for its
       whole M. A new reference; NULL where the plan does not run. The function is NULL where the device has
       no counters. */
    json_t *(*count)(struct device *d, void *module, const struct launch_plan *plan, const struct problem *p);

    /* NULL where time is not real. Interleaved rounds: each visits the entries in a random order (from
       `seed`) and stores microseconds a launch at samples[round * count + entry]; a throttled round is stored
       as NaN. Buffers rotate through four times L2 (cold) or stay (hot); they are made at the first call for
       a problem. Warms the GPU until the copy settles if it was idle. An entry that fails, or is wrong when
       it is judged after the last round, has its reason in failures[entry] (then the caller's; else NULL) and
       NaN samples. False when the call failed as a whole. */
    bool (*measure)(struct device *d, const struct problem *p, const struct measured_entry *entries,
                    int count, int rounds, uint64_t seed, double *samples, char **failures, struct error *e);

    /* NULL likewise. One rough sample of an entry that was just verified: its time over that of a copy of the
       same bytes measured beside it, so that it means the same whatever the clocks are; NaN where it cannot
       be measured. *failure (then the caller's; else NULL) where it is wrong when it is judged afterwards.
       False when the device is lost. */
    bool (*sample)(struct device *d, const struct problem *p, const struct measured_entry *entry,
                   double *copies, char **failure, struct error *e);
};

/* Status 3: no driver, no GPU, no NVRTC, or too old a driver. `shared` outlives the device. */
bool cuda_device_open(int index, struct device_shared *shared, struct device **device, struct error *e);
bool emulator_device_open(const struct gpu *gpu, struct device **device, struct error *e);

#endif
