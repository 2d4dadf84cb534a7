// SPDX-License-Identifier: MIT
#include "unit/description/read_description.h"

#include <time.h>

#include "base/text.h"

#define HEAD                                                                                       \
    "<fmiModelDescription fmiVersion='3.0' modelName='M' instantiationToken='t'>\n"                \
    "<CoSimulation modelIdentifier='m' hasEventMode='true'/>\n"
#define TIME "<Float64 name='time' valueReference='0' causality='independent'/>\n"
#define TAIL "</fmiModelDescription>"
#define VARIABLES(text) HEAD "<ModelVariables>\n" TIME text "</ModelVariables>" TAIL

typedef description_fixture fixture;
#define read_text description_read

static void assert_reads(fixture *f, const char *text)
{
    if (read_text(f, text) != TAKT_OK) print_error("%s\n", f->err.message);
    assert_string_equal(f->err.message, "");
}

#define find description_variable

// Each text must give the message as an error, and nothing else may fail.
typedef struct problem {
    const char *text, *message;
} problem;

static void assert_errors(fixture *f, const problem *problems, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(read_text(f, problems[i].text), TAKT_ERR_INPUT);
        assert_contains(f->err.message, problems[i].message);
    }
}

static void assert_warnings(fixture *f, const problem *problems, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        assert_reads(f, problems[i].text);
        assert_contains(f->log.text, problems[i].message);
    }
}

static void general_information_is_read(void **state)
{
    fixture *f = *state;
    assert_reads(f,
                 "<fmiModelDescription fmiVersion='3.0' modelName='Plant' "
                 "instantiationToken='{abc}' generationTool='T' description='D'>"
                 "<ModelExchange modelIdentifier='me'/>"
                 "<CoSimulation modelIdentifier='cs' canGetAndSetFMUState='1' "
                 "canSerializeFMUState='true' canHandleVariableCommunicationStepSize='true' "
                 "providesDirectionalDerivatives='true' canBeInstantiatedOnlyOncePerProcess='true' "
                 "needsExecutionTool='true' hasEventMode='true' maxOutputDerivativeOrder='2' "
                 "providesEvaluateDiscreteStates='true' mightReturnEarlyFromDoStep='true' "
                 "providesIntermediateUpdate='true' canReturnEarlyAfterIntermediateUpdate='true' "
                 "fixedInternalStepSize='0.1' recommendedIntermediateInputSmoothness='1'/>"
                 "<UnitDefinitions><Unit name='bar'><BaseUnit kg='1' m='-1' s='-2' factor='1e5'/>"
                 "<DisplayUnit name='x'/><DisplayUnit name='kPa' factor='100' inverse='false'/>"
                 "<DisplayUnit name='1/bar' inverse='true'/></Unit></UnitDefinitions>"
                 "<LogCategories><Category name='logStatusError'/></LogCategories>"
                 "<DefaultExperiment startTime='1' stopTime='2' tolerance='1e-4' stepSize='0.5'/>"
                 "<ModelVariables>" TIME "</ModelVariables><ModelStructure/>"
                 "<Annotations><Annotation type='x'>any</Annotation></Annotations>" TAIL);
    const takt_model *m = &f->model;
    assert_string_equal(m->name, "Plant");
    assert_string_equal(m->version, "FMI 3.0");
    assert_string_equal(m->tool, "T");
    assert_int_equal(f->description.fmi_major, 3);
    assert_string_equal(f->description.guid, "{abc}");
    assert_string_equal(f->description.identifier, "cs");
    assert_true(f->description.has_model_exchange);
    assert_int_equal(f->description.n_categories, 1);
    assert_true(m->can.rewind && m->can.serialize && m->can.variable_step && m->can.events);
    assert_true(m->can.directional_derivatives && m->can.once_per_process && m->can.needs_tool);
    assert_int_equal(m->can.max_output_derivative_order, 2);
    assert_true(f->description.fmi3.might_return_early);
    assert_true(f->description.fmi3.evaluates_discrete_states);
    assert_true(m->experiment.has_step && m->experiment.step == 0.5 && m->experiment.stop == 2);
    assert_int_equal(m->n_units, 1);
    assert_true(m->units[0].factor == 1e5 && m->units[0].m == -1);
    assert_int_equal(m->n_display_units, 2); // the inverse is not linear
    assert_near(m->display_units[1].factor, 1e3, 0);
    assert_string_equal(f->log.text, "");
}

