// SPDX-License-Identifier: MIT
// Reads the configuration file of the EAS master (Petridis and Clauss 2015, section 4): keywords with
// values, then sections of numbers that begin with `graph`, `priority` or `cycles` and end with `end`.
// See docs/reference/projects-eas.md, also for what the paper leaves open. A file has no ending of its
// own and is recognised by its keywords.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/map.h"
#include "base/number.h"
#include "base/text.h"
#include "project/fmu_glance.h"
#include "project/lines.h"
#include "project/order.h"

typedef struct simulator {
    const char *path; // as it can be opened
    const char *stem; // file without folder and ending
    const char *name; // of the component
    int number; // as in the file
    int priority;
    int line;
    bool is_prioritized;
} simulator;

// One line of the graph.
typedef struct end {
    int value, simulator; // numbers as in the file
    bool is_output;
    const char *type; // name of a takt_type
    const char *variable;
    int line;
} end;

typedef enum keyword {
    NVAL,
    NSIM,
    TSTART,
    TEND,
    TSTEPMAX,
    TSTEPSTART,
    MASTER_MODE,
    MASTER_DEBUG,
    OUTPUT_GNUPLOT,
    IT_MAX_STEPS,
    IT_TOL_ABS,
    IT_TOL_REL,
    SIMULATOR, // the rest has no single value
    GRAPH,
    PRIORITY,
    CYCLES,
    N_KEYWORDS
} keyword;

static const struct {
    const char *name;
    const char *setting; // that it becomes as it is
    bool is_count; // a whole number
} keywords[N_KEYWORDS] = {
    [NVAL] = {"nval", NULL, true},
    [NSIM] = {"nsim", NULL, true},
    [TSTART] = {"tstart", "start-time", false},
    [TEND] = {"tend", "stop-time", false},
    [TSTEPMAX] = {"tstepmax", "step-max", false},
    [TSTEPSTART] = {"tstepstart", "step-size", false},
    [MASTER_MODE] = {"MasterMode", NULL, true},
    [MASTER_DEBUG] = {"MasterDebug", NULL, true},
    [OUTPUT_GNUPLOT] = {"OutputGnuplot", NULL, true},
    [IT_MAX_STEPS] = {"it_max_steps", "iterations", true},
    [IT_TOL_ABS] = {"it_tol_abs", "absolute-tolerance", false},
    [IT_TOL_REL] = {"it_tol_rel", "relative-tolerance", false},
    [SIMULATOR] = {"simulator", NULL, false},
    [GRAPH] = {"graph", NULL, false},
    [PRIORITY] = {"priority", NULL, false},
    [CYCLES] = {"cycles", NULL, false},
};

typedef struct eas_reader {
    takt_lines lines;
    double values[N_KEYWORDS];
    int given[N_KEYWORDS]; // line; 0: not given
    keyword section; // GRAPH, PRIORITY, CYCLES; N_KEYWORDS: none
    int section_line;
    simulator *simulators;
    int n_simulators, simulator_capacity;
    takt_map simulator_numbers; // number as text -> index
    end *ends;
    int n_ends, end_capacity;
    takt_map cycles; // priority as text -> 0 or 1
} eas_reader;

// ---- helpers -----------------------------------------------------------------------------------

#define REPORT(reader, ...) takt_lines_report(&(reader)->lines, TAKT_LEVEL_ERROR, __VA_ARGS__)

// The number in a text form that is the same for equal numbers; NULL: out of memory, which is noted.
static const char *key_of(eas_reader *reader, int number)
{
    const char *key = takt_arena_print(&reader->lines.project->arena, "%d", number);
    if (!key) reader->lines.is_out_of_memory = true;
    return key;
}

static int find_number(eas_reader *reader, const takt_map *map, int number)
{
    const char *key = key_of(reader, number);
    return key ? takt_map_find(map, key) : -1;
}

static void add_number(eas_reader *reader, takt_map *map, int number, int index)
{
    const char *key = key_of(reader, number);
    if (key && !takt_map_add(map, key, index)) reader->lines.is_out_of_memory = true;
}

// A whole number of a line, reported under the name `what` when it is none.
static bool read_count(eas_reader *reader, const char *what, const char *word, int *out)
{
    int64_t number;
    if (takt_number_read_integer(word, word + strlen(word), &number) && number >= 0 &&
        number <= INT32_MAX) {
        *out = (int)number;
        return true;
    }
    REPORT(reader, "%s: '%s' is not a whole number from 0 on", what, word);
    return false;
}

