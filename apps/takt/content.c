// SPDX-License-Identifier: MIT
// Content of projects by words; see content.h.
#include "content.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

typedef takt_status change_fn(takt_project *project, const char *first, const char *second,
                              takt_error *err);

// ---- one part --------------------------------------------------------------------------------------

static takt_status add_file(takt_project *project, const char *path, const char *none,
                            takt_error *err)
{
    (void)none;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *copy = strndup(name, strcspn(name, "."));
    takt_status st = copy ? takt_project_add(project, copy, path, err) : cli_fail_memory(err);
    free(copy);
    return st;
}

static takt_status remove_component(takt_project *project, const char *name, const char *none,
                                    takt_error *err)
{
    (void)none;
    return takt_project_remove(project, name, err);
}

static takt_status unset(takt_project *project, const char *variable, const char *none,
                         takt_error *err)
{
    (void)none;
    return takt_project_unset_value(project, variable, err);
}

// ---- all words -------------------------------------------------------------------------------------

static const struct {
    const char *name;
    change_fn *pair; // "A=B"; NULL: the word has one part
    const char *form;
    change_fn *single; // without '='; NULL: the word needs two parts
} words[] = {
    {"add", takt_project_add, "NAME=FMU", add_file},
    {"connect", takt_project_connect, "A.y=B.u", NULL},
    {"disconnect", takt_project_disconnect, "A.y=B.u", takt_project_disconnect},
    {"rename", takt_project_rename, "OLD=NEW", NULL},
    {"remove", NULL, NULL, remove_component},
    {"unset", NULL, NULL, unset},
    {"auto-connect", NULL, NULL, NULL},
};
enum { N_WORDS = sizeof words / sizeof *words };

static int find(const char *name)
{
    for (int i = 0; i < N_WORDS; i++)
        if (strcmp(words[i].name, name) == 0) return i;
    return -1;
}

bool cli_content_is(const char *name)
{
    return find(name) >= 0;
}

takt_status cli_content_apply(takt_project *project, const cli_setting *word, takt_error *err)
{
    int i = find(word->name);
    const char *equals = words[i].pair ? strchr(word->value, '=') : NULL;
    if (!equals && words[i].single) return words[i].single(project, word->value, NULL, err);
    if (!words[i].pair) return TAKT_OK;
    if (!equals || equals == word->value || !equals[1])
        return cli_fail(err, TAKT_ERR_USAGE, "--%s: '%s' is not %s", word->name, word->value,
                        words[i].form);
    char *first = strndup(word->value, (size_t)(equals - word->value));
    takt_status st = first ? words[i].pair(project, first, equals + 1, err) : cli_fail_memory(err);
    free(first);
    return st;
}

takt_status cli_content_finish(takt_project *project, const cli_arguments *arguments,
                               cli_console *console, takt_error *err)
{
    bool is_wanted = false;
    for (int i = 0; i < arguments->n_settings; i++)
        if (strcmp(arguments->settings[i].name, "auto-connect") == 0) is_wanted = true;
    int n_added = 0;
    takt_status st = is_wanted ? takt_project_auto_connect(project, &n_added, err) : TAKT_OK;
    if (!st && is_wanted && !n_added)
        cli_console_note(console, "--auto-connect has connected nothing: no open input has the "
                                  "name of an output of another component");
    return st;
}

takt_status cli_content_add_file(takt_project *project, const char *path, takt_error *err)
{
    return add_file(project, path, NULL, err);
}
