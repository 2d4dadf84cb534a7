// SPDX-License-Identifier: MIT
// Connections of an OspSystemStructure: between variables, between variables and the signals of
// functions, and between variable or signal groups, whose content is connected one by one in order. Values are
// passed on unchanged, as the Open Simulation Platform does, without converting units.
#include <string.h>

#include "base/text.h"
#include "project/osp_reader.h"

// One end: a variable of a simulator or a signal of a function, or a group of them.
typedef struct end {
    const char *owner, *name;
    bool is_function;
} end;

static bool connect(takt_osp_reader *reader, const takt_xml_element *element, const char *owner_a,
                    const char *a, const char *owner_b, const char *b)
{
    takt_place place = {reader->project->path, takt_xml_element_line(element)};
    takt_project_hop hop = {.keeps_unit = true, .place = place};
    takt_project_connection connection = {.start_component = owner_a,
                                          .start_variable = a,
                                          .end_component = owner_b,
                                          .end_variable = b,
                                          .hops = &hop,
                                          .n_hops = 1,
                                          .place = place};
    bool ok = takt_project_add_connection(reader->project, &connection);
    if (!ok) reader->is_out_of_memory = true;
    return ok;
}

// ---- functions ---------------------------------------------------------------------------------

static const char *function_name(void *context, int i)
{
    return ((const takt_osp_reader *)context)->list[i].name;
}

