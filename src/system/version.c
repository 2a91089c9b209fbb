/* Which version this library is. */
#include <chromosweep/version.h>

#include "config.h"

const char *
cs_version(void)
{
    return CS_VERSION;
}
