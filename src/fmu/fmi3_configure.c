// SPDX-License-Identifier: MIT
// Configuration mode of FMI 3.0 (specification 3.0.2, section 2.3.8): structural parameters, on which the
// sizes of arrays depend. Sizes belong to the model, see takt_instance_type::resize, so an instance
// gets them right after it was made, before any other value.
#include "fmu/fmi3_configure.h"

takt_status takt_fmi3_enter_configuration(takt_fmi3_instance *self, takt_error *err)
{
    return TAKT_FMU_ENTER(self, fmi3EnterConfigurationMode, err);
}

takt_status takt_fmi3_exit_configuration(takt_fmi3_instance *self, takt_error *err)
{
    return TAKT_FMU_ENTER(self, fmi3ExitConfigurationMode, err);
}

// "fmi3SetUInt64 of 'n' to 5": an FMU may refuse a size.
static takt_status set_size(takt_fmi3_instance *self, const takt_fmi3_size *size, takt_error *err)
{
    const takt_model *model = self->common.base.model;
    int variable = 0, n = model->n_variables;
    while (variable < n && model->variables[variable].reference != size->reference) variable++;
    if (variable == n)
        return takt_fail(err, TAKT_ERR_INPUT, "FMU %s has changed while it was read", model->path);
    const takt_access_batch batch = {.n_refs = 1, .n_values = 1, .variables = &variable};
    takt_status st =
        TAKT_FMU_ACCESS(self, fmi3SetUInt64, &batch, err, &size->reference, 1, &size->value, 1);
    return st ? takt_within(err, st, "%s = %llu", model->variables[variable].name,
                            (unsigned long long)size->value)
              : TAKT_OK;
}

takt_status takt_fmi3_configure(takt_fmi3_instance *self, takt_error *err)
{
    const takt_fmi3_sizes *sizes = &self->common.fmu->sizes;
    if (sizes->n_items == 0) return TAKT_OK;
    takt_status st = takt_fmi3_enter_configuration(self, err);
    for (int i = 0; i < sizes->n_items && !st; i++) st = set_size(self, &sizes->items[i], err);
    return st ? st : takt_fmi3_exit_configuration(self, err);
}