static void all_types_are_read(void **state)
{
    fixture *f = *state;
    assert_reads(
        f, HEAD
        "<UnitDefinitions><Unit name='K'/></UnitDefinitions>"
        "<TypeDefinitions><Float64Type name='T' unit='K' min='0' nominal='300'/>"
        "<EnumerationType name='E'><Item name='a' value='-9223372036854775808'/></EnumerationType>"
        "<BinaryType name='B' mimeType='image/png' maxSize='9'/></TypeDefinitions>"
        "<ModelVariables>" TIME
        "<Float64 name='f64' valueReference='1' declaredType='T' causality='output'/>"
        "<Float32 name='f32' valueReference='2' causality='parameter' start='-INF'/>"
        "<Int8 name='i8' valueReference='3' causality='input' start='-128'/>"
        "<UInt8 name='u8' valueReference='4' causality='input' start='255'/>"
        "<Int16 name='i16' valueReference='5' causality='input' start=' -32768 '/>"
        "<UInt16 name='u16' valueReference='6' causality='input' start='65535'/>"
        "<Int32 name='i32' valueReference='7' causality='input' start='-2147483648'/>"
        "<UInt32 name='u32' valueReference='8' causality='input' start='4294967295'/>"
        "<Int64 name='i64' valueReference='9' causality='input' start='-9223372036854775808'/>"
        "<UInt64 name='u64' valueReference='10' causality='input' start='18446744073709551615'/>"
        "<Boolean name='b' valueReference='11' causality='input' start='true'/>"
        "<String name='s' valueReference='12' causality='input'><Start value=' a b '/></String>"
        "<Binary name='bin' valueReference='4294967295' causality='input' maxSize='3'>"
        "<Start value='00fF7a'/></Binary>"
        "<Enumeration name='e' valueReference='14' declaredType='E' causality='input' "
        "start='-9223372036854775808'/>"
        "<Clock name='c' valueReference='15' causality='input' intervalVariability='triggered'/>"
        "</ModelVariables><ModelStructure><Output valueReference='1'/>"
        "<InitialUnknown valueReference='1'/></ModelStructure>" TAIL);
    assert_string_equal(f->log.text, "");
    const takt_variable *v = find(f, "f64");
    assert_int_equal(v->variability, TAKT_CONTINUOUS);
    assert_true(v->nominal == 300 && v->min == 0 && v->max == INFINITY);
    assert_true(v->has_nominal && !find(f, "f32")->has_nominal);
    assert_string_equal(v->unit, "K");
    assert_true(find(f, "f32")->start.real == -INFINITY);
    assert_int_equal(find(f, "f32")->variability, TAKT_FIXED);
    assert_int_equal(find(f, "i8")->start.integer, -128);
    assert_int_equal(find(f, "i8")->variability, TAKT_DISCRETE);
    assert_int_equal(find(f, "i8")->initial, TAKT_INITIAL_NONE);
    assert_int_equal(find(f, "i16")->start.integer, -32768);
    assert_int_equal(find(f, "u32")->start.integer, 4294967295);
    assert_true(find(f, "i64")->start.integer == INT64_MIN);
    assert_int_equal(find(f, "u64")->start.integer, -1);
    assert_int_equal(find(f, "b")->start.integer, 1);
    assert_string_equal(find(f, "s")->start.text, " a b ");
    v = find(f, "bin");
    assert_int_equal(v->reference, 4294967295);
    assert_int_equal(v->start.size, 3);
    assert_memory_equal(v->start.text, "\0\xff\x7a", 3);
    assert_int_equal(f->description.fmi3.n_max_sizes, 1);
    assert_int_equal(f->description.fmi3.max_sizes[0].max, 3);
    assert_true(f->model.types[1].items[0].value == INT64_MIN);
    assert_int_equal(find(f, "c")->type, TAKT_CLOCK);
}

