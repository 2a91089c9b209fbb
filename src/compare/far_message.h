/* What far comparisons tell each other, as messages. */
#ifndef CS_FAR_MESSAGE_H
#define CS_FAR_MESSAGE_H

#include <chromosweep/compare.h>

#include "ranks/message.h"

/* What tells a sequence from all others: everything of it. NUL-terminated. */
#define CS_FAR_KEY 33
void cs_far_key(const CsSequence *sequence, char key[CS_FAR_KEY]);

/* All of a sequence but its bases, which follow (bulk.h). */
void cs_far_put_sequence(GString *message, const CsSequence *sequence);
CsSequence *cs_far_receive_sequence(guint from, CsMessageIn *message, GError **failure);

/* Without its functions. What is read points to the texts, which are for g_free(). */
void cs_far_put_options(GString *message, const CsCompareOptions *options);
void cs_far_get_options(CsMessageIn *message, CsCompareOptions *options, char *texts[4]);

void cs_far_put_result(GString *message, const CsCompareResult *result);
void cs_far_get_result(CsMessageIn *message, CsCompareResult *result);

#endif
