/* What the stages before a sweep work on: the two sequences of a matrix, and the scoring. */
#ifndef CS_SURVEY_H
#define CS_SURVEY_H

#include <chromosweep/scoring.h>

#include "sequence/view.h"
#include "system/keep.h"

/* The stages find the same for any number of threads. */
typedef struct {
    CsView rows, columns;
    CsScoring scoring;
    guint threads;      /* at least 1 */
    const gint *stop;   /* stages fail with CS_ERROR_STOPPED soon after it is nonzero; or NULL */
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
