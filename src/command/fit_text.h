/* Texts shortened to the room that there is, with … in place of what is left out. */
#ifndef CS_FIT_TEXT_H
#define CS_FIT_TEXT_H

#include "command/page.h"

/* The text, or its first and last characters, in the page's font. */
char *cs_fit_text(const CsPage *page, const char *text, double room);

/* Both names with × between them. Neither is shortened for the other unless it is the longer. */
char *cs_fit_text_pair(const CsPage *page, const char *first, const char *second, double room);

#endif
