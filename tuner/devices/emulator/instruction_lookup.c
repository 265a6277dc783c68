#include "tuner/devices/emulator/instruction_lookup.h"

#include <stddef.h>
#include <string.h>

enum {
    SHAPE_none = '-',
    SHAPE_pred = 'p',
    SHAPE_u8 = 'c',
    SHAPE_s8 = 'c',
    SHAPE_u16 = 'h',
    SHAPE_s16 = 'h',
    SHAPE_b16 = 'h',
    SHAPE_f16 = 'h',
    SHAPE_bf16 = 'h',
    SHAPE_bf16f = 'h',
    SHAPE_u32 = 'w',
    SHAPE_s32 = 'w',
    SHAPE_b32 = 'w',
    SHAPE_f32 = 'f',
    SHAPE_f32b = 'f',
    SHAPE_f16x2 = 'w',
    SHAPE_bf16x2 = 'w',
    SHAPE_bf16x2f = 'w',
    SHAPE_u64 = 'l',
    SHAPE_s64 = 'l',
    SHAPE_b64 = 'l',
    SHAPE_f64 = 'l',
    SHAPE_f32x2 = 'l',
    SHAPE_f32x2f = 'l',
    SHAPE_f16f = 'h',
};

static const struct table_line lines[] = {
#define LANES(id, pipe, pattern, D, A, B, C, ...)                                                            \
    {pattern, ACTION_LANES, PIPE_##pipe, LANE_##id, {SHAPE_##D, SHAPE_##A, SHAPE_##B, SHAPE_##C}},
#define COMPARE(id, pattern, A, B, ...)                                                                      \
    {pattern, ACTION_COMPARE, PIPE_ALU, LANE_##id, {'p', SHAPE_##A, SHAPE_##B, '-'}},
#define PREDICATE(id, pattern, ...)  {pattern, ACTION_PREDICATE, PIPE_ALU, LANE_##id, {'p', 'p', '-', '-'}},
#define OTHER(action, pipe, pattern) {pattern, action, PIPE_##pipe, LANE_COUNT, {'-', '-', '-', '-'}},
#include "tuner/devices/emulator/instruction_table.h"
};
enum { LINES = sizeof lines / sizeof lines[0] };

const struct table_line *instruction_line(int index)
{
    return index < LINES ? &lines[index] : NULL;
}

/* The words that set a modifier; others only choose the line. */
#define FIELD(name) offsetof(struct modifiers, name)
static const struct {
    const char *word;
    uint8_t field, value;
} words[] = {
    {".rz", FIELD(rounding), ROUND_ZERO},
    {".rm", FIELD(rounding), ROUND_DOWN},
    {".rp", FIELD(rounding), ROUND_UP},
    {".ftz", FIELD(ftz), 1},
    {".sat", FIELD(sat), 1},
    {".volatile", FIELD(ordering), ORDERING_RELAXED},
    {".relaxed", FIELD(ordering), ORDERING_RELAXED},
    {".acquire", FIELD(ordering), ORDERING_ACQUIRE},
    {".release", FIELD(ordering), ORDERING_RELEASE},
    {".acq_rel", FIELD(ordering), ORDERING_ACQ_REL},
    {".cta", FIELD(scope), SCOPE_CTA},
    {".cluster", FIELD(scope), SCOPE_CLUSTER},
    {".global", FIELD(space), SPACE_GLOBAL},
    {".const", FIELD(space), SPACE_CONST},
    {".shared", FIELD(space), SPACE_SHARED},
    {".shared::cta", FIELD(space), SPACE_SHARED},
    {".shared::cluster", FIELD(space), SPACE_CLUSTER},
    {".local", FIELD(space), SPACE_LOCAL},
    {".param", FIELD(space), SPACE_PARAM},
    {".v2", FIELD(vector), 2},
    {".v4", FIELD(vector), 4},
    {".v8", FIELD(vector), 8},
    {".aligned", FIELD(aligned), 1},
    {".arrive", FIELD(arrive), 1},
    {".to", FIELD(to), 1},
    {".NaN", FIELD(nan), 1},
    {".abs", FIELD(absolute), 1},
    {".add", FIELD(variant), VARIANT_ADD},
    {".min", FIELD(variant), VARIANT_MIN},
    {".max", FIELD(variant), VARIANT_MAX},
    {".inc", FIELD(variant), VARIANT_INC},
    {".dec", FIELD(variant), VARIANT_DEC},
    {".and", FIELD(variant), VARIANT_AND},
    {".or", FIELD(variant), VARIANT_OR},
    {".xor", FIELD(variant), VARIANT_XOR},
    {".exch", FIELD(variant), VARIANT_EXCHANGE},
    {".cas", FIELD(variant), VARIANT_CAS},
    {".idx", FIELD(variant), VARIANT_IDX},
    {".up", FIELD(variant), VARIANT_UP},
    {".down", FIELD(variant), VARIANT_DOWN},
    {".bfly", FIELD(variant), VARIANT_BFLY},
    {".all", FIELD(variant), VARIANT_ALL},
    {".any", FIELD(variant), VARIANT_ANY},
    {".uni", FIELD(variant), VARIANT_UNI},
    {".ballot", FIELD(variant), VARIANT_BALLOT},
    {".popc", FIELD(variant), VARIANT_POPC},
    {".expect_tx", FIELD(variant), VARIANT_EXPECT_TX},
    {".test_wait", FIELD(variant), VARIANT_TEST_WAIT},
};

static void apply_word(struct modifiers *m, const char *word, int length)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strncmp(words[i].word, word, (size_t)length) == 0 && words[i].word[length] == '\0')
            ((uint8_t *)m)[words[i].field] = words[i].value;
    static const struct {
        const char *word;
        uint8_t bytes, kind;
    } types[] = {
        {".b8", 1, ELEMENT_BITS},      {".u8", 1, ELEMENT_UNSIGNED},  {".s8", 1, ELEMENT_SIGNED},
        {".b16", 2, ELEMENT_BITS},     {".u16", 2, ELEMENT_UNSIGNED}, {".s16", 2, ELEMENT_SIGNED},
        {".f16", 2, ELEMENT_BITS},     {".bf16", 2, ELEMENT_BITS},    {".b32", 4, ELEMENT_BITS},
        {".u32", 4, ELEMENT_UNSIGNED}, {".s32", 4, ELEMENT_SIGNED},   {".f32", 4, ELEMENT_FLOAT},
        {".f16x2", 4, ELEMENT_BITS},   {".bf16x2", 4, ELEMENT_BITS},  {".b64", 8, ELEMENT_BITS},
        {".u64", 8, ELEMENT_UNSIGNED}, {".s64", 8, ELEMENT_SIGNED},   {".f64", 8, ELEMENT_FLOAT},
        {".pred", 0, ELEMENT_BITS},
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strncmp(types[i].word, word, (size_t)length) == 0 && types[i].word[length] == '\0') {
            m->element_bytes = types[i].bytes;
            m->element_kind = types[i].kind;
        }
    }
}

