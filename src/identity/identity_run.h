/* What cs_identity() does, with tiles of a chosen size. */
#ifndef CS_IDENTITY_RUN_H
#define CS_IDENTITY_RUN_H

#include <chromosweep/identity.h>

/* What a run will take; the summary has no records and no matrix, which are freed. */
typedef struct {
    gint64 bytes;                  /* upper bound on memory; 0: it was not found out */
    gint64 letters[2], longest[2]; /* of the first and the second file */
    gint64 names[2];               /* likewise, their bytes */
    gint64 checkpoint;             /* bytes on disk beside those of the pairs */
    gint64 pair_bytes;             /* of a pair that is kept, on average */
    guint gpus;
    CsIdentitySummary summary;
} CsIdentityNeeds;

/* Numbers that cs_identity() chooses; 0 chooses. The pairs are the same with any. */
typedef struct {
    gint64 tile_cells;    /* as cs_identity_tiles_init() takes it */
    gint64 part_cells;    /* of CsPartKeeper */
    gint64 waiting_bytes; /* of pairs in memory */
    gboolean unfiltered;  /* no filter rules out pairs */
    CsIdentityNeeds
        *needs; /* (nullable): set also if memory is too little, or the run is stopped */
} CsIdentityTuning;

CsIdentity *cs_identity_run(const char *first, const char *second, const CsIdentityOptions *options,
                            const CsIdentityTuning *tuning, GError **error);

#endif
