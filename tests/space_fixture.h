/* A space file and templates in a folder of their own, opened by a generator. */
#ifndef TESTS_SPACE_FIXTURE_H
#define TESTS_SPACE_FIXTURE_H

#include "generator/generator.h"
#include "tests/hopper_gpu.h"
#include "tests/temporary_folder.h"

#include <string.h>

struct fixture {
    char *folder, *config; /* config: the space file in it */
    struct generator *g;   /* NULL where the space is refused */
    struct error e;        /* of the last failure */
};

static inline void write_text(const char *folder, const char *name, const char *text, size_t size)
{
    char *path = must_format("%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(text, 1, size, file) != size || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
    free(path);
}

/* Few SMs and round figures, so that what a space makes of them is plain. */
static inline struct gpu test_gpu(void)
{
    struct gpu gpu = hopper_gpu;
    strcpy(gpu.name, "Test GPU");
    strcpy(gpu.short_name, "test");
    gpu.sms = 10;
    gpu.l2_bytes = 1 << 20;
    gpu.dram_gbs = 1000;
    gpu.clock_mhz = 1000;
    return gpu;
}

/* Opens `space`, the text of a file space.lua, with `options` but for config and templates. */
static inline struct fixture fixture_with(const char *space, struct generator_options options)
{
    struct fixture f = {.folder = temporary_folder()};
    f.config = must_format("%s/space.lua", f.folder);
    write_text(f.folder, "space.lua", space, strlen(space));
    options.config = f.config;
    options.templates = f.folder;
    f.g = generator_open(&options, &f.e);
    return f;
}

/* Sets f32 M x N on the test GPU; a failure closes the generator, as if the space had been refused. */
static inline void fixture_problem(struct fixture *f, int64_t M, int64_t N)
{
    struct problem p = problem_default(M, N);
    struct gpu gpu = test_gpu();
    if (f->g != NULL && !generator_set_problem(f->g, &p, &gpu, &f->e)) {
        generator_close(f->g);
        f->g = NULL;
    }
}

static inline struct fixture fixture_open(const char *space)
{
    struct fixture f = fixture_with(space, (struct generator_options){0});
    fixture_problem(&f, 8, 1024);
    return f;
}

static inline void fixture_template(struct fixture *f, const char *name, const char *text)
{
    write_text(f->folder, name, text, strlen(text));
}

/* The valid keys joined by blanks; why there are none; or the error. The caller frees it. */
static inline char *fixture_list(struct fixture *f, size_t most)
{
    char *why = NULL;
    json_t *keys = generator_list(f->g, most, &why, &f->e), *key;
    if (keys == NULL)
        return must_strdup(f->e.text);
    char *text = why != NULL ? why : must_strdup("");
    size_t i;
    json_array_foreach(keys, i, key)
    {
        char *longer = must_format("%s%s%s", text, i > 0 ? " " : "", json_string_value(key));
        free(text);
        text = longer;
    }
    json_decref(keys);
    return text;
}

static inline void fixture_close(struct fixture *f)
{
    generator_close(f->g);
    free(f->config);
    temporary_folder_remove(f->folder);
}

#endif
