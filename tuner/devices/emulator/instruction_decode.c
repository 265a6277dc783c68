#include "tuner/devices/emulator/instruction_decode.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool fail(const struct decoder *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fail(const struct decoder *d, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const struct ptx_instruction *i = d->current;
    char source[32] = "";
    if (i->source_line > 0)
        snprintf(source, sizeof source, "source:%d: ", i->source_line);
    int length = i->name_length > 80 ? 80 : i->name_length;
    return error_set(d->error, STATUS_NONE_SURVIVED, "%sPTX line %d: '%.*s': %s", source, i->line, length,
                     i->name, text);
}

static const struct ptx_operand *operand(const struct decoder *d, int index)
{
    return &d->kernel->operands[d->current->first_operand + index];
}

/* A constant in all lanes; equal ones share a place. */
static place constant(struct decoder *d, uint64_t bits, int width)
{
    struct program *p = d->program;
    unsigned char lanes[WARP_LANES * 8];
    size_t size = width == 64 ? sizeof lanes : width == 1 ? 4 : sizeof lanes / 2;
    uint32_t word = width == 1 ? (bits != 0 ? UINT32_MAX : 0) : (uint32_t)bits;
    for (size_t at = 0; at < size; at += width == 64 ? 8 : 4)
        memcpy(lanes + at, width == 64 ? (void *)&bits : (void *)&word, width == 64 ? 8 : 4);
    for (size_t at = 0; at + size <= p->constant_bytes; at += sizeof lanes / 2)
        if (memcmp(p->constants + at, lanes, size) == 0)
            return PLACE_CONSTANT | (place)at;
    size_t taken = size < sizeof lanes / 2 ? sizeof lanes / 2 : size;
    if (p->constant_bytes + taken > d->constant_capacity) {
        d->constant_capacity = d->constant_capacity * 2 + 16 * sizeof lanes;
        p->constants = must_realloc(p->constants, d->constant_capacity);
    }
    memset(p->constants + p->constant_bytes, 0, taken);
    memcpy(p->constants + p->constant_bytes, lanes, size);
    p->constant_bytes += taken;
    return PLACE_CONSTANT | (place)(p->constant_bytes - taken);
}

static int shape_bits(char shape)
{
    return shape == 'p' ? 1 : shape == 'c' ? 8 : shape == 'h' ? 16 : shape == 'l' ? 64 : 32;
}

/* Conversions take registers that are wider than their narrow types. */
static bool register_fits(const struct decoder *d, int bits, char shape)
{
    bool conversion = d->current->name_length > 4 && memcmp(d->current->name, "cvt.", 4) == 0;
    int wanted = shape_bits(shape);
    return bits == wanted || (conversion && wanted < 32 && bits > wanted && bits <= 32);
}

static bool literal(struct decoder *d, const struct ptx_operand *o, char shape, place *p)
{
    uint64_t bits = o->bits;
    int wanted = shape_bits(shape);
    if (o->is_float && wanted < 32)
        return fail(d, "a float is no operand here");
    if (o->is_float && o->width == 64 && wanted == 32) {
        double value;
        memcpy(&value, &bits, sizeof value);
        float narrow = (float)value;
        bits = 0;
        memcpy(&bits, &narrow, sizeof narrow);
    } else if (o->is_float && o->width != wanted) {
        return fail(d, "a literal has the wrong width");
    }
    if (wanted < 32 && wanted > 1)
        bits &= (UINT64_C(1) << wanted) - 1;
    *p = constant(d, bits, wanted);
    return true;
}

/* A variable's address, in the space it was declared in. */
static bool variable_address(struct decoder *d, const struct ptx_operand *o, int64_t *address)
{
    const struct ptx_variable *v = &d->module->variables[o->index];
    if (v->space == SPACE_PARAM)
        return fail(d, "the address of parameter '%.100s' is not supported", v->name);
    *address = (int64_t)d->addresses[o->index];
    return true;
}

