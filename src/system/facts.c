// SPDX-License-Identifier: MIT
// Facts about models; see facts.h.
#include "system/facts.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

static const struct {
    const char *name;
    size_t offset;
} capabilities[] = {
    {"rewind", offsetof(takt_capabilities, rewind)},
    {"serialize", offsetof(takt_capabilities, serialize)},
    {"variable_step", offsetof(takt_capabilities, variable_step)},
    {"interpolate_inputs", offsetof(takt_capabilities, interpolate_inputs)},
    {"directional_derivatives", offsetof(takt_capabilities, directional_derivatives)},
    {"asynchronous", offsetof(takt_capabilities, asynchronous)},
    {"events", offsetof(takt_capabilities, events)},
    {"once_per_process", offsetof(takt_capabilities, once_per_process)},
    {"needs_tool", offsetof(takt_capabilities, needs_tool)},
};
static_assert((int)TAKT_N_CAPABILITIES == (int)(sizeof capabilities / sizeof *capabilities),
              "one name per capability");

const char *takt_capability_name(int i)
{
    return capabilities[i].name;
}

bool takt_has_capability(const takt_model *model, int i)
{
    return *((const char *)&model->can + capabilities[i].offset);
}

void takt_list_defaults(const takt_default_experiment *e, takt_named_number out[TAKT_N_DEFAULTS])
{
    out[0] = (takt_named_number){"start_time", e->has_start ? e->start : NAN};
    out[1] = (takt_named_number){"stop_time", e->has_stop ? e->stop : NAN};
    out[2] = (takt_named_number){"step_size", e->has_step ? e->step : NAN};
    out[3] = (takt_named_number){"tolerance", e->has_tolerance ? e->tolerance : NAN};
}

void takt_list_base_units(const takt_unit *unit, takt_base_unit out[TAKT_N_BASE_UNITS])
{
    const takt_base_unit bases[TAKT_N_BASE_UNITS] = {
        {"kg", unit->kg}, {"m", unit->m},     {"s", unit->s},   {"A", unit->A},
        {"K", unit->K},   {"mol", unit->mol}, {"cd", unit->cd}, {"rad", unit->rad}};
    memcpy(out, bases, sizeof bases);
}

void takt_add_hex(takt_text *out, const takt_value *bytes)
{
    for (size_t i = 0; i < bytes->size; i++)
        takt_text_print(out, "%02x", (unsigned)(unsigned char)bytes->text[i]);
}

void takt_add_value(takt_text *out, takt_type type, const takt_value *value)
{
    char number[TAKT_NUMBER_SIZE];
    switch (takt_type_kind(type)) {
    case TAKT_KIND_REAL: takt_number_write(number, value->real); break;
    case TAKT_KIND_INTEGER:
        if (type == TAKT_UINT64) // kept as the integer with the same bits
            snprintf(number, sizeof number, "%" PRIu64, (uint64_t)value->integer);
        else
            takt_number_write_integer(number, value->integer);
        break;
    default:
        if (type == TAKT_BINARY)
            takt_add_hex(out, value);
        else
            takt_text_print(out, "\"%s\"", value->text ? value->text : "");
        return;
    }
    bool is_true = value->integer != 0;
    takt_text_add(out, type != TAKT_BOOLEAN ? number : is_true ? "true" : "false");
}
