#include "tests/instruction_samples.h"

#include <stdio.h>
#include <string.h>

#include "tuner/devices/emulator/instruction_lookup.h"

/* Programs for what instruction_table.h names without operand types: the body computes %r4 (or %rd4 where the
   result is `l`) from %r1 to %r3 and %rd1 to %rd3, the lane's inputs. */
static const struct {
    const char *name, *body;
    char result;
} programs[] = {
    {"bfi.b32", "bfi.b32 %r4, %r1, %r2, %r3, 7;", 'w'},
    {"bfi.b64", "bfi.b64 %rd4, %rd1, %rd2, %r3, 19;", 'l'},
    {"lop3.b32", "lop3.b32 %r4, %r1, %r2, %r3, 0x6b;", 'w'},
    {"shfl.sync.down.b32", "shfl.sync.down.b32 %r4, %r1, 5, 31, -1;", 'w'},
    {"shfl.sync.up.b32", "shfl.sync.up.b32 %r4, %r1, 3, 0, -1;", 'w'},
    {"shfl.sync.bfly.b32", "shfl.sync.bfly.b32 %r4, %r1, 9, 31, -1;", 'w'},
    {"shfl.sync.idx.b32", "shfl.sync.idx.b32 %r4, %r1, %r2, 0x181f, -1;", 'w'},
    {"shfl.sync.down.b32 predicate",
     "shfl.sync.down.b32 %r5|%p1, %r1, 7, 0x101f, -1;\nselp.b32 %r4, 1, 0, %p1;", 'w'},
    {"vote.sync.ballot.b32", "setp.gt.s32 %p1, %r1, %r2;\nvote.sync.ballot.b32 %r4, %p1, -1;", 'w'},
    {"vote.sync.any.pred",
     "setp.gt.s32 %p1, %r1, %r2;\nvote.sync.any.pred %p2, %p1, -1;\nselp.b32 %r4, 1, 0, %p2;", 'w'},
    {"vote.sync.all.pred",
     "setp.gt.s32 %p1, %r1, %r2;\nvote.sync.all.pred %p2, %p1, -1;\nselp.b32 %r4, 1, 0, %p2;", 'w'},
    {"match.any.sync.b32", "and.b32 %r5, %r1, 3;\nmatch.any.sync.b32 %r4, %r5, -1;", 'w'},
    {"redux.sync.add.s32", "redux.sync.add.s32 %r4, %r1, -1;", 'w'},
    {"redux.sync.min.s32", "redux.sync.min.s32 %r4, %r1, -1;", 'w'},
    {"redux.sync.max.s32", "redux.sync.max.s32 %r4, %r1, -1;", 'w'},
    {"redux.sync.max.u32", "redux.sync.max.u32 %r4, %r1, -1;", 'w'},
    {"redux.sync.xor.b32", "redux.sync.xor.b32 %r4, %r1, -1;", 'w'},
    {"mov.b64 pack", "mov.b64 %rd4, {%r1, %r2};", 'l'},
    {"mov.b32 unpack", "{\n.reg .b16 lo, hi;\nmov.b32 {lo, hi}, %r1;\nmov.b32 %r4, {hi, lo};\n}", 'w'},
    {"setp pair",
     "setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3;\nselp.b32 %r5, 2, 0, %p2;\nselp.b32 %r4, 1, 0, %p1;\nor.b32 %r4, "
     "%r4, %r5;",
     'w'},
    {"atom.global.add.u32",
     "st.global.u32 [%rd9], %r1;\natom.global.add.u32 %r5, [%rd9], %r2;\nld.global.u32 %r4, [%rd9];\n"
     "xor.b32 %r4, %r4, %r5;",
     'w'},
    {"atom.global.min.s32",
     "st.global.u32 [%rd9], %r1;\natom.global.min.s32 %r5, [%rd9], %r2;\nld.global.u32 %r4, [%rd9];", 'w'},
    {"atom.global.max.u32",
     "st.global.u32 [%rd9], %r1;\natom.global.max.u32 %r5, [%rd9], %r2;\nld.global.u32 %r4, [%rd9];", 'w'},
    {"atom.global.inc.u32",
     "st.global.u32 [%rd9], %r1;\natom.global.inc.u32 %r5, [%rd9], %r2;\nld.global.u32 %r4, [%rd9];", 'w'},
    {"atom.global.dec.u32",
     "st.global.u32 [%rd9], %r1;\natom.global.dec.u32 %r5, [%rd9], %r2;\nld.global.u32 %r4, [%rd9];", 'w'},
    {"atom.global.cas.b32",
     "st.global.u32 [%rd9], %r1;\natom.global.cas.b32 %r5, [%rd9], %r2, %r3;\nld.global.u32 %r4, [%rd9];",
     'w'},
    {"atom.global.exch.b64", "st.global.u64 [%rd9], %rd1;\natom.global.exch.b64 %rd4, [%rd9], %rd2;", 'l'},
    {"atom.global.add.f32",
     "st.global.u32 [%rd9], %r1;\natom.global.add.f32 %r5, [%rd9], %r2;\nld.global.u32 %r4, [%rd9];", 'w'},
    {"ld.global.s16", "st.global.u32 [%rd9], %r1;\nld.global.s16 %r4, [%rd9];", 'w'},
    {"ld.global.u8", "st.global.u32 [%rd9], %r1;\nld.global.u8 %r4, [%rd9+1];", 'w'},
    {"bar.red.popc.u32", "setp.gt.s32 %p1, %r1, %r2;\nbar.red.popc.u32 %r4, 0, %p1;", 'w'},
};
enum { PROGRAMS = sizeof programs / sizeof programs[0] };

