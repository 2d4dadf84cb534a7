// SPDX-License-Identifier: MIT
// The public functions that join layers: opening the FMUs of a project, describing a system, making
// a run with its plan, recording. All others are in the layer they belong to.
#include "takt/takt.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/plans.h"
#include "api/vary.h"
#include "base/crash.h"
#include "base/file.h"
#include "base/number.h"
#include "base/sized.h"
#include "builtin/builtin.h"
#include "fmu/open.h"
#include "group/group.h"
#include "instance/crashed.h"
#include "record/describe.h"
#include "record/results.h"
#include "record/row_writer.h"
#include "record/trace.h"
#include "remote/isolate.h"
#include "remote/link.h"
#include "remote/ways.h"
#include "run/master.h"
#include "run/own_results.h"
#include "system/describe.h"
#include "system/identity.h"
#include "table/table.h"

const char *takt_version(void)
{
    return TAKT_VERSION;
}

void takt_free(void *data)
{
    free(data);
}

static_assert((int)TAKT_SOLVER_CVODE_BDF == (int)TAKT_CVODE_BDF &&
                  (int)TAKT_SOLVER_CVODE_ADAMS == (int)TAKT_CVODE_ADAMS &&
                  (int)TAKT_SOLVER_EULER == (int)TAKT_EULER &&
                  (int)TAKT_SOLVER_RK4 == (int)TAKT_RK4,
              "the solvers of the settings are the methods of num/ode.h");

static_assert((int)TAKT_BINARY_AUTO == (int)TAKT_FMU_ANY &&
                  (int)TAKT_BINARY_NATIVE == (int)TAKT_FMU_NATIVE &&
                  (int)TAKT_BINARY_SOURCES == (int)TAKT_FMU_SOURCES &&
                  (int)TAKT_BINARY_WINE == (int)TAKT_FMU_WINE &&
                  (int)TAKT_BINARY_LINUX32 == (int)TAKT_FMU_32_BITS,
              "the setting's words are the ways of fmu/options.h");

// How one component is integrated. What is in the lists has been checked.
static void choose_solver(const void *context, const char *component, takt_me_options *options)
{
    const takt_settings *settings = &((const takt_project *)context)->settings;
    const char *solver = takt_settings_of(&settings->solver_of, component);
    const char *tolerance = takt_settings_of(&settings->solver_tolerance_of, component);
    const char *step = takt_settings_of(&settings->solver_step_of, component);
    takt_solver method;
    if (solver && takt_solver_find(solver, &method)) options->method = (takt_ode_method)method;
    if (tolerance) takt_number_read(tolerance, tolerance + strlen(tolerance), &options->relative);
    if (step) takt_number_read_duration(step, &options->h_fixed);
}

// A setting that nobody chose is for those who isolate. FMUs for other platforms have processes of their own only because they
// need them: without the wish to isolate them they may do what others may.
static bool is_confined(const takt_settings *settings, bool is_isolated)
{
    return settings->sandbox && (is_isolated || takt_settings_has(settings, &settings->sandbox));
}

static takt_status isolate(const takt_settings *settings, bool is_isolated, takt_model **model,
                           takt_error *err)
{
    const takt_isolation options = {.timeout = settings->timeout,
                                    .after_crash = (takt_after_crash)settings->on_crash,
                                    .sandbox = {.is_on = is_confined(settings, is_isolated),
                                                .memory = settings->memory_limit,
                                                .reads = settings->sandbox_read.items,
                                                .n_reads = settings->sandbox_read.n_items,
                                                .writes = settings->sandbox_write.items,
                                                .n_writes = settings->sandbox_write.n_items}};
    takt_status st = takt_isolate(*model, &options, err);
    if (!st) return TAKT_OK;
    takt_model_close(*model);
    *model = NULL;
    return st;
}

// An FMU for another platform can be looked at, whether it can run here or not. Where it can, it is said once that its process
// protects less than one may think.
static void tell_difference(const takt_settings *settings, const takt_model *model,
                            bool is_isolated, takt_log *log)
{
    takt_arena arena = {0};
    const char *lack = takt_ways_lack(model, &arena);
    if (lack && !arena.has_failed)
        takt_log_write(log, TAKT_LEVEL_WARN, "FMU %s cannot run here: %s", model->path, lack);
    else if (!lack && settings->sandbox && takt_ways_needs_process(model) &&
             !is_confined(settings, is_isolated))
        takt_log_write(log, TAKT_LEVEL_INFO,
                       "FMU %s runs in a process of its own without a sandbox; --isolate adds one",
                       model->path);
    takt_arena_clear(&arena);
}

