// SPDX-License-Identifier: MIT
// Reads a project of MasterSim (.msim): one keyword per line, followed by its value. See
// docs/reference/projects-msim.md. All keywords are read; those that have no effect are reported.
// Values are passed on as MasterSim does, without converting units, as users write offset and scale
// for that.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/map.h"
#include "base/number.h"
#include "base/text.h"
#include "project/msim_settings.h"
#include "project/order.h"

// A parameter of FMUs that write files of their own.
#define RESULTS_FOLDER "ResultsRootDir"

typedef struct msim_reader {
    takt_lines lines;
    takt_msim_settings settings;
    takt_declared *declared; // per component of the project; malloc'ed
    int declared_capacity;
} msim_reader;

static void fail(msim_reader *reader, const char *message)
{
    takt_lines_report(&reader->lines, TAKT_LEVEL_ERROR, "%s", message);
}

// ---- simulator ---------------------------------------------------------------------------------

static bool is_table(const char *path)
{
    return takt_path_ends_in(path, ".csv") || takt_path_ends_in(path, ".tsv");
}

static bool is_color(const char *text)
{
    size_t n = strspn(text + (*text == '#'), "0123456789abcdefABCDEF");
    return *text == '#' && (n == 6 || n == 8) && text[1 + n] == 0;
}

static bool is_name(msim_reader *reader, const char *name)
{
    if (*name && !strchr(name, '.')) return true;
    takt_lines_report(
        &reader->lines, TAKT_LEVEL_ERROR,
        "'%s' cannot be the name of a simulator: it is empty or contains a '.', which "
        "ends the name in graph and parameter",
        name);
    return false;
}

static const char *simulator_source(msim_reader *reader, const char *path)
{
    if (takt_path_ends_in(path, ".fmu") || is_table(path))
        return takt_lines_path(&reader->lines, path);
    takt_lines_report(&reader->lines, TAKT_LEVEL_ERROR,
                      "'%s' is neither an FMU nor a table; possible are .fmu, .csv and .tsv", path);
    return NULL;
}

static void add_simulator(msim_reader *reader, const char *name, const char *path, int cycle)
{
    takt_project *project = reader->lines.project;
    takt_project_component component = {.name = name,
                                        .source = simulator_source(reader, path),
                                        .place = takt_lines_place(&reader->lines)};
    int i = project->n_components;
    if (!takt_grow(&reader->declared, i, &reader->declared_capacity, sizeof *reader->declared) ||
        !takt_project_add_component(project, &component)) {
        reader->lines.is_out_of_memory = true;
        return;
    }
    reader->declared[i] = (takt_declared){.tier = cycle, .is_iterated = true};
}

// simulator PRIORITY CYCLE NAME COLOR PATH. The priority has no effect in MasterSim either.
static void read_simulator(msim_reader *reader, char *text)
{
    char *words[TAKT_MAX_WORDS];
    int n = takt_lines_split(text, words);
    if (n != 5) {
        fail(reader, n < 0   ? "simulator: a quote (\") is not closed"
                     : n > 5 ? "simulator has too many words; put a path with blanks in quotes (\")"
                             : "simulator needs a priority, a cycle, a name, a color and a path");
        return;
    }
    int64_t priority, cycle;
    bool ok = is_name(reader, words[2]);
    if (!takt_number_read_integer(words[0], words[0] + strlen(words[0]), &priority))
        takt_lines_report(&reader->lines, TAKT_LEVEL_ERROR,
                          "simulator: the priority '%s' is not a whole number", words[0]);
    if (!takt_number_read_integer(words[1], words[1] + strlen(words[1]), &cycle) || cycle < 0 ||
        cycle > INT32_MAX) {
        takt_lines_report(&reader->lines, TAKT_LEVEL_ERROR,
                          "simulator: the cycle '%s' is not a whole number from 0 on", words[1]);
        cycle = 0;
    }
    if (!is_color(words[3]))
        takt_lines_report(&reader->lines, TAKT_LEVEL_WARN,
                          "simulator: '%s' is not a color such as #00bdcf; it has no effect",
                          words[3]);
    if (ok) add_simulator(reader, words[2], words[4], (int)cycle);
}

