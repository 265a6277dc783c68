/* The image cache on disk: hits, misses, damage, keys, folders that cannot be written, pruning. */
#include "tests/temporary_folder.h"
#include "tuner/compile/image_cache.h"

#include <fcntl.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <cmocka.h>

static const uint64_t no_limit = UINT64_MAX;

static struct image_key key_of(const char *compiler, const char *option, const char *text)
{
    const char *options[] = {option, "-std=c++17"};
    struct image_origin origin = {compiler, options, 2, text, strlen(text)};
    return image_key_of(&origin);
}

static struct image image_of(const char *cubin, const char *ptx)
{
    struct image image = {
        .cubin_size = strlen(cubin), .ptx_size = strlen(ptx), .kernel_count = 2, .code_hash = 77};
    image.cubin = must_strdup(cubin);
    image.ptx = must_strdup(ptx);
    image.kernels[0] = (struct image_kernel){.name = "first", .registers = 40, .static_smem_bytes = 64};
    image.kernels[1] = (struct image_kernel){.name = "second", .spill_bytes = 8, .stack_bytes = 16};
    return image;
}

static void store(struct image_cache *cache, const struct image_key *key, const char *cubin)
{
    struct image image = image_of(cubin, "the ptx");
    struct error e;
    assert_true(image_cache_store(cache, key, &image, &e));
    image_clear(&image);
}

static bool holds(struct image_cache *cache, const struct image_key *key, const char *cubin)
{
    struct image image;
    if (!image_cache_find(cache, key, &image))
        return false;
    assert_int_equal(image.cubin_size, strlen(cubin));
    assert_memory_equal(image.cubin, cubin, image.cubin_size);
    assert_string_equal(image.ptx, "the ptx");
    assert_int_equal(image.ptx_size, 7);
    assert_int_equal(image.kernel_count, 2);
    assert_string_equal(image.kernels[0].name, "first");
    assert_int_equal(image.kernels[0].registers, 40);
    assert_int_equal(image.kernels[1].spill_bytes, 8);
    assert_int_equal(image.code_hash, 77);
    image_clear(&image);
    return true;
}

/* The path of the only entry; the caller frees it. */
static char *only_entry(const char *folder)
{
    char *pattern = must_format("%s/[0-9a-f][0-9a-f]/*", folder);
    glob_t found;
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, 1);
    char *path = must_strdup(found.gl_pathv[0]);
    globfree(&found);
    free(pattern);
    return path;
}

static void stored_image_is_found_also_by_another_process(void **state)
{
    (void)state;
    char *folder = temporary_folder();
    char *deep = must_format("%s/not/there/yet", folder);
    struct image_key key = key_of("NVRTC 13.0", "-arch=sm_90", "text");
    struct image_cache *cache = image_cache_open(deep, no_limit, NULL);
    assert_non_null(cache);
    assert_false(holds(cache, &key, "the cubin"));
    store(cache, &key, "the cubin");
    assert_true(holds(cache, &key, "the cubin"));
    image_cache_close(cache);
    cache = image_cache_open(deep, no_limit, NULL);
    assert_true(holds(cache, &key, "the cubin"));
    image_cache_close(cache);
    free(deep);
    temporary_folder_remove(folder);
}

