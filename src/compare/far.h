/* Comparisons on a device of another process (ranks/lanes.h): both sides. */
#ifndef CS_FAR_H
#define CS_FAR_H

#include <chromosweep/compare.h>

#include "ranks/message.h"

/* Whether a device is one of another process. */
gboolean cs_far_is(const char *device);

/*
 * cs_compare() over there, on any thread, one at a time for each device. The other process has the
 * checkpoint; its folder must be one that both see. Also fails with CS_ERROR_DEVICE if there is no such
 * device.
 */
gboolean cs_far_compare(const CsSequence *target, const CsSequence *query,
                        const CsCompareOptions *options, CsCompareResult *result, GError **error);

/* Serves lanes on threads of their own, on another rank; no more if rank 0 has ended them. */
void cs_far_serve(CsMessageIn *message);

#endif
