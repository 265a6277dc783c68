#include "tuner/cli/help.h"

#include "generator/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_WIDTH = 100, DOC_COLUMN = 24 };

/* `text` from column DOC_COLUMN on, its lines broken at blanks. */
static void print_doc(const char *text)
{
    size_t room = PAGE_WIDTH - DOC_COLUMN;
    while (strlen(text) > room) {
        size_t length = room;
        while (length > 0 && text[length] != ' ')
            length--;
        printf("%.*s\n%*s", (int)length, text, DOC_COLUMN, "");
        text += length + 1;
    }
    puts(text);
}

static void print_options(const struct argp_option *o)
{
    for (; o->name != NULL || o->doc != NULL; o++) {
        if (o->name == NULL) {
            printf("\n%s\n", o->doc);
            continue;
        }
        char *left =
            must_format("  --%s%s%s", o->name, o->arg != NULL ? " " : "", o->arg != NULL ? o->arg : "");
        printf("%-*s", DOC_COLUMN, left);
        if (strlen(left) >= DOC_COLUMN)
            printf("\n%*s", DOC_COLUMN, "");
        free(left);
        print_doc(o->doc);
    }
}

static void print_synopsis(const struct command *c, const char *before)
{
    const char *name = c == &commands[0] ? "[tune]" : c->name;
    if (c->problem_optional)
        printf("%ssoftmax-tune %s%s [PROBLEM] [SPACE] [OPTION]...\n", before, name, c->arguments);
    else
        printf("%ssoftmax-tune %s%s%s%s [OPTION]...\n", before, name, c->takes_problem ? " PROBLEM" : "",
               c->takes_space ? " [SPACE]" : "", c->arguments);
}

void help_print_usage(const struct command *c)
{
    print_synopsis(c, "Usage: ");
}

static void print_commands(void)
{
    puts("\nCommands (softmax-tune COMMAND --help tells more):");
    for (const struct command *c = commands; c->name != NULL; c++)
        printf("  %-10s%s\n", c->name, c->summary);
}

void help_print(const struct command *c, const struct argp_option *options)
{
    printf("softmax-tune%s%s - %s\n\n", c == &commands[0] ? "" : " ", c == &commands[0] ? "" : c->name,
           c->title);
    puts("Usage:");
    print_synopsis(c, "  ");
    if (c == &commands[0])
        puts("  softmax-tune COMMAND ...\n  softmax-tune --version");
    printf("\n%s\n", c->text);
    if (c == &commands[0])
        print_commands();
    print_options(options);
    printf("\nExamples:\n%s", c->examples);
    puts("\nExit status:\n"
         "  0         done\n"
         "  1         a problem for which no variant survived; check: a variant is wrong\n"
         "  2         wrong usage, problem, space or template; an output that cannot be written\n"
         "  3         a needed thing is missing: NVRTC, the GPU asked for, a usable store\n"
         "  130, 143  interrupted or terminated: the best so far is emitted");
    if (c->files != NULL)
        printf("\nFiles:\n%s", c->files);
    puts("\nEnvironment:\n"
         "  CUDA_HOME, CUDA_PATH   where NVRTC is looked for first\n"
         "  XDG_CACHE_HOME         where results and images are kept (without --store); else ~/.cache\n"
         "  NO_COLOR               no colour in the report");
}
