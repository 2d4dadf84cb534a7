// SPDX-License-Identifier: MIT
// Can a variable be set, is a text a value of its type, and is it within its limits? See start_check.h.
#include "system/start_check.h"

#include <string.h>

#include "base/text.h"

static bool is_settable(const takt_variable *variable)
{
    if (variable->variability == TAKT_CONSTANT) return false;
    return variable->causality == TAKT_INPUT || variable->initial == TAKT_EXACT ||
           variable->initial == TAKT_APPROX;
}

static void report_not_settable(takt_builder *builder, const takt_project_assignment *given,
                                const char *owner, const takt_variable *variable)
{
    takt_problem(&builder->problems, given->if_missing, given->place,
                 "%s.%s cannot be set: it is %s (causality %s, variability %s, initial %s)", owner,
                 variable->name,
                 variable->variability == TAKT_CONSTANT ? "constant" : "calculated by the FMU",
                 takt_causality_name(variable->causality),
                 takt_variability_name(variable->variability),
                 takt_initial_name(variable->initial));
}

// Types between which a value in text form means the same.
static int family(const char *type)
{
    static const char *const others[] = {"Boolean", "String", "Binary", "Clock"};
    if (strncmp(type, "Float", 5) == 0) return -1;
    for (int i = 0; i < 4; i++)
        if (strcmp(type, others[i]) == 0) return 1 + i;
    return 0; // integers and enumerations
}

// Is a value declared as one type a value of another? Whole numbers are numbers.
static bool fits(const char *declared, const char *type)
{
    return family(declared) == family(type) || (family(declared) == 0 && family(type) == -1);
}

static void check_limits(takt_builder *builder, const takt_project_assignment *given,
                         const char *owner, const takt_variable *variable, const takt_value *value)
{
    takt_kind kind = takt_type_kind(variable->type);
    if (kind == TAKT_KIND_BYTES || variable->type == TAKT_BOOLEAN) return;
    double number = kind == TAKT_KIND_REAL          ? value->real
                    : variable->type == TAKT_UINT64 ? (double)(uint64_t)value->integer
                                                    : (double)value->integer;
    if (number < variable->min)
        takt_problem(&builder->problems, TAKT_LEVEL_WARN, given->place,
                     "%s.%s = %s is less than the FMU's minimum %.15g", owner, variable->name,
                     given->value, variable->min);
    if (number > variable->max)
        takt_problem(&builder->problems, TAKT_LEVEL_WARN, given->place,
                     "%s.%s = %s is greater than the FMU's maximum %.15g", owner, variable->name,
                     given->value, variable->max);
}

// The items of a variable's enumeration; NULL: not known.
static const takt_type_definition *items_of(const takt_model *model, const takt_variable *variable)
{
    if (variable->type != TAKT_ENUMERATION) return NULL;
    const takt_type_definition *type = takt_model_type(model, variable->declared_type);
    return type && type->n_items ? type : NULL;
}

// "; its items are 'on' (1), 'off' (2)": what the value of an enumeration may be.
static void describe_items(const takt_type_definition *type, takt_text *out)
{
    enum { MAX_NAMED = 10 };
    for (int i = 0; i < type->n_items && i < MAX_NAMED; i++)
        takt_text_print(out, "%s'%s' (%lld)", i ? ", " : "; its items are ", type->items[i].name,
                        (long long)type->items[i].value);
    if (type->n_items > MAX_NAMED) takt_text_add(out, ", ...");
}

