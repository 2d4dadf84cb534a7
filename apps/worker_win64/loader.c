// SPDX-License-Identifier: MIT
// Loading Windows DLLs, in place of src/fmu/loader.c. Paths of Linux are on drive Z:.
#include "fmu/loader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <windef.h>
#include <winbase.h>
#include <winnls.h>

#include "base/pe.h"

enum { PATH_SIZE = 4096 };

// "/a/b" -> "Z:\a\b". Returns false if it is too long.
static bool write_path(const char *path, WCHAR out[PATH_SIZE])
{
    char text[PATH_SIZE];
    int n = snprintf(text, sizeof text, "Z:%s", path);
    if (n < 0 || (size_t)n >= sizeof text) return false;
    for (char *c = text; *c; c++)
        if (*c == '/') *c = '\\';
    return MultiByteToWideChar(CP_UTF8, 0, text, -1, out, PATH_SIZE) > 0;
}

// What the system says, without the line end.
static void describe(DWORD code, char *out, DWORD size)
{
    DWORD n = FormatMessageA(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL, code,
                             0, out, size, NULL);
    while (n > 0 && (unsigned char)out[n - 1] <= ' ') n--;
    out[n] = 0;
}

// Libraries are found beside the FMU's own, also those that it loads later by name only.
takt_status takt_loader_open(const char *path, void **handle, takt_error *err)
{
    WCHAR name[PATH_SIZE], folder[PATH_SIZE];
    const char *prefix = getenv("WINEPREFIX");
    char system[PATH_SIZE], reason[256], obstacle[TAKT_PE_TEXT_SIZE] = "";
    if (!write_path(path, name))
        return takt_fail(err, TAKT_ERR_INPUT, "the library cannot be loaded: its path is too long");
    memcpy(folder, name, sizeof folder);
    WCHAR *end = folder;
    for (WCHAR *c = folder; *c; c++)
        if (*c == '\\') end = c;
    *end = 0;
    SetDllDirectoryW(folder);
    *handle = LoadLibraryExW(name, NULL, LOAD_WITH_ALTERED_SEARCH_PATH);
    if (*handle) return TAKT_OK;
    DWORD code = GetLastError();
    describe(code, reason, sizeof reason);
    snprintf(system, sizeof system, "%s/drive_c/windows/system32", prefix ? prefix : "");
    takt_pe_find_obstacle(path, prefix ? system : NULL, obstacle, NULL);
    return takt_fail(err, TAKT_ERR_INPUT, "the library cannot be loaded: %s (error %u)%s%s", reason,
                     (unsigned)code, obstacle[0] ? "; " : "", obstacle);
}

void takt_loader_close(void *handle)
{
    FreeLibrary(handle);
}

void *takt_loader_find(void *handle, const char *name)
{
    return (void *)GetProcAddress(handle, name);
}

bool takt_loader_has_code(const char *folder, const void *address)
{
    (void)folder, (void)address;
    return false; // asked only where crashes are handled in the process of Takt
}
