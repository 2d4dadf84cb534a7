// SPDX-License-Identifier: MIT
// Variables of model descriptions of FMI 3.0 (specification 3.0.2, section 2.4.7): their attributes and
// child elements. Arrays are expanded later, see fmi3_reader.h.
#include "description/fmi3_variables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "description/elements.h"
#include "description/rules.h"
#include "description/variables.h"
#include "description/visit.h"

typedef takt_description_reader reader_type;

static int line_of(const reader_type *reader)
{
    return takt_description_line(reader);
}

// ---- clocks --------------------------------------------------------------------------------------

static void read_counters(reader_type *reader, takt_fmi3_clock *clock)
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

void takt_fmi3_read_clock(reader_type *reader, takt_fmi3_clock *clock)
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
    clock->supports_fraction =
        takt_description_boolean(reader, "supportsFraction", clock->supports_fraction);
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

const takt_fmi3_clock takt_fmi3_unknown_clock = {.kind = (takt_clock_kind)-1};

static const takt_fmi3_clock *clock_of_type(const reader_type *reader, const char *name)
{
    int type = name ? takt_map_find(&reader->type_names, name) : -1;
    int i = takt_fmi3_find_clock(&reader->fmi3->type_clocks, type);
    return i < 0 ? &takt_fmi3_unknown_clock
                 : (takt_fmi3_clock *)reader->fmi3->type_clocks.items + i;
}

static void check_clock(reader_type *reader, const takt_variable *variable, takt_fmi3_clock *clock)
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
        takt_description_note(reader, variable->line,
                              "clock '%s' must not have an interval: it is not periodic",
                              variable->name);
    }
    bool is_allowed = variable->causality == TAKT_INPUT || variable->causality == TAKT_OUTPUT ||
                      variable->causality == TAKT_LOCAL;
    if (!is_allowed)
        takt_description_error(reader, variable->line, "clock '%s' has causality %s",
                               variable->name, takt_causality_name(variable->causality));
    else if (variable->causality != TAKT_INPUT && clock->kind != TAKT_CLOCK_TRIGGERED)
        takt_description_note(
            reader, variable->line,
            "clock '%s' is no input, so its intervalVariability must be triggered", variable->name);
}

static takt_status add_clock(reader_type *reader, takt_variable *variable, takt_error *err)
{
    takt_fmi3_clock *clock = takt_list_add(reader, &reader->fmi3->clocks, sizeof *clock);
    if (!clock) return takt_fail_memory(err);
    *clock = *clock_of_type(reader, variable->declared_type);
    clock->variable = reader->variables.n - 1;
    takt_fmi3_read_clock(reader, clock);
    check_clock(reader, variable, clock);
    return TAKT_OK;
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

bool takt_fmi3_read_value(reader_type *reader, takt_type type, const char *text, takt_value *out)
{
    bool ok = takt_value_read(type == TAKT_ENUMERATION ? TAKT_INT64 : type, text,
                              &reader->model->arena, out);
    bool is_possible = type == TAKT_STRING || (type == TAKT_BINARY && takt_value_is_hex(text));
    if (!ok && is_possible) reader->out_of_memory = true;
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

// One value reference out of a list; an error otherwise.
bool takt_fmi3_read_reference(reader_type *reader, const char *name, const char *begin,
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

static void add_link(reader_type *reader, takt_link_kind kind, uint32_t reference)
{
    takt_link *link = takt_list_add(reader, &reader->fmi3->links, sizeof *link);
    if (!link) return;
    link->kind = kind;
    link->variable = reader->variables.n - 1;
    link->reference = reference;
    link->line = line_of(reader);
}

static void read_links(reader_type *reader, takt_variable *variable)
{
    const char *text = takt_xml_attribute(reader->xml, "clocks"), *begin, *end;
    uint32_t reference;
    int n = 0;
    for (; text && takt_description_token(&text, &begin, &end); n++)
        if (takt_fmi3_read_reference(reader, "clocks", begin, end, &reference))
            add_link(reader, TAKT_LINK_CLOCK, reference);
    if (text && n == 0)
        takt_description_note(reader, variable->line, "variable '%s': clocks is empty",
                              variable->name);
    static const struct {
        const char *name;
        takt_link_kind kind;
    } links[] = {{"previous", TAKT_LINK_PREVIOUS}, {"derivative", TAKT_LINK_DERIVATIVE}};
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        const char *value = takt_xml_attribute(reader->xml, links[i].name);
        if (value) value = takt_description_trim(reader, value);
        if (value && takt_fmi3_read_reference(reader, links[i].name, value, value + strlen(value),
                                              &reference))
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

bool takt_fmi3_has_limits(takt_type type)
{
    return takt_type_kind(type) != TAKT_KIND_BYTES && type != TAKT_BOOLEAN && type != TAKT_CLOCK;
}

static void read_typed_attributes(reader_type *reader, takt_variable *variable)
{
    bool is_real = takt_type_kind(variable->type) == TAKT_KIND_REAL;
    variable->declared_type = takt_description_text(reader, "declaredType");
    if (is_real) variable->unit = takt_description_text(reader, "unit");
    if (is_real)
        variable->is_relative = takt_description_boolean(reader, "relativeQuantity", false);
    if (takt_fmi3_has_limits(variable->type))
        takt_description_limits(reader, &variable->min, &variable->max,
                                is_real ? &variable->nominal : NULL);
    if (variable->type == TAKT_BINARY) read_max_size(reader);
    takt_rules_note_attributes(reader, variable);
    if (variable->name[0] == 0)
        takt_description_note(reader, variable->line, "a variable has an empty name");
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
        takt_description_note(
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

// Variability, initial and the attributes that depend on them.
static void settle(reader_type *reader, takt_variable *variable, bool has_initial, bool is_updated)
{
    bool is_real = takt_type_kind(variable->type) == TAKT_KIND_REAL;
    if (!is_real && variable->variability == TAKT_CONTINUOUS) {
        takt_description_note(reader, variable->line,
                              "variable '%s' of type %s cannot be continuous; taken as discrete",
                              variable->name, takt_type_name(variable->type));
        variable->variability = TAKT_DISCRETE;
    }
    takt_description_settle(reader, variable, has_initial);
    if (variable->causality == TAKT_INPUT || variable->type == TAKT_CLOCK)
        variable->initial = TAKT_INITIAL_NONE;
    if (variable->type == TAKT_CLOCK)
        variable->variability = TAKT_DISCRETE;
    else
        takt_description_check_start(reader, variable);
    if (is_updated && variable->variability != TAKT_CONTINUOUS)
        takt_description_note(reader, variable->line,
                              "variable '%s' is %s and must not have intermediateUpdate",
                              variable->name, takt_variability_name(variable->variability));
    variable->is_held = !is_updated; // only within a step can it be anything else
    if (variable->causality == TAKT_STRUCTURAL_PARAMETER)
        reader->out->fmi3.has_structural_parameters = true;
}

takt_status takt_fmi3_read_variable(reader_type *reader, takt_type type, takt_error *err)
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
