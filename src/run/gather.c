// SPDX-License-Identifier: MIT
// Values on their way from outputs to inputs; see gather.h.
#include "run/gather.h"

static takt_status fail_adapter(const takt_run *run, const takt_adapter *adapter, int64_t value,
                                takt_error *err)
{
    const takt_system *system = run->plan->system;
    const takt_connection *connection = &system->connections[adapter->connection];
    const takt_component *from = &system->components[connection->from];
    const takt_component *to = &system->components[connection->to];
    const takt_variable *target = &to->model->variables[connection->to_variable];
    return takt_fail(err, TAKT_ERR_SIMULATION,
                     "t=%.15g s: %s.%s is %lld, but %s.%s of type %s can take only %lld to %lld",
                     run->state.grid.time, from->name,
                     from->model->variables[connection->from_variable].name, (long long)value,
                     to->name, target->name, takt_type_name(target->type),
                     (long long)adapter->least, (long long)adapter->greatest);
}

takt_status takt_run_adapt(takt_run *run, int i_instance, takt_error *err)
{
    const takt_plan_instance *plan = run->work.instances[i_instance].plan;
    for (int i = 0; i < plan->n_adapters; i++) {
        const takt_adapter *adapter = &plan->adapters[i];
        int64_t value = takt_run_adapted(run, adapter);
        if (adapter->to.kind == TAKT_KIND_REAL) {
            run->state.u.real[adapter->to.index] =
                adapter->factor * (double)value + adapter->offset;
        } else if (value < adapter->least || value > adapter->greatest) {
            return fail_adapter(run, adapter, value, err);
        } else {
            run->state.u.integer[adapter->to.index] = value;
        }
    }
    return TAKT_OK;
}

takt_status takt_run_gather_more(takt_run *run, int i_instance, takt_error *err)
{
    const takt_run_instance *at = &run->work.instances[i_instance];
    const takt_plan_instance *plan = at->plan;
    const int *n = plan->inputs.n_values;

    if (run->plan->factors) {
        int first = plan->first_input[TAKT_KIND_REAL];
        const double *factors = run->plan->factors + first, *offsets = run->plan->offsets + first;
        for (int i = 0; i < n[TAKT_KIND_REAL]; i++)
            at->inputs.real[i] = factors[i] * at->inputs.real[i] + offsets[i];
    }

    const int *from = run->plan->sources[TAKT_KIND_INTEGER] + plan->first_input[TAKT_KIND_INTEGER];
    for (int i = 0; i < n[TAKT_KIND_INTEGER]; i++)
        at->inputs.integer[i] = run->state.y.integer[from[i]];

    from = run->plan->sources[TAKT_KIND_BYTES] + plan->first_input[TAKT_KIND_BYTES];
    for (int i = 0; i < n[TAKT_KIND_BYTES]; i++) {
        const takt_bytes *value = &run->state.y.bytes[from[i]];
        if (!takt_bytes_assign(&at->inputs.bytes[i], value->data, value->size))
            return takt_fail_memory(err);
    }
    return plan->n_adapters ? takt_run_adapt(run, i_instance, err) : TAKT_OK;
}
