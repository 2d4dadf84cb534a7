// SPDX-License-Identifier: MIT
// Accesses by the lists of variables that messages have; see server.h. Few are used again and again, so that looking
// for them is comparing with some lists; the others replace each other.
#include <stdlib.h>

#include "remote/server.h"

static void clear(takt_served_access *at)
{
    for (int i = 0; i < at->access.n_values[TAKT_KIND_BYTES] && at->bytes; i++)
        takt_bytes_clear(&at->bytes[i]);
    takt_arena_clear(&at->arena);
    *at = (takt_served_access){0};
}

void takt_serve_clear_accesses(takt_server *self)
{
    for (int i = 0; i < self->n_accesses; i++) clear(&self->accesses[i]);
    self->n_accesses = 0;
}

// The place for another access: that of the oldest one which nobody needs.
static takt_served_access *find_place(takt_server *self)
{
    if (self->n_accesses < TAKT_MAX_SERVED) return &self->accesses[self->n_accesses++];
    do self->i_next = (self->i_next + 1) % TAKT_MAX_SERVED;
    while (self->accesses[self->i_next].is_used);
    clear(&self->accesses[self->i_next]);
    return &self->accesses[self->i_next];
}

static takt_served_access *add(takt_server *self, const int *variables, int n)
{
    takt_served_access *at = find_place(self);
    if (!takt_access_create(&at->arena, self->model, variables, n, &at->access, NULL)) return NULL;
    size_t n_bytes = (size_t)at->access.n_values[TAKT_KIND_BYTES];
    at->bytes = takt_arena_array(&at->arena, n_bytes ? n_bytes : 1, sizeof *at->bytes);
    return at->bytes ? at : NULL;
}

takt_served_access *takt_serve_access(takt_server *self, takt_room *in)
{
    int n = (int)takt_room_take_number(in, 0, self->model->n_variables);
    const int *variables = takt_room_next(in, (uint64_t)n * sizeof *variables);
    if (!variables) return NULL;
    for (int i = 0; i < self->n_accesses; i++)
        if (takt_access_is(&self->accesses[i].access, variables, n)) return &self->accesses[i];
    for (int i = 0; i < n; i++)
        if (variables[i] < 0 || variables[i] >= self->model->n_variables) in->failed = true;
    return in->failed ? NULL : add(self, variables, n);
}
