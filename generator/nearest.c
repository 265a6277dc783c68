#include "generator/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Longer names are compared with nothing. */
enum { LENGTH_MAX = 64, PART_RANK = LENGTH_MAX + 1, FAR = 1000 };

static bool same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Letters left out, put in or replaced, and neighbours exchanged, that make b of a. */
static int edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int rows[3][LENGTH_MAX + 1]; /* of the table for prefixes of a: the present one and the two before */
    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = (int)j;
    for (size_t i = 1; i <= a_length; i++) {
        int *now = rows[i % 3];
        const int *before = rows[(i + 2) % 3], *two_before = rows[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= b_length; j++) {
            now[j] = before[j - 1] + !same_letter(a[i - 1], b[j - 1]);
            now[j] = least(now[j], 1 + least(before[j], now[j - 1]));
            if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]))
                now[j] = least(now[j], 1 + two_before[j - 2]);
        }
    }
    return rows[a_length % 3][b_length];
}

static bool is_number(const char *text, size_t length)
{
    return strspn(text, "0123456789") >= length;
}

/* Whether `part`, of two letters or more, stands in `whole`. Digits within a number mean nothing. */
static bool has_part(const char *whole, size_t whole_length, const char *part, size_t part_length)
{
    if (part_length < 2 || (is_number(whole, whole_length) && is_number(part, part_length)))
        return false;
    for (size_t i = 0; i + part_length <= whole_length; i++)
        if (strncasecmp(whole + i, part, part_length) == 0)
            return true;
    return false;
}

static int rank_of(const struct nearest *n, const char *name)
{
    size_t length = strlen(name), longer = length > n->length ? length : n->length;
    if (longer > LENGTH_MAX)
        return FAR;
    int distance = edit_distance(n->typed, n->length, name, length);
    if (3 * distance <= (int)longer)
        return distance;
    bool part = has_part(name, length, n->typed, n->length) || has_part(n->typed, n->length, name, length);
    return part ? PART_RANK + distance : FAR;
}

struct nearest nearest_to(const char *typed, size_t length)
{
    return (struct nearest){.typed = typed, .length = length, .rank = FAR};
}

void nearest_offer(struct nearest *n, const char *name)
{
    int rank = rank_of(n, name);
    if (rank >= n->rank)
        return;
    n->rank = rank;
    n->name = name;
}

const char *nearest_hint(const struct nearest *n, char text[HINT_SIZE])
{
    text[0] = '\0';
    if (n->name != NULL)
        snprintf(text, HINT_SIZE, ": did you mean '%s'?", n->name);
    return text;
}
