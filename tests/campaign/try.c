// SPDX-License-Identifier: MIT
// From a random system to a run; see try.h. Nodes become plain C models, one each, because every one has
// variables of its own.
#include "campaign/try.h"

#include <inttypes.h>
#include <unistd.h>

#include "campaign/draw.h"
#include "campaign/judge.h"
#include "run/master.h"
#include "support/model.h"
#include "support/test.h"
#include "system/system.h"
#include "table/table.h"

enum {
    MAX_STEPS = 1000,
    N_SINK_INPUTS = 100,
    MAX_SINKS = 10,
    MAX_MODELS = MAX_NODES + 3, // with those of idle connections and an empty one
};

// State of an instance: x, x before the last step, and the size of that.
enum { STATE_X, STATE_BEFORE = N_STATES, STATE_H = 2 * N_STATES };

typedef struct part {
    const random_system *system;
    const node *node;
    char name[16], depends[16 * MAX_INPUTS];
    char names[MAX_INPUTS][16];
    test_variable variables[MAX_INPUTS + 3];
} part;

typedef struct attempt {
    const random_system *system;
    part parts[MAX_NODES];
    test_model models[MAX_MODELS];
    test_variable sink_variables[N_SINK_INPUTS + 1];
    char sink_names[N_SINK_INPUTS][8];
    char table[300]; // path; "": none
    takt_log *log;
    takt_project *project;
    takt_system *made;
    takt_plan *plan;
    takt_run *run;
    takt_error err;
    takt_slot slots[MAX_NODES]; // of outputs
    const test_instance *instances[MAX_NODES]; // NULL: a column
    judge judge;
    outcome *out;
} attempt;

// ---- nodes as models -------------------------------------------------------------------------------

// Inputs as plain values, at the places of their sources.
static void find_inputs(const test_instance *at, long double *v)
{
    const part *own = at->model->context;
    for (int i = 0; i < own->node->n_inputs; i++) {
        int from = own->node->source[i];
        const node *source = &own->system->nodes[from];
        v[from] = is_boolean(source) ? (long double)at->integer[i]
                                     : (long double)at->real[i] / source->scale;
    }
}

// Between -1 and 1; the same for the same inputs.
static double find_noise(const test_instance *at)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325), bits;
    for (int i = 0; i < ((const part *)at->model->context)->node->n_inputs; i++) {
        memcpy(&bits, &at->real[i], sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0xff51afd7ed558ccd);
        hash ^= hash >> 29;
    }
    return (double)(hash >> 11) / 4503599627370496.0 - 1;
}

static void node_output(test_instance *at)
{
    const part *own = at->model->context;
    const node *law = own->node;
    long double v[MAX_NODES], x[N_STATES] = {at->state[STATE_X], at->state[STATE_X + 1]};
    find_inputs(at, v);
    int y = law->n_inputs;
    if (is_boolean(law)) {
        at->integer[y] = boolean_output(own->system, law, v, at->time);
        return;
    }
    long double value =
        real_output(own->system, law, sum_inputs(law, v), is_switched(law, v), x, at->time);
    if (law->noise > 0) value += law->noise * find_noise(at);
    at->real[y] = (double)(value * law->scale);
    if (law->law == LAW_OSCILLATOR) at->real[y + 1] = (double)(x[1] * law->scale);
}

static void node_step(test_instance *at, double t, double h)
{
    (void)t;
    const part *own = at->model->context;
    long double v[MAX_NODES], x[N_STATES] = {at->state[STATE_X], at->state[STATE_X + 1]};
    memcpy(at->state + STATE_BEFORE, at->state + STATE_X, N_STATES * sizeof(double));
    find_inputs(at, v);
    advance_state(own->node, sum_inputs(own->node, v), h, x);
    for (int k = 0; k < N_STATES; k++) at->state[STATE_X + k] = (double)x[k];
    at->state[STATE_H] = h;
}

static bool is_in_table(const node *at)
{
    return at->law == LAW_COLUMN || at->law == LAW_HELD;
}

static double declared_nominal(const node *at)
{
    return at->declares_nominal ? at->scale : 0;
}

