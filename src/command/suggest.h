/* "Did you mean ...?": finds the known word for a mistyped one. */
#ifndef CS_SUGGEST_H
#define CS_SUGGEST_H

#include <glib.h>

/*
 * The known word (one of `count`) that is nearest to word, or NULL if none is near. Known words are
 * lower case. A word is near if at most a third of its characters are wrong, or if exactly one
 * known word begins with it.
 */
const char *cs_suggest(const char *word, const char *const *known, guint count);

#endif
