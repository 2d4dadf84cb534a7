// SPDX-License-Identifier: MIT
// Parts of model descriptions that several FMI versions have in common; see description_parts.h.
#include "description/elements.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "description/rules.h"
#include "description/words.h"

typedef takt_description_reader reader_type;

int takt_description_line(const reader_type *reader)
{
    return takt_xml_line(reader->xml);
}

const char *takt_description_type_name(const reader_type *reader, takt_type type)
{
    if (reader->out->fmi_major >= 3) return takt_type_name(type);
    return type == TAKT_FLOAT64 ? "Real" : type == TAKT_INT32 ? "Integer" : takt_type_name(type);
}

void takt_description_root(reader_type *reader, const char *token_name, const char *version)
{
    takt_model *model = reader->model;
    const char *name = takt_description_required(reader, "modelName");
    const char *token = takt_description_required(reader, token_name);
    model->name = name ? name : "";
    reader->out->guid = token ? token : "";
    model->tool = takt_description_text(reader, "generationTool");
    model->description = takt_description_text(reader, "description");
    model->version = version;
}

// ---- interfaces and experiment -------------------------------------------------------------------

void takt_description_flags(reader_type *reader, const takt_flag *flags, size_t n)
{
    for (size_t i = 0; i < n; i++)
        *flags[i].value = takt_description_boolean(reader, flags[i].name, false);
}

// The identifier becomes a file name: it must not lead elsewhere.
static bool is_c_identifier(const char *text)
{
    for (const char *c = text; *c; c++) {
        bool is_letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_';
        bool is_digit = *c >= '0' && *c <= '9';
        if (!is_letter && !(is_digit && c > text)) return false;
    }
    return text[0] != 0;
}

const char *takt_description_identifier(reader_type *reader)
{
    const char *identifier = takt_description_required(reader, "modelIdentifier");
    if (!identifier) return "";
    if (is_c_identifier(identifier)) return identifier;
    if (identifier[0] == 0 || strpbrk(identifier, "/\\") || strcmp(identifier, "..") == 0)
        takt_description_error(reader, takt_description_line(reader),
                               "modelIdentifier '%.100s' cannot be the name of a library",
                               identifier);
    else
        takt_description_warn(reader, takt_description_line(reader),
                              "modelIdentifier '%.100s' is not an identifier of C", identifier);
    return identifier;
}

takt_status takt_description_read_experiment(reader_type *reader, takt_error *err)
{
    takt_default_experiment *e = &reader->model->experiment;
    const struct {
        const char *name;
        bool *is_given;
        double *value;
    } numbers[] = {{"startTime", &e->has_start, &e->start},
                   {"stopTime", &e->has_stop, &e->stop},
                   {"tolerance", &e->has_tolerance, &e->tolerance},
                   {"stepSize", &e->has_step, &e->step}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        double value = takt_description_number(reader, numbers[i].name, NAN);
        if (!isfinite(value)) continue;
        *numbers[i].is_given = true;
        *numbers[i].value = value;
    }
    return takt_xml_skip(reader->xml, err);
}

static takt_status read_category(reader_type *reader, takt_error *err)
{
    const char *name = takt_description_required(reader, "name");
    for (int i = 0; name && i < reader->categories.n && i < 100; i++)
        if (strcmp(((const char **)reader->categories.items)[i], name) == 0)
            takt_description_note(reader, takt_description_line(reader),
                                  "the category '%.100s' is defined twice", name);
    const char **item = name ? takt_list_add(reader, &reader->categories, sizeof *item) : NULL;
    if (item) *item = name;
    return takt_xml_skip(reader->xml, err);
}

takt_status takt_description_read_categories(reader_type *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {{"Category", read_category}, {0}};
    return takt_description_children(reader, rules, err);
}

// ---- units ---------------------------------------------------------------------------------------

static takt_status read_base_unit(reader_type *reader, takt_error *err)
{
    takt_list *units = &reader->units;
    takt_unit *unit = (takt_unit *)units->items + units->n - 1;
    const struct {
        const char *name;
        int *exponent;
    } bases[] = {{"kg", &unit->kg}, {"m", &unit->m},     {"s", &unit->s},   {"A", &unit->A},
                 {"K", &unit->K},   {"mol", &unit->mol}, {"cd", &unit->cd}, {"rad", &unit->rad}};
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        *bases[i].exponent =
            (int)takt_description_integer(reader, bases[i].name, INT32_MIN, INT32_MAX, 0);
    unit->factor = takt_description_number(reader, "factor", 1);
    unit->offset = takt_description_number(reader, "offset", 0);
    unit->has_base = true;
    return takt_xml_skip(reader->xml, err);
}

