// SPDX-License-Identifier: MIT
// Pieces of modelDescription.xml that several versions of FMI share; see describe.h.
#include "describe.h"
#include "core.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// ---- attributes ------------------------------------------------------------------------------------------

void fmukit_write_escaped(FILE *out, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        case '\n':
        case '\r':
        case '\t': fprintf(out, "&#%d;", *text); break;
        default:
            if ((unsigned char)*text >= ' ') fputc(*text, out); // XML has no other controls
        }
    }
}

void fmukit_put_text(FILE *out, const char *name, const char *value)
{
    if (!value) return;
    fprintf(out, " %s=\"", name);
    fmukit_write_escaped(out, value);
    fputc('"', out);
}

static void write_real(FILE *out, double value)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    fputs(text, out);
}

static void write_float(FILE *out, float value)
{
    char text[40];
    for (int digits = 6; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value) break;
    }
    fputs(text, out);
}

void fmukit_put_real(FILE *out, const char *name, double value)
{
    fprintf(out, " %s=\"", name);
    write_real(out, value);
    fputc('"', out);
}

void fmukit_put_integer(FILE *out, const char *name, int value)
{
    fprintf(out, " %s=\"%d\"", name, value);
}

void fmukit_put_true(FILE *out, const char *name, bool value)
{
    if (value) fprintf(out, " %s=\"true\"", name);
}

// A limit, in the form that the variable's type needs.
static void put_number(FILE *out, const fmukit_variable *v, const char *name, double value)
{
    if (v->type == FMUKIT_FLOAT32) {
        fprintf(out, " %s=\"", name);
        write_float(out, (float)value);
        fputc('"', out);
    } else if (fmukit_facts(v->type)->is_real) {
        fmukit_put_real(out, name, value);
    } else {
        fprintf(out, " %s=\"%.0f\"", name, value);
    }
}

static void write_item(FILE *out, fmukit_type type, const void *item)
{
    switch (type) {
    case FMUKIT_REAL: write_real(out, *(const double *)item); break;
    case FMUKIT_FLOAT32: write_float(out, *(const float *)item); break;
    case FMUKIT_BOOLEAN: fputs(*(const bool *)item ? "true" : "false", out); break;
    case FMUKIT_INT64: fprintf(out, "%" PRId64, *(const int64_t *)item); break;
    case FMUKIT_UINT64: fprintf(out, "%" PRIu64, *(const uint64_t *)item); break;
    default: fprintf(out, "%.0f", fmukit_number(type, item)); break;
    }
}

void fmukit_put_items(FILE *out, const fmukit_variable *v, const char *name, const void *items,
                      size_t n)
{
    fprintf(out, " %s=\"", name);
    for (size_t i = 0; i < n; i++) {
        if (i > 0) fputc(' ', out);
        write_item(out, v->type, (const char *)items + i * fmukit_facts(v->type)->size);
    }
    fputc('"', out);
}

void fmukit_put_start(FILE *out, const fmukit_variable *v)
{
    uint64_t item; // numbers and booleans fit
    if (v->type == FMUKIT_STRING) {
        fmukit_put_text(out, "start", v->start.string ? v->start.string : "");
        return;
    }
    fmukit_start_item(v, &item);
    fmukit_put_items(out, v, "start", &item, 1);
}

void fmukit_put_limits(FILE *out, const fmukit_variable *v)
{
    fmukit_put_text(out, "unit", v->unit);
    if (v->range.has_min) put_number(out, v, "min", v->range.min);
    if (v->range.has_max) put_number(out, v, "max", v->range.max);
    if (v->nominal != 0) put_number(out, v, "nominal", v->nominal);
}

void fmukit_put_head(FILE *out, const fmukit_model *m)
{
    fmukit_put_text(out, "description", m->description);
    fmukit_put_text(out, "author", m->author);
    fmukit_put_text(out, "version", m->version);
    fmukit_put_text(out, "generationTool", "Takt FMU kit " FMUKIT_VERSION);
    fputs(" variableNamingConvention=\"flat\"", out);
}

// ---- elements --------------------------------------------------------------------------------------------

void fmukit_write_unit(FILE *out, const fmukit_unit *u, bool is_defined)
{
    const struct {
        const char *name;
        int exponent;
    } bases[] = {{"kg", u->kg}, {"m", u->m},     {"s", u->s},   {"A", u->A},
                 {"K", u->K},   {"mol", u->mol}, {"cd", u->cd}, {"rad", u->rad}};
    fputs("    <Unit", out);
    fmukit_put_text(out, "name", u->name);
    if (!is_defined) {
        fputs("/>\n", out);
        return;
    }
    fputs(">\n      <BaseUnit", out);
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        if (bases[i].exponent) fmukit_put_integer(out, bases[i].name, bases[i].exponent);
    }
    if (u->factor != 0 && u->factor != 1) fmukit_put_real(out, "factor", u->factor);
    if (u->offset != 0) fmukit_put_real(out, "offset", u->offset);
    fputs("/>\n    </Unit>\n", out);
}

// Has the unit of variable i been written before?
static bool is_unit_known(const fmukit_model *m, size_t i)
{
    const char *unit = m->variables[i].unit;
    for (size_t j = 0; j < m->n_units; j++) {
        if (strcmp(m->units[j].name, unit) == 0) return true;
    }
    for (size_t j = 0; j < i; j++) {
        if (m->variables[j].unit && strcmp(m->variables[j].unit, unit) == 0) return true;
    }
    return false;
}

