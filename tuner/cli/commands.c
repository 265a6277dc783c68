/* The table of commands: what each takes and what its --help says. */
#include "tuner/cli/command.h"
#include "tuner/cli/option_keys.h"

#include <stddef.h>

static const struct argp_option tune_options[] = {
    {.doc = "Tuning:"},
    {"seconds", KEY_SECONDS, "S", 0, "bounds each problem's tuning; what was measured by then decides", 0},
    {"strategy", KEY_STRATEGY, "HOW", 0,
     "exhaustive (the default), random, or local: neighbours of the best so far", 0},
    {"seed", KEY_SEED, "K", 0, "of the random orders and of the verifier's inputs; 1 by default", 0},
    {"output", KEY_OUTPUT, "DIR", 0, "where the kernel is written; out by default", 0},
    {"batch-invariant", KEY_BATCH_INVARIANT, NULL, 0,
     "one variant for all M that are given, so that a row's bits do not depend on how many rows there are",
     0},
    {0}};

static const struct argp_option list_options[] = {
    {.doc = "Listing:"}, {"count", KEY_COUNT, NULL, 0, "only how many there are", 0}, {0}};

static const struct argp_option source_options[] = {
    {.doc = "Source:"},
    {"variant", KEY_VARIANT, "V", 0,
     "name=value joined by commas, what is missing at its default; or a preset; or both: v4,exp=ex2; the first "
     "that list prints where it is not given",
     0},
    {0}};

static const struct argp_option check_options[] = {
    {.doc = "Checking:"},
    {"variant", KEY_VARIANT, "V", 0, "a variant, a preset, or all (the default); may be given again", 0},
    {"limit", KEY_LIMIT, "VARIANTS", 0, "at most that many of all", 0},
    {"rows", KEY_ROWS, "R", 0, "rows of each launch; 8 by default", 0},
    {"seed", KEY_SEED, "K", 0, "of the inputs; 1 by default", 0},
    {0}};

static const struct argp_option bench_options[] = {
    {.doc = "Racing:"},
    {"variant", KEY_VARIANT, "V", 0, "a variant or a preset; may be given again", 0},
    {"rival", KEY_RIVAL, "MANIFEST|FILE.cu:SYMBOL", 0,
     "an emitted kernel of the same problem, or a kernel of your own; may be given again", 0},
    {"seconds", KEY_SECONDS, "S", 0, "bounds the race", 0},
    {"seed", KEY_SEED, "K", 0, "of the random orders and of the verifier's inputs; 1 by default", 0},
    {0}};

static const struct argp_option confirm_options[] = {
    {.doc = "Racing:"},
    {"seconds", KEY_SECONDS, "S", 0, "bounds each race", 0},
    {"seed", KEY_SEED, "K", 0, "of the random orders and of the verifier's inputs; 1 by default", 0},
    {0}};

static const struct argp_option store_options[] = {
    {.doc = "Store:"},
    {"variant", KEY_VARIANT, "V", 0,
     "explain: a variant or a preset; may be given again; all where it is not given", 0},
    {"older-than", KEY_OLDER_THAN, "DAYS", 0, "prune: what was tried longer ago", 0},
    {"bytes", KEY_BYTES, "SIZE", 0, "prune: what was used longest ago, down to that size, for example 64M",
     0},
    {0}};

static const struct argp_option gpus_options[] = {{0}};