static void key_depends_on_all_that_made_the_image(void **state)
{
    (void)state;
    struct image_key key = key_of("NVRTC 13.0", "-arch=sm_90", "text");
    struct image_key others[] = {
        key_of("NVRTC 13.1", "-arch=sm_90", "text"), key_of("NVRTC 13.0", "-arch=sm_90a", "text"),
        key_of("NVRTC 13.0", "-arch=sm_90", "texu"), key_of("NVRTC 13.0", "-arch=sm_90", "text "),
        key_of("NVRTC 13.0-arch=sm_90", "", "text"),
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_memory_not_equal(key.bytes, others[i].bytes, sizeof key.bytes);
    struct image_key again = key_of("NVRTC 13.0", "-arch=sm_90", "text");
    assert_memory_equal(key.bytes, again.bytes, sizeof key.bytes);
}

static void damaged_entry_counts_as_absent_and_is_written_again(void **state)
{
    (void)state;
    char *folder = temporary_folder();
    struct image_cache *cache = image_cache_open(folder, no_limit, NULL);
    struct image_key key = key_of("NVRTC 13.0", "-arch=sm_90", "text");
    store(cache, &key, "the cubin");
    char *path = only_entry(folder);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    for (off_t at = 0; at < status.st_size; at++) {
        int file = open(path, O_RDWR);
        unsigned char byte;
        assert_int_equal(pread(file, &byte, 1, at), 1);
        byte ^= 0x10;
        assert_int_equal(pwrite(file, &byte, 1, at), 1);
        assert_false(holds(cache, &key, "the cubin"));
        byte ^= 0x10;
        assert_int_equal(pwrite(file, &byte, 1, at), 1);
        close(file);
    }
    assert_true(holds(cache, &key, "the cubin"));
    for (off_t size = status.st_size - 1; size >= 0; size -= 7) {
        assert_int_equal(truncate(path, size), 0);
        assert_false(holds(cache, &key, "the cubin"));
    }
    store(cache, &key, "the cubin");
    assert_true(holds(cache, &key, "the cubin"));
    free(path);
    image_cache_close(cache);
    temporary_folder_remove(folder);
}

static void folder_that_cannot_be_written_is_named(void **state)
{
    (void)state;
    char *folder = temporary_folder();
    char *file = must_format("%s/file", folder), *below = must_format("%s/below", file);
    close(open(file, O_CREAT | O_WRONLY, 0600));
    struct error e;
    assert_null(image_cache_open(below, no_limit, &e));
    assert_non_null(strstr(e.text, below));
    assert_non_null(strstr(e.text, "cannot be written"));
    assert_null(image_cache_open(file, no_limit, &e));
    assert_non_null(strstr(e.text, "cannot be written: Not a directory"));
    free(below);
    free(file);
    temporary_folder_remove(folder);
}

static void set_age(const char *folder, int seconds_ago)
{
    char *path = only_entry(folder);
    struct timespec now, times[2];
    clock_gettime(CLOCK_REALTIME, &now);
    times[0] = times[1] = (struct timespec){.tv_sec = now.tv_sec - seconds_ago};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    free(path);
}

static void entries_used_longest_ago_leave_first(void **state)
{
    (void)state;
    char *folder = temporary_folder();
    struct image_cache *cache = image_cache_open(folder, no_limit, NULL);
    struct image_key old = key_of("NVRTC 13.0", "-arch=sm_90", "old");
    struct image_key newer = key_of("NVRTC 13.0", "-arch=sm_90", "newer");
    store(cache, &old, "the cubin");
    set_age(folder, 1000);
    store(cache, &newer, "the cubin");
    image_cache_close(cache);
    cache = image_cache_open(folder, 1000, NULL); /* an entry is some 600 bytes */
    assert_false(holds(cache, &old, "the cubin"));
    assert_true(holds(cache, &newer, "the cubin"));
    image_cache_close(cache);
    temporary_folder_remove(folder);
}

static void the_name_of_the_folder_is_no_pattern(void **state)
{
    (void)state;
    char *parent = temporary_folder(), *folder = must_format("%s/o[1]", parent);
    assert_int_equal(mkdir(folder, 0700), 0);
    struct image_cache *cache = image_cache_open(folder, no_limit, NULL);
    struct image_key key = key_of("NVRTC 13.0", "-arch=sm_90", "text");
    store(cache, &key, "the cubin");
    image_cache_close(cache);
    cache = image_cache_open(folder, 1, NULL);
    assert_false(holds(cache, &key, "the cubin"));
    image_cache_close(cache);
    free(folder);
    temporary_folder_remove(parent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stored_image_is_found_also_by_another_process),
        cmocka_unit_test(key_depends_on_all_that_made_the_image),
        cmocka_unit_test(damaged_entry_counts_as_absent_and_is_written_again),
        cmocka_unit_test(folder_that_cannot_be_written_is_named),
        cmocka_unit_test(the_name_of_the_folder_is_no_pattern),
        cmocka_unit_test(entries_used_longest_ago_leave_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
