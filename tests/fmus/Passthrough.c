// SPDX-License-Identifier: MIT
// Every type of variable passes from an input to an output, at once.
#include <fmukit/fmukit.h>

typedef struct passthrough {
    double real_in, real_out;
    int integer_in, integer_out;
    bool boolean_in, boolean_out;
    const char *string_in, *string_out;
    int enumeration_in, enumeration_out;
} passthrough;

// Values that are not consecutive: an index is not enough.
static const fmukit_item items[] = {{"off", 1, "Nothing"}, {"slow", 2, NULL}, {"fast", 5, NULL}};
static const fmukit_enumeration mode = {"Mode", "Three modes & <one> \"quote\"", items, 3};

#define PAIR(type_, prefix, ...)                                                                   \
    {.name = #prefix "_in",                                                                        \
     .type = type_,                                                                                \
     .causality = FMUKIT_INPUT,                                                                    \
     .field = FMUKIT_FIELD(passthrough, prefix##_in),                                              \
     __VA_ARGS__},                                                                                 \
    {                                                                                              \
        .name = #prefix "_out", .type = type_, .causality = FMUKIT_OUTPUT,                         \
        .field = FMUKIT_FIELD(passthrough, prefix##_out),                                          \
        .depends_on = FMUKIT_INPUTS(#prefix "_in"), __VA_ARGS__                                    \
    }

static const fmukit_variable variables[] = {
    PAIR(FMUKIT_REAL, real, .unit = "m"),
    PAIR(FMUKIT_INTEGER, integer, .range = FMUKIT_RANGE(-1000, 1000)),
    PAIR(FMUKIT_BOOLEAN, boolean, .description = "A switch"),
    PAIR(FMUKIT_STRING, string, .start = {.string = "start & <text>"}),
    PAIR(FMUKIT_ENUMERATION, enumeration, .enumeration = &mode, .start = {.integer = 1}),
};

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    passthrough *m = model;
    m->real_out = m->real_in;
    m->integer_out = m->integer_in;
    m->boolean_out = m->boolean_in;
    m->string_out = m->string_in;
    m->enumeration_out = m->enumeration_in;
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    .name = "Passthrough",
    .description = "Passes every type of variable through",
    .size = sizeof(passthrough),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .functions = {.evaluate = evaluate},
};
