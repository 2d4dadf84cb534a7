// SPDX-License-Identifier: MIT
// Coupled problems: their instances, and runs of them; see problems.h.
#include "support/problems.h"

#include <math.h>
#include <string.h>

#include "support/solution.h"

// ---- instances -------------------------------------------------------------------------------------

static const test_part *part_of(const test_instance *at)
{
    return at->model->context;
}

// Derivative number d of input i at the beginning of the step; held inputs have the value only.
static double derivative_of(const test_instance *at, int i, int d)
{
    const takt_motion *motion = &at->motion;
    int n = motion->inputs ? motion->inputs->n_values[TAKT_KIND_REAL] : 0;
    for (int k = 0; k < n; k++)
        if (takt_access_index(motion->inputs, TAKT_KIND_REAL, k) == i)
            return d <= motion->order ? motion->room[d * n + k] : 0;
    return d == 0 ? at->real[i] : 0;
}

static void step_linear(test_instance *at, const test_part *part, double h)
{
    double m[TEST_MOST * TEST_MOST], e[TEST_MOST * TEST_MOST]; // instances may step side by side
    int depth = at->motion.inputs ? at->motion.order + 1 : 1;
    int n_u = part->n_inputs, n = part->n + n_u * depth;
    double z[TEST_MOST], x[TEST_MOST_STATES];
    memset(m, 0, (size_t)(n * n) * sizeof *m);
    for (int i = 0; i < part->n; i++) {
        for (int j = 0; j < part->n; j++) m[i * n + j] = h * part->a[i][j];
        for (int j = 0; j < n_u; j++) m[i * n + part->n + j] = h * part->b[i][j];
        z[i] = at->state[i];
    }
    double power = 1;
    for (int d = 0; d < depth; d++, power *= h)
        for (int j = 0; j < n_u; j++) {
            int row = part->n + d * n_u + j;
            if (d + 1 < depth) m[row * n + row + n_u] = 1;
            z[row] = derivative_of(at, j, d) * power;
        }
    test_exponential(n, m, e);
    for (int i = 0; i < part->n; i++) {
        x[i] = 0;
        for (int j = 0; j < n; j++) x[i] += e[i * n + j] * z[j];
    }
    memcpy(at->state, x, (size_t)part->n * sizeof *x);
}

static void evaluate(test_instance *at, const test_part *part, double t, const double *x,
                     double *dx)
{
    double u[TEST_MOST_PORTS];
    for (int j = 0; j < part->n_inputs; j++) u[j] = test_input_at(at, j, t);
    part->derivatives(part, x, u, dx);
}

// Runge-Kutta steps that are so short that their error does not matter.
static void step_function(test_instance *at, const test_part *part, double t, double h)
{
    int n = part->n, n_steps = 4 + (int)ceil(h / 1e-3);
    double *x = at->state, k1[8], k2[8], k3[8], k4[8], y[8], s = h / n_steps;
    for (int m = 0; m < n_steps; m++) {
        double from = t + m * s;
        evaluate(at, part, from, x, k1);
        for (int i = 0; i < n; i++) y[i] = x[i] + s / 2 * k1[i];
        evaluate(at, part, from + s / 2, y, k2);
        for (int i = 0; i < n; i++) y[i] = x[i] + s / 2 * k2[i];
        evaluate(at, part, from + s / 2, y, k3);
        for (int i = 0; i < n; i++) y[i] = x[i] + s * k3[i];
        evaluate(at, part, from + s, y, k4);
        for (int i = 0; i < n; i++) x[i] += s / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    }
}

static void step_switch(test_instance *at, const test_part *part, double t, double h)
{
    int n = at->motion.inputs ? 32 : 1;
    for (int k = 1; k <= n; k++) {
        double u = test_input_at(at, 0, t + h * k / n);
        if (at->state[0] > 0 && u > part->high) at->state[0] = 0;
        if (at->state[0] == 0 && u < part->low) at->state[0] = 1;
    }
}

static void step_part(test_instance *at, double t, double h)
{
    const test_part *part = part_of(at);
    if (part->high != 0)
        step_switch(at, part, t, h);
    else if (part->derivatives)
        step_function(at, part, t, h);
    else
        step_linear(at, part, h);
}

// States have their start values also while initial values are sought; the last one says so.
static void init_part(test_instance *at)
{
    if (at->state[TEST_N_STATES - 1] != 0) return;
    memcpy(at->state, part_of(at)->x0, sizeof at->state);
    at->state[TEST_N_STATES - 1] = 1;
}

// The same noise in every run.
static const uint64_t NOISE_SEED = 88172645463325252ULL;
static uint64_t noise_state;

// From -1 to 1.
static double random_sign(void)
{
    noise_state ^= noise_state << 13, noise_state ^= noise_state >> 7;
    noise_state ^= noise_state << 17;
    return (double)(noise_state >> 11) / 4503599627370496.0 - 1;
}

