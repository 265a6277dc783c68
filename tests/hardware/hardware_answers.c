#include "tests/hardware/hardware_answers.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct answers {
    unsigned char *bytes;
    size_t size, first; /* where the records begin */
};

uint32_t answer_hash(const uint64_t *results, int count)
{
    return (uint32_t)XXH64(results, (size_t)count * sizeof *results, 0);
}

void answer_write(FILE *file, uint64_t hash, enum answer_kind kind, const void *data, size_t bytes)
{
    struct answer a = {.hash = hash, .kind = (uint32_t)kind, .bytes = (uint32_t)bytes};
    fwrite(&a, sizeof a, 1, file);
    fwrite(data, 1, bytes, file);
}

/* Whether the records fill the file. */
static bool is_whole(const struct answers *a)
{
    size_t at = a->first;
    while (at + sizeof(struct answer) <= a->size) {
        struct answer record;
        memcpy(&record, a->bytes + at, sizeof record);
        if (record.bytes > a->size - at - sizeof record)
            return false;
        at += sizeof record + record.bytes;
    }
    return at == a->size;
}

struct answers *answers_read(const char *path, struct error *e)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        error_set(e, STATUS_MISSING, "there is no %s", path);
        return NULL;
    }
    enum { MOST = 64 << 20 };
    struct answers *a = must_calloc(1, sizeof *a);
    a->bytes = must_malloc(MOST);
    a->size = fread(a->bytes, 1, MOST, file);
    fclose(file);
    unsigned char *end = memchr(a->bytes, '\n', a->size);
    if (end != NULL) {
        *end = '\0';
        a->first = (size_t)(end - a->bytes) + 1;
    }
    if (end == NULL || !is_whole(a)) {
        answers_free(a);
        error_set(e, STATUS_USAGE, "%s is not whole", path);
        return NULL;
    }
    return a;
}

void answers_free(struct answers *a)
{
    if (a == NULL)
        return;
    free(a->bytes);
    free(a);
}

const char *answers_title(const struct answers *a)
{
    return (const char *)a->bytes;
}

const struct answer *answers_find(const struct answers *a, uint64_t hash, const unsigned char **data)
{
    static struct answer record;
    for (size_t at = a->first; at < a->size; at += sizeof record + record.bytes) {
        memcpy(&record, a->bytes + at, sizeof record);
        *data = a->bytes + at + sizeof record;
        if (record.hash == hash)
            return &record;
    }
    return NULL;
}

/* Small numbers of both signs become small ones. */
static uint32_t zigzag(uint32_t difference)
{
    return difference << 1 ^ (difference >> 31 ? UINT32_MAX : 0);
}

size_t answer_encode(const uint32_t *elements, const uint32_t *before, size_t count, unsigned char *to)
{
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t rest = zigzag(elements[i] - (before != NULL ? before[i] : 0));
        for (; rest > 127; rest >>= 7)
            to[used++] = (unsigned char)(rest | 128);
        to[used++] = (unsigned char)rest;
    }
    return used;
}

size_t answer_decode(const unsigned char *from, size_t bytes, const uint32_t *before, size_t count,
                     uint32_t *elements)
{
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t value = 0;
        for (int shift = 0;; shift += 7) {
            if (used == bytes || shift > 28)
                return 0;
            value |= (uint32_t)(from[used] & 127) << shift;
            if (from[used++] < 128)
                break;
        }
        elements[i] = (value >> 1 ^ (value & 1 ? UINT32_MAX : 0)) + (before != NULL ? before[i] : 0);
    }
    return used;
}
