// SPDX-License-Identifier: MIT
// Every type of FMI 3.0 (but clocks) passes from an input to an output, at once.
#include <fmukit/fmukit.h>

// PAIR(field and name, FMUKIT_ type, C type, fields of the row)
#define FOR_ALL_TYPES(PAIR)                                                                        \
    PAIR(float32, FLOAT32, float, .start = {.real = 0.1f})                                         \
    PAIR(float64, FLOAT64, double, .unit = "m", .nominal = 10)                                     \
    PAIR(int8, INT8, int8_t, .start = {.integer = -128})                                           \
    PAIR(uint8, UINT8, uint8_t, .start = {.integer = 255})                                         \
    PAIR(int16, INT16, int16_t, .range = FMUKIT_RANGE(-1000, 1000))                                \
    PAIR(uint16, UINT16, uint16_t, .start = {.integer = 65535})                                    \
    PAIR(int32, INT32, int32_t, .start = {.integer = -2147483647 - 1})                             \
    PAIR(uint32, UINT32, uint32_t, .start = {.integer = 4294967295})                               \
    PAIR(int64, INT64, int64_t, .start = {.integer = INT64_MIN})                                   \
    PAIR(uint64, UINT64, uint64_t, .start = {.natural = UINT64_MAX})                               \
    PAIR(boolean, BOOLEAN, bool, .start = {.boolean = true})                                       \
    PAIR(string, STRING, const char *, .start = {.string = "start & <text>"})                      \
    PAIR(binary, BINARY, fmukit_binary, .start = {.binary = {"\0\1\xff", 3}})                      \
    PAIR(enumeration, ENUMERATION, int, .enumeration = &mode, .start = {.integer = 1})

typedef struct types {
#define FIELDS(name, TYPE, c_type, ...)                                                            \
    c_type name##_in;                                                                              \
    c_type name##_out;
    FOR_ALL_TYPES(FIELDS)
#undef FIELDS
} types;

// Values that are not consecutive: an index is not enough.
static const fmukit_item items[] = {{"back", -3, "Backwards"}, {"off", 1, NULL}, {"fast", 5, NULL}};
static const fmukit_enumeration mode = {"Mode", "Three modes", items, 3};

static const fmukit_variable variables[] = {
#define ROWS(name_, TYPE, c_type, ...)                                                             \
    {.name = #name_ "_in",                                                                         \
     .type = FMUKIT_##TYPE,                                                                        \
     .causality = FMUKIT_INPUT,                                                                    \
     .field = FMUKIT_FIELD(types, name_##_in),                                                     \
     __VA_ARGS__},                                                                                 \
        {.name = #name_ "_out",                                                                    \
         .type = FMUKIT_##TYPE,                                                                    \
         .causality = FMUKIT_OUTPUT,                                                               \
         .field = FMUKIT_FIELD(types, name_##_out),                                                \
         .depends_on = FMUKIT_INPUTS(#name_ "_in"),                                                \
         __VA_ARGS__},
    FOR_ALL_TYPES(ROWS)
#undef ROWS
};

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    types *m = model;
#define COPY(name, TYPE, c_type, ...) m->name##_out = m->name##_in;
    FOR_ALL_TYPES(COPY)
#undef COPY
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    .name = "Types3",
    .description = "Passes every type of variable through",
    .size = sizeof(types),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .functions = {.evaluate = evaluate},
};
