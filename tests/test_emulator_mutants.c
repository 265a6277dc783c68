/* Kernels of the templates, each broken by one small edit: the emulator or the verifier finds every one, and
   where the fault is an access, the message names its line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/emulator_proof.h"

#define NO_LINE NULL /* wrong values: no line is to blame */

struct mutant {
    const char *name;
    const char *config, *variant;
    int N;
    const char *find, *replace; /* the first occurrence after `after`, which may be NULL */
    const char *after;
    const char *says; /* part of the message */
    const char *line; /* part of the source's line that the message names, or NO_LINE */
};

#define TREE      "v2"
#define SHUFFLE   "v3"
#define VECTOR    "v4"
#define ONLINE    "v5,guard=clamped"
#define BUTTERFLY "scope=block,reduction=butterfly,cache=none"
#define REST      ",threads=256,vec_bytes=16,reduction=butterfly,passes=2,guard=clamped,exp=ex2"
#define GRID      "scope=grid,blocks=8,cache=registers" REST
/* How an asm statement is named: by its last line. */
#define TELLS   "\"r\"(counter)"
#define HEARS   "\"=r\"(done)"
#define EXPECTS "\"r\"(bytes)"
#define CLUSTER "scope=cluster,blocks=2,cache=shared" REST

static const struct mutant mutants[] = {
    /* A thread a row. */
    {"reads one column too many", "article", "v1", 100, "i < 100", "i <= 100", "Pass 1", "out of bounds",
     "x_row[i]"},
    {"reads one column too many in the sum", "article", "v1", 100, "i < 100", "i <= 100", "Pass 2",
     "out of bounds", "x_row[i]"},
    {"writes one column too many", "article", "v1", 100, "i < 100", "i <= 100", "Pass 3",
     "source:", "y_row[i]"},
    {"reads before the row", "article", "v1", 100, "int i = 0", "int i = -1", "Pass 1", "out of bounds",
     "x_row[i]"},
    {"lets one row too many in", "article", "v1", 100, "row >= M", "row > M", NULL, "out of bounds",
     "x_row[i]"},
    {"lets all rows in", "article", "v1", 100, "row >= M", "row < 0", NULL, "out of bounds", "x_row[i]"},
    {"skips the last column of the maximum", "article", "v1", 100, "i < 100", "i < 99", "Pass 1",
     "wrong on rows", NO_LINE},
    {"skips the first column of the sum", "article", "v1", 100, "int i = 0", "int i = 1", "Pass 2",
     "wrong on rows", NO_LINE},
    {"leaves the last column unwritten", "article", "v1", 100, "i < 100", "i < 99", "Pass 3", "wrong on rows",
     NO_LINE},
    {"never ends", "article", "v1", 100, "i++", "i += M < 0", "Pass 1", "does not end", "x_row[i]"},
    {"writes its input", "article", "v1", 100, "y_row[i] = ", "((float *)x_row)[i] = ", "Pass 3",
     "wrong on rows", NO_LINE},
    {"is off by a row", "article", "v1", 100, "x + row * 100", "x + row * 100 + 100", NULL, "out of bounds",
     "x_row[i]"},

    /* A block a row, a tree in shared memory. */
    {"has no barrier before the tree", "article", TREE, 1000, "__syncthreads();", "", "partial[t] = value",
     "source:", "partial[t"},
    {"has no barrier within the tree", "article", TREE, 1000, "__syncthreads();", "", "if (t < s)",
     "data race", "partial[t"},
    {"never sets the accumulator", "article", TREE, 1000, "partial[t] = value;", "", NULL, "never written",
     "partial[t"},
    {"runs the article's wrong loop", "article", TREE, 1000, "s > 0", "s < 1000", NULL, "does not end",
     "__syncthreads"},
    {"runs the article's wrong loop without its guard", "article", TREE, 1000, "if (t < s)",
     "if (t < 256 && s < 1000)", NULL, "source:", "partial[t"},
    {"adds beyond the threads", "article", TREE, 1000, "if (t < s)", "if (t <= s)", NULL,
     "source:", "partial[t"},
    {"adds in all threads", "article", TREE, 1000, "if (t < s)", "if (s > 0)", NULL, "source:", "partial[t"},
    {"has too little shared memory", "article", TREE, 1000, "partial[256]", "partial[255]", NULL,
     "out of bounds", "partial[t] = value"},
    {"has its barrier in a branch", "article", TREE, 1000, "__syncthreads();", "if (t < s) __syncthreads();",
     "if (t < s)", "a barrier", "__syncthreads"},
    {"ends some threads before a barrier", "article", TREE, 1000, "int t = threadIdx.x;",
     "int t = threadIdx.x; if (t > 223) asm(\"exit;\");", NULL, "not all threads reach", "__syncthreads"},
    {"stops the tree too early", "article", TREE, 1000, "s > 0", "s > 1", NULL, "wrong on rows", NO_LINE},
    {"starts the tree too low", "article", TREE, 1000, "int s = 128", "int s = 64", NULL, "wrong on rows",
     NO_LINE},
    {"strides past the row", "article", TREE, 1000, "i < 1000", "i <= 1000", "Pass 1", "out of bounds",
     "x_row[i]"},
    {"writes past the row", "article", TREE, 1000, "i < 1000", "i <= 1000", "Pass 3", "source:", "y_row[i]"},

    /* Warps that shuffle. */
    {"has no barrier before warp 0 collects", "article", SHUFFLE, 1000, "__syncthreads();", "",
     "of_warp[warp] = value", "source:", "of_warp"},
    {"has no barrier after warp 0 collected", "article", SHUFFLE, 1000, "__syncthreads();", "",
     "result = value;", "source:", "result"},
    {"misses the last warp", "article", SHUFFLE, 1000, "lane < 8", "lane < 7", NULL, "wrong on rows",
     NO_LINE},
    {"collects a warp too many", "article", SHUFFLE, 1000, "lane < 8", "lane < 9", NULL,
     "source:", "of_warp"},
    {"shuffles with half a warp", "article", SHUFFLE, 1000, "if (warp == 0) {",
     "if (warp == 0 && lane < 16) {", NULL, "do not take part", "__shfl_down_sync"},
    {"names half a warp", "article", SHUFFLE, 1000, "0xffffffff", "0x0000ffff", NULL,
     "is not among the lanes", "__shfl_down_sync"},
    {"shuffles too short a way", "article", SHUFFLE, 1000, "offset = 16", "offset = 8", NULL, "wrong on rows",
     NO_LINE},
    {"writes the result from every lane", "article", SHUFFLE, 1000, "if (lane == 0)", "if (lane >= 0)",
     "if (warp == 0)", "data race: writes", "result = value"},
    {"writes all warps' values to one place", "article", SHUFFLE, 1000,
     "of_warp[warp] = ", "of_warp[lane] = ", NULL, "source:", "of_warp"},

    /* Vectors. */
    {"reads rows that are not aligned", "article", VECTOR, 1024, "x + row * 1024", "x + row * 1024 + 1", NULL,
     "misaligned", "word = "},
    {"writes rows that are not aligned", "article", VECTOR, 1024, "y + row * 1024", "y + row * 1024 + 2",
     NULL, "misaligned", "float4 *)row)[i] = "},
    {"reads a vector too many", "article", VECTOR, 1024, "i < 256", "i <= 256", "Pass 2", "out of bounds",
     "word = "},
    {"writes a vector too many", "article", VECTOR, 1024, "i < 256", "i <= 256", "Pass 3",
     "source:", "row)[i]"},
    {"starts at the wrong vector", "article", VECTOR, 1024, "i = threadIdx.x", "i = threadIdx.x + 1",
     "Pass 2", "wrong on rows", NO_LINE},
    {"reads back what it did not write", "article", VECTOR, 1024, "load_vector(x_row, i, v)",
     "load_vector(y_row, i, v)", "Pass 2", "never written", "word = "},
    {"forgets to rescale the sum", "article", ONLINE, 1024, "sum * expf(maximum - row_maximum)", "sum", NULL,
     "wrong on rows", NO_LINE},

    /* Every warp finishes by itself. */
    {"has no barrier before every warp collects", "softmax", BUTTERFLY, 1024, "__syncthreads();", "",
     "of_warp", "source:", "of_warp"},

    /* Clusters. */
    {"has no fence behind its mbarrier", "softmax", CLUSTER, 4096, "asm volatile(\"fence.mbarrier_init", "//",
     NULL, "nothing orders that after its initialisation", TELLS},
    {"makes its mbarrier too late", "softmax", CLUSTER, 4096,
     "if (threadIdx.x == 0)\n        expect(&told, 128);\n    cluster_arrive();",
     "cluster_arrive();\n    if (threadIdx.x == 0)\n        expect(&told, 128);", NULL, "uses ", TELLS},
    {"makes its mbarrier twice", "softmax", CLUSTER, 4096, "threadIdx.x == 0", "threadIdx.x < 2", "told;",
     "which holds an mbarrier", "mbarrier.init"},
    {"tells before the others have begun", "softmax", CLUSTER, 4096, "cluster_wait();", "", "int lane",
     "uses ", TELLS},
    {"waits twice for the others to begin", "softmax", CLUSTER, 4096, "cluster_wait();",
     "cluster_wait();\n    cluster_wait();", "int lane", "without having arrived", "barrier.cluster.wait"},
    {"has no barrier of the cluster", "softmax", CLUSTER, 4096,
     "asm volatile(\"barrier.cluster.arrive.relaxed.aligned;\" ::: \"memory\");\n}\n\n"
     "static __device__ void cluster_wait()\n{\n    asm volatile(\"barrier.cluster.wait.acquire.aligned;\" ::: \"memory\");",
     "\n}\n\nstatic __device__ void cluster_wait()\n{\n", NULL, "uses ", TELLS},
    {"arrives at no barrier of the cluster", "softmax", CLUSTER, 4096,
     "asm volatile(\"barrier.cluster.arrive", "//", NULL, "without having arrived", "barrier.cluster.wait"},
    {"does not wait to be told", "softmax", CLUSTER, 4096, "hear(&told);", "", NULL,
     "source:", "of_warp[lane]"},
    {"asks only once", "softmax", CLUSTER, 4096, "done == 0", "false", NULL, "source:", "of_warp[lane]"},
    {"waits for the phase before", "softmax", CLUSTER, 4096, "[%1], 0;", "[%1], 1;", NULL,
     "source:", "of_warp[lane]"},
    {"is told and does not acquire it", "softmax", CLUSTER, 4096, "parity.acquire", "parity.relaxed", NULL,
     "stores asynchronously", "of_warp[lane]"},
    {"acquires from its own block only", "softmax", CLUSTER, 4096, "acquire.cluster.shared",
     "acquire.cta.shared", NULL, "stores asynchronously", "of_warp[lane]"},
    {"expects a word too many", "softmax", CLUSTER, 4096, "told, 128", "told, 136", NULL,
     "phase never completes: 0 arrivals are still to come, and 8 bytes", HEARS},
    {"expects a word too few", "softmax", CLUSTER, 4096, "told, 128", "told, 120", NULL,
     "stores asynchronously", "of_warp[lane]"},
    {"expects more bytes than can be counted", "softmax", CLUSTER, 4096, "told, 128", "told, 1 << 20", NULL,
     "expects 1048576 bytes", EXPECTS},
    {"leaves a block untold", "softmax", CLUSTER, 4096, "lane < 2", "lane < 1", NULL, "phase never completes",
     HEARS},
    {"tells one block twice", "softmax", CLUSTER, 4096, "&told, lane", "&told, 0", NULL, "data race: writes",
     TELLS},
    {"tells a block that is not there", "softmax", CLUSTER, 4096, "lane < 2", "lane < 3", NULL,
     "in no block of the cluster", TELLS},
    {"counts at another block", "softmax", CLUSTER, 4096, "\"r\"(rank)", "\"r\"(rank ^ 1)",
     "(counter) :", "an mbarrier of another", TELLS},
    {"tells to one place from all warps", "softmax", CLUSTER, 4096, "rank * 8 + threadIdx.x / 32", "rank * 8",
     NULL, "data race: writes", TELLS},
    {"tells to the places of the other block", "softmax", CLUSTER, 4096, "rank * 8 + threadIdx.x / 32",
     "threadIdx.x / 32", NULL, "data race: writes", TELLS},
    {"tells over its mbarrier", "softmax", CLUSTER, 4096, "&of_warp[rank * 8 + threadIdx.x / 32]",
     "(float2 *)&told", NULL, "source:", TELLS},
    {"hears a warp too many", "softmax", CLUSTER, 4096, "lane < 16", "lane < 17", NULL,
     "source:", "of_warp[lane]"},
    {"hears a warp too few", "softmax", CLUSTER, 4096, "lane < 16", "lane < 15", NULL, "wrong on rows",
     NO_LINE},

    /* Grids. */
    {"does not wait for the other blocks", "softmax", GRID, 4096, "maximum >> 32 != tag || sum >> 32 != tag",
     "tag == 0", NULL, "wrong on rows", NO_LINE},
    {"tells under the tag before", "softmax", GRID, 4096, "4 * rank, tag", "4 * rank, tag - 1", NULL,
     "does not end", ">> 32 != tag"},
};