// What the user can write instead.
static void describe_values(const takt_component *owner, const takt_variable *variable,
                            const char *given, takt_text *out)
{
    const takt_type_definition *items = items_of(owner->model, variable);
    const char *nearest = items ? takt_builder_nearest_item(owner, variable, given) : NULL;
    int64_t least, greatest;
    takt_type_range(variable->type, &least, &greatest);
    if (nearest)
        takt_text_print(out, "; did you mean '%s'?", nearest);
    else if (items)
        describe_items(items, out);
    else if (variable->type == TAKT_ENUMERATION)
        takt_text_add(out, "; write the number of the item");
    else if (variable->type == TAKT_BOOLEAN || variable->type == TAKT_CLOCK)
        takt_text_add(out, "; write true or false");
    else if (variable->type == TAKT_BINARY)
        takt_text_add(out, "; write bytes as two hexadecimal digits each, such as 00ff");
    else if (variable->type == TAKT_UINT64)
        takt_text_print(out, "; write a whole number from 0 to %llu",
                        (unsigned long long)UINT64_MAX);
    else if (takt_type_kind(variable->type) == TAKT_KIND_INTEGER)
        takt_text_print(out, "; write a whole number from %lld to %lld", (long long)least,
                        (long long)greatest);
    else if (strchr(given, ','))
        takt_text_add(out, "; write numbers with a decimal point");
}

static void report_wrong_value(takt_builder *builder, const takt_project_assignment *given,
                               const takt_component *owner, const takt_variable *variable,
                               const char *text)
{
    takt_text hint = {0};
    describe_values(owner, variable, text, &hint);
    takt_problem(&builder->problems, TAKT_LEVEL_ERROR, given->place,
                 "%s.%s: '%s' is not a value of type %s%s", owner->name, variable->name, text,
                 takt_type_name(variable->type), hint.data ? hint.data : "");
    takt_text_clear(&hint);
}

// An FMU may refuse the number of no item.
static void check_item(takt_builder *builder, const takt_project_assignment *given,
                       const takt_component *owner, const takt_variable *variable, int64_t number)
{
    const takt_type_definition *type = items_of(owner->model, variable);
    for (int i = 0; type && i < type->n_items; i++)
        if (type->items[i].value == number) return;
    if (!type) return;
    takt_text items = {0};
    describe_items(type, &items);
    takt_problem(&builder->problems, TAKT_LEVEL_WARN, given->place,
                 "%s.%s = %lld is no item of the enumeration%s", owner->name, variable->name,
                 (long long)number, items.data ? items.data : "");
    takt_text_clear(&items);
}

bool takt_start_read(takt_builder *builder, const takt_project_assignment *given,
                     const takt_start_goal *to, const char *text, takt_value *out)
{
    takt_reference target = to->variable;
    const takt_component *owner = &builder->system->components[target.component];
    const takt_variable *variable = &owner->model->variables[target.variable];
    if (is_settable(variable)) return takt_start_read_value(builder, given, to, text, out);
    report_not_settable(builder, given, owner->name, variable);
    return false;
}

bool takt_start_read_value(takt_builder *builder, const takt_project_assignment *given,
                           const takt_start_goal *to, const char *text, takt_value *out)
{
    takt_reference target = to->variable;
    const takt_component *owner = &builder->system->components[target.component];
    const takt_variable *variable = &owner->model->variables[target.variable];
    const char *type = takt_type_name(variable->type);
    bool is_mapped = given->n_hops || to->alias; // perhaps into another type
    if (given->type && !is_mapped && !fits(given->type, type)) {
        takt_problem(&builder->problems, TAKT_LEVEL_ERROR, given->place,
                     "%s.%s is %s, but the value is declared as %s", owner->name, variable->name,
                     type, given->type);
        return false;
    }
    text = takt_builder_convert_text(builder, given, to->alias, target, text);
    if (!text) return false;
    if (!takt_value_read(variable->type, text, &builder->system->arena, out)) {
        if (variable->type == TAKT_STRING ||
            (variable->type == TAKT_BINARY && takt_value_is_hex(text)))
            builder->is_out_of_memory = true;
        else
            report_wrong_value(builder, given, owner, variable, text);
        return false;
    }
    if (given->is_difference) return true;
    check_limits(builder, given, owner->name, variable, out);
    check_item(builder, given, owner, variable, out->integer);
    return true;
}
