// SPDX-License-Identifier: MIT
// modelDescription.xml of FMI 3.0 (specification 3.0.2, sections 2.4 and 4.4). Elements are visited by
// tables; what the tables do not name is skipped (annotations, display units). What is wrong but has a
// clear meaning is a warning. Arrays and aliases: see fmi3_reader.h.
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "fmi/fmi3_reader.h"

typedef takt_description_reader reader_type;

static int line_of(const reader_type *reader)
{
    return takt_description_line(reader);
}

// ---- interfaces ----------------------------------------------------------------------------------

static void check_capabilities(reader_type *reader, bool has_update, bool can_return_early)
{
    const takt_capabilities *can = &reader->model->can;
    if (can->serialize && !can->rewind)
        takt_description_warn(reader, line_of(reader),
                              "canSerializeFMUState needs canGetAndSetFMUState");
    if (can_return_early && !has_update)
        takt_description_warn(reader, line_of(reader),
                              "canReturnEarlyAfterIntermediateUpdate needs "
                              "providesIntermediateUpdate");
}

static takt_status read_co_simulation(reader_type *reader, takt_error *err)
{
    reader->out->identifier = takt_description_identifier(reader);
    takt_capabilities *can = &reader->model->can;
    takt_fmi3_description *fmi3 = &reader->out->fmi3;
    bool has_update = false, can_return_early = false, ignored = false;
    const takt_flag flags[] = {{"canGetAndSetFMUState", &can->rewind},
                               {"canSerializeFMUState", &can->serialize},
                               {"canHandleVariableCommunicationStepSize", &can->variable_step},
                               {"providesDirectionalDerivatives", &can->directional_derivatives},
                               {"providesAdjointDerivatives", &ignored},
                               {"providesPerElementDependencies", &ignored},
                               {"canBeInstantiatedOnlyOncePerProcess", &can->once_per_process},
                               {"needsExecutionTool", &can->needs_tool},
                               {"hasEventMode", &can->events},
                               {"providesEvaluateDiscreteStates", &fmi3->evaluates_discrete_states},
                               {"mightReturnEarlyFromDoStep", &fmi3->might_return_early},
                               {"providesIntermediateUpdate", &has_update},
                               {"canReturnEarlyAfterIntermediateUpdate", &can_return_early}};
    takt_description_flags(reader, flags, sizeof flags / sizeof *flags);
    can->max_output_derivative_order =
        (int)takt_description_integer(reader, "maxOutputDerivativeOrder", 0, INT_MAX, 0);
    takt_description_integer(reader, "recommendedIntermediateInputSmoothness", INT_MIN, INT_MAX, 0);
    if (takt_description_number(reader, "fixedInternalStepSize", 1) <= 0)
        takt_description_warn(reader, line_of(reader), "fixedInternalStepSize is not positive");
    check_capabilities(reader, has_update, can_return_early);
    return takt_xml_skip(reader->xml, err);
}

static takt_status read_scheduled_execution(reader_type *reader, takt_error *err)
{
    reader->out->fmi3.has_scheduled_execution = true;
    return takt_xml_skip(reader->xml, err);
}

// ---- clocks --------------------------------------------------------------------------------------

static void read_counters(reader_type *reader, takt_clock *clock)
{
    const struct {
        const char *name;
        uint64_t *value;
        int64_t least;
    } counters[] = {{"intervalCounter", &clock->interval_counter, 1},
                    {"shiftCounter", &clock->shift_counter, 0},
                    {"resolution", &clock->resolution, 1}};
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        if (takt_xml_attribute(reader->xml, counters[i].name))
            *counters[i].value = (uint64_t)takt_description_integer(
                reader, counters[i].name, counters[i].least, INT64_MAX, counters[i].least);
    if (takt_xml_attribute(reader->xml, "intervalCounter") && clock->resolution == 0)
        takt_description_error(reader, line_of(reader),
                               "intervalCounter has no meaning without resolution");
}