static struct compiler *compiler;

/* The source with the mutant's edit; lines stay where they are. */
static void edit(struct source *s, const struct mutant *m)
{
    const char *from = m->after == NULL ? s->text : strstr(s->text, m->after);
    const char *at = from == NULL ? NULL : strstr(from, m->find);
    if (at == NULL) {
        fprintf(stderr, "%s", s->text);
        fail_msg("'%s': nothing to edit in the source above", m->name);
    }
    char *text = must_format("%.*s%s%s", (int)(at - s->text), s->text, m->replace, at + strlen(m->find));
    free(s->text);
    s->text = text;
    s->size = strlen(text);
}

/* Whether line `number` of the text holds `part`. */
static bool line_holds(const char *text, int number, const char *part)
{
    while (number > 1 && (text = strchr(text, '\n')) != NULL) {
        text++;
        number--;
    }
    char *line = text == NULL ? must_strdup("") : must_format("%.*s", (int)strcspn(text, "\n"), text);
    bool holds = strstr(line, part) != NULL;
    if (!holds)
        fprintf(stderr, "the line is: %s\n", line);
    free(line);
    return holds;
}

/* Prints what is wrong with the verdict, so that one run shows all of it. */
static int judge(const struct mutant *m, const struct source *s, const struct variant_verdict *verdict)
{
    const char *place = strstr(verdict->reason, "source:");
    int line = place != NULL ? atoi(place + strlen("source:")) : 0;
    bool caught = verdict->verdict != VERDICT_CORRECT && strstr(verdict->reason, m->says) != NULL;
    if (caught && (m->line == NO_LINE || line_holds(s->text, line, m->line)))
        return 0;
    print_error("'%s': '%s' should say '%s' of a line with '%s'\n", m->name, verdict->reason, m->says,
                m->line == NO_LINE ? "" : m->line);
    return 1;
}

