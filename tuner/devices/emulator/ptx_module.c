#include "tuner/devices/emulator/ptx_parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    VARIABLE_BYTES_MAX = 1 << 20, /* of one variable */
    DATA_BYTES_MAX = 16 << 20,    /* of all initial values of a module */
    REGISTERS_MAX = 1 << 18,      /* of one kernel */
    PARAM_BYTES_MAX = 32764,      /* PTX's own limit */
};

void parser_advance(struct parser *p)
{
    p->token = lexer_next(&p->lexer);
}

bool parser_fail(struct parser *p, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    int shown = p->token.length > 40 ? 40 : p->token.length;
    if (p->token.kind == TOKEN_END)
        return error_set(p->error, STATUS_NONE_SURVIVED, "PTX line %d: %s, at the end of the text",
                         p->token.line, text);
    return error_set(p->error, STATUS_NONE_SURVIVED, "PTX line %d: %s, at '%.*s'", p->token.line, text, shown,
                     p->token.text);
}

bool parser_accept(struct parser *p, const char *text)
{
    if (p->token.kind == TOKEN_END || !token_is(&p->token, text))
        return false;
    parser_advance(p);
    return true;
}

bool parser_expect(struct parser *p, const char *text)
{
    return parser_accept(p, text) || parser_fail(p, "'%s' was expected", text);
}

bool parser_integer(struct parser *p, int64_t *value, int64_t low, int64_t high)
{
    enum number_kind kind;
    uint64_t bits;
    bool minus = parser_accept(p, "-");
    if (!token_number(&p->token, &kind, &bits) || kind != NUMBER_INTEGER)
        return parser_fail(p, "a whole number was expected");
    *value = minus ? (int64_t)(0 - bits) : (int64_t)bits;
    if (*value < low || *value > high)
        return parser_fail(p, "the number is not between %lld and %lld", (long long)low, (long long)high);
    parser_advance(p);
    return true;
}

static const struct {
    const char *name;
    int bits;
} types[] = {
    {".pred", 1}, {".b8", 8},   {".u8", 8},   {".s8", 8},    {".b16", 16},    {".u16", 16},   {".s16", 16},
    {".f16", 16}, {".b32", 32}, {".u32", 32}, {".s32", 32},  {".f32", 32},    {".f16x2", 32}, {".b64", 64},
    {".u64", 64}, {".s64", 64}, {".f64", 64}, {".bf16", 16}, {".bf16x2", 32},
};

/* Takes a type; 0 and nothing taken where there is none. */
static int accept_type(struct parser *p)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (parser_accept(p, types[i].name))
            return types[i].bits;
    return 0;
}

static bool add_registers(struct parser *p, const struct token *name, int bits, bool range, int64_t count)
{
    struct ptx_kernel *k = p->kernel;
    if (count > REGISTERS_MAX - k->register_count)
        return parser_fail(p, "the kernel has more than %d registers", REGISTERS_MAX);
    struct symbol s = {.name = name->text,
                       .length = name->length,
                       .kind = SYMBOL_REGISTER,
                       .index = k->register_count,
                       .limit = (int)count};
    if (range)
        s.kind = SYMBOL_REGISTER_RANGE;
    if (!symbols_add(&p->symbols, p->scope, s))
        return parser_fail(p, "register '%.*s' is declared twice", name->length, name->text);
    if (k->register_count + count > p->register_capacity) {
        p->register_capacity = k->register_count * 2 + (int)count + 64;
        k->register_bits = must_realloc(k->register_bits, (size_t)p->register_capacity);
    }
    if (count > 0)
        memset(k->register_bits + k->register_count, bits, (size_t)count);
    k->register_count += (int)count;
    return true;
}

bool parser_registers(struct parser *p)
{
    parser_advance(p);
    int bits = accept_type(p);
    if (bits == 0)
        return parser_fail(p, "a register's type was expected");
    do {
        struct token name = p->token;
        if (name.kind != TOKEN_WORD)
            return parser_fail(p, "a register's name was expected");
        parser_advance(p);
        int64_t count = 1;
        bool range = parser_accept(p, "<");
        if (range && (!parser_integer(p, &count, 0, REGISTERS_MAX) || !parser_expect(p, ">")))
            return false;
        if (!add_registers(p, &name, bits, range, count))
            return false;
    } while (parser_accept(p, ","));
    return parser_expect(p, ";");
}

