#include "tuner/cli/options.h"

#include "generator/nearest.h"
#include "tuner/cli/command.h"
#include "tuner/cli/help.h"
#include "tuner/cli/option_keys.h"
#include "tuner/cli/option_names.h"
#include "tuner/cli/option_problems.h"
#include "tuner/cli/option_values.h"
#include "tuner/cli/version.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTIONS_MAX = 64, CHECK_ROWS = 8 };

static const struct argp_option problem_options[] = {
    {.doc = "Problem:"},
    {"N", KEY_N, "LIST", 0, "columns: a number, or several joined by commas", 0},
    {"M", KEY_M, "LIST", 0, "rows, likewise; 8192 where it is not given", 0},
    {"dtype", KEY_DTYPE, "T", 0, "type of the input: f32 (the default), f16 or bf16", 0},
    {"out-dtype", KEY_OUT_DTYPE, "T", 0, "type of the output; that of the input where it is not given", 0},
    {"op", KEY_OP, "OP", 0, "softmax (the default) or log_softmax", 0},
    {"arch", KEY_ARCH, "sm_XX", 0, "architecture; native, the default, is the GPU here", 0},
    {"gpu", KEY_GPU, "NAME", 0, "one GPU of the architecture, by a name that 'softmax-tune gpus' lists", 0},
    {"x-stride", KEY_X_STRIDE, "S", 0,
     "elements from one row of the input to the next; N where it is not given", 0},
    {"y-stride", KEY_Y_STRIDE, "S", 0, "likewise of the output", 0},
    {"align", KEY_ALIGN, "BYTES", 0,
     "what divides the addresses of input and output; 16 where it is not given", 0},
    {"in-place", KEY_IN_PLACE, NULL, 0, "the output is written over the input", 0},
    {"scale", KEY_SCALE, "HOW", 0,
     "none (the default), or value: the input is scaled by an argument of the kernel", 0},
    {"cache", KEY_CACHE, "STATE", 0, "cold (the default): the data has left L2 when it is needed; or hot", 0},
    {"problems", KEY_PROBLEMS, "FILE", 0, "problems from a JSON array of objects with the manifest's fields",
     0},
    {0}};

static const struct argp_option space_options[] = {
    {.doc = "Space:"},
    {"config", KEY_CONFIG, "FILE", 0,
     "the space: a Lua file, or the built-in softmax (the default) or article", 0},
    {"templates", KEY_TEMPLATES, "DIR", 0, "a folder of templates that win over the built-in ones", 0},
    {"space", KEY_SPACE, "WHICH", 0, "default, or full: all values of every parameter", 0},
    {"set", KEY_SET, "NAME=VALUE", 0, "pins a parameter; may be given again", 0},
    {0}};

static const struct argp_option common_options[] = {
    {.doc = "Everywhere:"},
    {"device", KEY_DEVICE, "WHICH", 0,
     "auto (the default), cuda, cuda:I, emulator, or none: compile and predict only", 0},
    {"jobs", KEY_JOBS, "J", 0, "compile workers; one a core where it is not given", 0},
    {"tolerance", KEY_TOLERANCE, "T", 0, "how many times the error bound a result may be off; 1 by default",
     0},
    {"store", KEY_STORE, "DIR", 0,
     "where results and compiled images are kept; $XDG_CACHE_HOME/softmax-tune by default", 0},
    {"json", KEY_JSON, NULL, 0, "one JSON document on standard output and nothing else", 0},
    {"quiet", KEY_QUIET, NULL, 0, "no progress on standard error", 0},
    {"help", KEY_HELP, NULL, 0, "this page", 0},
    {"usage", KEY_USAGE, NULL, 0, "the synopsis alone", 0},
    {"version", KEY_VERSION, NULL, 0, "the versions of the program, NVRTC and Lua", 0},
    {0}};

/* What a parse carries besides the options. */
struct parse {
    struct options *o;
    struct integer_list M, N;
    struct problem_shape shape; /* all but M and N */
    bool shaped;                /* any option of a problem was given */
    const char *problems_file;
    const struct argp_option *all; /* that the command takes */
};

/* argp's own errors add a second line; here one is enough. */
static void fail(const struct argp_state *state, const struct error *e)
{
    argp_failure(state, STATUS_USAGE, 0, "%s", e->text);
}

static int word(const struct argp_state *state, const char *option, const char *text,
                const char *const *words)
{
    char known[256] = "", hint[HINT_SIZE];
    struct nearest nearest = nearest_to(text, strlen(text));
    for (int i = 0; words[i] != NULL; i++) {
        if (strcmp(words[i], text) == 0)
            return i;
        nearest_offer(&nearest, words[i]);
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s",
                 i == 0 ? "" : (words[i + 1] == NULL ? " or " : ", "), words[i]);
    }
    argp_failure(state, STATUS_USAGE, 0, "%s: '%s' is not known: it is %s%s", option, text, known,
                 nearest_hint(&nearest, hint));
    return 0;
}

