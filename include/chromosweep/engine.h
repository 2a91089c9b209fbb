/* The engines of this build. An engine computes the matrix, on a CPU or a GPU. */
#ifndef CHROMOSWEEP_ENGINE_H
#define CHROMOSWEEP_ENGINE_H

#include <glib.h>

#include <chromosweep/export.h>

G_BEGIN_DECLS

/**
 * cs_engine_names:
 *
 * Returns: (transfer none): the names of the engines in this build, %NULL-terminated, best first
 */
CS_API const char *const *cs_engine_names(void);

/**
 * cs_engine_describe:
 * @name: name of an engine, or "auto" for the one that a comparison would take
 * @error: CS_ERROR_USAGE if no engine has that name, CS_ERROR_DEVICE if this build or this machine
 *   lacks it
 *
 * Returns: (transfer none) (nullable): what the engine runs on here, such as the vector
 *   instructions; %NULL with @error set
 */
CS_API const char *cs_engine_describe(const char *name, GError **error);

G_END_DECLS

#endif
