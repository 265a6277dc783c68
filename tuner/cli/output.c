#include "tuner/cli/output.h"

#include "tuner/cli/folder.h"
#include "tuner/emit/emit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char **list_files(const char *folder, const char *stem, const char *candidates, int count)
{
    char **files = must_calloc(4, sizeof *files);
    files[0] = must_format("%s/%s.cu .cubin .ptx .h .json", folder, stem);
    if (count > 1)
        files[1] = must_format("%s/2%s", candidates, count > 2 ? " and on" : "");
    return files;
}

/* The runners-up are complete before the first replaces what DIR holds, and the old ones go last: at no
   moment is a candidate in no folder. */
bool output_write(const char *folder, const struct choice *const *ranked, int count, char ***files,
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
    ok = ok && emit_choice(ranked[0], folder, e) && folder_remove(old, e);
    if (ok && count > 1 && rename(new, old) != 0)
        ok = error_set(e, STATUS_USAGE, "%s: %s", old, strerror(errno));
    if (ok)
        *files = list_files(folder, stem, old, count);
    free(old);
    free(new);
    return ok;
}

void output_files_free(char **files)
{
    for (int i = 0; files != NULL && files[i] != NULL; i++)
        free(files[i]);
    free(files);
}

void output_json(json_t *document)
{
    json_dumpf(document, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    fputc('\n', stdout);
    json_decref(document);
}