// Attributes that are missing keep what `clock` has, which comes from its type.
static void read_clock(reader_type *reader, takt_clock *clock)
{
    static const takt_word kinds[] = {{"constant", TAKT_CLOCK_CONSTANT},
                                      {"fixed", TAKT_CLOCK_FIXED},
                                      {"tunable", TAKT_CLOCK_TUNABLE},
                                      {"changing", TAKT_CLOCK_CHANGING},
                                      {"countdown", TAKT_CLOCK_COUNTDOWN},
                                      {"triggered", TAKT_CLOCK_TRIGGERED},
                                      {"calculated", TAKT_CLOCK_FIXED}, // in drafts of FMI 3.0
                                      {0}};
    clock->kind = (takt_clock_kind)takt_description_choice(reader, "intervalVariability", kinds,
                                                           (int)clock->kind);
    clock->can_be_deactivated =
        takt_description_boolean(reader, "canBeDeactivated", clock->can_be_deactivated);
    if (takt_xml_attribute(reader->xml, "intervalDecimal")) {
        clock->interval = takt_description_number(reader, "intervalDecimal", 1);
        clock->has_interval = true;
        if (!(clock->interval > 0 && isfinite(clock->interval))) {
            takt_description_error(reader, line_of(reader), "intervalDecimal is not positive");
            clock->interval = 1;
        }
    }
    clock->shift = takt_description_number(reader, "shiftDecimal", clock->shift);
    if (!(clock->shift >= 0 && isfinite(clock->shift))) {
        takt_description_error(reader, line_of(reader), "shiftDecimal is negative");
        clock->shift = 0;
    }
    read_counters(reader, clock);
    if (clock->interval_counter && clock->resolution && !clock->has_interval) {
        clock->has_interval = true; // intervalDecimal is missing, but its meaning is clear
        clock->interval = (double)clock->interval_counter / (double)clock->resolution;
        clock->shift = (double)clock->shift_counter / (double)clock->resolution;
    }
}

// Without intervalVariability, neither in the type nor here.
static const takt_clock unknown_clock = {.kind = (takt_clock_kind)-1};

static const takt_clock *clock_of_type(const reader_type *reader, const char *name)
{
    int type = name ? takt_map_find(&reader->type_names, name) : -1;
    int i = takt_fmi3_find_clock(&reader->fmi3->type_clocks, type);
    return i < 0 ? &unknown_clock : (takt_clock *)reader->fmi3->type_clocks.items + i;
}

static void check_clock(reader_type *reader, const takt_variable *variable, takt_clock *clock)
{
    bool is_periodic = clock->kind <= TAKT_CLOCK_TUNABLE;
    if ((int)clock->kind == -1) {
        takt_description_error(reader, variable->line, "clock '%s' has no intervalVariability",
                               variable->name);
        clock->kind = TAKT_CLOCK_TRIGGERED;
    } else if (clock->kind == TAKT_CLOCK_CONSTANT && !clock->has_interval) {
        takt_description_error(reader, variable->line,
                               "clock '%s' is constant but has no intervalDecimal", variable->name);
    } else if (!is_periodic && clock->has_interval) {
        takt_description_warn(reader, variable->line,
                              "clock '%s' must not have an interval: it is not periodic",
                              variable->name);
    }
    bool is_allowed = variable->causality == TAKT_INPUT || variable->causality == TAKT_OUTPUT ||
                      variable->causality == TAKT_LOCAL;
    if (!is_allowed)
        takt_description_error(reader, variable->line, "clock '%s' has causality %s",
                               variable->name, takt_causality_name(variable->causality));
    else if (variable->causality != TAKT_INPUT && clock->kind != TAKT_CLOCK_TRIGGERED)
        takt_description_warn(
            reader, variable->line,
            "clock '%s' is no input, so its intervalVariability must be triggered", variable->name);
}

static takt_status add_clock(reader_type *reader, takt_variable *variable, takt_error *err)
{
    takt_clock *clock = takt_list_add(reader, &reader->fmi3->clocks, sizeof *clock);
    if (!clock) return takt_fail_memory(err);
    *clock = *clock_of_type(reader, variable->declared_type);
    clock->variable = reader->variables.n - 1;
    read_clock(reader, clock);
    check_clock(reader, variable, clock);
    return TAKT_OK;
}

// ---- types ---------------------------------------------------------------------------------------

static takt_status read_item(reader_type *reader, takt_error *err)
{
    return takt_description_add_item(reader, INT64_MIN, INT64_MAX, err);
}

static bool has_limits(takt_type type)
{
    return takt_type_kind(type) != TAKT_KIND_BYTES && type != TAKT_BOOLEAN && type != TAKT_CLOCK;
}

