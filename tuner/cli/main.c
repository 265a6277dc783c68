/* softmax-tune: finds the fastest softmax kernel for a GPU, a type and a shape. */
#include "tuner/cli/command.h"
#include "tuner/cli/interrupt.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

/* A closed stream's number would go to the next file or socket that is opened, and what is printed with it.
   Nothing can be written to what takes its place, so that closed output is an error as before. */
static void occupy_streams(void)
{
    int descriptor;
    do
        descriptor = open("/dev/null", O_RDONLY);
    while (descriptor >= 0 && descriptor <= 2);
    if (descriptor >= 0)
        close(descriptor);
}

int main(int argc, char **argv)
{
    struct options options;
    struct error e = {0};
    occupy_streams();
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error of the write, which names it */
    options_parse(argc, argv, &options);
    int status = options.command->run(&options, &e);
    if (e.text[0] != '\0')
        fprintf(stderr, "softmax-tune: %s\n", e.text);
    options_clear(&options);
    bool failed = fflush(stdout) != 0 || ferror(stdout); /* an earlier flush may have met it */
    if (failed && status == STATUS_DONE) {
        fputs("softmax-tune: standard output cannot be written\n", stderr);
        status = STATUS_USAGE;
    }
    return interrupt_status(status);
}