static void elements_of_arrays_are_variables(void **state)
{
    fixture *f = *state;
    assert_reads(f, HEAD "<ModelVariables>" TIME
                         "<Float64 name='x' valueReference='7' causality='input' "
                         "start='1 2 3\n4 5 6' description='d'>"
                         "<Dimension start='2'/><Dimension valueReference='9'/>"
                         "<Alias name='z' description='other'/></Float64>\n"
                         "<UInt64 name='n' valueReference='9' causality='structuralParameter' "
                         "start='3'/>"
                         "<String name='s' valueReference='10' causality='input'>"
                         "<Dimension start='2'/><Start value='a'/><Start value='b c'/></String>"
                         "<Int32 name='i' valueReference='11' causality='input' start='4'>"
                         "<Dimension start='3'/></Int32>"
                         "<Float64 name='y' valueReference='12' causality='output'>"
                         "<Dimension start='2'/></Float64>"
                         "<Float64 name='w' valueReference='13' causality='output'/>"
                         "</ModelVariables><ModelStructure>"
                         "<Output valueReference='12' dependencies='7 0' "
                         "dependenciesKind='constant dependent'/>"
                         "<Output valueReference='13' dependencies=''/>"
                         "<InitialUnknown valueReference='12'/>"
                         "<InitialUnknown valueReference='13'/></ModelStructure>" TAIL);
    assert_string_equal(f->log.text, "");
    const takt_model *m = &f->model;
    assert_int_equal(m->n_variables, 1 + 6 + 6 + 1 + 2 + 3 + 2 + 1);
    assert_int_equal(m->n_arrays, 5);
    const takt_array *x = &m->arrays[takt_map_find(&m->array_names, "x")];
    assert_int_equal(x->n_elements, 6);
    assert_int_equal(x->n_dimensions, 2);
    assert_int_equal(x->dimensions[1], 3);
    assert_int_equal(x->first, 1);
    assert_string_equal(m->variables[x->first + 1].name, "x[1,2]");
    assert_true(find(f, "x[2,1]")->start.real == 4);
    assert_int_equal(find(f, "x[2,3]")->reference, 7);
    assert_ptr_equal(find(f, "x[2,3]")->array, x);
    const takt_variable *alias = find(f, "z[2,3]");
    assert_int_equal(alias->reference, 7);
    assert_int_equal(alias->causality, TAKT_LOCAL);
    assert_string_equal(alias->description, "other");
    assert_string_equal(alias->array->name, "z");
    assert_true(m->variables + alias->array->first == find(f, "z[1,1]"));
    assert_string_equal(find(f, "s[2]")->start.text, "b c");
    assert_int_equal(find(f, "i[3]")->start.integer, 4);
    assert_int_equal(m->n_outputs, 3);
    assert_int_equal(m->outputs[1].n_known, 7);
    assert_string_equal(m->variables[m->outputs[1].variable].name, "y[2]");
    assert_string_equal(m->variables[m->outputs[1].known[1]].name, "x[1,2]");
    assert_true(m->outputs[2].is_known && m->outputs[2].n_known == 0);
    assert_true(f->description.fmi3.is_size[find(f, "n") - m->variables]);
    assert_false(f->description.fmi3.is_size[0]);
}

static void aliases_have_the_same_reference(void **state)
{
    fixture *f = *state;
    assert_reads(f, VARIABLES("<Float64 name='u' valueReference='5' causality='input' start='1'>"
                              "<Alias name='v' displayUnit='x'/><Alias name='w'/></Float64>"
                              "<Int8 name='i' valueReference='6' causality='input' start='1'/>"));
    assert_int_equal(f->model.n_variables, 5);
    assert_int_equal(find(f, "w")->reference, 5);
    assert_int_equal(find(f, "w")->causality, TAKT_LOCAL);
    assert_int_equal(find(f, "i")->reference, 6);
    assert_null(find(f, "w")->array);
}

