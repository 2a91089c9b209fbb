/* The error domain. */
#include <chromosweep/error.h>

/* clang-format off */
G_DEFINE_QUARK(cs-error-quark, cs_error)
/* clang-format on */
