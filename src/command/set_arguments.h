/* The arguments that ask for a set of alignments. */
#ifndef CS_SET_ARGUMENTS_H
#define CS_SET_ARGUMENTS_H

#include <chromosweep/align_set.h>

/* As GOption leaves them. */
typedef struct {
    gboolean one_to_one, all, self;
    const char *min_score, *number, *max_drop;
} CsSetArguments;

/* Whether they ask for one. */
gboolean cs_set_arguments_is_wanted(const CsSetArguments *arguments);

/* Fills the set. Refuses arguments that make no sense, also where no set is wanted. max_drop is the
 * number that was given, or negative. */
gboolean cs_set_arguments_read(const CsSetArguments *arguments, gint64 max_drop,
                               CsAlignSetOptions *set, GError **error);

/* The drop at which alignments of the set are split if none was given: what might be bridged is worth
 * the least score. */
gint64 cs_set_arguments_drop(const CsAlignSetOptions *set, const CsScoring *scoring);

#endif
