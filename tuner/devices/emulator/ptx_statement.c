/* The statements of a kernel's body: instructions, labels, blocks and declarations. */
#include "tuner/devices/emulator/ptx_parser.h"

#include <string.h>

enum { DEPTH_MAX = 64, VECTOR_MAX = 64 };

static int operand_slot(struct parser *p)
{
    PARSER_GROW(p->kernel->operands, p->kernel->operand_count, p->operand_capacity);
    p->kernel->operands[p->kernel->operand_count] = (struct ptx_operand){.kind = OPERAND_SINK};
    return p->kernel->operand_count++;
}

static bool literal(struct parser *p, struct ptx_operand *o)
{
    bool minus = parser_accept(p, "-");
    enum number_kind kind;
    if (!token_number(&p->token, &kind, &o->bits))
        return parser_fail(p, "a number was expected");
    o->kind = OPERAND_IMMEDIATE;
    o->is_float = kind != NUMBER_INTEGER;
    o->width = kind == NUMBER_F32 ? 32 : 64;
    if (minus)
        o->bits = o->is_float ? o->bits ^ (UINT64_C(1) << (o->width - 1)) : 0 - o->bits;
    parser_advance(p);
    return true;
}

static bool label_use(struct parser *p, const struct token *name, int operand)
{
    PARSER_GROW(p->uses, p->use_count, p->use_capacity);
    p->uses[p->use_count++] = (struct label_use){
        .name = name->text, .length = name->length, .operand = operand, .line = name->line};
    p->kernel->operands[operand].kind = OPERAND_LABEL;
    return true;
}

/* A name: register, special register, variable, or else a label. */
static bool name_operand(struct parser *p, int slot)
{
    struct ptx_operand *o = &p->kernel->operands[slot];
    struct token name = p->token;
    const struct symbol *s = symbols_find(&p->symbols, name.text, name.length);
    int in_range = s == NULL ? symbols_find_in_range(&p->symbols, name.text, name.length) : -1;
    parser_advance(p);
    if (in_range >= 0 || (s != NULL && s->kind == SYMBOL_REGISTER)) {
        o->kind = OPERAND_REGISTER;
        o->index = s != NULL ? s->index : in_range;
        return true;
    }
    if (s != NULL && s->kind == SYMBOL_VARIABLE) {
        o->kind = OPERAND_VARIABLE;
        o->index = s->index;
        return true;
    }
    if (token_is(&name, "_"))
        return true;
    if (name.text[0] == '%') {
        if (p->token.kind == TOKEN_DOTTED && p->token.text == name.text + name.length) {
            name.length += p->token.length;
            parser_advance(p);
        }
        enum special_register special = special_register_find(name.text, name.length);
        o->kind = OPERAND_SPECIAL;
        o->index = special;
        return special != SPECIAL_COUNT || parser_fail(p, "'%.*s' is no register that the emulator knows",
                                                       name.length > 60 ? 60 : name.length, name.text);
    }
    return label_use(p, &name, slot);
}

/* +12, +-12 or -12 after a variable or a base register. */
static bool offset(struct parser *p, int64_t *value)
{
    *value = 0;
    bool plus = parser_accept(p, "+");
    return (!plus && !token_is(&p->token, "-")) || parser_integer(p, value, INT32_MIN, UINT32_MAX);
}

static bool operand(struct parser *p, int slot);

/* Elements up to `close`; they are parsed aside and moved, so that they stand together. */
static bool vector(struct parser *p, int slot, const char *close)
{
    struct ptx_operand elements[VECTOR_MAX];
    int count = 0;
    if (!parser_accept(p, close)) {
        do {
            if (count == VECTOR_MAX)
                return parser_fail(p, "a vector has too many elements");
            int element = operand_slot(p);
            if (token_is(&p->token, "{") || token_is(&p->token, "(") || token_is(&p->token, "["))
                return parser_fail(p, "a vector holds registers and numbers");
            if (!operand(p, element))
                return false;
            elements[count++] = p->kernel->operands[element];
            if (elements[count - 1].kind == OPERAND_LABEL)
                return parser_fail(p, "a vector holds registers and numbers, before");
            p->kernel->operand_count = element;
        } while (parser_accept(p, ","));
        if (!parser_expect(p, close))
            return false;
    }
    int first = p->kernel->operand_count;
    for (int i = 0; i < count; i++) {
        int element = operand_slot(p); /* before the operands are looked at: they may move */
        p->kernel->operands[element] = elements[i];
    }
    p->kernel->operands[slot].kind = OPERAND_VECTOR;
    p->kernel->operands[slot].index = first;
    p->kernel->operands[slot].count = count;
    return true;
}

