/*
 * A run by several processes (ranks/ranks.h). Rank 0 reads the files, deals tiles, keeps the logs and
 * tells the pairs. The others have the same records, and so the same tiles.
 *
 *     another rank                          rank 0
 *     tiles that are done,        -->       saves them
 *     and parts of others
 *     how many it wants next      <--       numbers of tiles, perhaps none for now, and their parts
 *                                 <--       the end, at any time
 *     has ended                   -->
 *
 * After a message a rank sends nothing until it has the answer, and rank 0 sends nothing else that is large. So
 * no two ranks ever wait for each other. A rank has tiles for twice its threads, so that none of them
 * waits while rank 0 is busy.
 */
#ifndef CS_IDENTITY_RANKS_H
#define CS_IDENTITY_RANKS_H

#include "identity/tile_pairs.h"
#include "identity/tile_queue.h"
#include "ranks/message.h"

typedef struct _CsIdentityRanks CsIdentityRanks;

/* Begins on all ranks, with so many threads at most in each, and a device as in CsIdentityOptions. Fails if
 * a rank has too little memory, or no such device. */
CsIdentityRanks *cs_identity_ranks_new(const CsTileWork *work, CsTileQueue *queue, guint threads,
                                       const char *device, GError **error);

/* The threads of all other ranks. */
guint cs_identity_ranks_threads(const CsIdentityRanks *ranks);

/* Takes what tiles there are, and answers. Fails as a rank did. */
gboolean cs_identity_ranks_go_on(CsIdentityRanks *ranks, GError **error);

/* Ends on all ranks. */
void cs_identity_ranks_free(CsIdentityRanks *ranks);

/* Takes part in a run, on another rank. */
void cs_identity_serve(CsMessageIn *message);

/* Words between the ranks. */
typedef enum {
    /* From rank 0. */
    CS_IDENTITY_TILES, /* how many, their numbers, and the bytes of the part of each */
    CS_IDENTITY_STOP,
    /* To rank 0. */
    /* How many parts, and of each the tile, the cells that are done, and the bytes; an error or none; how many tiles,
     * records and bytes; how many are wanted. */
    CS_IDENTITY_DONE,
    CS_IDENTITY_ENDED, /* parts, as above */
} CsIdentityWord;

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsIdentityRanks, cs_identity_ranks_free)

#endif
