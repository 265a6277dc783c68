/* What the special registers hold. */
#include "tuner/devices/emulator/warp.h"

uint64_t special_register_value(const struct machine *m, const struct warp *w, enum special_register s,
                                int lane)
{
    const struct machine_launch *l = m->launch;
    const struct block *b = w->block;
    int thread = thread_of(w, lane);
    switch (s) {
    case SPECIAL_TID_X:
        return (uint64_t)(thread % l->block[0]);
    case SPECIAL_TID_Y:
        return (uint64_t)(thread / l->block[0] % l->block[1]);
    case SPECIAL_TID_Z:
        return (uint64_t)(thread / l->block[0] / l->block[1]);
    case SPECIAL_NTID_X:
    case SPECIAL_NTID_Y:
    case SPECIAL_NTID_Z:
        return (uint64_t)l->block[s - SPECIAL_NTID_X];
    case SPECIAL_CTAID_X:
    case SPECIAL_CTAID_Y:
    case SPECIAL_CTAID_Z:
        return (uint64_t)b->at[s - SPECIAL_CTAID_X];
    case SPECIAL_NCTAID_X:
    case SPECIAL_NCTAID_Y:
    case SPECIAL_NCTAID_Z:
        return (uint64_t)l->grid[s - SPECIAL_NCTAID_X];
    case SPECIAL_LANEID:
        return (uint64_t)lane;
    case SPECIAL_WARPID:
        return (uint64_t)w->index;
    case SPECIAL_NWARPID:
        return (uint64_t)b->warp_count;
    case SPECIAL_SMID:
        return b->number % (uint32_t)m->options.sms;
    case SPECIAL_NSMID:
        return (uint64_t)m->options.sms;
    case SPECIAL_LANEMASK_EQ:
        return UINT64_C(1) << lane;
    case SPECIAL_LANEMASK_LT:
        return (UINT64_C(1) << lane) - 1;
    case SPECIAL_LANEMASK_LE:
        return (UINT64_C(2) << lane) - 1;
    case SPECIAL_LANEMASK_GT:
        return UINT32_MAX & ~((UINT64_C(2) << lane) - 1);
    case SPECIAL_LANEMASK_GE:
        return UINT32_MAX & ~((UINT64_C(1) << lane) - 1);
    case SPECIAL_CLUSTERID_X:
    case SPECIAL_CLUSTERID_Y:
    case SPECIAL_CLUSTERID_Z:
        return (uint64_t)(b->at[s - SPECIAL_CLUSTERID_X] / l->cluster[s - SPECIAL_CLUSTERID_X]);
    case SPECIAL_NCLUSTERID_X:
    case SPECIAL_NCLUSTERID_Y:
    case SPECIAL_NCLUSTERID_Z:
        return (uint64_t)(l->grid[s - SPECIAL_NCLUSTERID_X] / l->cluster[s - SPECIAL_NCLUSTERID_X]);
    case SPECIAL_CLUSTER_CTAID_X:
    case SPECIAL_CLUSTER_CTAID_Y:
    case SPECIAL_CLUSTER_CTAID_Z:
        return (uint64_t)(b->at[s - SPECIAL_CLUSTER_CTAID_X] % l->cluster[s - SPECIAL_CLUSTER_CTAID_X]);
    case SPECIAL_CLUSTER_NCTAID_X:
    case SPECIAL_CLUSTER_NCTAID_Y:
    case SPECIAL_CLUSTER_NCTAID_Z:
        return (uint64_t)l->cluster[s - SPECIAL_CLUSTER_NCTAID_X];
    case SPECIAL_CLUSTER_CTARANK:
        return (uint64_t)b->rank;
    case SPECIAL_CLUSTER_NCTARANK:
        return (uint64_t)b->cluster->blocks;
    case SPECIAL_CLOCK:
    case SPECIAL_CLOCK64:
    case SPECIAL_GLOBALTIMER:
    case SPECIAL_GLOBALTIMER_LO:
        return m->clock + (uint64_t)w->steps;
    case SPECIAL_DYNAMIC_SMEM_SIZE:
        return (uint64_t)l->dynamic_smem;
    case SPECIAL_TOTAL_SMEM_SIZE:
        return (uint64_t)(m->shared_bytes - SHARED_BASE);
    default: /* SPECIAL_GRIDID */
        return 0;
    }
}