// ---- graph -------------------------------------------------------------------------------------

// Cuts "slave.variable" at the first dot, in place.
static bool split_reference(msim_reader *reader, const char *keyword, char *text, char **variable)
{
    char *dot = strchr(text, '.');
    if (!dot || dot == text || !dot[1]) {
        takt_lines_report(&reader->lines, TAKT_LEVEL_ERROR,
                          "%s: '%s' names no variable; write SIMULATOR.VARIABLE", keyword, text);
        return false;
    }
    *dot = 0;
    *variable = dot + 1;
    return true;
}

static bool read_transformation(msim_reader *reader, char *const words[2], double *offset,
                                double *scale)
{
    double *numbers[2] = {offset, scale};
    for (int i = 0; i < 2; i++) {
        if (takt_number_read(words[i], words[i] + strlen(words[i]), numbers[i]) &&
            isfinite(*numbers[i]))
            continue;
        takt_lines_report(&reader->lines, TAKT_LEVEL_ERROR, "graph: the %s '%s' is not a number",
                          i ? "scale" : "offset", words[i]);
        return false;
    }
    return true;
}

// graph SOURCE TARGET [OFFSET SCALE [LINEWIDTH COLOR]]
static void read_graph(msim_reader *reader, char *text)
{
    char *words[TAKT_MAX_WORDS];
    int n = takt_lines_split(text, words);
    if (n != 2 && n != 4 && n != 6) {
        fail(reader, n < 0 ? "graph: a quote (\") is not closed"
                           : "graph needs SOURCE TARGET, perhaps with OFFSET SCALE, perhaps with "
                             "LINEWIDTH COLOR; put names with blanks in quotes (\")");
        return;
    }
    double offset = 0, scale = 1;
    char *from = NULL, *to = NULL;
    bool ok = split_reference(reader, "graph", words[0], &from);
    ok = split_reference(reader, "graph", words[1], &to) && ok;
    if (n >= 4) ok = read_transformation(reader, words + 2, &offset, &scale) && ok;
    if (!ok) return;
    takt_project_hop hop = {.keeps_unit = true};
    if (offset != 0 || scale != 1) hop = takt_project_hop_linear(scale, offset);
    hop.keeps_unit = true;
    hop.place = takt_lines_place(&reader->lines);
    takt_project_connection connection = {.start_component = words[0],
                                          .start_variable = from,
                                          .end_component = words[1],
                                          .end_variable = to,
                                          .hops = &hop,
                                          .n_hops = 1,
                                          .place = hop.place};
    if (!takt_project_add_connection(reader->lines.project, &connection))
        reader->lines.is_out_of_memory = true;
}

// ---- parameter ---------------------------------------------------------------------------------

// \\ is a backslash, \n a new line; quotes around the whole are taken off. In place.
static char *unescape(char *value)
{
    char *to = value;
    for (const char *from = value; *from; to++) {
        bool is_code = from[0] == '\\' && (from[1] == '\\' || from[1] == 'n');
        *to = !is_code ? from[0] : from[1] == 'n' ? '\n' : '\\';
        from += is_code ? 2 : 1;
    }
    *to = 0;
    if (to - value < 2 || value[0] != '"' || to[-1] != '"') return value;
    to[-1] = 0;
    return value + 1;
}

static void read_parameter(msim_reader *reader, char *text)
{
    char *value = takt_lines_cut_word(text), *variable;
    if (!*text || !*value) {
        fail(reader, "parameter needs SIMULATOR.VARIABLE and a value");
        return;
    }
    if (!split_reference(reader, "parameter", text, &variable)) return;
    takt_project_assignment assignment = {.component = text,
                                          .variable = variable,
                                          .value = unescape(value),
                                          .place = takt_lines_place(&reader->lines)};
    if (!takt_project_add_assignment(reader->lines.project, &assignment))
        reader->lines.is_out_of_memory = true;
}

// ---- lines -------------------------------------------------------------------------------------

