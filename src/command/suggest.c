/* "Did you mean ...?": the known word that a mistyped one was meant to be. */
#include <string.h>

#include "command/suggest.h"

enum {
    LENGTH_MAX = 32, /* of words that are compared; no command or option is longer */
};

/* How many letters must be inserted, removed, changed or swapped with the next to turn a into b. */
static guint
count_edits(const char *a, const char *b)
{
    guint rows[3][LENGTH_MAX + 1]; /* the rows i - 2, i - 1 and i, in turn */
    gsize m = strlen(a), n = strlen(b);
    if (m > LENGTH_MAX || n > LENGTH_MAX)
        return G_MAXUINT;
    for (guint j = 0; j <= n; j++)
        rows[0][j] = j;
    for (guint i = 1; i <= m; i++) {
        const guint *before = rows[(i + 1) % 3], *above = rows[(i - 1) % 3];
        guint *row = rows[i % 3];
        row[0] = i;
        for (guint j = 1; j <= n; j++) {
            guint changed = above[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = MIN(changed, 1 + MIN(above[j], row[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = MIN(row[j], before[j - 2] + 1);
        }
    }
    return rows[m % 3][n];
}

/* The only known word that begins with `word`. An empty word begins nothing. */
static const char *
complete(const char *word, const char *const *known, guint count)
{
    const char *found = NULL;
    for (guint k = 0; k < count; k++) {
        if (*word == '\0' || !g_str_has_prefix(known[k], word))
            continue;
        if (found != NULL)
            return NULL;
        found = known[k];
    }
    return found;
}

const char *
cs_suggest(const char *word, const char *const *known, guint count)
{
    g_autofree char *lower = g_ascii_strdown(word, -1);
    const char *nearest = complete(lower, known, count);
    guint least = (guint)strlen(word) / 3 + 1; /* only fewer count as similar */
    for (guint k = 0; nearest == NULL && k < count; k++) {
        guint edits = count_edits(lower, known[k]);
        if (edits < least) {
            least = edits;
            nearest = known[k];
        }
    }
    return nearest;
}
