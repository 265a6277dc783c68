/* A new empty folder for one test, and its removal. */
#ifndef TESTS_TEMPORARY_FOLDER_H
#define TESTS_TEMPORARY_FOLDER_H

#include "generator/error.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The caller frees the path. */
static inline char *temporary_folder(void)
{
    char *path = must_strdup("/tmp/softmax-tune-test-XXXXXX");
    if (mkdtemp(path) == NULL) {
        perror(path);
        exit(1);
    }
    return path;
}

static inline int remove_one(const char *path, const struct stat *status, int flag, struct FTW *place)
{
    (void)status, (void)flag, (void)place;
    return remove(path);
}

/* Frees the path. */
static inline void temporary_folder_remove(char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(path);
}

/* For a group of tests that share one: it is their state. */
static inline int temporary_folder_set_up(void **state)
{
    *state = temporary_folder();
    return 0;
}

static inline int temporary_folder_tear_down(void **state)
{
    temporary_folder_remove(*state);
    return 0;
}

#endif
