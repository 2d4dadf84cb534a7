// SPDX-License-Identifier: MIT
// The C file of a new FMU: struct, table of variables, and functions in which the author's equations go. Until they are
// written, every value that the model computes is the one nearest to 0 that it may have.
#include <math.h>
#include <string.h>

#include "author/c_text.h"
#include "author/project_files.h"

typedef struct type_words {
    const char *constant, *c_type;
} type_words;

static type_words words_of(takt_type type)
{
    switch (type) {
    case TAKT_FLOAT64: return (type_words){"FMUKIT_REAL", "double"};
    case TAKT_FLOAT32: return (type_words){"FMUKIT_FLOAT32", "float"};
    case TAKT_INT8: return (type_words){"FMUKIT_INT8", "int8_t"};
    case TAKT_UINT8: return (type_words){"FMUKIT_UINT8", "uint8_t"};
    case TAKT_INT16: return (type_words){"FMUKIT_INT16", "int16_t"};
    case TAKT_UINT16: return (type_words){"FMUKIT_UINT16", "uint16_t"};
    case TAKT_INT32: return (type_words){"FMUKIT_INTEGER", "int"};
    case TAKT_UINT32: return (type_words){"FMUKIT_UINT32", "uint32_t"};
    case TAKT_INT64: return (type_words){"FMUKIT_INT64", "int64_t"};
    case TAKT_UINT64: return (type_words){"FMUKIT_UINT64", "uint64_t"};
    case TAKT_BOOLEAN: return (type_words){"FMUKIT_BOOLEAN", "bool"};
    case TAKT_ENUMERATION: return (type_words){"FMUKIT_ENUMERATION", "int"};
    case TAKT_CLOCK: return (type_words){"FMUKIT_CLOCK", "bool"};
    case TAKT_STRING: return (type_words){"FMUKIT_STRING", "const char *"};
    default: return (type_words){"FMUKIT_BINARY", "fmukit_binary"};
    }
}

static void add_string(takt_text *out, const char *text)
{
    takt_c_add_string(out, text, strlen(text));
}

static bool is_pointer(const takt_draft_variable *v)
{
    return v->type == TAKT_STRING;
}

static void add_sizes(const takt_draft_variable *v, takt_text *out)
{
    for (int i = 0; i < v->n_dimensions; i++) takt_text_print(out, "[%d]", v->dimensions[i]);
}

static void add_struct(const takt_draft *d, takt_text *out)
{
    takt_text_add(out, "typedef struct model {\n");
    for (int i = 0; i < d->n_variables; i++) {
        const takt_draft_variable *v = &d->variables[i];
        takt_text_print(out, "    %s%s%s", words_of(v->type).c_type, is_pointer(v) ? "" : " ",
                        v->field);
        add_sizes(v, out);
        takt_text_add(out, "; // ");
        takt_c_add_comment(out, v->name);
        if (v->unit) {
            takt_text_add(out, ", in ");
            takt_c_add_comment(out, v->unit);
        }
        takt_text_add(out, "\n");
    }
    takt_text_add(
        out,
        "    // What else the model needs goes here; name it in a function `state` (docs/kit.md).\n"
        "} model;\n\n");
}

// ---- units, enumerations, start values -----------------------------------------------------------

static void add_units(const takt_draft *d, takt_text *out)
{
    if (!d->n_units) return;
    takt_text_add(out, "static const fmukit_unit units[] = {\n");
    for (int i = 0; i < d->n_units; i++) {
        const takt_unit *u = &d->units[i];
        const struct {
            const char *name;
            int exponent;
        } bases[] = {{"kg", u->kg}, {"m", u->m},     {"s", u->s},   {"A", u->A},
                     {"K", u->K},   {"mol", u->mol}, {"cd", u->cd}, {"rad", u->rad}};
        takt_text_add(out, "    {.name = ");
        add_string(out, u->name);
        for (size_t k = 0; k < sizeof bases / sizeof *bases; k++)
            if (bases[k].exponent)
                takt_text_print(out, ", .%s = %d", bases[k].name, bases[k].exponent);
        if (u->factor != 1 && u->factor != 0) {
            takt_text_add(out, ", .factor = ");
            takt_c_add_number(out, u->factor);
        }
        if (u->offset != 0) {
            takt_text_add(out, ", .offset = ");
            takt_c_add_number(out, u->offset);
        }
        takt_text_add(out, "},\n");
    }
    takt_text_add(out, "};\n\n");
}

