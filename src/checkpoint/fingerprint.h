/*
 * Whose state a checkpoint is: what must be equal before it is gone on with, and beside it where
 * the sequences came from. The same JSON stands in each state file's head and in the manifest.
 */
#ifndef CS_FINGERPRINT_H
#define CS_FINGERPRINT_H

#include <jansson.h>

#include <chromosweep/scoring.h>
#include <chromosweep/sequence.h>

#include "sweep/strand.h"

/* Whose state it is. Nothing in it is owned. */
typedef struct {
    const CsSequence *target;
    const CsSequence *query;
    gboolean transposed; /* the query lies along the rows */
    CsScoring scoring;
    const char *memo; /* of the caller, or NULL */
    CsStrand strand;
} CsFingerprint;

typedef struct {
    char *digest; /* of the bases, 32 hexadecimal digits */
    gint64 length;
    gint64 from, to; /* the region in its record, 1-based; 0: the whole */
    char *file;      /* absolute, "-" or NULL */
    char *name;
} CsFingerprintSide;

/* The same as a file holds it: of its own, with the sequences' digests. */
typedef struct {
    CsFingerprintSide target;
    CsFingerprintSide query;
    gboolean transposed;
    CsStrand strand;
    CsScoring scoring;
    char *memo;
    json_t *identity; /* the object that is compared */
} CsFingerprintRecord;

/* Reads every base of both sequences. */
CsFingerprintRecord *cs_fingerprint_record_new(const CsFingerprint *identity);
void cs_fingerprint_record_free(CsFingerprintRecord *record);

/* Adds the keys "identity", "source", "memo" and "orientation". FALSE: too little memory. */
gboolean cs_fingerprint_record_write(const CsFingerprintRecord *record, json_t *object);

/* Reads them. Fails with CS_ERROR_CONTENT. */
CsFingerprintRecord *cs_fingerprint_record_read(json_t *object, GError **error);

/* Fails with CS_ERROR_CHECKPOINT, naming the first field that differs and both values. */
gboolean cs_fingerprint_record_compare(const CsFingerprintRecord *there,
                                       const CsFingerprintRecord *here, GError **error);

/* The rows m and columns n of the matrix as swept. */
gint64 cs_fingerprint_record_rows(const CsFingerprintRecord *record);
gint64 cs_fingerprint_record_columns(const CsFingerprintRecord *record);

/* Cells of the matrix, of both where both strands are swept. The product must be known to fit. */
gint64 cs_fingerprint_record_cells(const CsFingerprintRecord *record);

/* Where cells of the matrix as swept lie on the records. */
CsPlacement cs_fingerprint_record_placement(const CsFingerprintRecord *record);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsFingerprintRecord, cs_fingerprint_record_free)

#endif
