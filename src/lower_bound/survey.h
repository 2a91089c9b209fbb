/* What is looked through before a sweep: the two sequences of a matrix, under a scoring. */
#ifndef CS_SURVEY_H
#define CS_SURVEY_H

#include <chromosweep/scoring.h>

#include "sequence/view.h"
#include "system/keep.h"

/* What is found is the same for any number of threads. */
typedef struct {
    CsView rows, columns;
    CsScoring scoring;
    guint threads; /* at least 1 */
    const gint
        *stop; /* work fails with CS_ERROR_STOPPED soon after it becomes other than 0; or NULL */
    const CsKeep *keep; /* has what earlier runs found, and takes what this one finds; or NULL */
} CsSurvey;

/* The same matrix transposed. */
static inline CsSurvey
cs_survey_turned(const CsSurvey *survey)
{
    CsSurvey turned = *survey;
    turned.rows = survey->columns;
    turned.columns = survey->rows;
    return turned;
}

#endif