/* A literal as an element of `bytes` bytes at `to`. */
static bool initial_value(struct parser *p, unsigned char *to, int bytes)
{
    bool minus = parser_accept(p, "-");
    enum number_kind kind;
    uint64_t bits;
    if (!token_number(&p->token, &kind, &bits))
        return parser_fail(p, "a number was expected");
    if (minus)
        bits = 0 - bits;
    memcpy(to, &bits, (size_t)bytes); /* this machine stores the low byte first, as the GPU does */
    parser_advance(p);
    return true;
}

static bool initial_values(struct parser *p, struct ptx_variable *v, int element)
{
    if (!parser_accept(p, "{"))
        return v->size >= element ? initial_value(p, v->initial, element)
                                  : parser_fail(p, "there is no room for a value");
    for (int64_t at = 0; at == 0 || parser_accept(p, ","); at += element) {
        if (at + element > v->size)
            return parser_fail(p, "there are more values than the variable holds");
        if (!initial_value(p, v->initial + at, element))
            return false;
    }
    return parser_expect(p, "}");
}

/* [12][3] after a variable's name; [] is 0 bytes. */
static bool array_size(struct parser *p, int64_t *size)
{
    while (parser_accept(p, "[")) {
        int64_t count = 0;
        if (!token_is(&p->token, "]") && !parser_integer(p, &count, 0, VARIABLE_BYTES_MAX))
            return false;
        if (count * *size > VARIABLE_BYTES_MAX)
            return parser_fail(p, "the variable is larger than %d bytes", VARIABLE_BYTES_MAX);
        *size *= count;
        if (!parser_expect(p, "]"))
            return false;
    }
    return true;
}

static bool declare(struct parser *p, const struct token *name, struct ptx_variable v)
{
    PARSER_GROW(p->module->variables, p->module->variable_count, p->variable_capacity);
    struct symbol s = {.name = name->text,
                       .length = name->length,
                       .kind = SYMBOL_VARIABLE,
                       .index = p->module->variable_count};
    if (!symbols_add(&p->symbols, p->scope, s))
        return parser_fail(p, "'%.*s' is declared twice", name->length, name->text);
    v.name = must_format("%.*s", name->length, name->text);
    if (v.space == SPACE_GLOBAL || v.space == SPACE_CONST)
        v.initial = must_calloc(1, (size_t)v.size + 1);
    p->module->variables[p->module->variable_count++] = v;
    return true;
}

static bool declaration_head(struct parser *p, struct ptx_variable *v, int *bits)
{
    int64_t align = 0;
    *bits = 0;
    int vector = 1;
    for (;;) {
        if (parser_accept(p, ".align")) {
            if (!parser_integer(p, &align, 1, 4096))
                return false;
            if ((align & (align - 1)) != 0)
                return parser_fail(p, "the alignment is no power of two");
        } else if (parser_accept(p, ".v2")) {
            vector = 2;
        } else if (parser_accept(p, ".v4")) {
            vector = 4;
        } else if (parser_accept(p, ".ptr") || parser_accept(p, ".global") || parser_accept(p, ".shared")) {
            /* what a pointer parameter points to: a promise that cvta repeats */
        } else if (*bits == 0 && (*bits = accept_type(p)) != 0) {
            v->size = *bits / 8 * vector;
            v->align = (int)v->size;
        } else {
            break;
        }
    }
    if (*bits < 8)
        return parser_fail(p, "a variable's type was expected");
    if (align != 0 && v->space != SPACE_PARAM)
        v->align = (int)align;
    return true;
}

