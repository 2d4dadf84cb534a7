// SPDX-License-Identifier: MIT
// SHA-256 through libcrypto; see hash.h.
#include "base/hash.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include <openssl/evp.h>

enum { PIECE_SIZE = 64 * 1024, DIGEST_SIZE = 32 };

static void write_hex(const unsigned char *bytes, char *out)
{
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < DIGEST_SIZE; i++) {
        *out++ = digits[bytes[i] >> 4];
        *out++ = digits[bytes[i] & 15];
    }
    *out = 0;
}

// Returns false when libcrypto fails; reading errors are left in `file`.
static bool digest_file(EVP_MD_CTX *context, FILE *file, unsigned char *out)
{
    unsigned char piece[PIECE_SIZE];
    bool ok = EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1;
    for (size_t size; ok && (size = fread(piece, 1, sizeof piece, file)) > 0;)
        ok = EVP_DigestUpdate(context, piece, size) == 1;
    return ok && EVP_DigestFinal_ex(context, out, NULL) == 1;
}

takt_status takt_hash_file(FILE *file, char out[TAKT_HASH_SIZE], takt_error *err)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (!context) return takt_fail_memory(err);
    unsigned char digest[EVP_MAX_MD_SIZE];
    rewind(file);
    bool ok = digest_file(context, file, digest);
    EVP_MD_CTX_free(context);
    if (ferror(file)) return takt_fail(err, TAKT_ERR_INPUT, "cannot be read: %s", strerror(errno));
    if (!ok) return takt_fail(err, TAKT_ERR_INPUT, "the SHA-256 cannot be computed");
    rewind(file);
    write_hex(digest, out);
    return TAKT_OK;
}
