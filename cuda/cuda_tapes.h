/*
 * The records that a GPU computes with one query after the other, and what was submitted of those
 * (tape.h). The scorers are made of this.
 *
 * The records lie on the device sorted by length, so that those which one warp computes at a time are
 * about as long, and the long ones do not begin last. Records of more than CS_CUDA_LONGEST letters are
 * left to the caller: a whole warp would need seconds for them, and nothing else would be left to do.
 */
#ifndef CS_CUDA_TAPES_H
#define CS_CUDA_TAPES_H

#include "cuda/cuda_buffer.h"
#include "cuda/cuda_device.h"
#include "cuda/tape.h"
#include "scores/scorer_class.h"

enum {
    CS_CUDA_LONGEST = 1 << 18,       /* letters of a record */
    CS_CUDA_LONGEST_QUERY = 1 << 24, /* of which a chunk takes minutes */
    CS_CUDA_LANES = 32,
    CS_CUDA_LANE_COUNTS = 6, /* 1, 2, 4 .. CS_CUDA_LANES */
};

/* What was submitted. */
typedef struct {
    cudaEvent_t done;
    gboolean known; /* FALSE: nothing of any record is */
    CsCudaBuffer queries, found, fetched;
} CsCudaSlot;

typedef struct {
    int ordinal;
    CsCudaSize size;
    cudaStream_t stream;
    gint32 none; /* the code that stands for no letter */
    guint nones; /* such letters behind each record */
    guint count; /* records, of which `loaded` are on the device */
    guint loaded;
    gint64 loaded_letters, longest;
    guint *too_long;      /* numbers of those that are not loaded */
    CsTapeRecord *places; /* of those loaded, in `staged` */
    CsCudaBuffer letters, records, column, next, staged;
    gint64 device_letters;
    CsCudaBuffer tapes[CS_CUDA_LANE_COUNTS]; /* for teams of 1, 2, 4 .. lanes */
    guint tape_counts[CS_CUDA_LANE_COUNTS];  /* 0: not made */
    CsCudaSlot slots[CS_SCORER_SLOTS];
    guint submitted, collected;
    /* What tests and measurements ask for: a form, and about the letters of a tape. 0: any. */
    int rows_only, lanes_only, tape_only;
} CsCudaTapes;

/* Opens a device, as CsScorerClass. The tapes are zeroes before, and to be cleared after a failure,
 * too. Codes of letters are below `letters`. */
gboolean cs_cuda_tapes_open(CsCudaTapes *tapes, const char *device, guint letters, guint nones,
                            GError **error);

void cs_cuda_tapes_clear(CsCudaTapes *tapes);

/* The name of the device. */
const char *cs_cuda_tapes_describe(const CsCudaTapes *tapes);

gboolean cs_cuda_tapes_upload(const CsCudaTapes *tapes, void *to, const void *from, gsize bytes,
                              GError **error);

/* Waits until everything is done. */
gboolean cs_cuda_tapes_wait(const CsCudaTapes *tapes, GError **error);

/* As load() of CsScorerClass. */
gboolean cs_cuda_tapes_load(CsCudaTapes *tapes, const CsScorerSequence *records, guint count,
                            guint threads, GError **error);

/* Sets the tapes of a launch with such teams. */
gboolean cs_cuda_tapes_take(CsCudaTapes *tapes, CsTapeLaunch *launch, GError **error);

/* The slot for what is submitted next; `known` is set, to whether anything can be. Makes the device the
 * current one. NULL: failed. */
CsCudaSlot *cs_cuda_tapes_next_slot(CsCudaTapes *tapes, gint64 longest_query, GError **error);

/*
 * Uploads the queries of a slot, the second of which may be NULL, and sets what all launches for it have:
 * all but pairs, what gaps cost, and what a pass has for itself. Of each record `found_bytes` are found.
 */
gboolean cs_cuda_tapes_begin(CsCudaTapes *tapes, CsCudaSlot *slot, const CsScorerSequence *one,
                             const CsScorerSequence *other, gsize found_bytes, CsTapeLaunch *launch,
                             GError **error);

/* Fetches what is found. */
gboolean cs_cuda_tapes_fetch(CsCudaTapes *tapes, CsCudaSlot *slot, gsize found_bytes,
                             GError **error);

/* Ends what is submitted in the slot. */
gboolean cs_cuda_tapes_submit(CsCudaTapes *tapes, CsCudaSlot *slot, GError **error);

/* Waits for the slot that was submitted first; NULL: failed. */
const CsCudaSlot *cs_cuda_tapes_collect(CsCudaTapes *tapes, GError **error);

/* How many records of a slot are not known, and which is the k-th of them. */
static inline guint
cs_cuda_tapes_unknown(const CsCudaTapes *tapes, const CsCudaSlot *slot)
{
    return tapes->count - (slot->known ? tapes->loaded : 0);
}

static inline guint
cs_cuda_tapes_unknown_at(const CsCudaTapes *tapes, const CsCudaSlot *slot, guint k)
{
    return slot->known ? tapes->too_long[k] : k;
}

#endif
