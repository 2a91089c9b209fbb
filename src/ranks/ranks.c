/* Finds out whether there are several processes, and joins them. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <chromosweep/error.h>
#include <chromosweep/ranks.h>
#include <chromosweep/version.h>

#include "ranks/lanes.h"
#include "ranks/ranks.h"
#include "sweep/engine_class.h"
#include "system/cpus.h"
#include "system/memory.h"

#define MODULE "libchromosweep-mpi.so"
#define VARIABLE "CHROMOSWEEP_MPI" /* no: every process is alone */
#define MOST_RANKS (G_MAXUINT32 / CS_RANKS_MOST_LANES + 1)
#define ALONE "; " VARIABLE "=no in the environment makes each process a run of its own"

static CsRankPlace place = {.size = 1, .local_size = 1, .sharers = 1};
static const CsMpiModule *module; /* NULL if this process is alone */
static GThread *thread;           /* the only one that may use lane 0 */

/* A number that a launcher has left in the environment, or -1. */
static gint64
number_of(const char *variable)
{
    const char *text = g_getenv(variable);
    gint64 number;
    return text != NULL && g_ascii_string_to_signed(text, 10, 0, G_MAXINT32, &number, NULL) ? number
                                                                                            : -1;
}

/* Whether a launcher says that it started several processes that belong together; if so, which one
 * this is. */
static gboolean
is_one_of_several(guint *rank)
{
    static const struct {
        const char *size, *rank;
    } launchers[] = {
        {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}, /* Open MPI's mpirun */
        {"PMI_SIZE", "PMI_RANK"},                         /* MPICH's, and srun --mpi=pmi2 */
        {"SLURM_NTASKS", "PMIX_RANK"},                    /* srun --mpi=pmix */
    };
    *rank = 0;
    if (g_strcmp0(g_getenv(VARIABLE), "no") == 0)
        return FALSE;
    for (guint k = 0; k < G_N_ELEMENTS(launchers); k++) {
        const gint64 size = number_of(launchers[k].size), own = number_of(launchers[k].rank);
        if (size > 1 && own >= 0) {
            *rank = (guint)own;
            return TRUE;
        }
    }
    return FALSE;
}

/* The module lies beside the library, or beside the program if that has the library in it. */
static char *
module_path(void)
{
    Dl_info info;
    if (dladdr(&place, &info) == 0 || info.dli_fname == NULL)
        return g_strdup(MODULE);
    g_autofree char *folder = g_path_get_dirname(info.dli_fname);
    return g_build_filename(folder, MODULE, NULL);
}

static const CsMpiModule *
load(GError **error)
{
    g_autofree char *path = module_path();
    /* MPI's own plug-ins look for its symbols everywhere. The module stays: MPI cannot be unloaded. */
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    CsMpiModuleFunc func = NULL;
    if (library != NULL)
        *(void **)&func = dlsym(library, CS_MPI_MODULE_SYMBOL);
    if (func == NULL) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "there are several processes, but MPI cannot be used (%s)" ALONE, dlerror());
        return NULL;
    }
    if (func()->version == CS_MPI_MODULE_VERSION)
        return func();
    g_set_error(error, CS_ERROR, CS_ERROR_DEVICE, "%s is of another version of chromosweep", path);
    return NULL;
}

void
cs_ranks_join(const CsMpiModule *joined)
{
    module = joined;
    thread = g_thread_self();
    module->start(&place);
    cs_cpus_share(place.sharers);
}

/* What has to be the same in all processes, because messages are as values are in memory. */
static char *
describe_program(void)
{
    return g_strdup_printf("%s, %d-%d-%d-%d", cs_version(), (int)sizeof(CsRectangle),
                           (int)sizeof(CsCollected), (int)sizeof(CsGrid), (int)sizeof(CsStep));
}

/* Rank 0 hears what all others are. */
static gboolean
check_programs(const char *arguments, GError **failure)
{
    g_autofree char *own = describe_program();
    g_autoptr(GString) message = g_string_new(NULL);
    cs_message_put_text(message, own);
    cs_message_put_text(message, arguments);
    if (place.rank > 0) {
        cs_ranks_send(0, message);
        return TRUE;
    }
    for (guint rank = 1; rank < place.size; rank++) {
        g_auto(CsMessageIn) answer = cs_ranks_receive(rank);
        g_autofree char *other = cs_message_get_text(&answer);
        g_autofree char *others = cs_message_get_text(&answer);
        if (*failure != NULL || (g_strcmp0(own, other) == 0 && g_strcmp0(arguments, others) == 0))
            continue;
        g_set_error(failure, CS_ERROR, CS_ERROR_DEVICE,
                    "process %u was started with another %s" ALONE, rank,
                    g_strcmp0(own, other) == 0 ? "command line" : "version of chromosweep");
    }
    return *failure == NULL;
}

