#include "generator/launch.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One recursive descent serves both uses: it computes the value and, where `c` is set, writes C text. */
struct reader {
    const char *text, *at;
    int64_t M, sms;
    bool symbolic; /* M and sms are not known: values mean nothing, and divisions are not checked */
    char *c;       /* owned; NULL when only the value is wanted */
    int depth;
    struct error *e;
};

enum { DEPTH_MAX = 32 };

static bool read_sum(struct reader *r, int64_t *value);

static bool fail(struct reader *r, const char *what)
{
    return error_set(r->e, STATUS_USAGE, "expression '%s': %s at character %d", r->text, what,
                     (int)(r->at - r->text) + 1);
}

static void emit(struct reader *r, const char *text, size_t length)
{
    if (r->c == NULL)
        return;
    size_t used = strlen(r->c);
    r->c = must_realloc(r->c, used + length + 1);
    memcpy(r->c + used, text, length);
    r->c[used + length] = '\0';
}

static void emit_text(struct reader *r, const char *text)
{
    emit(r, text, strlen(text));
}

static char peek(struct reader *r)
{
    while (*r->at == ' ')
        r->at++;
    return *r->at;
}

static bool take(struct reader *r, char c)
{
    if (peek(r) != c)
        return false;
    r->at++;
    return true;
}

static bool apply(struct reader *r, char operation, int64_t a, int64_t b, int64_t *value)
{
    if (r->symbolic) {
        *value = 1;
        return true;
    }
    bool overflow = false;
    switch (operation) {
    case '+':
        overflow = __builtin_add_overflow(a, b, value);
        break;
    case '-':
        overflow = __builtin_sub_overflow(a, b, value);
        break;
    case '*':
        overflow = __builtin_mul_overflow(a, b, value);
        break;
    default: /* '/' rounds down, 'c'eil rounds up */
        if (b == 0)
            return fail(r, "division by zero");
        if (a == INT64_MIN && b == -1)
            overflow = true;
        else {
            *value = a / b;
            bool inexact = a % b != 0, negative = (a < 0) != (b < 0);
            if (inexact && operation == '/' && negative)
                --*value;
            if (inexact && operation == 'c' && !negative)
                ++*value;
        }
    }
    return overflow ? fail(r, "the value does not fit in 64 bits") : true;
}

static bool read_call(struct reader *r, const char *name, int64_t *value)
{
    emit_text(r, "softmax_");
    emit_text(r, name);
    emit_text(r, "(");
    int64_t a, b;
    if (!take(r, '('))
        return fail(r, "'(' is missing");
    if (!read_sum(r, &a))
        return false;
    emit_text(r, ", ");
    if (!take(r, ','))
        return fail(r, "',' is missing");
    if (!read_sum(r, &b))
        return false;
    emit_text(r, ")");
    if (!take(r, ')'))
        return fail(r, "')' is missing");
    if (name[0] == 'c')
        return apply(r, 'c', a, b, value);
    bool smaller = a < b;
    *value = (name[1] == 'i') == smaller ? a : b;
    return true;
}

static bool read_number(struct reader *r, int64_t *value)
{
    const char *start = r->at;
    *value = 0;
    for (; isdigit((unsigned char)*r->at); r->at++)
        if (__builtin_mul_overflow(*value, 10, value) || __builtin_add_overflow(*value, *r->at - '0', value))
            return fail(r, "the number does not fit in 64 bits");
    emit(r, start, (size_t)(r->at - start));
    return true;
}

static bool read_name(struct reader *r, int64_t *value)
{
    static const char *const calls[] = {"ceil", "min", "max"};
    const char *start = r->at;
    while (isalpha((unsigned char)*r->at))
        r->at++;
    size_t length = (size_t)(r->at - start);
    if (length == 1 && start[0] == 'M') {
        emit_text(r, "M");
        *value = r->M;
        return true;
    }
    if (length == 3 && memcmp(start, "sms", 3) == 0) {
        emit_text(r, "sms");
        *value = r->sms;
        return true;
    }
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        if (strlen(calls[i]) == length && memcmp(start, calls[i], length) == 0)
            return read_call(r, calls[i], value);
    r->at = start;
    return fail(r, "only M, sms, integers, ceil, min and max are known");
}

static bool read_operand(struct reader *r, int64_t *value)
{
    char c = peek(r);
    if (isdigit((unsigned char)c))
        return read_number(r, value);
    if (isalpha((unsigned char)c))
        return read_name(r, value);
    if (!take(r, '('))
        return fail(r, c == '\0' ? "an operand is missing" : "an operand was expected");
    emit_text(r, "(");
    if (!read_sum(r, value))
        return false;
    emit_text(r, ")");
    return take(r, ')') || fail(r, "')' is missing");
}

static bool read_product(struct reader *r, int64_t *value)
{
    if (!read_operand(r, value))
        return false;
    while (peek(r) == '*' || peek(r) == '/') {
        char operation = *r->at++;
        emit_text(r, operation == '*' ? " * " : " / ");
        int64_t right;
        if (!read_operand(r, &right) || !apply(r, operation, *value, right, value))
            return false;
    }
    return true;
}

static bool read_sum(struct reader *r, int64_t *value)
{
    if (++r->depth > DEPTH_MAX)
        return fail(r, "nested too deeply");
    if (!read_product(r, value))
        return false;
    while (peek(r) == '+' || peek(r) == '-') {
        char operation = *r->at++;
        emit_text(r, operation == '+' ? " + " : " - ");
        int64_t right;
        if (!read_product(r, &right) || !apply(r, operation, *value, right, value))
            return false;
    }
    r->depth--;
    return true;
}

static bool read_whole(struct reader *r, int64_t *value)
{
    return read_sum(r, value) && (peek(r) == '\0' || fail(r, "an operator was expected"));
}

bool expression_evaluate(const char *text, int64_t M, int64_t sms, int64_t *value, struct error *e)
{
    struct reader r = {.text = text, .at = text, .M = M, .sms = sms, .e = e};
    return read_whole(&r, value);
}

char *expression_to_c(const char *text, struct error *e)
{
    struct reader r = {.text = text, .at = text, .symbolic = true, .c = must_strdup(""), .e = e};
    int64_t value;
    if (read_whole(&r, &value))
        return r.c;
    free(r.c);
    return NULL;
}
