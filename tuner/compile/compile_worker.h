/* The compile worker: NVRTC behind messages (generator/worker.h).

   {"probe": true}                            -> {"path", "major", "minor", "archs": [75, ...]}
   {"options": [...]}, blob: the source text  -> {"compiled", "result", "log": bytes, "ptx": bytes, "cubin":
   bytes}, blob: the log, the PTX and the cubin, one after the other Every reply is {"error": text} where
   NVRTC cannot be loaded. */
#ifndef TUNER_COMPILE_COMPILE_WORKER_H
#define TUNER_COMPILE_COMPILE_WORKER_H

/* A worker_main. `context` is the path of the library (const char *), NULL to search for it. */
int compile_worker_main(int descriptor, void *context);

#endif
