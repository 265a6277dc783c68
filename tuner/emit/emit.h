/* Emission: a choice as .cu, .cubin, .ptx, .h and .json in one folder. */
#ifndef TUNER_EMIT_EMIT_H
#define TUNER_EMIT_EMIT_H

#include "tuner/emit/choice.h"

/* The whole text of the emitted .cu: header comment (problem, variant, launch, how it was chosen), the
   generated kernel, and, outside NVRTC, the runtime-API launcher. It is what `source` prints and what the
   choice's image is compiled from. The caller frees it; NULL and `e` on failure. */
char *emit_cu_text(const struct choice *c, struct error *e);

/* The manifest, schema softmax-tune/kernel/1 (the fields of the manifest that other tools read). A new
 * reference. */
json_t *emit_manifest(const struct choice *c, struct error *e);

/* Writes the five files into `folder` (made if it is not there), each to a temporary name first, the manifest
   last: a folder never holds a manifest whose files are not whole. Status 2 when it cannot be written. */
bool emit_choice(const struct choice *c, const char *folder, struct error *e);

/* Reads an emitted manifest and its files back (for confirm). The choice is the caller's. */
bool emit_read_choice(const char *manifest_path, struct choice *c, struct error *e);

#endif