static void add_enumerations(const takt_draft *d, takt_text *out)
{
    for (int i = 0; i < d->n_enumerations; i++) {
        const takt_draft_enumeration *e = &d->enumerations[i];
        takt_text_print(out, "static const fmukit_item items_%d[] = {\n", i + 1);
        for (int k = 0; k < e->n_items; k++) {
            takt_text_add(out, "    {");
            add_string(out, e->items[k].name);
            takt_text_print(out, ", %d, ", (int)e->items[k].value);
            if (e->items[k].description)
                add_string(out, e->items[k].description);
            else
                takt_text_add(out, "NULL");
            takt_text_add(out, "},\n");
        }
        takt_text_print(
            out, "};\nstatic const fmukit_enumeration enumeration_%d = {\n    .name = ", i + 1);
        add_string(out, e->name);
        takt_text_print(out, ", .items = items_%d, .n_items = %d};\n\n", i + 1, e->n_items);
    }
}

// INT64_MIN has no constant of its own in C.
static void add_integer(takt_text *out, takt_type type, int64_t value)
{
    if (type == TAKT_UINT64)
        takt_text_print(out, "UINT64_C(%llu)", (unsigned long long)value);
    else if (value == INT64_MIN)
        takt_text_add(out, "INT64_MIN");
    else if (type == TAKT_INT64 || type == TAKT_UINT32)
        takt_text_print(out, "INT64_C(%lld)", (long long)value);
    else
        takt_text_print(out, "%lld", (long long)value);
}

static void add_value(takt_text *out, takt_type type, const takt_value *value)
{
    if (takt_type_kind(type) == TAKT_KIND_REAL)
        takt_c_add_number(out, value->real);
    else if (type == TAKT_BOOLEAN)
        takt_text_add(out, value->integer ? "true" : "false");
    else if (type == TAKT_STRING)
        takt_c_add_string(out, value->text ? value->text : "", value->text ? value->size : 0);
    else if (type == TAKT_BINARY) {
        takt_text_add(out, "{");
        takt_c_add_string(out, value->text ? value->text : "", value->text ? value->size : 0);
        takt_text_print(out, ", %llu}", value->text ? (unsigned long long)value->size : 0ULL);
    } else
        add_integer(out, type, value->integer);
}

static bool has_start(const takt_draft *d, const takt_draft_variable *v)
{
    takt_initial initial = takt_draft_initial(d, v);
    return v->n_starts && v->type != TAKT_CLOCK && initial != TAKT_CALCULATED;
}

static void add_start_lists(const takt_draft *d, takt_text *out)
{
    for (int i = 0; i < d->n_variables; i++) {
        const takt_draft_variable *v = &d->variables[i];
        if (!v->n_dimensions || !has_start(d, v)) continue;
        takt_text_print(out, "static %s%s%sstarts_%d[] = {", is_pointer(v) ? "" : "const ",
                        words_of(v->type).c_type, is_pointer(v) ? "const " : " ", i);
        for (int k = 0; k < v->n_starts; k++) {
            takt_text_add(out, k % 8 ? " " : "\n    ");
            add_value(out, v->type, &v->starts[k]);
            takt_text_add(out, ",");
        }
        takt_text_add(out, "\n};\n\n");
    }
}

// ---- the table of variables ----------------------------------------------------------------------

static const char *const causalities[] = {"FMUKIT_PARAMETER",
                                          "FMUKIT_CALCULATED_PARAMETER",
                                          "FMUKIT_STRUCTURAL_PARAMETER",
                                          "FMUKIT_INPUT",
                                          "FMUKIT_OUTPUT",
                                          "FMUKIT_LOCAL"};
static const char *const variabilities[] = {"FMUKIT_CONSTANT", "FMUKIT_FIXED", "FMUKIT_TUNABLE",
                                            "FMUKIT_DISCRETE", "FMUKIT_CONTINUOUS"};
static const char *const initials[] = {"FMUKIT_USUAL_INITIAL", "FMUKIT_EXACT", "FMUKIT_APPROX",
                                       "FMUKIT_CALCULATED"};

static void add_names(takt_text *out, const char *key, const char *macro, const char *none,
                      const char **names, int n)
{
    takt_text_print(out, ",\n     .%s = ", key);
    if (!n) takt_text_add(out, none);
    for (int i = 0; i < n; i++) {
        takt_text_print(out, "%s", i ? ", " : macro);
        add_string(out, names[i]);
    }
    if (n) takt_text_add(out, ")");
}

