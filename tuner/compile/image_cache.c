#include "tuner/compile/image_cache.h"

#include "tuner/compile/glob_folder.h"
#include "tuner/compile/make_folders.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

/* Counted up when what an entry holds, or how images are made of a compile, changes. */
enum { ENTRY_VERSION = 1 };

/* A file: this, the kernels, the cubin, the PTX. Read by the machine that wrote it: native types. */
struct entry_header {
    char magic[8];
    uint32_t version, kernel_count;
    uint64_t cubin_size, ptx_size, code_hash;
    uint64_t checksum; /* of the header with 0 here, and of all that follows */
};

static const char entry_magic[8] = "stimage";

struct image_cache {
    char *folder;
    unsigned counter; /* makes temporary names unique within this process */
};

struct image_key image_key_of(const struct image_origin *origin)
{
    XXH3_state_t *state = XXH3_createState();
    XXH3_128bits_reset(state);
    uint32_t version = ENTRY_VERSION;
    XXH3_128bits_update(state, &version, sizeof version);
    XXH3_128bits_update(state, origin->compiler, strlen(origin->compiler) + 1);
    for (int i = 0; i < origin->option_count; i++)
        XXH3_128bits_update(state, origin->options[i], strlen(origin->options[i]) + 1);
    XXH3_128bits_update(state, "", 1); /* ends the options */
    XXH3_128bits_update(state, origin->text, origin->size);
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state));
    XXH3_freeState(state);
    struct image_key key;
    memcpy(key.bytes, canonical.digest, sizeof key.bytes);
    return key;
}

/* "ab/cdef...", two levels, since a folder of a hundred thousand files is slow to read. The caller frees it.
 */
static char *entry_path(const struct image_cache *cache, const struct image_key *key)
{
    char hex[2 * sizeof key->bytes + 1];
    for (size_t i = 0; i < sizeof key->bytes; i++)
        snprintf(hex + 2 * i, 3, "%02x", key->bytes[i]);
    return must_format("%s/%.2s/%s", cache->folder, hex, hex + 2);
}

static uint64_t entry_checksum(const struct entry_header *header, const void *payload, size_t size)
{
    struct entry_header bare = *header;
    bare.checksum = 0;
    XXH3_state_t *state = XXH3_createState();
    XXH3_64bits_reset(state);
    XXH3_64bits_update(state, &bare, sizeof bare);
    XXH3_64bits_update(state, payload, size);
    uint64_t checksum = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    return checksum;
}

struct entry_age {
    char *path;
    uint64_t bytes;
    struct timespec used;
};

static int compare_ages(const void *a, const void *b)
{
    const struct timespec *x = &((const struct entry_age *)a)->used,
                          *y = &((const struct entry_age *)b)->used;
    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* Goes down to three quarters of the limit, so that it is not at it again at once. */
static void prune(const char *folder, uint64_t most_bytes)
{
    glob_t found;
    if (!glob_folder(folder, "[0-9a-f][0-9a-f]/*", GLOB_NOSORT, &found))
        return;
    struct entry_age *entries = must_calloc(found.gl_pathc + 1, sizeof *entries);
    uint64_t total = 0;
    size_t count = 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct stat status;
        if (stat(found.gl_pathv[i], &status) != 0)
            continue;
        entries[count++] = (struct entry_age){found.gl_pathv[i], (uint64_t)status.st_size, status.st_mtim};
        total += (uint64_t)status.st_size;
    }
    if (total > most_bytes) {
        qsort(entries, count, sizeof *entries, compare_ages);
        for (size_t i = 0; i < count && total > most_bytes / 4 * 3; i++) {
            unlink(entries[i].path);
            total -= entries[i].bytes;
        }
    }
    free(entries);
    globfree(&found);
}

struct image_cache *image_cache_open(const char *folder, uint64_t most_bytes, struct error *e)
{
    if (!make_folders(folder) || access(folder, W_OK | X_OK) != 0) {
        error_set(e, STATUS_MISSING, "the image cache %s cannot be written: %s", folder, strerror(errno));
        return NULL;
    }
    prune(folder, most_bytes);
    struct image_cache *cache = must_calloc(1, sizeof *cache);
    cache->folder = must_strdup(folder);
    return cache;
}

void image_cache_close(struct image_cache *cache)
{
    if (cache == NULL)
        return;
    free(cache->folder);
    free(cache);
}

