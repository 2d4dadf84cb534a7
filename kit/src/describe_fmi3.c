// SPDX-License-Identifier: MIT
// Writes modelDescription.xml of FMI 3.0 (section 2.4) from the author's description. Value
// references are indices of the table; the independent variable follows as the last one.
#include "describe.h"

// What both interfaces have.
static void put_capabilities(FILE *out, const fmukit_model *m)
{
    fmukit_put_text(out, "modelIdentifier", m->name);
    fmukit_put_true(out, "canBeInstantiatedOnlyOncePerProcess", m->once_per_process);
    fmukit_put_true(out, "canGetAndSetFMUState", !m->no_rewind);
    fmukit_put_true(out, "canSerializeFMUState", !m->no_rewind && !m->no_serialize);
    fmukit_put_true(out, "providesDirectionalDerivatives", m->functions.derivative != NULL);
    fmukit_put_true(out, "providesAdjointDerivatives", m->functions.derivative != NULL);
    fmukit_put_true(out, "providesPerElementDependencies", m->functions.depends != NULL);
}

static void write_model_exchange(FILE *out, const fmukit_model *m)
{
    fputs("  <ModelExchange", out);
    put_capabilities(out, m);
    fmukit_put_true(out, "needsCompletedIntegratorStep", m->functions.step_completed != NULL);
    fputs("/>\n", out);
}

static void write_co_simulation(FILE *out, const fmukit_model *m)
{
    fputs("  <CoSimulation", out);
    put_capabilities(out, m);
    fmukit_put_true(out, "canHandleVariableCommunicationStepSize", !m->fixed_step);
    if (m->max_output_derivative_order)
        fmukit_put_integer(out, "maxOutputDerivativeOrder", m->max_output_derivative_order);
    fmukit_put_true(out, "providesIntermediateUpdate", fmukit_interpolates(m));
    fmukit_put_true(out, "mightReturnEarlyFromDoStep", m->functions.step || m->functions.event);
    fmukit_put_true(out, "hasEventMode", m->functions.event != NULL);
    fputs("/>\n", out);
}

static void write_enumeration(FILE *out, const fmukit_enumeration *e)
{
    fputs("    <EnumerationType", out);
    fmukit_put_text(out, "name", e->name);
    fmukit_put_text(out, "description", e->description);
    fputs(">\n", out);
    fmukit_write_items(out, e, true);
    fputs("    </EnumerationType>\n", out);
}

// ---- variables -------------------------------------------------------------------------------------------

static void put_clock(FILE *out, const fmukit_variable *v)
{
    static const char *const kinds[] = {[FMUKIT_TRIGGERED] = "triggered",
                                        [FMUKIT_PERIODIC] = "constant",
                                        [FMUKIT_CHANGING] = "changing",
                                        [FMUKIT_COUNTDOWN] = "countdown"};
    const fmukit_clock *clock = &v->clock;
    fmukit_put_text(out, "intervalVariability", kinds[clock->kind]);
    fmukit_put_true(out, "canBeDeactivated", v->causality == FMUKIT_INPUT);
    if (clock->kind != FMUKIT_PERIODIC) return;
    fmukit_put_real(out, "intervalDecimal", fmukit_clock_interval(clock));
    if (fmukit_clock_shift(clock) != 0)
        fmukit_put_real(out, "shiftDecimal", fmukit_clock_shift(clock));
    if (clock->resolution == 0) return;
    fmukit_put_true(out, "supportsFraction", true);
    fprintf(out, " resolution=\"%llu\" intervalCounter=\"%llu\" shiftCounter=\"%llu\"",
            (unsigned long long)clock->resolution, (unsigned long long)clock->counter,
            (unsigned long long)clock->shift_counter);
}

static void put_clocks(FILE *out, const fmukit_model *m, const fmukit_variable *v)
{
    if (!v->clocks) return;
    fputs(" clocks=\"", out);
    for (const char *const *name = v->clocks; *name; name++)
        fprintf(out, "%s%lu", name == v->clocks ? "" : " ",
                (unsigned long)fmukit_find_variable(m, *name));
    fputc('"', out);
}

// The number of start values that are given.
static size_t count_starts(const fmukit_model *m, const fmukit_variable *v)
{
    size_t n = 1;
    for (size_t d = 0; v->starts && d < FMUKIT_MAX_DIMENSIONS && v->dimensions[d].size; d++)
        n *= fmukit_start_size(m, &v->dimensions[d]);
    return n;
}

static bool has_start_elements(const fmukit_variable *v)
{
    return v->type == FMUKIT_STRING || v->type == FMUKIT_BINARY;
}