static const char *keyword_name(void *context, int i)
{
    (void)context;
    return keywords[i].name;
}

static keyword find_keyword(const char *word)
{
    int i = 0;
    while (i < N_KEYWORDS && strcmp(keywords[i].name, word) != 0) i++;
    return (keyword)i;
}

// ---- keywords ----------------------------------------------------------------------------------

// simulator NUMBER PATH
static void read_simulator(eas_reader *reader, char *text)
{
    char *path = takt_lines_cut_word(text);
    int number;
    if (!*text || !*path) {
        REPORT(reader, "simulator needs a number and a path");
        return;
    }
    if (!read_count(reader, "simulator", text, &number)) return;
    int other = find_number(reader, &reader->simulator_numbers, number);
    if (other >= 0) {
        REPORT(reader, "there is already a simulator %d, in line %d", number,
               reader->simulators[other].line);
        return;
    }
    size_t length = strlen(path);
    if (length >= 2 && path[0] == '"' && path[length - 1] == '"') path[length - 1] = 0, path++;
    const char *resolved = takt_lines_path(&reader->lines, path);
    int i = reader->n_simulators;
    if (!resolved || !takt_grow(&reader->simulators, i, &reader->simulator_capacity,
                                sizeof *reader->simulators)) {
        reader->lines.is_out_of_memory = true;
        return;
    }
    reader->simulators[reader->n_simulators++] =
        (simulator){.path = resolved, .number = number, .line = reader->lines.number};
    add_number(reader, &reader->simulator_numbers, number, i);
}

static void read_value(eas_reader *reader, keyword k, char *text)
{
    const char *name = keywords[k].name, *rest = takt_lines_cut_word(text);
    if (reader->given[k])
        takt_lines_report(&reader->lines, TAKT_LEVEL_WARN,
                          "%s was given in line %d already; this one counts", name,
                          reader->given[k]);
    if (*rest)
        takt_lines_report(&reader->lines, TAKT_LEVEL_WARN, "%s: '%s' has no effect", name, rest);
    double number;
    int count = 0;
    if (!*text) {
        REPORT(reader, "%s has no value", name);
    } else if (keywords[k].is_count) {
        if (!read_count(reader, name, text, &count)) return;
        number = count;
    } else if (!takt_number_read(text, text + strlen(text), &number) || !isfinite(number)) {
        REPORT(reader, "%s: '%s' is not a number", name, text);
        return;
    }
    if (!*text) return;
    reader->values[k] = number;
    reader->given[k] = reader->lines.number;
    if (k == MASTER_DEBUG || k == OUTPUT_GNUPLOT)
        takt_lines_report(&reader->lines, TAKT_LEVEL_INFO, "%s has no effect; see the option %s",
                          name, k == MASTER_DEBUG ? "--log-level" : "--output-file");
}

// ---- sections ----------------------------------------------------------------------------------

static const char *type_of(const char *letter)
{
    static const char *const types[][2] = {
        {"r", "Float64"}, {"i", "Int32"}, {"b", "Boolean"}, {"s", "String"}};
    for (int i = 0; i < 4; i++)
        if (strcmp(types[i][0], letter) == 0) return types[i][1];
    return NULL;
}

// VALUE SIMULATOR -1|1 TYPE VARIABLE
static void read_end(eas_reader *reader, char *line)
{
    char *words[TAKT_MAX_WORDS];
    int n = takt_lines_split(line, words);
    end new = {.line = reader->lines.number};
    if (n != 5) {
        REPORT(reader,
               "graph: a line needs the numbers of a value and a simulator, -1 (output) or 1 "
               "(input), a type and a variable; put a name with blanks in quotes (\")");
        return;
    }
    bool ok = read_count(reader, "graph: value", words[0], &new.value);
    ok = read_count(reader, "graph: simulator", words[1], &new.simulator) && ok;
    new.is_output = strcmp(words[2], "-1") == 0;
    new.type = type_of(words[3]);
    if (!new.is_output && strcmp(words[2], "1") != 0) {
        REPORT(reader, "graph: '%s' is neither -1 (output) nor 1 (input)", words[2]);
        ok = false;
    }
    if (!new.type) {
        REPORT(reader, "graph: '%s' is not a type; possible are r, i, b and s", words[3]);
        ok = false;
    }
    if (!ok) return;
    new.variable = words[4]; // lives in the project's arena with the whole text
    if (takt_grow(&reader->ends, reader->n_ends, &reader->end_capacity, sizeof new))
        reader->ends[reader->n_ends++] = new;
    else
        reader->lines.is_out_of_memory = true;
}

