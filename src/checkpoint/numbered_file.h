/* Names of files that have a number, such as search-000000000012.state. */
#ifndef CS_NUMBERED_FILE_H
#define CS_NUMBERED_FILE_H

#include <glib.h>

/* What the name begins and ends with, how many digits are between, and the highest number. */
typedef struct {
    const char *prefix, *suffix;
    guint digits;
    gint64 most;
} CsNumberedFile;

/* The number in a name, from 1 on; 0 if the name is not of this kind. */
gint64 cs_numbered_file_number(const CsNumberedFile *kind, const char *name);

/* The path of the file with this number in a folder. */
char *cs_numbered_file_path(const CsNumberedFile *kind, const char *directory, gint64 number);

#endif