static int64_t integer(const struct argp_state *state, const char *option, const char *text, int64_t least,
                       int64_t most)
{
    int64_t value = 0;
    struct error e;
    if (!value_integer(option, text, least, most, &value, &e))
        fail(state, &e);
    return value;
}

static double number(const struct argp_state *state, const char *option, const char *text, double above,
                     double most)
{
    double value = 0;
    struct error e;
    if (!value_number(option, text, above, most, &value, &e))
        fail(state, &e);
    return value;
}

/* "64M". */
static int64_t bytes(const struct argp_state *state, const char *text)
{
    static const char units[] = "KMG";
    size_t length = strlen(text);
    const char *unit = length > 1 ? strchr(units, text[length - 1]) : NULL;
    char *digits = must_format("%.*s", (int)(unit != NULL ? length - 1 : length), text);
    int64_t value = integer(state, "--bytes", digits, 0, INT64_C(1) << 32);
    free(digits);
    return unit != NULL ? value << (10 * (unit - units + 1)) : value;
}

static void append(const char ***list, int *count, const char *text)
{
    *list = must_realloc(*list, (size_t)(*count + 2) * sizeof **list);
    (*list)[(*count)++] = text;
    (*list)[*count] = NULL;
}

/* The options of a problem; false for a key that is none. */
static bool parse_problem(int key, char *text, const struct argp_state *state)
{
    static const char *const dtypes[] = {"f32", "f16", "bf16", NULL};
    static const char *const operations[] = {"softmax", "log_softmax", NULL};
    static const char *const scales[] = {"none", "value", NULL};
    static const char *const caches[] = {"cold", "hot", NULL};
    const int64_t columns_max = INT64_C(0x7fffffff), elements_max = INT64_C(1) << 46;
    struct parse *parse = state->input;
    struct problem *shape = &parse->shape.problem;
    struct error e;
    switch (key) {
    case KEY_N:
        if (!value_list("--N", text, 1, columns_max, &parse->N, &e))
            fail(state, &e);
        break;
    case KEY_M:
        if (!value_list("--M", text, 0, elements_max, &parse->M, &e))
            fail(state, &e);
        break;
    case KEY_DTYPE:
        shape->dtype_in = (enum dtype)word(state, "--dtype", text, dtypes);
        break;
    case KEY_OUT_DTYPE:
        shape->dtype_out = (enum dtype)word(state, "--out-dtype", text, dtypes);
        parse->shape.out_given = true;
        break;
    case KEY_OP:
        shape->op = (enum operation)word(state, "--op", text, operations);
        break;
    case KEY_X_STRIDE:
        shape->x_stride = integer(state, "--x-stride", text, 1, elements_max);
        break;
    case KEY_Y_STRIDE:
        shape->y_stride = integer(state, "--y-stride", text, 1, elements_max);
        break;
    case KEY_ALIGN:
        shape->align = (int)integer(state, "--align", text, 1, 4096);
        break;
    case KEY_IN_PLACE:
        shape->in_place = true;
        break;
    case KEY_SCALE:
        shape->scaled = word(state, "--scale", text, scales) == 1;
        break;
    case KEY_CACHE:
        shape->cache = (enum cache_state)word(state, "--cache", text, caches);
        break;
    default:
        return false;
    }
    parse->shaped = true;
    return true;
}

static void parse_device(const char *text, const struct argp_state *state)
{
    static const char *const devices[] = {"auto", "cuda", "emulator", "none", NULL};
    static const enum device_wish wishes[] = {WISH_AUTO, WISH_CUDA, WISH_EMULATOR, WISH_NONE};
    struct parse *parse = state->input;
    if (strncmp(text, "cuda:", 5) == 0) {
        parse->o->device = WISH_CUDA;
        parse->o->device_index = (int)integer(state, "--device cuda", text + 5, 0, 1023);
        return;
    }
    parse->o->device = wishes[word(state, "--device", text, devices)];
}

static void parse_pin(const char *text, const struct argp_state *state)
{
    struct parse *parse = state->input;
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text || equals[1] == '\0')
        argp_failure(state, STATUS_USAGE, 0, "--set: '%s' is not NAME=VALUE", text);
    else if (strchr(text, ',') != NULL)
        argp_failure(state, STATUS_USAGE, 0, "--set: '%s' is more than one: give --set again for each", text);
    append((const char ***)&parse->o->space.pins, &parse->o->pin_count, text);
}

