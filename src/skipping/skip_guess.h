/*
 * What the stages of skip.h will find, guessed as soon as there is a chain. Time left is forecast from it, and
 * nothing else.
 *
 * The guess knows which parts of the chain pay for the ways between them, and where bases are ambiguous. It does
 * not know which k-mers are absent: an absent one is assumed at each mismatch of the chain, and everywhere
 * beside the chain so many as unrelated sequences have.
 */
#ifndef CS_SKIP_GUESS_H
#define CS_SKIP_GUESS_H

#include "skipping/skip.h"

/* Mode, lower bound, cuts and bounds, with a copy of the chain. Clear it with cs_skip_clear(). */
void cs_skip_guess_init(CsSkip *guess, const CsSurvey *survey, const CsSeed *chain, gint64 length);

#endif
