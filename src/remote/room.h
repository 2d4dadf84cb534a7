// SPDX-License-Identifier: MIT
// Writing and reading what travels between two processes, in memory that both see: a cursor over a room of fixed
// size. Every item begins at a multiple of 8 bytes, so that numbers can be used where they lie. The reader need
// not trust the writer: whatever does not fit sets `failed`, which stays set.
#ifndef TAKT_REMOTE_ROOM_H
#define TAKT_REMOTE_ROOM_H

#include "instance/value.h"

typedef struct takt_room {
    char *at, *end; ///< borrowed; both at multiples of 8 bytes
    bool failed; ///< there was no more room, or not what was expected
} takt_room;

/// The room of so many bytes from `begin` on.
static inline takt_room takt_room_of(void *begin, size_t size)
{
    return (takt_room){.at = begin, .end = (char *)begin + size / 8 * 8};
}

/// The place of the next item, to be written or read; NULL after a failure.
static inline void *takt_room_next(takt_room *room, uint64_t size)
{
    size_t left = (size_t)(room->end - room->at);
    if (room->failed || size > left) {
        room->failed = true;
        return NULL;
    }
    char *place = room->at;
    room->at += (size + 7) / 8 * 8;
    return place;
}

static inline void takt_room_put_number(takt_room *room, int64_t value)
{
    int64_t *place = takt_room_next(room, sizeof value);
    if (place) *place = value;
}

static inline void takt_room_put_real(takt_room *room, double value)
{
    double *place = takt_room_next(room, sizeof value);
    if (place) *place = value;
}

/// A number within limits; `least` after a failure. Read once: the other side may change it meanwhile.
static inline int64_t takt_room_take_number(takt_room *room, int64_t least, int64_t greatest)
{
    const volatile int64_t *place = takt_room_next(room, sizeof(int64_t));
    int64_t value = place ? *place : least;
    if (value >= least && value <= greatest) return value;
    room->failed = true;
    return least;
}

/// NaN after a failure.
double takt_room_take_real(takt_room *room);

/// A text, or NULL. What is taken lives as long as what is in the room; "" after a failure.
void takt_room_put_text(takt_room *room, const char *text);
const char *takt_room_take_text(takt_room *room);

/// Bytes with their number. What is taken stays where it is; NULL after a failure.
void takt_room_put_bytes(takt_room *room, const void *data, size_t size);
const void *takt_room_take_bytes(takt_room *room, size_t *size);

/// Numbers of one kind after the other; what is not known to be there is not read.
void takt_room_put_reals(takt_room *room, const double *values, int n);
void takt_room_take_reals(takt_room *room, double *values, int n);

/// Values, n[kind] of each kind of storage. Taking returns false only when memory is exhausted.
void takt_room_put_values(takt_room *room, const takt_values *values, const int n[TAKT_N_KINDS]);
bool takt_room_take_values(takt_room *room, takt_values *values, const int n[TAKT_N_KINDS]);

#endif
