// SPDX-License-Identifier: MIT
// Numbers and values as bytes; see pack.h.
#include "instance/pack.h"

#include <string.h>

void *takt_pack_room(takt_packer *packer, size_t size)
{
    takt_bytes *out = packer->out;
    size_t before = out->size;
    if (packer->failed || size > SIZE_MAX / 2 - before || !takt_bytes_resize(out, before + size)) {
        packer->failed = true;
        return NULL;
    }
    return out->data + before;
}

void takt_pack(takt_packer *packer, const void *data, size_t size)
{
    void *room = takt_pack_room(packer, size);
    if (room && size) memcpy(room, data, size);
}

void takt_pack_real(takt_packer *packer, double value)
{
    takt_pack(packer, &value, sizeof value);
}

void takt_pack_integer(takt_packer *packer, int64_t value)
{
    takt_pack(packer, &value, sizeof value);
}

void takt_pack_values(takt_packer *packer, const takt_values *values, const int n[TAKT_N_KINDS])
{
    takt_pack(packer, values->real, (size_t)n[TAKT_KIND_REAL] * sizeof *values->real);
    takt_pack(packer, values->integer, (size_t)n[TAKT_KIND_INTEGER] * sizeof *values->integer);
    for (int i = 0; i < n[TAKT_KIND_BYTES]; i++) {
        takt_pack_integer(packer, (int64_t)values->bytes[i].size);
        takt_pack(packer, values->bytes[i].data, values->bytes[i].size);
    }
}

const char *takt_unpack_place(takt_unpacker *unpacker, size_t size)
{
    if (unpacker->failed || size > unpacker->left) {
        unpacker->failed = true;
        return NULL;
    }
    const char *data = unpacker->next;
    unpacker->next += size;
    unpacker->left -= size;
    return data;
}

void takt_unpack(takt_unpacker *unpacker, void *data, size_t size)
{
    const char *from = takt_unpack_place(unpacker, size);
    if (from && size) memcpy(data, from, size);
}

double takt_unpack_real(takt_unpacker *unpacker)
{
    double value = 0;
    takt_unpack(unpacker, &value, sizeof value);
    return value;
}

int64_t takt_unpack_integer(takt_unpacker *unpacker, int64_t least, int64_t greatest)
{
    int64_t value = least;
    takt_unpack(unpacker, &value, sizeof value);
    if (value >= least && value <= greatest) return value;
    unpacker->failed = true;
    return least;
}

void takt_unpack_values(takt_unpacker *unpacker, takt_values *values, const int n[TAKT_N_KINDS])
{
    takt_unpack(unpacker, values->real, (size_t)n[TAKT_KIND_REAL] * sizeof *values->real);
    takt_unpack(unpacker, values->integer, (size_t)n[TAKT_KIND_INTEGER] * sizeof *values->integer);
    for (int i = 0; i < n[TAKT_KIND_BYTES] && !unpacker->failed; i++) {
        size_t size = (size_t)takt_unpack_integer(unpacker, 0, INT64_MAX);
        const char *data = takt_unpack_place(unpacker, size);
        if (data && !takt_bytes_assign(&values->bytes[i], data, size))
            unpacker->failed = unpacker->out_of_memory = true;
    }
}

takt_status takt_unpack_end(const takt_unpacker *unpacker, takt_error *err)
{
    if (unpacker->out_of_memory) return takt_fail_memory(err);
    if (!unpacker->failed && unpacker->left == 0) return TAKT_OK;
    return takt_fail(err, TAKT_ERR_INPUT, "the saved state is not one of this model");
}
