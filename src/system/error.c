/* The error domain. */
#include <chromosweep/error.h>

/* Not G_DEFINE_QUARK(), whose static variable is a race between threads that fail together. */
GQuark
cs_error_quark(void)
{
    return g_quark_from_static_string("cs-error-quark");
}
