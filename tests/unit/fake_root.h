/* A folder laid out like the root that kernels show: proc/ and sys/ with what a test says. */
#ifndef FAKE_ROOT_H
#define FAKE_ROOT_H

#include <glib.h>

typedef struct {
    const char *path; /* below the root; NULL: no more files */
    const char *text;
} FakeFile;

/* A new root with the files, at most so many; (transfer full). */
char *fake_root_new(const FakeFile *files, gsize most);

void fake_root_write(const char *root, const char *path, const char *text);

/* Removes the root and all in it. */
void fake_root_free(char *root);

#endif
