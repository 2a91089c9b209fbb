/* The digits of numbers. */
#include "formats/digits.h"

void
cs_digits_append(GString *text, guint64 value, guint least)
{
    char digits[20]; /* of 2^64 - 1 */
    guint at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0 || sizeof digits - at < least);
    g_string_append_len(text, digits + at, (gssize)(sizeof digits - at));
}