// What is neither built in nor a table is an FMU.
takt_status takt_open_of_project(void *context, const takt_model_source *source, takt_model **out,
                                 takt_error *err)
{
    const takt_project *project = context;
    const takt_settings *settings = &project->settings;
    if (takt_builtin_is_source(source->path)) return takt_builtin_open(source->path, out, err);
    if (source->is_table || takt_table_is_path(source->path))
        return takt_table_open(source, project->log, out, err);
    bool is_fixed = source->interface != TAKT_MODEL_ANY_INTERFACE;
    const takt_fmu_options options = {.way = (takt_fmu_way)settings->binary,
                                      .compile_sources = settings->compile_sources,
                                      .separate_libraries = settings->separate_libraries,
                                      .prefers_me = is_fixed
                                                        ? source->interface == TAKT_MODEL_ME
                                                        : settings->interface == TAKT_INTERFACE_ME,
                                      .is_interface_fixed = is_fixed,
                                      .shown = source->shown,
                                      .me = {.method = (takt_ode_method)settings->solver,
                                             .relative = settings->solver_tolerance,
                                             .h_fixed = settings->solver_step},
                                      .choose_solver = choose_solver,
                                      .context = project};
    takt_model *model = NULL;
    takt_status st = takt_fmu_open_with(source->path, &options, project->log, &model, err);
    if (st) return st;
    st = takt_ways_describe(model, err);
    if (st) {
        takt_model_close(model);
        return st;
    }
    if (source->is_isolated || takt_ways_needs_process(model)) {
        tell_difference(settings, model, source->is_isolated, project->log);
        st = isolate(settings, source->is_isolated, &model, err);
    }
    if (!st) *out = model;
    return st;
}

takt_status takt_system_create(const takt_project *project, takt_system **out, takt_error *err)
{
    if (!project || !out)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_system_create: no argument may be NULL");
    return takt_system_make(project, takt_open_of_project, (void *)project, out, err);
}

/// Where models are opened for a system on ranks.
typedef struct spread {
    const takt_project *project;
    takt_placement placement;
} spread;

// Which models are FMUs that may be on other ranks.
static takt_status open_spread(void *context, const takt_model_source *source, takt_model **out,
                               takt_error *err)
{
    const spread *s = context;
    takt_model *model;
    takt_status st = takt_open_of_project((void *)s->project, source, &model, err);
    if (st) return st;
    const takt_settings *settings = &s->project->settings;
    bool is_fmu = !takt_builtin_is_source(source->path) && !source->is_table &&
                  !takt_table_is_path(source->path);
    bool is_central = settings->me == TAKT_ME_CENTRAL && model->type->equations;
    // Those that Takt can only run in processes of their own stay there.
    bool is_remote = model->type->begin_step != NULL;
    if (is_fmu && !is_remote && !is_central)
        st = takt_place_on_ranks(model, settings->timeout, &s->placement, err);
    if (st)
        takt_model_close(model);
    else
        *out = model;
    return st;
}

takt_status takt_system_create_on(const takt_project *project, takt_ranks *ranks,
                                  const takt_component_rank *list, int n, takt_system **out,
                                  takt_error *err)
{
    if (!project || !ranks || !out || n < 0 || (n && !list))
        return takt_fail(err, TAKT_ERR_USAGE, "takt_system_create_on: no argument may be NULL");
    for (int i = 0; i < n; i++)
        if (list[i].rank < 0 || list[i].rank >= takt_link_count(ranks))
            return takt_fail(err, TAKT_ERR_USAGE, "component '%s': there is no rank %d, but %d",
                             list[i].component, list[i].rank, takt_link_count(ranks));
    spread s = {project, {ranks, list, n}};
    return takt_system_make(project, open_spread, &s, out, err);
}

takt_status takt_make_plan(const takt_system *system, bool is_static, takt_watch *watch,
                           takt_system **own, takt_plan **out, takt_error *err)
{
    takt_system *grouped = NULL;
    takt_status st = TAKT_OK;
    if (system->settings.me == TAKT_ME_CENTRAL)
        st = takt_group_system(system, watch, &grouped, err);
    const takt_system *planned = grouped ? grouped : system;
    if (!st)
        st = is_static ? takt_plan_create_static(planned, out, err)
                       : takt_plan_create_watched(planned, watch, out, err);
    if (st)
        takt_system_destroy(grouped);
    else
        *own = grouped;
    return st;
}