// Two numbers, of a simulator and its priority or of a priority and whether it is a cycle.
static bool read_pair(eas_reader *reader, char *line, const char *section, int pair[2])
{
    char *words[TAKT_MAX_WORDS];
    if (takt_lines_split(line, words) != 2) {
        REPORT(reader, "%s: a line needs two numbers", section);
        return false;
    }
    bool ok = read_count(reader, section, words[0], &pair[0]);
    return read_count(reader, section, words[1], &pair[1]) && ok;
}

static void read_priority(eas_reader *reader, char *line)
{
    int pair[2];
    if (!read_pair(reader, line, "priority", pair)) return;
    int i = find_number(reader, &reader->simulator_numbers, pair[0]);
    if (i < 0) {
        REPORT(reader, "priority: there is no simulator %d before this line", pair[0]);
        return;
    }
    if (reader->simulators[i].is_prioritized)
        REPORT(reader, "priority: simulator %d has a priority already", pair[0]);
    reader->simulators[i].priority = pair[1];
    reader->simulators[i].is_prioritized = true;
}

static void read_cycle(eas_reader *reader, char *line)
{
    int pair[2];
    if (!read_pair(reader, line, "cycles", pair)) return;
    if (pair[1] > 1)
        REPORT(reader, "cycles: '%d' is neither 0 (no) nor 1 (yes)", pair[1]);
    else if (find_number(reader, &reader->cycles, pair[0]) >= 0)
        REPORT(reader, "cycles: priority %d has been given already", pair[0]);
    else
        add_number(reader, &reader->cycles, pair[0], pair[1]);
}

static void end_section(eas_reader *reader)
{
    if (reader->section != N_KEYWORDS)
        takt_lines_report_at(&reader->lines, reader->section_line, TAKT_LEVEL_ERROR,
                             "the section %s has no end; write a line 'end' behind it",
                             keywords[reader->section].name);
    reader->section = N_KEYWORDS;
}

// ---- lines -------------------------------------------------------------------------------------

static void read_keyword(eas_reader *reader, keyword k, char *rest)
{
    end_section(reader); // one that has no end
    if (k == SIMULATOR) {
        read_simulator(reader, rest);
    } else if (k > SIMULATOR) {
        reader->section = k; // what follows in the line explains the columns
        reader->section_line = reader->lines.number;
    } else {
        read_value(reader, k, rest);
    }
}

static void report_unknown(eas_reader *reader, const char *word)
{
    const char *nearest = NULL;
    if (takt_problems_suggests(&reader->lines.project->problems, N_KEYWORDS))
        nearest = takt_text_nearest(word, N_KEYWORDS, keyword_name, NULL);
    REPORT(reader, "there is no keyword '%s'%s%s%s", word, nearest ? "; did you mean '" : "",
           nearest ? nearest : "", nearest ? "'?" : "");
}

static void read_line(eas_reader *reader, char *line)
{
    size_t length = strcspn(line, " \t");
    bool is_number = strspn(line, "+-0123456789.") > 0;
    if (reader->section != N_KEYWORDS && is_number) {
        void (*const readers[])(eas_reader *, char *) = {read_end, read_priority, read_cycle};
        readers[reader->section - GRAPH](reader, line);
        return;
    }
    if (length == 3 && strncmp(line, "end", 3) == 0) {
        if (reader->section == N_KEYWORDS) REPORT(reader, "'end' without a section before it");
        reader->section = N_KEYWORDS;
        return;
    }
    char *rest = takt_lines_cut_word(line);
    keyword k = find_keyword(line);
    if (k < N_KEYWORDS)
        read_keyword(reader, k, rest);
    else
        report_unknown(reader, line);
}

// ---- components --------------------------------------------------------------------------------

// Names a simulator after its file, with its number where that is not unique.
static bool choose_name(eas_reader *reader, takt_map *used, int i)
{
    takt_arena *arena = &reader->lines.project->arena;
    simulator *s = &reader->simulators[i];
    const char *file = takt_path_name(s->path);
    const char *dot = strrchr(file, '.');
    s->stem =
        takt_arena_copy_n(arena, file, dot && dot > file ? (size_t)(dot - file) : strlen(file));
    s->name = s->stem;
    while (s->name && takt_map_find(used, s->name) >= 0)
        s->name = takt_arena_print(arena, "%s_%d", s->name, s->number);
    return s->name && takt_map_add(used, s->name, i);
}

