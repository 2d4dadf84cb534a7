// SPDX-License-Identifier: MIT
// Counts its steps while `enable` is true; `is_even` and `phase` follow the count. Discrete state.
#include <fmukit/fmukit.h>

typedef struct counter {
    bool enable;
    int increment;
    int count;
    bool is_even;
    int phase;
    const char *text;
} counter;

static const fmukit_item items[] = {{"none", 1, NULL}, {"few", 2, NULL}, {"many", 3, NULL}};
static const fmukit_enumeration amount = {"Amount", NULL, items, 3};

static const fmukit_variable variables[] = {
    {.name = "enable",
     .type = FMUKIT_BOOLEAN,
     .causality = FMUKIT_INPUT,
     .field = FMUKIT_FIELD(counter, enable),
     .start = {.boolean = true}},
    {.name = "increment",
     .type = FMUKIT_INTEGER,
     .causality = FMUKIT_PARAMETER,
     .variability = FMUKIT_TUNABLE,
     .field = FMUKIT_FIELD(counter, increment),
     .start = {.integer = 1},
     .range = FMUKIT_RANGE(1, 10)},
    {.name = "count",
     .type = FMUKIT_INTEGER,
     .causality = FMUKIT_OUTPUT,
     .initial = FMUKIT_EXACT,
     .field = FMUKIT_FIELD(counter, count),
     .depends_on = FMUKIT_NO_INPUTS},
    {.name = "is_even",
     .type = FMUKIT_BOOLEAN,
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(counter, is_even),
     .depends_on = FMUKIT_NO_INPUTS},
    {.name = "amount",
     .type = FMUKIT_ENUMERATION,
     .causality = FMUKIT_OUTPUT,
     .enumeration = &amount,
     .field = FMUKIT_FIELD(counter, phase),
     .depends_on = FMUKIT_NO_INPUTS},
    {.name = "text",
     .type = FMUKIT_STRING,
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(counter, text),
     .depends_on = FMUKIT_NO_INPUTS},
};

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    counter *m = model;
    m->is_even = m->count % 2 == 0;
    m->phase = m->count == 0 ? 1 : m->count < 5 ? 2 : 3;
    m->text = items[m->phase - 1].name;
    return FMUKIT_OK;
}

static fmukit_status step(fmukit_instance *fmu, void *model, double t, double t_end)
{
    (void)fmu, (void)t, (void)t_end;
    counter *m = model;
    if (m->enable) m->count += m->increment;
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    .name = "Counter",
    .description = "Counts steps",
    .size = sizeof(counter),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .functions = {.evaluate = evaluate, .step = step},
};