static bool address(struct parser *p, int slot)
{
    struct ptx_operand *o = &p->kernel->operands[slot];
    int64_t value = 0;
    if (p->token.kind == TOKEN_NUMBER) {
        o->base = OPERAND_IMMEDIATE;
        if (!parser_integer(p, &value, INT64_MIN, INT64_MAX))
            return false;
    } else {
        if (p->token.kind != TOKEN_WORD)
            return parser_fail(p, "an address was expected");
        if (!name_operand(p, slot))
            return false;
        o = &p->kernel->operands[slot];
        o->base = o->kind;
        if (o->base != OPERAND_REGISTER && o->base != OPERAND_VARIABLE)
            return parser_fail(p, "an address is a register or a variable, and a number");
        if (!offset(p, &value))
            return false;
    }
    o->kind = OPERAND_ADDRESS;
    o->offset = value;
    return parser_expect(p, "]");
}

/* p|q: the two become a vector. */
static bool second_of_pair(struct parser *p, int slot)
{
    struct ptx_operand pair[2] = {p->kernel->operands[slot]};
    int second = operand_slot(p);
    if (p->token.kind != TOKEN_WORD)
        return parser_fail(p, "a register was expected");
    if (!name_operand(p, second))
        return false;
    pair[1] = p->kernel->operands[second];
    if (pair[0].kind == OPERAND_LABEL || pair[1].kind == OPERAND_LABEL)
        return parser_fail(p, "a register was expected before");
    p->kernel->operand_count = second;
    int first = operand_slot(p);
    int next = operand_slot(p);
    p->kernel->operands[first] = pair[0];
    p->kernel->operands[next] = pair[1];
    p->kernel->operands[slot] = (struct ptx_operand){.kind = OPERAND_VECTOR, .index = first, .count = 2};
    return true;
}

static bool operand(struct parser *p, int slot)
{
    if (parser_accept(p, "{"))
        return vector(p, slot, "}");
    if (parser_accept(p, "("))
        return vector(p, slot, ")");
    if (parser_accept(p, "["))
        return address(p, slot);
    bool negated = parser_accept(p, "!");
    if (p->token.kind == TOKEN_WORD) {
        if (!name_operand(p, slot))
            return false;
        struct ptx_operand *o = &p->kernel->operands[slot];
        o->negated = negated;
        if (o->kind == OPERAND_VARIABLE)
            return offset(p, &o->offset);
        return !parser_accept(p, "|") || second_of_pair(p, slot);
    }
    return literal(p, &p->kernel->operands[slot]);
}

static bool guard(struct parser *p, struct ptx_instruction *i)
{
    i->guard = -1;
    if (!parser_accept(p, "@"))
        return true;
    i->guard_negated = parser_accept(p, "!");
    const struct symbol *s = symbols_find(&p->symbols, p->token.text, p->token.length);
    i->guard = s == NULL ? symbols_find_in_range(&p->symbols, p->token.text, p->token.length)
                         : (s->kind == SYMBOL_REGISTER ? s->index : -1);
    if (i->guard < 0 || p->kernel->register_bits[i->guard] != 1)
        return parser_fail(p, "a predicate register was expected");
    parser_advance(p);
    return true;
}

/* Operands up to the semicolon; where they were put in the kernel's list. */
static bool operand_list(struct parser *p, int slots[VECTOR_MAX], int *count)
{
    *count = 0;
    if (parser_accept(p, ";"))
        return true;
    do {
        if (*count == VECTOR_MAX)
            return parser_fail(p, "the instruction has too many operands");
        slots[*count] = operand_slot(p);
        if (!operand(p, slots[(*count)++]))
            return false;
    } while (parser_accept(p, ","));
    return parser_expect(p, ";");
}

/* A vector's elements lie between the operands; the instruction's own are put in a row. Labels among them
   move, and their uses with them. */
static void put_in_a_row(struct parser *p, const int *slots, int count)
{
    for (int k = 0; k < count; k++) {
        int to = operand_slot(p);
        p->kernel->operands[to] = p->kernel->operands[slots[k]];
        for (int u = p->use_count - 1; u >= 0 && p->uses[u].operand >= slots[0]; u--)
            if (p->uses[u].operand == slots[k])
                p->uses[u].operand = to;
    }
}