static takt_status read_type_of(reader_type *reader, takt_type type, takt_error *err)
{
    static const takt_element_rule rules[] = {{"Item", read_item}, {0}};
    takt_status st = takt_description_add_type(reader, err);
    if (st) return st;
    takt_type_definition *definition = reader->type;
    bool is_real = takt_type_kind(type) == TAKT_KIND_REAL;
    definition->type = type;
    if (is_real) definition->unit = takt_description_text(reader, "unit");
    if (has_limits(type))
        takt_description_limits(reader, &definition->min, &definition->max,
                                is_real ? &definition->nominal : NULL);
    if (type == TAKT_CLOCK) {
        takt_clock *clock = takt_list_add(reader, &reader->fmi3->type_clocks, sizeof *clock);
        if (!clock) return takt_fail_memory(err);
        *clock = unknown_clock;
        clock->variable = reader->types.n - 1;
        read_clock(reader, clock);
    }
    st = takt_description_children(reader, rules, err);
    if (!st && type == TAKT_ENUMERATION) takt_description_take_items(reader);
    return st;
}

// ---- variables -----------------------------------------------------------------------------------

static takt_status read_dimension(reader_type *reader, takt_error *err)
{
    bool has_start = takt_xml_attribute(reader->xml, "start");
    bool has_reference = takt_xml_attribute(reader->xml, "valueReference");
    takt_dimension *dimension = takt_list_add(reader, &reader->fmi3->dimensions, sizeof *dimension);
    if (!dimension) return takt_fail_memory(err);
    if (has_start == has_reference)
        takt_description_error(reader, line_of(reader),
                               "Dimension must have either start or valueReference");
    *dimension = (takt_dimension){
        .is_reference = has_reference && !has_start,
        .reference = (uint32_t)takt_description_integer(reader, "valueReference", 0, UINT32_MAX, 0),
        .size = takt_description_integer(reader, "start", 1, INT64_MAX, 1),
        .line = line_of(reader)};
    return takt_xml_skip(reader->xml, err);
}

// Binary data are hexadecimal digits.
static bool read_binary(reader_type *reader, const char *text, takt_value *out)
{
    size_t length = strlen(text);
    char *data = takt_arena_alloc(&reader->model->arena, length / 2 + 1);
    if (!data) reader->out_of_memory = true;
    if (!data || length % 2 != 0) return false;
    for (size_t i = 0; i < length; i++) {
        const char *digits = "0123456789abcdef0123456789ABCDEF", *digit = strchr(digits, text[i]);
        if (!digit) return false;
        data[i / 2] = (char)((unsigned char)data[i / 2] << 4 | (unsigned)((digit - digits) % 16));
    }
    *out = (takt_value){.text = data, .size = length / 2};
    return true;
}

// The upper half of the numbers, which are stored with the same bits.
static bool read_unsigned(const char *text, takt_value *out)
{
    uint64_t value = 0;
    if (*text == 0) return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9') return false;
        uint64_t digit = (uint64_t)(*text - '0');
        if (value > (UINT64_MAX - digit) / 10) return false;
        value = 10 * value + digit;
    }
    *out = (takt_value){.integer = (int64_t)value};
    return true;
}

bool takt_fmi3_read_value(reader_type *reader, takt_type type, const char *text, takt_value *out)
{
    if (type == TAKT_BINARY) return read_binary(reader, text, out);
    if (type == TAKT_UINT64 && read_unsigned(text, out)) return true;
    bool ok = takt_value_read(type == TAKT_ENUMERATION ? TAKT_INT64 : type, text,
                              &reader->model->arena, out);
    if (!ok && type == TAKT_STRING) reader->out_of_memory = true; // any text is a string
    return ok;
}

static void wrong_start(reader_type *reader, const takt_variable *variable, const char *text)
{
    if (!reader->out_of_memory)
        takt_description_error(reader, variable->line,
                               "variable '%s': start '%.100s' is not a value of type %s",
                               variable->name, text, takt_type_name(variable->type));
}

static takt_status read_start_element(reader_type *reader, takt_error *err)
{
    takt_variable *variable = reader->variable;
    takt_value *value = takt_list_add(reader, &reader->fmi3->starts, sizeof *value);
    if (!value) return takt_fail_memory(err);
    const char *text = takt_xml_attribute(reader->xml, "value");
    if (!text)
        takt_description_error(reader, line_of(reader), "Start has no attribute value");
    else if (takt_type_kind(variable->type) != TAKT_KIND_BYTES)
        takt_description_error(reader, line_of(reader),
                               "variable '%s' of type %s has no Start elements, but an attribute "
                               "start",
                               variable->name, takt_type_name(variable->type));
    else if (!takt_fmi3_read_value(reader, variable->type, text, value))
        wrong_start(reader, variable, text);
    if (!value->text) value->text = "";
    return takt_xml_skip(reader->xml, err);
}

