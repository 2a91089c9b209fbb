/* The version of this library, and how it was built. */
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
 * Returns: (transfer full): how the library was built and what it runs on, one "key: value" per
 *   line, without a final newline: the compiler, the versions of htslib and GLib at build time and
 *   at run time, the engines, and whether CUDA is in
 */
CS_API char *cs_build_info(void);

/**
 * cs_struct_size:
 * @name: name of a struct in these headers, such as "CsCompareOptions"
 *
 * For bindings that lay out structs themselves. New versions add members only at a struct's end.
 *
 * Returns: its size in this library in bytes; 0 if there is no such struct
 */
CS_API gsize cs_struct_size(const char *name);

G_END_DECLS

#endif
