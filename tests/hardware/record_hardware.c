/* record_hardware FOLDER ANSWERS [--device emulator] [--values]: runs every line of hardware_instructions.h
   and every variant of FOLDER (sample_hardware.c) on the GPU here, and writes what comes out to the file
   ANSWERS (hardware_answers.h). --values keeps all results, to look into a difference. On the emulator it
   tries the program itself. */
#include "tests/hardware/hardware_answers.h"
#include "tests/hardware/hardware_program.h"
#include "tests/hardware/hardware_variants.h"
#include "tests/kernel_spaces.h"
#include "tuner/devices/cuda/cuda_device.h"

#include <string.h>
#include <time.h>
#include <xxhash.h>

static const char *folder, *answers_path;
static bool on_emulator, all_values;
static int failures;

static bool parse(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--values") == 0)
            all_values = true;
        else if (strcmp(argv[i], "--device") == 0 && i + 1 < argc && strcmp(argv[i + 1], "emulator") == 0)
            on_emulator = i++ > 0;
        else if (folder == NULL)
            folder = argv[i];
        else if (answers_path == NULL)
            answers_path = argv[i];
        else
            return false;
    return answers_path != NULL;
}

static bool open_device(struct device_shared *shared, struct device **d, struct error *e)
{
    if (!on_emulator)
        return cuda_device_open(0, shared, d, e);
    struct gpu gpu = gpu_of("sm_90");
    return emulator_device_open(&gpu, d, e);
}

static void write_title(FILE *file, const struct device *d)
{
    char date[32];
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    int driver = on_emulator ? 0 : ((const struct cuda_device *)d)->driver->version;
    fprintf(file, "{\"gpu\": \"%s\", \"driver\": %d, \"date\": \"%s\"}\n",
            on_emulator ? "emulator" : d->gpu.name, driver, date);
}

/* ---- instructions ---- */

static void write_hashes(FILE *file, const struct instruction *i, const uint64_t *results)
{
    enum { GROUPS = PROGRAM_THREADS / ANSWER_GROUP };
    uint32_t hashes[2][GROUPS];
    uint64_t canonical[PROGRAM_THREADS];
    for (int t = 0; t < PROGRAM_THREADS; t++)
        canonical[t] = program_canonical(i->d, results[t]);
    for (int g = 0; g < GROUPS; g++) {
        hashes[0][g] = answer_hash(results + g * ANSWER_GROUP, ANSWER_GROUP);
        hashes[1][g] = answer_hash(canonical + g * ANSWER_GROUP, ANSWER_GROUP);
    }
    answer_write(file, program_hash(i), ANSWER_HASHES, hashes, sizeof hashes);
}

static void write_values(FILE *file, const struct instruction *i, const uint64_t *results)
{
    uint32_t narrow[PROGRAM_THREADS];
    bool wide = i->d == OPERAND_u64 || i->d == OPERAND_f64;
    for (int t = 0; t < PROGRAM_THREADS; t++)
        narrow[t] = (uint32_t)results[t];
    answer_write(file, program_hash(i), ANSWER_VALUES, wide ? (const void *)results : narrow,
                 wide ? sizeof(uint64_t) * PROGRAM_THREADS : sizeof narrow);
}

static void record_instruction(FILE *file, const struct instruction *i, struct device *d)
{
    uint64_t results[PROGRAM_THREADS];
    struct error e = {0};
    if (!program_run(i, d, results, &e)) {
        printf("%s: %s\n", i->text, e.text);
        answer_write(file, program_hash(i), ANSWER_REFUSED, e.text, strlen(e.text) + 1);
        failures++;
    } else if (i->rule != RULE_exact || all_values) {
        write_values(file, i, results);
    } else {
        write_hashes(file, i, results);
    }
}

/* ---- variants ---- */

struct kept {
    uint32_t *elements;
    size_t count;
};

static void write_variant(FILE *file, const struct hardware_variant *v, const void *y,
                          const struct oracle_verdict *verdict, const struct kept *before,
                          const struct kept *now)
{
    struct variant_answer head = {verdict->max_error, XXH64(y, oracle_y_bytes(&v->batch), 0)};
    unsigned char *bytes = must_malloc(sizeof head + 5 * now->count);
    memcpy(bytes, &head, sizeof head);
    size_t used = answer_encode(now->elements, before->count == now->count ? before->elements : NULL,
                                now->count, bytes + sizeof head);
    answer_write(file, hardware_variant_hash(v), ANSWER_VARIANT, bytes, sizeof head + used);
    free(bytes);
}

/* `before`: what was kept of the variant before, and of this one afterwards. */
static void record_variant(FILE *file, const struct hardware_variant *v, struct device *d,
                           struct kept *before)
{
    struct error e = {0};
    struct oracle_verdict verdict;
    void *y;
    if (!hardware_variant_run(v, d, &y, &verdict, &e)) {
        printf("%s: %s\n", v->key, e.text);
        answer_write(file, hardware_variant_hash(v), ANSWER_REFUSED, e.text, strlen(e.text) + 1);
        failures++;
        return;
    }
    struct kept now = {0};
    now.count = hardware_variant_kept(v, y, &now.elements);
    write_variant(file, v, y, &verdict, before, &now);
    free(before->elements);
    *before = now;
    free(y);
}

static bool record_variants(FILE *file, struct device *d, struct error *e)
{
    char *path = must_format("%s/variants.json", folder);
    json_error_t why;
    json_t *document = json_load_file(path, 0, &why);
    bool good = document != NULL || error_set(e, STATUS_USAGE, "%s: %s", path, why.text);
    struct kept before = {0};
    size_t count = json_array_size(json_object_get(document, "variants"));
    for (size_t i = 0; good && i < count; i++) {
        struct hardware_variant v;
        good = hardware_variant_read(document, i, on_emulator ? NULL : folder, &v, e);
        if (good)
            record_variant(file, &v, d, &before);
        hardware_variant_clear(&v);
    }
    printf("%zu variants\n", count);
    free(before.elements);
    free(path);
    json_decref(document);
    return good;
}

int main(int argc, char **argv)
{
    static struct device_shared shared;
    struct device *d = NULL;
    struct error e = {0};
    if (!parse(argc, argv)) {
        fprintf(stderr, "usage: record_hardware FOLDER ANSWERS [--device emulator] [--values]\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    FILE *file = fopen(answers_path, "wb");
    if (file == NULL) {
        perror(answers_path);
        return 2;
    }
    bool good = open_device(&shared, &d, &e);
    if (good)
        write_title(file, d);
    for (int i = 0; good && i < hardware_instruction_count; i++)
        record_instruction(file, &hardware_instructions[i], d);
    if (good) {
        printf("%d instructions\n", hardware_instruction_count);
        good = record_variants(file, d, &e);
        d->operations->close(d);
    }
    if (fclose(file) != 0 || !good) {
        fprintf(stderr, "record_hardware: %s\n", good ? "the answers cannot be written" : e.text);
        return 1;
    }
    printf("%d failed\n", failures);
    return failures > 0;
}
