// SPDX-License-Identifier: MIT
// Scenarios in the JSON of the Open Simulation Platform (libcosim, "Scenario"): an object with `events`, each with
// `time`, `model`, `variable`, `action` and `value`; `defaults` for the last three names; `end`. `name` and `description` are for
// people. Beyond that, times and values may be texts with a unit ("10min", "20 degC").
#include <math.h>
#include <string.h>

#include "base/json_scan.h"
#include "project/scenario.h"

// What is written for one event, or as default; texts NULL: nothing.
typedef struct words {
    takt_json_piece time, model, variable, action, value;
} words;

typedef struct json_reader {
    takt_scenario_reader *to;
    takt_json_scan scan;
    words defaults;
    bool has_events;
} json_reader;

static bool is_text(const takt_json_piece *piece)
{
    return piece->text != NULL && piece->kind != TAKT_JSON_NULL;
}

// Where the value of a key goes; NULL: nowhere.
static takt_json_piece *find_word(words *at, const char *key, bool is_default)
{
    const struct {
        const char *name;
        takt_json_piece *piece;
        bool has_default;
    } keys[] = {{"time", &at->time, false},
                {"model", &at->model, true},
                {"variable", &at->variable, true},
                {"action", &at->action, true},
                {"value", &at->value, false}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i].name, key) == 0 && (!is_default || keys[i].has_default))
            return keys[i].piece;
    return NULL;
}