// Keeps a display unit: value there = factor * value in the unit + offset. One whose relation to the
// unit is not known or not linear is passed over; it matters only to users who type values.
static bool add_display_unit(reader_type *reader, const takt_unit *unit, const char *name)
{
    double factor = 1, offset = 0;
    const char *f = takt_xml_attribute(reader->xml, "factor");
    const char *o = takt_xml_attribute(reader->xml, "offset");
    const char *inverse = takt_xml_attribute(reader->xml, "inverse");
    bool is_linear = !inverse || strcmp(inverse, "false") == 0 || strcmp(inverse, "0") == 0;
    bool is_known = unit->has_base && is_linear &&
                    (!f || takt_number_read(f, f + strlen(f), &factor)) &&
                    (!o || takt_number_read(o, o + strlen(o), &offset));
    if (!is_known || factor == 0 || !isfinite(factor) || !isfinite(offset)) return true;
    takt_unit *shown = takt_list_add(reader, &reader->shown_units, sizeof *shown);
    if (!shown) return false;
    *shown = *unit;
    shown->name = name;
    shown->factor = unit->factor / factor;
    shown->offset = unit->offset - unit->factor * offset / factor;
    return true;
}

static takt_status read_display_unit(reader_type *reader, takt_error *err)
{
    const takt_unit *unit = (takt_unit *)reader->units.items + reader->units.n - 1;
    const char *name = takt_description_required(reader, "name");
    if (name) takt_rules_add_display_unit(reader, unit->name, name);
    if (name && !add_display_unit(reader, unit, name)) return takt_fail_memory(err);
    return takt_xml_skip(reader->xml, err);
}

static takt_status read_unit(reader_type *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {
        {"BaseUnit", read_base_unit}, {"DisplayUnit", read_display_unit}, {0}};
    const char *name = takt_description_required(reader, "name");
    takt_unit *unit = takt_list_add(reader, &reader->units, sizeof *unit);
    if (!unit) return takt_fail_memory(err);
    *unit = (takt_unit){.name = name ? name : "", .factor = 1};
    return takt_description_children(reader, rules, err);
}

takt_status takt_description_read_units(reader_type *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {{"Unit", read_unit}, {0}};
    return takt_description_children(reader, rules, err);
}

// ---- types ---------------------------------------------------------------------------------------

void takt_description_limits(reader_type *reader, double *min, double *max, double *nominal)
{
    *min = takt_description_number(reader, "min", NAN);
    *max = takt_description_number(reader, "max", NAN);
    if (nominal) *nominal = takt_description_number(reader, "nominal", NAN);
    if (*min > *max)
        takt_description_warn(reader, takt_description_line(reader),
                              "min %g is greater than max %g", *min, *max);
}

takt_status takt_description_add_type(reader_type *reader, takt_error *err)
{
    const char *name = takt_description_required(reader, "name");
    takt_type_definition *type = takt_list_add(reader, &reader->types, sizeof *type);
    if (!type) return takt_fail_memory(err);
    *type = (takt_type_definition){.name = name ? name : "",
                                   .min = NAN,
                                   .max = NAN,
                                   .nominal = NAN,
                                   .line = takt_description_line(reader)};
    reader->type = type;
    if (takt_map_find(&reader->type_names, type->name) >= 0)
        takt_description_warn(reader, type->line, "the type '%s' is defined twice", type->name);
    else if (!takt_map_add(&reader->type_names, type->name, reader->types.n - 1))
        return takt_fail_memory(err);
    return TAKT_OK;
}

