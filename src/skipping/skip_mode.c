/* The names of what may be skipped, as options, reports and states have them. */
#include <chromosweep/skip.h>

const char *
cs_skip_mode_name(CsSkipMode mode)
{
    static const char *const names[] = {[CS_SKIP_AUTO] = "auto",
                                        [CS_SKIP_NONE] = "none",
                                        [CS_SKIP_BEST] = "best",
                                        [CS_SKIP_BOUNDS] = "bounds"};
    return names[mode];
}