static void report_key(json_reader *reader, const takt_json_piece *key, const char *where,
                       const char *const *known)
{
    const char *nearest;
    takt_problems_is_listed(reader->to->problems, key->text, known, &nearest);
    takt_problem(reader->to->problems, TAKT_LEVEL_WARN,
                 (takt_place){reader->to->scenario->file, key->line},
                 "%s: the key '%s' is not known and ignored%s%s%s", where, key->text,
                 nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

// Takes the value of a key that holds a single value.
static void take(json_reader *reader, const takt_json_piece *key, const takt_json_piece *value,
                 takt_json_piece *out)
{
    if (!value->text)
        takt_scenario_report(reader->to, value->line, "'%s' must be a single value", key->text);
    else if (out->text)
        takt_scenario_report(reader->to, key->line, "'%s' is given twice, first in line %d",
                             key->text, out->line);
    else
        *out = *value;
}

// Reads the object that has begun with `begin`.
static void read_words(json_reader *reader, const takt_json_piece *begin, bool is_default,
                       words *out)
{
    static const char *const keys[] = {"time", "model", "variable", "action", "value", NULL};
    const char *where = is_default ? "defaults" : "event";
    takt_json_piece key, value;
    if (begin->kind != TAKT_JSON_OBJECT) {
        takt_scenario_report(reader->to, begin->line, "%s must be an object in braces",
                             is_default ? "'defaults'" : "an event");
        takt_json_scan_skip(&reader->scan, begin);
        return;
    }
    while (takt_json_scan_key(&reader->scan, &key) && takt_json_scan_value(&reader->scan, &value)) {
        takt_json_piece *word = find_word(out, key.text, is_default);
        if (word)
            take(reader, &key, &value, word);
        else
            report_key(reader, &key, where, is_default ? keys + 1 : keys);
        takt_json_scan_skip(&reader->scan, &value);
    }
}

// ---- events ------------------------------------------------------------------------------------

// A name of the event, or the default one.
static const takt_json_piece *choose(const takt_json_piece *own, const takt_json_piece *usual)
{
    return is_text(own) ? own : usual;
}

static bool require(json_reader *reader, int line, const takt_json_piece *piece, const char *name,
                    bool has_default)
{
    bool is_name = piece->kind == TAKT_JSON_STRING;
    if (is_text(piece) && (is_name || !has_default)) return true;
    if (is_text(piece))
        takt_scenario_report(reader->to, piece->line, "'%s' must be a text in quotes", name);
    else
        takt_scenario_report(reader->to, line, "the event has no '%s'%s", name,
                             has_default ? ", and 'defaults' has none" : "");
    return false;
}

static void add_event(json_reader *reader, int line, const words *at)
{
    const words *usual = &reader->defaults;
    takt_scenario_event event = {.change = {.place = {reader->to->scenario->file, line}}};
    const takt_json_piece *model = choose(&at->model, &usual->model),
                          *variable = choose(&at->variable, &usual->variable),
                          *action = choose(&at->action, &usual->action);
    bool ok = require(reader, line, &at->time, "time", false);
    if (ok) ok = takt_scenario_read_time(reader->to, line, "time", at->time.text, &event.time);
    ok &= require(reader, line, model, "model", true);
    ok &= require(reader, line, variable, "variable", true);
    bool has_action = require(reader, line, action, "action", true) &&
                      takt_scenario_read_action(reader->to, line, action->text, &event.action);
    if (has_action && event.action != TAKT_SCENARIO_RESET)
        ok &= require(reader, line, &at->value, "value", false);
    if (!ok || !has_action) return;
    event.change.component = model->text;
    event.change.variable = variable->text;
    event.change.value = is_text(&at->value) ? at->value.text : "";
    event.change.is_difference = event.action == TAKT_SCENARIO_BIAS;
    takt_scenario_add(reader->to, &event);
}

// Defaults may stand behind the events, so these are kept until the end.
typedef struct kept {
    words at;
    int line;
    struct kept *next;
} kept;

static void read_events(json_reader *reader, const takt_json_piece *begin, kept **first)
{
    takt_json_piece value;
    kept **last = first;
    reader->has_events = true;
    if (begin->kind != TAKT_JSON_LIST) {
        takt_scenario_report(reader->to, begin->line, "'events' must be a list in brackets");
        takt_json_scan_skip(&reader->scan, begin);
        return;
    }
    while (*last) last = &(*last)->next;
    while (takt_json_scan_item(&reader->scan) && takt_json_scan_value(&reader->scan, &value)) {
        kept *event = takt_arena_alloc(reader->to->arena, sizeof *event);
        reader->to->is_out_of_memory |= !event;
        if (!event) return;
        *event = (kept){.line = value.line};
        read_words(reader, &value, false, &event->at);
        if (value.kind != TAKT_JSON_OBJECT) continue;
        *last = event;
        last = &event->next;
    }
}

static void read_end(json_reader *reader, const takt_json_piece *value)
{
    takt_scenario *scenario = reader->to->scenario;
    if (value->kind == TAKT_JSON_NULL) return;
    if (!value->text)
        takt_scenario_report(reader->to, value->line, "'end' must be a time");
    else if (takt_scenario_read_time(reader->to, value->line, "end", value->text, &scenario->end))
        scenario->end_line = value->line;
}

static void read_all(json_reader *reader, kept **events)
{
    static const char *const keys[] = {"name", "description", "defaults", "events", "end", NULL};
    takt_json_piece begin, key, value;
    takt_json_scan *scan = &reader->scan;
    if (!takt_json_scan_value(scan, &begin)) return;
    if (begin.kind != TAKT_JSON_OBJECT) {
        takt_scenario_report(reader->to, begin.line,
                             "a scenario is an object in braces, with a list of 'events'");
        return;
    }
    while (takt_json_scan_key(scan, &key) && takt_json_scan_value(scan, &value)) {
        if (strcmp(key.text, "defaults") == 0) {
            read_words(reader, &value, true, &reader->defaults);
        } else if (strcmp(key.text, "events") == 0) {
            read_events(reader, &value, events);
        } else {
            if (strcmp(key.text, "end") == 0)
                read_end(reader, &value);
            else if (strcmp(key.text, "name") != 0 && strcmp(key.text, "description") != 0)
                report_key(reader, &key, "scenario", keys);
            takt_json_scan_skip(scan, &value);
        }
    }
    takt_json_scan_end(scan);
}

void takt_scenario_parse_json(takt_scenario_reader *to, const char *text, size_t size)
{
    json_reader reader = {.to = to,
                          .scan = {.at = text, .end = text + size, .line = 1, .arena = to->arena}};
    kept *events = NULL;
    int n_before = to->problems->n_errors;
    read_all(&reader, &events);
    to->is_out_of_memory |= reader.scan.is_out_of_memory;
    if (to->is_out_of_memory) return;
    if (reader.scan.error) takt_scenario_report(to, reader.scan.line, "%s", reader.scan.error);
    for (; events; events = events->next) add_event(&reader, events->line, &events->at);
    bool is_whole = to->problems->n_errors == n_before;
    if (is_whole && !reader.has_events)
        takt_scenario_report(to, 1, "the scenario has no list of 'events'");
}
