/* Damaged space files and templates are errors of the user's, never a crash or a hang. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "generator/resources.h"
#include "tests/space_fixture.h"

enum { DAMAGED_SPACES = 300, DAMAGED_TEMPLATES = 300, KEYS = 3 };

/* A small generator of numbers, the same on every run. */
static uint64_t next_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* A copy of `from` with bytes changed, taken out or doubled, or its end cut off. The caller frees it. */
static char *damage(const struct resource *from, uint64_t *state, size_t *size)
{
    static const char marks[] = "%${}()[],=\"'\n \0end0-.\\\xff";
    char *text = must_malloc(2 * from->size + 1);
    memcpy(text, from->text, from->size);
    *size = from->size;
    if (next_number(state) % 4 == 0)
        *size = next_number(state) % from->size;
    for (uint64_t i = next_number(state) % 6; i > 0 && *size > 1; i--) {
        size_t at = next_number(state) % *size, length = next_number(state) % 40;
        if (length > *size - at)
            length = *size - at;
        switch (next_number(state) % 3) {
        case 0:
            text[at] = marks[next_number(state) % (sizeof marks - 1)];
            break;
        case 1:
            memmove(text + at, text + at + length, *size - at - length);
            *size -= length;
            break;
        default:
            if (*size + length <= 2 * from->size) {
                memmove(text + at + length, text + at, *size - at);
                *size += length;
            }
        }
    }
    return text;
}

/* A failure must be the user's to mend, in one line. */
static void assert_reported(const struct error *e, uint64_t seed)
{
    if (e->status != STATUS_USAGE || e->text[0] == '\0' || strchr(e->text, '\n') != NULL ||
        strstr(e->text, "space worker") != NULL)
        fail_msg("seed %llu: status %d: %s", (unsigned long long)seed, e->status, e->text);
}

static void exercise(const char *config, const char *templates, uint64_t seed)
{
    struct error e = {0};
    struct problem p = problem_default(8, 1024);
    struct gpu gpu = test_gpu();
    struct generator *g = generator_open(
        &(struct generator_options){.config = config, .templates = templates, .memory_bytes = 64 << 20}, &e);
    json_t *keys =
        g != NULL && generator_set_problem(g, &p, &gpu, &e) ? generator_list(g, KEYS, NULL, &e) : NULL;
    if (keys == NULL)
        assert_reported(&e, seed);
    for (size_t i = 0; i < json_array_size(keys); i++) {
        const char *key = json_string_value(json_array_get(keys, i));
        struct source s;
        struct launch_plan plan;
        if (generator_source(g, key, "kern", &s, &e))
            source_clear(&s);
        else
            assert_reported(&e, seed);
        if (!generator_launch(g, key, "kern", NULL, &plan, &e))
            assert_reported(&e, seed);
    }
    json_decref(keys);
    generator_close(g);
}

static void a_damaged_space_is_reported(void **state)
{
    (void)state;
    const struct resource *space = resource_find("configs/softmax.lua");
    char *folder = temporary_folder(), *config = must_format("%s/space.lua", folder);
    for (uint64_t seed = 1; seed <= DAMAGED_SPACES; seed++) {
        uint64_t numbers = seed;
        size_t size;
        char *text = damage(space, &numbers, &size);
        write_text(folder, "space.lua", text, size);
        free(text);
        exercise(config, NULL, seed);
    }
    free(config);
    temporary_folder_remove(folder);
}

static void a_damaged_template_is_reported(void **state)
{
    (void)state;
    char *folder = temporary_folder();
    for (uint64_t seed = 1; seed <= DAMAGED_TEMPLATES; seed++) {
        uint64_t numbers = seed;
        size_t size;
        static const char *const names[] = {"article.cu", "reduce.cu", "passes_memory.cu", "store.cu"};
        const char *name = names[seed % 4];
        char *path = must_format("templates/%s", name), *copy = must_format("%s/%s", folder, name);
        const struct resource *original = resource_find(path);
        assert_non_null(original);
        char *text = damage(original, &numbers, &size);
        write_text(folder, name, text, size);
        exercise(seed % 2 == 0 ? "article" : NULL, folder, seed);
        remove(copy);
        free(text);
        free(path);
        free(copy);
    }
    temporary_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damaged_space_is_reported),
        cmocka_unit_test(a_damaged_template_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