static bool source(struct decoder *d, const struct ptx_operand *o, char shape, place *p)
{
    int64_t address = 0;
    if (o->negated)
        return fail(d, "'!' is not supported here");
    switch (o->kind) {
    case OPERAND_REGISTER:
        if (!register_fits(d, d->kernel->register_bits[o->index], shape))
            return fail(d, "an operand's register has %d bits", d->kernel->register_bits[o->index]);
        *p = (place)o->index;
        return true;
    case OPERAND_IMMEDIATE:
        return literal(d, o, shape, p);
    case OPERAND_VARIABLE:
        if (shape_bits(shape) < 32 || !variable_address(d, o, &address))
            return fail(d, "a variable is no operand here");
        *p = constant(d, (uint64_t)(address + o->offset), shape_bits(shape));
        return true;
    default:
        return fail(d, "an operand is not of the kind that is needed");
    }
}

static bool predicate_source(struct decoder *d, const struct ptx_operand *o, place *p, bool *negated)
{
    struct ptx_operand plain = *o;
    *negated = o->negated;
    plain.negated = false;
    return source(d, &plain, 'p', p);
}

static bool destination(struct decoder *d, const struct ptx_operand *o, char shape, place *p)
{
    if (o->kind != OPERAND_REGISTER || !register_fits(d, d->kernel->register_bits[o->index], shape))
        return fail(d, "the destination must be a register of %d bits", shape_bits(shape));
    *p = (place)o->index;
    return true;
}

/* d, or p|q where the second predicate is wanted too. */
static bool destination_pair(struct decoder *d, const struct ptx_operand *o, char shape)
{
    if (o->kind != OPERAND_VECTOR || o->count != 2)
        return destination(d, o, shape, &d->out->d);
    const struct ptx_operand *pair = &d->kernel->operands[o->index];
    return (pair[0].kind == OPERAND_SINK || destination(d, &pair[0], shape, &d->out->d)) &&
           (pair[1].kind == OPERAND_SINK || destination(d, &pair[1], 'p', &d->out->d2));
}

static bool operands_are(struct decoder *d, int low, int high)
{
    int count = d->current->operand_count;
    return (count >= low && count <= high) || fail(d, "%d operands are not the number that is needed", count);
}

static void add_place(struct decoder *d, place p)
{
    struct program *program = d->program;
    if (program->place_count == d->place_capacity) {
        d->place_capacity = d->place_capacity * 2 + 64;
        program->places = must_realloc(program->places, (size_t)d->place_capacity * sizeof *program->places);
    }
    program->places[program->place_count++] = p;
}

/* The registers of a load or store: one, or a vector of m.vector. */
static bool data_places(struct decoder *d, const struct ptx_operand *o, bool written)
{
    struct instruction *out = d->out;
    int count = o->kind == OPERAND_VECTOR ? o->count : 1;
    const struct ptx_operand *elements = o->kind == OPERAND_VECTOR ? &d->kernel->operands[o->index] : o;
    if (count != out->m.vector)
        return fail(d, "%d elements are not the number that the vector has", count);
    out->refs = d->program->place_count;
    int bits = 0;
    for (int i = 0; i < count; i++)
        if (elements[i].kind == OPERAND_REGISTER)
            bits = d->kernel->register_bits[elements[i].index];
    if (bits == 0)
        bits = out->m.element_bytes < 4 ? 32 : out->m.element_bytes * 8;
    if (bits < out->m.element_bytes * 8)
        return fail(d, "a register is narrower than the type");
    out->data_wide = bits == 64;
    char shape = bits == 64 ? 'l' : bits == 32 ? 'w' : bits == 16 ? 'h' : 'c';
    for (int i = 0; i < count; i++) {
        place p = PLACE_NONE;
        bool good = written ? elements[i].kind == OPERAND_SINK || destination(d, &elements[i], shape, &p)
                            : source(d, &elements[i], shape, &p);
        if (!good)
            return false;
        add_place(d, p);
    }
    return true;
}

