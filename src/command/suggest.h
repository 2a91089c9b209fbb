/* "Did you mean ...?": the known word that a mistyped one was meant to be. */
#ifndef CS_SUGGEST_H
#define CS_SUGGEST_H

#include <glib.h>

/*
 * The one of known, count words, that is nearest to word, or NULL where none is near. Known words
 * are in small letters. Every third letter of word may be wrong, and what begins one known word
 * alone is near to it.
 */
const char *cs_suggest(const char *word, const char *const *known, guint count);

#endif
