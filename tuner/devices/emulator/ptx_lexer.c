#include "tuner/devices/emulator/ptx_lexer.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void lexer_start(struct lexer *l, const char *text, size_t size)
{
    l->at = text;
    l->end = text + size;
    l->line = 1;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

/* Stops at the next character that is neither space nor comment; false where a comment never ends. */
static bool skip_space(struct lexer *l)
{
    while (l->at < l->end) {
        if (*l->at == '\n') {
            l->line++;
            l->at++;
        } else if (isspace((unsigned char)*l->at)) {
            l->at++;
        } else if (l->end - l->at >= 2 && l->at[0] == '/' && l->at[1] == '/') {
            while (l->at < l->end && *l->at != '\n')
                l->at++;
        } else if (l->end - l->at >= 2 && l->at[0] == '/' && l->at[1] == '*') {
            for (l->at += 2; l->end - l->at >= 2 && !(l->at[0] == '*' && l->at[1] == '/'); l->at++)
                l->line += *l->at == '\n';
            if (l->end - l->at < 2)
                return false;
            l->at += 2;
        } else {
            return true;
        }
    }
    return true;
}

static enum token_kind scan_string(struct lexer *l)
{
    const char *quote = memchr(l->at, '"', (size_t)(l->end - l->at));
    const char *newline = memchr(l->at, '\n', (size_t)(l->end - l->at));
    if (quote == NULL || (newline != NULL && newline < quote))
        return TOKEN_BAD;
    l->at = quote + 1;
    return TOKEN_STRING;
}

static void scan_dotted(struct lexer *l)
{
    for (;;) {
        while (l->at < l->end && is_word(*l->at))
            l->at++;
        if (l->end - l->at < 3 || l->at[0] != ':' || l->at[1] != ':' || !is_word(l->at[2]))
            return;
        l->at += 2;
    }
}

static void scan_number(struct lexer *l)
{
    while (l->at < l->end &&
           (is_word(*l->at) || (l->at + 1 < l->end && *l->at == '.' && isdigit((unsigned char)l->at[1]))))
        l->at++;
}

static enum token_kind scan(struct lexer *l)
{
    char first = *l->at++;
    if (isdigit((unsigned char)first)) {
        scan_number(l);
        return TOKEN_NUMBER;
    }
    if (is_word(first)) {
        while (l->at < l->end && is_word(*l->at))
            l->at++;
        return TOKEN_WORD;
    }
    if (first == '.' && l->at < l->end && is_word(*l->at)) {
        scan_dotted(l);
        return TOKEN_DOTTED;
    }
    if (first == '"')
        return scan_string(l);
    return first != '\0' && strchr("{}[]()<>,;:=@!|+-", first) != NULL ? TOKEN_MARK : TOKEN_BAD;
}

struct token lexer_next(struct lexer *l)
{
    bool whole = skip_space(l);
    struct token t = {.kind = TOKEN_END, .text = l->at, .line = l->line};
    if (!whole)
        t.kind = TOKEN_BAD;
    else if (l->at < l->end)
        t.kind = scan(l);
    t.length = (int)(l->at - t.text);
    return t;
}

bool token_is(const struct token *t, const char *text)
{
    return strlen(text) == (size_t)t->length && memcmp(t->text, text, (size_t)t->length) == 0;
}

/* 0f and 8 hexadecimal digits, 0d and 16. */
static bool float_pattern(const char *text, enum number_kind *kind, uint64_t *bits)
{
    size_t digits = strlen(text + 2);
    *kind = text[1] == 'f' || text[1] == 'F' ? NUMBER_F32 : NUMBER_F64;
    if (digits != (*kind == NUMBER_F32 ? 8 : 16) || strspn(text + 2, "0123456789abcdefABCDEF") != digits)
        return false;
    *bits = strtoull(text + 2, NULL, 16);
    return true;
}

bool token_number(const struct token *t, enum number_kind *kind, uint64_t *bits)
{
    char text[64];
    if (t->kind != TOKEN_NUMBER || t->length >= (int)sizeof text)
        return false;
    memcpy(text, t->text, (size_t)t->length);
    text[t->length] = '\0';
    if (text[0] == '0' && text[1] != '\0' && strchr("fFdD", text[1]) != NULL)
        return float_pattern(text, kind, bits);
    char *end;
    errno = 0;
    if (strchr(text, '.') != NULL) {
        double value = strtod(text, &end);
        memcpy(bits, &value, sizeof value);
        *kind = NUMBER_F64;
        return *end == '\0';
    }
    bool binary = text[0] == '0' && (text[1] == 'b' || text[1] == 'B');
    *bits = strtoull(binary ? text + 2 : text, &end, binary ? 2 : 0);
    *kind = NUMBER_INTEGER;
    return errno == 0 && (strcmp(end, "") == 0 || strcmp(end, "U") == 0);
}
