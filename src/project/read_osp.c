// SPDX-License-Identifier: MIT
// Reads an OspSystemStructure.xml of the Open Simulation Platform (schema version 0.1): simulators with
// initial values, functions, connections, times and algorithm. See docs/reference/projects-osp.md.
// Functions become built-in components. The platform steps all simulators from the same values and
// evaluates functions in between: that is the algorithm jacobi.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "project/osp_reader.h"
#include "project/uri.h"

#define OSP_NAMESPACE "http://opensimulationplatform.com/MSMI/OSPSystemStructure"

// ---- helpers -----------------------------------------------------------------------------------

void takt_osp_report(takt_osp_reader *reader, const takt_xml_element *element, takt_level level,
                     const char *format, ...)
{
    char text[TAKT_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    takt_problem(&reader->project->problems, level,
                 (takt_place){reader->project->path, takt_xml_element_line(element)}, "%s", text);
}

static void doubt(takt_osp_reader *reader, const takt_xml_element *element, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void doubt(takt_osp_reader *reader, const takt_xml_element *element, const char *format, ...)
{
    char text[TAKT_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    takt_problem_doubt(&reader->project->problems,
                       (takt_place){reader->project->path, takt_xml_element_line(element)}, "%s",
                       text);
}

#define FAIL(reader, element, ...) takt_osp_report(reader, element, TAKT_LEVEL_ERROR, __VA_ARGS__)

const char *takt_osp_required(takt_osp_reader *reader, const takt_xml_element *element,
                              const char *attribute)
{
    const char *value = takt_xml_element_attribute(element, attribute);
    if (value && *value) return value;
    FAIL(reader, element, "<%s> %s '%s'", takt_xml_element_name(element),
         value ? "has an empty attribute" : "has no attribute", attribute);
    return NULL;
}

void takt_osp_check_children(takt_osp_reader *reader, const takt_xml_element *parent,
                             const char *const *known)
{
    const takt_xml_element *child = takt_xml_first_child(parent, NULL, NULL);
    for (; child; child = takt_xml_next_sibling(child, NULL, NULL)) {
        const char *name = takt_xml_element_name(child), *nearest;
        if (takt_problems_is_listed(&reader->project->problems, name, known, &nearest)) continue;
        FAIL(reader, child, "<%s> is not known inside <%s>%s%s%s", name,
             takt_xml_element_name(parent), nearest ? "; did you mean <" : "",
             nearest ? nearest : "", nearest ? ">?" : "");
    }
}

void takt_osp_check_attributes(takt_osp_reader *reader, const takt_xml_element *element,
                               const char *const *known)
{
    const char *name, *value, *nearest;
    for (int i = 0; takt_xml_element_attribute_at(element, i, &name, &value); i++) {
        if (takt_problems_is_listed(&reader->project->problems, name, known, &nearest)) continue;
        takt_osp_report(reader, element, TAKT_LEVEL_WARN,
                        "<%s>: the attribute '%s' is not known and has no effect%s%s%s",
                        takt_xml_element_name(element), name, nearest ? "; did you mean '" : "",
                        nearest ? nearest : "", nearest ? "'?" : "");
    }
}

// The only child of that name; NULL: there is none. A second one is reported.
static const takt_xml_element *only_child(takt_osp_reader *reader, const takt_xml_element *parent,
                                          const char *name)
{
    const takt_xml_element *first = takt_xml_first_child(parent, NULL, name);
    const takt_xml_element *second = first ? takt_xml_next_sibling(first, NULL, name) : NULL;
    if (second) FAIL(reader, second, "<%s> is given twice", name);
    return first;
}

// The text of the only child of that name without blanks around it; NULL when there is none.
static const char *text_of(takt_osp_reader *reader, const takt_xml_element *parent,
                           const char *name, const takt_xml_element **element)
{
    *element = only_child(reader, parent, name);
    if (!*element) return NULL;
    takt_arena *arena = &reader->project->arena;
    const char *text = takt_xml_element_text(*element, arena);
    if (text) text = takt_arena_trim(arena, text);
    if (!text) reader->is_out_of_memory = true;
    return text;
}

static void set(takt_osp_reader *reader, const takt_xml_element *element, const char *setting,
                const char *value)
{
    takt_error err = {0};
    takt_project *project = reader->project;
    takt_status st = takt_project_set_at(
        project, setting, value, (takt_place){project->path, takt_xml_element_line(element)}, &err);
    if (st == TAKT_ERR_MEMORY)
        reader->is_out_of_memory = true;
    else if (st)
        FAIL(reader, element, "%s", err.message);
}

// Sets a setting to the number in a child element. The setting itself would allow a unit.
static void set_number(takt_osp_reader *reader, const takt_xml_element *parent, const char *name,
                       const char *setting)
{
    const takt_xml_element *element;
    const char *text = text_of(reader, parent, name, &element);
    double number;
    if (!text) return;
    if (takt_number_read(text, text + strlen(text), &number))
        set(reader, element, setting, text);
    else
        FAIL(reader, element, "<%s>: '%s' is not a number", name, text);
}

// ---- simulators --------------------------------------------------------------------------------

static void read_initial_value(takt_osp_reader *reader, const takt_xml_element *element,
                               const char *simulator)
{
    static const char *const known[] = {"Real",   "Integer",     "Boolean",
                                        "String", "Enumeration", NULL};
    static const char *const types[] = {"Float64", "Int32", "Boolean", "String", "Int32"};
    static const char *const attributes[] = {"variable", NULL}, *const values[] = {"value", NULL};
    takt_osp_check_children(reader, element, known);
    takt_osp_check_attributes(reader, element, attributes);
    const char *variable = takt_osp_required(reader, element, "variable");
    const takt_xml_element *child = takt_xml_first_child(element, NULL, NULL);
    if (!child || takt_xml_next_sibling(child, NULL, NULL)) {
        FAIL(reader, element, "<InitialValue> needs one <Real>, <Integer>, <Boolean> or <String>");
        return;
    }
    takt_osp_check_attributes(reader, child, values);
    int type = 0;
    while (known[type] && strcmp(known[type], takt_xml_element_name(child)) != 0) type++;
    const char *value = takt_xml_element_attribute(child, "value");
    if (!value) FAIL(reader, child, "<%s> has no attribute 'value'", takt_xml_element_name(child));
    if (!variable || !value || !known[type]) return;
    takt_project_assignment assignment = {
        .component = simulator,
        .variable = variable,
        .value = value,
        .type = types[type],
        .place = {reader->project->path, takt_xml_element_line(element)}};
    if (!takt_project_add_assignment(reader->project, &assignment)) reader->is_out_of_memory = true;
}

static void read_initial_values(takt_osp_reader *reader, const takt_xml_element *simulator,
                                const char *name)
{
    static const char *const known[] = {"InitialValue", NULL};
    const takt_xml_element *list = takt_xml_first_child(simulator, NULL, "InitialValues");
    for (; list; list = takt_xml_next_sibling(list, NULL, "InitialValues")) {
        takt_osp_check_children(reader, list, known);
        const takt_xml_element *element = takt_xml_first_child(list, NULL, "InitialValue");
        for (; element; element = takt_xml_next_sibling(element, NULL, "InitialValue"))
            read_initial_value(reader, element, name);
    }
}

// The path of an FMU. One that the platform would run in another process is run in this one.
static const char *resolve(takt_osp_reader *reader, const takt_xml_element *element,
                           const char *name, const char *source)
{
    const char *path = NULL, *file = strstr(source, "file=");
    takt_error err = {0};
    if (strncmp(source, "proxyfmu://", 11) == 0 && file) {
        takt_osp_report(reader, element, TAKT_LEVEL_WARN,
                        "simulator '%s' is not run by a proxy but in this process", name);
        source = file + 5;
    }
    takt_status st =
        takt_uri_resolve(&reader->project->arena, reader->project->path, source, &path, &err);
    if (st == TAKT_ERR_MEMORY)
        reader->is_out_of_memory = true;
    else if (st)
        FAIL(reader, element, "simulator '%s': source %s", name, err.message);
    return path;
}

static void set_step_size(takt_osp_reader *reader, const takt_xml_element *element,
                          const char *name, double step)
{
    takt_arena *arena = &reader->project->arena;
    char number[TAKT_NUMBER_SIZE];
    char *pattern = takt_arena_copy(arena, name);
    if (pattern) takt_glob_without_blanks(pattern);
    takt_number_write(number, step);
    const char *item = pattern ? takt_arena_print(arena, "%s=%s", pattern, number) : NULL;
    if (item)
        set(reader, element, "step-size-of", item);
    else
        reader->is_out_of_memory = true;
}

// Steps are whole multiples of the base step. The platform leaves out what is above one, except that
// here rounding cannot make the multiple smaller. 0 is the base step.
static void read_step_size(takt_osp_reader *reader, const takt_xml_element *element,
                           const char *name)
{
    const char *text = takt_xml_element_attribute(element, "stepSize");
    double step;
    if (!text) return;
    if (!takt_number_read(text, text + strlen(text), &step) || !isfinite(step) || step < 0) {
        FAIL(reader, element, "simulator '%s': stepSize '%s' is not a number from 0 on", name,
             text);
        return;
    }
    double n = floor(step / reader->base_step * (1 + 1e-9));
    double taken = fmax(n, 1) * reader->base_step;
    if (step > 0 && fabs(taken - step) > 1e-9 * step)
        doubt(reader, element,
              "simulator '%s': stepSize %s s is not a multiple of the base step %.15g s; "
              "%.15g s is taken",
              name, text, reader->base_step, taken);
    if (n > 1) set_step_size(reader, element, name, taken);
}

static bool add_component(takt_osp_reader *reader, const takt_xml_element *element,
                          const char *name, const char *source)
{
    takt_project_component component = {
        .name = name,
        .source = source,
        .place = {reader->project->path, takt_xml_element_line(element)}};
    bool ok = takt_project_add_component(reader->project, &component);
    if (!ok) reader->is_out_of_memory = true;
    return ok;
}

static void read_simulator(takt_osp_reader *reader, const takt_xml_element *element)
{
    static const char *const known[] = {"InitialValues", NULL};
    static const char *const attributes[] = {"name", "source", "stepSize", NULL};
    takt_osp_check_children(reader, element, known);
    takt_osp_check_attributes(reader, element, attributes);
    const char *name = takt_osp_required(reader, element, "name");
    const char *source = takt_osp_required(reader, element, "source");
    if (!name) return;
    const char *path = source ? resolve(reader, element, name, source) : NULL;
    int i = reader->project->n_components;
    if (!add_component(reader, element, name, path)) return;
    if (takt_map_find(&reader->simulators, name) < 0 && // the system reports the second one
        !takt_map_add(&reader->simulators, reader->project->components[i].name, i))
        reader->is_out_of_memory = true;
    read_step_size(reader, element, name);
    read_initial_values(reader, element, name);
}

static void read_simulators(takt_osp_reader *reader, const takt_xml_element *root)
{
    static const char *const known[] = {"Simulator", NULL};
    const takt_xml_element *list = only_child(reader, root, "Simulators");
    if (!list) {
        FAIL(reader, root, "the file has no <Simulators>");
        return;
    }
    takt_osp_check_children(reader, list, known);
    const takt_xml_element *element = takt_xml_first_child(list, NULL, "Simulator");
    if (!element) FAIL(reader, list, "there are no simulators");
    for (; element && !reader->is_out_of_memory;
         element = takt_xml_next_sibling(element, NULL, "Simulator"))
        read_simulator(reader, element);
}

// ---- functions ---------------------------------------------------------------------------------

// The value of an attribute with a whole number from 1 on; 0 when it is none, which is reported.
static int read_count(takt_osp_reader *reader, const takt_xml_element *element, const char *name)
{
    const char *text = takt_osp_required(reader, element, name);
    int64_t count;
    if (!text) return 0;
    if (takt_number_read_integer(text, text + strlen(text), &count) && count >= 1 &&
        count <= 100000)
        return (int)count;
    FAIL(reader, element, "<%s>: %s '%s' is not a whole number from 1 to 100000",
         takt_xml_element_name(element), name, text);
    return 0;
}

static const char *number_or(takt_osp_reader *reader, const takt_xml_element *element,
                             const char *name, const char *otherwise)
{
    const char *text = takt_xml_element_attribute(element, name);
    double number;
    if (!text) return otherwise;
    if (takt_number_read(text, text + strlen(text), &number) && isfinite(number)) return text;
    FAIL(reader, element, "<%s>: %s '%s' is not a number", takt_xml_element_name(element), name,
         text);
    return otherwise;
}

// The source of the built-in component, and the size of the function; NULL: nothing usable.
static const char *function_source(takt_osp_reader *reader, const takt_xml_element *element,
                                   takt_osp_function *out)
{
    takt_arena *arena = &reader->project->arena;
    static const char *const linear[] = {"name", "factor", "offset", NULL};
    static const char *const sum[] = {"name", "inputCount", NULL};
    static const char *const vector_sum[] = {"name", "inputCount", "dimension", NULL};
    const char *kind = takt_xml_element_name(element), *source = NULL;
    out->n_inputs = 1;
    if (strcmp(kind, "LinearTransformation") == 0) {
        takt_osp_check_attributes(reader, element, linear);
        const char *factor = number_or(reader, element, "factor", "1");
        const char *offset = number_or(reader, element, "offset", "0");
        source = takt_arena_print(arena, "builtin:linear?factor=%s&offset=%s", factor, offset);
    } else {
        bool is_vector = strcmp(kind, "VectorSum") == 0;
        takt_osp_check_attributes(reader, element, is_vector ? vector_sum : sum);
        out->n_inputs = read_count(reader, element, "inputCount");
        out->dimension = is_vector ? read_count(reader, element, "dimension") : 0;
        if (out->n_inputs == 0 || (is_vector && out->dimension == 0)) return NULL;
        source = is_vector ? takt_arena_print(arena, "builtin:vectorsum?inputs=%d&dimension=%d",
                                              out->n_inputs, out->dimension)
                           : takt_arena_print(arena, "builtin:sum?inputs=%d", out->n_inputs);
    }
    if (!source) reader->is_out_of_memory = true;
    return source;
}

static void read_function(takt_osp_reader *reader, const takt_xml_element *element)
{
    const char *name = takt_osp_required(reader, element, "name");
    takt_osp_function new = {.line = takt_xml_element_line(element)};
    const char *source = function_source(reader, element, &new);
    if (!name || reader->is_out_of_memory) return;
    int i = reader->n_functions;
    if (!add_component(reader, element, name, source)) return;
    new.name = reader->project->components[reader->project->n_components - 1].name;
    bool is_known = takt_map_find(&reader->functions, name) >= 0; // the system reports it
    if (!takt_grow(&reader->list, i, &reader->function_capacity, sizeof new) ||
        (!is_known && !takt_map_add(&reader->functions, new.name, i))) {
        reader->is_out_of_memory = true;
        return;
    }
    reader->list[reader->n_functions++] = new;
}

static void read_functions(takt_osp_reader *reader, const takt_xml_element *root)
{
    static const char *const known[] = {"LinearTransformation", "Sum", "VectorSum", NULL};
    const takt_xml_element *list = only_child(reader, root, "Functions");
    if (!list) return;
    takt_osp_check_children(reader, list, known);
    const takt_xml_element *element = takt_xml_first_child(list, NULL, NULL);
    for (; element && !reader->is_out_of_memory;
         element = takt_xml_next_sibling(element, NULL, NULL)) {
        const char *name = takt_xml_element_name(element);
        if (strcmp(name, known[0]) == 0 || strcmp(name, known[1]) == 0 ||
            strcmp(name, known[2]) == 0)
            read_function(reader, element);
    }
}

// ---- algorithm ---------------------------------------------------------------------------------

static bool same_word(const char *text, const char *word)
{
    for (; *text && *word; text++, word++) {
        char c = *text >= 'A' && *text <= 'Z' ? (char)(*text - 'A' + 'a') : *text;
        if (c != *word) return false;
    }
    return *text == *word;
}

// Steps by the energy in the connections (ecco) are not available: its first step is kept.
static void read_ecco(takt_osp_reader *reader, const takt_xml_element *root,
                      const takt_xml_element *algorithm)
{
    static const struct {
        const char *name, *setting;
    } members[] = {{"StepSize", "step-size"},
                   {"MinimumStepSize", "step-min"},
                   {"MaximumStepSize", "step-max"},
                   {"RelativeTolerance", "relative-tolerance"},
                   {"AbsoluteTolerance", "absolute-tolerance"}};
    static const char *const known[] = {"SafetyFactor",
                                        "StepSize",
                                        "MinimumStepSize",
                                        "MaximumStepSize",
                                        "MinimumChangeRate",
                                        "MaximumChangeRate",
                                        "ProportionalGain",
                                        "IntegralGain",
                                        "RelativeTolerance",
                                        "AbsoluteTolerance",
                                        NULL};
    doubt(reader, algorithm,
          "the algorithm ecco is not available: the steps keep their first size; the "
          "option --step-control richardson controls them by an error test");
    const takt_xml_element *ecco = only_child(reader, root, "EccoConfiguration");
    if (ecco) takt_osp_check_children(reader, ecco, known);
    for (int i = 0; ecco && i < 5; i++)
        set_number(reader, ecco, members[i].name, members[i].setting);
}

static void read_base_step(takt_osp_reader *reader, const takt_xml_element *root)
{
    set_number(reader, root, "BaseStepSize", "step-size");
    const takt_settings *settings = &reader->project->settings;
    if (!takt_settings_has(settings, &settings->step_size)) {
        if (!takt_xml_first_child(root, NULL, "BaseStepSize"))
            takt_osp_report(reader, root, TAKT_LEVEL_INFO,
                            "there is no <BaseStepSize>: 0.1 s is taken");
        set(reader, root, "step-size", "0.1");
    }
    reader->base_step = settings->step_size;
}

static void read_algorithm(takt_osp_reader *reader, const takt_xml_element *root)
{
    const takt_xml_element *element;
    const char *name = text_of(reader, root, "Algorithm", &element);
    set(reader, root, "algorithm", "jacobi");
    set(reader, root, "step-control", "fixed");
    set(reader, root, "input-derivatives", "off"); // the platform holds inputs
    if (!name || same_word(name, "fixedstep")) return;
    if (same_word(name, "ecco"))
        read_ecco(reader, root, element);
    else
        FAIL(reader, element, "<Algorithm>: '%s' is not known; possible are fixedStep and ecco",
             name);
}

// ---- document ----------------------------------------------------------------------------------

static void read_document(takt_osp_reader *reader, const takt_xml_element *root)
{
    static const char *const known[] = {
        "StartTime", "EndTime",     "BaseStepSize",      "Algorithm",   "Simulators",
        "Functions", "Connections", "EccoConfiguration", "Description", NULL};
    if (strcmp(takt_xml_element_name(root), "OspSystemStructure") != 0) {
        FAIL(reader, root, "<%s> is not the root of an OspSystemStructure",
             takt_xml_element_name(root));
        return;
    }
    if (strcmp(takt_xml_element_namespace(root), OSP_NAMESPACE) != 0)
        takt_osp_report(reader, root, TAKT_LEVEL_WARN,
                        "the namespace is '%s'; known is " OSP_NAMESPACE,
                        takt_xml_element_namespace(root));
    static const char *const attributes[] = {"version", NULL};
    takt_osp_check_children(reader, root, known);
    takt_osp_check_attributes(reader, root, attributes);
    const char *version = takt_xml_element_attribute(root, "version");
    if (version && strcmp(version, "0.1") != 0)
        takt_osp_report(reader, root, TAKT_LEVEL_WARN, "the version is '%s'; known is 0.1",
                        version);
    set_number(reader, root, "StartTime", "start-time");
    set_number(reader, root, "EndTime", "stop-time");
    read_base_step(reader, root);
    read_algorithm(reader, root);
    read_simulators(reader, root);
    read_functions(reader, root);
    const takt_xml_element *connections = only_child(reader, root, "Connections");
    size_t n = (size_t)reader->project->n_components;
    reader->descriptions =
        takt_arena_array(&reader->project->arena, n, sizeof *reader->descriptions);
    if (!reader->descriptions) reader->is_out_of_memory = true;
    if (connections && !reader->is_out_of_memory) takt_osp_read_connections(reader, connections);
    if (reader->has_bonds)
        takt_osp_report(reader, connections, TAKT_LEVEL_INFO,
                        "powerBond has no effect, as only the algorithm ecco uses it");
}

// Reads a tree and ends it.
static takt_status read_tree(takt_project *project, takt_xml_tree *tree, takt_error *err)
{
    takt_osp_reader reader = {.project = project};
    read_document(&reader, takt_xml_tree_root(tree));
    takt_map_clear(&reader.simulators);
    takt_map_clear(&reader.functions);
    free(reader.list);
    takt_xml_tree_close(tree);
    if (reader.is_out_of_memory) return takt_fail_memory(err);
    return project->n_components ? TAKT_OK
                                 : takt_problems_end(&project->problems, project->path, err);
}

takt_status takt_project_read_osp(takt_project *project, takt_error *err)
{
    takt_xml_tree *tree = NULL;
    takt_status st = takt_xml_tree_open(project->path, project->path, &tree, err);
    return st ? st : read_tree(project, tree, err);
}

takt_status takt_project_parse_osp(takt_project *project, const void *data, size_t size,
                                   takt_error *err)
{
    takt_xml_tree *tree = NULL;
    takt_status st = takt_xml_tree_open_memory(data, size, project->path, &tree, err);
    return st ? st : read_tree(project, tree, err);
}
