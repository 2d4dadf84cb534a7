// SPDX-License-Identifier: MIT
// Nets of members that saturate and hide states; see nets.h.
#include "support/nets.h"

#include <math.h>
#include <string.h>

static const double STOP = 10; // s
static const double MOST_CONDITION = 3;

// ---- members -----------------------------------------------------------------------------------------

static double value_of(const test_curve *f, double v)
{
    double within = fmax(-f->size, fmin(v, f->size));
    switch (f->bend) {
    case TEST_BEND_TANH: return f->size * tanh(f->gain * v / f->size);
    case TEST_BEND_CLIP: return fmax(-f->size, fmin(f->gain * v, f->size));
    case TEST_BEND_DEAD: return f->gain * (v - within);
    default: return f->gain * v;
    }
}

static double drive_of(const test_member *at, double t, const double *u)
{
    double v = at->source + at->swing * sin(at->frequency * t + at->phase);
    for (int k = 0; k < at->n_inputs; k++) v += at->gain[k] * u[k];
    return v;
}

static void slopes_of(const test_member *at, double t, const double *u, const double *x, double *dx)
{
    double v = drive_of(at, t, u);
    for (int k = 0; k < at->n_states; k++) {
        double f = value_of(&at->stages[k], v), T = at->time[k];
        dx[k] = at->is_integrator[k] ? f - x[k] / T : (f - x[k]) / T;
        v = x[k];
    }
}

static double output_of(const test_member *at, double t, const double *u, const double *x)
{
    double y = value_of(&at->out, x[at->n_states - 1]);
    return at->through != 0 ? y + at->through * value_of(&at->stages[0], drive_of(at, t, u)) : y;
}

// ---- integration -------------------------------------------------------------------------------------

enum { MOST_STATES = TEST_MOST_MEMBERS * TEST_MEMBER_STATES, MOST_TRIES = 200000 };

typedef void slopes_fn(void *context, double t, const double *x, double *dx);

// Dormand and Prince, "A family of embedded Runge-Kutta formulae" (1980): order 5, with an error estimate. One step; dx has
// the slopes at its beginning, next_dx receives those at its end. Returns the largest error.
static double step_once(slopes_fn *slopes, void *context, int n, double t, double h,
                        const double *x, const double *dx, double *next, double *next_dx)
{
    static const double c[7] = {0, 0.2, 0.3, 0.8, 8.0 / 9, 1, 1};
    static const double a[7][6] = {
        {0},
        {1.0 / 5},
        {3.0 / 40, 9.0 / 40},
        {44.0 / 45, -56.0 / 15, 32.0 / 9},
        {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
        {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
        {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
    static const double e[7] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
    double k[7][MOST_STATES], error = 0;
    memcpy(k[0], dx, (size_t)n * sizeof *dx);
    for (int s = 1; s < 7; s++) {
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int j = 0; j < s; j++) sum += a[s][j] * k[j][i];
            next[i] = x[i] + h * sum;
        }
        slopes(context, t + c[s] * h, next, k[s]);
    }
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int s = 0; s < 7; s++) sum += e[s] * k[s][i];
        error = fmax(error, fabs(h * sum) / fmax(0.1, fabs(x[i])));
    }
    memcpy(next_dx, k[6], (size_t)n * sizeof *next_dx);
    return error;
}

// From t to `end`, to a tolerance per step. *h is the size of steps. False if that is too dear.
static bool integrate(slopes_fn *slopes, void *context, int n, double t, double end, double *h,
                      double *x, double tolerance)
{
    double next[MOST_STATES], dx[MOST_STATES], next_dx[MOST_STATES];
    slopes(context, t, x, dx);
    for (int tries = 0; t < end && tries < MOST_TRIES; tries++) {
        bool is_last = t + *h >= end * (1 - 1e-15);
        double now = is_last ? end - t : *h;
        double error = step_once(slopes, context, n, t, now, x, dx, next, next_dx);
        double factor = fmax(0.2, fmin(5, 0.9 * pow(error / tolerance + 1e-9, -0.2)));
        bool is_good = error <= tolerance || now < 1e-9;
        if (is_good) {
            t = is_last ? end : t + now;
            memcpy(x, next, (size_t)n * sizeof *x);
            memcpy(dx, next_dx, (size_t)n * sizeof *dx);
        }
        if (!is_last || !is_good) *h = now * factor;
    }
    return t >= end;
}

// ---- the net as a whole --------------------------------------------------------------------------------

