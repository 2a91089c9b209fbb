/* What a process other than 0 does: whatever process 0 asks for, one request after the other. */
#include <signal.h>

#include <chromosweep/ranks.h>

#include "compare/far.h"
#include "ranks/ranks.h"
#include "ranks/serve.h"
#include "identity/identity_ranks.h"
#include "search/search_dealer.h"

static void
ignore_signals(void)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGXCPU};
    for (guint k = 0; k < G_N_ELEMENTS(numbers); k++)
        signal(numbers[k], SIG_IGN);
}

void
cs_ranks_serve(void)
{
    static const CsServeMore more = {
        .search = cs_search_serve, .identity = cs_identity_serve, .lanes = cs_far_serve};
    g_autoptr(GHashTable) runs = cs_serve_runs_new();
    ignore_signals();
    while (cs_serve_next(runs, &more))
        ;
    cs_ranks_leave();
}