/* ---- inputs ---- */

static uint64_t random_bits(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint64_t special_input(char shape, bool is_float, uint64_t pick)
{
    static const uint32_t floats[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
                                      0xff800000, 0x7fc00000, 0x00000001, 0x807fffff, 0x00800000,
                                      0x7f7fffff, 0x3f000000, 0x40200000, 0x4b000001, 0x4effffff,
                                      0xcf000000, 0x33800000, 0x477fe000, 0x42fe0000, 0xc2fc0000};
    static const uint64_t doubles[] = {0,
                                       UINT64_C(1) << 63,
                                       UINT64_C(0x3ff0000000000000),
                                       UINT64_C(0x7ff0000000000000),
                                       UINT64_C(0x3fe0000000000000),
                                       UINT64_C(0xc1e0000000000000),
                                       1};
    static const uint16_t halves[] = {0, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00,
                                      1, 0x03ff, 0x0400, 0x7bff, 0x3f80, 0x7f80};
    static const uint64_t integers[] = {
        0,  1,   UINT64_MAX, 0x7fffffff, 0x80000000,        31,        32,   33,     63,
        64, 255, 0x8000,     0x7fff,     UINT64_C(1) << 63, INT64_MAX, 0x80, 0x10001};
    if (!is_float)
        return integers[pick % (sizeof integers / sizeof integers[0])];
    if (shape == 'l')
        return doubles[pick % (sizeof doubles / sizeof doubles[0])];
    if (shape == 'h')
        return halves[pick % (sizeof halves / sizeof halves[0])];
    return floats[pick % (sizeof floats / sizeof floats[0])];
}

/* Half of the lanes get special values, a quarter random bits, a quarter floats of ordinary size. */
static void fill_inputs(struct instruction_sample *s, const char *shapes)
{
    bool is_float =
        strstr(s->name, ".f32") != NULL || strstr(s->name, ".f64") != NULL || strstr(s->name, "f16") != NULL;
    uint64_t state = 1;
    for (const char *c = s->name; *c != '\0'; c++)
        state = state * 131 + (unsigned char)*c;
    for (int lane = 0; lane < SAMPLE_LANES; lane++) {
        for (int k = 0; k < SAMPLE_OPERANDS; k++) {
            uint64_t bits = random_bits(&state), *to = &s->in[lane * SAMPLE_OPERANDS + k];
            if (lane < 16)
                *to = special_input(shapes[k], is_float, bits >> 8);
            else if (lane < 24 || !is_float)
                *to = random_bits(&state);
            else if (shapes[k] == 'l')
                *to = (bits & UINT64_C(0x800fffffffffffff)) | (UINT64_C(0x3f8) + bits % 16) << 52;
            else if (shapes[k] == 'h')
                *to = (bits & 0x83ff) | (13 + bits / 64 % 4) << 10;
            else
                *to = ((bits & 0x807fffff) | (123 + bits % 8) << 23) | (bits & UINT64_C(0x807fffff00000000)) |
                      (UINT64_C(123) + bits / 8 % 8) << 55;
            if (shapes[k] == 'p')
                *to &= 1;
        }
    }
}

/* ---- texts ---- */

static void append(struct instruction_sample *s, const char *line)
{
    size_t used = strlen(s->text);
    snprintf(s->text + used, sizeof s->text - used, "%s", line);
}

static void begin(struct instruction_sample *s, const char *target)
{
    snprintf(
        s->text, sizeof s->text,
        ".version 8.8\n.target %s\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
        ".reg .pred %%p<6>;\n.reg .b16 %%h<6>;\n.reg .b32 %%r<12>;\n.reg .b64 %%rd<12>;\n"
        "ld.param.u64 %%rd7, [in];\nld.param.u64 %%rd8, [out];\nmov.u32 %%r9, %%tid.x;\n"
        "mul.wide.u32 %%rd10, %%r9, 24;\nadd.s64 %%rd7, %%rd7, %%rd10;\n"
        "mul.wide.u32 %%rd10, %%r9, 8;\nadd.s64 %%rd9, %%rd8, %%rd10;\n",
        target);
    for (int k = 1; k <= SAMPLE_OPERANDS; k++) {
        char line[256];
        snprintf(line, sizeof line,
                 "ld.global.u64 %%rd%d, [%%rd7+%d];\ncvt.u32.u64 %%r%d, %%rd%d;\ncvt.u16.u64 %%h%d, %%rd%d;\n"
                 "setp.ne.s64 %%p%d, %%rd%d, 0;\n",
                 k, (k - 1) * 8, k, k, k, k, k, k);
        append(s, line);
    }
}

static void finish(struct instruction_sample *s)
{
    append(s, s->result == 'l'   ? ""
              : s->result == 'h' ? "cvt.u64.u16 %rd4, %h4;\n"
              : s->result == 'c' ? "and.b16 %h4, %h4, 255;\ncvt.u64.u16 %rd4, %h4;\n"
              : s->result == 'p' ? "selp.b64 %rd4, 1, 0, %p4;\n"
                                 : "cvt.u64.u32 %rd4, %r4;\n");
    append(s, "st.global.u64 [%rd9], %rd4;\nret;\n}\n");
}

static const char *register_kind(char shape)
{
    return shape == 'l' ? "%rd" : shape == 'h' || shape == 'c' ? "%h" : shape == 'p' ? "%p" : "%r";
}

/* How often the longest choice of the pattern must be varied until each word has been taken once. */
static int forms(const char *pattern)
{
    int most = 1;
    for (const char *at = pattern; *at != '\0'; at++) {
        int words = *at == '{';
        if (*at != '{' && *at != '(')
            continue;
        for (const char *end = at; *end != '}' && *end != ')'; end++)
            words += *end == '.';
        most = words > most ? words : most;
    }
    return most;
}

/* The form-th name of the pattern: of each choice the form-th word, an optional one's first being none. */
static void expand(const char *pattern, int form, char name[SAMPLE_NAME_SIZE])
{
    int used = 0;
    while (*pattern != '\0') {
        if (*pattern != '{' && *pattern != '(') {
            name[used++] = *pattern++;
            continue;
        }
        bool optional = *pattern == '{';
        const char *end = strchr(pattern, optional ? '}' : ')');
        int words = optional;
        for (const char *c = pattern; c < end; c++)
            words += *c == '.';
        int pick = form % words - optional;
        const char *word = pattern + 1;
        for (; pick > 0; pick--)
            word = strchr(word + 1, '.');
        if (pick == 0) {
            name[used++] = *word++;
            while (*word != '.' && word < end)
                name[used++] = *word++;
        }
        pattern = end + 1;
    }
    name[used] = '\0';
}

/* A comparison that takes a third source combines with it. */
static bool combines(const char *name)
{
    return strncmp(name, "setp", 4) == 0 &&
           (strstr(name, ".and.") != NULL || strstr(name, ".or.") != NULL || strstr(name, ".xor.") != NULL);
}

static bool table_sample(const struct table_line *line, int form, struct instruction_sample *s)
{
    char shapes[SAMPLE_OPERANDS + 1] = "www", text[256];
    expand(line->pattern, form, s->name);
    s->result = line->shape[0];
    int used = snprintf(text, sizeof text, "%s %s4", s->name, register_kind(s->result));
    for (int k = 0; k < SAMPLE_OPERANDS; k++) {
        char shape = line->shape[1 + k];
        if (line->action == ACTION_PREDICATE)
            shape = k == 0 || (k == 1 && strncmp(s->name, "not", 3) != 0 && strncmp(s->name, "mov", 3) != 0)
                        ? 'p'
                        : '-';
        if (line->action == ACTION_COMPARE && k == 2 && combines(s->name))
            shape = 'p';
        if (shape == '-')
            continue;
        shapes[k] = shape;
        used += snprintf(text + used, sizeof text - (size_t)used, ", %s%d", register_kind(shape), k + 1);
    }
    fill_inputs(s, shapes);
    append(s, text);
    append(s, ";\n");
    return true;
}

bool instruction_sample(int index, struct instruction_sample *s)
{
    begin(s, "sm_90");
    if (index < PROGRAMS) {
        snprintf(s->name, sizeof s->name, "%s", programs[index].name);
        s->result = programs[index].result;
        fill_inputs(s, s->result == 'l' ? "lll" : "www");
        append(s, programs[index].body);
        append(s, "\n");
        finish(s);
        return true;
    }
    index -= PROGRAMS;
    const struct table_line *line;
    for (int k = 0; (line = instruction_line(k)) != NULL; k++) {
        if (line->lane == LANE_COUNT)
            continue;
        int count = forms(line->pattern);
        if (index < count) {
            table_sample(line, index, s);
            finish(s);
            return true;
        }
        index -= count;
    }
    return false;
}

double instruction_tolerance(const char *name, double *absolute)
{
    static const struct {
        const char *part;
        double relative, absolute;
    } approximate[] = {
        {"ex2.approx.ftz.bf16", 0x1p-6, 0}, {"ex2.approx.f16", 0x1p-9, 0x1p-24},
        {"ex2.approx", 0x1p-21, 0x1p-126},  {"lg2.approx", 0x1p-21, 0x1p-21},
        {"rcp.approx", 0x1p-22, 0x1p-126},  {"rsqrt.approx", 0x1p-21, 0},
        {"sqrt.approx", 0x1p-21, 0x1p-126}, {"div.approx", 0x1p-21, 0x1p-126},
        {"div.full", 0x1p-21, 0x1p-126},    {"tanh.approx", 0x1p-10, 0},
    };
    for (size_t i = 0; i < sizeof approximate / sizeof approximate[0]; i++) {
        if (strstr(name, approximate[i].part) != NULL) {
            *absolute = approximate[i].absolute;
            return approximate[i].relative;
        }
    }
    *absolute = 0;
    return 0;
}
