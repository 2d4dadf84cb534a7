// SPDX-License-Identifier: MIT
// See parcel.h.
#include "remote/parcel.h"

#include <string.h>

bool takt_parcel_has_room(const takt_parcel *parcel, size_t size)
{
    return parcel->n == 0 ||
           (parcel->n < TAKT_PARCEL_MESSAGES && parcel->size + size <= TAKT_PARCEL_SIZE);
}

void takt_parcel_add(takt_parcel *parcel, const takt_rank_head *head, const takt_piece *more,
                     int n_more)
{
    takt_rank_head *own = &parcel->heads[parcel->n++];
    takt_piece *pieces = parcel->pieces + 1;
    *own = *head;
    own->size = 0;
    pieces[parcel->n_pieces++] = (takt_piece){own, sizeof *own};
    for (int i = 0; i < n_more; i++) {
        own->size += more[i].size;
        if (more[i].size) pieces[parcel->n_pieces++] = more[i];
    }
    parcel->size += sizeof *own + own->size;
}

int takt_parcel_send(takt_parcel *parcel, const takt_transport *transport, int rank)
{
    bool is_one = parcel->n == 1;
    if (parcel->n == 0) return 0;
    parcel->head = (takt_rank_head){.kind = TAKT_RANK_PARCEL, .number = parcel->n};
    parcel->pieces[0] = (takt_piece){&parcel->head, sizeof parcel->head};
    int failed = transport->send(transport->context, rank, parcel->pieces + is_one,
                                 parcel->n_pieces + !is_one);
    parcel->n = parcel->n_pieces = 0;
    parcel->size = 0;
    return failed;
}

bool takt_parcel_take(const char **data, size_t *size, takt_rank_head *head, const char **message)
{
    if (*size < sizeof *head) return false;
    memcpy(head, *data, sizeof *head);
    *data += sizeof *head;
    *size -= sizeof *head;
    if (head->size > *size) return false;
    *message = *data;
    *data += head->size;
    *size -= head->size;
    return true;
}
