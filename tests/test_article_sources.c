/* The sources of the article's v1 to v5, as people will read them: tests/golden/v1.cu and so on. After a
   change that is meant, SOFTMAX_TUNE_GOLDEN=write writes them anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "generator/text_buffer.h"
#include "tests/kernel_spaces.h"

#include <string.h>

static void compare(const char *name, const char *text, size_t size)
{
    struct error e;
    struct text_buffer golden = {0};
    char *path = must_format("%s/tests/golden/%s.cu", SOURCE_DIR, name);
    const char *mode = getenv("SOFTMAX_TUNE_GOLDEN");
    if (mode != NULL && strcmp(mode, "write") == 0) {
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        fwrite(text, 1, size, file);
        fclose(file);
    }
    if (!text_read_file(&golden, path, 1 << 20, &e))
        fail_msg("%s", e.text);
    assert_string_equal(text, golden.data);
    text_free(&golden);
    free(path);
}

static void check_preset(const char *config, const char *preset)
{
    struct error e;
    struct problem p = problem_default(8192, 8192);
    struct generator *g = space_for(config, false, &p, "sm_120");
    char *key = generator_key(g, preset, true, &e);
    if (key == NULL)
        fail_msg("%s", e.text);
    struct source s;
    if (!generator_source(g, key, "softmax_f32_n8192_sm_120", &s, &e))
        fail_msg("%s", e.text);
    compare(preset, s.text, s.size);
    source_clear(&s);
    free(key);
    generator_close(g);
}

static void v1_to_v5_are_as_the_article_has_them(void **state)
{
    (void)state;
    for (int version = 1; version <= 5; version++)
        check_preset("article", (char[]){'v', (char)('0' + version), '\0'});
}

static void the_default_space_has_the_same_v1_to_v5(void **state)
{
    (void)state;
    for (int version = 1; version <= 5; version++)
        check_preset("softmax", (char[]){'v', (char)('0' + version), '\0'});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(v1_to_v5_are_as_the_article_has_them),
        cmocka_unit_test(the_default_space_has_the_same_v1_to_v5),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
