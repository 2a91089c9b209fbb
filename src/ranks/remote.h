/*
 * Members of a ring that are devices of other ranks: engines whose every call is a request to the
 * rank (ranks.h). They choose blocks and judge rectangles as the same engine does on rank 0.
 */
#ifndef CS_REMOTE_H
#define CS_REMOTE_H

#include "engines/device.h"

/*
 * Makes the choice one of a ring: what rank 0 has chosen, and what the other ranks choose by the same
 * texts. `threads` is how many each CPU member computes with at most. Does nothing if there is only one
 * rank. Fails as cs_device_choice_init() does, here or on another rank.
 */
gboolean cs_remote_extend(CsDeviceChoice *choice, const char *device, const char *engine,
                          guint threads, GError **error);

/* A member that is a device of another rank as people read it, such as "process:1:gpu:0"; NULL for one of rank 0. */
const char *cs_remote_name(const CsMember *member);

#endif