static void add_start(const takt_draft *d, const takt_draft_variable *v, takt_text *out)
{
    if (!has_start(d, v)) return;
    if (v->n_dimensions) {
        takt_text_print(out, ",\n     .starts = starts_%d", (int)(v - d->variables));
        return;
    }
    const char *member = takt_type_kind(v->type) == TAKT_KIND_REAL ? "real"
                         : v->type == TAKT_BOOLEAN                 ? "boolean"
                         : v->type == TAKT_STRING                  ? "string"
                         : v->type == TAKT_BINARY                  ? "binary"
                         : v->type == TAKT_UINT64                  ? "natural"
                                                                   : "integer";
    takt_text_print(out, ",\n     .start = {.%s = ", member);
    add_value(out, v->type, &v->starts[0]);
    takt_text_add(out, "}");
}

static void add_range(const takt_draft_variable *v, takt_text *out)
{
    bool has_min = v->min > -INFINITY, has_max = v->max < INFINITY;
    if (v->type == TAKT_ENUMERATION || v->type == TAKT_BOOLEAN || (!has_min && !has_max)) return;
    if (takt_type_kind(v->type) == TAKT_KIND_BYTES || v->type == TAKT_CLOCK) return;
    takt_text_print(out, ",\n     .range = %s(",
                    has_min && has_max ? "FMUKIT_RANGE"
                    : has_min          ? "FMUKIT_MIN"
                                       : "FMUKIT_MAX");
    if (has_min) takt_c_add_number(out, v->min);
    if (has_min && has_max) takt_text_add(out, ", ");
    if (has_max) takt_c_add_number(out, v->max);
    takt_text_add(out, ")");
}

static void add_clock(const takt_draft_variable *v, takt_text *out)
{
    const takt_fmi3_clock *c = v->clock;
    if (!c || v->causality != TAKT_INPUT || c->kind == TAKT_CLOCK_TRIGGERED) return;
    if (c->kind == TAKT_CLOCK_CHANGING || c->kind == TAKT_CLOCK_COUNTDOWN) {
        takt_text_print(out, ",\n     .clock = {.kind = %s}",
                        c->kind == TAKT_CLOCK_CHANGING ? "FMUKIT_CHANGING" : "FMUKIT_COUNTDOWN");
    } else if (c->has_interval && c->resolution) {
        takt_text_print(out,
                        ",\n     .clock = {.kind = FMUKIT_PERIODIC, .counter = %llu, "
                        ".shift_counter = %llu, .resolution = %llu}",
                        (unsigned long long)c->interval_counter,
                        (unsigned long long)c->shift_counter, (unsigned long long)c->resolution);
    } else {
        takt_text_add(out, ",\n     .clock = {.kind = FMUKIT_PERIODIC, .interval = ");
        takt_c_add_number(out, c->has_interval && c->interval > 0 ? c->interval : 1);
        takt_text_add(out, ", .shift = ");
        takt_c_add_number(out, c->has_interval ? c->shift : 0);
        takt_text_add(out, "}");
    }
}

static void add_role(const takt_draft *d, const takt_draft_variable *v, takt_text *out)
{
    if (v->type != TAKT_FLOAT64)
        takt_text_print(out, ",\n     .type = %s", words_of(v->type).constant);
    if (v->causality != TAKT_LOCAL)
        takt_text_print(out, ",\n     .causality = %s", causalities[v->causality]);
    if (v->type == TAKT_CLOCK) return;
    if (v->variability != TAKT_DRAFT_USUAL)
        takt_text_print(out, ",\n     .variability = %s", variabilities[v->variability]);
    takt_initial initial = takt_draft_initial(d, v);
    bool is_free = v->causality == TAKT_OUTPUT || v->causality == TAKT_LOCAL ||
                   v->causality == TAKT_CALCULATED_PARAMETER;
    if (is_free && takt_draft_variability(v) != TAKT_CONSTANT && initial != TAKT_CALCULATED)
        takt_text_print(out, ",\n     .initial = %s", initials[initial]);
}

