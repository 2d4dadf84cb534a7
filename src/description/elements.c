// SPDX-License-Identifier: MIT
// Elements of model descriptions that several FMI versions have in common; see elements.h.
#include "description/elements.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "description/rules.h"
#include "description/visit.h"

typedef takt_description_reader reader_type;

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
        takt_description_note(reader, takt_description_line(reader),
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
    takt_rules_check_experiment(reader);
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
        takt_description_note(reader, takt_description_line(reader),
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
        takt_description_note(reader, type->line, "the type '%s' is defined twice", type->name);
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