static void describe_node(attempt *a, int i)
{
    const node *law = &a->system->nodes[i];
    part *own = &a->parts[i];
    own->system = a->system;
    own->node = law;
    snprintf(own->name, sizeof own->name, "N%d", i);
    own->depends[0] = 0;
    int n = law->n_inputs;
    for (int k = 0; k < n; k++) {
        const node *source = &a->system->nodes[law->source[k]];
        snprintf(own->names[k], sizeof own->names[k], "u%d", k);
        own->variables[k] = (test_variable){
            own->names[k], TAKT_INPUT, .type = is_boolean(source) ? TAKT_BOOLEAN : 0,
            .start = is_boolean(source) ? "false" : "0", .nominal = declared_nominal(source)};
        if (!has_feedthrough(law)) continue;
        if (k) strcat(own->depends, " ");
        strcat(own->depends, own->names[k]);
    }
    own->variables[n] =
        (test_variable){"y", TAKT_OUTPUT, .type = is_boolean(law) ? TAKT_BOOLEAN : 0,
                        .depends = own->depends, .nominal = declared_nominal(law)};
    own->variables[n + 1] =
        law->law == LAW_OSCILLATOR
            ? (test_variable){"p", TAKT_OUTPUT, .depends = "", .nominal = declared_nominal(law)}
            : (test_variable){0};
    own->variables[n + 2] = (test_variable){0};
}

static const test_variable idle_variables[] = {{"y", TAKT_OUTPUT, .depends = ""}, {0}};

static void idle_output(test_instance *at)
{
    at->real[0] = 1;
}

static void make_models(attempt *a)
{
    int n = 0;
    for (int i = 0; i < a->system->n_nodes; i++) {
        describe_node(a, i);
        if (is_in_table(&a->system->nodes[i])) continue;
        bool rewinds = a->system->nodes[i].rewinds;
        a->models[n++] = (test_model){a->parts[i].name,
                                      a->parts[i].variables,
                                      .output = node_output,
                                      .step = node_step,
                                      .can = {.rewind = rewinds, .variable_step = true},
                                      .context = &a->parts[i]};
    }
    a->models[n++] = (test_model){"Idle", idle_variables, .output = idle_output,
                                  .can = {.rewind = true, .variable_step = true}};
    for (int k = 0; k < N_SINK_INPUTS; k++) {
        snprintf(a->sink_names[k], sizeof a->sink_names[k], "u%d", k);
        a->sink_variables[k] = (test_variable){a->sink_names[k], TAKT_INPUT, .start = "0"};
    }
    a->sink_variables[N_SINK_INPUTS] = (test_variable){0};
    a->models[n++] =
        (test_model){"Sink", a->sink_variables, .can = {.rewind = true, .variable_step = true}};
    a->models[n] = (test_model){0};
}

// ---- the project -----------------------------------------------------------------------------------

static void write_table(attempt *a)
{
    const random_system *system = a->system;
    if (system->n_rows == 0) return;
    const char *folder = getenv("TMPDIR");
    snprintf(a->table, sizeof a->table, "%s/campaign-%ld.csv", folder ? folder : "/tmp",
             (long)getpid());
    FILE *file = fopen(a->table, "w");
    assert_non_null(file);
    fputs("time", file);
    for (int i = 0; i < system->n_nodes; i++)
        if (is_in_table(&system->nodes[i])) fprintf(file, ",x%d", i);
    for (int row = 0; row < system->n_rows; row++) {
        fprintf(file, "\n%.17g", system->row_times[row]);
        for (int i = 0; i < system->n_nodes; i++) {
            const node *at = &system->nodes[i];
            if (at->law == LAW_COLUMN) fprintf(file, ",%.17g", at->column[row]);
            if (at->law == LAW_HELD) fprintf(file, ",%s", at->column[row] != 0 ? "true" : "false");
        }
    }
    fputs("\n", file);
    assert_int_equal(fclose(file), 0);
}

static void add_component(attempt *a, const char *name, const char *source)
{
    assert_true(takt_project_add_component(
        a->project, &(takt_project_component){.name = name, .source = source}));
}

static void add_connection(attempt *a, const char *from, const char *from_variable, const char *to,
                           const char *to_variable)
{
    assert_true(takt_project_add_connection(
        a->project, &(takt_project_connection){.start_component = from,
                                               .start_variable = from_variable,
                                               .end_component = to,
                                               .end_variable = to_variable}));
}

