/*
 * Threads that help each other: one that computes something large shares it, and those that have nothing
 * of their own to do take part.
 */
#ifndef CS_GLOBAL_TEAM_H
#define CS_GLOBAL_TEAM_H

#include <glib.h>

#include "system/parallel.h"

typedef struct _CsGlobalTeam CsGlobalTeam;

CsGlobalTeam *cs_global_team_new(void);
void cs_global_team_free(CsGlobalTeam *team);

/* Calls func on this thread, and on those that help. Returns when it has returned on all. Without a team, just
 * calls it. A call after others finds nothing left to do. */
void cs_global_team_share(CsGlobalTeam *team, CsThreadFunc func, gpointer user_data);

/* Helps with one thing that another thread shares. If there is none, waits for at most so long. */
void cs_global_team_help(CsGlobalTeam *team, gint64 microseconds);

#endif
