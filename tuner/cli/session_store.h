/* The session's store: opened where a command uses it, given up where it fails. */
#ifndef TUNER_CLI_SESSION_STORE_H
#define TUNER_CLI_SESSION_STORE_H

#include "tuner/cli/session.h"
#include "tuner/store/store.h"

/* --store DIR, or the default, $XDG_CACHE_HOME/softmax-tune. The caller frees it; NULL where there is no home
   for it. */
char *session_store_folder(const struct options *o);

/* Opens s->store, and shows other runs that this one uses the GPU where it measures. A store that cannot be
   used is an error where --store names it; else one warning, and the run goes on without. */
bool session_open_store(struct session *s, struct error *e);

/* What becomes of a store that has failed for `why`: the same. */
bool session_store_failed(struct session *s, const struct error *why, struct error *e);

/* What results of this session depend on. */
struct store_environment session_environment(const struct session *s);

#endif
