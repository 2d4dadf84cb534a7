// SPDX-License-Identifier: MIT
// Exchanges around a step; see exchange.h and takt_instance_type::advance.
#include "instance/exchange.h"

static bool is_direct(const takt_access *access)
{
    const takt_access_group *group = &access->groups[0];
    return access->n_groups == 0 ||
           (access->n_groups == 1 && group->type == TAKT_FLOAT64 && group->is_whole);
}

static takt_direct direct(const takt_access *access, takt_values *values)
{
    if (access->n_groups == 0) return (takt_direct){0};
    const takt_access_group *group = &access->groups[0];
    return (takt_direct){group->refs, (size_t)group->n_refs, values->real + group->first,
                         (size_t)group->n_values};
}

void takt_exchange_prepare(takt_exchange *exchange)
{
    exchange->is_direct = is_direct(exchange->inputs) && is_direct(exchange->outputs);
    if (!exchange->is_direct) return;
    exchange->in = direct(exchange->inputs, exchange->input_values);
    exchange->out = direct(exchange->outputs, exchange->output_values);
    bool is_straight = exchange->is_private && exchange->n_sources > 0;
    for (int i = 1; i < exchange->n_sources; i++)
        is_straight &= exchange->sources[i] == exchange->sources[0] + i;
    exchange->straight = is_straight ? exchange->y + exchange->sources[0] : NULL;
}

static takt_status advance(const takt_exchange *exchange, const takt_step *step,
                           takt_step_result *result, takt_error *err)
{
    takt_instance *instance = exchange->instance;
    const takt_instance_type *type = instance->type;
    takt_status st = TAKT_OK;
    result->part = TAKT_PART_SET;
    if (exchange->gathers) takt_exchange_gather(exchange);
    if (exchange->inputs->n_groups)
        st = type->set(instance, exchange->inputs, exchange->input_values, err);
    if (st) return st;
    st = type->step(instance, step->t, step->h, step->is_final, result, err);
    result->part = TAKT_PART_STEP;
    if (st || result->end != TAKT_STEP_DONE || exchange->outputs->n_groups == 0) return st;
    result->part = TAKT_PART_GET;
    return type->get(instance, exchange->outputs, exchange->output_values, err);
}

takt_status takt_instance_advance(takt_exchange *const *exchanges, int n, const takt_step *step,
                                  int *n_done, takt_step_result *result, takt_error *err)
{
    for (int i = 0; i < n; i++) {
        takt_exchange *exchange = exchanges[i];
        const double *real = exchange->output_values->real;
        takt_status st = advance(exchange, step, result, err);
        *n_done = i;
        if (st || result->end != TAKT_STEP_DONE || result->has_event ||
            !takt_are_finite(real, (size_t)exchange->outputs->n_values[TAKT_KIND_REAL]))
            return st;
        exchange->n_advances++;
    }
    *n_done = n;
    return TAKT_OK;
}
