/*
 * Which comparison a checkpoint belongs to: what must be equal before a run resumes from it, and
 * beside it where the sequences came from. The head of each state file and the manifest hold the
 * same JSON.
 */
#ifndef CS_FINGERPRINT_H
#define CS_FINGERPRINT_H

#include <jansson.h>

#include <chromosweep/circular.h>
#include <chromosweep/scoring.h>
#include <chromosweep/sequence.h>

#include "sweep/strand.h"

/* The comparison that a state belongs to. Nothing in it is owned. */
typedef struct {
    const CsSequence *target;
    const CsSequence *query;
    gboolean transposed; /* the query lies along the rows */
    CsScoring scoring;
    const char *memo; /* of the caller, or NULL */
    CsStrand strand;
    CsCircular circular;
} CsFingerprint;

typedef struct {
    char *digest; /* of the bases, 32 hexadecimal digits */
    gint64 length;
    gint64 from, to; /* the region in its record, 1-based; 0: the whole record */
    char *file;      /* absolute, "-" or NULL */
    char *name;
} CsFingerprintSide;

/* The same as a file holds it, with the digests of the sequences. Everything in it is owned. */
typedef struct {
    CsFingerprintSide target;
    CsFingerprintSide query;
    gboolean transposed;
    CsStrand strand;
    CsCircular circular;
    CsScoring scoring;
    char *memo;
    json_t *identity; /* the object that is compared */
} CsFingerprintRecord;

/* Reads every base of both sequences. */
CsFingerprintRecord *cs_fingerprint_record_new(const CsFingerprint *identity);
void cs_fingerprint_record_free(CsFingerprintRecord *record);

/* Adds the keys "identity", "source", "memo" and "orientation". FALSE if there is not enough
 * memory. */
gboolean cs_fingerprint_record_write(const CsFingerprintRecord *record, json_t *object);

/* Reads these keys. Fails with CS_ERROR_CONTENT. */
CsFingerprintRecord *cs_fingerprint_record_read(json_t *object, GError **error);

/* Fails with CS_ERROR_CHECKPOINT, naming the first field that differs and both values. */
gboolean cs_fingerprint_record_compare(const CsFingerprintRecord *there,
                                       const CsFingerprintRecord *here, GError **error);

/* The rows m and columns n of the matrix as swept. */
gint64 cs_fingerprint_record_rows(const CsFingerprintRecord *record);
gint64 cs_fingerprint_record_columns(const CsFingerprintRecord *record);

/* The cells of the matrix, or of both matrices with both strands. The product must be known to
 * fit. */
gint64 cs_fingerprint_record_cells(const CsFingerprintRecord *record);

/* Where the cells of the matrix as swept lie on the records. */
CsPlacement cs_fingerprint_record_placement(const CsFingerprintRecord *record);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsFingerprintRecord, cs_fingerprint_record_free)

#endif
