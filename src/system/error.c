/* The error domain, whose errors carry a detail beside their code. */
#include <errno.h>
#include <pthread.h>

#include <chromosweep/error.h>

#include "system/error_detail.h"

typedef struct {
    CsErrorDetail detail;
    char *absent; /* a record's name */
    char *path;
} CsErrorPrivate;

static void
domain_private_init(CsErrorPrivate *private)
{
    *private = (CsErrorPrivate){.detail = CS_DETAIL_NONE};
}

static void
domain_private_copy(const CsErrorPrivate *from, CsErrorPrivate *to)
{
    *to = (CsErrorPrivate){
        .detail = from->detail, .absent = g_strdup(from->absent), .path = g_strdup(from->path)};
}

static void
domain_private_clear(CsErrorPrivate *private)
{
    g_free(private->absent);
    g_free(private->path);
}

GQuark domain_quark(void) G_GNUC_INTERNAL;
G_DEFINE_EXTENDED_ERROR(CsError, domain)

static void
register_domain(void)
{
    (void)domain_quark();
}

/* Registered through pthread_once(), because ThreadSanitizer does not understand GLib's own
 * lock. */
GQuark
cs_error_quark(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_domain);
    return domain_quark();
}

CsErrorDetail
cs_error_get_detail(const GError *error)
{
    g_return_val_if_fail(error != NULL, CS_DETAIL_NONE);

    return error->domain == CS_ERROR ? domain_get_private(error)->detail : CS_DETAIL_NONE;
}

const char *
cs_error_get_absent(const GError *error)
{
    g_return_val_if_fail(error != NULL, NULL);

    return error->domain == CS_ERROR ? domain_get_private(error)->absent : NULL;
}

const char *
cs_error_get_path(const GError *error)
{
    g_return_val_if_fail(error != NULL, NULL);

    return error->domain == CS_ERROR ? domain_get_private(error)->path : NULL;
}

void
cs_error_set_detail(GError **error, CsErrorDetail detail)
{
    if (error != NULL)
        domain_get_private(*error)->detail = detail;
}

void
cs_error_set_absent(GError **error, const char *name)
{
    if (error == NULL)
        return;
    CsErrorPrivate *private = domain_get_private(*error);
    private->detail = CS_DETAIL_ABSENT;
    g_free(private->absent);
    private->absent = g_strdup(name);
}

void
cs_error_set_path(GError **error, const char *path)
{
    if (error == NULL)
        return;
    CsErrorPrivate *private = domain_get_private(*error);
    g_free(private->path);
    private->path = g_strdup(path);
}

void
cs_error_set_detail_of_errno(GError **error, int code)
{
    switch (code) {
    case ENOENT: cs_error_set_detail(error, CS_DETAIL_NOT_FOUND); break;
    case EACCES:
    case EPERM: cs_error_set_detail(error, CS_DETAIL_NOT_PERMITTED); break;
    case EISDIR: cs_error_set_detail(error, CS_DETAIL_IS_FOLDER); break;
    default: break;
    }
}