// Reports what the sections priority and cycles leave open.
static void check_tiers(eas_reader *reader)
{
    bool has_priorities = false, has_cycles = reader->cycles.n_entries > 0;
    takt_map reported = {0}; // priorities
    for (int i = 0; i < reader->n_simulators; i++)
        has_priorities = has_priorities || reader->simulators[i].is_prioritized;
    for (int i = 0; i < reader->n_simulators && !reader->lines.is_out_of_memory; i++) {
        const simulator *s = &reader->simulators[i];
        if (has_priorities && !s->is_prioritized)
            takt_lines_report_at(&reader->lines, s->line, TAKT_LEVEL_WARN,
                                 "simulator %d has no priority; 0 is taken", s->number);
        if (!has_cycles || find_number(reader, &reader->cycles, s->priority) >= 0 ||
            find_number(reader, &reported, s->priority) >= 0)
            continue;
        takt_lines_report_at(&reader->lines, s->line, TAKT_LEVEL_WARN,
                             "cycles does not say whether priority %d is a cycle; it is not "
                             "iterated",
                             s->priority);
        add_number(reader, &reported, s->priority, i);
    }
    takt_map_clear(&reported);
}

static bool add_components(eas_reader *reader, takt_declared *declared)
{
    takt_project *project = reader->lines.project;
    takt_map used = {0};
    bool ok = true;
    for (int i = 0; i < reader->n_simulators && ok; i++) {
        simulator *s = &reader->simulators[i];
        ok = choose_name(reader, &used, i);
        takt_project_component component = {
            .name = s->name, .source = s->path, .place = {project->path, s->line}};
        ok = ok && takt_project_add_component(project, &component);
        // Where nothing is said about cycles, all of them are iterated.
        bool is_told = reader->cycles.n_entries > 0;
        bool is_cycle = !is_told || find_number(reader, &reader->cycles, s->priority) == 1;
        declared[i] = (takt_declared){s->priority, is_cycle};
    }
    takt_map_clear(&used);
    return ok && takt_order_sort(project, declared);
}

// ---- connections -------------------------------------------------------------------------------

// What follows "NAME." in the name of a variable; NULL: it does not begin so.
static const char *behind_name(const char *variable, const char *name)
{
    size_t length = strlen(name);
    bool is_so = strncmp(variable, name, length) == 0 && variable[length] == '.';
    return is_so && variable[length + 1] ? variable + length + 1 : NULL;
}

// Variables may be written as "part1.y" for y of part1.fmu. The name stays where the FMU has a variable of that name.
// `ends` are those of one simulator.
static bool resolve_names(const simulator *s, end *const *ends, int n)
{
    takt_fmu_glance glance = {0};
    bool ok = true;
    for (int i = 0; i < n && ok; i++) {
        end *e = ends[i];
        const char *rest = behind_name(e->variable, s->name);
        if (!rest) rest = behind_name(e->variable, s->stem);
        if (!rest) continue;
        if (!glance.model_name) ok = takt_fmu_glance_open(s->path, &glance, NULL) == TAKT_OK;
        if (ok && takt_map_find(&glance.variables, e->variable) < 0 &&
            takt_map_find(&glance.variables, rest) >= 0)
            e->variable = rest;
    }
    takt_fmu_glance_close(&glance);
    return ok;
}

static int compare_simulators(const void *a, const void *b)
{
    const end *x = *(end *const *)a, *y = *(end *const *)b;
    if (x->simulator != y->simulator) return x->simulator < y->simulator ? -1 : 1;
    return (x > y) - (x < y);
}

static bool resolve_all_names(eas_reader *reader)
{
    int n = reader->n_ends;
    end **sorted = malloc((size_t)n * sizeof *sorted + 1);
    if (!sorted) return false;
    for (int i = 0; i < n; i++) sorted[i] = &reader->ends[i];
    qsort(sorted, (size_t)n, sizeof *sorted, compare_simulators);
    bool ok = true;
    for (int first = 0, i = 0; i < n && ok; i++) {
        if (i + 1 < n && sorted[i + 1]->simulator == sorted[first]->simulator) continue;
        if (sorted[first]->simulator >= 0)
            ok = resolve_names(&reader->simulators[sorted[first]->simulator], sorted + first,
                               i + 1 - first);
        first = i + 1;
    }
    free(sorted);
    return ok;
}