static takt_status read_alias(reader_type *reader, takt_error *err)
{
    const char *name = takt_description_required(reader, "name");
    takt_alias *alias = takt_list_add(reader, &reader->fmi3->aliases, sizeof *alias);
    if (!alias) return takt_fail_memory(err);
    *alias = (takt_alias){.variable = reader->variables.n - 1,
                          .name = name ? name : "",
                          .description = takt_description_text(reader, "description"),
                          .line = line_of(reader)};
    return takt_xml_skip(reader->xml, err);
}

static void add_link(reader_type *reader, int kind, uint32_t reference)
{
    takt_link *link = takt_list_add(reader, &reader->fmi3->links, sizeof *link);
    if (!link) return;
    link->kind = kind;
    link->variable = reader->variables.n - 1;
    link->reference = reference;
    link->line = line_of(reader);
}

// One value reference out of a list; an error otherwise.
static bool read_reference(reader_type *reader, const char *name, const char *begin,
                           const char *end, uint32_t *out)
{
    int64_t number;
    if (takt_number_read_integer(begin, end, &number) && number >= 0 && number <= UINT32_MAX) {
        *out = (uint32_t)number;
        return true;
    }
    int length = end - begin < 100 ? (int)(end - begin) : 100;
    takt_description_error(reader, line_of(reader), "%s: '%.*s' is not a value reference", name,
                           length, begin);
    return false;
}

static void read_links(reader_type *reader, takt_variable *variable)
{
    const char *text = takt_xml_attribute(reader->xml, "clocks"), *begin, *end;
    uint32_t reference;
    int n = 0;
    for (; text && takt_description_token(&text, &begin, &end); n++)
        if (read_reference(reader, "clocks", begin, end, &reference))
            add_link(reader, TAKT_LINK_CLOCK, reference);
    if (text && n == 0)
        takt_description_warn(reader, variable->line, "variable '%s': clocks is empty",
                              variable->name);
    static const struct {
        const char *name;
        int kind;
    } links[] = {{"previous", TAKT_LINK_PREVIOUS}, {"derivative", TAKT_LINK_DERIVATIVE}};
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        const char *value = takt_xml_attribute(reader->xml, links[i].name);
        if (value) value = takt_description_trim(reader, value);
        if (value &&
            read_reference(reader, links[i].name, value, value + strlen(value), &reference))
            add_link(reader, links[i].kind, reference);
    }
}

static void read_max_size(reader_type *reader)
{
    takt_description_text(reader, "mimeType");
    if (!takt_xml_attribute(reader->xml, "maxSize")) return;
    takt_max_size *limit = takt_list_add(reader, &reader->fmi3->max_sizes, sizeof *limit);
    if (limit)
        *limit = (takt_max_size){
            .first = reader->variables.n - 1,
            .n = 1,
            .max = (size_t)takt_description_integer(reader, "maxSize", 0, INT64_MAX, INT64_MAX)};
}

static void read_typed_attributes(reader_type *reader, takt_variable *variable)
{
    bool is_real = takt_type_kind(variable->type) == TAKT_KIND_REAL;
    variable->declared_type = takt_description_text(reader, "declaredType");
    if (is_real) variable->unit = takt_description_text(reader, "unit");
    if (is_real)
        variable->is_relative = takt_description_boolean(reader, "relativeQuantity", false);
    if (has_limits(variable->type))
        takt_description_limits(reader, &variable->min, &variable->max,
                                is_real ? &variable->nominal : NULL);
    if (variable->type == TAKT_BINARY) read_max_size(reader);
    if (variable->type == TAKT_ENUMERATION && !variable->declared_type)
        takt_description_warn(reader, variable->line, "enumeration '%s' has no declaredType",
                              variable->name);
    if (variable->name[0] == 0)
        takt_description_warn(reader, variable->line, "a variable has an empty name");
}

// Keeps the attribute for the end of the element, when the dimensions are known.
static void keep_start(reader_type *reader)
{
    const char *text = takt_xml_attribute(reader->xml, "start");
    reader->fmi3->has_start_attribute = text;
    if (text && !takt_bytes_assign(&reader->fmi3->start, text, strlen(text)))
        reader->out_of_memory = true;
}

static void take_scalar_start(reader_type *reader, takt_variable *variable, int first, int n)
{
    const takt_value *starts = reader->fmi3->starts.items;
    if (n > 1)
        takt_description_error(reader, variable->line,
                               "variable '%s' has %d start values, but is no array", variable->name,
                               n);
    variable->has_start = n > 0;
    if (n > 0) variable->start = starts[first];
    if (n > 0 || !reader->fmi3->has_start_attribute || reader->out_of_memory) return;
    const char *text = reader->fmi3->start.data;
    if (takt_type_kind(variable->type) == TAKT_KIND_BYTES)
        takt_description_warn(
            reader, variable->line,
            "variable '%s': the start value of a %s belongs into an element Start", variable->name,
            takt_type_name(variable->type));
    else
        text = takt_description_trim(reader, text);
    variable->has_start = takt_fmi3_read_value(reader, variable->type, text, &variable->start);
    if (!variable->has_start) wrong_start(reader, variable, text);
}

