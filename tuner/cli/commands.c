/* The table of commands: what each takes and what its --help says. */
#include "tuner/cli/command.h"
#include "tuner/cli/option_keys.h"

#include <stddef.h>

static const struct argp_option tune_options[] = {
    {NULL, 0, NULL, 0, "Tuning:", 1},
    {"seconds", KEY_SECONDS, "S", 0, "bounds each problem's tuning; what was measured by then decides", 1},
    {"strategy", KEY_STRATEGY, "HOW", 0, "exhaustive (the default), in the space's order; or random", 1},
    {"seed", KEY_SEED, "K", 0, "of the random orders and of the verifier's inputs; 1 by default", 1},
    {"output", KEY_OUTPUT, "DIR", 0, "where the kernel is written; out by default", 1},
    {0}};

static const struct argp_option list_options[] = {
    {NULL, 0, NULL, 0, "Listing:", 1}, {"count", KEY_COUNT, NULL, 0, "only how many there are", 1}, {0}};

static const struct argp_option source_options[] = {
    {NULL, 0, NULL, 0, "Source:", 1},
    {"variant", KEY_VARIANT, "V", 0,
     "name=value joined by commas, what is missing at its default; or a preset", 1},
    {0}};

static const struct argp_option check_options[] = {
    {NULL, 0, NULL, 0, "Checking:", 1},
    {"variant", KEY_VARIANT, "V", 0, "a variant, a preset, or all (the default); may be given again", 1},
    {"limit", KEY_LIMIT, "VARIANTS", 0, "at most that many of all", 1},
    {"rows", KEY_ROWS, "R", 0, "rows of each launch; 8 by default", 1},
    {"seed", KEY_SEED, "K", 0, "of the inputs; 1 by default", 1},
    {0}};

static const struct argp_option bench_options[] = {
    {NULL, 0, NULL, 0, "Racing:", 1},
    {"variant", KEY_VARIANT, "V", 0, "a variant or a preset; may be given again", 1},
    {"rival", KEY_RIVAL, "MANIFEST", 0, "an emitted kernel of the same problem; may be given again", 1},
    {"seconds", KEY_SECONDS, "S", 0, "bounds the race", 1},
    {"seed", KEY_SEED, "K", 0, "of the random orders and of the verifier's inputs; 1 by default", 1},
    {0}};

static const struct argp_option confirm_options[] = {
    {NULL, 0, NULL, 0, "Racing:", 1},
    {"seconds", KEY_SECONDS, "S", 0, "bounds each race", 1},
    {"seed", KEY_SEED, "K", 0, "of the random orders and of the verifier's inputs; 1 by default", 1},
    {0}};

static const struct argp_option gpus_options[] = {{0}};

#define STATUSES                                                                                             \
    "Exit status:\n"                                                                                         \
    "    0  done\n"                                                                                          \
    "    1  a problem for which no variant survived; check: a variant is wrong\n"                            \
    "    2  wrong usage, problem, space or template; an output that cannot be written\n"                     \
    "    3  a needed thing is missing: NVRTC, the GPU asked for, a usable store\n"                           \
    "  130, 143  interrupted or terminated: the best so far is emitted\n"

const struct command commands[] = {
    {"tune", command_tune, true, true, tune_options, NULL,
     "find the fastest variant and emit it (the default)",
     "Finds the fastest softmax kernel for a GPU, a type and a shape, and hands it over as source, binary, launch "
     "parameters and C headers.\n\n"
     "Commands (each has its own --help):\n"
     "  tune     find the fastest variant and emit it; what runs when no command is named\n"
     "  list     the variants of the space that are valid for a problem\n"
     "  source   the CUDA source that would be emitted for a variant\n"
     "  check    verify variants on a device\n"
     "  bench    time just some variants and rivals, in one race\n"
     "  confirm  race what was emitted by prediction on the GPU here\n"
     "  gpus     the GPUs that are known by name"
     "\v"
     "Examples:\n"
     "  softmax-tune --N 8192                         for the GPU here\n"
     "  softmax-tune --N 1024,4096 --M 1,64 --dtype bf16\n"
     "  softmax-tune --arch sm_120 --N 8192           for a GPU that is not here, by prediction\n"
     "  softmax-tune confirm out                      settles that on the GPU itself\n"
     "  softmax-tune --N 8192 --config mine.lua --templates kernels\n"
     "\n" STATUSES "\n"
     "Files:\n"
     "  DIR/<stem>.cu .cubin .ptx .h .json            the kernel, its manifest last\n"
     "  DIR/candidates/<stem>/2 to 5                  runners-up, where the choice is predicted\n"
     "  $XDG_CACHE_HOME/softmax-tune/images           compiled images (--store)\n"
     "\n"
     "Environment:\n"
     "  CUDA_HOME, CUDA_PATH                          where NVRTC is looked for\n"
     "  NO_COLOR                                      no colour in the report"},
    {"list", command_list, true, true, list_options, NULL, "the variants valid for a problem",
     "Prints the key of each variant that is valid for the problem and the GPU, one a line, in the space's order."
     "\v"
     "Examples:\n"
     "  softmax-tune list --arch sm_120 --N 8192 --count\n"
     "  softmax-tune list --arch sm_90 --N 8192 --config article --set passes=online\n"
     "\n" STATUSES},
    {"source", command_source, true, true, source_options, NULL, "the source of a variant",
     "Prints the .cu file that would be emitted for a variant."
     "\v"
     "Examples:\n"
     "  softmax-tune source --arch sm_120 --N 8192 --config article --variant v4\n"
     "  softmax-tune source --arch sm_120 --N 8192 --variant threads=512,vec_bytes=8\n"
     "\n" STATUSES},
    {"check", command_check, true, true, check_options, NULL, "verify variants on a device",
     "Verifies variants on a device against float64, with every input of the verifier: one line a variant, with its "
     "verdict, the worst error over its bound, and why it is wrong."
     "\v"
     "Examples:\n"
     "  softmax-tune check --N 8193 --dtype bf16 --variant all --limit 20\n"
     "  softmax-tune check --arch sm_120 --N 8192 --config article --variant v5 --json\n"
     "\n" STATUSES},
    {"bench", command_bench, true, true, bench_options, "[V...]", "time just these, in one race",
     "Verifies and times just the variants and rivals that are named, in the same interleaved rounds as the limit. "
     "A GPU is needed."
     "\v"
     "Examples:\n"
     "  softmax-tune bench --N 8192 --config article v2 v3 v4\n"
     "  softmax-tune bench --N 8192 --variant threads=512 --rival old/softmax_f32_m8192_n8192_sm_90.json\n"
     "\n" STATUSES},
    {"confirm", command_confirm, false, false, confirm_options, "FOLDER",
     "race emitted candidates on the GPU here",
     "Races what was emitted into FOLDER and FOLDER/candidates on the GPU here, and writes all of it again as "
     "measured: the winner into FOLDER, the others in their order into FOLDER/candidates/<stem>/2 and so on. "
     "A candidate that turns out to be wrong is removed."
     "\v"
     "Example:\n"
     "  softmax-tune confirm out\n"
     "\n" STATUSES},
    {"gpus", command_gpus, false, false, gpus_options, NULL, "the GPUs known by name",
     "Lists the GPUs that --gpu knows, the first of an architecture being its default, and the one that is here."
     "\v" STATUSES},
    {0},
};
