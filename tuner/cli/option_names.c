#include "tuner/cli/option_names.h"

#include "generator/nearest.h"
#include "tuner/cli/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_last(const struct argp_option *o)
{
    return o->name == NULL && o->doc == NULL;
}

/* The option of that name, else the first that the name abbreviates: argp tells whether it does so of others,
 * too. */
static const struct argp_option *find(const struct argp_option *all, const char *name, size_t length)
{
    const struct argp_option *abbreviated = NULL;
    for (const struct argp_option *o = all; !is_last(o); o++) {
        if (o->name == NULL || strncmp(o->name, name, length) != 0)
            continue;
        if (o->name[length] == '\0')
            return o;
        abbreviated = abbreviated != NULL ? abbreviated : o;
    }
    return abbreviated;
}

/* ": it is an option of 'check' and 'source'", where other commands have it for their own; else "". */
static char *name_owners(const char *name, size_t length)
{
    char *owners = must_strdup("");
    for (const struct command *c = commands; c->name != NULL; c++) {
        const struct argp_option *o = find(c->own, name, length);
        if (o == NULL || o->name[length] != '\0')
            continue;
        char *longer =
            must_format("%s%s'%s'", owners, owners[0] == '\0' ? ": it is an option of " : ", ", c->name);
        free(owners);
        owners = longer;
    }
    return owners;
}

static _Noreturn void refuse(const char *program, const char *typed, const struct argp_option *all)
{
    const char *name = typed + strspn(typed, "-");
    size_t length = strcspn(name, "=");
    char *owners = name_owners(name, length);
    struct nearest nearest = nearest_to(name, length);
    for (const struct argp_option *o = all; !is_last(o); o++)
        if (o->name != NULL)
            nearest_offer(&nearest, o->name);
    int shown = (int)(name - typed + (ptrdiff_t)length);
    if (owners[0] != '\0')
        fprintf(stderr, "%s: unrecognized option '%.*s'%s\n", program, shown, typed, owners);
    else if (nearest.name != NULL)
        fprintf(stderr, "%s: unrecognized option '%.*s': did you mean '--%s'?\n", program, shown, typed,
                nearest.name);
    else
        fprintf(stderr, "%s: unrecognized option '%.*s': see '%s --help'\n", program, shown, typed, program);
    free(owners);
    exit(STATUS_USAGE);
}

/* What argp would say in three lines. */
static _Noreturn void refuse_value(const char *program, const struct argp_option *o, bool given)
{
    if (given)
        fprintf(stderr, "%s: option '--%s' takes no value\n", program, o->name);
    else
        fprintf(stderr, "%s: option '--%s' requires an argument: %s\n", program, o->name, o->arg);
    exit(STATUS_USAGE);
}

void option_names_check(const char *program, int argc, char **argv, const struct argp_option *all)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *typed = argv[i];
        if (typed[0] != '-' || typed[1] == '\0')
            continue;
        size_t length = typed[1] == '-' ? strcspn(typed + 2, "=") : 0;
        const struct argp_option *o = length > 0 ? find(all, typed + 2, length) : NULL;
        if (o == NULL)
            refuse(program, typed, all);
        bool given = typed[2 + length] == '=';
        if (o->arg == NULL ? given : !given && i + 1 == argc)
            refuse_value(program, o, given);
        i += o->arg != NULL && !given; /* what follows is its value, whatever it looks like */
    }
}