const struct command commands[] = {
    {.name = "tune",
     .run = command_tune,
     .takes_problem = true,
     .takes_space = true,
     .needs_rows = true,
     .own = tune_options,
     .arguments = "",
     .summary = "find the fastest variant and emit it; what runs when no command is named",
     .title = "finds the fastest softmax kernel for a GPU, a type and a shape",
     .text =
         "Generates every variant of a space, compiles it, verifies it against float64, races the right\n"
         "ones on the GPU here beside a copy of the same bytes, and writes the fastest as source, binary,\n"
         "launch parameters and C headers. For a GPU that is not here it compiles, proves and predicts\n"
         "instead, and says so.",
     .examples = "  softmax-tune --N 8192                                  for the GPU here\n"
                 "  softmax-tune --N 1024,4096 --M 1,64 --dtype bf16       several problems\n"
                 "  softmax-tune --N 4096 --M 1,16,256 --batch-invariant   the same bits at every M\n"
                 "  softmax-tune --arch sm_120 --N 8192                    for a GPU that is not here\n"
                 "  softmax-tune confirm out                               settles that on the GPU itself\n"
                 "  softmax-tune --N 8192 --config mine.lua --templates .  a space of your own\n",
     .files = "  DIR/<stem>.cu .cubin .ptx .h .json    the kernel and its manifest (DIR is out by default)\n"
              "  DIR/candidates/<stem>/2 to 5          runners-up, where the choice is a prediction\n"
              "  STORE/trials.sqlite                   what was tried and how it went; see 'store'\n"
              "  STORE/images                          compiled images; may be removed at any time\n"},
    {.name = "list",
     .run = command_list,
     .takes_problem = true,
     .takes_space = true,
     .own = list_options,
     .arguments = "",
     .summary = "the variants of the space that are valid for a problem",
     .title = "lists the variants of the space that are valid for a problem",
     .text = "Prints the key of each variant that is valid for the problem and the GPU, one a line, in the\n"
             "space's order.",
     .examples = "  softmax-tune list --arch sm_120 --N 8192 --count\n"
                 "  softmax-tune list --arch sm_90 --N 8192 --config article --set passes=2\n"},
    {.name = "source",
     .run = command_source,
     .takes_problem = true,
     .takes_space = true,
     .own = source_options,
     .arguments = "",
     .summary = "the CUDA source that would be emitted for a variant",
     .title = "prints the CUDA source that would be emitted for a variant",
     .text = "The text stands alone: nvcc -arch=sm_XX -c compiles it, kernel and launcher.",
     .examples = "  softmax-tune source --arch sm_120 --N 8192 --config article --variant v4\n"
                 "  softmax-tune source --arch sm_120 --N 8192 --variant threads=512,vec_bytes=8\n"},
    {.name = "check",
     .run = command_check,
     .takes_problem = true,
     .takes_space = true,
     .own = check_options,
     .arguments = "",
     .summary = "verify variants on a device, with counts on the emulator",
     .title = "verifies variants on a device",
     .text =
         "Verifies variants against float64 with every input of the verifier: one line a variant as soon\n"
         "as it is settled, with its verdict, the worst element's error over its bound, and why it is\n"
         "wrong. On the emulator it also prints what the variant does on all M rows: requests and sectors\n"
         "of global memory, shared memory, barriers, instructions.",
     .examples = "  softmax-tune check --N 8193 --dtype bf16 --limit 20\n"
                 "  softmax-tune check --arch sm_120 --N 8192 --config article --variant v5 --json\n"},
    {.name = "bench",
     .run = command_bench,
     .takes_problem = true,
     .takes_space = true,
     .needs_rows = true,
     .own = bench_options,
     .arguments = " V...",
     .summary = "time just some variants and rivals, in one race",
     .title = "times just some variants and rivals, in one race",
     .text =
         "Verifies and times the variants and rivals that are named, in the same interleaved rounds as\n"
         "the limit. It needs the GPU itself, and writes nothing. A wrong one is said to be wrong, timed all\n"
         "the same, and cannot win. A kernel of your own is compiled by NVRTC; a comment in its file says\n"
         "how it is launched:\n\n"
         "  // softmax-tune: kernel=SYMBOL grid=M block=256 args=x,y,M,N smem=0 workspace=0\n\n"
         "kernel, smem, workspace, cluster and cooperative may be left out. Grid and workspace (bytes) are\n"
         "expressions of M and sms; args are of x, y, workspace, M, N, x_stride, y_stride and scale.",
     .examples = "  softmax-tune bench --N 8192 v2 v3 v4\n"
                 "  softmax-tune bench --N 8192 threads=512 --rival old/softmax_f32_m8192_n8192_sm_90.json\n"
                 "  softmax-tune bench --N 8192 v4 v5 --rival mine.cu:my_softmax\n"},
    {.name = "confirm",
     .run = command_confirm,
     .own = confirm_options,
     .arguments = " FOLDER",
     .summary = "race what was emitted by prediction on the GPU here",
     .title = "races what was emitted by prediction on the GPU here",
     .text =
         "Races the kernels in FOLDER and their runners-up in FOLDER/candidates on the GPU here, and\n"
         "writes all of them again as measured: the winner into FOLDER, the others by their times into\n"
         "FOLDER/candidates/<stem>/2 and on. A candidate that turns out to be wrong is removed; where all\n"
         "are, nothing of that problem is changed, and the others go on. Kernels for another architecture\n"
         "are left as they are.",
     .examples = "  softmax-tune confirm out\n"},
    {.name = "store",
     .run = command_store,
     .takes_problem = true,
     .takes_space = true,
     .problem_optional = true,
     .own = store_options,
     .arguments = " [explain|prune|export kernel-tuner|export t4]",
     .summary = "what earlier runs found: its size, why it is used or not, pruning, export",
     .title = "looks into the store, where tuning keeps what it found",
     .text =
         "store            says where the store is and how much is in it.\n"
         "store explain    says of a problem's variants whether they are stored (a hit), were found in\n"
         "                 another environment (stale) or are not there (a miss), and what differs.\n"
         "store prune      removes trials. Compiled images, beside it, are bounded by themselves.\n"
         "store export     prints the trials of one problem as Kernel Tuner's cache or as T4 results; of\n"
         "                 several GPUs or environments, those of the latest trial.",
     .examples = "  softmax-tune store explain --N 8192 --variant v4\n"
                 "  softmax-tune store prune --older-than 90 --bytes 64M\n"
                 "  softmax-tune store export kernel-tuner --N 8192 >cache.json\n"
                 "  softmax-tune store export t4 --N 8192 --gpu h200 >results.json\n",
     .files = "  STORE/trials.sqlite                   trials, with their verdicts and times\n"
              "  STORE/images                          compiled images; may be removed at any time\n"},
    {.name = "gpus",
     .run = command_gpus,
     .own = gpus_options,
     .arguments = "",
     .summary = "the GPUs that are known by name, and the one here",
     .title = "lists the GPUs that are known by name, and the one here",
     .text = "The first GPU of an architecture is what --arch stands for where that GPU is not here.",
     .examples = "  softmax-tune gpus\n"},
    {0},
};
