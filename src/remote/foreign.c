// SPDX-License-Identifier: MIT
// Starting workers that are programs of their own; see foreign.h.
#include "remote/foreign.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- as bytes ------------------------------------------------------------------------------------

static void pack_list(const char *const list[TAKT_FOREIGN_MAX], takt_packer *packer)
{
    int64_t n = 0;
    while (n < TAKT_FOREIGN_MAX - 1 && list[n]) n++;
    takt_pack_integer(packer, n);
    for (int64_t i = 0; i < n; i++) {
        size_t size = strlen(list[i]) + 1;
        takt_pack_integer(packer, (int64_t)size);
        takt_pack(packer, list[i], size);
    }
}

static void unpack_list(takt_unpacker *unpacker, const char *list[TAKT_FOREIGN_MAX])
{
    int64_t n = takt_unpack_integer(unpacker, 0, TAKT_FOREIGN_MAX - 1);
    for (int64_t i = 0; i < n; i++) {
        size_t size = (size_t)takt_unpack_integer(unpacker, 1, INT16_MAX);
        const char *text = takt_unpack_place(unpacker, size);
        list[i] = text && text[size - 1] == 0 ? text : "";
    }
    list[n] = NULL;
}

enum { N_LISTS = 5 };

#define LISTS(self)                                                                                \
    {                                                                                              \
        (self)->arguments, (self)->environment, (self)->partner, (self)->sockets, (self)->folders  \
    }

void takt_foreign_pack(const takt_foreign *self, takt_packer *packer)
{
    const char *const *const lists[N_LISTS] = LISTS(self);
    for (int i = 0; i < N_LISTS; i++) pack_list(lists[i], packer);
    takt_pack_integer(packer, self->is_shared);
}

void takt_foreign_unpack(takt_unpacker *unpacker, takt_foreign *self)
{
    const char **const lists[N_LISTS] = LISTS(self);
    for (int i = 0; i < N_LISTS; i++) unpack_list(unpacker, lists[i]);
    self->is_shared = takt_unpack_integer(unpacker, 0, 1);
}

// ---- starting ------------------------------------------------------------------------------------

// The process has no other thread, and is about to be another program.
void takt_foreign_set_environment(const takt_foreign *self)
{
    for (int i = 0; self->environment[i]; i++) {
        const char *item = self->environment[i];
        char name[64];
        size_t n = strcspn(item, "=");
        if (n >= sizeof name) continue;
        memcpy(name, item, n);
        name[n] = 0;
        if (item[n])
            setenv(name, item + n + 1, 1);
        else
            unsetenv(name);
    }
}

void takt_foreign_give_up(takt_region *region, const char *why)
{
    snprintf(region->note.how, sizeof region->note.how, "exit(127): %.100s", why);
    _exit(127);
}

void takt_foreign_become(const takt_foreign *self, takt_region *region, int nest, int region_file,
                         int recipe_file, const char *sandbox)
{
    char numbers[3][16], why[TAKT_REGION_NOTE];
    const char *arguments[TAKT_FOREIGN_MAX + 4] = {NULL};
    int n = 0;
    while (self->arguments[n]) {
        arguments[n] = self->arguments[n];
        n++;
    }
    // Copies of the files, which stay open in the new program.
    const int given[3] = {nest, dup(region_file), dup(recipe_file)};
    for (int i = 0; i < 3; i++) {
        snprintf(numbers[i], sizeof numbers[i], "%d", given[i]);
        arguments[n++] = numbers[i];
    }
    arguments[n] = sandbox;
    // execv() does not change the arguments, its declaration only says so for the sake of old programs.
    execv(arguments[0], (char *const *)arguments);
    snprintf(why, sizeof why, "%.80s cannot be run", arguments[0]);
    takt_foreign_give_up(region, why);
}
