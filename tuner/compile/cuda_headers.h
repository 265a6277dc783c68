/* CUDA's headers, for sources that are not of the generator: what it makes needs none. */
#ifndef TUNER_COMPILE_CUDA_HEADERS_H
#define TUNER_COMPILE_CUDA_HEADERS_H

/* The folder that holds cuda_fp16.h: below $CUDA_HOME, $CUDA_PATH, /usr/local/cuda, or where tune.sh puts
   NVIDIA's packages. NULL where it is in none of them; the caller frees it. */
char *cuda_headers_folder(void);

#endif
