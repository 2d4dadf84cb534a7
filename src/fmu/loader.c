// SPDX-License-Identifier: MIT
// The system's loader; see loader.h.
#define _GNU_SOURCE // dladdr()
#include "fmu/loader.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "base/elf.h"

takt_status takt_loader_open(const char *path, void **handle, takt_error *err)
{
    char problem[TAKT_ELF_TEXT_SIZE];
    if (takt_elf_is_cut_off(path, problem))
        return takt_fail(err, TAKT_ERR_INPUT, "the library cannot be loaded: %s", problem);
    errno = 0; // the loader's message is about what it tried last, which need not be the cause
    *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*handle) return TAKT_OK;
    takt_status st = takt_status_of_errno(errno, TAKT_ERR_INPUT);
    const char *reason = dlerror();
    return takt_fail(err, st, "the library cannot be loaded: %s%s",
                     st == TAKT_ERR_MEMORY ? "out of memory; " : "",
                     reason ? reason : "unknown reason");
}

void takt_loader_close(void *handle)
{
    dlclose(handle);
}

void *takt_loader_find(void *handle, const char *name)
{
    return dlsym(handle, name);
}

bool takt_loader_has_code(const char *folder, const void *address)
{
    Dl_info at;
    if (!dladdr(address, &at) || !at.dli_fname) return false;
    size_t n = strlen(folder);
    return strncmp(at.dli_fname, folder, n) == 0 && at.dli_fname[n] == '/';
}
