/* Which byte is which nucleotide. */
#include "sequence/bases.h"

#define INVALID_16 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255
#define INVALID_64 INVALID_16, INVALID_16, INVALID_16, INVALID_16

/* '@' and A to O, then P to Z and what follows; U is T. */
#define AT_TO_O 255, 0, 4, 1, 4, 255, 255, 2, 4, 255, 255, 4, 255, 4, 4, 255
#define P_TO_Z 255, 255, 4, 4, 3, 3, 4, 4, 255, 4, 255, 255, 255, 255, 255, 255

const guint8 cs_bases_codes[256] = {
    INVALID_64,         /* controls, digits, punctuation */
    AT_TO_O,    P_TO_Z, /* upper case */
    AT_TO_O,    P_TO_Z, /* lower case */
    INVALID_64,         /* not ASCII */
    INVALID_64,
};

gboolean
cs_bases_encode(const guint8 *bases, gint64 length, guint8 *codes, gint64 *ambiguous)
{
    guint8 all = 0;
    gint64 count = 0;
    for (gint64 k = 0; k < length; k++) {
        guint8 code = cs_bases_codes[bases[k]];
        codes[k] = code;
        all |= code;
        count += code >> 2 & 1; /* CS_CODE_AMBIGUOUS */
    }
    *ambiguous = count;
    return all <= (CS_CODE_AMBIGUOUS | CS_CODE_T);
}
