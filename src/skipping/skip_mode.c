/* The names of the modes of skipping, as options, results and states have them. */
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
