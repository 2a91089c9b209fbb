/*
 * A small file that is written as a whole: what it is, as JSON, and packed data. Whoever reads it
 * knows by the checksum whether all of it is there.
 *
 *     | checksum of all that follows | length | head, JSON | data, one zstd frame |
 *
 * Checksum and length are little-endian, of 8 and 4 bytes.
 */
#ifndef CS_PACKED_FILE_H
#define CS_PACKED_FILE_H

#include <glib.h>

/* The bytes of a file, for g_free(). NULL: not enough memory. No frame follows if data is NULL. */
guint8 *cs_packed_file_new(const char *head, const void *data, gsize size, gsize *file_size);

typedef struct {
    guint8 *bytes;
    gsize size;
    const char *head; /* not terminated */
    gsize head_length;
} CsPackedFile;

/* Reads a file. FALSE if there is none that can be used; *damaged says whether there is one. */
gboolean cs_packed_file_read(const char *path, CsPackedFile *file, gboolean *damaged);

/* The data, for g_free(); NULL if they are not of this size, or memory is short. */
gpointer cs_packed_file_unpack(const CsPackedFile *file, gsize size);

/*
 * Reads only what stands before the data, of a file that was made without data and may have other
 * bytes behind the head: the head, for g_free(), terminated. *size: how many bytes these are. NULL if
 * there is no such file, or if it is damaged.
 */
char *cs_packed_file_read_start(int fd, gsize *size);

void cs_packed_file_clear(CsPackedFile *file);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsPackedFile, cs_packed_file_clear)

#endif
