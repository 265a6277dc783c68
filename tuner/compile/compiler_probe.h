/* What is learned of NVRTC before any source is compiled, from a worker that lives only for that. */
#ifndef TUNER_COMPILE_COMPILER_PROBE_H
#define TUNER_COMPILE_COMPILER_PROBE_H

#include "generator/error.h"

enum { PROBE_ARCHS_MAX = 64 };

struct compiler_facts {
    char *library; /* owned: what compile workers load */
    int major, minor;
    int ptx_version;            /* 90 for ".version 9.0" */
    char *identity;             /* owned: version and build, for cache keys */
    char build[32];             /* "13.0.88", out of it */
    int archs[PROBE_ARCHS_MAX]; /* compute capabilities: 90 */
    int arch_count;
};

/* Status 3 when NVRTC is not there or does not work. */
bool compiler_probe(double deadline_seconds, struct compiler_facts *facts, struct error *e);
void compiler_facts_clear(struct compiler_facts *facts);

#endif