static bool instruction(struct parser *p)
{
    struct ptx_instruction i = {.line = p->token.line, .source_line = p->source_line};
    if (!guard(p, &i))
        return false;
    if (p->token.kind != TOKEN_WORD)
        return parser_fail(p, "an instruction was expected");
    i.line = p->token.line;
    i.name = p->token.text;
    i.name_length = p->token.length;
    parser_advance(p);
    while (p->token.kind == TOKEN_DOTTED && p->token.text == i.name + i.name_length) {
        i.name_length += p->token.length;
        parser_advance(p);
    }
    int slots[VECTOR_MAX];
    if (!operand_list(p, slots, &i.operand_count))
        return false;
    i.first_operand = p->kernel->operand_count;
    put_in_a_row(p, slots, i.operand_count);
    PARSER_GROW(p->kernel->instructions, p->kernel->instruction_count, p->instruction_capacity);
    p->kernel->instructions[p->kernel->instruction_count++] = i;
    return true;
}

/* .loc file line column [, function_name label, inlined_at file line column] */
static bool location(struct parser *p)
{
    int line = p->token.line;
    int64_t file, source_line;
    parser_advance(p);
    if (!parser_integer(p, &file, 0, INT32_MAX) || !parser_integer(p, &source_line, 0, INT32_MAX))
        return false;
    /* Line 0 stands for code that no line made: the line before it is the better answer. */
    if (source_line > 0)
        p->source_line = (int)source_line;
    while (p->token.kind != TOKEN_END && p->token.line == line)
        parser_advance(p);
    return true;
}

static bool label(struct parser *p, const struct token *name)
{
    struct symbol s = {.name = name->text,
                       .length = name->length,
                       .kind = SYMBOL_LABEL,
                       .index = p->kernel->instruction_count};
    return symbols_add(&p->symbols, p->scope, s) ||
           parser_fail(p, "'%.*s' is declared twice", name->length > 60 ? 60 : name->length, name->text);
}

/* Points the uses since `first_use` at the labels of the scope that ends; those of outer scopes stay. */
static void resolve_labels(struct parser *p, int first_use)
{
    int kept = first_use;
    for (int u = first_use; u < p->use_count; u++) {
        struct label_use use = p->uses[u];
        const struct symbol *s = symbols_find(&p->symbols, use.name, use.length);
        if (s != NULL && s->kind == SYMBOL_LABEL)
            p->kernel->operands[use.operand].index = s->index;
        else
            p->uses[kept++] = use;
    }
    p->use_count = kept;
}

static bool statement(struct parser *p);

/* A block, from its { to its }: a scope of registers, variables and labels. */
static bool block(struct parser *p)
{
    if (!parser_expect(p, "{"))
        return false;
    if (++p->depth > DEPTH_MAX)
        return parser_fail(p, "blocks are nested too deeply");
    int outer = p->scope, first_use = p->use_count;
    p->scope = p->symbols.count;
    while (!token_is(&p->token, "}") || p->token.kind == TOKEN_END)
        if (!statement(p))
            return false;
    resolve_labels(p, first_use);
    symbols_leave(&p->symbols, p->scope);
    p->scope = outer;
    p->depth--;
    parser_advance(p);
    return true;
}

static bool statement_directive(struct parser *p)
{
    if (token_is(&p->token, ".loc"))
        return location(p);
    if (token_is(&p->token, ".reg"))
        return parser_registers(p);
    if (token_is(&p->token, ".shared"))
        return parser_variable(p, SPACE_SHARED);
    if (token_is(&p->token, ".local"))
        return parser_variable(p, SPACE_LOCAL);
    if (parser_accept(p, ".pragma")) {
        while (p->token.kind != TOKEN_END && !token_is(&p->token, ";"))
            parser_advance(p);
        return parser_expect(p, ";");
    }
    return parser_fail(p, "this is no directive that the emulator knows");
}

static bool statement(struct parser *p)
{
    if (p->token.kind == TOKEN_END)
        return parser_fail(p, "the kernel's '}' was expected");
    if (p->token.kind == TOKEN_DOTTED)
        return statement_directive(p);
    if (token_is(&p->token, "{"))
        return block(p);
    if (p->token.kind == TOKEN_WORD) {
        struct lexer before = p->lexer;
        struct token name = p->token;
        parser_advance(p);
        if (parser_accept(p, ":"))
            return label(p, &name);
        p->lexer = before;
        p->token = name;
    }
    return instruction(p);
}

bool parser_body(struct parser *p)
{
    p->use_count = 0;
    p->depth = 0;
    if (!block(p))
        return false;
    if (p->use_count > 0) {
        const struct label_use *use = &p->uses[0];
        return error_set(p->error, STATUS_NONE_SURVIVED, "PTX line %d: '%.*s' is not declared", use->line,
                         use->length > 60 ? 60 : use->length, use->name);
    }
    return true;
}
