/* Helping threads: see global_team.h. */
#include <pthread.h>
#include <time.h>

#include "identity/global_team.h"

typedef struct {
    CsThreadFunc func;
    gpointer user_data;
    guint helpers;
} Shared;

struct _CsGlobalTeam {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    /* Protected by the mutex. */
    GQueue shared; /* of Shared, on the stacks of their threads */
};

CsGlobalTeam *
cs_global_team_new(void)
{
    CsGlobalTeam *team = g_new0(CsGlobalTeam, 1);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&team->mutex, NULL);
    pthread_cond_init(&team->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    g_queue_init(&team->shared);
    return team;
}

void
cs_global_team_free(CsGlobalTeam *team)
{
    pthread_cond_destroy(&team->changed);
    pthread_mutex_destroy(&team->mutex);
    g_free(team);
}

void
cs_global_team_share(CsGlobalTeam *team, CsThreadFunc func, gpointer user_data)
{
    Shared shared = {.func = func, .user_data = user_data};
    if (team != NULL) {
        pthread_mutex_lock(&team->mutex);
        g_queue_push_tail(&team->shared, &shared);
        pthread_cond_broadcast(&team->changed);
        pthread_mutex_unlock(&team->mutex);
    }
    func(user_data);
    if (team != NULL) {
        pthread_mutex_lock(&team->mutex);
        g_queue_remove(&team->shared, &shared);
        while (shared.helpers > 0)
            pthread_cond_wait(&team->changed, &team->mutex);
        pthread_mutex_unlock(&team->mutex);
    }
}

/* What has the fewest helpers; NULL: nothing is shared. */
static Shared *
choose(CsGlobalTeam *team)
{
    Shared *chosen = NULL;
    for (GList *link = team->shared.head; link != NULL; link = link->next) {
        Shared *shared = link->data;
        if (chosen == NULL || shared->helpers < chosen->helpers)
            chosen = shared;
    }
    return chosen;
}

void
cs_global_team_help(CsGlobalTeam *team, gint64 microseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += microseconds * 1000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&team->mutex);
    if (team->shared.head == NULL)
        (void)pthread_cond_timedwait(&team->changed, &team->mutex, &until);
    Shared *shared = choose(team);
    if (shared != NULL) {
        shared->helpers++;
        pthread_mutex_unlock(&team->mutex);
        shared->func(shared->user_data);
        pthread_mutex_lock(&team->mutex);
        shared->helpers--;
        g_queue_remove(&team->shared, shared); /* nothing is left to do */
        pthread_cond_broadcast(&team->changed);
    }
    pthread_mutex_unlock(&team->mutex);
}
