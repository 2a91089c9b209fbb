/* What `chromosweep info` prints about the checkpoint of identity. */
#ifndef CS_IDENTITY_INFO_H
#define CS_IDENTITY_INFO_H

#include <glib.h>

/* Appends what the folder holds. Returns the exit status; messages are printed. */
int cs_identity_info_tell(const char *directory, gboolean json, GString *text);

#endif