static void put_attributes(FILE *out, const fmukit_model *m, const fmukit_variable *v)
{
    fmukit_put_text(out, "name", v->name);
    fprintf(out, " valueReference=\"%lu\"", (unsigned long)(v - m->variables));
    fmukit_put_text(out, "description", v->description);
    fmukit_put_text(out, "causality", fmukit_causality_name(v->causality));
    fmukit_put_text(out, "variability", fmukit_variability_name(fmukit_variability_of(v)));
    put_clocks(out, m, v);
    fmukit_put_true(out, "intermediateUpdate", fmukit_can_move(m, v));
    if (fmukit_initial_of(v) != FMUKIT_USUAL_INITIAL)
        fmukit_put_text(out, "initial", fmukit_initial_name(fmukit_initial_of(v)));
    if (v->enumeration) fmukit_put_text(out, "declaredType", v->enumeration->name);
    if (v->type == FMUKIT_CLOCK) put_clock(out, v);
    fmukit_put_limits(out, v);
    if (v->derivative_of)
        fmukit_put_integer(out, "derivative", (int)fmukit_find_variable(m, v->derivative_of));
    if (!fmukit_has_start(v) || has_start_elements(v)) return;
    if (v->starts)
        fmukit_put_items(out, v, "start", v->starts, count_starts(m, v));
    else
        fmukit_put_start(out, v);
}

static void write_dimensions(FILE *out, const fmukit_model *m, const fmukit_variable *v)
{
    for (size_t d = 0; d < FMUKIT_MAX_DIMENSIONS && v->dimensions[d].size; d++) {
        const fmukit_dimension *dimension = &v->dimensions[d];
        bool is_variable = dimension->parameter != NULL;
        size_t number =
            is_variable ? fmukit_find_variable(m, dimension->parameter) : dimension->size;
        fprintf(out, "      <Dimension %s=\"%lu\"/>\n", is_variable ? "valueReference" : "start",
                (unsigned long)number);
    }
}

static void write_binary(FILE *out, const fmukit_binary *binary)
{
    fputs("      <Start value=\"", out);
    for (size_t i = 0; i < binary->size; i++)
        fprintf(out, "%02x", ((const unsigned char *)binary->bytes)[i]);
    fputs("\"/>\n", out);
}

static void write_string(FILE *out, const char *text)
{
    fputs("      <Start", out);
    fmukit_put_text(out, "value", text ? text : "");
    fputs("/>\n", out);
}

static void write_starts(FILE *out, const fmukit_model *m, const fmukit_variable *v)
{
    if (!fmukit_has_start(v) || !has_start_elements(v)) return;
    const char *const *strings = v->starts ? v->starts : &v->start.string;
    const fmukit_binary *binaries = v->starts ? v->starts : &v->start.binary;
    for (size_t i = 0; i < count_starts(m, v); i++) {
        if (v->type == FMUKIT_STRING) write_string(out, strings[i]);
        if (v->type == FMUKIT_BINARY) write_binary(out, &binaries[i]);
    }
}

static void write_variable(FILE *out, const fmukit_model *m, const fmukit_variable *v)
{
    const char *type = fmukit_type_name(v->type, 3);
    fprintf(out, "    <%s", type);
    put_attributes(out, m, v);
    if (!fmukit_is_array(v) && !(has_start_elements(v) && fmukit_has_start(v))) {
        fputs("/>\n", out);
        return;
    }
    fputs(">\n", out);
    write_dimensions(out, m, v);
    write_starts(out, m, v);
    fprintf(out, "    </%s>\n", type);
}

static void write_unknowns(FILE *out, const fmukit_model *m, const char *element,
                           fmukit_unknowns kind)
{
    for (size_t i = 0; i < m->n_variables; i++) {
        if (!fmukit_is_unknown(m, &m->variables[i], kind)) continue;
        fprintf(out, "    <%s valueReference=\"%lu\"", element, (unsigned long)i);
        fmukit_put_dependencies(out, m, i, kind == FMUKIT_INITIAL_UNKNOWNS, 0);
        fputs("/>\n", out);
    }
}

void fmukit_describe_fmi3(const fmukit_model *m, FILE *out)
{
    char token[FMUKIT_GUID_SIZE];
    fmukit_guid(m, token);
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"3.0\"",
          out);
    fmukit_put_text(out, "modelName", m->name);
    fmukit_put_text(out, "instantiationToken", token);
    fmukit_put_head(out, m);
    fputs(">\n", out);
    if (fmukit_interfaces(m) & FMUKIT_MODEL_EXCHANGE) write_model_exchange(out, m);
    if (fmukit_interfaces(m) & FMUKIT_CO_SIMULATION) write_co_simulation(out, m);
    fmukit_write_units(out, m, fmukit_write_unit);
    fmukit_write_enumerations(out, m, write_enumeration);
    fmukit_write_categories(out, m, 3);
    fmukit_write_experiment(out, m, true);
    fputs("  <ModelVariables>\n", out);
    for (size_t i = 0; i < m->n_variables; i++) write_variable(out, m, &m->variables[i]);
    fprintf(out,
            "    <Float64 name=\"time\" valueReference=\"%lu\" description=\"Simulation time\" "
            "causality=\"independent\" variability=\"continuous\"/>\n",
            (unsigned long)m->n_variables);
    fputs("  </ModelVariables>\n  <ModelStructure>\n", out);
    write_unknowns(out, m, "Output", FMUKIT_OUTPUTS);
    write_unknowns(out, m, "ContinuousStateDerivative", FMUKIT_DERIVATIVES);
    write_unknowns(out, m, "InitialUnknown", FMUKIT_INITIAL_UNKNOWNS);
    write_unknowns(out, m, "EventIndicator", FMUKIT_INDICATORS);
    fputs("  </ModelStructure>\n</fmiModelDescription>\n", out);
}
