// SPDX-License-Identifier: MIT
// Writes modelDescription.xml of FMI 2.0 (section 2.2) from the author's description. Value
// references are indices of the table; ScalarVariable indices count from 1.
#include "describe_fmi2.h"
#include "core.h"

#include <stdlib.h>
#include <string.h>

// ---- XML -------------------------------------------------------------------------------------------------

static void write_escaped(FILE *out, const char *text)
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

// NULL writes nothing.
static void write_text(FILE *out, const char *name, const char *value)
{
    if (!value) return;
    fprintf(out, " %s=\"", name);
    write_escaped(out, value);
    fputc('"', out);
}

// Short where possible, and always reads back as the same number.
static void write_real(FILE *out, const char *name, double value)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    fprintf(out, " %s=\"%s\"", name, text);
}

static void write_integer(FILE *out, const char *name, int value)
{
    fprintf(out, " %s=\"%d\"", name, value);
}

// Only what differs from the standard's default.
static void write_true(FILE *out, const char *name, bool value)
{
    if (value) fprintf(out, " %s=\"true\"", name);
}

// ---- head ------------------------------------------------------------------------------------------------

static void write_capabilities(FILE *out, const fmukit_model *m)
{
    fputs("  <CoSimulation", out);
    write_text(out, "modelIdentifier", m->name);
    write_true(out, "canHandleVariableCommunicationStepSize", !m->fixed_step);
    if (m->max_output_derivative_order)
        write_integer(out, "maxOutputDerivativeOrder", m->max_output_derivative_order);
    write_true(out, "canRunAsynchronuously", m->functions.poll != NULL); // FMI's spelling
    write_true(out, "canBeInstantiatedOnlyOncePerProcess", m->once_per_process);
    write_true(out, "canGetAndSetFMUstate", !m->no_rewind);
    write_true(out, "canSerializeFMUstate", !m->no_rewind && !m->no_serialize);
    write_true(out, "providesDirectionalDerivative", m->functions.derivative != NULL);
    fputs("/>\n", out);
}

static void write_unit(FILE *out, const fmukit_unit *u)
{
    const struct {
        const char *name;
        int exponent;
    } bases[] = {{"kg", u->kg}, {"m", u->m},     {"s", u->s},   {"A", u->A},
                 {"K", u->K},   {"mol", u->mol}, {"cd", u->cd}, {"rad", u->rad}};
    fputs("    <Unit", out);
    write_text(out, "name", u->name);
    fputs(">\n      <BaseUnit", out);
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        if (bases[i].exponent) write_integer(out, bases[i].name, bases[i].exponent);
    }
    if (u->factor != 0 && u->factor != 1) write_real(out, "factor", u->factor);
    if (u->offset != 0) write_real(out, "offset", u->offset);
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

static void write_units(FILE *out, const fmukit_model *m)
{
    bool has_units = m->n_units > 0;
    for (size_t i = 0; i < m->n_variables; i++) has_units |= m->variables[i].unit != NULL;
    if (!has_units) return; // an empty list is not allowed
    fputs("  <UnitDefinitions>\n", out);
    for (size_t i = 0; i < m->n_units; i++) write_unit(out, &m->units[i]);
    for (size_t i = 0; i < m->n_variables; i++) {
        if (!m->variables[i].unit || is_unit_known(m, i)) continue;
        fputs("    <Unit", out);
        write_text(out, "name", m->variables[i].unit);
        fputs("/>\n", out);
    }
    fputs("  </UnitDefinitions>\n", out);
}

static void write_enumeration(FILE *out, const fmukit_enumeration *e)
{
    fputs("    <SimpleType", out);
    write_text(out, "name", e->name);
    write_text(out, "description", e->description);
    fputs(">\n      <Enumeration>\n", out);
    for (size_t i = 0; i < e->n_items; i++) {
        fputs("        <Item", out);
        write_text(out, "name", e->items[i].name);
        write_integer(out, "value", e->items[i].value);
        write_text(out, "description", e->items[i].description);
        fputs("/>\n", out);
    }
    fputs("      </Enumeration>\n    </SimpleType>\n", out);
}

static void write_types(FILE *out, const fmukit_model *m)
{
    bool is_open = false;
    for (size_t i = 0; i < m->n_variables; i++) {
        const fmukit_enumeration *e = m->variables[i].enumeration;
        bool is_known = false;
        for (size_t j = 0; j < i; j++) is_known |= m->variables[j].enumeration == e;
        if (!e || is_known) continue;
        if (!is_open) fputs("  <TypeDefinitions>\n", out);
        is_open = true;
        write_enumeration(out, e);
    }
    if (is_open) fputs("  </TypeDefinitions>\n", out);
}

static void write_categories(FILE *out, const fmukit_model *m)
{
    fputs("  <LogCategories>\n", out);
    for (int i = 0; i < FMUKIT_N_CATEGORIES; i++) {
        fputs("    <Category", out);
        write_text(out, "name", fmukit_categories[i].name);
        write_text(out, "description", fmukit_categories[i].description);
        fputs("/>\n", out);
    }
    for (size_t i = 0; m->log_categories && m->log_categories[i]; i++) {
        fputs("    <Category", out);
        write_text(out, "name", m->log_categories[i]);
        fputs("/>\n", out);
    }
    fputs("    <Category name=\"logAll\" description=\"All messages\"/>\n", out);
    fputs("  </LogCategories>\n", out);
}