static void add_array(reader_type *reader, takt_variable *variable, takt_pending_array pending)
{
    takt_fmi3_reader *fmi3 = reader->fmi3;
    if (fmi3->has_start_attribute && !reader->out_of_memory) {
        pending.start = takt_arena_copy(&reader->model->arena, fmi3->start.data);
        if (!pending.start) reader->out_of_memory = true;
    }
    variable->has_start = pending.n_starts > 0 || pending.start;
    if (variable->causality == TAKT_STRUCTURAL_PARAMETER || variable->type == TAKT_CLOCK)
        takt_description_error(reader, variable->line, "%s '%s' must not be an array",
                               variable->type == TAKT_CLOCK ? "clock" : "structural parameter",
                               variable->name);
    takt_pending_array *array = takt_list_add(reader, &fmi3->arrays, sizeof *array);
    if (array) *array = pending;
}

// Specification 3.0.2, table of `initial` in section 2.4.7.4. Inputs have none with us, see model.h.
static takt_initial_rule rule_for(takt_variability variability, takt_causality causality)
{
    static const takt_initial_rule a = {true, {TAKT_EXACT}, 1},
                                   b = {true, {TAKT_CALCULATED, TAKT_APPROX}, 2},
                                   c = {true, {TAKT_CALCULATED, TAKT_EXACT, TAKT_APPROX}, 3},
                                   input = {true, {TAKT_INITIAL_NONE, TAKT_EXACT}, 2},
                                   none = {true, {TAKT_INITIAL_NONE}, 1};
    const takt_initial_rule never = {0};
    bool is_signal = variability == TAKT_DISCRETE || variability == TAKT_CONTINUOUS;
    bool is_data = variability == TAKT_FIXED || variability == TAKT_TUNABLE;
    switch (causality) {
    case TAKT_PARAMETER:
    case TAKT_STRUCTURAL_PARAMETER: return is_data ? a : never;
    case TAKT_CALCULATED_PARAMETER: return is_data ? b : never;
    case TAKT_INPUT: return is_signal ? input : never;
    case TAKT_OUTPUT: return variability == TAKT_CONSTANT ? a : is_signal ? c : never;
    case TAKT_LOCAL: return variability == TAKT_CONSTANT ? a : is_data ? b : c;
    case TAKT_INDEPENDENT: return variability == TAKT_CONTINUOUS ? none : never;
    default: return never;
    }
}

// Variability, initial and the attributes that depend on them.
static void settle(reader_type *reader, takt_variable *variable, bool has_initial, bool is_updated)
{
    bool is_real = takt_type_kind(variable->type) == TAKT_KIND_REAL;
    if (!is_real && variable->variability == TAKT_CONTINUOUS) {
        takt_description_warn(reader, variable->line,
                              "variable '%s' of type %s cannot be continuous; taken as discrete",
                              variable->name, takt_type_name(variable->type));
        variable->variability = TAKT_DISCRETE;
    }
    takt_description_settle(reader, variable, has_initial, rule_for);
    if (variable->causality == TAKT_INPUT || variable->type == TAKT_CLOCK)
        variable->initial = TAKT_INITIAL_NONE;
    if (variable->type == TAKT_CLOCK)
        variable->variability = TAKT_DISCRETE;
    else
        takt_description_check_start(reader, variable);
    if (is_updated && variable->variability != TAKT_CONTINUOUS)
        takt_description_warn(reader, variable->line,
                              "variable '%s' is %s and must not have intermediateUpdate",
                              variable->name, takt_variability_name(variable->variability));
    if (variable->causality == TAKT_STRUCTURAL_PARAMETER)
        reader->out->fmi3.has_structural_parameters = true;
}