typedef struct whole {
    const test_net *net;
    double off; // by which outputs are changed, in units of their scale
    double phase; // of these changes
    double x[MOST_STATES], t, h;
    int n;
    bool is_too_dear;
} whole;

static void outputs_of(const whole *at, double t, const double *x, double *y)
{
    int first = 0;
    for (int i = 0; i < at->net->n; i++) {
        const test_member *member = &at->net->all[i];
        double u[TEST_MEMBER_INPUTS] = {0};
        for (int k = 0; k < member->n_inputs; k++) // with feedthrough: of members before
            if (member->from[k] < i) u[k] = y[member->from[k]];
        y[i] = output_of(member, t, u, x + first);
        if (at->off != 0) y[i] += at->off * at->net->scale[i] * sin(3 * t + 2 * i + at->phase);
        first += member->n_states;
    }
}

static void whole_slopes(void *context, double t, const double *x, double *dx)
{
    const whole *at = context;
    double y[TEST_MOST_MEMBERS];
    int first = 0;
    outputs_of(at, t, x, y);
    for (int i = 0; i < at->net->n; i++) {
        const test_member *member = &at->net->all[i];
        double u[TEST_MEMBER_INPUTS];
        for (int k = 0; k < member->n_inputs; k++) u[k] = y[member->from[k]];
        slopes_of(member, t, u, x + first, dx + first);
        first += member->n_states;
    }
}

static void begin_whole(whole *at, const test_net *net, double off)
{
    *at = (whole){.net = net, .off = off, .h = 1e-3};
    for (int i = 0; i < net->n; i++)
        for (int k = 0; k < net->all[i].n_states; k++) at->x[at->n++] = net->all[i].x0[k];
}

static void go_whole(whole *at, double t, double *y, double tolerance)
{
    at->is_too_dear |= !integrate(whole_slopes, at, at->n, at->t, t, &at->h, at->x, tolerance);
    at->t = t;
    outputs_of(at, t, at->x, y);
}

// ---- drawing -----------------------------------------------------------------------------------------

