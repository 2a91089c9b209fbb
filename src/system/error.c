/* The error domain, whose errors carry a reason beside code and message. */
#include "system/error.h"

/* What GLib keeps with each GError of the domain. */
typedef struct {
    CsErrorReason reason;
} CsErrorPrivate;

static void
cs_error_private_init(CsErrorPrivate *private)
{
    private->reason = CS_REASON_NONE;
}

static void
cs_error_private_copy(const CsErrorPrivate *from, CsErrorPrivate *to)
{
    *to = *from;
}

static void
cs_error_private_clear(CsErrorPrivate *private)
{
}

/* Not G_DEFINE_QUARK(), whose static variable is a race between threads that fail together. */
G_DEFINE_EXTENDED_ERROR(CsError, cs_error)

CsErrorReason
cs_error_get_reason(const GError *error)
{
    return error != NULL && error->domain == CS_ERROR ? cs_error_get_private(error)->reason
                                                      : CS_REASON_NONE;
}

void
cs_error_set_reason(GError **error, CsErrorReason reason)
{
    if (error != NULL)
        cs_error_get_private(*error)->reason = reason;
}