// From -1 to 1, the same for the same state and inputs.
static double mix_sign(const test_instance *at, const test_part *part, int i_output)
{
    uint64_t sum = NOISE_SEED + (uint64_t)i_output;
    for (int j = 0; j < part->n + part->n_inputs; j++) {
        uint64_t bits;
        memcpy(&bits, j < part->n ? &at->state[j] : &at->real[j - part->n], sizeof bits);
        sum = (sum ^ bits) * 0x9e3779b97f4a7c15ULL;
        sum ^= sum >> 29;
    }
    sum *= 0xbf58476d1ce4e5b9ULL;
    return (double)((sum ^ sum >> 32) >> 11) / 4503599627370496.0 - 1;
}

static double add_noise(const test_instance *at, const test_part *part, int i_output, double y)
{
    double magnitude = 1, noise = part->noise;
    for (int j = 0; j < part->n; j++) magnitude = fmax(magnitude, fabs(part->x0[j]));
    if (!(noise > 0)) return y;
    switch (part->noise_kind) {
    case TEST_NOISE_OF_STATE: return y * (1 + noise * mix_sign(at, part, i_output));
    case TEST_NOISE_ABSOLUTE: return y + magnitude * noise * random_sign();
    case TEST_NOISE_ROUNDED: return 2 * noise * magnitude * nearbyint(y / (2 * noise * magnitude));
    default: return y * (1 + noise * random_sign());
    }
}

static void output_part(test_instance *at)
{
    const test_part *part = part_of(at);
    init_part(at);
    for (int i = 0; i < part->n_outputs; i++) {
        double y = part->high != 0 ? at->state[0] : 0;
        for (int j = 0; j < part->n; j++) y += part->c[i][j] * at->state[j];
        for (int j = 0; j < part->n_inputs; j++) y += part->d[i][j] * at->real[j];
        at->real[part->n_inputs + i] = add_noise(at, part, i, y);
    }
}

// ---- derivatives of outputs ------------------------------------------------------------------------

static const char *quality; // of derivatives

// dy/dt = C dx/dt; what inputs do directly is left out, so that it is wrong where they do something.
static double slope_of(test_instance *at, int output)
{
    const test_part *part = part_of(at);
    double dx[8] = {0}, slope = 0;
    int i = output - part->n_inputs;
    if (part->derivatives) evaluate(at, part, at->time, at->state, dx);
    for (int j = 0; j < part->n && !part->derivatives; j++) {
        for (int k = 0; k < part->n; k++) dx[j] += part->a[j][k] * at->state[k];
        for (int k = 0; k < part->n_inputs; k++) dx[j] += part->b[j][k] * at->real[k];
    }
    for (int j = 0; j < part->n; j++) slope += part->c[i][j] * dx[j];
    return slope;
}

static double tell_slope(test_instance *at, int output)
{
    double slope = slope_of(at, output), before = at->state[TEST_N_STATES - 2];
    at->state[TEST_N_STATES - 2] = slope;
    if (strcmp(quality, "zero") == 0) return 0;
    if (strcmp(quality, "late") == 0) return before;
    if (strcmp(quality, "negative") == 0) return -slope;
    return strcmp(quality, "random") == 0 ? slope * 3 * random_sign() : slope;
}

static void let_derive(test_model *model, const char *how)
{
    quality = how;
    model->slope = tell_slope;
    model->can.max_output_derivative_order = 1;
    if (strcmp(how, "refused") == 0) model->fault = TEST_FAILS_TO_DERIVE;
    if (strcmp(how, "nan") == 0) model->fault = TEST_DERIVES_NAN;
}

// ---- running ---------------------------------------------------------------------------------------

// A list of words that is written into a room of a known size.
typedef struct words {
    char *text;
    size_t size, length;
} words;