/* The whole file; NULL when it cannot be read. The caller frees it. */
static unsigned char *read_file(const char *path, size_t *size)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (descriptor < 0)
        return NULL;
    unsigned char *bytes = NULL;
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
        *size = (size_t)status.st_size;
        bytes = must_malloc(*size + 1);
        if (read(descriptor, bytes, *size) != (ssize_t)*size) {
            free(bytes);
            bytes = NULL;
        }
        utimensat(AT_FDCWD, path, NULL, 0); /* used now: prune() goes by it */
    }
    close(descriptor);
    return bytes;
}

static bool read_entry(const unsigned char *bytes, size_t size, struct image *image)
{
    struct entry_header header;
    if (size < sizeof header)
        return false;
    memcpy(&header, bytes, sizeof header);
    const unsigned char *payload = bytes + sizeof header;
    size_t left = size - sizeof header;
    if (memcmp(header.magic, entry_magic, sizeof header.magic) != 0 || header.version != ENTRY_VERSION ||
        entry_checksum(&header, payload, left) != header.checksum)
        return false;
    /* The checksum holds, so these only fail for an entry that this program did not write. */
    if (header.kernel_count > IMAGE_KERNELS_MAX || header.cubin_size > left || header.ptx_size > left ||
        header.kernel_count * sizeof(struct image_kernel) + header.cubin_size + header.ptx_size != left)
        return false;
    *image = (struct image){.cubin_size = header.cubin_size,
                            .ptx_size = header.ptx_size,
                            .kernel_count = (int)header.kernel_count,
                            .code_hash = header.code_hash};
    size_t kernels_size = header.kernel_count * sizeof(struct image_kernel);
    memcpy(image->kernels, payload, kernels_size);
    image->cubin = must_malloc(header.cubin_size + 1);
    memcpy(image->cubin, payload + kernels_size, header.cubin_size);
    image->ptx = must_malloc(header.ptx_size + 1);
    memcpy(image->ptx, payload + kernels_size + header.cubin_size, header.ptx_size);
    image->ptx[header.ptx_size] = '\0';
    return true;
}

bool image_cache_find(struct image_cache *cache, const struct image_key *key, struct image *image)
{
    char *path = entry_path(cache, key);
    size_t size = 0;
    unsigned char *bytes = read_file(path, &size);
    bool found = bytes != NULL && read_entry(bytes, size, image);
    free(bytes);
    free(path);
    return found;
}

static bool write_entry(FILE *file, const struct image *image)
{
    size_t kernels_size = (size_t)image->kernel_count * sizeof(struct image_kernel);
    size_t size = kernels_size + image->cubin_size + image->ptx_size;
    unsigned char *payload = must_malloc(size);
    memcpy(payload, image->kernels, kernels_size);
    memcpy(payload + kernels_size, image->cubin, image->cubin_size);
    memcpy(payload + kernels_size + image->cubin_size, image->ptx, image->ptx_size);
    struct entry_header header = {.version = ENTRY_VERSION,
                                  .kernel_count = (uint32_t)image->kernel_count,
                                  .cubin_size = image->cubin_size,
                                  .ptx_size = image->ptx_size,
                                  .code_hash = image->code_hash};
    memcpy(header.magic, entry_magic, sizeof header.magic);
    header.checksum = entry_checksum(&header, payload, size);
    bool written = fwrite(&header, sizeof header, 1, file) == 1 && fwrite(payload, 1, size, file) == size;
    free(payload);
    return written;
}

bool image_cache_store(struct image_cache *cache, const struct image_key *key, const struct image *image,
                       struct error *e)
{
    char *path = entry_path(cache, key);
    char *temporary = must_format("%s.%d.%u", path, (int)getpid(), cache->counter++);
    char *slash = strrchr(path, '/');
    *slash = '\0';
    mkdir(path, 0777);
    *slash = '/';
    FILE *file = fopen(temporary, "wbx");
    bool stored = file != NULL && write_entry(file, image);
    if (file != NULL)
        stored = fclose(file) == 0 && stored;
    stored = stored && rename(temporary, path) == 0;
    if (!stored) {
        error_set(e, STATUS_MISSING, "the image cache %s cannot be written: %s", cache->folder,
                  strerror(errno));
        unlink(temporary);
    }
    free(temporary);
    free(path);
    return stored;
}