static void add_variable(const takt_draft *d, const takt_draft_variable *v, takt_text *out)
{
    takt_text_add(out, "    {.name = ");
    add_string(out, v->name);
    if (v->description && *v->description) {
        takt_text_add(out, ",\n     .description = ");
        add_string(out, v->description);
    }
    add_role(d, v, out);
    takt_text_print(out, ",\n     .field = FMUKIT_FIELD(model, %s)", v->field);
    add_start(d, v, out);
    if (v->unit && *v->unit) {
        takt_text_add(out, ",\n     .unit = ");
        add_string(out, v->unit);
    }
    add_range(v, out);
    if (v->nominal > 0 && takt_type_kind(v->type) == TAKT_KIND_REAL) {
        takt_text_add(out, ",\n     .nominal = ");
        takt_c_add_number(out, v->nominal);
    }
    if (v->type == TAKT_ENUMERATION)
        takt_text_print(out, ",\n     .enumeration = &enumeration_%d", v->enumeration + 1);
    for (int i = 0; i < v->n_dimensions; i++)
        takt_text_print(out, "%sFMUKIT_SIZE(%d)%s", i ? ", " : ",\n     .dimensions = {",
                        v->dimensions[i], i + 1 == v->n_dimensions ? "}" : "");
    if (v->type == TAKT_CLOCK) add_clock(v, out);
    if (v->n_clocks) add_names(out, "clocks", "FMUKIT_CLOCKS(", "NULL", v->clocks, v->n_clocks);
    if (v->derivative_of) {
        takt_text_add(out, ",\n     .derivative_of = ");
        add_string(out, v->derivative_of);
    }
    if (v->has_inputs)
        add_names(out, "depends_on", "FMUKIT_INPUTS(", "FMUKIT_NO_INPUTS", v->inputs, v->n_inputs);
    takt_text_add(out, "},\n");
}

// ---- functions -----------------------------------------------------------------------------------

static bool is_computed(const takt_draft *d, const takt_draft_variable *v)
{
    return takt_draft_initial(d, v) == TAKT_CALCULATED && v->causality != TAKT_INPUT &&
           takt_draft_variability(v) != TAKT_CONSTANT;
}

// Once, not in every evaluation.
static bool is_computed_once(const takt_draft_variable *v)
{
    takt_variability variability = takt_draft_variability(v);
    return variability == TAKT_FIXED || variability == TAKT_TUNABLE;
}

static void add_first_value(const takt_draft *d, const takt_draft_variable *v, takt_text *out)
{
    double nearest = v->min > 0 ? ceil(v->min) : v->max < 0 ? floor(v->max) : 0;
    if (takt_type_kind(v->type) == TAKT_KIND_REAL)
        takt_c_add_number(out, v->min > 0 ? v->min : v->max < 0 ? v->max : 0);
    else if (v->type == TAKT_BOOLEAN)
        takt_text_add(out, "false");
    else if (v->type == TAKT_STRING)
        takt_text_add(out, "\"\"");
    else if (v->type == TAKT_ENUMERATION)
        takt_text_print(out, "%d", (int)d->enumerations[v->enumeration].items[0].value);
    else
        takt_text_print(out, "%.0f", nearest);
}

static void add_equations(const takt_draft *d, bool once, takt_text *out)
{
    for (int i = 0; i < d->n_variables; i++) {
        const takt_draft_variable *v = &d->variables[i];
        if (!is_computed(d, v) || is_computed_once(v) != once) continue;
        if (v->n_dimensions || v->type == TAKT_BINARY) {
            takt_text_print(out, "    // m->%s\n", v->field);
            continue;
        }
        takt_text_print(out, "    m->%s = ", v->field);
        add_first_value(d, v, out);
        takt_text_add(out, ";\n");
    }
}

static bool has_computed_once(const takt_draft *d)
{
    for (int i = 0; i < d->n_variables; i++)
        if (is_computed(d, &d->variables[i]) && is_computed_once(&d->variables[i])) return true;
    return false;
}

static bool has_announced_clocks(const takt_draft *d)
{
    for (int i = 0; i < d->n_variables; i++) {
        const takt_draft_variable *v = &d->variables[i];
        bool is_announced = v->clock && (v->clock->kind == TAKT_CLOCK_CHANGING ||
                                         v->clock->kind == TAKT_CLOCK_COUNTDOWN);
        if (v->type == TAKT_CLOCK && v->causality == TAKT_INPUT && is_announced) return true;
    }
    return false;
}