static void add_word(words *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_word(words *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(to->text + to->length, to->size - to->length, format, arguments);
    va_end(arguments);
    assert_true(n >= 0 && (size_t)n < to->size - to->length);
    to->length += (size_t)n;
}

static void lay_out_part(test_problem *problem, int p)
{
    static const char *const inputs[] = {"u0", "u1", "u2"}, *const outputs[] = {"y0", "y1", "y2"};
    static const char *const names[] = {"P0", "P1", "P2", "P3", "P4", "P5"};
    test_part *part = &problem->parts[p];
    memset(part->variables, 0, sizeof part->variables);
    for (int j = 0; j < part->n_inputs; j++)
        part->variables[j] = (test_variable){inputs[j], TAKT_INPUT, .start = "0"};
    for (int i = 0; i < part->n_outputs; i++) {
        words depends = {part->texts[i], sizeof part->texts[i], 0};
        add_word(&depends, "%s", "");
        for (int j = 0; j < part->n_inputs; j++)
            if (part->d[i][j] != 0) add_word(&depends, "%s ", inputs[j]);
        part->variables[part->n_inputs + i] = (test_variable){
            outputs[i], TAKT_OUTPUT, .depends = part->texts[i], .is_discrete = part->is_discrete};
    }
    problem->models[p] = (test_model){names[p],
                                      part->variables,
                                      .init = init_part,
                                      .output = output_part,
                                      .step = step_part,
                                      .can = {.rewind = !problem->cannot_rewind,
                                              .variable_step = true,
                                              .interpolate_inputs = !problem->is_held[p]},
                                      .context = part};
    if (problem->derives) let_derive(&problem->models[p], problem->derives);
    if (!problem->watch || problem->watched != p) return;
    *problem->unwatched = step_part;
    problem->models[p].step = problem->watch;
}

static void describe(const test_problem *problem, words *components, words *connections)
{
    int owner[TEST_MOST], output[TEST_MOST], n = 0;
    for (int p = 0; p < problem->n_parts; p++)
        for (int i = 0; i < problem->parts[p].n_outputs; i++) owner[n] = p, output[n++] = i;
    for (int p = 0; p < problem->n_parts; p++) {
        add_word(components, "p%d:P%d ", p, p);
        for (int j = 0; j < problem->parts[p].n_inputs; j++) {
            int source = problem->parts[p].sources[j];
            add_word(connections, "p%d.y%d>p%d.u%d ", owner[source], output[source], p, j);
        }
    }
}

// The column of output i, counted over all parts.
static int find_column(const test_problem *problem, const test_coupling *c, int i)
{
    char name[30];
    int p = 0, column = 0;
    while (i >= problem->parts[p].n_outputs) i -= problem->parts[p++].n_outputs;
    snprintf(name, sizeof name, "p%d.y%d", p, i);
    while (strcmp(takt_run_column(c->run, column), name) != 0) column++;
    return column;
}

static void compare(const test_problem *problem, const test_coupling *c, test_measured *out)
{
    static test_solution s;
    double largest[TEST_MOST] = {0}, errors[TEST_MOST] = {0}, last[TEST_MOST] = {0}, y[TEST_MOST];
    test_solution_begin(&s, problem);
    // A switch has values of its own, which are late by the time in which it is located.
    int n = problem->is_switching ? 1 : s.n_outputs, columns[TEST_MOST];
    for (int i = 0; i < s.n_outputs; i++) columns[i] = find_column(problem, c, i);
    for (int r = 0; r < c->n_rows; r++) {
        test_solution_go(&s, c->time[r]);
        test_solution_read(&s, y);
        for (int i = 0; i < n; i++) {
            last[i] = fabs(c->value[r][columns[i]] - y[i]);
            errors[i] = fmax(errors[i], last[i]);
            largest[i] = fmax(largest[i], fabs(y[i]));
        }
        if (problem->is_switching && r > 0)
            out->n_switchings += c->value[r][columns[1]] != c->value[r - 1][columns[1]];
    }
    out->n_expected = s.n_switchings;
    for (int i = 0; i < n; i++) {
        out->error = fmax(out->error, errors[i] / largest[i]);
        out->end_error = fmax(out->end_error, last[i] / largest[i]);
    }
}

static void count(const test_problem *problem, const test_coupling *c, test_measured *out)
{
    takt_statistics statistics = {.size = sizeof statistics};
    takt_run_statistics(c->run, &statistics, NULL);
    out->steps = statistics.steps;
    out->rejected = statistics.rejected;
    out->all_calls = statistics.do_step_total;
    for (int p = 0; p < problem->n_parts; p++) out->calls_of[p] = problem->models[p].counts.step;
    for (int p = 0; p < problem->n_parts; p++)
        if (problem->models[p].counts.step > out->calls)
            out->calls = problem->models[p].counts.step;
    for (int i = 0; i < TAKT_N_DOUBTS; i++) out->n_doubts += c->run->counts.doubts[i].n;
    const takt_doubt_count *noisy = &c->run->counts.doubts[TAKT_DOUBT_NOISY];
    if (noisy->n > 0) snprintf(out->noisy, sizeof out->noisy, "%s", noisy->loop);
}

// Its course depends on the order of calls.
static bool is_noisy(const test_problem *problem)
{
    bool is = problem->derives != NULL; // some of these are random, too
    for (int p = 0; p < problem->n_parts; p++) is |= problem->parts[p].noise > 0;
    return is;
}

test_measured test_problem_run(test_problem *problem, const char *settings)
{
    static test_coupling c;
    char components[200], connections[1000], all[500];
    words to_components = {components, sizeof components, 0};
    words to_connections = {connections, sizeof connections, 0}, to_all = {all, sizeof all, 0};
    test_measured out = {0};
    for (int p = 0; p < problem->n_parts; p++) lay_out_part(problem, p);
    problem->models[problem->n_parts] = (test_model){0};
    describe(problem, &to_components, &to_connections);
    add_word(&to_all, "stop-time=%.17g %s%s", problem->stop, settings,
             is_noisy(problem) ? " jobs=1" : "");
    noise_state = NOISE_SEED;
    test_couple(&c, problem->models, components, connections, all);
    test_try_run_all(&c);
    out.status = c.status;
    if (c.status) snprintf(out.message, sizeof out.message, "%s", c.err.message);
    count(problem, &c, &out);
    if (!c.status) compare(problem, &c, &out);
    test_uncouple(&c);
    return out;
}