static double draw(test_net *net)
{
    net->chance += 0x9e3779b97f4a7c15ULL;
    uint64_t z = net->chance;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

static double between(test_net *net, double a, double b)
{
    return a + (b - a) * draw(net);
}

// Evenly over the decades.
static double decades(test_net *net, double a, double b)
{
    return a * pow(b / a, draw(net));
}

static test_curve draw_curve(test_net *net, double share_bent)
{
    test_curve out = {.bend = TEST_BEND_NONE};
    if (draw(net) < share_bent) out.bend = (test_bend)(1 + (int)(3 * draw(net)));
    out.gain = out.bend == TEST_BEND_NONE ? decades(net, 0.3, 3) : decades(net, 0.1, 100);
    if (out.bend == TEST_BEND_DEAD) out.gain = decades(net, 0.3, 3);
    out.size = decades(net, 0.05, 2);
    return out;
}

static void draw_member(test_net *net, int i)
{
    test_member *at = &net->all[i];
    *at = (test_member){.n_inputs = 1 + (net->n > 2 && draw(net) < 0.4)};
    at->n_states = 1 + (int)(3 * draw(net));
    at->through = draw(net) < 0.1 && i > 0 ? between(net, -1, 1) : 0;
    for (int k = 0; k < at->n_inputs; k++) {
        int n_others = at->through != 0 ? i : net->n - 1, other = (int)(n_others * draw(net));
        at->from[k] = at->through == 0 && other >= i ? other + 1 : other;
        at->gain[k] = decades(net, 0.3, 3) * (draw(net) < 0.5 ? -1 : 1);
    }
    at->source = between(net, -1, 1);
    at->swing = draw(net) < 0.7 ? decades(net, 0.1, 3) : 0;
    at->frequency = decades(net, 0.3, 10);
    at->phase = between(net, 0, 6);
    for (int k = 0; k < at->n_states; k++) {
        at->stages[k] = draw_curve(net, 0.6);
        at->is_integrator[k] = draw(net) < 0.25;
        at->time[k] = at->is_integrator[k] ? decades(net, 1, 10) : decades(net, 0.01, 3);
        at->x0[k] = draw(net) < 0.5 ? 0 : between(net, -1, 1);
    }
    at->out = draw_curve(net, 0.5);
}

// Goes on by a step as the solver makes them, and not beyond the end.
static void go_on(whole *at, double *y)
{
    double h = fmin(fmax(at->h, 1e-5), 0.02);
    go_whole(at, fmin(at->t + h, STOP), y, 1e-7);
}

// The largest magnitudes. False if the net is of no use.
static bool find_scales(test_net *net)
{
    whole right;
    double y[TEST_MOST_MEMBERS];
    for (int i = 0; i < net->n; i++) net->scale[i] = 0.01;
    begin_whole(&right, net, 0);
    while (right.t < STOP && !right.is_too_dear) {
        go_on(&right, y);
        for (int i = 0; i < net->n; i++) net->scale[i] = fmax(net->scale[i], fabs(y[i]));
    }
    for (int i = 0; i < net->n; i++)
        if (!(net->scale[i] < 1e3)) return false;
    return !right.is_too_dear;
}

// What becomes of errors of the inputs: the net is integrated with such errors, and without.
static double find_condition(const test_net *net)
{
    const double off = 1e-5;
    whole right, others[2];
    double y[TEST_MOST_MEMBERS], z[TEST_MOST_MEMBERS], largest = 0;
    begin_whole(&right, net, 0);
    for (int k = 0; k < 2; k++) begin_whole(&others[k], net, k ? off : -off);
    while (right.t < STOP && largest <= MOST_CONDITION * off) {
        go_on(&right, y);
        for (int k = 0; k < 2; k++) {
            go_whole(&others[k], right.t, z, 1e-7);
            for (int i = 0; i < net->n; i++)
                largest = fmax(largest, fabs(z[i] - y[i]) / net->scale[i]);
            if (others[k].is_too_dear) return INFINITY;
        }
    }
    return largest / off;
}

void test_net_make(test_net *net, int number)
{
    *net = (test_net){.number = number, .chance = (uint64_t)number * 1000003u + 77};
    do {
        net->n = 2 + (int)(4 * draw(net));
        for (int i = 0; i < net->n; i++) draw_member(net, i);
        net->condition = find_scales(net) ? find_condition(net) : INFINITY;
    } while (net->condition > MOST_CONDITION);
}

// ---- instances ---------------------------------------------------------------------------------------

typedef struct place {
    test_instance *at;
    const test_member *member;
} place;

static void member_slopes(void *context, double t, const double *x, double *dx)
{
    const place *own = context;
    double u[TEST_MEMBER_INPUTS];
    for (int k = 0; k < own->member->n_inputs; k++) u[k] = test_input_at(own->at, k, t);
    slopes_of(own->member, t, u, x, dx);
}

static void step_member(test_instance *at, double t, double h)
{
    place own = {at, at->model->context};
    double size = h;
    integrate(member_slopes, &own, own.member->n_states, t, t + h, &size, at->state, 1e-12);
}

static void init_member(test_instance *at)
{
    const test_member *member = at->model->context;
    if (at->state[TEST_N_STATES - 1] != 0) return;
    memcpy(at->state, member->x0, sizeof member->x0);
    at->state[TEST_N_STATES - 1] = 1;
}

static void show_member(test_instance *at)
{
    const test_member *member = at->model->context;
    init_member(at);
    at->real[TEST_MEMBER_INPUTS] = output_of(member, at->time, at->real, at->state);
}

// ---- running -----------------------------------------------------------------------------------------

static void make_models(test_net *net, char mode, test_model *models)
{
    static const char *const names[] = {"M0", "M1", "M2", "M3", "M4"};
    static const test_variable without[] = {{"u0", TAKT_INPUT, .start = "0"},
                                            {"u1", TAKT_INPUT, .start = "0"},
                                            {"y", TAKT_OUTPUT, .depends = ""},
                                            {0}};
    static const test_variable with[] = {{"u0", TAKT_INPUT, .start = "0"},
                                         {"u1", TAKT_INPUT, .start = "0"},
                                         {"y", TAKT_OUTPUT, .depends = "u0 u1"},
                                         {0}};
    for (int i = 0; i < net->n; i++)
        models[i] =
            (test_model){names[i],
                         net->all[i].through != 0 ? with : without,
                         .init = init_member,
                         .output = show_member,
                         .step = step_member,
                         .can = {.rewind = true,
                                 .variable_step = true,
                                 .interpolate_inputs = mode == 'a' || (mode == 'm' && i % 2 == 0)},
                         .context = &net->all[i]};
    models[net->n] = (test_model){0};
}

// A steep bend behind hidden states makes much of small errors, for a moment: there the solution with errors of one tolerance
// in all that members read says what can be expected.
enum { N_SHAKEN = 4 };

typedef struct shaken {
    whole all[N_SHAKEN];
    double largest[TEST_MOST_MEMBERS]; // differences
} shaken;

static void begin_shaken(shaken *at, const test_net *net, double tolerance)
{
    for (int k = 0; k < N_SHAKEN; k++) {
        begin_whole(&at->all[k], net, k % 2 ? tolerance : -tolerance);
        at->all[k].phase = k / 2 * 1.5;
    }
}

static void go_shaken(shaken *at, double t, const double *right, double tolerance)
{
    double y[TEST_MOST_MEMBERS];
    int n = at->all[0].net->n;
    memset(at->largest, 0, sizeof at->largest);
    for (int k = 0; k < N_SHAKEN; k++) {
        go_whole(&at->all[k], t, y, 1e-3 * tolerance);
        for (int i = 0; i < n; i++) at->largest[i] = fmax(at->largest[i], fabs(y[i] - right[i]));
    }
}

static void compare(const test_net *net, const test_coupling *c, double tolerance,
                    test_net_outcome *out)
{
    whole right;
    shaken others;
    double y[TEST_MOST_MEMBERS];
    begin_whole(&right, net, 0);
    begin_shaken(&others, net, tolerance);
    for (int row = 0; row < c->n_rows; row++) {
        go_whole(&right, c->time[row], y, 1e-12);
        go_shaken(&others, c->time[row], y, tolerance);
        for (int i = 0; i < net->n; i++) {
            char name[16];
            snprintf(name, sizeof name, "m%d.y", i);
            double unit = fmax(tolerance * net->scale[i], others.largest[i] / MOST_CONDITION);
            double e = fabs(test_value(c, name, row) - y[i]) / unit;
            if (e <= out->error) continue;
            *out = (test_net_outcome){.error = e, .i_member = i, .t = c->time[row]};
        }
    }
    assert_false(right.is_too_dear);
}

test_net_outcome test_net_run(test_net *net, char mode, double tolerance, const char *settings)
{
    static test_coupling c;
    test_model models[TEST_MOST_MEMBERS + 1];
    test_net_outcome out = {0};
    char components[100] = "", connections[300] = "", all[300];
    make_models(net, mode, models);
    for (int i = 0; i < net->n; i++) {
        size_t length = strlen(components);
        snprintf(components + length, sizeof components - length, "m%d:M%d ", i, i);
        for (int k = 0; k < net->all[i].n_inputs; k++) {
            length = strlen(connections);
            snprintf(connections + length, sizeof connections - length, "m%d.y>m%d.u%d ",
                     net->all[i].from[k], i, k);
        }
    }
    snprintf(all, sizeof all, "stop-time=%g tolerance=%g output-interval=0 %s", STOP, tolerance,
             settings);
    test_couple(&c, models, components, connections, all);
    test_try_run_all(&c);
    if (!c.status) compare(net, &c, tolerance, &out);
    out.failure = c.err;
    out.n_steps = c.n_rows - 1;
    out.is_silent = !c.status;
    for (int i = 0; i < TAKT_N_DOUBTS; i++) out.is_silent &= c.run->counts.doubts[i].n == 0;
    for (int i = 0; i < net->n; i++)
        if (models[i].counts.step > out.calls) out.calls = models[i].counts.step;
    test_uncouple(&c);
    return out;
}

// ---- words -------------------------------------------------------------------------------------------

static void describe_curve(const test_curve *f, FILE *to)
{
    static const char *const names[TEST_N_BENDS] = {"line", "tanh", "clip", "dead"};
    fprintf(to, "%s(%.3g, at %.3g)", names[f->bend], f->gain, f->size);
}

void test_net_describe(const test_net *net, FILE *to)
{
    fprintf(to, "%d: %d members, condition %.3g\n", net->number, net->n, net->condition);
    for (int i = 0; i < net->n; i++) {
        const test_member *at = &net->all[i];
        fprintf(to, "  m%d (%.3g): %.3g + %.3g sin(%.3g t + %.3g)", i, net->scale[i], at->source,
                at->swing, at->frequency, at->phase);
        for (int k = 0; k < at->n_inputs; k++) fprintf(to, " + %.3g m%d", at->gain[k], at->from[k]);
        for (int k = 0; k < at->n_states; k++) {
            fprintf(to, " -> ");
            describe_curve(&at->stages[k], to);
            fprintf(to, " %s %.3g s", at->is_integrator[k] ? "integrated" : "lag", at->time[k]);
        }
        fprintf(to, " -> ");
        describe_curve(&at->out, to);
        fprintf(to, "%s\n", at->through != 0 ? ", with feedthrough" : "");
    }
}