static void clocks_and_clocked_variables_are_read(void **state)
{
    fixture *f = *state;
    assert_reads(
        f, HEAD
        "<TypeDefinitions><ClockType name='C' intervalVariability='fixed' intervalDecimal='0.5' "
        "shiftDecimal='0.25' canBeDeactivated='true'/></TypeDefinitions><ModelVariables>" TIME
        "<Int32 name='k' valueReference='1' causality='output' clocks='11 12'/>"
        "<Int32 name='a' valueReference='2' causality='output' clocks='11'>"
        "<Dimension start='2'/></Int32>"
        "<Int32 name='p' valueReference='3' previous='4' clocks='11'/>"
        "<Int32 name='q' valueReference='4' clocks='11'/>"
        "<Clock name='c' valueReference='11' causality='input' declaredType='C'/>"
        "<Clock name='d' valueReference='12' causality='input' intervalVariability='constant' "
        "intervalCounter='3' shiftCounter='1' resolution='10' supportsFraction='true'/>"
        "<Clock name='o' valueReference='13' causality='output' intervalVariability='triggered' "
        "clocks='11'/>"
        "</ModelVariables><ModelStructure><Output valueReference='1'/><Output valueReference='2'/>"
        "<Output valueReference='13'/><ClockedState valueReference='3'/></ModelStructure>" TAIL);
    assert_string_equal(f->log.text, "");
    const takt_fmi3_description *fmi3 = &f->description.fmi3;
    assert_int_equal(fmi3->n_clocks, 3);
    assert_int_equal(fmi3->clocks[0].kind, TAKT_CLOCK_FIXED);
    assert_true(fmi3->clocks[0].interval == 0.5 && fmi3->clocks[0].shift == 0.25);
    assert_true(fmi3->clocks[0].can_be_deactivated && fmi3->clocks[0].has_interval);
    assert_true(fmi3->clocks[1].has_interval && fmi3->clocks[1].resolution == 10);
    assert_near(fmi3->clocks[1].interval, 0.3, 1e-15);
    assert_string_equal(f->model.variables[fmi3->clocks[2].variable].name, "o");
    assert_int_equal(fmi3->n_clocked, 5);
    assert_int_equal(fmi3->clocked[0].n_clocks, 2);
    assert_int_equal(fmi3->clocked[0].clocks[1], 1);
    assert_string_equal(f->model.variables[fmi3->clocked[2].variable].name, "a[2]");
}

#define INPUT(name, reference) "<Float64 name='" name "' valueReference='" reference "' "

static void errors_of_variables_name_the_line(void **state)
{
    static const problem problems[] = {
        {VARIABLES("<Int8 name='i' valueReference='1' causality='input' start='128'/>"),
         "m.xml:5: variable 'i': start '128' is not a value of type Int8"},
        {VARIABLES("<UInt64 name='i' valueReference='1' causality='input' "
                   "start='18446744073709551616'/>"),
         "start '18446744073709551616' is not a value of type UInt64"},
        {VARIABLES("<Float64 name='x'/>"), "m.xml:5: variable 'x' has no valueReference"},
        {VARIABLES(INPUT("x", "4294967296") "/>"),
         "valueReference: '4294967296' is not an integer from 0 to 4294967295"},
        {VARIABLES(INPUT("x", "1") "causality='inpt'/>"), "unknown causality 'inpt'"},
        {VARIABLES(INPUT("x", "1") "/><Int8 name='y' valueReference='1'/>"),
         "variables 'x' (line 5) and 'y' have the same value reference 1"},
        {VARIABLES(INPUT("x", "1") "/>" INPUT("x", "2") "/>"),
         "variable 'x' occurs twice (first in line 5)"},
        {VARIABLES(INPUT("x", "1") "/>" INPUT("y", "2") "><Alias name='x'/></Float64>"),
         "variable 'x' occurs twice"},
        {VARIABLES(INPUT("x", "1") "derivative='5'/>"),
         "variable 'x': derivative: no variable has value reference 5"},
    };
    assert_errors(*state, problems, sizeof problems / sizeof *problems);
}

