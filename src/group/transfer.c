// SPDX-License-Identifier: MIT
// Passing discrete values from member to member in event mode; see transfer.h.
#include "group/transfer.h"

bool takt_group_transfer_init(takt_group_transfer *transfer, const takt_plan *plan,
                              takt_instance *const *members)
{
    *transfer = (takt_group_transfer){.plan = plan, .members = members};
    return takt_values_init(&transfer->y, plan->n_outputs) &&
           takt_values_init(&transfer->u, plan->n_inputs);
}

void takt_group_transfer_clear(takt_group_transfer *transfer)
{
    if (!transfer->plan) return;
    takt_values_clear(&transfer->y, transfer->plan->n_outputs);
    takt_values_clear(&transfer->u, transfer->plan->n_inputs);
    *transfer = (takt_group_transfer){0};
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
static bool gather_plain(takt_group_transfer *t, int m, bool *is_new)
{
    const takt_plan *plan = t->plan;
    const takt_plan_instance *at = &plan->instances[m];
    const int *n = at->inputs.n_values, *first = at->first_input;
    for (int i = first[TAKT_KIND_REAL]; i < first[TAKT_KIND_REAL] + n[TAKT_KIND_REAL]; i++) {
        int from = plan->sources[TAKT_KIND_REAL][i];
        if (from == plan->unused[TAKT_KIND_REAL]) continue;
        double value = t->y.real[from];
        if (plan->factors) value = plan->factors[i] * value + plan->offsets[i];
        take_real(&t->u.real[i], value, is_new);
    }
    int end = first[TAKT_KIND_INTEGER] + n[TAKT_KIND_INTEGER];
    for (int i = first[TAKT_KIND_INTEGER]; i < end; i++) {
        int from = plan->sources[TAKT_KIND_INTEGER][i];
        if (from == plan->unused[TAKT_KIND_INTEGER]) continue;
        take_integer(&t->u.integer[i], t->y.integer[from], is_new);
    }
    for (int i = first[TAKT_KIND_BYTES]; i < first[TAKT_KIND_BYTES] + n[TAKT_KIND_BYTES]; i++) {
        const takt_bytes *value = &t->y.bytes[plan->sources[TAKT_KIND_BYTES][i]];
        *is_new |= !takt_bytes_equal(value, &t->u.bytes[i]);
        if (!takt_bytes_assign(&t->u.bytes[i], value->data, value->size)) return false;
    }
    return true;
}

// Values of other types, and those that are mapped.
static takt_status gather_adapted(takt_group_transfer *t, int m, bool *is_new, takt_error *err)
{
    const takt_plan_instance *at = &t->plan->instances[m];
    for (int i = 0; i < at->n_adapters; i++) {
        const takt_adapter *a = &at->adapters[i];
        int64_t value = takt_value_map_find(a->map, t->y.integer[a->from.index]);
        if (a->to.kind == TAKT_KIND_REAL) {
            take_real(&t->u.real[a->to.index], a->factor * (double)value + a->offset, is_new);
        } else if (value >= a->least && value <= a->greatest) {
            take_integer(&t->u.integer[a->to.index], value, is_new);
        } else {
            const takt_connection *c = &t->plan->system->connections[a->connection];
            return takt_fail(err, TAKT_ERR_SIMULATION,
                             "its input '%s' can take only %lld to %lld, but gets %lld from member "
                             "'%s'",
                             t->members[m]->model->variables[c->to_variable].name,
                             (long long)a->least, (long long)a->greatest, (long long)value,
                             t->members[c->from]->name);
        }
    }
    return TAKT_OK;
}

// ---- transfer --------------------------------------------------------------------------------------

static takt_status read_outputs(takt_group_transfer *t, int m, takt_error *err)
{
    const takt_plan_instance *at = &t->plan->instances[m];
    takt_values values = takt_values_from(&t->y, at->first_output);
    if (at->outputs.n_batches == 0) return TAKT_OK;
    return t->members[m]->type->get(t->members[m], &at->outputs, &values, err);
}

static takt_status set_inputs(takt_group_transfer *t, int m, bool *changed, takt_error *err)
{
    const takt_plan_instance *at = &t->plan->instances[m];
    if (at->inputs.n_batches == 0) return TAKT_OK;
    bool is_new = !t->has_values;
    if (!gather_plain(t, m, &is_new)) return takt_fail_memory(err);
    takt_status st = gather_adapted(t, m, &is_new, err);
    if (st || !is_new) return st;
    changed[m] = true;
    takt_values values = takt_values_from(&t->u, at->first_input);
    return takt_equations_set(t->members[m], &at->inputs, &values, err);
}

takt_status takt_group_transfer_run(takt_group_transfer *t, bool *changed, takt_error *err)
{
    if (t->plan->system->n_connections == 0) return TAKT_OK;
    for (int pass = 0; pass < 2; pass++) // all are read before any is set
        for (int m = 0; m < t->plan->system->n_components; m++) {
            takt_status st = pass ? set_inputs(t, m, changed, err) : read_outputs(t, m, err);
            if (st) return takt_within(err, st, "member '%s'", t->members[m]->name);
        }
    t->has_values = true;
    return TAKT_OK;
}
