/* Cubins that are damaged, and what their code hash looks at. */
#include "tests/fake_cubin.h"
#include "tuner/compile/cubin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static uint64_t hash_of(const char *kernel, const char *code, int shared)
{
    unsigned char cubin[FAKE_CUBIN_SIZE];
    fake_cubin(cubin, kernel, code, shared);
    uint64_t hash;
    struct error e;
    assert_true(cubin_code_hash(cubin, sizeof cubin, &hash, &e));
    return hash;
}

static void code_hash_ignores_the_kernels_name(void **state)
{
    (void)state;
    assert_int_equal(hash_of("softmax_a", "code", 64), hash_of("another_name", "code", 64));
}

static void code_hash_tells_code_and_shared_memory_apart(void **state)
{
    (void)state;
    assert_int_not_equal(hash_of("k", "code", 64), hash_of("k", "core", 64));
    assert_int_not_equal(hash_of("k", "code", 64), hash_of("k", "code", 128));
}

static void same_code_says_what_differs(void **state)
{
    (void)state;
    unsigned char a[FAKE_CUBIN_SIZE], b[FAKE_CUBIN_SIZE];
    struct error e;
    fake_cubin(a, "k", "code", 64);
    fake_cubin(b, "longer_name", "code", 64);
    assert_true(cubin_same_code(a, sizeof a, b, sizeof b, &e));
    fake_cubin(b, "k", "core", 64);
    assert_false(cubin_same_code(a, sizeof a, b, sizeof b, &e));
    assert_string_equal(e.text, "the two cubins hold different machine code");
}

/* In a block of exactly its size, so that a read beyond it is seen by the address sanitizer. */
static bool hashes(const unsigned char *bytes, size_t size)
{
    unsigned char *copy = malloc(size);
    memcpy(copy, bytes, size);
    uint64_t hash;
    bool whole = cubin_code_hash(copy, size, &hash, NULL);
    free(copy);
    return whole;
}

static void truncated_cubin_is_an_error_at_every_length(void **state)
{
    (void)state;
    unsigned char cubin[FAKE_CUBIN_SIZE];
    fake_cubin(cubin, "k", "code", 64);
    size_t needed = 640 + 4 * sizeof(Elf64_Shdr);
    for (size_t size = 1; size < needed; size++)
        assert_false(hashes(cubin, size));
    assert_true(hashes(cubin, needed));
}

static void damaged_headers_never_lead_out_of_the_file(void **state)
{
    (void)state;
    unsigned char cubin[FAKE_CUBIN_SIZE];
    static const unsigned char values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    for (size_t at = 0; at < FAKE_CUBIN_SIZE; at++)
        for (size_t v = 0; v < sizeof values; v++) {
            fake_cubin(cubin, "k", "code", 64);
            cubin[at] = values[v];
            hashes(cubin, sizeof cubin);
        }
}

static void what_is_no_cubin_is_named_so(void **state)
{
    (void)state;
    uint64_t hash;
    struct error e;
    char text[256] = "This is no ELF file at all.";
    assert_false(cubin_code_hash(text, sizeof text, &hash, &e));
    assert_int_equal(e.status, STATUS_USAGE);
    assert_string_equal(e.text, "not a whole cubin: it is no ELF file for an NVIDIA GPU");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_hash_ignores_the_kernels_name),
        cmocka_unit_test(code_hash_tells_code_and_shared_memory_apart),
        cmocka_unit_test(same_code_says_what_differs),
        cmocka_unit_test(truncated_cubin_is_an_error_at_every_length),
        cmocka_unit_test(damaged_headers_never_lead_out_of_the_file),
        cmocka_unit_test(what_is_no_cubin_is_named_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