static takt_status read_variable_of(reader_type *reader, takt_type type, takt_error *err)
{
    static const takt_word causalities[] = {{"parameter", TAKT_PARAMETER},
                                            {"calculatedParameter", TAKT_CALCULATED_PARAMETER},
                                            {"structuralParameter", TAKT_STRUCTURAL_PARAMETER},
                                            {"input", TAKT_INPUT},
                                            {"output", TAKT_OUTPUT},
                                            {"local", TAKT_LOCAL},
                                            {"independent", TAKT_INDEPENDENT},
                                            {0}};
    static const takt_element_rule rules[] = {
        {"Dimension", read_dimension}, {"Start", read_start_element}, {"Alias", read_alias}, {0}};
    takt_variable *variable = takt_list_add(reader, &reader->variables, sizeof *variable);
    if (!variable) return takt_fail_memory(err);
    bool has_initial = takt_description_attributes(reader, causalities, variable);
    bool is_updated = takt_description_boolean(reader, "intermediateUpdate", false);
    variable->type = type;
    reader->variable = variable;
    read_typed_attributes(reader, variable);
    keep_start(reader);
    read_links(reader, variable);
    takt_status st = type == TAKT_CLOCK ? add_clock(reader, variable, err) : TAKT_OK;

    takt_pending_array array = {.variable = reader->variables.n - 1,
                                .first_dimension = reader->fmi3->dimensions.n,
                                .first_start = reader->fmi3->starts.n};
    if (!st) st = takt_description_children(reader, rules, err);
    if (st) return st;
    array.n_dimensions = reader->fmi3->dimensions.n - array.first_dimension;
    array.n_starts = reader->fmi3->starts.n - array.first_start;
    if (array.n_dimensions > 0)
        add_array(reader, variable, array);
    else
        take_scalar_start(reader, variable, array.first_start, array.n_starts);
    settle(reader, variable, has_initial, is_updated);
    return TAKT_OK;
}

// One pair of functions per type: <Float64 .../> among variables, <Float64Type .../> among types.
#define FMI3_TYPE_LIST(X)                                                                          \
    X(Float64, TAKT_FLOAT64)                                                                       \
    X(Float32, TAKT_FLOAT32)                                                                       \
    X(Int8, TAKT_INT8)                                                                             \
    X(UInt8, TAKT_UINT8)                                                                           \
    X(Int16, TAKT_INT16)                                                                           \
    X(UInt16, TAKT_UINT16)                                                                         \
    X(Int32, TAKT_INT32)                                                                           \
    X(UInt32, TAKT_UINT32)                                                                         \
    X(Int64, TAKT_INT64)                                                                           \
    X(UInt64, TAKT_UINT64)                                                                         \
    X(Boolean, TAKT_BOOLEAN)                                                                       \
    X(String, TAKT_STRING)                                                                         \
    X(Binary, TAKT_BINARY)                                                                         \
    X(Enumeration, TAKT_ENUMERATION)                                                               \
    X(Clock, TAKT_CLOCK)

#define TYPE_FUNCTIONS(name, type)                                                                 \
    static takt_status read_variable_##name(reader_type *reader, takt_error *err)                  \
    {                                                                                              \
        return read_variable_of(reader, type, err);                                                \
    }                                                                                              \
    static takt_status read_type_##name(reader_type *reader, takt_error *err)                      \
    {                                                                                              \
        return read_type_of(reader, type, err);                                                    \
    }
FMI3_TYPE_LIST(TYPE_FUNCTIONS)

static takt_status read_type_definitions(reader_type *reader, takt_error *err)
{
#define TYPE_RULE(name, type) {#name "Type", read_type_##name},
    static const takt_element_rule rules[] = {FMI3_TYPE_LIST(TYPE_RULE){0}};
    return takt_description_children(reader, rules, err);
}

static void check_unit(reader_type *reader, const takt_variable *variable)
{
    if (variable->unit && takt_map_find(&reader->fmi3->unit_names, variable->unit) < 0)
        takt_description_warn(reader, variable->line, "variable '%s': unit '%.100s' is not defined",
                              variable->name, variable->unit);
}

static takt_status name_units(reader_type *reader, takt_error *err)
{
    const takt_unit *units = reader->units.items;
    takt_map *names = &reader->fmi3->unit_names;
    for (int i = 0; i < reader->units.n; i++) {
        if (takt_map_find(names, units[i].name) >= 0)
            takt_description_warn(reader, 0, "the unit '%.100s' is defined twice", units[i].name);
        else if (!takt_map_add(names, units[i].name, i))
            return takt_fail_memory(err);
    }
    return TAKT_OK;
}

