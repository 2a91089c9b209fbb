/* What `chromosweep info` prints about the checkpoint of a search. */
#ifndef CS_SEARCH_INFO_H
#define CS_SEARCH_INFO_H

#include <glib.h>

/* Appends what the folder holds. Returns the exit status; messages are printed. */
int cs_search_info_tell(const char *directory, gboolean json, GString *text);

#endif