static void errors_of_arrays_name_the_line(void **state)
{
    static const problem problems[] = {
        {VARIABLES(INPUT("x[1]", "1") "/>" INPUT("x", "2") "><Dimension start='2'/></Float64>"),
         "variable 'x[1]' occurs twice"},
        {VARIABLES(INPUT("x", "1") "/>" INPUT("x", "2") "><Dimension start='2'/></Float64>"),
         "variable 'x' occurs twice"},
        {VARIABLES(INPUT("x", "1") "><Dimension/></Float64>"),
         "Dimension must have either start or valueReference"},
        {VARIABLES(INPUT("x", "1") "><Dimension start='2' valueReference='0'/></Float64>"),
         "Dimension must have either start or valueReference"},
        {VARIABLES(INPUT("x", "1") "><Dimension start='0'/></Float64>"),
         "start: '0' is not an integer from 1"},
        {VARIABLES(INPUT("x", "1") "><Dimension valueReference='99'/></Float64>"),
         "Dimension: no variable has value reference 99"},
        {VARIABLES(INPUT("x", "1") "><Dimension valueReference='0'/></Float64>"),
         "Dimension: variable 'time' is neither a structural parameter nor a constant"},
        {VARIABLES(INPUT("x", "1") "><Dimension valueReference='2'/></Float64>"
                                   "<UInt64 name='n' valueReference='2' "
                                   "causality='structuralParameter' start='0'/>"),
         "Dimension: 'n' is 0; arrays without elements are not supported"},
        {VARIABLES(INPUT("x", "1") "causality='input' start='1 2 3'><Dimension start='2'/>"
                                   "</Float64>"),
         "array 'x' has 3 start values, but 2 elements"},
        {VARIABLES(
             INPUT("x", "1") "causality='input' start='1 a'><Dimension start='2'/></Float64>"),
         "array 'x': start 'a' is not a value of type Float64"},
        {VARIABLES("<String name='s' valueReference='1' causality='input'><Start value='a'/>"
                   "<Start value='b'/></String>"),
         "variable 's' has 2 start values, but is no array"},
        {VARIABLES("<Binary name='b' valueReference='1' causality='input'><Start value='0g'/>"
                   "</Binary>"),
         "start '0g' is not a value of type Binary"},
        {VARIABLES("<Binary name='b' valueReference='1' causality='input'><Start value='abc'/>"
                   "</Binary>"),
         "start 'abc' is not a value of type Binary"},
        {VARIABLES(INPUT("x", "1") "causality='input'><Start value='1'/></Float64>"),
         "variable 'x' of type Float64 has no Start elements"},
        {VARIABLES("<UInt64 name='n' valueReference='1' causality='structuralParameter' start='2'>"
                   "<Dimension start='2'/></UInt64>"),
         "structural parameter 'n' must not be an array"},
    };
    assert_errors(*state, problems, sizeof problems / sizeof *problems);
}

static void errors_of_clocks_name_the_line(void **state)
{
    static const problem problems[] = {
        {VARIABLES("<Clock name='c' valueReference='1' causality='input'/>"),
         "clock 'c' has no intervalVariability"},
        {VARIABLES("<Clock name='c' valueReference='1' causality='input' "
                   "intervalVariability='constant'/>"),
         "clock 'c' is constant but has no intervalDecimal"},
        {VARIABLES("<Clock name='c' valueReference='1' causality='input' "
                   "intervalVariability='constant' intervalDecimal='-1'/>"),
         "intervalDecimal is not positive"},
        {VARIABLES("<Clock name='c' valueReference='1' causality='parameter' "
                   "intervalVariability='triggered'/>"),
         "clock 'c' has causality parameter"},
        {VARIABLES("<Clock name='c' valueReference='1' causality='input' "
                   "intervalVariability='fixed' intervalCounter='2'/>"),
         "intervalCounter has no meaning without resolution"},
        {VARIABLES("<Int8 name='i' valueReference='1' clocks='2'/>"),
         "variable 'i': clocks: no variable has value reference 2"},
        {VARIABLES("<Int8 name='i' valueReference='1' clocks='0'/>"),
         "variable 'i': 'time' in clocks is not a clock"},
        {VARIABLES("<Int8 name='i' valueReference='1' clocks='x'/>"),
         "clocks: 'x' is not a value reference"},
    };
    assert_errors(*state, problems, sizeof problems / sizeof *problems);
}

static void errors_of_the_structure_name_the_line(void **state)
{
    static const problem problems[] = {
        {HEAD "<ModelVariables>" TIME "</ModelVariables>\n<ModelStructure>\n"
              "<Output valueReference='3'/></ModelStructure>" TAIL,
         "m.xml:6: valueReference: no variable has value reference 3"},
        {HEAD "<ModelVariables>" TIME "</ModelVariables><ModelStructure><Output/>"
              "</ModelStructure>" TAIL,
         "Output has no attribute valueReference"},
        {HEAD "<ModelStructure><Output valueReference='0'/></ModelStructure>" TAIL,
         "no variable has value reference 0"},
        {HEAD "<ModelVariables/><ModelVariables/>" TAIL, "there are two elements ModelVariables"},
        {"<fmiModelDescription fmiVersion='3.0' modelName='M' instantiationToken='t'/>",
         "there is none of the elements CoSimulation, ModelExchange and ScheduledExecution"},
        {"<fmiModelDescription fmiVersion='3.0' modelName='M'>"
         "<CoSimulation modelIdentifier='m'/>" TAIL,
         "fmiModelDescription has no attribute instantiationToken"},
    };
    assert_errors(*state, problems, sizeof problems / sizeof *problems);
}