takt_status takt_system_describe(const takt_system *system, takt_topic topic, takt_format format,
                                 char **out, takt_error *err)
{
    if (!system || !out)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_system_describe: no argument may be NULL");
    if (topic == TAKT_TOPIC_CONTENT) {
        if (format == TAKT_FORMAT_DOT || format == TAKT_FORMAT_SVG)
            return takt_fail(err, TAKT_ERR_USAGE,
                             "only the graph can be described as dot or as a picture");
        return takt_system_describe_content(system, format, out, err);
    }
    if (topic == TAKT_TOPIC_INPUTS) return takt_system_describe_inputs(system, format, out, err);
    if (topic == TAKT_TOPIC_EXPERIMENT)
        return takt_system_describe_experiment(system, format, out, err);
    if (topic == TAKT_TOPIC_IDENTITY) return takt_identity_describe(system, format, out, err);
    takt_plan *plan = NULL;
    takt_system *own = NULL;
    takt_watch *watch = NULL; // code of FMUs may be run
    takt_status st = takt_watch_create(0, system->log, NULL, &watch, err);
    if (!st) st = takt_make_plan(system, topic == TAKT_TOPIC_STATIC_GRAPH, watch, &own, &plan, err);
    if (!st) st = takt_plan_describe(plan, format, out, err);
    takt_plan_destroy(plan);
    takt_system_destroy(own);
    takt_watch_destroy(watch);
    return st;
}

// FMUs whose libraries cannot be loaded here: a run would fail, perhaps on another machine it would not.
static takt_status check_libraries(const takt_system *system, takt_error *err)
{
    for (int i = 0; i < system->n_components; i++) {
        const takt_component *component = &system->components[i];
        takt_error why = {0};
        bool is_known = i > 0 && component->model == component[-1].model; // there may be thousands
        takt_status st = is_known ? TAKT_OK : takt_fmu_check_library(component->model, &why);
        if (!st && !is_known) st = takt_ways_check(component->model, &why);
        if (st == TAKT_ERR_MEMORY) return takt_fail_memory(err); // says nothing about the FMU
        if (st)
            takt_log_write(system->log, TAKT_LEVEL_WARN, "component '%s': %s", component->name,
                           why.message);
    }
    return TAKT_OK;
}

takt_status takt_system_check(const takt_system *system, takt_error *err)
{
    if (!system)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_system_check: no argument may be NULL");
    takt_plan *plan = NULL;
    takt_system *own = NULL;
    takt_status st = check_libraries(system, err);
    if (!st) st = takt_make_plan(system, true, NULL, &own, &plan, err);
    if (!st) st = takt_project_check_doubts(system->project, err);
    takt_plan_destroy(plan);
    takt_system_destroy(own);
    return st;
}

// What takes time before instances can be made, and is no work of theirs.
static takt_status provide_ways(const takt_system *system, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < system->n_components && !st; i++) {
        const takt_model *model = system->components[i].model;
        if (i > 0 && model == system->components[i - 1].model) continue; // there may be thousands
        st = takt_ways_provide(model, system->log, err);
    }
    return st;
}

// A run of a system that will be the run's own if it is a variation of what was asked for.
static takt_status create_run(const takt_system *system, const takt_run_options *options,
                              takt_run **out, takt_error *err)
{
    takt_plan *plan = NULL;
    takt_system *own = NULL;
    takt_run *run = NULL;
    takt_watch *watch = NULL;
    takt_status st = provide_ways(system, err);
    if (!st)
        st = takt_watch_create(system->settings.timeout, system->log, options->watch, &watch, err);
    // As they are before any code of FMUs runs. Who guards against crashes wants them back.
    takt_surroundings *around = takt_crash_is_installed() ? takt_surroundings_create() : NULL;
    if (!st) st = takt_make_plan(system, false, watch, &own, &plan, err);
    if (!st) st = takt_project_check_doubts(system->project, err);
    if (st)
        takt_surroundings_destroy(around);
    else
        st = takt_run_make(
            plan,
            &(takt_run_setup){.watch = watch, .surroundings = around, .results = options->results},
            &run, err);
    if (st) {
        takt_crashed_complete(err, NAN, NAN);
        takt_watch_destroy(watch);
        takt_plan_destroy(plan);
        takt_system_destroy(own);
        return st;
    }
    run->own_watch = watch;
    run->own_plan = plan;
    run->own_system = own;
    run->asked_system = system;
    *out = run;
    return TAKT_OK;
}

