#include "tuner/cli/progress.h"

#include "generator/worker.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { BAR_WIDTH = 24, LINE_MAX_WIDTH = 79 };

static const double redraw_seconds = 0.1, line_seconds = 5;

void progress_open(struct progress *p, bool quiet)
{
    const char *terminal = getenv("TERM");
    *p = (struct progress){.quiet = quiet};
    p->terminal = isatty(STDERR_FILENO) && (terminal == NULL || strcmp(terminal, "dumb") != 0);
}

static void wipe(struct progress *p)
{
    if (p->drawn)
        fprintf(stderr, "\r\033[K");
    p->drawn = false;
}

void progress_say(struct progress *p, const char *format, ...)
{
    if (p->quiet)
        return;
    wipe(p);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

void progress_warn(struct progress *p, const char *format, ...)
{
    wipe(p);
    va_list arguments;
    va_start(arguments, format);
    fputs("softmax-tune: ", stderr);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

void progress_begin(struct progress *p, const char *part)
{
    p->part = part;
    p->started = p->shown = monotonic_seconds();
}

void progress_end(struct progress *p)
{
    wipe(p);
}

static bool is_due(struct progress *p)
{
    double now = monotonic_seconds();
    if (p->quiet || now - p->shown < (p->terminal ? redraw_seconds : line_seconds))
        return false;
    p->shown = now;
    return true;
}

/* How much of a line may be drawn: a wrapped one could not be wiped. The last column stays free, since some
   terminals wrap once it is filled. */
static int room_of_line(void)
{
    struct winsize size;
    bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col - 1 : LINE_MAX_WIDTH;
}

/* "compile  [#########               ] 120/240  58.1/s  2 s left  more" */
static void draw(struct progress *p, int done, int total, const char *more)
{
    double seconds = monotonic_seconds() - p->started;
    double rate = seconds > 0 ? done / seconds : 0;
    int filled = total > 0 ? (int)((double)BAR_WIDTH * done / total) : 0;
    char left[32] = "";
    if (rate > 0)
        snprintf(left, sizeof left, "  %.0f s left", (total - done) / rate);
    char which[32] = "";
    if (p->problems > 1)
        snprintf(which, sizeof which, "%d/%d ", p->problem, p->problems);
    if (p->terminal) {
        char *line =
            must_format("%s%-8s [%.*s%*s] %d/%d  %.1f/s%s%s", which, p->part, filled,
                        "########################", BAR_WIDTH - filled, "", done, total, rate, left, more);
        fprintf(stderr, "\r%.*s\033[K", room_of_line(), line);
        free(line);
        p->drawn = true;
    } else {
        fprintf(stderr, "%s%s: %d of %d, %.1f/s%s%s\n", which, p->part, done, total, rate, left, more);
    }
}

void progress_pipeline(void *context, const struct pipeline_progress *now)
{
    struct progress *p = context;
    if (!is_due(p))
        return;
    char more[96] = "";
    if (isfinite(now->best_copies))
        snprintf(more, sizeof more, "  best about %.0f %% of the limit", 100 / now->best_copies);
    if (now->failed > 0)
        snprintf(more + strlen(more), sizeof more - strlen(more), "  %d failed", now->failed);
    draw(p, now->finished, now->total, more);
}

void progress_race(void *context, const struct race_progress *now)
{
    struct progress *p = context;
    if (!is_due(p))
        return;
    char more[96] = "";
    if (now->best != NULL && !isnan(now->best->time_us))
        snprintf(more, sizeof more, "  %d racing, best %.1f us, %.1f %% of the limit", now->racing,
                 now->best->time_us, 100 * now->limit_us / now->best->time_us);
    draw(p, now->done, now->total, more);
}
