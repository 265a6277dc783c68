/* The machine's counters under the names of the command line's JSON. */
#include "tuner/devices/emulator/emulator_device.h"

json_t *emulator_take_counts(struct device *d)
{
    struct machine *m = ((struct emulator *)d)->machine;
    const struct machine_counts *c = machine_counts(m);
    const struct {
        const char *name;
        int64_t value;
    } counters[] = {
        {"global_load_requests", c->global_load_requests},
        {"global_load_sectors", c->global_load_sectors},
        {"global_load_bytes", c->global_load_bytes},
        {"global_store_requests", c->global_store_requests},
        {"global_store_sectors", c->global_store_sectors},
        {"global_store_bytes", c->global_store_bytes},
        {"shared_wavefronts", c->shared_wavefronts},
        {"barriers", c->barriers},
        {"divergent_branches", c->divergent_branches},
        {"atomics", c->atomics},
        {"same_value_writes", c->same_value_writes},
        {"alu", c->pipes[PIPE_ALU]},
        {"fma", c->pipes[PIPE_FMA]},
        {"sfu", c->pipes[PIPE_SFU]},
        {"lsu", c->pipes[PIPE_LSU]},
        {"cvt", c->pipes[PIPE_CVT]},
        {"control", c->pipes[PIPE_CONTROL]},
    };
    json_t *object = json_object();
    for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++)
        json_object_set_new(object, counters[i].name, json_integer(counters[i].value));
    machine_counts_reset(m);
    return object;
}
