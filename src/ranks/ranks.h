/*
 * The processes of one comparison, which mpirun or srun started: its ranks.
 *
 *     rank 0   reads, prints, saves, and sweeps with a ring (ring/ring.h) whose members are its own
 *              devices and those of all other ranks (remote.h)
 *     others   do what rank 0 asks for (serve.c), one request after the other
 *
 * Messages go between rank 0 and another rank only. Rank 0 sends requests; to some there is an
 * answer, which it takes before it sends that rank the next one. Large values (bulk.h) follow a message. So no two ranks ever
 * wait for each other. A search has its own rules (search/search_dealer.h), as a run of identities has
 * (identity/identity_ranks.h).
 *
 * An address is a rank and one of its lanes. Lane 0, whose address is the number of the rank, is for
 * the thread that joined, or for one that took it and for which that one waits. Each of the others may be used by
 * any thread, one at a time.
 */
#ifndef CS_RANKS_H
#define CS_RANKS_H

#include "ranks/message.h"
#include "ranks/mpi_module.h"

/* What rank 0 asks for. Those with * are answered. A number of a run follows where there is a run. */
typedef enum {
    CS_RANKS_FILES,   /* * the hashes of files */
    CS_RANKS_DEVICES, /* * which devices it computes on */
    CS_RANKS_BEGIN,   /* * a run of an engine */
    CS_RANKS_FEED,    /* as in CsEngineClass, from here on */
    CS_RANKS_SUBMIT,
    CS_RANKS_COLLECT,   /* * */
    CS_RANKS_STAIRCASE, /* * */
    CS_RANKS_FINISH,    /* * */
    CS_RANKS_FREE,
    CS_RANKS_SEARCH,   /* * to take part in a search */
    CS_RANKS_IDENTITY, /* * to take part in a run of identities */
    CS_RANKS_LANES, /* * to serve so many (lanes.h); 0, when those are ended: without an answer */
    CS_RANKS_END,   /* of the process */
} CsRanksRequest;

/* Joins the other processes through a module, from the thread that will call it. */
void cs_ranks_join(const CsMpiModule *module);

/* Fails with CS_ERROR_DEVICE if there are several processes and MPI is for one thread of each. */
gboolean cs_ranks_check_threads(GError **error);

/* From now on this thread uses lane 0, while the one that did waits for it. That one takes the lane again later.
 * Fails with CS_ERROR_DEVICE if MPI does not allow it. */
gboolean cs_ranks_take_lane(GError **error);

/* This process's place; size 1 if it is alone. */
const CsRankPlace *cs_ranks_place(void);

#define CS_RANKS_MOST_LANES 4096
guint cs_ranks_address(guint rank, guint lane);

void cs_ranks_send(guint to, const GString *message);
/* Waits for the next message from an address. */
CsMessageIn cs_ranks_receive(guint from);
/* Whether there is one. */
gboolean cs_ranks_has_come(guint from);
/* Hears from all other ranks whether they have begun: an error, or none, and their threads, which are added.
 * Fails as the first that has not. */
gboolean cs_ranks_hear_begun(guint *threads, GError **error);
/* Bytes that are no message of values; as in mpi_module.h. */
void cs_ranks_send_bytes(guint to, const void *data, gsize bytes);
gsize cs_ranks_wait(guint from);
void cs_ranks_take(guint from, gsize bytes, void *data, gsize kept);
/* Leaves MPI. */
void cs_ranks_leave(void);

#endif
