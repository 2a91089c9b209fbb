/* What a viewer shows of an alignment in a picture. */
#ifndef CS_PATH_TITLE_H
#define CS_PATH_TITLE_H

#include <chromosweep/alignment.h>

/* Where it lies, with the names of both records, its strand, score and identity: three lines that can be
 * printed. */
char *cs_path_title(const CsAlignment *alignment, const char *target, const char *query);

#endif
