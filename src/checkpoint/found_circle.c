/* How far a search on circles has come: see found_circle.h, docs/formats.md. */
#include "checkpoint/found_circle.h"
#include "checkpoint/found.h"

CsFoundCircle
cs_found_circle_read(const char *directory, const CsFingerprintRecord *record)
{
    CsFoundCircle circle = {.fraction = 0};
    gboolean complete = TRUE;
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++) {
        gint64 count = 0;
        if (record->strand != CS_STRAND_BOTH && record->strand != strand)
            continue;
        g_autofree gint64 *head =
            cs_found_read(directory, record, cs_found_circle_name(strand), &count);
        if (head == NULL || count < CS_FOUND_CIRCLE_HEAD ||
            head[CS_FOUND_CIRCLE_LAYOUT] != CS_FOUND_CIRCLE_LATEST ||
            head[CS_FOUND_CIRCLE_TIED] != 0) { /* it says nothing of a single alignment */
            complete = FALSE;
            continue;
        }
        const CsScore score = head[CS_FOUND_CIRCLE_SCORE];
        complete = complete && head[CS_FOUND_CIRCLE_NODES] == 0 &&
                   (score == 0 || head[CS_FOUND_CIRCLE_KNOWN] != 0);
        circle.score = MAX(circle.score, score);
        circle.fraction =
            MAX(circle.fraction, CLAMP((double)head[CS_FOUND_CIRCLE_DONE] / 1e6, 0, 0.999999));
    }
    circle.fraction = complete ? 1 : circle.fraction;
    return circle;
}
