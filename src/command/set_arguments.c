/* Which set of alignments is asked for: see set_arguments.h. */
#include "command/set_arguments.h"
#include "command/arguments.h"
#include "command/caution.h"

gboolean
cs_set_arguments_is_wanted(const CsSetArguments *a)
{
    return a->one_to_one || a->all;
}

gboolean
cs_set_arguments_read(const CsSetArguments *a, gint64 max_drop, CsAlignSetOptions *set,
                      GError **error)
{
    const char *rule = a->all ? "--all" : "--one-to-one";
    *set = (CsAlignSetOptions){.rule = a->all ? CS_ALIGN_SET_ALL : CS_ALIGN_SET_ONE_TO_ONE,
                               .max_drop = max_drop,
                               .self = a->self};
    if (a->self && !a->all)
        return cs_arguments_usage(error, "--self needs --all");
    if (!a->one_to_one && !a->all)
        return (a->min_score == NULL && a->number == NULL) ||
               cs_arguments_usage(error, "--min-score and -n need --one-to-one or --all");
    if (a->one_to_one && a->all)
        return cs_arguments_usage(error, "--one-to-one and --all cannot be used together");
    if (a->min_score == NULL && a->number == NULL)
        return cs_arguments_usage(error, "%s needs --min-score or -n, or it would not end", rule);
    if (a->all && a->max_drop != NULL)
        return cs_arguments_usage(error,
                                  "--max-drop cannot be used with --all, which splits nothing");
    return cs_arguments_number("--min-score", a->min_score, 1, G_MAXINT64, &set->min_score,
                               error) &&
           cs_arguments_number("--number", a->number, 1, G_MAXINT64, &set->most, error);
}

gint64
cs_set_arguments_drop(const CsAlignSetOptions *set, const CsScoring *scoring)
{
    return set->min_score > 0 ? set->min_score : cs_caution_limit(scoring);
}
