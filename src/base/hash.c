// SPDX-License-Identifier: MIT
// SHA-256 through libcrypto; see hash.h. The old functions of libcrypto are used on purpose: they need no memory,
// while the new ones make 4,500 allocations before the first byte, and stay unusable in this process if one
// of them fails.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "base/hash.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include <openssl/sha.h>

enum { PIECE_SIZE = 64 * 1024, DIGEST_SIZE = SHA256_DIGEST_LENGTH };

static void write_hex(const unsigned char *bytes, char *out)
{
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < DIGEST_SIZE; i++) {
        *out++ = digits[bytes[i] >> 4];
        *out++ = digits[bytes[i] & 15];
    }
    *out = 0;
}

void takt_hash_bytes(const void *data, size_t size, char out[TAKT_HASH_SIZE])
{
    SHA256_CTX context; // not SHA256(), which is one of the new functions inside
    unsigned char digest[DIGEST_SIZE];
    SHA256_Init(&context);
    SHA256_Update(&context, data, size);
    SHA256_Final(digest, &context);
    write_hex(digest, out);
}

takt_status takt_hash_file(FILE *file, char out[TAKT_HASH_SIZE], takt_error *err)
{
    SHA256_CTX context;
    unsigned char piece[PIECE_SIZE], digest[DIGEST_SIZE];
    rewind(file);
    bool ok = SHA256_Init(&context) == 1;
    for (size_t size; ok && (size = fread(piece, 1, sizeof piece, file)) > 0;)
        ok = SHA256_Update(&context, piece, size) == 1;
    if (ferror(file)) return takt_fail(err, TAKT_ERR_INPUT, "cannot be read: %s", strerror(errno));
    if (!ok || SHA256_Final(digest, &context) != 1)
        return takt_fail(err, TAKT_ERR_INPUT, "the SHA-256 cannot be computed");
    rewind(file);
    write_hex(digest, out);
    return TAKT_OK;
}
