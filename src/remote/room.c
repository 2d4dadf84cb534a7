// SPDX-License-Identifier: MIT
// Items of messages; see room.h.
#include "remote/room.h"

#include <math.h>
#include <string.h>

double takt_room_take_real(takt_room *room)
{
    const double *place = takt_room_next(room, sizeof(double));
    return place ? *place : NAN;
}

// ---- texts and bytes -----------------------------------------------------------------------------

void takt_room_put_bytes(takt_room *room, const void *data, size_t size)
{
    takt_room_put_number(room, (int64_t)size);
    void *place = takt_room_next(room, size);
    if (place && size) memcpy(place, data, size);
}

const void *takt_room_take_bytes(takt_room *room, size_t *size)
{
    *size = (size_t)takt_room_take_number(room, 0, INT64_MAX);
    const void *place = takt_room_next(room, *size);
    if (!place) *size = 0;
    return place;
}

// With their final 0, whose presence is checked; no bytes at all stand for NULL.
void takt_room_put_text(takt_room *room, const char *text)
{
    takt_room_put_bytes(room, text, text ? strlen(text) + 1 : 0);
}

const char *takt_room_take_text(takt_room *room)
{
    size_t size;
    const char *text = takt_room_take_bytes(room, &size);
    if (text && size == 0) return NULL;
    if (text && text[size - 1] == 0) return text;
    room->failed = true;
    return "";
}

// ---- values --------------------------------------------------------------------------------------

static void put_numbers(takt_room *room, const void *values, size_t size)
{
    void *place = takt_room_next(room, size);
    if (place && size) memcpy(place, values, size);
}

static void take_numbers(takt_room *room, void *values, size_t size)
{
    const void *place = takt_room_next(room, size);
    if (place && size) memcpy(values, place, size);
}

void takt_room_put_reals(takt_room *room, const double *values, int n)
{
    put_numbers(room, values, (size_t)n * sizeof *values);
}

void takt_room_take_reals(takt_room *room, double *values, int n)
{
    take_numbers(room, values, (size_t)n * sizeof *values);
}

void takt_room_put_values(takt_room *room, const takt_values *values, const int n[TAKT_N_KINDS])
{
    put_numbers(room, values->real, (size_t)n[TAKT_KIND_REAL] * sizeof *values->real);
    put_numbers(room, values->integer, (size_t)n[TAKT_KIND_INTEGER] * sizeof *values->integer);
    for (int i = 0; i < n[TAKT_KIND_BYTES]; i++)
        takt_room_put_bytes(room, values->bytes[i].data, values->bytes[i].size);
}

bool takt_room_take_values(takt_room *room, takt_values *values, const int n[TAKT_N_KINDS])
{
    take_numbers(room, values->real, (size_t)n[TAKT_KIND_REAL] * sizeof *values->real);
    take_numbers(room, values->integer, (size_t)n[TAKT_KIND_INTEGER] * sizeof *values->integer);
    for (int i = 0; i < n[TAKT_KIND_BYTES] && !room->failed; i++) {
        size_t size;
        const void *data = takt_room_take_bytes(room, &size);
        if (data && !takt_bytes_assign(&values->bytes[i], data, size)) return false;
    }
    return true;
}
