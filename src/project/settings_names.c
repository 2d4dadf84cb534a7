// SPDX-License-Identifier: MIT
// Settings by name: their value as text, and the names of components in their lists.
#include <string.h>

#include "project/settings.h"

takt_status takt_settings_print(const takt_settings *settings, const char *name, char **out,
                                takt_error *err)
{
    int i = takt_settings_find(name);
    if (i < 0) return takt_settings_fail_unknown(name, err);
    takt_arena scratch = {0};
    const char *text = takt_settings_text(settings, i, &scratch);
    char *copy = text ? strdup(text) : NULL;
    takt_arena_clear(&scratch);
    if (!copy) return takt_fail_memory(err);
    *out = copy;
    return TAKT_OK;
}

// Where an item of a list names a component: behind "TIME:" of changes of algorithms, else at its beginning; NULL: it names none.
static const char *component_in(const char *setting, const char *item)
{
    if (strcmp(setting, "input-file") == 0 || strcmp(setting, "event-time") == 0) return NULL;
    const char *colon = strcmp(setting, "algorithm-at") == 0 ? strchr(item, ':') : NULL;
    return colon ? colon + 1 : item;
}

// Gives an item another name for a component: "NAME", "NAME=value", "NAME.variable". What names another one stays.
static bool rename_in(const char *setting, const char **item, takt_arena *arena, const char *name,
                      const char *new_name, bool *is_changed)
{
    const char *at = component_in(setting, *item);
    size_t length = strlen(name);
    if (!at || strncmp(at, name, length) != 0 || !memchr("=.", at[length], 3)) return true;
    const char *copy =
        takt_arena_print(arena, "%.*s%s%s", (int)(at - *item), *item, new_name, at + length);
    if (!copy) return false;
    *item = copy;
    *is_changed = true;
    return true;
}

bool takt_settings_rename(takt_settings *settings, takt_arena *arena, const char *name,
                          const char *new_name)
{
    for (int i = 0; takt_setting(i); i++) {
        const takt_text_list *list = takt_settings_list(settings, i);
        bool is_changed = false;
        for (int k = 0; list && k < list->n_items; k++)
            if (!rename_in(takt_setting(i)->name, &list->items[k], arena, name, new_name,
                           &is_changed))
                return false;
        if (is_changed) settings->overridden |= (uint64_t)1 << i;
    }
    return true;
}