static void read_output_only(msim_reader *reader, char *text)
{
    takt_lines_report(&reader->lines, TAKT_LEVEL_WARN,
                      "outputOnly %s has no effect, as in MasterSim; see the option --record",
                      text);
}

// A keyword of old versions of MasterSim.
static void read_binary_output(msim_reader *reader, char *text)
{
    takt_lines_report(&reader->lines, TAKT_LEVEL_WARN,
                      "binaryOutputFiles %s has no effect, as in newer versions of MasterSim; see "
                      "the option --output-file, which also writes .mat",
                      text);
}

static const struct {
    const char *name;
    void (*read)(msim_reader *reader, char *text);
} entries[] = {
    {"simulator", read_simulator},
    {"graph", read_graph},
    {"parameter", read_parameter},
    {"outputOnly", read_output_only},
    {"binaryOutputFiles", read_binary_output},
};

enum { N_ENTRIES = sizeof entries / sizeof *entries };

static const char *any_keyword(void *context, int i)
{
    (void)context;
    return i < N_ENTRIES ? entries[i].name : takt_msim_keyword_name(i - N_ENTRIES);
}

static void read_line(msim_reader *reader, char *line)
{
    char *rest = takt_lines_cut_word(line);
    for (int i = 0; i < N_ENTRIES; i++) {
        if (strcmp(entries[i].name, line) != 0) continue;
        entries[i].read(reader, rest);
        return;
    }
    if (takt_msim_read_setting(&reader->lines, &reader->settings, line, rest)) return;
    const char *nearest = NULL;
    int n = N_ENTRIES + TAKT_MSIM_N_KEYWORDS;
    if (takt_problems_suggests(&reader->lines.project->problems, n))
        nearest = takt_text_nearest(line, n, any_keyword, NULL);
    takt_lines_report(&reader->lines, TAKT_LEVEL_ERROR, "there is no keyword '%s'%s%s%s", line,
                      nearest ? "; did you mean '" : "", nearest ? nearest : "",
                      nearest ? "'?" : "");
}

// ---- the whole ---------------------------------------------------------------------------------

// Leaves out values for tables, which have no effect; notes which components have a folder for results.
static bool check_parameters(msim_reader *reader, takt_map *has_folder)
{
    takt_project *project = reader->lines.project;
    takt_map tables = {0};
    bool ok = true;
    for (int i = 0; i < project->n_components && ok; i++) {
        const takt_project_component *component = &project->components[i];
        if (component->source && is_table(component->source) &&
            takt_map_find(&tables, component->name) < 0)
            ok = takt_map_add(&tables, component->name, i);
    }
    int n = 0;
    for (int i = 0; i < project->n_assignments && ok; i++) {
        const takt_project_assignment *given = &project->assignments[i];
        if (takt_map_find(&tables, given->component) >= 0) {
            takt_lines_report_at(&reader->lines, given->place.line, TAKT_LEVEL_WARN,
                                 "parameter %s.%s has no effect, as in MasterSim: '%s' is a table",
                                 given->component, given->variable, given->component);
            continue;
        }
        if (strcmp(given->variable, RESULTS_FOLDER) == 0 &&
            takt_map_find(has_folder, given->component) < 0)
            ok = takt_map_add(has_folder, given->component, i);
        project->assignments[n++] = *given;
    }
    if (ok) project->n_assignments = n;
    takt_map_clear(&tables);
    return ok;
}

// FMUs that write results of their own get a folder for them, as from MasterSim: that of the project
// without its ending, then slaves/NAME.
static bool add_results_folders(msim_reader *reader, const takt_map *has_folder)
{
    takt_project *project = reader->lines.project;
    char *base = takt_path_absolute(&project->arena, project->path);
    if (!base) return false;
    char *dot = strrchr(base, '.');
    if (dot && !strchr(dot, '/')) *dot = 0;
    for (int i = 0; i < project->n_components; i++) {
        const takt_project_component *component = &project->components[i];
        if (!component->source || is_table(component->source) ||
            takt_map_find(has_folder, component->name) >= 0)
            continue;
        const char *folder =
            takt_arena_print(&project->arena, "%s/slaves/%s", base, component->name);
        takt_project_assignment assignment = {.component = component->name,
                                              .variable = RESULTS_FOLDER,
                                              .value = folder,
                                              .if_missing = TAKT_LEVEL_TRACE,
                                              .place = component->place};
        if (!folder || !takt_project_add_assignment(project, &assignment)) return false;
    }
    return true;
}

