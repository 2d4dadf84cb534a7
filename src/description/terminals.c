// SPDX-License-Identifier: MIT
// Terminals of FMUs; see terminals.h.
#include "description/terminals.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xml.h"
#include "description/remarks.h"

// More than any FMU has; the rest is left out.
enum { MAX_ITEMS = 100000 };

typedef struct reader {
    takt_xml_reader *xml;
    takt_model *model;
    takt_terminal *terminals; // malloc'ed
    int n_terminals, terminal_capacity;
    takt_terminal_member *members; // malloc'ed
    int n_members, member_capacity;
    takt_remarks remarks;
    bool is_full; // MAX_ITEMS are exceeded
} reader;

static void report(reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void report(reader *r, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    takt_remark(&r->remarks, takt_xml_line(r->xml), text);
}

// A copy of an attribute; "" with a report when it is missing but required, NULL otherwise. Sets `failed`
// when memory is exhausted.
static const char *attribute(reader *r, const char *name, bool is_required, bool *failed)
{
    const char *value = takt_xml_attribute(r->xml, name);
    if (!value && !is_required) return NULL;
    if (!value) report(r, "%s has no attribute %s", takt_xml_name(r->xml), name);
    const char *copy = takt_arena_copy(&r->model->arena, value ? value : "");
    if (!copy) *failed = true;
    return copy;
}

static bool has_room(reader *r)
{
    if (r->n_terminals + r->n_members < MAX_ITEMS) return true;
    if (!r->is_full) report(r, "there are more than %d terminals and members", MAX_ITEMS);
    r->is_full = true;
    return false;
}

// Adds a variable to the terminal with index `terminal`, which is the last one with members so far.
static takt_status add_member(reader *r, const char *variable_attribute, const char *name_attribute,
                              takt_error *err)
{
    if (!has_room(r)) return TAKT_OK;
    bool failed = false;
    takt_terminal_member member = {.variable_name = attribute(r, variable_attribute, true, &failed),
                                   .name = attribute(r, name_attribute, false, &failed),
                                   .kind = attribute(r, "variableKind", false, &failed),
                                   .variable = -1};
    if (failed || !takt_grow(&r->members, r->n_members, &r->member_capacity, sizeof *r->members))
        return takt_fail_memory(err);
    if (member.variable_name[0]) member.variable = takt_model_find(r->model, member.variable_name);
    if (member.variable < 0 && member.variable_name[0])
        report(r, "the FMU has no variable '%.100s'", member.variable_name);
    r->members[r->n_members++] = member;
    return TAKT_OK;
}

static takt_status read_members(reader *r, const char *element, takt_error *err)
{
    takt_status st = TAKT_OK;
    if (strcmp(element, "TerminalMemberVariable") == 0) {
        st = add_member(r, "variableName", "memberName", err);
    } else {
        st = add_member(r, "inStreamVariableName", "inStreamMemberName", err);
        if (!st) st = add_member(r, "outStreamVariableName", "outStreamMemberName", err);
    }
    return st ? st : takt_xml_skip(r->xml, err);
}

static bool is_known(const reader *r, const char *name)
{
    return takt_map_find(&r->model->terminal_names, name) >= 0;
}

// Adds the terminal that has just started; its name includes those of the terminals around it. Returns its
// index, or -1 when there is no room or memory.
static int add_terminal(reader *r, const char *outer, bool *failed)
{
    const char *own = attribute(r, "name", true, failed);
    takt_terminal terminal = {.kind = attribute(r, "terminalKind", false, failed),
                              .matching_rule = attribute(r, "matchingRule", true, failed),
                              .description = attribute(r, "description", false, failed),
                              .line = takt_xml_line(r->xml)};
    if (*failed) return -1;
    terminal.name = takt_arena_print(&r->model->arena, "%s%s%s", outer, *outer ? "." : "", own);
    if (!terminal.name ||
        !takt_grow(&r->terminals, r->n_terminals, &r->terminal_capacity, sizeof *r->terminals)) {
        *failed = true;
        return -1;
    }
    if (is_known(r, terminal.name))
        report(r, "terminal '%.100s' occurs twice", terminal.name);
    else if (!takt_map_add(&r->model->terminal_names, terminal.name, r->n_terminals))
        *failed = true;
    r->terminals[r->n_terminals] = terminal;
    return r->n_terminals++;
}

// Members come before inner terminals, so those of one terminal lie together.
static takt_status read_terminal(reader *r, const char *outer, takt_error *err)
{
    if (!has_room(r)) return takt_xml_skip(r->xml, err);
    bool failed = false;
    int index = add_terminal(r, outer, &failed);
    if (failed) return takt_fail_memory(err);
    r->terminals[index].first_member = r->n_members;
    takt_xml_event event;
    takt_status st;
    bool has_inner = false;
    while (!(st = takt_xml_next(r->xml, &event, err)) && event == TAKT_XML_START) {
        const char *name = takt_xml_name(r->xml);
        bool is_member = strcmp(name, "TerminalMemberVariable") == 0 ||
                         strcmp(name, "TerminalStreamMemberVariable") == 0;
        if (strcmp(name, "Terminal") == 0) {
            has_inner = true;
            st = read_terminal(r, r->terminals[index].name, err);
        } else if (is_member && !has_inner) {
            st = read_members(r, name, err);
            r->terminals[index].n_members = r->n_members - r->terminals[index].first_member;
        } else {
            if (is_member) report(r, "members must stand before inner terminals");
            st = takt_xml_skip(r->xml, err);
        }
        if (st) return st;
    }
    return st;
}

static takt_status read_terminals(reader *r, takt_error *err)
{
    takt_xml_event event;
    takt_status st;
    while (!(st = takt_xml_next(r->xml, &event, err)) && event == TAKT_XML_START) {
        bool is_terminal = strcmp(takt_xml_name(r->xml), "Terminal") == 0;
        st = is_terminal ? read_terminal(r, "", err) : takt_xml_skip(r->xml, err);
        if (st) return st;
    }
    return st;
}

static takt_status read_root(reader *r, takt_error *err)
{
    takt_xml_event event;
    takt_status st = takt_xml_next(r->xml, &event, err);
    if (st) return st;
    if (strcmp(takt_xml_name(r->xml), "fmiTerminalsAndIcons") != 0) {
        report(r, "the root element is '%.100s', not 'fmiTerminalsAndIcons'",
               takt_xml_name(r->xml));
        return TAKT_OK;
    }
    while (!(st = takt_xml_next(r->xml, &event, err)) && event == TAKT_XML_START) {
        bool is_list = strcmp(takt_xml_name(r->xml), "Terminals") == 0;
        st = is_list ? read_terminals(r, err) : takt_xml_skip(r->xml, err);
        if (st) return st;
    }
    return st ? st : takt_xml_next(r->xml, &event, err);
}

// Moves what was found into the model.
static takt_status take(reader *r, takt_error *err)
{
    takt_model *model = r->model;
    takt_arena *arena = &model->arena;
    size_t n = (size_t)r->n_terminals, n_members = (size_t)r->n_members;
    model->terminals = takt_arena_array(arena, n, sizeof *model->terminals);
    model->terminal_members = takt_arena_array(arena, n_members, sizeof *model->terminal_members);
    if (!model->terminals || !model->terminal_members) return takt_fail_memory(err);
    if (n) memcpy(model->terminals, r->terminals, n * sizeof *r->terminals);
    if (n_members) memcpy(model->terminal_members, r->members, n_members * sizeof *r->members);
    model->n_terminals = r->n_terminals;
    return TAKT_OK;
}

static void report_damage(takt_log *log, const takt_error *why)
{
    takt_log_write(log, takt_log_is_strict(log) ? TAKT_LEVEL_WARN : TAKT_LEVEL_INFO,
                   "%s; its terminals are left out", why->message);
}

// Takes over `xml`.
static takt_status read_all(takt_xml_reader *xml, const char *shown, takt_log *log,
                            takt_model *model, takt_error *err)
{
    reader r = {.xml = xml, .remarks = {.log = log, .file = shown}, .model = model};
    takt_error why = {0};
    takt_status st = read_root(&r, &why);
    if (st && st != TAKT_ERR_MEMORY) {
        report_damage(log, &why);
        r.n_terminals = r.n_members = 0;
        st = TAKT_OK;
    }
    takt_remarks_end(&r.remarks);
    st = st ? takt_fail_memory(err) : take(&r, err);
    free(r.terminals);
    free(r.members);
    takt_xml_close(xml);
    return st;
}

takt_status takt_terminals_read(const char *path, const char *shown, takt_log *log,
                                takt_model *model, takt_error *err)
{
    takt_xml_reader *xml = NULL;
    takt_error why = {0};
    takt_status st = takt_xml_open(path, shown, &xml, &why);
    if (!st) return read_all(xml, shown, log, model, err);
    if (st == TAKT_ERR_MEMORY) return takt_fail_memory(err);
    report_damage(log, &why);
    return TAKT_OK;
}

takt_status takt_terminals_read_memory(const void *data, size_t size, const char *shown,
                                       takt_log *log, takt_model *model, takt_error *err)
{
    takt_xml_reader *xml = NULL;
    takt_status st = takt_xml_open_memory(data, size, shown, &xml, err);
    return st ? st : read_all(xml, shown, log, model, err);
}
