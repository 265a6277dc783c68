/* The image cache: a folder of images, each named for a hash of all that made it.

   Entries are written to a temporary name and renamed, so that several processes may share the folder; one
   that is damaged or of another version counts as absent and is written again. */
#ifndef TUNER_COMPILE_IMAGE_CACHE_H
#define TUNER_COMPILE_IMAGE_CACHE_H

#include "tuner/compile/image.h"

struct image_key {
    unsigned char bytes[16];
};

/* All that an image depends on. */
struct image_origin {
    const char *compiler; /* NVRTC's version, in any words */
    const char *const *options;
    int option_count;
    const char *text; /* the source */
    size_t size;
};

struct image_key image_key_of(const struct image_origin *origin);

struct image_cache;

/* Makes the folder if it is not there, and removes the entries used longest ago when they hold more than
   `most_bytes`. NULL and `e` when it cannot be written. */
struct image_cache *image_cache_open(const char *folder, uint64_t most_bytes, struct error *e);
void image_cache_close(struct image_cache *cache); /* NULL is allowed */

/* The stored image, then the caller's; false when there is no whole one. */
bool image_cache_find(struct image_cache *cache, const struct image_key *key, struct image *image);
bool image_cache_store(struct image_cache *cache, const struct image_key *key, const struct image *image,
                       struct error *e);

#endif
