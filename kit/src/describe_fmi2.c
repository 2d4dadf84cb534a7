// SPDX-License-Identifier: MIT
// Writes modelDescription.xml of FMI 2.0 (section 2.2) from the author's description. Value
// references are indices of the table; ScalarVariable indices count from 1.
#include "describe.h"

static void write_capabilities(FILE *out, const fmukit_model *m)
{
    fputs("  <CoSimulation", out);
    fmukit_put_text(out, "modelIdentifier", m->name);
    fmukit_put_true(out, "canHandleVariableCommunicationStepSize", !m->fixed_step);
    fmukit_put_true(out, "canInterpolateInputs", m->interpolates_inputs);
    if (m->max_output_derivative_order)
        fmukit_put_integer(out, "maxOutputDerivativeOrder", m->max_output_derivative_order);
    fmukit_put_true(out, "canRunAsynchronuously", m->functions.poll != NULL); // FMI's spelling
    fmukit_put_true(out, "canBeInstantiatedOnlyOncePerProcess", m->once_per_process);
    fmukit_put_true(out, "canGetAndSetFMUstate", !m->no_rewind);
    fmukit_put_true(out, "canSerializeFMUstate", !m->no_rewind && !m->no_serialize);
    fmukit_put_true(out, "providesDirectionalDerivative", m->functions.derivative != NULL);
    fputs("/>\n", out);
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

static void write_variable(FILE *out, const fmukit_variable *v, size_t i)
{
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
    if (fmukit_has_start(v)) fmukit_put_start(out, v);
    fputs("/>\n    </ScalarVariable>\n", out);
}

// An empty list is not allowed.
static void write_unknowns(FILE *out, const fmukit_model *m, const char *element, bool initially)
{
    bool is_open = false;
    for (size_t i = 0; i < m->n_variables; i++) {
        if (!fmukit_is_unknown(&m->variables[i], initially)) continue;
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
    fputs(">\n", out);
    write_capabilities(out, m);
    fmukit_write_units(out, m, fmukit_write_unit);
    fmukit_write_enumerations(out, m, write_enumeration);
    fmukit_write_categories(out, m, 2);
    fmukit_write_experiment(out, m, true);
    fputs("  <ModelVariables>\n", out);
    for (size_t i = 0; i < m->n_variables; i++) write_variable(out, &m->variables[i], i);
    fputs("  </ModelVariables>\n  <ModelStructure>\n", out);
    write_unknowns(out, m, "Outputs", false);
    write_unknowns(out, m, "InitialUnknowns", true);
    fputs("  </ModelStructure>\n</fmiModelDescription>\n", out);
}