static void add_functions(const takt_draft *d, takt_text *out)
{
    if (has_computed_once(d)) {
        takt_text_add(
            out, "// Computes what follows from parameters. Replace the numbers.\n"
                 "static fmukit_status initialize(fmukit_instance *fmu, void *data, double t)\n"
                 "{\n    (void)fmu, (void)t;\n    model *m = data;\n");
        add_equations(d, true, out);
        takt_text_add(out, "    return FMUKIT_OK;\n}\n\n");
    }
    takt_text_add(out, "// Computes outputs and derivatives from states, inputs and parameters. "
                       "Replace the numbers by the "
                       "equations.\n"
                       "static fmukit_status evaluate(fmukit_instance *fmu, void *data, double t)\n"
                       "{\n    (void)fmu, (void)t;\n    model *m = data;\n    (void)m;\n");
    add_equations(d, false, out);
    takt_text_add(out, "    return FMUKIT_OK;\n}\n\n");
    if (takt_draft_has_clocks(d))
        takt_text_add(out, "// Changes discrete states at an event.\n"
                           "static fmukit_status event(fmukit_instance *fmu, void *data, double t, "
                           "fmukit_event *e)\n"
                           "{\n    (void)fmu, (void)data, (void)t, (void)e;\n"
                           "    return FMUKIT_OK;\n}\n\n");
    if (has_announced_clocks(d))
        takt_text_add(
            out, "// When a clock ticks next: here every second.\n"
                 "static fmukit_interval interval(fmukit_instance *fmu, void *data, size_t clock, "
                 "double *seconds)\n"
                 "{\n    (void)fmu, (void)data, (void)clock;\n    *seconds = 1;\n"
                 "    return FMUKIT_INTERVAL_NEW;\n}\n\n");
}

// ---- the model -----------------------------------------------------------------------------------

static void add_setting(takt_text *out, const char *name, bool has_value, double value)
{
    if (!has_value || !isfinite(value)) return;
    takt_text_print(out, "    .%s = ", name);
    takt_c_add_number(out, value);
    takt_text_add(out, ",\n");
}

static void add_interfaces(const takt_draft *d, takt_text *out)
{
    if (!d->origin) return;
    takt_text_print(out, "    .interfaces = %s%s%s,\n",
                    d->has_co_simulation ? "FMUKIT_CO_SIMULATION" : "",
                    d->has_co_simulation && d->has_model_exchange ? " | " : "",
                    d->has_model_exchange ? "FMUKIT_MODEL_EXCHANGE" : "");
}

static void add_model(const takt_draft *d, takt_text *out)
{
    const takt_default_experiment *e = &d->experiment;
    takt_text_print(out, "const fmukit_model fmukit_this_model = {\n    .name = \"%s\",\n",
                    d->name);
    if (d->description && *d->description) {
        takt_text_add(out, "    .description = ");
        add_string(out, d->description);
        takt_text_add(out, ",\n");
    }
    takt_text_add(out, "    .version = \"1\",\n    .size = sizeof(model),\n"
                       "    .variables = variables,\n"
                       "    .n_variables = sizeof variables / sizeof *variables,\n");
    if (d->n_units)
        takt_text_add(out, "    .units = units,\n    .n_units = sizeof units / sizeof *units,\n");
    double start = e->has_start ? e->start : 0;
    bool has_times = e->has_stop && e->stop > start;
    add_setting(out, "start_time", has_times, start);
    add_setting(out, "stop_time", has_times, e->stop);
    add_setting(out, "step_size", e->has_step && e->step > 0, e->step);
    add_setting(out, "tolerance", e->has_tolerance && e->tolerance > 0, e->tolerance);
    add_interfaces(d, out);
    takt_text_add(out, "    .functions = {.evaluate = evaluate");
    if (has_computed_once(d)) takt_text_add(out, ", .initialize = initialize");
    if (takt_draft_has_clocks(d)) takt_text_add(out, ", .event = event");
    if (has_announced_clocks(d)) takt_text_add(out, ", .interval = interval");
    takt_text_add(out, "},\n};\n");
}

void takt_author_source(const takt_draft *d, takt_text *out)
{
    takt_text_print(out, "// %s", d->name);
    if (d->description && *d->description) {
        takt_text_add(out, ": ");
        takt_c_add_comment(out, d->description);
    }
    takt_text_add(out, "\n// An FMU, written with the FMU kit.\n"
                       "#include <fmukit/fmukit.h>\n#include <math.h>\n\n");
    add_struct(d, out);
    add_units(d, out);
    add_enumerations(d, out);
    add_start_lists(d, out);
    takt_text_add(out, "// The index of a row is the variable's value reference.\n"
                       "static const fmukit_variable variables[] = {\n");
    for (int i = 0; i < d->n_variables; i++) add_variable(d, &d->variables[i], out);
    takt_text_add(out, "};\n\n");
    add_functions(d, out);
    add_model(d, out);
}
