// SPDX-License-Identifier: MIT
// Numbers and values as bytes and back, for serialised states. Bytes are those of this machine; what is
// read back is not trusted: whatever does not fit sets `failed`, which stays set.
#ifndef TAKT_INSTANCE_PACK_H
#define TAKT_INSTANCE_PACK_H

#include "instance/value.h"

/// Appends to `out`, which may hold something already.
typedef struct takt_packer {
    takt_bytes *out; ///< borrowed
    bool failed; ///< memory was exhausted
} takt_packer;

void takt_pack(takt_packer *packer, const void *data, size_t size);
void takt_pack_real(takt_packer *packer, double value);
void takt_pack_integer(takt_packer *packer, int64_t value);
void takt_pack_values(takt_packer *packer, const takt_values *values, const int n[TAKT_N_KINDS]);

/// Room for `size` bytes at the end, to be filled by the caller; NULL when memory is exhausted.
void *takt_pack_room(takt_packer *packer, size_t size);

/// Reads what was packed, in the same order.
typedef struct takt_unpacker {
    const char *next; ///< borrowed
    size_t left; ///< bytes
    bool failed; ///< the bytes are not those expected
    bool out_of_memory;
} takt_unpacker;

void takt_unpack(takt_unpacker *unpacker, void *data, size_t size);
/// The place of the next bytes, which stay where they are; NULL after a failure.
const char *takt_unpack_place(takt_unpacker *unpacker, size_t size);
double takt_unpack_real(takt_unpacker *unpacker);
/// An integer within limits; `least` after a failure.
int64_t takt_unpack_integer(takt_unpacker *unpacker, int64_t least, int64_t greatest);
void takt_unpack_values(takt_unpacker *unpacker, takt_values *values, const int n[TAKT_N_KINDS]);

/// The status of a reading that has to be at the end of the bytes now.
takt_status takt_unpack_end(const takt_unpacker *unpacker, takt_error *err);

#endif