static bool address(struct decoder *d, const struct ptx_operand *o)
{
    struct instruction *out = d->out;
    if (o->kind != OPERAND_ADDRESS)
        return fail(d, "an address was expected");
    out->offset = o->offset;
    out->address_wide = true;
    if (o->base == OPERAND_REGISTER) {
        int bits = d->kernel->register_bits[o->index];
        if (bits != 32 && bits != 64)
            return fail(d, "an address has 32 or 64 bits");
        out->address_wide = bits == 64;
        out->a = (place)o->index;
        return true;
    }
    if (o->base == OPERAND_VARIABLE) {
        int64_t base = 0;
        if (!variable_address(d, o, &base))
            return false;
        out->offset += base;
    }
    return true;
}

/* The smallest access decides how finely memory is watched. */
static void note_access(struct decoder *d)
{
    int bytes = d->out->m.vector * d->out->m.element_bytes;
    if (bytes < d->program->granule && d->out->m.space != SPACE_LOCAL && d->out->m.space != SPACE_PARAM)
        d->program->granule = bytes;
}

/* The operands that a memory instruction begins with, and perhaps a cache policy, which changes no value. */
static bool memory_operands(struct decoder *d, int address_at, int data_at)
{
    note_access(d);
    return operands_are(d, 2, 3) && address(d, operand(d, address_at)) &&
           data_places(d, operand(d, data_at), data_at == 0);
}

static bool decode_parameter(struct decoder *d)
{
    if (!operands_are(d, 2, 2))
        return false;
    const struct ptx_operand *o = operand(d, 1);
    if (o->kind != OPERAND_ADDRESS || o->base != OPERAND_VARIABLE ||
        d->module->variables[o->index].space != SPACE_PARAM)
        return fail(d, "a parameter was expected");
    const struct ptx_variable *v = &d->module->variables[o->index];
    int bytes = d->out->m.vector * d->out->m.element_bytes;
    d->out->offset = v->offset + o->offset;
    if (o->offset < 0 || o->offset + bytes > v->size)
        return fail(d, "the parameter '%.100s' has %lld bytes", v->name, (long long)v->size);
    return data_places(d, operand(d, 0), true);
}

static bool decode_atomic(struct decoder *d, int first)
{
    struct instruction *out = d->out;
    bool cas = out->m.variant == VARIANT_CAS;
    char shape = out->m.element_bytes == 8 ? 'l' : 'w';
    if (out->m.element_bytes < 4)
        return fail(d, "the type is not supported");
    bool is_float = out->m.element_kind == ELEMENT_FLOAT;
    bool bitwise = out->m.variant >= VARIANT_AND && out->m.variant <= VARIANT_XOR;
    if (is_float && out->m.variant != VARIANT_ADD && out->m.variant != VARIANT_EXCHANGE)
        return fail(d, "the operation is not defined for floats");
    if (out->m.element_kind == ELEMENT_BITS && !bitwise && !cas && out->m.variant != VARIANT_EXCHANGE)
        return fail(d, "the operation needs a number's type");
    out->data_wide = shape == 'l';
    if (out->m.ordering == ORDERING_WEAK)
        out->m.ordering = ORDERING_RELAXED;
    note_access(d);
    return operands_are(d, first + 2 + cas, first + 3 + cas) &&
           (first == 0 || operand(d, 0)->kind == OPERAND_SINK ||
            destination(d, operand(d, 0), shape, &out->d)) &&
           address(d, operand(d, first)) && source(d, operand(d, first + 1), shape, &out->b) &&
           (!cas || source(d, operand(d, first + 2), shape, &out->c));
}

/* The address of an mbarrier, and what comes with it: a count, bytes or a parity. Scope and ordering where
   the name says none are PTX's. */
