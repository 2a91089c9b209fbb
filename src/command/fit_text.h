/* Shortens texts to a width, with … in place of what is left out. */
#ifndef CS_FIT_TEXT_H
#define CS_FIT_TEXT_H

#include "command/page.h"

/* The text, or as much of its beginning and end as fits, in the page's font. */
char *cs_fit_text(const CsPage *page, const char *text, double room);

/* Both names with × between them. Only the longer name is shortened to make room for the other. */
char *cs_fit_text_pair(const CsPage *page, const char *first, const char *second, double room);

#endif