takt_status takt_description_add_item(reader_type *reader, int64_t least, int64_t greatest,
                                      takt_error *err)
{
    const char *name = takt_description_required(reader, "name");
    if (!takt_xml_attribute(reader->xml, "value"))
        takt_description_error(reader, takt_description_line(reader),
                               "Item has no attribute value");
    int64_t value = takt_description_integer(reader, "value", least, greatest, 0);
    const char *description = takt_description_text(reader, "description");
    takt_enumeration_item *item = takt_list_add(reader, &reader->items, sizeof *item);
    if (item) *item = (takt_enumeration_item){name ? name : "", description, value};
    return takt_xml_skip(reader->xml, err);
}

void takt_description_take_items(reader_type *reader)
{
    reader->type->n_items = reader->items.n;
    reader->type->items = takt_list_take(reader, &reader->items, sizeof *reader->type->items);
}

// ---- variables -----------------------------------------------------------------------------------

// Some tools leave out what they think is clear; then the nearest meaning is taken.
static takt_variability nearest_variability(const takt_variable *variable)
{
    takt_causality causality = variable->causality;
    if (causality == TAKT_PARAMETER || causality == TAKT_CALCULATED_PARAMETER ||
        causality == TAKT_STRUCTURAL_PARAMETER)
        return TAKT_FIXED;
    return takt_type_kind(variable->type) == TAKT_KIND_REAL ? TAKT_CONTINUOUS : TAKT_DISCRETE;
}

// What an absent attribute means: in FMI 3.0 it depends on the causality.
static takt_variability default_variability(const reader_type *reader,
                                            const takt_variable *variable)
{
    if (reader->out->fmi_major >= 3) return nearest_variability(variable);
    return variable->type == TAKT_FLOAT64 ? TAKT_CONTINUOUS : TAKT_DISCRETE;
}

// Which values of `initial` a combination of variability and causality allows, the default first.
typedef struct initial_rule {
    bool is_allowed; // the combination itself
    takt_initial initial[3];
    int n;
} initial_rule;

// FMI 2.0.5, section 2.2.7; FMI 3.0.2, section 2.4.7.4. Inputs have none with us, see model.h, but FMI 3.0
// allows to call them exact.
static initial_rule rule_for(const reader_type *reader, const takt_variable *variable)
{
    static const initial_rule a = {true, {TAKT_EXACT}, 1},
                              b = {true, {TAKT_CALCULATED, TAKT_APPROX}, 2},
                              c = {true, {TAKT_CALCULATED, TAKT_EXACT, TAKT_APPROX}, 3},
                              none = {true, {TAKT_INITIAL_NONE}, 1},
                              input = {true, {TAKT_INITIAL_NONE, TAKT_EXACT}, 2};
    const initial_rule never = {0};
    takt_variability variability = variable->variability;
    bool is_signal = variability == TAKT_DISCRETE || variability == TAKT_CONTINUOUS;
    bool is_data = variability == TAKT_FIXED || variability == TAKT_TUNABLE;
    switch (variable->causality) {
    case TAKT_PARAMETER:
    case TAKT_STRUCTURAL_PARAMETER: return is_data ? a : never;
    case TAKT_CALCULATED_PARAMETER: return is_data ? b : never;
    case TAKT_INPUT: return !is_signal ? never : reader->out->fmi_major >= 3 ? input : none;
    case TAKT_OUTPUT: return variability == TAKT_CONSTANT ? a : is_signal ? c : never;
    case TAKT_LOCAL: return variability == TAKT_CONSTANT ? a : is_data ? b : c;
    case TAKT_INDEPENDENT: return variability == TAKT_CONTINUOUS ? none : never;
    default: return never;
    }
}

void takt_description_settle(reader_type *reader, takt_variable *variable, bool has_initial)
{
    if ((int)variable->variability == -1)
        variable->variability = default_variability(reader, variable);
    initial_rule rule = rule_for(reader, variable);
    if (!rule.is_allowed) {
        takt_variability nearest = nearest_variability(variable);
        takt_description_warn(reader, variable->line,
                              "variable '%s': variability %s is not allowed with causality %s; "
                              "taken as %s",
                              variable->name, takt_variability_name(variable->variability),
                              takt_causality_name(variable->causality),
                              takt_variability_name(nearest));
        variable->variability = nearest;
        rule = rule_for(reader, variable);
    }
    for (int i = 0; i < rule.n; i++)
        if (has_initial && rule.initial[i] == variable->initial) return;
    if (has_initial)
        takt_description_warn(reader, variable->line,
                              "variable '%s': initial %s is not allowed with causality %s and "
                              "variability %s; taken as %s",
                              variable->name, takt_initial_name(variable->initial),
                              takt_causality_name(variable->causality),
                              takt_variability_name(variable->variability),
                              takt_initial_name(rule.initial[0]));
    variable->initial = rule.initial[0];
}

