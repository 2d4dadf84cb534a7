// SPDX-License-Identifier: MIT
// Systems by a short description; see system.h.
#include "support/system.h"

// Copies the next word of *list into `word`; false at the end.
static bool next_word(const char **list, char *word, size_t size)
{
    *list += strspn(*list, " ");
    size_t length = strcspn(*list, " ");
    if (length == 0) return false;
    assert_true(length < size);
    memcpy(word, *list, length);
    word[length] = 0;
    *list += length;
    return true;
}

// Cuts a word in two at a separator.
static char *cut(char *word, char separator)
{
    char *found = strchr(word, separator);
    if (!found) fail_msg("'%s' has no '%c'", word, separator);
    *found = 0;
    return found + 1;
}

static void add_components(takt_project *project, const char *list)
{
    char name[256];
    while (next_word(&list, name, sizeof name)) {
        char *model = cut(name, ':');
        takt_place place = {"test.ssd", project->n_components + 1};
        assert_true(takt_project_add_component(
            project, &(takt_project_component){.name = name, .source = model, .place = place}));
    }
}

static void add_connections(takt_project *project, const char *list)
{
    char from[256];
    while (next_word(&list, from, sizeof from)) {
        char *to = cut(from, '>');
        char *from_variable = cut(from, '.'), *to_variable = cut(to, '.');
        takt_place place = {"test.ssd", project->n_connections + 101};
        assert_true(takt_project_add_connection(
            project, &(takt_project_connection){.start_component = from,
                                                .start_variable = from_variable,
                                                .end_component = to,
                                                .end_variable = to_variable,
                                                .place = place}));
    }
}

void test_project_init(test_system *s, const char *components, const char *connections,
                       const char *settings)
{
    s->project = NULL;
    s->system = NULL;
    s->status = TAKT_OK;
    s->err = (takt_error){0};
    test_log_init(&s->log);
    assert_int_equal(takt_project_create("test.ssd", s->log.log, &s->project, &s->err), TAKT_OK);
    add_components(s->project, components);
    add_connections(s->project, connections);
    char setting[256];
    while (next_word(&settings, setting, sizeof setting)) {
        char *value = cut(setting, '=');
        takt_status st = strcmp(setting, "set") == 0
                             ? takt_project_set_value(s->project, value, &s->err)
                             : takt_project_set(s->project, setting, value, &s->err);
        if (st) fail_msg("%s", s->err.message);
    }
}

void test_system_try(test_system *s, test_model *models, const char *components,
                     const char *connections, const char *settings)
{
    test_project_init(s, components, connections, settings);
    s->status = takt_system_make(s->project, test_model_open, models, &s->system, &s->err);
}

void test_system_init(test_system *s, test_model *models, const char *components,
                      const char *connections, const char *settings)
{
    test_system_try(s, models, components, connections, settings);
    if (s->status) fail_msg("%s\n%s", s->err.message, s->log.text);
}

void test_system_clear(test_system *s)
{
    takt_system_destroy(s->system);
    takt_project_close(s->project);
    test_log_clear(&s->log);
}