static void small_mistakes_are_warnings(void **state)
{
    fixture *f = *state;
    static const problem problems[] = {
        {VARIABLES("<Int8 name='i' valueReference='1' variability='continuous'/>"),
         "variable 'i' of type Int8 cannot be continuous; taken as discrete"},
        {VARIABLES(INPUT("x", "1") "causality='input'/>"), "variable 'x' has no start value"},
        {VARIABLES(INPUT("x", "1") "causality='input' initial='calculated' start='1'/>"),
         "initial calculated is not allowed with causality input"},
        {VARIABLES(INPUT("x", "1") "/>" INPUT("y", "1") "/>"),
         "variables 'x' (line 5) and 'y' have the same value reference 1"},
        {VARIABLES(INPUT("x", "1") "unit='K'/>"), "variable 'x': unit 'K' is not defined"},
        {VARIABLES(INPUT("x", "1") "causality='independent'/>"),
         "there are 2 independent variables instead of one"},
        {VARIABLES("<String name='s' valueReference='1' causality='input' start='a'/>"),
         "the start value of a String belongs into an element Start"},
        {VARIABLES("<Enumeration name='e' valueReference='1'/>"),
         "variable 'e' is an enumeration, but has no declaredType"},
        {VARIABLES("<Int8 name='i' valueReference='1' intermediateUpdate='true'/>"),
         "variable 'i' is discrete and must not have intermediateUpdate"},
        {VARIABLES("<Clock name='c' valueReference='1' causality='input' "
                   "intervalVariability='countdown' intervalDecimal='1'/>"),
         "clock 'c' must not have an interval: it is not periodic"},
        {VARIABLES("<Clock name='c' valueReference='1' causality='output' "
                   "intervalVariability='fixed'/>"),
         "clock 'c' is no input, so its intervalVariability must be triggered"},
        {VARIABLES("<Int8 name='i' valueReference='1' previous='1'/>"),
         "variable 'i': previous is the variable itself"},
        {VARIABLES(INPUT("x", "1") "derivative='1'/>"),
         "variable 'x' cannot be the derivative of 'x'"},
        {VARIABLES(INPUT("y", "1") "causality='output'/>"),
         "output 'y' is not listed in ModelStructure"},
        {HEAD "<ModelVariables>" TIME "</ModelVariables><ModelStructure>"
              "<Output valueReference='0' dependencies='' dependenciesKind='constant'/>"
              "</ModelStructure>" TAIL,
         "there are 0 dependencies, but 1 dependenciesKind"},
        {VARIABLES(INPUT("x", "1") "initail='exact'/>"), "initail"},
        {VARIABLES("<Float46 name='x' valueReference='1'/>"), "Float46"},
        {HEAD "<ModelVariables>" TIME "</ModelVariables><ModelStructure>"
              "<ClockedState valueReference='0'/></ModelStructure>" TAIL,
         "variable 'time' has no attribute previous"},
        {"<fmiModelDescription fmiVersion='3.0' modelName='M' instantiationToken='t'>"
         "<CoSimulation modelIdentifier='m' canSerializeFMUState='true'/><ModelVariables>" TIME
         "<Clock name='c' valueReference='1' causality='input' intervalVariability='triggered'/>"
         "</ModelVariables>" TAIL,
         "there are clocks, but hasEventMode is not true: they never tick"},
    };
    assert_warnings(f, problems, sizeof problems / sizeof *problems);
    assert_contains(f->log.text, "canSerializeFMUState needs canGetAndSetFMUState");
}

