#include "tuner/cli/output.h"

#include "tuner/cli/folder.h"
#include "tuner/emit/emit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char **list_manifests(const char *folder, const char *stem, int count)
{
    char **manifests = must_calloc((size_t)count + 1, sizeof *manifests);
    for (int i = 0; i < count; i++)
        manifests[i] = i == 0 ? must_format("%s/%s.json", folder, stem)
                              : must_format("%s/candidates/%s/%d/%s.json", folder, stem, i + 1, stem);
    return manifests;
}

void output_print(FILE *out, char *const *manifests)
{
    int count = 0;
    while (manifests[count] != NULL)
        count++;
    int stem = (int)strlen(manifests[0]) - (int)strlen(".json");
    fprintf(out, "Files:  %.*s.cu .cubin .ptx .h .json\n", stem, manifests[0]);
    if (count > 1) {
        int folder = (int)(strrchr(manifests[1], '/') - manifests[1]);
        fprintf(out, "        %.*s%s%.0d, the runners-up\n", folder, manifests[1], count > 2 ? " to " : "",
                count > 2 ? count : 0);
    }
}

/* The runners-up are complete before the first replaces what DIR holds, and the old ones go last: at no
   moment is a candidate in no folder. */
bool output_write(const char *folder, const struct choice *const *ranked, int count, char ***manifests,
                  struct error *e)
{
    char stem[STEM_SIZE];
    choice_stem(ranked[0], stem);
    char *old = must_format("%s/candidates/%s", folder, stem);
    char *new = must_format("%s.new", old);
    bool ok = folder_remove(new, e);
    for (int rank = 2; ok && rank <= count; rank++) {
        char *place = must_format("%s/%d", new, rank);
        ok = folder_writable(place, e) && emit_choice(ranked[rank - 1], place, e);
        free(place);
    }
    ok = ok && emit_choice(ranked[0], folder, e);
    if (!ok)
        folder_remove(new, NULL);
    ok = ok && folder_remove(old, e);
    if (ok && count > 1 && rename(new, old) != 0)
        ok = error_set(e, STATUS_USAGE, "%s: %s", old, strerror(errno));
    if (ok)
        *manifests = list_manifests(folder, stem, count);
    free(old);
    free(new);
    return ok;
}

void output_free(char **manifests)
{
    for (int i = 0; manifests != NULL && manifests[i] != NULL; i++)
        free(manifests[i]);
    free(manifests);
}

void output_json(json_t *document)
{
    json_dumpf(document, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    fputc('\n', stdout);
    json_decref(document);
}