static void connect_node(attempt *a, int i)
{
    const node *at = &a->system->nodes[i];
    for (int k = 0; k < at->n_inputs; k++) {
        int from = at->source[k];
        bool is_column = is_in_table(&a->system->nodes[from]);
        char column[16];
        snprintf(column, sizeof column, "x%d", from);
        add_connection(a, is_column ? "table" : a->parts[from].name, is_column ? column : "y",
                       a->parts[i].name, a->parts[i].names[k]);
    }
}

static void add_idle(attempt *a)
{
    if (a->system->n_idle == 0) return;
    add_component(a, "idle", "Idle");
    for (int i = 0; i < a->system->n_idle; i++) {
        char sink[16];
        snprintf(sink, sizeof sink, "sink%d", i / N_SINK_INPUTS);
        if (i % N_SINK_INPUTS == 0) add_component(a, sink, "Sink");
        add_connection(a, "idle", "y", sink, a->sink_names[i % N_SINK_INPUTS]);
    }
}

static void set(attempt *a, const char *name, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    if (takt_project_set(a->project, name, text, &a->err)) fail_msg("%s", a->err.message);
}

static void set_text(attempt *a, const char *name, const char *value)
{
    if (takt_project_set(a->project, name, value, &a->err)) fail_msg("%s", a->err.message);
}

static void make_settings(attempt *a, takt_algorithm algorithm)
{
    const random_system *system = a->system;
    set_text(a, "algorithm", takt_algorithm_name(algorithm));
    set_text(a, "step-control", control_names[system->control]);
    set_text(a, "jobs", "1");
    set(a, "step-size", system->step_size);
    set(a, "stop-time", system->stop_time);
    set(a, "relative-tolerance", system->relative);
    set(a, "absolute-tolerance", system->absolute);
    set(a, "iterations", system->iterations);
    if (system->control == CONTROL_FIXED) return;
    set(a, "step-max", fmax(system->step_max, system->step_size));
    set(a, "step-min", system->step_min);
}

static void make_project(attempt *a, takt_algorithm algorithm)
{
    const random_system *system = a->system;
    assert_int_equal(takt_project_create("campaign.ssd", a->log, &a->project, &a->err), TAKT_OK);
    if (a->table[0]) add_component(a, "table", a->table);
    for (int i = 0; i < system->n_nodes; i++)
        if (!is_in_table(&system->nodes[i])) add_component(a, a->parts[i].name, a->parts[i].name);
    for (int i = 0; i < system->n_nodes; i++) connect_node(a, i);
    add_idle(a);
    make_settings(a, algorithm);
}

static takt_status open_model(void *context, const takt_model_source *source, takt_model **out,
                              takt_error *err)
{
    attempt *a = context;
    if (takt_table_is_path(source->path)) return takt_table_open(source, a->log, out, err);
    return test_model_open(a->models, source, out, err);
}

// ---- rows ------------------------------------------------------------------------------------------

typedef struct viewer {
    takt_observer base;
    attempt *attempt;
} viewer;

static void look_at_instance(const attempt *a, int i, sight *now)
{
    const test_instance *at = a->instances[i];
    if (!at) return;
    const node *law = &a->system->nodes[i];
    // By prediction inputs move within a step: then values must agree at its end, with the states that are there.
    bool is_stepped = at->state[STATE_H] > 0 && !takt_control_predicts(a->run);
    now->moment.h[i] = is_stepped ? at->state[STATE_H] : 0;
    for (int k = 0; k < N_STATES; k++)
        now->moment.x[i][k] = at->state[(is_stepped ? STATE_BEFORE : STATE_X) + k];
    long double v[MAX_NODES];
    find_inputs(at, v);
    for (int k = 0; k < law->n_inputs; k++) now->u[i][k] = v[law->source[k]];
}

static takt_status view_row(takt_observer *observer, double t, const takt_values *y,
                            takt_error *err)
{
    (void)err;
    attempt *a = ((viewer *)observer)->attempt;
    sight now = {.moment = {.t = t}};
    for (int i = 0; i < a->system->n_nodes; i++) {
        takt_slot slot = a->slots[i];
        now.v[i] = slot.kind == TAKT_KIND_REAL
                       ? (long double)y->real[slot.index] / a->system->nodes[i].scale
                       : (long double)y->integer[slot.index];
        look_at_instance(a, i, &now);
    }
    judge_row(&a->judge, &now);
    return TAKT_OK;
}

static takt_status finish(takt_observer *observer, takt_error *err)
{
    (void)observer, (void)err;
    return TAKT_OK;
}

