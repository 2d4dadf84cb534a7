// SPDX-License-Identifier: MIT
// Calls functions of the library in any order, with right and wrong arguments, on a system of built-in functions. Whatever the order is, calls
// succeed or say why not. Projects and systems are ended while runs go on, and changed while systems exist, which is refused.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "takt/takt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { N_VIEWS = 3, N_SNAPSHOTS = 3, MOST_CALLS = 200 };

typedef struct world {
    const uint8_t *data;
    size_t left;
    takt_problem_list *problems;
    takt_project *project;
    takt_system *system;
    takt_run *run, *other; // two of the same system
    takt_view *views[N_VIEWS];
    takt_snapshot *snapshots[N_SNAPSHOTS];
    takt_series *series;
    void *bytes; // of a run
    size_t n_bytes;
    takt_error err;
} world;

static unsigned next(world *w, unsigned n)
{
    if (w->left == 0) return 0;
    w->left--;
    return *w->data++ % n;
}

static const char *pick(world *w, const char *const *words, unsigned n)
{
    return words[next(w, n)];
}

#define PICK(w, words) pick(w, words, sizeof(words) / sizeof *(words))

static const char *const components[] = {"A", "B", "C", "", "a.b", "A.in"};
static const char *const sources[] = {"builtin:linear?factor=0.5", "builtin:sum?inputs=2",
                                      "builtin:vectorsum?inputs=2&dimension=2", "builtin:none",
                                      "nothing.fmu"};
static const char *const variables[] = {"A.in",       "A.out",    "B.in[0]",  "B.in[1]", "B.out",
                                        "C.in[1][1]", "C.out[0]", "A.factor", "A",       ".",
                                        "X.y",        "A.in.in",  ""};
static const char *const values[] = {"A.in=1", "B.in[0]=-2.5", "A.factor=0.25", "A.in=x",
                                     "=",      "A.in",         "X.y=1"};
static const char *const settings[][2] = {
    {"step-size", "0.1"},      {"stop-time", "0.5"},  {"algorithm", "newton"},
    {"algorithm", "A=jacobi"}, {"tolerance", "1e-3"}, {"output-interval", "0.25"},
    {"record", "*"},           {"none", "1"},         {"step-size", "-1"}};

// Every failure says why.
static takt_status note(world *w, takt_status st)
{
    if (st && (!w->err.message[0] || w->err.status != st)) abort();
    w->err = (takt_error){0};
    return st;
}

static void change_project(world *w)
{
    takt_project *p = w->project;
    switch (next(w, 9)) {
    case 0: note(w, takt_project_remove(p, PICK(w, components), &w->err)); break;
    case 1: {
        const char *name = PICK(w, components);
        note(w, takt_project_rename(p, name, PICK(w, components), &w->err));
        break;
    }
    case 2: {
        const char *from = PICK(w, variables);
        note(w, takt_project_connect(p, from, PICK(w, variables), &w->err));
        break;
    }
    case 3: {
        const char *from = PICK(w, variables);
        note(w, takt_project_disconnect(p, from, next(w, 2) ? PICK(w, variables) : NULL, &w->err));
        break;
    }
    case 4: note(w, takt_project_set_value(p, PICK(w, values), &w->err)); break;
    case 5: note(w, takt_project_unset_value(p, PICK(w, variables), &w->err)); break;
    case 6: {
        unsigned i = next(w, sizeof settings / sizeof *settings);
        note(w, takt_project_set(p, settings[i][0], settings[i][1], &w->err));
        break;
    }
    case 7: note(w, takt_project_auto_connect(p, NULL, &w->err)); break;
    default: {
        const char *name = PICK(w, components);
        note(w, takt_project_add(p, name, PICK(w, sources), &w->err));
    }
    }
}

