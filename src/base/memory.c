// SPDX-License-Identifier: MIT
// Reading memory that may not be there; see memory.h. The system copies it as if it were that of another
// process, and reports an address that does not exist instead of sending a signal.
#define _GNU_SOURCE // process_vm_readv()
#include "base/memory.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

bool takt_memory_read(void *to, const void *from, size_t n)
{
    struct iovec local = {to, n}, remote = {(void *)(uintptr_t)from, n};
    ssize_t copied = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
    if (copied == (ssize_t)n) return true;
    if (copied >= 0 || (errno != ENOSYS && errno != EPERM)) return false;
    memcpy(to, from, n); // the system does not allow the check
    return true;
}
