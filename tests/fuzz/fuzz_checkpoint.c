// SPDX-License-Identifier: MIT
// Fuzzes the reader of checkpoints: with the bytes as they are, and as a content with a right head and checksum, which
// no mutation would find.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "record/checkpoint_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse(const void *data, size_t size)
{
    char *copy = malloc(size ? size : 1);
    if (!copy) return;
    memcpy(copy, data, size);
    takt_checkpoint *checkpoint = NULL;
    takt_error err = {0};
    if (takt_checkpoint_parse(copy, size, &checkpoint, &err)) {
        if (checkpoint || !err.message[0]) abort();
        return;
    }
    volatile size_t sum = 0; // everything is read
    for (int i = 0; i < checkpoint->n_facts; i++)
        sum += strlen(checkpoint->facts[i].name) + strlen(checkpoint->facts[i].value);
    for (int i = 0; i < checkpoint->n_instances; i++)
        for (size_t k = 0; k < checkpoint->instances[i].size; k++)
            sum += (unsigned char)checkpoint->instances[i].data[k];
    for (size_t k = 0; k < checkpoint->run_size; k++) sum += (unsigned char)checkpoint->run[k];
    (void)sum;
    takt_checkpoint_close(checkpoint);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { HEAD = 24, SUM = TAKT_HASH_SIZE - 1 };
    if (size == 0) return 0;
    parse(data, size);
    char *whole = malloc(HEAD + size + TAKT_HASH_SIZE);
    if (!whole) return 0;
    const uint32_t numbers[] = {TAKT_CHECKPOINT_FORMAT, 0x01020304};
    uint64_t n = size;
    memcpy(whole, "TAKTCKPT", 8);
    memcpy(whole + 8, numbers, sizeof numbers);
    memcpy(whole + 16, &n, sizeof n);
    memcpy(whole + HEAD, data, size);
    takt_hash_bytes(whole, HEAD + size, whole + HEAD + size);
    parse(whole, HEAD + size + SUM);
    free(whole);
    return 0;
}