void takt_description_check_start(reader_type *reader, const takt_variable *variable)
{
    bool is_needed = variable->initial == TAKT_EXACT || variable->initial == TAKT_APPROX ||
                     variable->causality == TAKT_INPUT;
    if (is_needed && !variable->has_start)
        takt_description_warn(reader, variable->line, "variable '%s' has no start value",
                              variable->name);
    if (!is_needed && variable->has_start)
        takt_description_warn(reader, variable->line,
                              "variable '%s' must not have a start value: it is %s", variable->name,
                              variable->initial == TAKT_CALCULATED ? "calculated" : "independent");
}

void takt_description_add_name(reader_type *reader, int index)
{
    const takt_variable *variables = reader->variables.items, *variable = &variables[index];
    takt_map *names = &reader->model->names;
    int earlier = takt_map_find(names, variable->name);
    if (earlier < 0) {
        if (!takt_map_add(names, variable->name, index)) reader->out_of_memory = true;
        return;
    }
    const takt_variable *other = &variables[earlier];
    if (other->reference == variable->reference && other->type == variable->type)
        takt_description_warn(reader, variable->line,
                              "variable '%s' occurs twice (first in line %d)", variable->name,
                              other->line);
    else
        takt_description_error(reader, variable->line,
                               "variable '%s' occurs twice (first in line %d) with different value "
                               "references or types",
                               variable->name, other->line);
}

void takt_description_begin_variable(reader_type *reader, const takt_word *causalities,
                                     takt_variable *variable)
{
    const char *name = takt_description_required(reader, "name");
    *variable = (takt_variable){.name = name ? name : "",
                                .description = takt_description_text(reader, "description"),
                                .type = TAKT_N_TYPES,
                                .min = NAN,
                                .max = NAN,
                                .nominal = NAN,
                                .line = takt_description_line(reader)};
    if (reader->is_structured && name && !takt_word_is_structured(name))
        takt_description_note(reader, variable->line,
                              "variable '%s' has a name that is not structured, although "
                              "variableNamingConvention says so",
                              name);
    if (!takt_xml_attribute(reader->xml, "valueReference"))
        takt_description_error(reader, variable->line, "variable '%s' has no valueReference",
                               variable->name);
    variable->reference =
        (uint32_t)takt_description_integer(reader, "valueReference", 0, UINT32_MAX, 0);
    variable->causality =
        (takt_causality)takt_description_choice(reader, "causality", causalities, TAKT_LOCAL);
}

bool takt_description_attributes(reader_type *reader, const takt_word *causalities,
                                 takt_variable *variable)
{
    static const takt_word variabilities[] = {
        {"constant", TAKT_CONSTANT}, {"fixed", TAKT_FIXED},           {"tunable", TAKT_TUNABLE},
        {"discrete", TAKT_DISCRETE}, {"continuous", TAKT_CONTINUOUS}, {0}};
    static const takt_word initials[] = {
        {"exact", TAKT_EXACT}, {"approx", TAKT_APPROX}, {"calculated", TAKT_CALCULATED}, {0}};
    takt_description_begin_variable(reader, causalities, variable);
    variable->variability =
        (takt_variability)takt_description_choice(reader, "variability", variabilities, -1);
    variable->initial =
        (takt_initial)takt_description_choice(reader, "initial", initials, TAKT_INITIAL_NONE);
    return variable->initial != TAKT_INITIAL_NONE;
}

// ---- model structure -----------------------------------------------------------------------------

bool takt_description_token(const char **text, const char **begin, const char **end)
{
    static const char blanks[] = " \t\r\n";
    *begin = *text + strspn(*text, blanks);
    *end = *text = *begin + strcspn(*begin, blanks);
    return *begin < *end;
}

void takt_description_take_known(reader_type *reader, takt_dependency *dependency)
{
    size_t n = (size_t)reader->indices.n;
    int *known = takt_arena_array(&reader->model->arena, n, sizeof *known);
    if (!known) reader->out_of_memory = true;
    if (!known) return;
    if (n) memcpy(known, reader->indices.items, n * sizeof *known);
    dependency->is_known = true;
    dependency->n_known = reader->indices.n;
    dependency->known = known;
}