static void write_experiment(FILE *out, const fmukit_model *m)
{
    bool has_times = m->stop_time > m->start_time;
    if (!has_times && m->step_size == 0 && m->tolerance == 0) return;
    fputs("  <DefaultExperiment", out);
    if (has_times) write_real(out, "startTime", m->start_time);
    if (has_times) write_real(out, "stopTime", m->stop_time);
    if (m->tolerance != 0) write_real(out, "tolerance", m->tolerance);
    if (m->step_size != 0) write_real(out, "stepSize", m->step_size);
    fputs("/>\n", out);
}

// ---- variables -------------------------------------------------------------------------------------------

static void write_start(FILE *out, const fmukit_variable *v)
{
    switch (v->type) {
    case FMUKIT_REAL: write_real(out, "start", v->start.real); break;
    case FMUKIT_INTEGER:
    case FMUKIT_ENUMERATION: write_integer(out, "start", v->start.integer); break;
    case FMUKIT_BOOLEAN: write_text(out, "start", v->start.boolean ? "true" : "false"); break;
    case FMUKIT_STRING: write_text(out, "start", v->start.string ? v->start.string : ""); break;
    }
}

static void write_limit(FILE *out, const fmukit_variable *v, const char *name, double limit)
{
    if (v->type == FMUKIT_REAL)
        write_real(out, name, limit);
    else
        write_integer(out, name, (int)limit);
}

static void write_variable(FILE *out, const fmukit_variable *v, size_t i)
{
    fprintf(out, "    <!-- %lu -->\n    <ScalarVariable", (unsigned long)i + 1);
    write_text(out, "name", v->name);
    fprintf(out, " valueReference=\"%lu\"", (unsigned long)i);
    write_text(out, "description", v->description);
    write_text(out, "causality", fmukit_causality_name(v->causality));
    write_text(out, "variability", fmukit_variability_name(fmukit_variability_of(v)));
    if (v->causality != FMUKIT_INPUT)
        write_text(out, "initial", fmukit_initial_name(fmukit_initial_of(v)));
    fprintf(out, ">\n      <%s", fmukit_type_name(v->type));
    if (v->enumeration) write_text(out, "declaredType", v->enumeration->name);
    write_text(out, "unit", v->unit);
    if (v->range.has_min) write_limit(out, v, "min", v->range.min);
    if (v->range.has_max) write_limit(out, v, "max", v->range.max);
    if (v->nominal != 0) write_real(out, "nominal", v->nominal);
    if (fmukit_has_start(v)) write_start(out, v);
    fputs("/>\n    </ScalarVariable>\n", out);
}

// ---- structure -------------------------------------------------------------------------------------------

// Does `unknown` depend on `other`? During initialization every value may come from parameters and
// other exact start values.
static bool is_known_of(const fmukit_variable *unknown, const fmukit_variable *other,
                        bool initially)
{
    if (other->causality == FMUKIT_INPUT) return fmukit_depends_on(unknown, other, initially);
    return initially && fmukit_initial_of(other) == FMUKIT_EXACT &&
           fmukit_variability_of(other) != FMUKIT_CONSTANT;
}

static void write_unknown(FILE *out, const fmukit_model *m, size_t i, bool initially)
{
    fprintf(out, "      <Unknown index=\"%lu\" dependencies=\"", (unsigned long)i + 1);
    const char *blank = "";
    for (size_t j = 0; j < m->n_variables; j++) {
        if (!is_known_of(&m->variables[i], &m->variables[j], initially)) continue;
        fprintf(out, "%s%lu", blank, (unsigned long)j + 1);
        blank = " ";
    }
    fputs("\"/>\n", out);
}

static bool is_unknown(const fmukit_variable *v, bool initially)
{
    if (!initially) return v->causality == FMUKIT_OUTPUT;
    return v->causality == FMUKIT_CALCULATED_PARAMETER ||
           (v->causality == FMUKIT_OUTPUT && fmukit_initial_of(v) != FMUKIT_EXACT);
}

// An empty list is not allowed.
static void write_unknowns(FILE *out, const fmukit_model *m, const char *element, bool initially)
{
    bool is_open = false;
    for (size_t i = 0; i < m->n_variables; i++) {
        if (!is_unknown(&m->variables[i], initially)) continue;
        if (!is_open) fprintf(out, "    <%s>\n", element);
        is_open = true;
        write_unknown(out, m, i, initially);
    }
    if (is_open) fprintf(out, "    </%s>\n", element);
}

void fmukit_describe_fmi2(const fmukit_model *m, FILE *out)
{
    char guid[FMUKIT_GUID_SIZE];
    fmukit_guid(m, guid);
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"2.0\"",
          out);
    write_text(out, "modelName", m->name);
    write_text(out, "guid", guid);
    write_text(out, "description", m->description);
    write_text(out, "author", m->author);
    write_text(out, "version", m->version);
    write_text(out, "generationTool", "Takt FMU kit " FMUKIT_VERSION);
    fputs(" variableNamingConvention=\"flat\">\n", out);
    write_capabilities(out, m);
    write_units(out, m);
    write_types(out, m);
    write_categories(out, m);
    write_experiment(out, m);
    fputs("  <ModelVariables>\n", out);
    for (size_t i = 0; i < m->n_variables; i++) write_variable(out, &m->variables[i], i);
    fputs("  </ModelVariables>\n  <ModelStructure>\n", out);
    write_unknowns(out, m, "Outputs", false);
    write_unknowns(out, m, "InitialUnknowns", true);
    fputs("  </ModelStructure>\n</fmiModelDescription>\n", out);
}