static void look_at_project(world *w)
{
    int i = (int)next(w, 6) - 1;
    takt_component_info component = {.size = sizeof component};
    takt_connection_info connection = {.size = next(w, 2) ? sizeof connection : 3};
    takt_value_info value = {.size = sizeof value};
    note(w, takt_project_get_component(w->project, i, &component, &w->err));
    note(w, takt_project_get_connection(w->project, i, &connection, &w->err));
    note(w, takt_project_get_value(w->project, i, &value, &w->err));
    note(w, takt_project_check(w->project, &w->err));
    takt_problem_info problem = {.size = sizeof problem};
    note(w, takt_problem_list_get(w->problems, i, &problem, &w->err));
}

static void look_at_system(world *w)
{
    int c = (int)next(w, 5) - 1, v = (int)next(w, 8) - 1;
    takt_model_info model = {.size = sizeof model};
    takt_variable_info variable = {.size = sizeof variable};
    takt_link_info link = {.size = sizeof link};
    takt_sequence *sequence = NULL;
    note(w, takt_system_get_model(w->system, c, &model, &w->err));
    note(w, takt_system_get_variable(w->system, c, v, &variable, &w->err));
    note(w, takt_system_get_link(w->system, v, &link, &w->err));
    takt_system_item(w->system, c, v, v);
    note(w, takt_sequence_create(w->system, next(w, 2) != 0, &sequence, &w->err));
    takt_block_info block = {.size = sizeof block};
    note(w, takt_sequence_get_block(sequence, c, &block, &w->err));
    takt_sequence_destroy(sequence);
}

static void step_run(world *w, takt_run *run);

// Uses a run, also the one whose row this is, and may end it.
static int keep_row(void *context, const takt_row *row)
{
    world *w = context;
    takt_error kept = w->err; // of the call that led here
    w->err = (takt_error){0};
    takt_run **run = next(w, 3) ? &w->run : &w->other;
    takt_view *view = w->views[next(w, N_VIEWS)];
    switch (next(w, 8)) {
    case 1: step_run(w, *run); break;
    case 2: note(w, takt_view_write(view, &w->err)); break;
    case 3: note(w, takt_view_read(view, &w->err)); break;
    case 4: note(w, takt_snapshot_restore(*run, w->snapshots[0], &w->err)); break;
    case 5:
        takt_run_destroy(*run);
        *run = NULL;
        break;
    default: break;
    }
    w->err = kept;
    return isnan(row->time);
}

static void step_run(world *w, takt_run *run)
{
    takt_progress progress;
    switch (next(w, 8)) {
    case 0: note(w, takt_run_initialize(run, &w->err)); break;
    case 1: note(w, takt_run_finish(run, &w->err)); break;
    case 2: note(w, takt_run_to(run, next(w, 8) * 0.07, &progress, &w->err)); break;
    case 3: takt_run_cancel(run, (int)next(w, 2)); break;
    case 4: note(w, takt_run_observe(run, keep_row, w, &w->err)); break;
    case 5:
        if (!w->series) note(w, takt_run_collect(run, &w->series, &w->err));
        break;
    default: note(w, takt_run_step(run, &progress, &w->err));
    }
}

static void use_view(world *w, takt_run *run)
{
    takt_view **view = &w->views[next(w, N_VIEWS)];
    const char *names[2] = {PICK(w, variables), PICK(w, variables)};
    takt_view_item item = {.size = sizeof item};
    switch (next(w, 5)) {
    case 0: note(w, takt_view_read(*view, &w->err)); break;
    case 1:
        for (int i = 0; i < takt_view_size(*view, TAKT_KIND_REAL); i++)
            takt_view_reals(*view)[i] = next(w, 9) ? (double)i : NAN;
        note(w, takt_view_write(*view, &w->err));
        break;
    case 2:
        takt_view_destroy(*view);
        *view = NULL;
        break;
    case 3: note(w, takt_view_get_item(*view, (int)next(w, 4) - 1, &item, &w->err)); break;
    default:
        if (!*view) note(w, takt_view_create(run, names, (int)next(w, 3), view, &w->err));
    }
}