static bool decode_mbarrier(struct decoder *d, int address_at, enum ordering ordering)
{
    struct instruction *out = d->out;
    out->m.scope = out->m.scope == SCOPE_GPU ? SCOPE_CTA : out->m.scope;
    out->m.ordering = out->m.ordering == ORDERING_WEAK ? (uint8_t)ordering : out->m.ordering;
    out->m.space = out->m.space == SPACE_GENERIC ? SPACE_GENERIC : SPACE_SHARED;
    return address(d, operand(d, address_at)) && (d->current->operand_count == address_at + 1 ||
                                                  source(d, operand(d, address_at + 1), 'w', &out->b));
}

static bool decode_mbarrier_arrive(struct decoder *d)
{
    bool arrives = d->out->m.arrive, expects = d->out->m.variant == VARIANT_EXPECT_TX;
    if (!operands_are(d, 2 + (arrives && expects), 2 + arrives))
        return false;
    if (arrives && operand(d, 0)->kind != OPERAND_SINK)
        return fail(d, "the state of an mbarrier is not supported, only '_'");
    return decode_mbarrier(d, arrives, arrives ? ORDERING_RELEASE : ORDERING_RELAXED);
}

/* The fourth operand says for how long to wait at most, which is the hardware's affair. */
static bool decode_mbarrier_wait(struct decoder *d)
{
    bool tries = d->out->m.variant != VARIANT_TEST_WAIT;
    return operands_are(d, 3, 3 + tries) && destination(d, operand(d, 0), 'p', &d->out->d) &&
           decode_mbarrier(d, 1, ORDERING_ACQUIRE);
}

static bool decode_store_async(struct decoder *d)
{
    struct instruction *out = d->out;
    note_access(d);
    if (!operands_are(d, 3, 3) || !address(d, operand(d, 2)))
        return false;
    out->b = out->a;
    out->counter_offset = out->offset;
    out->counter_wide = out->address_wide;
    out->a = PLACE_NONE;
    return address(d, operand(d, 0)) && data_places(d, operand(d, 1), false);
}

static bool decode_address_conversion(struct decoder *d)
{
    struct instruction *out = d->out;
    bool mapa = d->current->name[0] == 'm';
    char shape = d->out->wide ? 'l' : 'w';
    out->m.variant = mapa ? VARIANT_MAPA : VARIANT_NONE;
    return operands_are(d, 2 + mapa, 2 + mapa) && destination(d, operand(d, 0), shape, &out->d) &&
           source(d, operand(d, 1), shape, &out->a) && (!mapa || source(d, operand(d, 2), 'w', &out->b));
}

static bool decode_branch(struct decoder *d)
{
    if (!operands_are(d, 1, 1))
        return false;
    if (operand(d, 0)->kind != OPERAND_LABEL)
        return fail(d, "a label was expected");
    d->out->target = operand(d, 0)->index;
    return true;
}

static bool decode_barrier(struct decoder *d)
{
    /* bar is aligned by definition, barrier only where it says so. */
    d->out->m.aligned |= memcmp(d->current->name, "barrier", 7 < d->current->name_length ? 7 : 3) != 0;
    return operands_are(d, 1, 2) && source(d, operand(d, 0), 'w', &d->out->a) &&
           (d->current->operand_count == 1 || source(d, operand(d, 1), 'w', &d->out->b));
}

static bool decode_barrier_reduce(struct decoder *d)
{
    struct instruction *out = d->out;
    int count = d->current->operand_count;
    out->m.aligned |= memcmp(d->current->name, "barrier", 7 < d->current->name_length ? 7 : 3) != 0;
    return operands_are(d, 3, 4) &&
           destination(d, operand(d, 0), out->m.variant == VARIANT_POPC ? 'w' : 'p', &out->d) &&
           source(d, operand(d, 1), 'w', &out->a) && (count == 3 || source(d, operand(d, 2), 'w', &out->b)) &&
           predicate_source(d, operand(d, count - 1), &out->c, &out->c_negated);
}

static bool decode_shuffle(struct decoder *d)
{
    struct instruction *out = d->out;
    return operands_are(d, 5, 5) && destination_pair(d, operand(d, 0), 'w') &&
           source(d, operand(d, 1), 'w', &out->a) && source(d, operand(d, 2), 'w', &out->b) &&
           source(d, operand(d, 3), 'w', &out->c) && source(d, operand(d, 4), 'w', &out->e);
}