void fmukit_write_units(FILE *out, const fmukit_model *m, fmukit_unit_fn *write)
{
    bool has_units = m->n_units > 0;
    for (size_t i = 0; i < m->n_variables; i++) has_units |= m->variables[i].unit != NULL;
    if (!has_units) return; // an empty list is not allowed
    fputs("  <UnitDefinitions>\n", out);
    for (size_t i = 0; i < m->n_units; i++) write(out, &m->units[i], true);
    for (size_t i = 0; i < m->n_variables; i++) {
        if (!m->variables[i].unit || is_unit_known(m, i)) continue;
        write(out, &(const fmukit_unit){.name = m->variables[i].unit}, false);
    }
    fputs("  </UnitDefinitions>\n", out);
}

void fmukit_write_items(FILE *out, const fmukit_enumeration *e, bool has_values)
{
    for (size_t i = 0; i < e->n_items; i++) {
        fputs("        <Item", out);
        fmukit_put_text(out, "name", e->items[i].name);
        if (has_values) fmukit_put_integer(out, "value", e->items[i].value);
        fmukit_put_text(out, "description", e->items[i].description);
        fputs("/>\n", out);
    }
}

void fmukit_write_enumerations(FILE *out, const fmukit_model *m, fmukit_enumeration_fn *write)
{
    bool is_open = false;
    for (size_t i = 0; i < m->n_variables; i++) {
        const fmukit_enumeration *e = m->variables[i].enumeration;
        bool is_known = false;
        for (size_t j = 0; j < i; j++) is_known |= m->variables[j].enumeration == e;
        if (!e || is_known) continue;
        if (!is_open) fputs("  <TypeDefinitions>\n", out);
        is_open = true;
        write(out, e);
    }
    if (is_open) fputs("  </TypeDefinitions>\n", out);
}

void fmukit_write_categories(FILE *out, const fmukit_model *m, int version)
{
    fputs("  <LogCategories>\n", out);
    for (int i = 0; i < FMUKIT_N_CATEGORIES; i++) {
        fmukit_category category = fmukit_own_category(i, version);
        fputs("    <Category", out);
        fmukit_put_text(out, "name", category.name);
        fmukit_put_text(out, "description", category.description);
        fputs("/>\n", out);
    }
    for (size_t i = 0; m->log_categories && m->log_categories[i]; i++) {
        fputs("    <Category", out);
        fmukit_put_text(out, "name", m->log_categories[i]);
        fputs("/>\n", out);
    }
    fputs("    <Category name=\"logAll\" description=\"All messages\"/>\n", out);
    fputs("  </LogCategories>\n", out);
}

void fmukit_write_experiment(FILE *out, const fmukit_model *m, bool has_step_size)
{
    bool has_times = m->stop_time > m->start_time;
    bool is_step_given = has_step_size && m->step_size != 0;
    if (!has_times && !is_step_given && m->tolerance == 0) return;
    fputs("  <DefaultExperiment", out);
    if (has_times) fmukit_put_real(out, "startTime", m->start_time);
    if (has_times) fmukit_put_real(out, "stopTime", m->stop_time);
    if (m->tolerance != 0) fmukit_put_real(out, "tolerance", m->tolerance);
    if (is_step_given) fmukit_put_real(out, "stepSize", m->step_size);
    fputs("/>\n", out);
}

// ---- structure -------------------------------------------------------------------------------------------

// What belongs to a clock need not be listed as an initial unknown (FMI 3.0, section 2.2.8.3).
bool fmukit_is_unknown(const fmukit_model *m, const fmukit_variable *v, fmukit_unknowns kind)
{
    if (kind == FMUKIT_OUTPUTS) return v->causality == FMUKIT_OUTPUT;
    if (kind == FMUKIT_DERIVATIVES) return v->derivative_of != NULL;
    if (kind == FMUKIT_INDICATORS) return v->is_indicator;
    if (v->clocks) return false;
    bool is_computed =
        v->causality == FMUKIT_OUTPUT || v->derivative_of != NULL || fmukit_is_state(m, v);
    return v->causality == FMUKIT_CALCULATED_PARAMETER ||
           (is_computed && fmukit_initial_of(v) != FMUKIT_EXACT);
}

// Does `unknown` depend on `other`? Between events on inputs and states. During initialization every value
// may come from parameters and other exact start values, but not from clocks, which do not tick then.
static bool is_known_of(const fmukit_model *m, const fmukit_variable *unknown,
                        const fmukit_variable *other, bool initially)
{
    if (initially && other->type == FMUKIT_CLOCK) return false;
    if (!initially && fmukit_is_state(m, other)) return fmukit_depends_on_state(m, unknown, other);
    if (!initially && fmukit_is_state(m, unknown)) return false;
    if (other->causality == FMUKIT_INPUT) return fmukit_depends_on(unknown, other, initially);
    return initially && fmukit_initial_of(other) == FMUKIT_EXACT &&
           fmukit_variability_of(other) != FMUKIT_CONSTANT;
}

void fmukit_put_dependencies(FILE *out, const fmukit_model *m, size_t unknown, bool initially,
                             size_t first)
{
    fputs(" dependencies=\"", out);
    const char *blank = "";
    for (size_t j = 0; j < m->n_variables; j++) {
        if (!is_known_of(m, &m->variables[unknown], &m->variables[j], initially)) continue;
        fprintf(out, "%s%lu", blank, (unsigned long)(first + j));
        blank = " ";
    }
    fputc('"', out);
}
