#include "tuner/cli/report_check.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { INDENT = 13 };

/* What the article's profiler read on an RTX 5080 for f32 8192x8192: sectors of 32 bytes that went below L1.
 */
static const struct article_counters {
    const char *name;
    int64_t sectors_read, sectors_written;
} article_counters[] = {{"v4", 25331031, 8388623}, {"v5", 17260927, 8388620}};

static bool is_articles(const struct problem *p)
{
    return p->op == OP_SOFTMAX && p->dtype_in == DTYPE_F32 && p->dtype_out == DTYPE_F32 && p->M == 8192 &&
           p->N == 8192 && p->x_stride == p->N && p->y_stride == p->N && !p->in_place && !p->scaled;
}

/* Whether the session's space is a built-in one, in which v1 to v5 are the article's. */
static bool has_article(const struct session *s)
{
    const char *config = s->options->space.config;
    return config == NULL || strcmp(config, "softmax") == 0 || strcmp(config, "article") == 0;
}

static const struct article_counters *find_article(const struct tuning *t, const struct trial *trial)
{
    if (!is_articles(&t->problem) || !has_article(t->session))
        return NULL;
    const struct article_counters *found = NULL;
    json_t *described = generator_describe(trial->space, NULL);
    for (size_t i = 0; i < sizeof article_counters / sizeof article_counters[0]; i++) {
        const char *key = json_string_value(
            json_object_get(json_object_get(described, "presets"), article_counters[i].name));
        if (key != NULL && strcmp(key, trial->key) == 0)
            found = &article_counters[i];
    }
    json_decref(described);
    return found;
}

/* "25,165,824" */
static const char *grouped(int64_t value, char text[32])
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRId64, value), used = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[used++] = ',';
        text[used++] = digits[i];
    }
    text[used] = '\0';
    return text;
}

static int64_t count_of(const json_t *counts, const char *name)
{
    return json_integer_value(json_object_get(counts, name));
}

static void print_global(FILE *out, const json_t *counts, const char *what, const char *requests_name,
                         const char *sectors_name, const char *bytes_name)
{
    char a[32], b[32];
    int64_t requests = count_of(counts, requests_name), sectors = count_of(counts, sectors_name);
    fprintf(out, "%*s%-6s %s requests, %s sectors", INDENT, "", what, grouped(requests, a),
            grouped(sectors, b));
    if (requests > 0 && sectors > 0)
        fprintf(out, " (%.1f a request, %.4g %% of their bytes used)", (double)sectors / (double)requests,
                100 * (double)count_of(counts, bytes_name) / (32.0 * (double)sectors));
    fputc('\n', out);
}

/* "1,024 shared wavefronts, 0 atomics" */
static void print_list(FILE *out, const json_t *counts, const char *title, const char *const (*names)[2],
                       size_t count)
{
    fprintf(out, "%*s%s", INDENT, "", title);
    for (size_t i = 0; i < count; i++) {
        char text[32];
        fprintf(out, "%s%s %s", i == 0 ? "" : ", ", grouped(count_of(counts, names[i][0]), text),
                names[i][1]);
    }
    fputc('\n', out);
}

static void print_article(FILE *out, const struct article_counters *article, const json_t *counts)
{
    char a[32], b[32];
    fprintf(out, "%*s%-16s %13s %13s\n", INDENT, "", "sectors", "read", "written");
    fprintf(out, "%*s%-16s %13s %13s  here: before any cache\n", INDENT, "", "requested at L1",
            grouped(count_of(counts, "global_load_sectors"), a),
            grouped(count_of(counts, "global_store_sectors"), b));
    fprintf(out, "%*s%-16s %13s %13s  the article's RTX 5080, by its profiler, %s\n", INDENT, "", "below L1",
            grouped(article->sectors_read, a), grouped(article->sectors_written, b), article->name);
}

static void print_counts(FILE *out, const json_t *counts)
{
    static const char *const others[][2] = {{"shared_wavefronts", "shared wavefronts"},
                                            {"barriers", "barriers"},
                                            {"divergent_branches", "divergent branches"},
                                            {"atomics", "atomics"}};
    static const char *const pipes[][2] = {{"alu", "alu"}, {"fma", "fma"}, {"sfu", "sfu"},
                                           {"lsu", "lsu"}, {"cvt", "cvt"}, {"control", "control"}};
    print_global(out, counts, "loads", "global_load_requests", "global_load_sectors", "global_load_bytes");
    print_global(out, counts, "stores", "global_store_requests", "global_store_sectors",
                 "global_store_bytes");
    print_list(out, counts, "", others, sizeof others / sizeof others[0]);
    print_list(out, counts, "warp instructions: ", pipes, sizeof pipes / sizeof pipes[0]);
}

void report_check_head(FILE *out, const struct tuning *t)
{
    char text[STEM_SIZE];
    const struct session *s = t->session;
    problem_describe(&t->problem, text);
    fprintf(out, "%s on %s (%s)", text, s->gpu.name, s->gpu.arch);
    if (device_client_kind(s->device) == DEVICE_EMULATOR)
        fprintf(out,
                ", on the emulator: what is proven is the PTX, not ptxas's code\n"
                "Counts are for all %" PRId64
                " rows; sectors are 32 bytes, requested at L1, before any cache\n",
                t->problem.M);
    else
        fputc('\n', out);
    fprintf(out, "\n%-11s %8s  variant\n", "verdict", "of bound");
}

void report_check_print(FILE *out, const struct tuning *t, const struct trial *trial)
{
    fprintf(out, "%-11s", verdict_name(trial->verdict));
    if (isfinite(trial->max_error))
        fprintf(out, " %8.3f", trial->max_error);
    else
        fprintf(out, " %8s", isnan(trial->max_error) ? "-" : "inf");
    bool named = trial->label != NULL && strchr(trial->label, '=') == NULL;
    fprintf(out, "  %s%s%s%s%s\n", named ? trial->label : "", named ? ": " : "", trial->key,
            trial->reason != NULL ? ": " : "", trial->reason != NULL ? trial->reason : "");
    const struct article_counters *article = find_article(t, trial);
    if (trial->counts != NULL)
        print_counts(out, trial->counts);
    if (trial->counts != NULL && article != NULL)
        print_article(out, article, trial->counts);
}

/* NaN where nothing ran, and infinity, are no JSON: null, and the largest number that is. */
static json_t *error_json(double error)
{
    return isnan(error) ? json_null() : json_real(isfinite(error) ? error : 1e308);
}

json_t *report_check_json(const struct tuning *t, const struct trial *trial)
{
    json_t *object = json_pack("{s:s, s:s, s:s?, s:o, s:O?, s:o}", "key", trial->key, "verdict",
                               verdict_name(trial->verdict), "reason", trial->reason, "max_error",
                               error_json(trial->max_error), "counts", trial->counts, "problem",
                               problem_to_json(&t->problem));
    const struct article_counters *article = find_article(t, trial);
    if (trial->counts != NULL && article != NULL)
        json_object_set_new(object, "article",
                            json_pack("{s:s, s:I, s:I}", "version", article->name, "sectors_read",
                                      (json_int_t)article->sectors_read, "sectors_written",
                                      (json_int_t)article->sectors_written));
    return object;
}