bool parser_variable(struct parser *p, enum state_space space)
{
    parser_advance(p);
    struct ptx_variable v = {.space = space};
    int bits;
    if (!declaration_head(p, &v, &bits))
        return false;
    do {
        struct token name = p->token;
        struct ptx_variable one = v;
        if (name.kind != TOKEN_WORD)
            return parser_fail(p, "a variable's name was expected");
        parser_advance(p);
        if (!array_size(p, &one.size))
            return false;
        p->data_bytes += one.size;
        if (p->data_bytes > DATA_BYTES_MAX)
            return parser_fail(p, "the variables are larger than %d bytes", DATA_BYTES_MAX);
        if (!declare(p, &name, one))
            return false;
        struct ptx_variable *declared = &p->module->variables[p->module->variable_count - 1];
        if (parser_accept(p, "=") &&
            (declared->initial == NULL ? !parser_fail(p, "this variable takes no initial value")
                                       : !initial_values(p, declared, bits / 8)))
            return false;
    } while (parser_accept(p, ","));
    return parser_expect(p, ";");
}

/* .param .u64 .ptr .align 1 name, one of a kernel's. An .align before the type is the parameter's own. */
static bool kernel_parameter(struct parser *p)
{
    if (!parser_expect(p, ".param"))
        return false;
    struct ptx_variable v = {.space = SPACE_PARAM};
    int64_t align = 0;
    if (parser_accept(p, ".align") && (!parser_integer(p, &align, 1, 128) || (align & (align - 1)) != 0))
        return parser_fail(p, "a parameter's alignment was expected");
    int bits;
    if (!declaration_head(p, &v, &bits))
        return false;
    struct token name = p->token;
    if (name.kind != TOKEN_WORD)
        return parser_fail(p, "a parameter's name was expected");
    parser_advance(p);
    if (!array_size(p, &v.size))
        return false;
    if (align != 0)
        v.align = (int)align;
    v.offset = ((int64_t)p->kernel->param_bytes + v.align - 1) / v.align * v.align;
    if (v.offset + v.size > PARAM_BYTES_MAX)
        return parser_fail(p, "the parameters are larger than %d bytes", PARAM_BYTES_MAX);
    p->kernel->param_bytes = (int)(v.offset + v.size);
    return declare(p, &name, v);
}

/* Directives between a kernel's parameters and its body. */
static bool kernel_directives(struct parser *p)
{
    while (!token_is(&p->token, "{")) {
        int64_t numbers[3] = {1, 1, 1};
        struct token name = p->token;
        if (name.kind != TOKEN_DOTTED)
            return parser_fail(p, "the kernel's body was expected");
        parser_advance(p);
        if (parser_accept(p, ","))
            return parser_fail(p, "a number was expected");
        for (int i = 0; i < 3 && p->token.kind == TOKEN_NUMBER; i++) {
            if (!parser_integer(p, &numbers[i], 1, 1 << 20))
                return false;
            if (!parser_accept(p, ","))
                break;
        }
        if (token_is(&name, ".maxntid") || token_is(&name, ".reqntid"))
            p->kernel->max_threads = (int)(numbers[0] * numbers[1] * numbers[2] & 0x7fffffff);
        else if (token_is(&name, ".reqnctapercluster"))
            for (int i = 0; i < 3; i++)
                p->kernel->cluster[i] = (int)numbers[i];
        else if (!token_is(&name, ".minnctapersm") && !token_is(&name, ".maxnreg") &&
                 !token_is(&name, ".maxclusterrank") && !token_is(&name, ".explicitcluster") &&
                 !token_is(&name, ".blocksareclusters"))
            return parser_fail(p, "unknown directive '%.*s' before", name.length, name.text);
    }
    return true;
}

static bool kernel(struct parser *p)
{
    parser_advance(p);
    if (p->token.kind != TOKEN_WORD)
        return parser_fail(p, "a kernel's name was expected");
    PARSER_GROW(p->module->kernels, p->module->kernel_count, p->kernel_capacity);
    p->kernel = &p->module->kernels[p->module->kernel_count++];
    *p->kernel = (struct ptx_kernel){.name = must_format("%.*s", p->token.length, p->token.text)};
    p->instruction_capacity = p->operand_capacity = p->register_capacity = 0;
    p->source_line = 0;
    parser_advance(p);
    int outer = p->scope;
    p->scope = p->symbols.count;
    if (parser_accept(p, "(") && !parser_accept(p, ")")) {
        do
            if (!kernel_parameter(p))
                return false;
        while (parser_accept(p, ","));
        if (!parser_expect(p, ")"))
            return false;
    }
    bool done = kernel_directives(p) && parser_body(p);
    symbols_leave(&p->symbols, p->scope);
    p->scope = outer;
    p->kernel = NULL;
    return done;
}