static void sizes_that_overflow_are_refused(void **state)
{
    fixture *f = *state;
    static const problem problems[] = {
        {VARIABLES(INPUT("x", "1") "><Dimension start='9223372036854775807'/>"
                                   "<Dimension start='9223372036854775807'/></Float64>"),
         "m.xml:5: array 'x' is too large: at most 2000000 elements"},
        {VARIABLES(INPUT("x", "1") "><Dimension start='2000001'/></Float64>"),
         "array 'x' is too large"},
        {VARIABLES(
             INPUT("x", "1") "><Dimension valueReference='2'/></Float64>"
                             "<UInt64 name='n' valueReference='2' causality='structuralParameter' "
                             "start='18446744073709551615'/>"),
         "'n' is 18446744073709551615, which is too large"},
        {VARIABLES(INPUT("x", "1") "><Dimension start='1500000'/><Alias name='y'/></Float64>"),
         "the arrays and their aliases are too large"},
        {VARIABLES(INPUT("x", "1") "><Dimension start='1999999'/></Float64>" INPUT(
             "y", "2") "><Dimension start='2'/></Float64>"),
         "array 'y' is too large"},
    };
    assert_errors(f, problems, sizeof problems / sizeof *problems);
    takt_text many = {0};
    takt_text_print(&many, HEAD "<ModelVariables>" TIME INPUT("x", "1") ">");
    for (int i = 0; i < 33; i++) takt_text_add(&many, "<Dimension start='1'/>");
    takt_text_add(&many, "</Float64></ModelVariables>" TAIL);
    assert_int_equal(read_text(f, many.data), TAKT_ERR_INPUT);
    assert_contains(f->err.message, "array 'x' has 33 dimensions; at most 32 are supported");
    takt_text_clear(&many);
}

static void dependencies_of_large_arrays_stay_bounded(void **state)
{
    fixture *f = *state;
    takt_text text = {0};
    takt_text_add(
        &text, HEAD "<ModelVariables>" TIME INPUT(
                   "x", "1") "causality='input' start='0'><Dimension start='1000000'/></Float64>");
    for (int i = 0; i < 30; i++)
        takt_text_print(&text, "<Float64 name='y%d' valueReference='%d' causality='output'/>", i,
                        100 + i);
    takt_text_add(&text, "</ModelVariables><ModelStructure>");
    for (int i = 0; i < 30; i++)
        takt_text_print(&text, "<Output valueReference='%d' dependencies='1'/>", 100 + i);
    takt_text_add(&text, "</ModelStructure>" TAIL);
    assert_reads(f, text.data);
    assert_contains(f->log.text, "taken as dependencies on everything");
    assert_true(f->model.outputs[0].is_known);
    assert_int_equal(f->model.outputs[0].n_known, 1000000);
    assert_false(f->model.outputs[29].is_known);
    takt_text_clear(&text);
}

static void large_descriptions_are_read_quickly(void **state)
{
    fixture *f = *state;
    takt_text text = {0};
    takt_text_add(&text, HEAD "<ModelVariables>" TIME);
    const int n = 200000;
    for (int i = 0; i < n; i++)
        takt_text_print(&text,
                        "<Float64 name='plant.subsystem[%d].component.variable%d' "
                        "valueReference='%d' causality='output' variability='continuous' "
                        "initial='calculated' description='a variable of a large model, with a "
                        "description that is as long as those of real tools'/>\n",
                        i % 100, i, i + 1);
    takt_text_add(&text, "</ModelVariables><ModelStructure>");
    for (int i = 0; i < n; i++)
        takt_text_print(&text, "<Output valueReference='%d' dependencies='0'/>\n", i + 1);
    takt_text_add(&text, "</ModelStructure>" TAIL);
    assert_false(text.failed);
    clock_t start = clock();
    assert_reads(f, text.data);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    print_message("%zu bytes in %.3f s\n", text.length, seconds);
    assert_true(seconds < 20); // with sanitizers on a slow machine; usually 0.4 s without
    assert_int_equal(f->model.n_variables, n + 1);
    takt_text_clear(&text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, description_setup, description_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(general_information_is_read),
        TEST(all_types_are_read),
        TEST(elements_of_arrays_are_variables),
        TEST(aliases_have_the_same_reference),
        TEST(clocks_and_clocked_variables_are_read),
        TEST(errors_of_variables_name_the_line),
        TEST(errors_of_arrays_name_the_line),
        TEST(errors_of_clocks_name_the_line),
        TEST(errors_of_the_structure_name_the_line),
        TEST(small_mistakes_are_warnings),
        TEST(sizes_that_overflow_are_refused),
        TEST(dependencies_of_large_arrays_stay_bounded),
        TEST(large_descriptions_are_read_quickly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