// Turns numbers of simulators into indices (-1: there is none), and finds the output of every value.
static void check_ends(eas_reader *reader, takt_map *outputs)
{
    for (int i = 0; i < reader->n_ends; i++) {
        end *e = &reader->ends[i];
        int number = e->simulator;
        e->simulator = find_number(reader, &reader->simulator_numbers, number);
        if (e->simulator < 0)
            takt_lines_report_at(&reader->lines, e->line, TAKT_LEVEL_ERROR,
                                 "graph: there is no simulator %d", number);
        if (reader->given[NVAL] && e->value >= reader->values[NVAL])
            takt_lines_report_at(&reader->lines, e->line, TAKT_LEVEL_ERROR,
                                 "graph: the values of nval %.0f are 0 to %.0f, but this is %d",
                                 reader->values[NVAL], reader->values[NVAL] - 1, e->value);
        if (!e->is_output) continue;
        int other = find_number(reader, outputs, e->value);
        if (other < 0)
            add_number(reader, outputs, e->value, i);
        else
            takt_lines_report_at(&reader->lines, e->line, TAKT_LEVEL_ERROR,
                                 "graph: value %d has an output already, in line %d", e->value,
                                 reader->ends[other].line);
    }
    if (reader->given[NVAL] && outputs->n_entries < reader->values[NVAL])
        takt_lines_report_at(&reader->lines, reader->given[NVAL], TAKT_LEVEL_WARN,
                             "nval is %.0f, but the number of values with an output is %d",
                             reader->values[NVAL], outputs->n_entries);
}

// The EAS master hands over numbers; units are not converted.
static bool connect(eas_reader *reader, const end *from, const end *to)
{
    takt_project *project = reader->lines.project;
    takt_place place = {project->path, to->line};
    if (from->simulator < 0 || to->simulator < 0) return true;
    if (strcmp(from->type, to->type) != 0)
        takt_lines_report_at(&reader->lines, to->line, TAKT_LEVEL_ERROR,
                             "graph: value %d has another type here than in line %d", to->value,
                             from->line);
    takt_project_hop hop = {.keeps_unit = true, .place = place};
    takt_project_connection connection = {
        .start_component = reader->simulators[from->simulator].name,
        .start_variable = from->variable,
        .end_component = reader->simulators[to->simulator].name,
        .end_variable = to->variable,
        .hops = &hop,
        .n_hops = 1,
        .place = place,
    };
    return takt_project_add_connection(project, &connection);
}

static bool add_connections(eas_reader *reader)
{
    takt_map outputs = {0};
    check_ends(reader, &outputs);
    bool ok = resolve_all_names(reader);
    for (int i = 0; i < reader->n_ends && ok; i++) {
        const end *to = &reader->ends[i];
        if (to->is_output) continue;
        int from = find_number(reader, &outputs, to->value);
        if (from >= 0)
            ok = connect(reader, &reader->ends[from], to);
        else
            takt_lines_report_at(&reader->lines, to->line, TAKT_LEVEL_ERROR,
                                 "graph: value %d has no output; write a line with -1 for it",
                                 to->value);
    }
    takt_map_clear(&outputs);
    return ok;
}

// ---- settings ----------------------------------------------------------------------------------

static void apply_mode(eas_reader *reader)
{
    static const struct {
        const char *algorithm, *meaning;
    } modes[] = {
        {"seidel", "GS1, Gauss-Seidel in one pass"},
        {"seidel", "GS1, Gauss-Seidel in one pass"},
        {"fixed-point", "GSM, iterating Gauss-Seidel"},
        {"newton", "NRM, Newton-Raphson"},
    };
    int line = reader->given[MASTER_MODE], mode = (int)reader->values[MASTER_MODE];
    if (!line) return;
    if (mode > 3) {
        takt_lines_report_at(
            &reader->lines, line, TAKT_LEVEL_ERROR,
            "MasterMode %d is not known; possible are 1 (GS1), 2 (GSM) and 3 (NRM)", mode);
        return;
    }
    takt_lines_report_at(&reader->lines, line, TAKT_LEVEL_INFO,
                         "MasterMode %d is taken for %s; the option --algorithm chooses another",
                         mode, modes[mode].meaning);
    takt_lines_set(&reader->lines, line, "MasterMode", "algorithm", modes[mode].algorithm);
    // The EAS master holds inputs.
    takt_lines_set(&reader->lines, line, "MasterMode", "input-derivatives", "off");
}

