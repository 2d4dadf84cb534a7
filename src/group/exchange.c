// SPDX-License-Identifier: MIT
// Exchange of discrete values between members in event mode; see exchange.h.
#include "group/exchange.h"

bool takt_group_exchange_init(takt_group_exchange *exchange, const takt_plan *plan,
                              takt_instance *const *members)
{
    *exchange = (takt_group_exchange){.plan = plan, .members = members};
    return takt_values_init(&exchange->y, plan->n_outputs) &&
           takt_values_init(&exchange->u, plan->n_inputs);
}

void takt_group_exchange_clear(takt_group_exchange *exchange)
{
    if (!exchange->plan) return;
    takt_values_clear(&exchange->y, exchange->plan->n_outputs);
    takt_values_clear(&exchange->u, exchange->plan->n_inputs);
    *exchange = (takt_group_exchange){0};
}

// ---- gathering -------------------------------------------------------------------------------------

static void take_real(double *to, double value, bool *is_new)
{
    *is_new |= *to != value;
    *to = value;
}

static void take_integer(int64_t *to, int64_t value, bool *is_new)
{
    *is_new |= *to != value;
    *to = value;
}

// Values that are only copied, or scaled.
static bool gather_plain(takt_group_exchange *e, int m, bool *is_new)
{
    const takt_plan *plan = e->plan;
    const takt_plan_instance *at = &plan->instances[m];
    const int *n = at->inputs.n_values, *first = at->first_input;
    for (int i = first[TAKT_KIND_REAL]; i < first[TAKT_KIND_REAL] + n[TAKT_KIND_REAL]; i++) {
        int from = plan->sources[TAKT_KIND_REAL][i];
        if (from == plan->unused[TAKT_KIND_REAL]) continue;
        double value = e->y.real[from];
        if (plan->factors) value = plan->factors[i] * value + plan->offsets[i];
        take_real(&e->u.real[i], value, is_new);
    }
    int end = first[TAKT_KIND_INTEGER] + n[TAKT_KIND_INTEGER];
    for (int i = first[TAKT_KIND_INTEGER]; i < end; i++) {
        int from = plan->sources[TAKT_KIND_INTEGER][i];
        if (from == plan->unused[TAKT_KIND_INTEGER]) continue;
        take_integer(&e->u.integer[i], e->y.integer[from], is_new);
    }
    for (int i = first[TAKT_KIND_BYTES]; i < first[TAKT_KIND_BYTES] + n[TAKT_KIND_BYTES]; i++) {
        const takt_bytes *value = &e->y.bytes[plan->sources[TAKT_KIND_BYTES][i]];
        *is_new |= !takt_bytes_equal(value, &e->u.bytes[i]);
        if (!takt_bytes_assign(&e->u.bytes[i], value->data, value->size)) return false;
    }
    return true;
}

// Values of other types, and those that are mapped.
static takt_status gather_adapted(takt_group_exchange *e, int m, bool *is_new, takt_error *err)
{
    const takt_plan_instance *at = &e->plan->instances[m];
    for (int i = 0; i < at->n_adapters; i++) {
        const takt_adapter *a = &at->adapters[i];
        int64_t value = takt_value_map_find(a->map, e->y.integer[a->from.index]);
        if (a->to.kind == TAKT_KIND_REAL) {
            take_real(&e->u.real[a->to.index], a->factor * (double)value + a->offset, is_new);
        } else if (value >= a->least && value <= a->greatest) {
            take_integer(&e->u.integer[a->to.index], value, is_new);
        } else {
            const takt_connection *c = &e->plan->system->connections[a->connection];
            return takt_fail(err, TAKT_ERR_SIMULATION,
                             "its input '%s' can take only %lld to %lld, but gets %lld from member "
                             "'%s'",
                             e->members[m]->model->variables[c->to_variable].name,
                             (long long)a->least, (long long)a->greatest, (long long)value,
                             e->members[c->from]->name);
        }
    }
    return TAKT_OK;
}

// ---- exchange --------------------------------------------------------------------------------------

static takt_status read_outputs(takt_group_exchange *e, int m, takt_error *err)
{
    const takt_plan_instance *at = &e->plan->instances[m];
    takt_values values = takt_values_from(&e->y, at->first_output);
    if (at->outputs.n_groups == 0) return TAKT_OK;
    return e->members[m]->type->get(e->members[m], &at->outputs, &values, err);
}

static takt_status set_inputs(takt_group_exchange *e, int m, bool *changed, takt_error *err)
{
    const takt_plan_instance *at = &e->plan->instances[m];
    if (at->inputs.n_groups == 0) return TAKT_OK;
    bool is_new = !e->has_values;
    if (!gather_plain(e, m, &is_new)) return takt_fail_memory(err);
    takt_status st = gather_adapted(e, m, &is_new, err);
    if (st || !is_new) return st;
    changed[m] = true;
    takt_values values = takt_values_from(&e->u, at->first_input);
    return takt_equations_set(e->members[m], &at->inputs, &values, err);
}

takt_status takt_group_exchange_run(takt_group_exchange *e, bool *changed, takt_error *err)
{
    if (e->plan->system->n_connections == 0) return TAKT_OK;
    for (int pass = 0; pass < 2; pass++) // all are read before any is set
        for (int m = 0; m < e->plan->system->n_components; m++) {
            takt_status st = pass ? set_inputs(e, m, changed, err) : read_outputs(e, m, err);
            if (st) return takt_within(err, st, "member '%s'", e->members[m]->name);
        }
    e->has_values = true;
    return TAKT_OK;
}