static void parse_strategy(const char *text, const struct argp_state *state)
{
    struct parse *parse = state->input;
    static const char *const strategies[] = {"exhaustive", "random", "local", NULL};
    parse->o->strategy = (enum strategy_kind)word(state, "--strategy", text, strategies);
}

static bool has_option(const struct command *c, int key)
{
    const struct argp_option *o = c->own;
    while (o->key != key && (o->name != NULL || o->doc != NULL))
        o++;
    return o->key == key;
}

/* A word that is neither an option nor its value. */
static void refuse_argument(const char *text, const struct argp_state *state)
{
    const struct options *o = ((const struct parse *)state->input)->o;
    if (text[0] != '\0' && text[strspn(text, "0123456789,")] == '\0')
        argp_failure(state, STATUS_USAGE, 0,
                     "'%s' is not expected here: the numbers of a list are joined by commas without blanks, "
                     "--N 1024,2048",
                     text);
    else if (has_option(o->command, KEY_VARIANT))
        argp_failure(state, STATUS_USAGE, 0, "'%s' is not expected here: a variant is named by --variant %s",
                     text, text);
    else
        argp_failure(state, STATUS_USAGE, 0, "'%s' is not expected here: see '%s --help'", text, state->name);
}

static void parse_argument(const char *text, struct argp_state *state)
{
    struct options *o = ((struct parse *)state->input)->o;
    if (o->command->run == command_bench)
        append(&o->variants, &o->variant_count, text);
    else if (o->command->run == command_confirm && o->folder == NULL)
        o->folder = text;
    else if (o->command->run == command_store)
        append(&o->words, &o->word_count, text);
    else
        refuse_argument(text, state);
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    struct parse *parse = state->input;
    struct options *o = parse->o;
    if (parse_problem(key, text, state))
        return 0;
    switch (key) {
    case KEY_ARCH:
        if (strchr(text, ',') != NULL)
            argp_failure(state, STATUS_USAGE, 0, "--arch: '%s' is more than one: run once for each", text);
        o->arch = strcmp(text, "native") == 0 ? NULL : text;
        break;
    case KEY_GPU:
        o->gpu_name = text;
        break;
    case KEY_PROBLEMS:
        parse->problems_file = text;
        break;
    case KEY_CONFIG:
        o->space.config = text;
        break;
    case KEY_TEMPLATES:
        o->space.templates = text;
        break;
    case KEY_SPACE:
        o->space.full = word(state, "--space", text, (const char *const[]){"default", "full", NULL}) == 1;
        break;
    case KEY_SET:
        parse_pin(text, state);
        break;
    case KEY_DEVICE:
        parse_device(text, state);
        break;
    case KEY_JOBS:
        o->jobs = (int)integer(state, "--jobs", text, 1, 1024);
        break;
    case KEY_TOLERANCE:
        o->tolerance = number(state, "--tolerance", text, 0, 1e6);
        break;
    case KEY_STORE:
        o->store = text;
        break;
    case KEY_JSON:
        o->json = true;
        break;
    case KEY_QUIET:
        o->quiet = true;
        break;
    case KEY_SECONDS:
        o->seconds = number(state, "--seconds", text, 0, 1e7);
        break;
    case KEY_STRATEGY:
        parse_strategy(text, state);
        break;
    case KEY_SEED:
        o->seed = (uint64_t)integer(state, "--seed", text, 0, INT64_MAX);
        break;
    case KEY_OUTPUT:
        o->output = text;
        break;
    case KEY_BATCH_INVARIANT:
        o->batch_invariant = true;
        break;
    case KEY_COUNT:
        o->count_only = true;
        break;
    case KEY_VARIANT:
        append(&o->variants, &o->variant_count, text);
        break;
    case KEY_RIVAL:
        append(&o->rivals, &o->rival_count, text);
        break;
    case KEY_LIMIT:
        o->limit = (int)integer(state, "--limit", text, 1, 1000000000);
        break;
    case KEY_ROWS:
        o->rows = integer(state, "--rows", text, 1, INT64_C(1) << 31);
        break;
    case KEY_OLDER_THAN:
        o->older_than_days = number(state, "--older-than", text, 0, 1e6);
        break;
    case KEY_BYTES:
        o->most_bytes = bytes(state, text);
        break;
    case KEY_HELP:
        help_print(o->command, parse->all);
        exit(STATUS_DONE);
    case KEY_USAGE:
        help_print_usage(o->command);
        exit(STATUS_DONE);
    case KEY_VERSION:
        version_print(stdout);
        exit(STATUS_DONE);
    case ARGP_KEY_ARG:
        parse_argument(text, state);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static bool gather_problems(struct parse *parse, const char *program, struct error *e)
{
    struct options *o = parse->o;
    if (!o->command->takes_problem)
        return true;
    if (parse->problems_file != NULL && parse->shaped)
        return error_set(
            e, STATUS_USAGE,
            "--problems: the file says all of each problem: leave the other options of a problem out");
    bool none = parse->problems_file == NULL && parse->N.count == 0;
    if (none && o->command->problem_optional && !parse->shaped)
        return true;
    if (none)
        return error_set(e, STATUS_USAGE,
                         "--N is missing: the number of columns, for example --N 8192; see '%s --help'",
                         program);
    if (parse->problems_file != NULL
            ? !problems_of_file(parse->problems_file, &o->problems, &o->problem_count, e)
            : !problems_of_lists(&parse->shape, &parse->M, &parse->N, &o->problems, &o->problem_count, e))
        return false;
    problems_drop_repeated(o->problems, &o->problem_count, o->quiet);
    return !o->command->needs_rows || problems_have_rows(o->problems, o->problem_count, e);
}

static const struct command *find_command(int *argc, char ***argv)
{
    if (*argc < 2 || (*argv)[1][0] == '-')
        return &commands[0];
    char hint[HINT_SIZE];
    struct nearest nearest = nearest_to((*argv)[1], strlen((*argv)[1]));
    for (const struct command *c = commands; c->name != NULL; c++) {
        if (strcmp(c->name, (*argv)[1]) == 0) {
            ++*argv;
            --*argc;
            return c;
        }
        nearest_offer(&nearest, c->name);
    }
    fprintf(stderr, "softmax-tune: '%s' is no command%s\n", (*argv)[1],
            nearest.name != NULL ? nearest_hint(&nearest, hint) : ": see 'softmax-tune --help'");
    exit(STATUS_USAGE);
}

/* The command line as a shell would read it. */
static char *quote_command(int argc, char **argv)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-=./:,+@%";
    char *line = must_strdup("softmax-tune");
    for (int i = 1; i < argc; i++) {
        const char *text = argv[i];
        bool quoted = text[0] == '\0' || text[strspn(text, plain)] != '\0';
        char *longer = must_format("%s %s", line, quoted ? "'" : text);
        for (const char *c = text; quoted && *c != '\0'; c++) {
            char *more = must_format(*c == '\'' ? "%s'\\'%c'" : "%s%c", longer, *c);
            free(longer);
            longer = more;
        }
        free(line);
        line = quoted ? must_format("%s'", longer) : must_strdup(longer);
        free(longer);
    }
    return line;
}

static int add_options(struct argp_option *all, int count, const struct argp_option *some)
{
    for (; some != NULL && (some->name != NULL || some->doc != NULL); some++)
        all[count++] = *some;
    all[count] = (struct argp_option){0};
    return count;
}

void options_parse(int argc, char **argv, struct options *o)
{
    *o = (struct options){.tolerance = 1,
                          .seconds = INFINITY,
                          .seed = 1,
                          .output = "out",
                          .older_than_days = INFINITY,
                          .most_bytes = -1};
    o->again = quote_command(argc, argv);
    o->command = find_command(&argc, &argv);
    o->rows = o->command->run == command_check ? CHECK_ROWS : 0;
    struct argp_option all[OPTIONS_MAX];
    int count = add_options(all, 0, o->command->own);
    count = o->command->takes_problem ? add_options(all, count, problem_options) : count;
    count = o->command->takes_space ? add_options(all, count, space_options) : count;
    add_options(all, count, common_options);
    const struct argp argp = {.options = all, .parser = parse_option};
    struct parse parse = {.o = o, .all = all, .shape.problem = {.align = DEFAULT_ALIGN}};
    char *name = o->command == &commands[0] ? must_strdup("softmax-tune")
                                            : must_format("softmax-tune %s", o->command->name);
    argv[0] = name;
    argp_err_exit_status = STATUS_USAGE;
    option_names_check(name, argc, argv, all);
    argp_parse(&argp, argc, argv, ARGP_NO_HELP, NULL, &parse);
    struct error e;
    bool ok = gather_problems(&parse, name, &e);
    free(parse.M.values);
    free(parse.N.values);
    if (!ok)
        fprintf(stderr, "%s: %s\n", name, e.text);
    free(name);
    argv[0] = (char *)"softmax-tune";
    if (!ok)
        exit(e.status);
}

void options_clear(struct options *o)
{
    free(o->again);
    free(o->problems);
    free((void *)o->space.pins);
    free(o->variants);
    free(o->rivals);
    free(o->words);
    *o = (struct options){0};
}
