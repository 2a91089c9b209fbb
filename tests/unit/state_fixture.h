/* States to save: of a real sweep on the scalar engine that stands still after some diagonals. */
#ifndef STATE_FIXTURE_H
#define STATE_FIXTURE_H

#include "checkpoint/state_file.h"

typedef struct {
    CsSequence *target;
    CsSequence *query;
    CsFingerprint identity;
} Pair;

/* Two related sequences, the target the longer one; the same for the same lengths and seed. */
void pair_init(Pair *pair, gint64 target_length, gint64 query_length, guint32 seed);
void pair_clear(Pair *pair);

/*
 * Where the sweep stands after so many external diagonals of blocks of 40 x 50 cells; after all of
 * them if there are fewer, or for -1.
 */
void state_after(const Pair *pair, gint64 diagonals, CsState *state);

/* A state's copy with buses of 64 bits. */
void state_widen(const CsState *state, CsState *wide);

void expect_same_state(const CsState *found, const CsState *wanted);

/* A new empty folder, and its removal with all that is in it. */
char *scratch_new(void);
void scratch_free(char *directory);

/* A file's bytes read, and written. */
GByteArray *bytes_read(const char *path);
void bytes_write(const char *path, const guint8 *bytes, gsize size);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Pair, pair_clear)

#endif