// MasterSim ignores the rows of tables when it chooses steps.
static bool pass_over_rows(takt_project *project)
{
    bool ok = true;
    for (int i = 0; i < project->n_components && ok; i++) {
        const takt_project_component *component = &project->components[i];
        if (!component->source || !is_table(component->source)) continue;
        takt_project_assignment assignment = {.component = component->name,
                                              .variable = "events",
                                              .value = "false",
                                              .if_missing = TAKT_LEVEL_WARN,
                                              .place = component->place};
        ok = takt_project_add_assignment(project, &assignment);
    }
    return ok;
}

// Columns of tables that nothing is connected to are not recorded. Patterns are separated by blanks when the
// project is written as SSP, so that a blank in a name becomes one that fits it.
static void leave_out_columns(msim_reader *reader)
{
    takt_project *project = reader->lines.project;
    for (int i = 0; i < project->n_components; i++) {
        const takt_project_component *component = &project->components[i];
        if (!component->source || !is_table(component->source)) continue;
        char *pattern = takt_arena_copy(&project->arena, component->name);
        if (!pattern) {
            reader->lines.is_out_of_memory = true;
            return;
        }
        takt_glob_without_blanks(pattern);
        takt_lines_set(&reader->lines, component->place.line, "simulator", "record-connected",
                       pattern);
    }
}

static bool complete(msim_reader *reader)
{
    takt_project *project = reader->lines.project;
    const double *values = reader->settings.values;
    bool is_jacobi = values[TAKT_MSIM_MODE] == TAKT_MSIM_JACOBI;
    bool is_newton = values[TAKT_MSIM_MODE] == TAKT_MSIM_NEWTON;
    takt_map has_folder = {0};
    takt_msim_apply(&reader->lines, &reader->settings);
    if (values[TAKT_MSIM_WRITE_UNCONNECTED] == 0) leave_out_columns(reader);
    bool ok = check_parameters(reader, &has_folder) && pass_over_rows(project) &&
              add_results_folders(reader, &has_folder) &&
              takt_order_sort(project, reader->declared);
    takt_map_clear(&has_folder);
    takt_declared_order order = {
        .program = "MasterSim",
        .tier_name = "cycle",
        .components = reader->declared,
        .matters = !is_jacobi,
        .iterates = is_newton || (!is_jacobi && values[TAKT_MSIM_ITERATIONS] > 1),
        .iterates_one = is_newton,
    };
    return ok && takt_order_check(project, &order);
}

// Reads a text in the project's arena.
static takt_status read_text(takt_project *project, char *text, takt_error *err)
{
    msim_reader reader = {.lines = {.project = project, .rest = text},
                          .settings = takt_msim_settings_default()};
    for (char *line; !reader.lines.is_out_of_memory && (line = takt_lines_next(&reader.lines));)
        read_line(&reader, line);
    bool ok = !reader.lines.is_out_of_memory && complete(&reader) && !reader.lines.is_out_of_memory;
    free(reader.declared);
    return ok ? takt_lines_end(&reader.lines, "simulator 0 0 NAME #4682b4 \"PATH.fmu\"", err)
              : takt_fail_memory(err);
}

takt_status takt_project_parse_msim(takt_project *project, const void *data, size_t size,
                                    takt_error *err)
{
    char *text = NULL;
    takt_status st = takt_lines_copy(project, data, size, &text, err);
    return st ? st : read_text(project, text, err);
}

takt_status takt_project_read_msim(takt_project *project, takt_error *err)
{
    char *text = NULL;
    takt_status st = takt_lines_read(project, &text, err);
    return st ? st : read_text(project, text, err);
}
