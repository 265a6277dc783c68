#include "tuner/emit/comment_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void write_problem(FILE *file, const struct problem *p)
{
    char text[STEM_SIZE];
    problem_describe(p, text);
    fprintf(file, "   problem   %s, any M at the launch\n", text);
    if (p->x_stride == p->N && p->y_stride == p->N)
        fprintf(file, "   memory    rows one after the other");
    else
        fprintf(file, "   memory    rows begin every %" PRId64 " elements of x and every %" PRId64 " of y",
                p->x_stride, p->y_stride);
    fprintf(file, ", x and y at multiples of %d bytes%s\n", p->align, p->in_place ? ", y is x" : "");
}

static void write_launch(FILE *file, const struct launch *l)
{
    fprintf(file, "   launch    %s: grid %s, block %d", l->kernel, l->grid_of_M, l->block[0]);
    if (l->block[1] > 1 || l->block[2] > 1)
        fprintf(file, "x%dx%d", l->block[1], l->block[2]);
    if (l->cluster[0] * l->cluster[1] * l->cluster[2] > 1)
        fprintf(file, ", cluster %dx%dx%d", l->cluster[0], l->cluster[1], l->cluster[2]);
    if (l->dynamic_smem_bytes > 0)
        fprintf(file, ", %d bytes of dynamic shared memory", l->dynamic_smem_bytes);
    fprintf(file, "%s%s\n", l->cooperative ? ", cooperative" : "", l->programmatic ? ", programmatic" : "");
}

static void write_evidence(FILE *file, const struct choice *c)
{
    struct choice_figures f = choice_figures(c);
    const char *elsewhere = strncmp(c->basis, "measured-on:", 12) == 0 ? c->basis + 12 : NULL;
    if (strcmp(c->basis, "predicted") == 0) {
        fprintf(file, "   chosen    predicted for %s, not measured", c->gpu.name);
        if (!isnan(f.predicted_us))
            fprintf(file, ": %.4g us", f.predicted_us);
    } else {
        fprintf(file, "   chosen    measured on %s", elsewhere == NULL ? c->gpu.name : elsewhere);
        if (!isnan(f.time_us))
            fprintf(file, ": %.4g us (%.4g to %.4g), %.4g GB/s", f.time_us, f.time_us_low, f.time_us_high,
                    f.bandwidth_gbs);
        if (!isnan(f.of_limit))
            fprintf(file, ", %.1f %% of the fastest copy", 100 * f.of_limit);
    }
    fprintf(file, "\n");
}

void comment_text_write(FILE *file, const struct choice *c)
{
    write_problem(file, &c->problem);
    fprintf(file, "   variant   %s\n", c->variant);
    for (int i = 0; i < c->plan.count; i++)
        write_launch(file, &c->plan.launches[i]);
    if (strcmp(c->plan.workspace_of_M, "0") != 0)
        fprintf(file, "   workspace %s bytes: of one stream, zero-filled once, left ready for the next run\n",
                c->plan.workspace_of_M);
    write_evidence(file, c);
}
