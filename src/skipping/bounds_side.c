/* The bounds of one side, from its absent k-mers and ambiguous bases. */
#include "skipping/bounds_side.h"

#include <string.h>

#include <chromosweep/error.h>

#include "skipping/absent_kmers.h"
#include "system/memory.h"

/* Chooses absent k-mers that do not overlap: the one that ends first, then the next one after it,
 * and so on. The others lose their marks. */
static void
choose_kmers(guint8 *marks, gint64 length, guint shortest)
{
    gint64 free_from = 0;
    for (gint64 k = 0; k < length; k++) {
        if ((k & 1) == 0 && marks[k >> 1] == 0) {
            k++;
            continue;
        }
        guint mark = cs_marks_get(marks, k);
        if (mark == CS_MARK_NONE || mark == CS_MARK_AMBIGUOUS)
            continue;
        if (k + 1 - (gint64)(shortest - 1 + mark) >= free_from)
            free_from = k + 1;
        else
            cs_marks_set(marks, k, CS_MARK_NONE);
    }
}

static void
raise_highest(CsBoundsSide *side, gint64 k, CsScore bound, CsScore most)
{
    CsScore *highest = &side->highest[k >> side->shift];
    *highest = MAX(*highest, MIN(bound, most));
}

/* How many bases before `to`, from `from` on, have no marks. Base to - 1 has none. It may be one
 * more than this says. */
static gint64
unmarked_before(const guint8 *marks, gint64 from, gint64 to)
{
    gint64 k = to - 1;
    while (k > from && ((k & 1) == 0 ? k - 2 >= from && marks[(k - 2) >> 1] == 0
                                     : cs_marks_get(marks, k - 1) == CS_MARK_NONE))
        k -= (k & 1) == 0 ? 2 : 1;
    return to - k;
}

/* Goes from the last base back. The bound after base k is that of the best place to stop. */
static void
count_back(CsBoundsSide *side, const guint8 *marks, const CsBoundsRule *rule, CsScore match,
           CsScore most)
{
    CsScore bound = 0;
    for (gint64 k = side->length; k > 0;) {
        guint mark = cs_marks_get(marks, k - 1);
        if (mark == CS_MARK_NONE) { /* the bound grows up to the first base of its entry */
            const gint64 bases = unmarked_before(marks, (k - 1) >> side->shift << side->shift, k);
            bound += match * bases;
            raise_highest(side, k -= bases, bound, most);
        } else if (mark == CS_MARK_AMBIGUOUS) {
            bound = MAX(0, bound + match - rule->ambiguous);
            raise_highest(side, --k, bound, most);
        } else {
            /* An alignment that begins inside the k-mer does not pay for it; one that begins before
             * it may stop inside. */
            const gint64 bases = rule->shortest - 1 + mark;
            for (gint64 l = 1; l < bases; l++)
                raise_highest(side, k - l, bound + match * l, most);
            bound = MAX(match * (bases - 1), bound + match * bases - rule->kmer);
            raise_highest(side, k -= bases, bound, most);
        }
    }
}

/*
 * No best alignment begins before the first base that can match. So H is 0 before that base, and
 * nothing can be gained from there.
 */
static void
clear_before_bases(CsBoundsSide *side, const guint8 *marks)
{
    gint64 before = 0;
    while (before < side->length && cs_marks_get(marks, before) == CS_MARK_AMBIGUOUS)
        before++;
    memset(side->highest, 0, (gsize)(before >> side->shift) * sizeof(CsScore));
}

static void
count_bases(CsBoundsSide *side, CsScore match, gint64 other)
{
    for (gint64 k = 0; k <= side->length; k++)
        raise_highest(side, k, match * MIN(side->length - k, other), G_MAXINT64);
}

gboolean
cs_bounds_side_init(CsBoundsSide *side, const CsSurvey *survey, const CsBoundsRule *rule,
                    guint8 **marks, GError **error)
{
    const gint64 length = survey->rows.length, other = survey->columns.length;
    const CsScore match = survey->scoring.match;
    CsBoundsSide made = {.length = length, .shift = rule->shift};
    g_autofree guint8 *items = NULL;
    if (rule->kmer > 0 || rule->ambiguous > 0) {
        items = cs_absent_kmers_mark(&survey->rows, &survey->columns, rule->shortest,
                                     rule->kmer > 0 ? rule->longest : 0, survey->threads,
                                     survey->stop, error);
        if (items == NULL)
            return FALSE;
    }
    made.highest = cs_memory_try_new(CsScore, (length >> made.shift) + 1);
    if (made.highest == NULL) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "not enough memory for bounds of %" G_GINT64_FORMAT " bases", length);
        return FALSE;
    }
    if (items == NULL) {
        count_bases(&made, match, other);
    } else {
        choose_kmers(items, length, rule->shortest);
        count_back(&made, items, rule, match, match * MIN(length, other));
        clear_before_bases(&made, items);
    }
    if (marks != NULL)
        *marks = g_steal_pointer(&items);
    *side = made;
    return TRUE;
}

void
cs_bounds_side_clear(CsBoundsSide *side)
{
    g_free(side->highest);
    side->highest = NULL;
}

CsScore
cs_bounds_side_highest(const CsBoundsSide *side, gint64 from, gint64 to)
{
    g_assert(from >= 0 && from <= to && to <= side->length);
    CsScore highest = 0;
    for (gint64 k = from >> side->shift; k <= to >> side->shift; k++)
        highest = MAX(highest, side->highest[k]);
    return highest;
}