guint
cs_ranks_start(const char *arguments, guint *rank, GError **error)
{
    GError *failure = NULL;
    if (!is_one_of_several(rank))
        return 1;
    const CsMpiModule *loaded = load(error);
    if (loaded == NULL)
        return 0;
    cs_ranks_join(loaded);
    if (place.size == 1) { /* such as a launcher whose MPI is not ours */
        cs_ranks_leave();
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "there are several processes, but each is alone for MPI: the launcher is of "
                    "another MPI than chromosweep" ALONE);
        return 0;
    }
    *rank = place.rank;
    if (check_programs(arguments, &failure))
        return place.size;
    g_propagate_error(error, failure);
    return 0;
}

guint
cs_ranks_count(void)
{
    return place.size;
}

const CsRankPlace *
cs_ranks_place(void)
{
    return &place;
}

guint
cs_ranks_address(guint rank, guint lane)
{
    g_assert(rank < MOST_RANKS && lane < CS_RANKS_MOST_LANES);
    return lane * MOST_RANKS + rank;
}

/* The lane of an address that this thread may use. */
static guint
lane_of(guint address)
{
    const guint lane = address / MOST_RANKS;
    g_assert(lane > 0 || g_thread_self() == thread);
    return lane;
}

gboolean
cs_ranks_check_threads(GError **error)
{
    if (place.size == 1 || place.threads)
        return TRUE;
    g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                        "this MPI does not let several threads send messages "
                        "(MPI_THREAD_SERIALIZED)");
    return FALSE;
}

gboolean
cs_ranks_take_lane(GError **error)
{
    if (thread != g_thread_self() && !cs_ranks_check_threads(error))
        return FALSE;
    thread = g_thread_self();
    return TRUE;
}

void
cs_ranks_send_bytes(guint to, const void *data, gsize bytes)
{
    module->send(to % MOST_RANKS, lane_of(to), data, bytes);
}

gboolean
cs_ranks_has_come(guint from)
{
    return module->has_come(from % MOST_RANKS, lane_of(from));
}

gsize
cs_ranks_wait(guint from)
{
    return module->wait(from % MOST_RANKS, lane_of(from));
}

void
cs_ranks_take(guint from, gsize bytes, void *data, gsize kept)
{
    module->take(from % MOST_RANKS, lane_of(from), bytes, data, kept);
}

void
cs_ranks_send(guint to, const GString *message)
{
    cs_ranks_send_bytes(to, message->str, message->len);
}

CsMessageIn
cs_ranks_receive(guint from)
{
    CsMessageIn message = {.bytes = cs_ranks_wait(from)};
    gsize kept = message.bytes;
    message.data = cs_memory_try_resize(NULL, MAX(1, kept), 1);
    if (message.data == NULL) {
        message.no_memory = TRUE;
        kept = MIN(kept, CS_MESSAGE_HEAD);
        message.data = g_malloc(CS_MESSAGE_HEAD);
    }
    cs_ranks_take(from, message.bytes, message.data, kept);
    message.bytes = kept;
    return message;
}

gboolean
cs_ranks_hear_begun(guint *threads, GError **error)
{
    GError *failure = NULL;
    for (guint rank = 1; rank < cs_ranks_place()->size; rank++) {
        g_auto(CsMessageIn) answer = cs_ranks_receive(rank);
        GError **first = failure == NULL ? &failure : NULL;
        guint more;
        if (!cs_message_get_error(&answer, first))
            g_prefix_error(first, "process %u: ", rank);
        CS_MESSAGE_GET(&answer, more);
        *threads += more;
    }
    if (failure == NULL)
        return TRUE;
    g_propagate_error(error, failure);
    return FALSE;
}

void
cs_ranks_leave(void)
{
    module->finish();
    module = NULL;
    place = (CsRankPlace){.size = 1, .local_size = 1, .sharers = 1};
}

void
cs_ranks_end(void)
{
    const CsRanksRequest request = CS_RANKS_END;
    g_autoptr(GString) message = g_string_new(NULL);
    if (place.size == 1 || place.rank > 0)
        return;
    cs_lanes_end();
    CS_MESSAGE_PUT(message, request);
    for (guint rank = 1; rank < place.size; rank++)
        cs_ranks_send(rank, message);
    cs_ranks_leave();
}
