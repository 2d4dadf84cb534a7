// SPDX-License-Identifier: MIT
// Jacobians of equations; see jacobian.h. Columns without a common row are found together (num/colouring.h), by the
// instance's directional derivatives where it has them, else by difference quotients.
#include "me/jacobian.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "num/colouring.h"

// Where a state is smaller than this fraction of its nominal value, differences are taken from the latter.
static const double LEAST_FRACTION = 1e-3;

struct takt_me_jacobian {
    int n;
    bool is_given; // by the instance
    takt_pattern pattern;
    int *colours; // per column
    int n_colours;
    takt_access derivatives, states; // for directional derivatives
    double *x, *dx, *step; // work space: n each
};

// ---- structure -----------------------------------------------------------------------------------

typedef struct maker {
    const takt_model *model;
    const takt_me_structure *me;
    int *state_of; // per variable: the index of the state; -1: it is none
    int *mark; // per state: the last list it was put into
    int n_lists;
} maker;

static bool init_maker(maker *m, takt_arena *arena, const takt_model *model,
                       const takt_me_structure *me)
{
    *m = (maker){.model = model, .me = me};
    m->state_of = takt_arena_array(arena, (size_t)model->n_variables, sizeof *m->state_of);
    m->mark = takt_arena_array(arena, (size_t)me->n_states, sizeof *m->mark);
    if (!m->state_of || !m->mark) return false;
    for (int i = 0; i < model->n_variables; i++) m->state_of[i] = -1;
    for (int i = 0; i < me->n_states; i++) m->state_of[me->states[i]] = i;
    return true;
}

// Each state is one variable, and no two are the same.
static bool is_complete(const takt_me_structure *me, const takt_model *model)
{
    if (me->n_states == 0 || !me->states || !me->derivatives) return false;
    for (int i = 0; i < me->n_states; i++)
        if (me->states[i] < 0 || model->variables[me->states[i]].type != TAKT_FLOAT64 ||
            model->variables[me->derivatives[i].variable].type != TAKT_FLOAT64)
            return false;
    return true;
}

// Is all known about what a derivative depends on? A variable that is neither a state nor given from outside
// may be another name of a state.
static bool is_row_known(const maker *m, const takt_dependency *derivative)
{
    bool is_known = derivative->is_known;
    for (int k = 0; k < derivative->n_known && is_known; k++) {
        int variable = derivative->known[k];
        takt_causality causality = m->model->variables[variable].causality;
        is_known =
            m->state_of[variable] >= 0 || (causality != TAKT_OUTPUT && causality != TAKT_LOCAL);
    }
    return is_known;
}

// Lists the columns of a row, each once, if `columns` is given; returns their number.
static int list_row(maker *m, int row, int *columns)
{
    const takt_dependency *derivative = &m->me->derivatives[row];
    int n = 0;
    if (!is_row_known(m, derivative)) {
        for (; n < m->me->n_states; n++)
            if (columns) columns[n] = n;
        return n;
    }
    m->n_lists++;
    for (int k = 0; k < derivative->n_known; k++) {
        int column = m->state_of[derivative->known[k]];
        if (column < 0 || m->mark[column] == m->n_lists) continue;
        m->mark[column] = m->n_lists;
        if (columns) columns[n] = column;
        n++;
    }
    return n;
}

static bool make_pattern(takt_arena *arena, const takt_model *model, const takt_me_structure *me,
                         takt_pattern *out)
{
    maker m;
    int *first = takt_arena_array(arena, (size_t)me->n_states + 1, sizeof *first);
    if (!first || !init_maker(&m, arena, model, me)) return false;
    for (int i = 0; i < me->n_states; i++) first[i + 1] = first[i] + list_row(&m, i, NULL);
    int *columns = takt_arena_array(arena, (size_t)first[me->n_states], sizeof *columns);
    if (!columns) return false;
    for (int i = 0; i < me->n_states; i++) list_row(&m, i, columns + first[i]);
    *out = (takt_pattern){me->n_states, me->n_states, first, columns};
    return true;
}

static bool make_accesses(takt_arena *arena, const takt_model *model, const takt_me_structure *me,
                          takt_me_jacobian *j)
{
    int *derivatives = takt_arena_array(arena, (size_t)j->n, sizeof *derivatives);
    if (!derivatives) return false;
    for (int i = 0; i < j->n; i++) derivatives[i] = me->derivatives[i].variable;
    return takt_access_create(arena, model, derivatives, j->n, &j->derivatives, NULL) &&
           takt_access_create(arena, model, me->states, j->n, &j->states, NULL);
}