void takt_description_check_outputs(reader_type *reader, const char *list)
{
    const takt_variable *variables = reader->variables.items;
    const takt_dependency *outputs = reader->outputs.items;
    bool *is_listed = calloc((size_t)reader->variables.n + 1, sizeof *is_listed);
    if (!is_listed) reader->out_of_memory = true;
    if (!is_listed) return;
    for (int i = 0; i < reader->outputs.n; i++) {
        const takt_variable *variable = &variables[outputs[i].variable];
        if (variable->causality != TAKT_OUTPUT)
            takt_description_warn(reader, variable->line,
                                  "variable '%s' is listed in %s, but has causality %s",
                                  variable->name, list, takt_causality_name(variable->causality));
        if (is_listed[outputs[i].variable])
            takt_description_warn(reader, variable->line, "variable '%s' is listed twice in %s",
                                  variable->name, list);
        is_listed[outputs[i].variable] = true;
    }
    for (int i = 0; i < reader->variables.n; i++)
        if (variables[i].causality == TAKT_OUTPUT && !is_listed[i])
            takt_description_warn(reader, variables[i].line, "output '%s' is not listed in %s",
                                  variables[i].name, list);
    free(is_listed);
}

// ---- after reading -------------------------------------------------------------------------------

static double either(double own, double inherited, double fallback)
{
    return !isnan(own) ? own : !isnan(inherited) ? inherited : fallback;
}

void takt_description_inherit(reader_type *reader, takt_variable *variable)
{
    static const takt_type_definition none = {.min = NAN, .max = NAN, .nominal = NAN};
    const takt_type_definition *type = &none;
    if (variable->declared_type) {
        int index = takt_map_find(&reader->type_names, variable->declared_type);
        if (index >= 0) type = (takt_type_definition *)reader->types.items + index;
        if (index < 0)
            takt_description_warn(reader, variable->line,
                                  "variable '%s': declaredType '%.100s' is not defined",
                                  variable->name, variable->declared_type);
        else if (type->type != variable->type)
            takt_description_warn(
                reader, variable->line,
                "variable '%s' has type %s, but its declaredType '%.100s' has %s", variable->name,
                takt_description_type_name(reader, variable->type), variable->declared_type,
                takt_description_type_name(reader, type->type));
    }
    if (!variable->unit) variable->unit = type->unit;
    variable->min = either(variable->min, type->min, -INFINITY);
    variable->max = either(variable->max, type->max, INFINITY);
    variable->nominal = either(variable->nominal, type->nominal, 1);
}

takt_status takt_description_finish(reader_type *reader, takt_error *err)
{
    takt_model *model = reader->model;
    for (int i = 0; i < reader->types.n; i++) {
        takt_type_definition *type = (takt_type_definition *)reader->types.items + i;
        type->min = either(type->min, NAN, -INFINITY);
        type->max = either(type->max, NAN, INFINITY);
        type->nominal = either(type->nominal, NAN, 1);
    }
    model->n_variables = reader->variables.n;
    model->variables = takt_list_take(reader, &reader->variables, sizeof *model->variables);
    model->n_units = reader->units.n;
    model->units = takt_list_take(reader, &reader->units, sizeof *model->units);
    model->n_display_units = reader->shown_units.n;
    model->display_units =
        takt_list_take(reader, &reader->shown_units, sizeof *model->display_units);
    model->n_types = reader->types.n;
    model->types = takt_list_take(reader, &reader->types, sizeof *model->types);
    model->n_outputs = reader->outputs.n;
    model->outputs = takt_list_take(reader, &reader->outputs, sizeof *model->outputs);
    model->n_initial_unknowns = reader->initial_unknowns.n;
    model->initial_unknowns =
        takt_list_take(reader, &reader->initial_unknowns, sizeof *model->initial_unknowns);
    reader->out->n_categories = reader->categories.n;
    reader->out->categories =
        takt_list_take(reader, &reader->categories, sizeof *reader->out->categories);
    return reader->out_of_memory ? takt_fail_memory(err) : TAKT_OK;
}
