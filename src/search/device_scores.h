/*
 * The scores of a search from a GPU. Some queries, with their strands, are a batch. While the scores of
 * one batch are taken into lists, the next one is computed.
 */
#ifndef CS_DEVICE_SCORES_H
#define CS_DEVICE_SCORES_H

#include "scores/scorer_class.h"
#include "search/queries.h"

enum {
    CS_DEVICE_SCORES_BYTES = 32 << 20, /* of a batch, unless two sequences take more */
};

typedef struct _CsDeviceScores CsDeviceScores;

/* Queries whose scores come together, and are then CsQuery.scores. */
typedef struct {
    guint numbers[CS_SCORER_SEQUENCES], count;
} CsDeviceBatch;

/* What the scorers take of the scoring. */
CsScorerScoring cs_device_scoring(const CsQueries *queries);

/* Opens a device, as CsScorerClass, for queries with this scoring. */
CsDeviceScores *cs_device_scores_new(const CsScorerClass *scorer, const char *device,
                                     const CsQueries *queries, GError **error);

/* The device, such as "NVIDIA H200"; lives as long as the process. */
const char *cs_device_scores_name(const CsDeviceScores *scores);

/* Begins with queries and a chunk, which must outlive the batches, on at most so many threads. */
gboolean cs_device_scores_begin(CsDeviceScores *scores, CsQueries *queries,
                                const CsRecordChunk *chunk, guint threads, GError **error);

/*
 * Waits for the next batch; its count is 0 behind the last one. Its scores, by the records of the
 * chunk, stay until the next call; they are NULL for queries that are done with the chunk.
 */
gboolean cs_device_scores_next(CsDeviceScores *scores, CsDeviceBatch *batch, GError **error);

/* Ends the chunk, after a stop as well. */
void cs_device_scores_end(CsDeviceScores *scores);

void cs_device_scores_free(CsDeviceScores *scores);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsDeviceScores, cs_device_scores_free)

#endif
