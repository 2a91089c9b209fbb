/*
 * The devices of all ranks, each of which compares a pair of its own. The name of one is its process and
 * itself, such as "process:1:gpu:0". Each of another rank has a lane of messages (ranks.h), which a
 * thread serves over there:
 *
 *     rank 0                             a lane of another rank
 *     sequences that the rank lacks -->
 *     a comparison                  -->
 *                                   <--  notes and progress
 *     a stop, or a wish to save     -->  at any time; if it comes too late, it means nothing
 *                                   <--  the result or an error
 *
 * Only sequences are large, and they are sent to a lane that waits for them. So no two ranks ever wait
 * for each other.
 */
#ifndef CS_LANES_H
#define CS_LANES_H

#include "ranks/message.h"

typedef enum {
    /* From rank 0. */
    CS_LANES_SEQUENCE,
    CS_LANES_COMPARE,
    CS_LANES_CONTROL,
    CS_LANES_TEST, /* the device: an error or none comes back */
    CS_LANES_END,
    /* To rank 0. */
    CS_LANES_NOTE,
    CS_LANES_PROGRESS,
    CS_LANES_DONE, /* an error or none, and a result */
} CsLanesWord;

/* Whether a text is the name of a rank's device: which rank's, and what it is there. */
gboolean cs_lanes_split(const char *text, guint *rank, const char **device);

/* The lane of a device of another rank; 0 if there is none. */
guint cs_lanes_address(const char *name);

/* How many threads a device of this rank computes with, if all together have at most so many; 0 is all
 * that are granted. */
guint cs_lanes_threads(guint threads);

/* How many devices share the threads of this rank. */
void cs_lanes_set_count(guint count);

/* Ends all lanes. Rank 0. */
void cs_lanes_end(void);

#endif