static takt_osp_function *find_function(takt_osp_reader *reader, const takt_xml_element *element,
                                        const char *name)
{
    int i = takt_map_find(&reader->functions, name);
    if (i >= 0) return &reader->list[i];
    const char *nearest = NULL;
    if (takt_problems_suggests(&reader->project->problems, reader->n_functions))
        nearest = takt_text_nearest(name, reader->n_functions, function_name, reader);
    takt_osp_report(reader, element, TAKT_LEVEL_ERROR, "there is no function '%s'%s%s%s", name,
                    nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    return NULL;
}

// "in#0" is written for "in[0]" in some files. NULL: out of memory, which is noted.
static const char *signal_name(takt_osp_reader *reader, const char *name)
{
    takt_text text = {0};
    while (*name) {
        size_t length = strcspn(name, "#");
        takt_text_add_n(&text, name, length);
        name += length;
        if (*name != '#') continue;
        length = strcspn(++name, "#");
        takt_text_add(&text, "[");
        takt_text_add_n(&text, name, length);
        takt_text_add(&text, "]");
        name += length;
    }
    const char *copy =
        text.failed ? NULL : takt_arena_copy(&reader->project->arena, text.data ? text.data : "");
    takt_text_clear(&text);
    if (!copy) reader->is_out_of_memory = true;
    return copy;
}

static void count_signal(takt_osp_reader *reader, const end *e)
{
    int i = e->is_function ? takt_map_find(&reader->functions, e->name ? e->owner : "") : -1;
    if (i >= 0 && strncmp(e->name, "in", 2) == 0) reader->list[i].n_connected++;
}

// ---- single connections ------------------------------------------------------------------------

// Reads an element that names an end: Variable, Signal, VariableGroup or SignalGroup.
static bool read_end(takt_osp_reader *reader, const takt_xml_element *element, end *out)
{
    static const char *const signal[] = {"function", "name", NULL};
    static const char *const variable[] = {"simulator", "name", "causality", NULL};
    out->is_function = strncmp(takt_xml_element_name(element), "Signal", 6) == 0;
    takt_osp_check_attributes(reader, element, out->is_function ? signal : variable);
    out->owner = takt_osp_required(reader, element, out->is_function ? "function" : "simulator");
    out->name = takt_osp_required(reader, element, "name");
    if (!out->owner || !out->name) return false;
    if (!out->is_function) return true;
    out->name = signal_name(reader, out->name);
    return find_function(reader, element, out->owner) && out->name;
}

// Reads the two ends: both of kind `first`, or one of them of kind `second`.
static bool read_ends(takt_osp_reader *reader, const takt_xml_element *element, const char *first,
                      const char *second, end ends[2])
{
    const char *const known[] = {first, second, NULL};
    takt_osp_check_children(reader, element, known);
    bool is_same = strcmp(first, second) == 0;
    const takt_xml_element *a = takt_xml_first_child(element, NULL, first), *b = NULL;
    if (a && is_same) b = takt_xml_next_sibling(a, NULL, first);
    if (a && !is_same) b = takt_xml_first_child(element, NULL, second);
    bool is_more = b && (takt_xml_next_sibling(b, NULL, second) ||
                         (!is_same && takt_xml_next_sibling(a, NULL, first)));
    if (!b || is_more) {
        takt_osp_report(reader, element, TAKT_LEVEL_ERROR, "<%s> needs one <%s> and %s <%s>",
                        takt_xml_element_name(element), first, is_same ? "another" : "one", second);
        return false;
    }
    bool ok = read_end(reader, a, &ends[0]);
    return read_end(reader, b, &ends[1]) && ok;
}

static void read_single(takt_osp_reader *reader, const takt_xml_element *element, const char *first,
                        const char *second)
{
    end ends[2];
    if (!read_ends(reader, element, first, second, ends)) return;
    count_signal(reader, &ends[0]);
    count_signal(reader, &ends[1]);
    connect(reader, element, ends[0].owner, ends[0].name, ends[1].owner, ends[1].name);
}

// ---- groups ------------------------------------------------------------------------------------

static const char *group_name(void *context, int i)
{
    return ((const takt_osp_group *)context)->groups[i].name;
}

// The group that an end names; NULL when there is none, which is reported.
static const takt_osp_group *find_group(takt_osp_reader *reader, const takt_xml_element *element,
                                        const end *e)
{
    int i = takt_map_find(&reader->simulators, e->owner);
    if (i < 0) {
        takt_osp_report(reader, element, TAKT_LEVEL_ERROR, "there is no simulator '%s'", e->owner);
        return NULL;
    }
    const takt_osp_description *description = takt_osp_describe(reader, i);
    if (!description) return NULL;
    if (!description->file) {
        takt_osp_report(
            reader, element, TAKT_LEVEL_ERROR,
            "simulator '%s' has no OspModelDescription.xml that says what the group '%s' "
            "is; put MODELNAME_OspModelDescription.xml beside its FMU or beside the "
            "project",
            e->owner, e->name);
        return NULL;
    }
    const takt_osp_group *group = takt_osp_find_group(&description->all, e->name);
    if (group) return group;
    const char *nearest = NULL;
    if (takt_problems_suggests(&reader->project->problems, description->all.n_groups))
        nearest = takt_text_nearest(e->name, description->all.n_groups, group_name,
                                    (void *)&description->all);
    takt_osp_report(reader, element, TAKT_LEVEL_ERROR, "%s has no group '%s'%s%s%s",
                    description->file, e->name, nearest ? "; did you mean '" : "",
                    nearest ? nearest : "", nearest ? "'?" : "");
    return NULL;
}

static bool fits(takt_osp_reader *reader, const takt_xml_element *element, const end *a, int n_a,
                 const end *b, int n_b, const char *what)
{
    if (n_a != n_b)
        takt_osp_report(reader, element, TAKT_LEVEL_ERROR,
                        "group '%s' of '%s' and group '%s' of '%s' have different numbers of %s: "
                        "%d and %d",
                        a->name, a->owner, b->name, b->owner, what, n_a, n_b);
    return n_a == n_b;
}

// Connects what is in two groups, one by one; groups inside of them likewise.
static void connect_groups(takt_osp_reader *reader, const takt_xml_element *element,
                           const end ends[2], const takt_osp_group *a, const takt_osp_group *b)
{
    end e[2] = {{ends[0].owner, a->name, false}, {ends[1].owner, b->name, false}};
    bool ok = fits(reader, element, &e[0], a->n_groups, &e[1], b->n_groups, "groups");
    ok = fits(reader, element, &e[0], a->n_variables, &e[1], b->n_variables, "variables") && ok;
    if (!ok) return;
    for (int i = 0; i < a->n_groups; i++)
        connect_groups(reader, element, ends, &a->groups[i], &b->groups[i]);
    for (int i = 0; i < a->n_variables && !reader->is_out_of_memory; i++)
        connect(reader, element, ends[0].owner, a->variables[i], ends[1].owner, b->variables[i]);
}

static void read_group_connection(takt_osp_reader *reader, const takt_xml_element *element)
{
    end ends[2];
    if (!read_ends(reader, element, "VariableGroup", "VariableGroup", ends)) return;
    const takt_osp_group *a = find_group(reader, element, &ends[0]);
    const takt_osp_group *b = find_group(reader, element, &ends[1]);
    if (a && b) connect_groups(reader, element, ends, a, b);
}

// The signals of a group are the elements of a vector: in[0][j] or out[j].
static void read_signal_group_connection(takt_osp_reader *reader, const takt_xml_element *element)
{
    end ends[2];
    if (!read_ends(reader, element, "VariableGroup", "SignalGroup", ends)) return;
    const takt_osp_group *group = find_group(reader, element, &ends[0]);
    const takt_osp_function *function = find_function(reader, element, ends[1].owner);
    if (!group || !function) return;
    if (function->dimension == 0) {
        takt_osp_report(reader, element, TAKT_LEVEL_ERROR,
                        "function '%s' has no groups of signals; only VectorSum has",
                        function->name);
        return;
    }
    if (!fits(reader, element, &ends[0], group->n_variables, &ends[1], function->dimension,
              "variables"))
        return;
    for (int j = 0; j < function->dimension && !reader->is_out_of_memory; j++) {
        const char *signal = takt_arena_print(&reader->project->arena, "%s[%d]", ends[1].name, j);
        count_signal(reader, &ends[1]);
        if (signal)
            connect(reader, element, ends[0].owner, group->variables[j], function->name, signal);
        else
            reader->is_out_of_memory = true;
    }
}

// ---- all ---------------------------------------------------------------------------------------

static void read_connection(takt_osp_reader *reader, const takt_xml_element *element)
{
    static const char *const attributes[] = {"powerBond", NULL};
    const char *name = takt_xml_element_name(element);
    takt_osp_check_attributes(reader, element, attributes);
    if (takt_xml_element_attribute(element, "powerBond")) reader->has_bonds = true;
    if (strcmp(name, "VariableConnection") == 0)
        read_single(reader, element, "Variable", "Variable");
    else if (strcmp(name, "SignalConnection") == 0)
        read_single(reader, element, "Variable", "Signal");
    else if (strcmp(name, "VariableGroupConnection") == 0)
        read_group_connection(reader, element);
    else if (strcmp(name, "SignalGroupConnection") == 0)
        read_signal_group_connection(reader, element);
}

void takt_osp_read_connections(takt_osp_reader *reader, const takt_xml_element *connections)
{
    static const char *const known[] = {"VariableConnection", "SignalConnection",
                                        "VariableGroupConnection", "SignalGroupConnection", NULL};
    takt_osp_check_children(reader, connections, known);
    const takt_xml_element *element = takt_xml_first_child(connections, NULL, NULL);
    for (; element && !reader->is_out_of_memory;
         element = takt_xml_next_sibling(element, NULL, NULL))
        read_connection(reader, element);
    for (int i = 0; i < reader->n_functions; i++) {
        const takt_osp_function *f = &reader->list[i];
        int64_t n = (int64_t)f->n_inputs * (f->dimension ? f->dimension : 1);
        if (f->n_connected < n)
            takt_problem(&reader->project->problems, TAKT_LEVEL_WARN,
                         (takt_place){reader->project->path, f->line},
                         "only %d of %lld inputs of function '%s' are connected; the others are 0",
                         f->n_connected, (long long)n, f->name);
    }
}