takt_status takt_run_create_with(const takt_system *system, const takt_run_options *options,
                                 takt_run **out, takt_error *err)
{
    takt_run_options complete = takt_run_options_default();
    takt_watch_options watch = {0};
    takt_system *varied = NULL;
    if (!system || !out)
        return takt_fail(err, TAKT_ERR_USAGE, "the system and the result must not be NULL");
    if (system->n_components == 0)
        return takt_fail(err, TAKT_ERR_USAGE, "the system has no components");
    takt_status st = takt_sized_take(&complete, options, sizeof complete, err);
    if (!st) st = takt_sized_take(&watch, complete.watch, sizeof watch, err);
    if (complete.watch) complete.watch = &watch;
    if (!st && options) st = takt_vary_system(system, &complete, &varied, err);
    if (!st) st = create_run(varied ? varied : system, &complete, out, err);
    if (st) {
        takt_system_destroy(varied);
        return st;
    }
    if (!varied) takt_system_hold(system);
    (*out)->held_system = varied ? varied : (takt_system *)system;
    return TAKT_OK;
}

takt_status takt_run_create(const takt_system *system, takt_run **out, takt_error *err)
{
    return takt_run_create_with(system, NULL, out, err);
}

// Results are often named after the project, and so may be the table that drives it.
static takt_status check_sources(const takt_system *system, const char *path, takt_error *err)
{
    if (!takt_path_is_file(path)) return TAKT_OK;
    for (int i = 0; i < system->n_components; i++) {
        const takt_component *component = &system->components[i];
        if (i > 0 && component->model == component[-1].model) continue; // there may be thousands
        const char *source = component->model->path; // NULL: built in
        if (source && takt_path_is_same_file(path, source))
            return takt_fail(err, TAKT_ERR_USAGE,
                             "%s: results would overwrite the source of component '%s'; choose "
                             "another file with --output-file",
                             path, component->name);
    }
    return TAKT_OK;
}

takt_status takt_run_record(takt_run *run, const char *path, takt_error *err)
{
    if (!run || !path)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_run_record: no argument may be NULL");
    if (run->is_initialized)
        return takt_fail(err, TAKT_ERR_USAGE, "recording must be set up before initialization");
    takt_observer *observer = NULL;
    takt_status st = check_sources(run->plan->system, path, err);
    const takt_row_begin begin = {.is_marked = run->identity != NULL};
    if (!st) st = takt_results_writer_open_at(run->plan, path, &begin, &observer, err);
    if (!st) st = takt_run_add_observer(run, observer, err);
    return st ? st : takt_own_results_choose(run, path, err);
}

takt_status takt_run_describe_results(takt_run *run, const char *results, takt_error *err)
{
    if (!run || !results)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_run_describe_results: no argument may be NULL");
    return takt_results_describe(run->plan, results, err);
}

takt_status takt_run_trace_to(takt_run *run, const char *path, takt_error *err)
{
    if (!run || !path)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_run_trace_to: no argument may be NULL");
    if (run->is_initialized || run->tracer)
        return takt_fail(err, TAKT_ERR_USAGE,
                         "one trace can be written, set up before initialization");
    takt_observer *observer = NULL;
    takt_status st = takt_trace_open(path, &observer, err);
    return st ? st : takt_run_add_observer(run, observer, err);
}

// ---- guard -----------------------------------------------------------------------------------------

takt_status takt_guard_install(int fd, takt_error *err)
{
    if (takt_crash_install(fd)) return TAKT_OK;
    return takt_fail(err, TAKT_ERR_SIMULATION, "the system does not accept handlers at exit");
}

void takt_guard_remove(void)
{
    takt_crash_remove();
}

void takt_guard_note_exit(const char *how, int status)
{
    takt_crash_note_exit(how, status, NULL, __builtin_frame_address(0));
}

void takt_guard_note_thread_exit(void)
{
    takt_crash_note_thread_exit(__builtin_frame_address(0));
}

int takt_guard_keeps_signal(int signal)
{
    return takt_crash_keeps(signal);
}

void takt_guard_describe_call(char *text, size_t size)
{
    if (text && size) takt_crash_describe(text, size);
}
