// SPDX-License-Identifier: MIT
// Timeouts of calls to FMUs; see watch.h.
#include "run/watch.h"

#include <errno.h>
#include <math.h>
#include <signal.h>

#include "base/clock.h"

// A call that was seen, by instance.
typedef struct sighting {
    const takt_instance *at; // the instance, or its member
    unsigned call; // its number
    double since; // s on the clock; when it was seen first
} sighting;

struct takt_watch {
    takt_run *run;
    double timeout, period; // s
    takt_timeout_fn on_timeout;
    void *context;
    pthread_t thread;
    pthread_mutex_t lock; // held while the thread looks; protects what follows
    pthread_cond_t wake;
    bool is_ended;
    bool has_expired;
    takt_error error; // the reason
    const char *instance, *what; // that is being made or ended; NULL: none
    double since; // s; when that began
    sighting *sightings; // per instance
};

// ---- thread of the watch -------------------------------------------------------------------------

static void expire(takt_watch *watch, const char *instance, const char *function)
{
    const takt_run *run = watch->run;
    char moment[64] = "";
    if (run->is_initialized) snprintf(moment, sizeof moment, " at t=%.15g s", run->grid.time);
    watch->has_expired = true;
    takt_fail(
        &watch->error, TAKT_ERR_TIMEOUT,
        "instance '%s'%s: %s has not returned within %.15g s of real time; raise --timeout if "
        "the FMU only needs longer",
        instance, moment, function, watch->timeout);
}

// The function that is being called; NULL: none, or nobody tells.
static const char *function_of(const takt_instance *instance)
{
    if (!instance->n_calls) return NULL;
    return atomic_load_explicit(&instance->calling, memory_order_acquire);
}

// Looks at one instance, or at that member of a group that is being called: there is at most one. The name
// is read first: what the run wrote before the call is then visible.
static void look_at(takt_watch *watch, int i, double now)
{
    const takt_instance *at = watch->run->instances[i].instance;
    sighting *seen = &watch->sightings[i];
    if (!at) return;
    const takt_instance *group = at->type->member ? at : NULL;
    const char *function = function_of(at);
    for (int m = 0; group && !function && (at = group->type->member(group, m)); m++)
        function = function_of(at);
    unsigned call = function ? atomic_load_explicit(at->n_calls, memory_order_relaxed) : 0;
    if (!function || at != seen->at || call != seen->call)
        *seen = (sighting){at, call, now};
    else if (now - seen->since >= watch->timeout)
        expire(watch, at->name, function);
}

static void look(takt_watch *watch)
{
    double now = takt_clock();
    if (watch->what) {
        if (now - watch->since >= watch->timeout) expire(watch, watch->instance, watch->what);
        return;
    }
    for (int i = 0; i < watch->run->n_instances && !watch->has_expired; i++) look_at(watch, i, now);
}

static void sleep_a_while(takt_watch *watch)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += (long)(watch->period * 1e9);
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    int rc = 0;
    while (!rc && !watch->is_ended) rc = pthread_cond_timedwait(&watch->wake, &watch->lock, &end);
}

// The lock is kept after a timeout: should the FMU return after all, the run stops where it asks for it.
static void *watch_calls(void *context)
{
    takt_watch *watch = context;
    pthread_mutex_lock(&watch->lock);
    while (!watch->is_ended && !watch->has_expired) {
        sleep_a_while(watch);
        if (!watch->is_ended) look(watch);
    }
    if (watch->has_expired && watch->on_timeout) {
        takt_run_finish_observers(watch->run, NULL);
        watch->on_timeout(watch->context, &watch->error);
    } else if (
        watch->has_expired) { // nobody ends the process: the FMU may come back, and the run go on
        takt_log_write(watch->run->log, TAKT_LEVEL_ERROR, "%s", watch->error.message);
    }
    pthread_mutex_unlock(&watch->lock);
    return NULL;
}

// ---- thread of the run ---------------------------------------------------------------------------

static bool init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes)) return false;
    bool ok = !pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) &&
              !pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
    return ok;
}

// Signals are for the threads of the program.
static bool start_thread(takt_watch *watch)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int problem = pthread_create(&watch->thread, NULL, watch_calls, watch);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return problem == 0;
}

takt_status takt_watch_start(takt_run *run, takt_timeout_fn on_timeout, void *context,
                             takt_error *err)
{
    double timeout = run->plan->system->settings.timeout;
    if (!(timeout > 0)) return TAKT_OK;
    takt_watch *watch = takt_arena_array(&run->arena, 1, sizeof *watch);
    sighting *sightings =
        takt_arena_array(&run->arena, (size_t)run->n_instances, sizeof *sightings);
    if (!watch || !sightings) return takt_fail_memory(err);
    *watch = (takt_watch){.run = run,
                          .timeout = timeout,
                          .period = fmin(fmax(timeout / 20, 1e-3), 0.1),
                          .on_timeout = on_timeout,
                          .context = context,
                          .sightings = sightings};
    pthread_mutex_init(&watch->lock, NULL);
    if (!init_condition(&watch->wake) || !start_thread(watch))
        return takt_fail(err, TAKT_ERR_SIMULATION,
                         "timeout: the watching thread cannot be started");
    run->watch = watch;
    return TAKT_OK;
}

void takt_watch_stop(takt_run *run)
{
    takt_watch *watch = run->watch;
    if (!watch) return;
    pthread_mutex_lock(&watch->lock);
    watch->is_ended = true;
    pthread_cond_signal(&watch->wake);
    pthread_mutex_unlock(&watch->lock);
    pthread_join(watch->thread, NULL);
    pthread_cond_destroy(&watch->wake);
    pthread_mutex_destroy(&watch->lock);
    run->watch = NULL;
}

void takt_watch_enter(takt_watch *watch, const char *instance, const char *what)
{
    if (!watch) return;
    pthread_mutex_lock(&watch->lock);
    watch->instance = instance;
    watch->what = what;
    watch->since = takt_clock();
    pthread_mutex_unlock(&watch->lock);
}

void takt_watch_leave(takt_watch *watch)
{
    if (!watch) return;
    pthread_mutex_lock(&watch->lock);
    watch->what = NULL;
    pthread_mutex_unlock(&watch->lock);
}
