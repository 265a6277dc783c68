#include "tuner/devices/emulator/ptx_module.h"

#include <string.h>

static const char *const names[SPECIAL_COUNT] = {
    "%tid.x",
    "%tid.y",
    "%tid.z",
    "%ntid.x",
    "%ntid.y",
    "%ntid.z",
    "%ctaid.x",
    "%ctaid.y",
    "%ctaid.z",
    "%nctaid.x",
    "%nctaid.y",
    "%nctaid.z",
    "%laneid",
    "%warpid",
    "%nwarpid",
    "%smid",
    "%nsmid",
    "%gridid",
    "%lanemask_eq",
    "%lanemask_lt",
    "%lanemask_le",
    "%lanemask_gt",
    "%lanemask_ge",
    "%clusterid.x",
    "%clusterid.y",
    "%clusterid.z",
    "%nclusterid.x",
    "%nclusterid.y",
    "%nclusterid.z",
    "%cluster_ctaid.x",
    "%cluster_ctaid.y",
    "%cluster_ctaid.z",
    "%cluster_nctaid.x",
    "%cluster_nctaid.y",
    "%cluster_nctaid.z",
    "%cluster_ctarank",
    "%cluster_nctarank",
    "%clock",
    "%clock64",
    "%globaltimer",
    "%globaltimer_lo",
    "%dynamic_smem_size",
    "%total_smem_size",
};

const char *special_register_name(enum special_register s)
{
    return names[s];
}

enum special_register special_register_find(const char *name, int length)
{
    int s = 0;
    while (s < SPECIAL_COUNT &&
           !(strlen(names[s]) == (size_t)length && memcmp(names[s], name, (size_t)length) == 0))
        s++;
    return (enum special_register)s;
}