static void use_snapshot(world *w, takt_run *run)
{
    takt_snapshot **snapshot = &w->snapshots[next(w, N_SNAPSHOTS)];
    switch (next(w, 3)) {
    case 0: note(w, takt_snapshot_restore(run, *snapshot, &w->err)); break;
    case 1:
        takt_snapshot_destroy(*snapshot);
        *snapshot = NULL;
        break;
    default:
        if (!*snapshot) note(w, takt_snapshot_take(run, snapshot, &w->err));
    }
}

// A run with options, right and wrong ones.
static void create_run(world *w, takt_run **run)
{
    takt_run_options options = takt_run_options_default();
    takt_assignment setting = {PICK(w, components), "1"}, value = {PICK(w, variables), "2"};
    if (next(w, 2)) options.stop_time = next(w, 5) - 1.0;
    if (next(w, 2)) options.step_size = next(w, 5) * 0.1;
    if (next(w, 4) == 0) options.algorithm = (takt_algorithm)((int)next(w, 10) - 2);
    if (next(w, 4) == 0) options.n_settings = (int)next(w, 3) - 1;
    if (next(w, 2)) options.settings = &setting;
    if (next(w, 4) == 0) options.n_values = 1;
    if (next(w, 4)) options.values = &value;
    note(w, takt_run_create_with(w->system, next(w, 3) ? &options : NULL, run, &w->err));
}

// To bytes, and back in another run.
static void use_bytes(world *w, takt_run *run)
{
    takt_checkpoint *checkpoint = NULL;
    if (!w->bytes) {
        note(w, takt_run_serialize(run, &w->bytes, &w->n_bytes, &w->err));
        return;
    }
    size_t n = next(w, 4) ? w->n_bytes : next(w, 256);
    note(w, takt_checkpoint_deserialize(w->bytes, n, &checkpoint, &w->err));
    if (checkpoint) note(w, takt_run_resume(run, checkpoint, &w->err));
    takt_checkpoint_close(checkpoint);
    takt_free(w->bytes);
    w->bytes = NULL;
}

static void end_system(world *w)
{
    takt_system_destroy(w->system);
    w->system = NULL;
    if (next(w, 2)) return;
    takt_project_close(w->project);
    if (takt_project_create("fuzz.ssd", takt_problem_list_log(w->problems), &w->project, &w->err))
        abort();
}

static void use_run(world *w)
{
    takt_run **run = next(w, 4) ? &w->run : &w->other;
    if (!w->system && !*run) {
        if (takt_system_create(w->project, &w->system, &w->err)) w->system = NULL;
        w->err = (takt_error){0};
        return;
    }
    if (!*run) create_run(w, run);
    if (!*run) return;
    switch (next(w, 10)) {
    case 8: end_system(w); break;
    case 9: use_bytes(w, *run); break;
    case 0:
        takt_run_destroy(*run);
        *run = NULL;
        break;
    case 1:
    case 2: use_view(w, *run); break;
    case 3:
    case 4: use_snapshot(w, *run); break;
    default: step_run(w, *run);
    }
}

static void end_all(world *w)
{
    takt_run_destroy(w->run);
    takt_run_destroy(w->other);
    for (int i = 0; i < N_VIEWS; i++) takt_view_destroy(w->views[i]);
    for (int i = 0; i < N_SNAPSHOTS; i++) takt_snapshot_destroy(w->snapshots[i]);
    takt_series_destroy(w->series);
    takt_free(w->bytes);
    takt_system_destroy(w->system);
    takt_project_close(w->project);
    takt_problem_list_destroy(w->problems);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    world w = {.data = data, .left = size, .problems = takt_problem_list_create(TAKT_LEVEL_TRACE)};
    if (!w.problems ||
        takt_project_create("fuzz.ssd", takt_problem_list_log(w.problems), &w.project, &w.err))
        abort();
    for (int i = 0; i < MOST_CALLS && w.left; i++) {
        switch (next(&w, 6)) {
        case 0: look_at_project(&w); break;
        case 1:
            if (w.system) look_at_system(&w);
            break;
        case 2: change_project(&w); break;
        default: use_run(&w);
        }
    }
    end_all(&w);
    return 0;
}
