/* What this library is and how it was built. */
#ifndef CHROMOSWEEP_VERSION_H
#define CHROMOSWEEP_VERSION_H

#include <glib.h>

#include <chromosweep/export.h>

G_BEGIN_DECLS

/** cs_version: the library's version, such as "0.1.0". */
CS_API const char *cs_version(void);

/**
 * cs_build_info:
 *
 * Returns: (transfer full): how the library was built and what it runs on, one "key: value" a line,
 *   without a final newline: the compiler, htslib and GLib (as built and as running), the engines,
 *   CUDA yes or no
 */
CS_API char *cs_build_info(void);

/**
 * cs_struct_size:
 * @name: of a struct in these headers, such as "CsCompareOptions"
 *
 * For bindings that lay structs out themselves: they grow at the end from version to version.
 *
 * Returns: how many bytes it has in this library; 0 when there is no such struct
 */
CS_API gsize cs_struct_size(const char *name);

G_END_DECLS

#endif
