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

G_END_DECLS

#endif