static bool decode_vote(struct decoder *d)
{
    struct instruction *out = d->out;
    return operands_are(d, 3, 3) &&
           destination(d, operand(d, 0), out->m.variant == VARIANT_BALLOT ? 'w' : 'p', &out->d) &&
           predicate_source(d, operand(d, 1), &out->c, &out->c_negated) &&
           source(d, operand(d, 2), 'w', &out->e);
}

/* redux.sync and match.sync: d, a, membermask. */
static bool decode_warp_value(struct decoder *d)
{
    struct instruction *out = d->out;
    out->data_wide = out->m.element_bytes == 8;
    return operands_are(d, 3, 3) && destination_pair(d, operand(d, 0), 'w') &&
           source(d, operand(d, 1), out->data_wide ? 'l' : 'w', &out->a) &&
           source(d, operand(d, 2), 'w', &out->e);
}

static bool decode_quaternary(struct decoder *d)
{
    struct instruction *out = d->out;
    out->m.variant = d->current->name[0] == 'b' ? VARIANT_BFI : VARIANT_LOP3;
    out->wide = out->m.element_bytes == 8;
    char shape = out->wide ? 'l' : 'w';
    return operands_are(d, 5, 5) && destination(d, operand(d, 0), shape, &out->d) &&
           source(d, operand(d, 1), shape, &out->a) && source(d, operand(d, 2), shape, &out->b) &&
           source(d, operand(d, 3), 'w', &out->c) && source(d, operand(d, 4), 'w', &out->e);
}

/* mov.b32 r, {h, h} and mov.b32 {h, h}, r, and the same of 64 bits. */
static bool decode_pack(struct decoder *d, const struct ptx_operand *vector, const struct ptx_operand *whole,
                        bool pack)
{
    struct instruction *out = d->out;
    int bits = out->m.element_bytes * 8;
    out->action = pack ? ACTION_PACK : ACTION_UNPACK;
    out->wide = bits == 64;
    out->m.vector = (uint8_t)vector->count;
    if (vector->count != 2 && vector->count != 4)
        return fail(d, "%d elements are not the number that is needed", vector->count);
    out->m.element_bytes = (uint8_t)(bits / 8 / vector->count);
    char shape = out->m.element_bytes == 4 ? 'w' : out->m.element_bytes == 2 ? 'h' : 'c';
    out->refs = d->program->place_count;
    for (int i = 0; i < vector->count; i++) {
        const struct ptx_operand *element = &d->kernel->operands[vector->index + i];
        place p = PLACE_NONE;
        if (pack ? !source(d, element, shape, &p)
                 : element->kind != OPERAND_SINK && !destination(d, element, shape, &p))
            return false;
        add_place(d, p);
    }
    return pack ? destination(d, whole, out->wide ? 'l' : 'w', &out->d)
                : source(d, whole, out->wide ? 'l' : 'w', &out->a);
}

static bool decode_special(struct decoder *d, const struct table_line *line)
{
    d->out->action = ACTION_SPECIAL;
    d->out->target = operand(d, 1)->index;
    d->out->wide = line->shape[0] == 'l';
    if (line->shape[0] == 'h')
        return fail(d, "a special register has 32 or 64 bits");
    return destination(d, operand(d, 0), line->shape[0], &d->out->d);
}

