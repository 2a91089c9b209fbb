/* Gains in a keep (gains.h), so that a run that goes on need not count them again. */
#ifndef CS_KEPT_GAINS_H
#define CS_KEPT_GAINS_H

#include "lower_bound/survey.h"
#include "sweep/gain_table.h"

void cs_kept_gains_save(const CsKeep *keep, const CsGainTable *table);

/* Loads the gains of the survey's matrix. NULL if they are not kept. */
CsGainTable *cs_kept_gains_load(const CsSurvey *survey);

#endif
