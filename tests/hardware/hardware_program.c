#include "tests/hardware/hardware_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define EXACT(op, D, A, B, C)                                                                                \
    {op, OPERAND_##D, {OPERAND_##A, OPERAND_##B, OPERAND_##C}, RULE_exact, false, false},
#define APPROXIMATE(op, D, A, B, C, rule)                                                                    \
    {op, OPERAND_##D, {OPERAND_##A, OPERAND_##B, OPERAND_##C}, RULE_##rule, false, false},
#define WRITTEN(text, D, A, B, C)                                                                            \
    {text, OPERAND_##D, {OPERAND_##A, OPERAND_##B, OPERAND_##C}, RULE_exact, true, false},
#define CLUSTER(text, D, A, B, C)                                                                            \
    {text, OPERAND_##D, {OPERAND_##A, OPERAND_##B, OPERAND_##C}, RULE_exact, true, true},
const struct instruction hardware_instructions[] = {
#include "tests/hardware/hardware_instructions.h"
};
const int hardware_instruction_count = sizeof hardware_instructions / sizeof hardware_instructions[0];

/* ---- text ---- */

static int register_bits(enum operand_type t)
{
    switch (t) {
    case OPERAND_none:
    case OPERAND_pred:
        return 0;
    case OPERAND_u16:
    case OPERAND_f16:
    case OPERAND_bf16:
    case OPERAND_divisor16:
        return 16;
    case OPERAND_u64:
    case OPERAND_f64:
    case OPERAND_divisor64:
        return 64;
    default:
        return 32;
    }
}

static void declare(char *text, size_t size, char name, enum operand_type t)
{
    if (t == OPERAND_pred)
        snprintf(text, size, ".reg .pred %%%c;\n", name);
    else if (t != OPERAND_none)
        snprintf(text, size, ".reg .b%d %%%c;\n", register_bits(t), name);
    else
        text[0] = '\0';
}

static void load(char *text, size_t size, char name, int offset, enum operand_type t)
{
    if (t == OPERAND_pred)
        snprintf(text, size, "ld.global.u32 %%e, [%%x+%d];\nsetp.ne.u32 %%%c, %%e, 0;\n", offset, name);
    else if (t != OPERAND_none)
        snprintf(text, size, "ld.global.b%d %%%c, [%%x+%d];\n", register_bits(t), name, offset);
    else
        text[0] = '\0';
}

static void store(char *text, size_t size, enum operand_type t)
{
    if (t == OPERAND_pred)
        snprintf(text, size, "selp.u32 %%e, 1, 0, %%d;\nst.global.u32 [%%y], %%e;\n");
    else
        snprintf(text, size, "st.global.b%d [%%y], %%d;\n", register_bits(t));
}

static void statement(const struct instruction *i, char *text, size_t size)
{
    if (i->written)
        snprintf(text, size, "%s", i->text);
    else
        snprintf(text, size, "%s %%d, %%a%s%s;", i->text, i->inputs[1] != OPERAND_none ? ", %b" : "",
                 i->inputs[2] != OPERAND_none ? ", %c" : "");
}

char *program_text(const struct instruction *i)
{
    static const char names[] = "abc";
    char declarations[4][32], loads[3][96], result[96], line[1024];
    declare(declarations[3], sizeof declarations[3], 'd', i->d);
    for (int k = 0; k < 3; k++) {
        declare(declarations[k], sizeof declarations[k], names[k], i->inputs[k]);
        load(loads[k], sizeof loads[k], names[k], 8 * k, i->inputs[k]);
    }
    store(result, sizeof result, i->d);
    statement(i, line, sizeof line);
    return must_format(
        ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 x, .param .u64 y, "
        ".param .u64 w)\n{\n.reg .pred %%p, %%q;\n.reg .b16 %%h, %%i, %%l, %%m;\n"
        ".reg .b32 %%e, %%f, %%g, %%s, %%t, %%n;\n.reg .b64 %%j, %%x, %%y, %%w;\n%s%s%s%s"
        ".shared .align 32 .b8 shared_words[%d];\n"
        "ld.param.u64 %%x, [x];\nld.param.u64 %%y, [y];\nld.param.u64 %%w, [w];\n"
        "cvta.to.global.u64 %%x, %%x;\ncvta.to.global.u64 %%y, %%y;\ncvta.to.global.u64 %%w, %%w;\n"
        "mov.u32 %%t, %%tid.x;\nmov.u32 %%n, %%ctaid.x;\nmov.u32 %%e, %%ntid.x;\n"
        "mad.lo.s32 %%n, %%n, %%e, %%t;\nmul.wide.s32 %%j, %%n, 32;\nadd.s64 %%x, %%x, %%j;\n"
        "add.s64 %%w, %%w, %%j;\nmul.wide.s32 %%j, %%n, 8;\nadd.s64 %%y, %%y, %%j;\n"
        "mov.u32 %%s, shared_words;\nshl.b32 %%e, %%t, 5;\nadd.s32 %%s, %%s, %%e;\n%s%s%s%s\n%sret;\n}\n",
        declarations[3], declarations[0], declarations[1], declarations[2], 32 * PROGRAM_BLOCK, loads[0],
        loads[1], loads[2], line, result);
}

/* ---- inputs ---- */

static const uint64_t f32_values[] = {
    0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
    0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345,
    0x7f800001, 0x3f000000, 0x3fc00000, 0x40200000, 0xc0200000, 0x477fe000, 0x477ff000, 0x477fefff,
    0x33800000, 0x33000000, 0x33000001, 0x387fffff, 0x3f808000, 0x3f818000, 0x3f801000, 0x3f803000,
    0x43000000, 0xc2fc0000, 0xc3150000, 0xc3160000, 0x4f000000, 0xcf000000, 0x7e800000, 0x7f000000};
static const uint64_t f64_values[] = {0,
                                      0x8000000000000000,
                                      1,
                                      0x000fffffffffffff,
                                      0x0010000000000000,
                                      0x3ff0000000000000,
                                      0xbff0000000000000,
                                      0x7fefffffffffffff,
                                      0xffefffffffffffff,
                                      0x7ff0000000000000,
                                      0xfff0000000000000,
                                      0x7ff8000000000000,
                                      0x7ff0000000000001,
                                      0x3fe0000000000000,
                                      0x4004000000000000,
                                      0x36a0000000000000, /* 2^-149 and half of it: float's least */
                                      0x3690000000000000,
                                      0x380fffffe0000000,
                                      0x380ffffff0000000,
                                      0x3ff0000010000000, /* ties of float */
                                      0x3ff0000030000000,
                                      0x47efffffe0000000,
                                      0x47effffff0000000,
                                      0x41e0000000000000,
                                      0xc1e0000000000000,
                                      0x43e0000000000000,
                                      0xc3e0000000000000};
static const uint64_t f16_values[] = {0,      0x8000, 1,      0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x3c00,
                                      0xbc00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7c01, 0x3800,
                                      0x3e00, 0x4100, 0x1000, 0x1001, 0x4b80, 0xcb80, 0x4c00, 0xce00};
static const uint64_t bf16_values[] = {0,      0x8000, 1,      0x8001, 0x007f, 0x807f, 0x0080, 0x8080, 0x3f80,
                                       0xbf80, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0xffc1, 0x7f81, 0x3f00,
                                       0x3fc0, 0x4020, 0x4300, 0xc2fc, 0xc315, 0xc316, 0x3b80, 0x7e80};
static const uint64_t u16_values[] = {0,     1,      2,      3,      0x7f,   0x80,  0xff,
                                      0x100, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff};
static const uint64_t u32_values[] = {0,          1,          2,          3,          31,         32,
                                      0x7f,       0x80,       0xff,       0x7fff,     0x8000,     0xffff,
                                      0x10000,    0xffffff,   0x1000001,  0x1000003,  0x7fffff80, 0x7fffffc0,
                                      0x7fffffff, 0x80000000, 0x80000001, 0xffff8000, 0xfffffffe, 0xffffffff};
static const uint64_t u64_values[] = {0,
                                      1,
                                      2,
                                      63,
                                      64,
                                      0x7fffffff,
                                      0x80000000,
                                      0xffffffff,
                                      0x100000000,
                                      0x1000001,
                                      0x20000000000001,
                                      0x20000000000003,
                                      0x7fffffffffffffff,
                                      0x8000000000000000,
                                      0x8000000000000001,
                                      0xffffffff80000000,
                                      0xffffffff7fffffff,
                                      0xfffffffffffffffe,
                                      0xffffffffffffffff};
static const uint64_t pred_values[] = {0, 1};
static const uint64_t amount_values[] = {0,  1,  2,  7,  8,  15, 16,  17,  24,         30,        31,
                                         32, 33, 48, 62, 63, 64, 127, 255, 0x80000001, 0xffffffff};

struct values {
    const uint64_t *first;
    uint64_t count;
};
#define VALUES(list) ((struct values){list, sizeof(list) / sizeof(list)[0]})

static struct values special_values(enum operand_type t)
{
    switch (t) {
    case OPERAND_f32:
        return VALUES(f32_values);
    case OPERAND_f64:
        return VALUES(f64_values);
    case OPERAND_f16:
    case OPERAND_f16x2:
        return VALUES(f16_values);
    case OPERAND_bf16:
    case OPERAND_bf16x2:
        return VALUES(bf16_values);
    case OPERAND_u16:
    case OPERAND_divisor16:
        return VALUES(u16_values);
    case OPERAND_u64:
    case OPERAND_divisor64:
        return VALUES(u64_values);
    case OPERAND_amount:
    case OPERAND_amounts:
        return VALUES(amount_values);
    case OPERAND_none:
    case OPERAND_pred:
        return VALUES(pred_values);
    default:
        return VALUES(u32_values);
    }
}

static uint64_t mix(uint64_t h)
{
    h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
    return h ^ h >> 31;
}

/* Half the numbers have any bits; half an exponent of about 1, and some of those end as ties do. */
static uint64_t random_float(uint64_t h, int digits, int exponents)
{
    uint64_t sign = (h >> 60 & 1) << (digits + exponents), bias = (UINT64_C(1) << (exponents - 1)) - 1;
    uint64_t fraction = h & ((UINT64_C(1) << digits) - 1), spread = exponents < 8 ? 20 : 50;
    if (h >> 63)
        return sign | (h >> 1 & ((UINT64_C(1) << (digits + exponents)) - 1));
    uint64_t exponent = bias - spread / 2 + (h >> 52 & 0xff) % spread;
    int cut = (int)(mix(h) % 4) * digits / 4;
    if (h >> 61 & 1 && cut > 0)
        fraction = fraction >> cut << cut | UINT64_C(1) << (cut - 1);
    return sign | exponent << digits | fraction;
}

static uint64_t random_value(enum operand_type t, uint64_t h)
{
    switch (t) {
    case OPERAND_f32:
        return random_float(h, 23, 8);
    case OPERAND_f64:
        return mix(h) & 1 ? mix(h + 1) : random_float(mix(h + 2), 52, 11) & ~(mix(h) & 2 ? 0xfffffffull : 0);
    case OPERAND_f16:
    case OPERAND_f16x2:
        return random_float(h, 10, 5);
    case OPERAND_bf16:
    case OPERAND_bf16x2:
        return random_float(h, 7, 8);
    case OPERAND_u16:
    case OPERAND_divisor16:
        return h & 0xffff;
    case OPERAND_u64:
    case OPERAND_divisor64:
        return h & 7 ? h : h >> 40;
    case OPERAND_amount:
        return h & 3 ? h >> 8 & 0x3f : h >> 32;
    case OPERAND_amounts:
        return h & 0x3f3f;
    case OPERAND_pred:
        return h & 1;
    case OPERAND_none:
        return 0;
    default:
        return h & 7 ? h >> 32 : h >> 56;
    }
}

static bool is_divisor(enum operand_type t)
{
    return t == OPERAND_divisor16 || t == OPERAND_divisor32 || t == OPERAND_divisor64;
}

/* Operand k of thread i: the first `specials` threads have the special values, with two operands their pairs.
 */
static uint64_t input_of(enum operand_type t, uint64_t i, int k, uint64_t specials)
{
    struct values v = special_values(t);
    uint64_t h = mix(mix(i * 3 + (uint64_t)k + 1) + UINT64_C(0x9e3779b97f4a7c15));
    uint64_t place = k == 0 ? i : k == 1 ? i / v.count : i * 7 + i / (v.count * v.count);
    uint64_t value = i < specials ? v.first[place % v.count] : random_value(t, h);
    if (t == OPERAND_f16x2 || t == OPERAND_bf16x2)
        value |= (i % 2 ? v.first[mix(h) % v.count] : random_value(t, mix(h))) << 16;
    return is_divisor(t) && value == 0 ? 3 : value;
}

void program_inputs(const struct instruction *i, uint64_t inputs[PROGRAM_THREADS][4])
{
    enum { SPECIALS = 40 }; /* no list is longer */
    uint64_t specials = i->inputs[1] == OPERAND_none ? SPECIALS : SPECIALS * SPECIALS;
    for (int t = 0; t < PROGRAM_THREADS; t++) {
        for (int k = 0; k < 3; k++)
            inputs[t][k] = input_of(i->inputs[k], (uint64_t)t, k, specials);
        inputs[t][3] = inputs[t][0];
    }
}

uint64_t program_hash(const struct instruction *i)
{
    uint64_t(*inputs)[4] = must_calloc(PROGRAM_THREADS, sizeof *inputs);
    char *text = program_text(i);
    program_inputs(i, inputs);
    uint64_t hash = XXH64(text, strlen(text), XXH64(inputs, PROGRAM_THREADS * sizeof *inputs, 0));
    free(text);
    free(inputs);
    return hash;
}

/* ---- running ---- */

static struct launch_plan plan_of(const struct instruction *i)
{
    struct launch_plan plan = {.count = 1, .workspace_of_M = "0"};
    struct launch *l = &plan.launches[0];
    static const enum argument names[] = {ARG_X, ARG_Y, ARG_WORKSPACE};
    snprintf(l->kernel, sizeof l->kernel, "k");
    snprintf(l->grid_of_M, sizeof l->grid_of_M, "%d", PROGRAM_THREADS / PROGRAM_BLOCK);
    l->block[0] = PROGRAM_BLOCK;
    l->block[1] = l->block[2] = l->cluster[1] = l->cluster[2] = 1;
    l->cluster[0] = i->cluster ? 2 : 1;
    for (l->arg_count = 0; l->arg_count < 3; l->arg_count++) {
        l->args[l->arg_count].name = names[l->arg_count];
        l->args[l->arg_count].type = TYPE_PTR;
    }
    return plan;
}

enum { RECORD_BYTES = 32, RESULT_BYTES = 8 };

static bool run_module(const struct instruction *i, struct device *d, const struct launch_plan *plan,
                       void *module, uint64_t *results, struct error *e)
{
    const struct device_operations *o = d->operations;
    const size_t records = (size_t)PROGRAM_THREADS * RECORD_BYTES,
                 bytes = (size_t)PROGRAM_THREADS * RESULT_BYTES;
    struct launch_values v = {.M = 1};
    uint64_t(*inputs)[4] = must_calloc(PROGRAM_THREADS, sizeof *inputs);
    program_inputs(i, inputs);
    bool good = o->allocate(d, records, RECORD_BYTES, &v.x, e) &&
                o->allocate(d, records, RECORD_BYTES, &v.workspace, e) &&
                o->allocate(d, bytes, RECORD_BYTES, &v.y, e) && o->write(d, v.x, inputs, records, e) &&
                o->fill(d, v.workspace, 0, records, e) && o->fill(d, v.y, 0, bytes, e) &&
                o->launch(d, module, plan, &v, e) && o->read(d, results, v.y, bytes, e);
    device_address buffers[] = {v.x, v.workspace, v.y};
    for (int k = 0; k < 3; k++)
        if (buffers[k] != 0)
            o->release(d, buffers[k]);
    free(inputs);
    return good;
}

bool program_run(const struct instruction *i, struct device *d, uint64_t results[PROGRAM_THREADS],
                 struct error *e)
{
    char *text = program_text(i);
    struct launch_plan plan = plan_of(i);
    /* The driver takes PTX where it takes machine code. */
    struct image image = {
        .cubin = text,
        .cubin_size = strlen(text) + 1,
        .ptx = text,
        .ptx_size = strlen(text),
        .kernel_count = 1,
        .kernels = {{.name = "k", .registers = 32, .static_smem_bytes = 32 * PROGRAM_BLOCK}}};
    void *module;
    bool good = d->operations->load(d, &image, &plan, &module, e);
    if (good) {
        good = run_module(i, d, &plan, module, results, e);
        d->operations->unload(d, module);
    }
    free(text);
    return good;
}

/* ---- results ---- */

static uint64_t canonical_half(uint64_t bits, uint64_t infinity)
{
    return (bits & 0x7fff) > infinity ? 0x7fff : bits & 0xffff;
}

uint64_t program_canonical(enum operand_type type, uint64_t result)
{
    switch (type) {
    case OPERAND_f32:
        return (result & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : result;
    case OPERAND_f64:
        return (result & INT64_MAX) > UINT64_C(0x7ff) << 52 ? INT64_MAX : result;
    case OPERAND_f16:
    case OPERAND_f16x2:
        return canonical_half(result, 0x7c00) | canonical_half(result >> 16, 0x7c00) << 16;
    case OPERAND_bf16:
    case OPERAND_bf16x2:
        return canonical_half(result, 0x7f80) | canonical_half(result >> 16, 0x7f80) << 16;
    default:
        return result;
    }
}
