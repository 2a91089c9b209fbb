/* The version of this library. */
#include <chromosweep/version.h>

#include "config.h"

const char *
cs_version(void)
{
    return CS_VERSION;
}