/* From a { to its }, whatever stands between: debug sections. */
static bool skip_braces(struct parser *p)
{
    while (p->token.kind != TOKEN_END && !token_is(&p->token, "{"))
        parser_advance(p);
    int depth = 0;
    do {
        if (p->token.kind == TOKEN_END)
            return parser_fail(p, "'}' was expected");
        depth += token_is(&p->token, "{") - token_is(&p->token, "}");
        parser_advance(p);
    } while (depth > 0);
    return true;
}

static void skip_line(struct parser *p)
{
    int line = p->token.line;
    while (p->token.kind != TOKEN_END && p->token.line == line)
        parser_advance(p);
}

/* .version 9.0 and the like. */
static bool module_version(struct parser *p)
{
    parser_advance(p);
    int major, minor;
    char text[16];
    if (p->token.kind != TOKEN_NUMBER || p->token.length >= (int)sizeof text)
        return parser_fail(p, "a version was expected");
    memcpy(text, p->token.text, (size_t)p->token.length);
    text[p->token.length] = '\0';
    if (sscanf(text, "%3d.%3d", &major, &minor) != 2)
        return parser_fail(p, "a version was expected");
    p->module->version = major * 10 + minor;
    parser_advance(p);
    return true;
}

static bool module_target(struct parser *p)
{
    parser_advance(p);
    if (p->token.kind != TOKEN_WORD || p->token.length >= (int)sizeof p->module->target)
        return parser_fail(p, "a target was expected");
    memcpy(p->module->target, p->token.text, (size_t)p->token.length);
    skip_line(p);
    return true;
}

static bool module_directive(struct parser *p)
{
    if (parser_accept(p, ".visible") || parser_accept(p, ".extern") || parser_accept(p, ".weak"))
        return true;
    if (token_is(&p->token, ".version"))
        return module_version(p);
    if (token_is(&p->token, ".target"))
        return module_target(p);
    if (token_is(&p->token, ".entry"))
        return kernel(p);
    if (token_is(&p->token, ".shared"))
        return parser_variable(p, SPACE_SHARED);
    if (token_is(&p->token, ".global"))
        return parser_variable(p, SPACE_GLOBAL);
    if (token_is(&p->token, ".const"))
        return parser_variable(p, SPACE_CONST);
    if (token_is(&p->token, ".section"))
        return skip_braces(p);
    if (token_is(&p->token, ".address_size") || token_is(&p->token, ".file") ||
        token_is(&p->token, ".pragma")) {
        skip_line(p);
        return true;
    }
    return parser_fail(p, "this is no directive that the emulator knows");
}

struct ptx_module *ptx_module_parse(const char *text, size_t size, struct error *e)
{
    struct ptx_module *module = must_calloc(1, sizeof *module);
    module->text = must_malloc(size + 1);
    memcpy(module->text, text, size);
    module->text[size] = '\0';
    struct parser p = {.module = module, .error = e};
    symbols_start(&p.symbols);
    lexer_start(&p.lexer, module->text, size);
    parser_advance(&p);
    bool good = true;
    while (good && p.token.kind != TOKEN_END)
        good = module_directive(&p);
    if (good && module->version == 0)
        good = parser_fail(&p, "there is no .version");
    symbols_clear(&p.symbols);
    free(p.uses);
    if (good)
        return module;
    ptx_module_free(module);
    return NULL;
}

void ptx_module_free(struct ptx_module *module)
{
    if (module == NULL)
        return;
    for (int i = 0; i < module->kernel_count; i++) {
        free(module->kernels[i].name);
        free(module->kernels[i].register_bits);
        free(module->kernels[i].instructions);
        free(module->kernels[i].operands);
    }
    for (int i = 0; i < module->variable_count; i++) {
        free(module->variables[i].name);
        free(module->variables[i].initial);
    }
    free(module->kernels);
    free(module->variables);
    free(module->text);
    free(module);
}

const struct ptx_kernel *ptx_module_kernel(const struct ptx_module *module, const char *name)
{
    for (int i = 0; i < module->kernel_count; i++)
        if (strcmp(module->kernels[i].name, name) == 0)
            return &module->kernels[i];
    return NULL;
}