static void destroy(takt_observer *observer)
{
    free(observer);
}

static const takt_observer_type viewer_type = {
    .row = view_row, .finish = finish, .destroy = destroy};

// Where outputs and instances are.
static void find_places(attempt *a)
{
    for (int i = 0; i < a->system->n_nodes; i++) {
        char name[32];
        bool is_column = is_in_table(&a->system->nodes[i]);
        snprintf(name, sizeof name, is_column ? "table.x%d" : "N%d.y", i);
        int k = 0;
        while (takt_run_column(a->run, k) && strcmp(takt_run_column(a->run, k), name) != 0) k++;
        if (!takt_run_column(a->run, k)) fail_msg("there is no column '%s'", name);
        a->slots[i] = a->plan->columns[k].slot;
        for (int n = 0; n < a->run->work.n_instances; n++)
            if (strcmp(a->run->work.instances[n].instance->name, a->parts[i].name) == 0)
                a->instances[i] = (test_instance *)a->run->work.instances[n].instance;
    }
}

// ---- the run ---------------------------------------------------------------------------------------

static void hear(void *context, const takt_message *message)
{
    outcome *out = context;
    if (!out->message[0]) snprintf(out->message, sizeof out->message, "%s", message->text);
}

static takt_status make_run(attempt *a)
{
    takt_status st = takt_system_make(a->project, open_model, a, &a->made, &a->err);
    if (!st) st = takt_plan_create(a->made, &a->plan, &a->err);
    if (!st) st = takt_run_make(a->plan, NULL, &a->run, &a->err);
    if (st) return st;
    find_places(a);
    for (int i = 0; i < a->system->n_nodes; i++) // states begin before the initialization
        if (a->instances[i])
            ((test_instance *)a->instances[i])->state[STATE_X] = a->system->nodes[i].start;
    viewer *observer = calloc(1, sizeof *observer);
    assert_non_null(observer);
    *observer = (viewer){{.type = &viewer_type}, a};
    return takt_run_add_observer(a->run, &observer->base, &a->err);
}

static takt_status run_to_the_end(attempt *a, bool *is_cut_off)
{
    takt_progress progress = TAKT_RUNNING;
    takt_status st = takt_run_initialize(a->run, &a->err);
    for (int i = 0; !st && progress == TAKT_RUNNING && !*is_cut_off; i++) {
        st = takt_run_step(a->run, &progress, &a->err);
        *is_cut_off = i >= MAX_STEPS;
    }
    takt_status finished = takt_run_finish(a->run, st ? NULL : &a->err);
    return st ? st : finished;
}

static bool is_silent(const attempt *a)
{
    return takt_log_count(a->log, TAKT_LEVEL_WARN) + takt_log_count(a->log, TAKT_LEVEL_ERROR) == 0;
}

static verdict decide(const attempt *a, takt_status st, bool is_cut_off)
{
    bool is_right = a->out->error <= 1;
    if (st) return VERDICT_FAILED;
    if (is_cut_off) return VERDICT_CUT_OFF;
    if (is_silent(a)) return is_right ? VERDICT_RIGHT : VERDICT_SILENTLY_WRONG;
    return is_right ? VERDICT_RIGHT_WARNED : VERDICT_WRONG_WARNED;
}

void try_system(const random_system *system, takt_algorithm algorithm, const course *expected,
                outcome *out)
{
    attempt *a = calloc(1, sizeof *a);
    assert_non_null(a);
    bool is_cut_off = false;
    *out = (outcome){0};
    a->system = system;
    a->out = out;
    a->log = takt_log_create(TAKT_LEVEL_WARN, hear, out);
    judge_init(&a->judge, system, algorithm, expected, out);
    write_table(a);
    make_models(a);
    make_project(a, algorithm);
    takt_status st = make_run(a);
    if (!st) st = run_to_the_end(a, &is_cut_off);
    if (a->run) out->n_steps = a->run->counts.n_steps;
    if (!st && !is_cut_off) judge_end(&a->judge, out->n_steps);
    if (st) snprintf(out->message, sizeof out->message, "%.399s", a->err.message);
    out->verdict = decide(a, st, is_cut_off);
    takt_run_destroy(a->run);
    takt_plan_destroy(a->plan);
    takt_system_destroy(a->made);
    takt_project_close(a->project);
    takt_log_destroy(a->log);
    if (a->table[0]) unlink(a->table);
    free(a);
}