static int try(const struct mutant *m, bool broken)
{
    struct error e = {0};
    struct problem p = problem_default(5, m->N);
    struct proof f = proof_open(compiler, m->config, false, "sm_90", &p, 5);
    char *key = generator_key(f.generator, m->variant, false, &e);
    if (key == NULL)
        proof_die(&e);
    struct source s = proof_source(&f, key);
    if (broken)
        edit(&s, m);
    struct image image = proof_compile(&f, &s);
    struct variant_verdict verdict = proof_verify(&f, key, &image);
    int failures = 0;
    if (broken)
        failures = judge(m, &s, &verdict);
    else if (verdict.verdict != VERDICT_CORRECT)
        fail_msg("%s is accused: %s", key, verdict.reason);
    json_decref(verdict.counts);
    source_clear(&s);
    free(key);
    proof_close(&f);
    return failures;
}

static void every_mutant_is_caught_at_its_line(void **state)
{
    (void)state;
    int failures = 0;
    for (size_t i = 0; i < sizeof mutants / sizeof mutants[0]; i++)
        failures += try(&mutants[i], true);
    assert_int_equal(failures, 0);
}

static void no_kernel_that_the_mutants_come_from_is_accused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mutants / sizeof mutants[0]; i++)
        if (i == 0 || strcmp(mutants[i].variant, mutants[i - 1].variant) != 0)
            try(&mutants[i], false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mutant_is_caught_at_its_line),
        cmocka_unit_test(no_kernel_that_the_mutants_come_from_is_accused),
    };
    compiler = proof_compiler();
    if (compiler == NULL)
        return 77;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    compiler_close(compiler);
    return failed;
}
