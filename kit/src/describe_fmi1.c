// SPDX-License-Identifier: MIT
// Writes modelDescription.xml of FMI 1.0, for stand-alone co-simulation (FMI 1.0 for co-simulation,
// chapter 4) or for model exchange (chapter 3 of that), from the author's description. Value
// references are indices of the table. There are no initial unknowns, no log categories and no
// definitions of units. The two interfaces differ in the element Implementation.
#include "describe.h"

static void write_unit(FILE *out, const fmukit_unit *unit, bool is_defined)
{
    (void)is_defined;
    fputs("    <BaseUnit", out);
    fmukit_put_text(out, "unit", unit->name);
    fputs("/>\n", out);
}

static void write_enumeration(FILE *out, const fmukit_enumeration *e)
{
    fputs("    <Type", out);
    fmukit_put_text(out, "name", e->name);
    fmukit_put_text(out, "description", e->description);
    fputs(">\n      <EnumerationType>\n", out);
    fmukit_write_items(out, e, false);
    fputs("      </EnumerationType>\n    </Type>\n", out);
}

static const char *causality_of(const fmukit_variable *v)
{
    bool is_signal = v->causality == FMUKIT_INPUT || v->causality == FMUKIT_OUTPUT;
    return is_signal ? fmukit_causality_name(v->causality) : "internal";
}

static const char *variability_of(const fmukit_variable *v)
{
    fmukit_variability variability = fmukit_variability_of(v);
    bool is_parameter = variability == FMUKIT_FIXED || variability == FMUKIT_TUNABLE;
    return is_parameter ? "parameter" : fmukit_variability_name(variability);
}

// Without the element an output depends on all inputs.
static void write_dependencies(FILE *out, const fmukit_model *m, const fmukit_variable *v)
{
    if (v->causality != FMUKIT_OUTPUT || !v->depends_on) return;
    fputs("      <DirectDependency>\n", out);
    for (size_t i = 0; i < m->n_variables; i++) {
        const fmukit_variable *input = &m->variables[i];
        if (input->causality != FMUKIT_INPUT || !fmukit_depends_on(v, input, false)) continue;
        fputs("        <Name>", out);
        fmukit_write_escaped(out, input->name);
        fputs("</Name>\n", out);
    }
    fputs("      </DirectDependency>\n", out);
}

static void write_variable(FILE *out, const fmukit_model *m, const fmukit_variable *v)
{
    fputs("    <ScalarVariable", out);
    fmukit_put_text(out, "name", v->name);
    fprintf(out, " valueReference=\"%lu\"", (unsigned long)(v - m->variables));
    fmukit_put_text(out, "description", v->description);
    fmukit_put_text(out, "variability", variability_of(v));
    fmukit_put_text(out, "causality", causality_of(v));
    fprintf(out, ">\n      <%s", fmukit_type_name(v->type, 1));
    if (v->enumeration) fmukit_put_text(out, "declaredType", v->enumeration->name);
    fmukit_put_limits(out, v);
    if (fmukit_has_start(v)) fmukit_put_start(out, v);
    if (fmukit_initial_of(v) == FMUKIT_APPROX) fputs(" fixed=\"false\"", out);
    fputs("/>\n", out);
    write_dependencies(out, m, v);
    fputs("    </ScalarVariable>\n", out);
}

static void write_implementation(FILE *out, const fmukit_model *m)
{
    fputs("  <Implementation>\n    <CoSimulation_StandAlone>\n      <Capabilities", out);
    fmukit_put_true(out, "canHandleVariableCommunicationStepSize", !m->fixed_step);
    fmukit_put_true(out, "canInterpolateInputs", fmukit_interpolates(m));
    if (m->max_output_derivative_order)
        fmukit_put_integer(out, "maxOutputDerivativeOrder", m->max_output_derivative_order);
    fmukit_put_true(out, "canRunAsynchronuously", m->functions.poll != NULL); // FMI's spelling
    fmukit_put_true(out, "canBeInstantiatedOnlyOncePerProcess", m->once_per_process);
    fputs("/>\n    </CoSimulation_StandAlone>\n  </Implementation>\n", out);
}

static void describe(const fmukit_model *m, bool is_model_exchange, FILE *out)
{
    char guid[FMUKIT_GUID_SIZE];
    fmukit_guid(m, guid);
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"1.0\"",
          out);
    fmukit_put_text(out, "modelName", m->name);
    fmukit_put_text(out, "modelIdentifier", m->name);
    fmukit_put_text(out, "guid", guid);
    fmukit_put_head(out, m);
    fmukit_put_integer(out, "numberOfContinuousStates", (int)fmukit_count_states(m));
    fmukit_put_integer(out, "numberOfEventIndicators", (int)fmukit_count_indicators(m));
    fputs(">\n", out);
    fmukit_write_units(out, m, write_unit);
    fmukit_write_enumerations(out, m, write_enumeration);
    fmukit_write_experiment(out, m, false);
    fputs("  <ModelVariables>\n", out);
    for (size_t i = 0; i < m->n_variables; i++) write_variable(out, m, &m->variables[i]);
    fputs("  </ModelVariables>\n", out);
    if (!is_model_exchange) write_implementation(out, m);
    fputs("</fmiModelDescription>\n", out);
}

void fmukit_describe_fmi1(const fmukit_model *m, FILE *out)
{
    describe(m, false, out);
}

void fmukit_describe_fmi1_me(const fmukit_model *m, FILE *out)
{
    describe(m, true, out);
}