static void apply_settings(eas_reader *reader)
{
    for (int k = 0; k < SIMULATOR; k++)
        if (reader->given[k] && keywords[k].setting)
            takt_lines_set_number(&reader->lines, reader->given[k], keywords[k].name,
                                  keywords[k].setting, reader->values[k]);
    if (reader->given[TSTEPMAX] && !reader->given[TSTEPSTART])
        takt_lines_set_number(&reader->lines, reader->given[TSTEPMAX], "tstepmax", "step-size",
                              reader->values[TSTEPMAX]);
    if (reader->given[TSTEPMAX] && reader->given[TSTEPSTART] &&
        reader->values[TSTEPMAX] != reader->values[TSTEPSTART])
        takt_problem_doubt(&reader->lines.project->problems,
                           (takt_place){reader->lines.project->path, reader->given[TSTEPMAX]},
                           "tstepmax differs from tstepstart, but steps are of one size: %.15g s; "
                           "see the option --step-control",
                           reader->values[TSTEPSTART]);
    takt_lines_set(&reader->lines, 0, "tstepstart", "step-control", "fixed");
    apply_mode(reader);
    if (reader->given[NSIM] && reader->values[NSIM] != reader->n_simulators)
        takt_lines_report_at(&reader->lines, reader->given[NSIM], TAKT_LEVEL_ERROR,
                             "nsim is %.0f, but the number of simulators is %d",
                             reader->values[NSIM], reader->n_simulators);
}

// ---- the whole ---------------------------------------------------------------------------------

static bool complete(eas_reader *reader)
{
    takt_project *project = reader->lines.project;
    size_t n = (size_t)reader->n_simulators;
    takt_declared *declared = takt_arena_array(&project->arena, n, sizeof *declared);
    end_section(reader);
    apply_settings(reader);
    check_tiers(reader);
    if (!declared || !add_components(reader, declared) || !add_connections(reader)) return false;
    takt_declared_order order = {
        .program = "the EAS master",
        .tier_name = "priority",
        .components = declared,
        .matters = reader->given[MASTER_MODE] > 0, // else the algorithm is auto
        .iterates = reader->values[MASTER_MODE] >= 2,
        .iterates_one = true,
    };
    return takt_order_check(project, &order);
}

// Does a text have at least three different keywords of this format at the beginning of lines?
static bool is_eas(const char *text)
{
    bool is_there[N_KEYWORDS] = {false};
    int n = 0;
    while (*text && n < 3) {
        text += strspn(text, " \t\r\n");
        char word[16] = "";
        size_t length = strcspn(text, " \t\r\n");
        if (length < sizeof word) memcpy(word, text, length);
        keyword k = find_keyword(word);
        if (k < N_KEYWORDS && !is_there[k]) is_there[k] = true, n++;
        text += strcspn(text, "\n");
    }
    return n >= 3;
}

static takt_status fail_unknown(const takt_project *project, takt_error *err)
{
    return takt_fail(
        err, TAKT_ERR_INPUT,
        "%s: the kind of project is known neither from the file's name nor from its "
        "content; possible are .ssp, .ssd, .fmu, .msim, OspSystemStructure.xml and the "
        "configuration of the EAS master",
        project->path);
}

// Reads a text in the project's arena.
static takt_status read_text(takt_project *project, char *text, takt_error *err)
{
    if (!is_eas(text)) return fail_unknown(project, err);
    eas_reader reader = {.lines = {.project = project, .rest = text}, .section = N_KEYWORDS};
    for (char *line; !reader.lines.is_out_of_memory && (line = takt_lines_next(&reader.lines));)
        read_line(&reader, line);
    bool ok = !reader.lines.is_out_of_memory && complete(&reader) && !reader.lines.is_out_of_memory;
    free(reader.simulators);
    free(reader.ends);
    takt_map_clear(&reader.simulator_numbers);
    takt_map_clear(&reader.cycles);
    return ok ? takt_lines_end(&reader.lines, "simulator 0 PATH.fmu", err) : takt_fail_memory(err);
}

takt_status takt_project_parse_eas(takt_project *project, const void *data, size_t size,
                                   takt_error *err)
{
    char *text = NULL;
    takt_status st = takt_lines_copy(project, data, size, &text, err);
    if (st == TAKT_ERR_INPUT) return fail_unknown(project, err);
    return st ? st : read_text(project, text, err);
}

takt_status takt_project_read_eas(takt_project *project, takt_error *err)
{
    char *text = NULL;
    takt_status st = takt_lines_read(project, &text, err);
    if (st == TAKT_ERR_INPUT) return fail_unknown(project, err); // no text at all
    return st ? st : read_text(project, text, err);
}
