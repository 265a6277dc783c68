/* Splits PTX text into tokens. */
#ifndef TUNER_DEVICES_EMULATOR_PTX_LEXER_H
#define TUNER_DEVICES_EMULATOR_PTX_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum token_kind {
    TOKEN_END,
    TOKEN_WORD,   /* identifiers: ld, %rd4, $L__BB0_3 */
    TOKEN_DOTTED, /* a dot and what belongs to it: .global, .L1::no_allocate */
    TOKEN_NUMBER, /* 12, 0x1F, 0f3F800000 */
    TOKEN_STRING, /* with its quotes */
    TOKEN_MARK,   /* one character of punctuation */
    TOKEN_BAD,    /* a character that PTX does not know, or a string or comment that never ends */
};

struct token {
    enum token_kind kind;
    const char *text; /* into the module's text */
    int length;
    int line; /* from 1 */
};

struct lexer {
    const char *at, *end;
    int line;
};

void lexer_start(struct lexer *l, const char *text, size_t size);
struct token lexer_next(struct lexer *l);

bool token_is(const struct token *t, const char *text);

enum number_kind { NUMBER_INTEGER, NUMBER_F32, NUMBER_F64 };

/* A number token's bits: an integer's value, or the pattern of a float. False for what is no number. */
bool token_number(const struct token *t, enum number_kind *kind, uint64_t *bits);

#endif
