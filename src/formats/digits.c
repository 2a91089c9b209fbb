/* Numbers in tables: see digits.h. */
#include "formats/digits.h"

char *
cs_digits_put(char *to, guint64 value, guint least)
{
    guint count = 1;
    for (guint64 rest = value / 10; rest > 0; rest /= 10)
        count++;
    count = MAX(count, least);
    for (guint k = count; k > 0; k--) {
        to[k - 1] = (char)('0' + value % 10);
        value /= 10;
    }
    return to + count;
}

void
cs_digits_append(GString *text, guint64 value, guint least)
{
    char digits[CS_DIGITS_MOST];
    g_string_append_len(text, digits, cs_digits_put(digits, value, least) - digits);
}