static takt_status read_model_variables(reader_type *reader, takt_error *err)
{
#define VARIABLE_RULE(name, type) {#name, read_variable_##name},
    static const takt_element_rule rules[] = {FMI3_TYPE_LIST(VARIABLE_RULE){0}};
    if (reader->fmi3->references) {
        takt_description_error(reader, line_of(reader), "there are two elements ModelVariables");
        return takt_xml_skip(reader->xml, err);
    }
    takt_status st = takt_description_children(reader, rules, err);
    if (!st) st = name_units(reader, err);
    int n_independent = 0;
    for (int i = 0; i < reader->variables.n && !st; i++) {
        takt_variable *variable = (takt_variable *)reader->variables.items + i;
        takt_description_inherit(reader, variable);
        check_unit(reader, variable);
        n_independent += variable->causality == TAKT_INDEPENDENT;
    }
    if (!st && n_independent != 1)
        takt_description_warn(reader, line_of(reader),
                              "there are %d independent variables instead of one", n_independent);
    if (!st) st = takt_fmi3_expand(reader, err);
    return st ? st : takt_fmi3_link(reader, err);
}

// ---- model structure -----------------------------------------------------------------------------

// The variable with a value reference of the file; -1 after an error.
static int find_reference(reader_type *reader, const char *begin, const char *end, const char *name)
{
    uint32_t reference;
    if (!read_reference(reader, name, begin, end, &reference)) return -1;
    int variable = takt_fmi3_find(reader->fmi3, reference);
    if (variable < 0)
        takt_description_error(reader, line_of(reader), "%s: no variable has value reference %lu",
                               name, (unsigned long)reference);
    return variable;
}

static int count_tokens(const char *text)
{
    const char *begin, *end;
    int n = 0;
    while (takt_description_token(&text, &begin, &end)) n++;
    return n;
}

static void check_kinds(reader_type *reader, const char *dependencies)
{
    const char *kinds = takt_xml_attribute(reader->xml, "dependenciesKind");
    if (kinds && (!dependencies || count_tokens(kinds) != count_tokens(dependencies)))
        takt_description_warn(reader, line_of(reader),
                              "dependenciesKind has not as many entries as dependencies");
}

// Reads on what an unknown depends. An empty list differs from none.
static void read_dependencies(reader_type *reader, takt_dependency *dependency)
{
    const char *text = takt_xml_attribute(reader->xml, "dependencies"), *begin, *end;
    check_kinds(reader, text);
    if (!text) return;
    reader->indices.n = 0;
    while (takt_description_token(&text, &begin, &end)) {
        int first = find_reference(reader, begin, end, "dependencies");
        if (first < 0) continue;
        int n = takt_fmi3_count((takt_variable *)reader->variables.items + first);
        reader->fmi3->n_dependencies += n;
        if (reader->fmi3->n_dependencies > TAKT_FMI3_MAX_DEPENDENCIES) return;
        for (int i = 0; i < n; i++) {
            int *item = takt_list_add(reader, &reader->indices, sizeof *item);
            if (item) *item = first + i;
        }
    }
    takt_description_take_known(reader, dependency);
}

// Reads the variable of an element of ModelStructure; -1 after an error.
static int read_unknown(reader_type *reader)
{
    const char *text = takt_xml_attribute(reader->xml, "valueReference");
    if (!text) {
        takt_description_error(reader, line_of(reader), "%s has no attribute valueReference",
                               takt_xml_name(reader->xml));
        return -1;
    }
    text = takt_description_trim(reader, text);
    return find_reference(reader, text, text + strlen(text), "valueReference");
}

// All elements of an array depend on the same.
static takt_status add_unknown(reader_type *reader, takt_list *list, takt_error *err)
{
    int first = read_unknown(reader);
    if (first < 0) return takt_xml_skip(reader->xml, err);
    takt_dependency dependency = {0};
    read_dependencies(reader, &dependency);
    int n = takt_fmi3_count((takt_variable *)reader->variables.items + first);
    if (list->n > reader->variables.n) n = 0; // listed more than once; said elsewhere
    for (int i = 0; i < n; i++) {
        takt_dependency *item = takt_list_add(reader, list, sizeof *item);
        if (!item) return takt_fail_memory(err);
        *item = dependency;
        item->variable = first + i;
    }
    return takt_xml_skip(reader->xml, err);
}

static takt_status read_output(reader_type *reader, takt_error *err)
{
    return add_unknown(reader, &reader->outputs, err);
}

static takt_status read_initial_unknown(reader_type *reader, takt_error *err)
{
    return add_unknown(reader, &reader->initial_unknowns, err);
}

static bool has_link(const reader_type *reader, int variable, int kind)
{
    const takt_link *links = reader->fmi3->links.items;
    int low = 0, high = reader->fmi3->links.n; // they are sorted by variable
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (links[middle].variable < variable)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < reader->fmi3->links.n && links[low].variable == variable; low++)
        if ((int)links[low].kind == kind) return true;
    return false;
}

