/* PTX that was cut off, edited or made up: an error each time, no crash and no hang. An argument gives the
   seconds to go on for, and a second one the first seed; without, some thousand texts are tried. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <time.h>

#include "tests/emulator_damage.h"

enum { SAMPLES = 4, TEXTS = 1500, SIZE_MOST = 1 << 17 };

static const char *const files[SAMPLES] = {"vector_sm120.ptx", "tree_sm90.ptx", "cluster_sm90.ptx",
                                           "grid_sm100.ptx"};
static struct {
    char text[SIZE_MOST];
    size_t size;
} samples[SAMPLES];

static uint64_t state_of_random = 1;

static uint32_t draw(uint32_t below)
{
    state_of_random = state_of_random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state_of_random >> 33) % below;
}

static int read_samples(void **state)
{
    (void)state;
    for (int i = 0; i < SAMPLES; i++) {
        char path[512];
        snprintf(path, sizeof path, SOURCE_DIR "/tests/ptx/%s", files[i]);
        FILE *file = fopen(path, "rb");
        if (file == NULL)
            return -1;
        samples[i].size = fread(samples[i].text, 1, SIZE_MOST / 2, file);
        fclose(file);
    }
    return 0;
}

/* The start of a random line, and its length. */
static size_t random_line(const char *text, size_t size, size_t *length)
{
    size_t at = draw((uint32_t)size);
    while (at > 0 && text[at - 1] != '\n')
        at--;
    const char *end = memchr(text + at, '\n', size - at);
    *length = end != NULL ? (size_t)(end - text) + 1 - at : size - at;
    return at;
}

static void insert(char *text, size_t *size, size_t at, const char *what, size_t length)
{
    if (*size + length > SIZE_MOST - 1)
        return;
    memmove(text + at + length, text + at, *size - at);
    memcpy(text + at, what, length);
    *size += length;
}

static void cut(char *text, size_t *size, size_t at, size_t length)
{
    memmove(text + at, text + at + length, *size - at - length);
    *size -= length;
}

/* What PTX is made of, and what it never has. */
static const char *const words[] = {
    "%r1",         "%rd1",      "%p1",          "0x7fffffff",
    "-1",          ".global",   ".shared",      "bra",
    "bar.sync 0;", "<1000000>", "[%rd1+-4096]", "{",
    "}",           ";",         "@%p1",         "ret;",
    ".v4",         ".u64",      "4294967295",   "99999999999999999999",
    ".align 1024", "/*",        "\"",           "shfl.sync.idx.b32 %r1, %r1, 0, 31, -1;"};

static void change_digits(char *text, size_t length)
{
    for (size_t k = 0; k < length; k++)
        if (text[k] >= '0' && text[k] <= '9' && draw(3) == 0)
            text[k] = (char)('0' + draw(10));
}

static void mutate(char *text, size_t *size)
{
    char line[1024];
    size_t length, at = random_line(text, *size, &length);
    if (length > sizeof line)
        length = sizeof line;
    memcpy(line, text + at, length);
    switch (draw(9)) {
    case 0:
        cut(text, size, at, length);
        break;
    case 1:
        insert(text, size, at, line, length);
        break;
    case 2: {
        size_t unused, other = random_line(text, *size, &unused);
        insert(text, size, other, line, length);
        break;
    }
    case 3:
        text[draw((uint32_t)*size)] = (char)draw(256);
        break;
    case 4:
        change_digits(text + at, length);
        break;
    case 5: {
        const char *word = words[draw(sizeof words / sizeof words[0])];
        insert(text, size, at + draw((uint32_t)length + 1), word, strlen(word));
        break;
    }
    case 6: {
        size_t from = draw((uint32_t)*size), most = *size - from;
        cut(text, size, from, draw((uint32_t)(most < 64 ? most : 64) + 1));
        break;
    }
    case 7: { /* a line of another kernel */
        int other = (int)draw(SAMPLES);
        size_t other_length, from = random_line(samples[other].text, samples[other].size, &other_length);
        insert(text, size, at, samples[other].text + from, other_length);
        break;
    }
    default:
        if (draw(20) == 0)
            *size = draw((uint32_t)*size + 1);
    }
}

/* One damaged text; whether it still ran. */
static bool try(uint64_t seed)
{
    static char text[SIZE_MOST];
    state_of_random = seed;
    draw(2);
    int sample = (int)draw(SAMPLES);
    size_t size = samples[sample].size;
    memcpy(text, samples[sample].text, size);
    for (int edits = 1 + (int)draw(4); edits > 0 && size > 0; edits--)
        mutate(text, &size);
    return damage_run(text, size);
}

static void whole_samples_load(void **state)
{
    (void)state;
    for (int i = 0; i < SAMPLES; i++) {
        struct error e = {.text = ""};
        struct machine *m = machine_open(&(struct machine_options){.sms = 2, .smem_per_block = 64 << 10});
        struct machine_module *module = machine_load(m, samples[i].text, samples[i].size, &e);
        if (module == NULL)
            fail_msg("%s: %s", files[i], e.text);
        machine_unload(m, module);
        machine_close(m);
    }
}

static void truncated_ptx_is_an_error(void **state)
{
    (void)state;
    for (int i = 0; i < SAMPLES; i++)
        for (size_t size = 1; size < samples[i].size; size += 1 + samples[i].size / 200)
            damage_run(samples[i].text, size);
}

static void edited_ptx_never_crashes(void **state)
{
    (void)state;
    int ran = 0;
    for (uint64_t seed = 0; seed < TEXTS; seed++)
        ran += try(seed);
    assert_true(ran < TEXTS);
}

static int run_for(double seconds, uint64_t seed)
{
    time_t end = time(NULL) + (time_t)seconds;
    uint64_t first = seed, ran = 0;
    if (read_samples(NULL) != 0)
        return 1;
    for (; time(NULL) < end; seed++)
        ran += try(seed);
    printf("%llu texts, of which %llu ran\n", (unsigned long long)(seed - first), (unsigned long long)ran);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_samples_load),
        cmocka_unit_test(truncated_ptx_is_an_error),
        cmocka_unit_test(edited_ptx_never_crashes),
    };
    if (argc > 1)
        return run_for(atof(argv[1]), argc > 2 ? strtoull(argv[2], NULL, 10) : 1);
    return cmocka_run_group_tests(tests, read_samples, NULL);
}