/* The length of the word (with its dot) at the start of a name's rest or of a pattern's. */
static int word_length(const char *text, const char *end)
{
    int length = 1;
    while (text + length < end && strchr(".{}()", text[length]) == NULL)
        length++;
    return length;
}

/* Whether `word` is one of the words up to `close`. */
static bool among(const char *choices, const char *close, const char *word, int length)
{
    for (const char *at = choices; at < close;) {
        int n = word_length(at, close);
        if (n == length && memcmp(at, word, (size_t)n) == 0)
            return true;
        at += n;
    }
    return false;
}

/* An optional word is taken wherever it fits: no pattern offers a word twice in a row. */
static bool matches(const char *pattern, const char *name, const char *end, struct modifiers *m)
{
    const char *pattern_end = pattern + strlen(pattern);
    int base = word_length(pattern, pattern_end);
    if (word_length(name, end) != base || memcmp(pattern, name, (size_t)base) != 0)
        return false;
    pattern += base;
    name += base;
    while (pattern < pattern_end) {
        bool group = *pattern == '{' || *pattern == '(', optional = *pattern == '{';
        const char *first = pattern + group;
        const char *close =
            group ? strchr(first, optional ? '}' : ')') : first + word_length(first, pattern_end);
        int length = name < end ? word_length(name, end) : 0;
        if (length > 0 && among(first, close, name, length)) {
            apply_word(m, name, length);
            name += length;
        } else if (!optional) {
            return false;
        }
        pattern = close + group;
    }
    return name == end;
}

static int operand_count(const struct table_line *line)
{
    int count = 0;
    for (int i = 0; i < 4; i++)
        count += line->shape[i] != '-';
    return count;
}

const struct table_line *instruction_lookup(const char *name, int length, int operands, struct modifiers *m)
{
    for (int i = 0; i < LINES; i++) {
        if (lines[i].pattern[0] != name[0] ||
            (lines[i].action == ACTION_LANES && operand_count(&lines[i]) != operands))
            continue;
        *m = (struct modifiers){.vector = 1, .scope = SCOPE_GPU};
        if (matches(lines[i].pattern, name, name + length, m))
            return &lines[i];
    }
    return NULL;
}
