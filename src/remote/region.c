// SPDX-License-Identifier: MIT
// Shared memory between master and worker; see region.h.
#define _GNU_SOURCE // memfd_create()
#include "remote/region.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static_assert(sizeof(takt_region) <= TAKT_REGION_HEAD, "the head has room for what is in it");
// Workers with 32 bits see the same.
static_assert(offsetof(takt_region, ask_size) == 72 && offsetof(takt_region, answered) == 128 &&
                  offsetof(takt_region, answer_size) == 152 && offsetof(takt_region, text) == 176 &&
                  offsetof(takt_region, note) == 176 + TAKT_MESSAGE_SIZE + 32,
              "the layout does not depend on the processor");

takt_region *takt_region_open(int file)
{
    void *memory = mmap(NULL, TAKT_REGION_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

// Sealed: a worker that made it smaller would let the master crash.
takt_status takt_region_create(takt_region **out, int *file, takt_error *err)
{
    int memory = memfd_create("takt", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    bool is_made = memory >= 0 && ftruncate(memory, (off_t)TAKT_REGION_SIZE) == 0 &&
                   fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0;
    takt_region *region = is_made ? takt_region_open(memory) : NULL;
    int number = errno;
    if (!region) {
        if (memory >= 0) close(memory);
        return takt_fail(err, takt_status_of_errno(number, TAKT_ERR_OUTPUT),
                         "no memory can be shared with a worker: %s", strerror(number));
    }
    region->version = TAKT_REGION_VERSION;
    *out = region;
    *file = memory;
    return TAKT_OK;
}

void takt_region_close(takt_region *region)
{
    if (region) munmap(region, TAKT_REGION_SIZE);
}