// Of no use to co-simulation, but what it says must be right.
static takt_status check_linked(reader_type *reader, int kind, const char *attribute,
                                takt_error *err)
{
    int first = read_unknown(reader);
    if (first >= 0 && !has_link(reader, first, kind))
        takt_description_warn(reader, line_of(reader), "variable '%s' has no attribute %s",
                              ((takt_variable *)reader->variables.items)[first].name, attribute);
    return takt_xml_skip(reader->xml, err);
}

static takt_status read_state_derivative(reader_type *reader, takt_error *err)
{
    return check_linked(reader, TAKT_LINK_DERIVATIVE, "derivative", err);
}

static takt_status read_clocked_state(reader_type *reader, takt_error *err)
{
    return check_linked(reader, TAKT_LINK_PREVIOUS, "previous", err);
}

static takt_status read_event_indicator(reader_type *reader, takt_error *err)
{
    int first = read_unknown(reader);
    const takt_variable *variable =
        first < 0 ? NULL : (takt_variable *)reader->variables.items + first;
    if (variable && variable->variability != TAKT_CONTINUOUS)
        takt_description_warn(reader, line_of(reader),
                              "variable '%s' is an event indicator, but not continuous",
                              variable->name);
    return takt_xml_skip(reader->xml, err);
}

static takt_status read_model_structure(reader_type *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {{"Output", read_output},
                                              {"InitialUnknown", read_initial_unknown},
                                              {"ContinuousStateDerivative", read_state_derivative},
                                              {"ClockedState", read_clocked_state},
                                              {"EventIndicator", read_event_indicator},
                                              {0}};
    return takt_description_children(reader, rules, err);
}

// ---- the whole -----------------------------------------------------------------------------------

static void clear(takt_fmi3_reader *fmi3)
{
    takt_list *lists[] = {&fmi3->dimensions, &fmi3->starts, &fmi3->arrays,    &fmi3->aliases,
                          &fmi3->links,      &fmi3->clocks, &fmi3->max_sizes, &fmi3->type_clocks};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) free(lists[i]->items);
    takt_map_clear(&fmi3->unit_names);
    takt_bytes_clear(&fmi3->start);
    free(fmi3->references);
}

static void check_whole(reader_type *reader)
{
    const takt_description *out = reader->out;
    if (!out->identifier && !out->has_model_exchange && !out->fmi3.has_scheduled_execution)
        takt_description_error(reader, line_of(reader),
                               "there is none of the elements CoSimulation, ModelExchange and "
                               "ScheduledExecution");
    if (out->identifier && out->fmi3.n_clocks > 0 && !reader->model->can.events)
        takt_description_warn(reader, line_of(reader),
                              "there are clocks, but hasEventMode is not true: they never tick");
    if (reader->fmi3->n_dependencies > TAKT_FMI3_MAX_DEPENDENCIES)
        takt_description_warn(reader, line_of(reader),
                              "there are more than %d dependencies between elements of arrays; "
                              "the others are taken as dependencies on everything",
                              TAKT_FMI3_MAX_DEPENDENCIES);
    takt_description_check_outputs(reader, "ModelStructure");
}

static takt_status read_all(reader_type *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {
        {"CoSimulation", read_co_simulation},
        {"ModelExchange", takt_description_read_model_exchange},
        {"ScheduledExecution", read_scheduled_execution},
        {"UnitDefinitions", takt_description_read_units},
        {"TypeDefinitions", read_type_definitions},
        {"LogCategories", takt_description_read_categories},
        {"DefaultExperiment", takt_description_read_experiment},
        {"ModelVariables", read_model_variables},
        {"ModelStructure", read_model_structure},
        {0}};
    takt_model *model = reader->model;
    const char *name = takt_description_required(reader, "modelName");
    const char *token = takt_description_required(reader, "instantiationToken");
    model->name = name ? name : "";
    reader->out->guid = token ? token : "";
    model->tool = takt_description_text(reader, "generationTool");
    model->description = takt_description_text(reader, "description");
    model->version = "FMI 3.0";
    takt_status st = takt_description_children(reader, rules, err);
    if (st) return st;
    check_whole(reader);
    return takt_description_finish(reader, err);
}

takt_status takt_description_read_fmi3(takt_description_reader *reader, takt_error *err)
{
    takt_fmi3_reader fmi3 = {0};
    reader->fmi3 = &fmi3;
    takt_status st = read_all(reader, err);
    clear(&fmi3);
    reader->fmi3 = NULL;
    return st;
}