static bool decode_lanes(struct decoder *d, const struct table_line *line)
{
    struct instruction *out = d->out;
    if (memcmp(d->current->name, "mov.", 4) == 0) {
        if (operand(d, 1)->kind == OPERAND_SPECIAL)
            return decode_special(d, line);
        if (operand(d, 0)->kind == OPERAND_VECTOR)
            return decode_pack(d, operand(d, 0), operand(d, 1), false);
        if (operand(d, 1)->kind == OPERAND_VECTOR)
            return decode_pack(d, operand(d, 1), operand(d, 0), true);
    }
    place *sources[3] = {&out->a, &out->b, &out->c};
    if (!destination(d, operand(d, 0), line->shape[0], &out->d))
        return false;
    for (int i = 0; i < 3; i++) {
        char shape = line->shape[1 + i];
        if (shape == 'p' ? !predicate_source(d, operand(d, 1 + i), sources[i], &out->c_negated)
                         : shape != '-' && !source(d, operand(d, 1 + i), shape, sources[i]))
            return false;
        if (out->m.ftz && shape == 'f')
            out->flush |= (uint8_t)(1 << i);
    }
    out->wide = line->shape[0] == 'l';
    if (out->m.ftz && line->shape[0] == 'f')
        out->flush |= 8;
    /* A saturating result is clamped to [0, 1]; whole numbers saturate by themselves. */
    out->m.sat = out->m.sat && line->shape[0] == 'f';
    out->plain = out->flush == 0 && out->m.rounding == ROUND_NEAREST && !out->m.sat && !out->c_negated;
    return true;
}

static bool decode_compare(struct decoder *d, const struct table_line *line)
{
    struct instruction *out = d->out;
    bool combined = out->m.variant != VARIANT_NONE, binary = line->shape[2] != '-';
    int count = 2 + binary + combined;
    if (!operands_are(d, count, count) || !destination_pair(d, operand(d, 0), 'p') ||
        !source(d, operand(d, 1), line->shape[1], &out->a) ||
        (binary && !source(d, operand(d, 2), line->shape[2], &out->b)))
        return false;
    if (out->m.ftz && line->shape[1] == 'f')
        out->flush = 3;
    return !combined || predicate_source(d, operand(d, 3), &out->c, &out->c_negated);
}

static bool decode_predicate(struct decoder *d)
{
    struct instruction *out = d->out;
    bool unary = memcmp(d->current->name, "mov", 3) == 0 || memcmp(d->current->name, "not", 3) == 0;
    return operands_are(d, 3 - unary, 3 - unary) && destination(d, operand(d, 0), 'p', &out->d) &&
           source(d, operand(d, 1), 'p', &out->a) && (unary || source(d, operand(d, 2), 'p', &out->b));
}

static bool decode_operands(struct decoder *d, const struct table_line *line)
{
    struct instruction *out = d->out;
    switch (line->action) {
    case ACTION_LANES:
        return decode_lanes(d, line);
    case ACTION_COMPARE:
        return decode_compare(d, line);
    case ACTION_PREDICATE:
        return decode_predicate(d);
    case ACTION_QUATERNARY:
        return decode_quaternary(d);
    case ACTION_ADDRESS:
        out->wide = out->m.element_bytes == 8;
        return decode_address_conversion(d);
    case ACTION_POLICY:
        out->wide = true;
        return operands_are(d, 2, 2) && destination(d, operand(d, 0), 'l', &out->d);
    case ACTION_LOAD_PARAMETER:
        return decode_parameter(d);
    case ACTION_LOAD:
        return memory_operands(d, 1, 0);
    case ACTION_STORE:
        return memory_operands(d, 0, 1);
    case ACTION_ATOMIC:
        return decode_atomic(d, 1);
    case ACTION_REDUCTION:
        return decode_atomic(d, 0);
    case ACTION_BRANCH:
        return decode_branch(d);
    case ACTION_BARRIER:
        return decode_barrier(d);
    case ACTION_BARRIER_REDUCE:
        return decode_barrier_reduce(d);
    case ACTION_WARP_BARRIER:
        return operands_are(d, 1, 1) && source(d, operand(d, 0), 'w', &out->e);
    case ACTION_SHUFFLE:
        return decode_shuffle(d);
    case ACTION_VOTE:
        return decode_vote(d);
    case ACTION_MATCH:
    case ACTION_REDUX:
        return decode_warp_value(d);
    case ACTION_STORE_ASYNC:
        return decode_store_async(d);
    case ACTION_MBARRIER_INIT:
        return operands_are(d, 2, 2) && decode_mbarrier(d, 0, ORDERING_WEAK);
    case ACTION_MBARRIER_ARRIVE:
        return decode_mbarrier_arrive(d);
    case ACTION_MBARRIER_WAIT:
        return decode_mbarrier_wait(d);
    case ACTION_ACTIVE_MASK:
        return operands_are(d, 1, 1) && destination(d, operand(d, 0), 'w', &out->d);
    case ACTION_NOTHING:
        return true;
    default: /* exit, trap, fences, cluster barriers */
        return operands_are(d, 0, 0);
    }
}

