// SPDX-License-Identifier: MIT
// Writes modelDescription.xml of FMI 2.0 (section 2.2) from the author's description. Value
// references are indices of the table; ScalarVariable indices count from 1.
#include "describe.h"

// What both interfaces have.
static void put_capabilities(FILE *out, const fmukit_model *m)
{
    fmukit_put_true(out, "canBeInstantiatedOnlyOncePerProcess", m->once_per_process);
    fmukit_put_true(out, "canGetAndSetFMUstate", !m->no_rewind);
    fmukit_put_true(out, "canSerializeFMUstate", !m->no_rewind && !m->no_serialize);
    fmukit_put_true(out, "providesDirectionalDerivative", m->functions.derivative != NULL);
    fputs("/>\n", out);
}

static void write_model_exchange(FILE *out, const fmukit_model *m)
{
    fputs("  <ModelExchange", out);
    fmukit_put_text(out, "modelIdentifier", m->name);
    fmukit_put_true(out, "completedIntegratorStepNotNeeded", !m->functions.step_completed);
    put_capabilities(out, m);
}

static void write_co_simulation(FILE *out, const fmukit_model *m)
{
    fputs("  <CoSimulation", out);
    fmukit_put_text(out, "modelIdentifier", m->name);
    fmukit_put_true(out, "canHandleVariableCommunicationStepSize", !m->fixed_step);
    fmukit_put_true(out, "canInterpolateInputs", fmukit_interpolates(m));
    if (m->max_output_derivative_order)
        fmukit_put_integer(out, "maxOutputDerivativeOrder", m->max_output_derivative_order);
    fmukit_put_true(out, "canRunAsynchronuously", m->functions.poll != NULL); // FMI's spelling
    put_capabilities(out, m);
}

static void write_enumeration(FILE *out, const fmukit_enumeration *e)
{
    fputs("    <SimpleType", out);
    fmukit_put_text(out, "name", e->name);
    fmukit_put_text(out, "description", e->description);
    fputs(">\n      <Enumeration>\n", out);
    fmukit_write_items(out, e, true);
    fputs("      </Enumeration>\n    </SimpleType>\n", out);
}

static void write_variable(FILE *out, const fmukit_model *m, size_t i)
{
    const fmukit_variable *v = &m->variables[i];
    fprintf(out, "    <!-- %lu -->\n    <ScalarVariable", (unsigned long)i + 1);
    fmukit_put_text(out, "name", v->name);
    fprintf(out, " valueReference=\"%lu\"", (unsigned long)i);
    fmukit_put_text(out, "description", v->description);
    fmukit_put_text(out, "causality", fmukit_causality_name(v->causality));
    fmukit_put_text(out, "variability", fmukit_variability_name(fmukit_variability_of(v)));
    if (v->causality != FMUKIT_INPUT)
        fmukit_put_text(out, "initial", fmukit_initial_name(fmukit_initial_of(v)));
    fprintf(out, ">\n      <%s", fmukit_type_name(v->type, 2));
    if (v->enumeration) fmukit_put_text(out, "declaredType", v->enumeration->name);
    fmukit_put_limits(out, v);
    if (v->derivative_of)
        fmukit_put_integer(out, "derivative", (int)fmukit_find_variable(m, v->derivative_of) + 1);
    if (fmukit_has_start(v)) fmukit_put_start(out, v);
    fputs("/>\n    </ScalarVariable>\n", out);
}

// An empty list is not allowed.
static void write_unknowns(FILE *out, const fmukit_model *m, const char *element,
                           fmukit_unknowns kind)
{
    bool is_open = false, initially = kind == FMUKIT_INITIAL_UNKNOWNS;
    for (size_t i = 0; i < m->n_variables; i++) {
        if (!fmukit_is_unknown(m, &m->variables[i], kind)) continue;
        if (!is_open) fprintf(out, "    <%s>\n", element);
        is_open = true;
        fprintf(out, "      <Unknown index=\"%lu\"", (unsigned long)i + 1);
        fmukit_put_dependencies(out, m, i, initially, 1);
        fputs("/>\n", out);
    }
    if (is_open) fprintf(out, "    </%s>\n", element);
}

void fmukit_describe_fmi2(const fmukit_model *m, FILE *out)
{
    char guid[FMUKIT_GUID_SIZE];
    fmukit_guid(m, guid);
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"2.0\"",
          out);
    fmukit_put_text(out, "modelName", m->name);
    fmukit_put_text(out, "guid", guid);
    fmukit_put_head(out, m);
    size_t n_indicators = fmukit_count_indicators(m);
    if (n_indicators) fmukit_put_integer(out, "numberOfEventIndicators", (int)n_indicators);
    fputs(">\n", out);
    if (fmukit_interfaces(m) & FMUKIT_MODEL_EXCHANGE) write_model_exchange(out, m);
    if (fmukit_interfaces(m) & FMUKIT_CO_SIMULATION) write_co_simulation(out, m);
    fmukit_write_units(out, m, fmukit_write_unit);
    fmukit_write_enumerations(out, m, write_enumeration);
    fmukit_write_categories(out, m, 2);
    fmukit_write_experiment(out, m, true);
    fputs("  <ModelVariables>\n", out);
    for (size_t i = 0; i < m->n_variables; i++) write_variable(out, m, i);
    fputs("  </ModelVariables>\n  <ModelStructure>\n", out);
    write_unknowns(out, m, "Outputs", FMUKIT_OUTPUTS);
    write_unknowns(out, m, "Derivatives", FMUKIT_DERIVATIVES);
    write_unknowns(out, m, "InitialUnknowns", FMUKIT_INITIAL_UNKNOWNS);
    fputs("  </ModelStructure>\n</fmiModelDescription>\n", out);
}
