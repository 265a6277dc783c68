/* What a trial and its environment are known by. */
#include "tuner/store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static void hash_bytes(const void *bytes, size_t size, unsigned char hash[16])
{
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes, size));
    memcpy(hash, canonical.digest, sizeof canonical.digest);
}

struct store_key store_key_of_source(const char *text, size_t size)
{
    struct store_key key = {0};
    hash_bytes(text, size, key.source);
    return key;
}

void store_key_add_launches(struct store_key *key, const struct launch_plan *plan)
{
    /* The expressions themselves are in it; their values for one M are not needed, and any will do. */
    json_t *launches = launch_plan_to_json(plan, 1, 1, NULL);
    json_t *all = json_pack("{s:o?, s:s}", "launches", launches, "workspace", plan->workspace_of_M);
    char *text = json_dumps(all, JSON_COMPACT | JSON_SORT_KEYS);
    hash_bytes(text, strlen(text), key->launches);
    free(text);
    json_decref(all);
}

/* "580.65.06", the version of the kernel's driver, which CUDA's own number (13.0) says too little of. */
static void read_driver(char *version, size_t size)
{
    version[0] = '\0';
    FILE *file = fopen("/sys/module/nvidia/version", "re");
    if (file == NULL)
        return;
    if (fgets(version, (int)size, file) != NULL)
        version[strcspn(version, "\n")] = '\0';
    fclose(file);
}

struct store_environment store_environment_of(const struct gpu *gpu, const char *nvrtc, const char *options,
                                              double tolerance)
{
    struct store_environment environment = {
        .compute_capability = gpu->compute_capability, .sms = gpu->sms, .l2_bytes = gpu->l2_bytes};
    snprintf(environment.nvrtc, sizeof environment.nvrtc, "%s", nvrtc);
    snprintf(environment.options, sizeof environment.options, "%s", options);
    snprintf(environment.gpu, sizeof environment.gpu, "%s", gpu->name);
    read_driver(environment.driver, sizeof environment.driver);
    snprintf(environment.protocol, sizeof environment.protocol, "%d, tolerance %g", STORE_PROTOCOL,
             tolerance);
    return environment;
}