// One without a pattern; NULL: out of memory.
static takt_me_jacobian *allocate(takt_arena *arena, int n_states)
{
    size_t n = (size_t)n_states;
    takt_me_jacobian *j = takt_arena_array(arena, 1, sizeof *j);
    double *work = takt_arena_array(arena, 3 * n, sizeof *work);
    int *colours = takt_arena_array(arena, n, sizeof *colours);
    if (!j || !work || !colours) return NULL;
    *j = (takt_me_jacobian){
        .n = n_states, .colours = colours, .x = work, .dx = work + n, .step = work + 2 * n};
    return j;
}

takt_status takt_me_jacobian_prepare(takt_me *me, const takt_me_structure *described,
                                     takt_error *err)
{
    const takt_model *model = me->instance->model;
    // The number of entries must fit an int.
    if (!is_complete(described, model) || described->n_states > 30000) return TAKT_OK;
    takt_arena *arena = &me->arena;
    takt_me_jacobian *j = allocate(arena, described->n_states);
    if (!j) return takt_fail_memory(err);
    j->is_given = described->has_directional_derivatives && me->instance->type->differentiate;
    if (!make_pattern(arena, model, described, &j->pattern)) return takt_fail_memory(err);
    if (j->is_given && !make_accesses(arena, model, described, j)) return takt_fail_memory(err);
    j->n_colours = takt_colour_columns(&j->pattern, j->colours);
    if (j->n_colours < 0) return takt_fail_memory(err);
    if (j->is_given || j->n_colours < j->n) me->jacobian = j;
    return TAKT_OK;
}

takt_status takt_me_jacobian_create(takt_me *me, const takt_pattern *pattern, takt_error *err)
{
    takt_me_jacobian *j = allocate(&me->arena, pattern->n_columns);
    if (!j) return takt_fail_memory(err);
    j->pattern = *pattern;
    j->n_colours = takt_colour_columns(&j->pattern, j->colours);
    if (j->n_colours < 0) return takt_fail_memory(err);
    me->jacobian = j;
    return TAKT_OK;
}

// ---- values --------------------------------------------------------------------------------------

// Takes the entries of the columns of one colour out of the sum of these columns.
static void take_columns(const takt_me_jacobian *j, int colour, const double *sum, double *matrix)
{
    const takt_pattern *p = &j->pattern;
    for (int i = 0; i < j->n; i++)
        for (int k = p->first[i]; k < p->first[i + 1]; k++) {
            int column = p->columns[k];
            if (j->colours[column] == colour)
                matrix[(size_t)column * (size_t)j->n + (size_t)i] = sum[i] / j->step[column];
        }
}

static takt_status take_given(takt_me_jacobian *j, takt_me *me, int colour, double *matrix,
                              takt_error *err)
{
    for (int i = 0; i < j->n; i++) {
        j->x[i] = j->colours[i] == colour;
        j->step[i] = 1;
    }
    me->n_directional++;
    takt_status st = me->instance->type->differentiate(me->instance, &j->derivatives, &j->states,
                                                       j->x, j->dx, err);
    if (!st) take_columns(j, colour, j->dx, matrix);
    return st;
}

// Evaluates near the point, above or below it by `sign`.
static takt_status try_near(takt_me_jacobian *j, takt_me *me, const takt_me_point *point,
                            int colour, double sign, takt_ode_answer *answer, takt_error *err)
{
    for (int i = 0; i < j->n; i++) {
        double size = fmax(fabs(point->x[i]), LEAST_FRACTION * fabs(me->nominal[i]));
        double step = sign * sqrt(DBL_EPSILON) * (size > 0 ? size : 1);
        j->x[i] = j->colours[i] == colour ? point->x[i] + step : point->x[i];
        j->step[i] = j->x[i] - point->x[i]; // without the rounding error of the sum
    }
    *answer = TAKT_ODE_FINE;
    return takt_me_derivatives(me, point->t, j->x, j->dx, answer, err);
}

static takt_status take_differences(takt_me_jacobian *j, takt_me *me, const takt_me_point *point,
                                    int colour, double *matrix, takt_ode_answer *answer,
                                    takt_error *err)
{
    takt_status st = try_near(j, me, point, colour, 1, answer, err);
    if (!st && *answer != TAKT_ODE_FINE) st = try_near(j, me, point, colour, -1, answer, err);
    if (st || *answer != TAKT_ODE_FINE) return st;
    for (int i = 0; i < j->n; i++) j->dx[i] -= point->dx[i];
    take_columns(j, colour, j->dx, matrix);
    return TAKT_OK;
}

takt_status takt_me_jacobian_fill(takt_me_jacobian *j, takt_me *me, const takt_me_point *point,
                                  double *matrix, takt_ode_answer *answer, takt_error *err)
{
    memset(matrix, 0, (size_t)j->n * (size_t)j->n * sizeof *matrix);
    takt_status st = TAKT_OK;
    for (int c = 0; c < j->n_colours && !st && *answer == TAKT_ODE_FINE; c++)
        st = j->is_given ? take_given(j, me, c, matrix, err)
                         : take_differences(j, me, point, c, matrix, answer, err);
    return st;
}
