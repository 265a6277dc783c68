/* softmax-tune: finds the fastest softmax kernel for a GPU, a type and a shape. */
#include "tuner/cli/command.h"
#include "tuner/cli/interrupt.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    struct options options;
    struct error e = {0};
    options_parse(argc, argv, &options);
    int status = options.command->run(&options, &e);
    if (e.text[0] != '\0')
        fprintf(stderr, "softmax-tune: %s\n", e.text);
    options_clear(&options);
    if (fflush(stdout) != 0 && status == STATUS_DONE) {
        perror("softmax-tune: standard output");
        status = STATUS_USAGE;
    }
    return interrupt_status(status);
}