static const struct table_line *look_up(struct decoder *d, struct modifiers *m)
{
    const struct ptx_instruction *i = d->current;
    uint32_t hash = (uint32_t)i->operand_count;
    for (int k = 0; k < i->name_length; k++)
        hash = hash * 31 + (unsigned char)i->name[k];
    hash %= sizeof d->known / sizeof d->known[0];
    bool hit = d->known[hash].name != NULL && d->known[hash].length == i->name_length &&
               d->known[hash].operands == i->operand_count &&
               memcmp(d->known[hash].name, i->name, (size_t)i->name_length) == 0;
    if (!hit) {
        d->known[hash].name = i->name;
        d->known[hash].length = i->name_length;
        d->known[hash].operands = i->operand_count;
        d->known[hash].line =
            instruction_lookup(i->name, i->name_length, i->operand_count, &d->known[hash].m);
    }
    *m = d->known[hash].m;
    return d->known[hash].line;
}

struct instruction instruction_without_operands(void)
{
    return (struct instruction){.d = PLACE_NONE,
                                .d2 = PLACE_NONE,
                                .a = PLACE_NONE,
                                .b = PLACE_NONE,
                                .c = PLACE_NONE,
                                .e = PLACE_NONE,
                                .guard = PLACE_NONE};
}

bool instruction_decode(struct decoder *d, const struct ptx_instruction *in, struct instruction *out)
{
    *out = instruction_without_operands();
    out->line = in->line;
    out->source_line = in->source_line;
    out->guard_negated = in->guard_negated;
    d->current = in;
    d->out = out;
    struct modifiers m;
    const struct table_line *line = look_up(d, &m);
    if (line == NULL)
        return fail(d, "the emulator does not know this instruction with %d operands", in->operand_count);
    out->m = m;
    out->action = (uint8_t)line->action;
    out->pipe = (uint8_t)line->pipe;
    if (line->lane != LANE_COUNT)
        out->lanes = lane_functions()[line->lane];
    if (in->guard >= 0)
        out->guard = (place)in->guard;
    return decode_operands(d, line);
}

void instruction_places(struct program *p, struct instruction *i, place_visitor *visit, void *context)
{
    place *sources[5] = {&i->a, &i->b, &i->c, &i->e, &i->guard};
    bool vector = i->action == ACTION_LOAD || i->action == ACTION_LOAD_PARAMETER ||
                  i->action == ACTION_STORE || i->action == ACTION_STORE_ASYNC || i->action == ACTION_PACK ||
                  i->action == ACTION_UNPACK;
    bool vector_written =
        i->action != ACTION_STORE && i->action != ACTION_STORE_ASYNC && i->action != ACTION_PACK;
    for (int k = 0; k < 5; k++)
        if (*sources[k] != PLACE_NONE && (*sources[k] & PLACE_CONSTANT) == 0)
            visit(context, sources[k], false);
    for (int k = 0; vector && k < i->m.vector; k++) {
        place *element = &p->places[i->refs + k];
        if (*element != PLACE_NONE && (*element & PLACE_CONSTANT) == 0)
            visit(context, element, vector_written);
    }
    if (i->d != PLACE_NONE)
        visit(context, &i->d, true);
    if (i->d2 != PLACE_NONE)
        visit(context, &i->d2, true);
}
