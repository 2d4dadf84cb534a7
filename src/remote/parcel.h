// SPDX-License-Identifier: MIT
// Messages between ranks that wait for each other, so that they travel as one. A message that waits alone travels as if there were no parcels.
#ifndef TAKT_REMOTE_PARCEL_H
#define TAKT_REMOTE_PARCEL_H

#include "takt/ranks.h"

#include <stdbool.h>
#include <stdint.h>

/// What every message begins with, also within a parcel.
typedef struct takt_rank_head {
    int32_t kind; ///< a takt_rank_kind (link.h)
    int32_t number; ///< of a worker or model; of a parcel: its messages
    int64_t model; ///< of START; status of DONE
    uint64_t size; ///< of what follows the head within a parcel, bytes
} takt_rank_head;

enum {
    TAKT_RANK_PARCEL = -1, ///< the kind of a parcel
    TAKT_PARCEL_MESSAGES = 16, ///< at most; the first ones shall not wait long for the last ones
    TAKT_PARCEL_PIECES = 5, ///< of each message, with its head
    TAKT_PARCEL_SIZE = 4000, ///< bytes of messages that wait; a longer one travels alone
};

/// Messages that wait. All zero: none.
typedef struct takt_parcel {
    takt_rank_head head; // of the parcel
    takt_rank_head heads[TAKT_PARCEL_MESSAGES];
    takt_piece pieces[1 + TAKT_PARCEL_MESSAGES * TAKT_PARCEL_PIECES]; // the first one: `head`
    int n; ///< how many
    int n_pieces; // without the first one
    size_t size; // of all, bytes
} takt_parcel;

/// Is there room for a message of so many bytes? An empty parcel takes any.
bool takt_parcel_has_room(const takt_parcel *parcel, size_t size);

/// Adds a message, for which there is room. Its head is copied, the pieces, fewer than TAKT_PARCEL_PIECES, are borrowed until the parcel is sent; those of
/// size 0 count as not there.
void takt_parcel_add(takt_parcel *parcel, const takt_rank_head *head, const takt_piece *more,
                     int n_more);

/// Sends what waits, if anything does; returns what the transport says.
int takt_parcel_send(takt_parcel *parcel, const takt_transport *transport, int rank);

/// Takes the next of the messages in the content of a parcel, which begins at `*data` and has `*size` bytes; both move on. `*message` follows the head
/// that is copied to `*head`. Returns false where there is none that makes sense.
bool takt_parcel_take(const char **data, size_t *size, takt_rank_head *head, const char **message);

#endif
