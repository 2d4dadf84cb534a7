// SPDX-License-Identifier: MIT
// Writing down what the sandbox refuses through Wine; see refusals.h.
#include "refusals.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <windef.h>
#include <winbase.h>
#include <winnls.h>
#include <winternl.h>

#include "hook.h"
#include "remote/sandbox.h"

enum { TEXT_SIZE = 512 };
#define DENIED ((NTSTATUS)0xC0000022)
#define NO_CONNECTION                                                                              \
    ((NTSTATUS)0xC000011F) // "too many files": Wine had no socket for the new process

// Hooks have no other way to reach the functions that they stand for.
typedef NTSTATUS(WINAPI *create_function)(HANDLE *, ACCESS_MASK, OBJECT_ATTRIBUTES *,
                                          IO_STATUS_BLOCK *, LARGE_INTEGER *, ULONG, ULONG, ULONG,
                                          ULONG, void *, ULONG);
typedef NTSTATUS(WINAPI *open_function)(HANDLE *, ACCESS_MASK, OBJECT_ATTRIBUTES *,
                                        IO_STATUS_BLOCK *, ULONG, ULONG);
typedef NTSTATUS(WINAPI *control_function)(HANDLE, HANDLE, void *, void *, IO_STATUS_BLOCK *, ULONG,
                                           void *, ULONG, void *, ULONG);
typedef NTSTATUS(WINAPI *start_function)(HANDLE *, HANDLE *, ACCESS_MASK, ACCESS_MASK,
                                         OBJECT_ATTRIBUTES *, OBJECT_ATTRIBUTES *, ULONG, ULONG,
                                         void *, void *, void *);
static create_function create_file;
static open_function open_file;
static control_function control_file;
static start_function start_program;

// "\??\Z:\etc\passwd" and "\??\unix\etc\passwd" -> "/etc/passwd"; files of other drives keep their names.
static const char *show(char *name)
{
    static const char *const roots[] = {"\\??\\Z:\\", "\\??\\z:\\", "\\??\\unix\\"};
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        size_t n = strlen(roots[i]);
        if (strncmp(name, roots[i], n) != 0) continue;
        for (char *c = name; *c; c++)
            if (*c == '\\') *c = '/';
        return name + n - 1;
    }
    return strncmp(name, "\\??\\", 4) == 0 ? name + 4 : name;
}

// Libraries are looked for in many folders, and where those cannot be read it is as if they were there.
static bool is_worth_a_word(const char *path, bool is_written)
{
    return is_written || (path[0] == '/' && access(path, F_OK) == 0);
}

static void note_file(const OBJECT_ATTRIBUTES *what, ACCESS_MASK access)
{
    const ACCESS_MASK changes = GENERIC_WRITE | GENERIC_ALL | FILE_WRITE_DATA | FILE_APPEND_DATA |
                                FILE_WRITE_ATTRIBUTES | DELETE;
    char name[TEXT_SIZE], text[TEXT_SIZE + 16];
    const UNICODE_STRING *wide = what ? what->ObjectName : NULL;
    bool is_written = access & changes;
    if (!wide) return;
    int n = WideCharToMultiByte(CP_UTF8, 0, wide->Buffer, wide->Length / 2, name, TEXT_SIZE - 1,
                                NULL, NULL);
    name[n > 0 ? n : 0] = 0;
    const char *path = show(name);
    if (!is_worth_a_word(path, is_written)) return;
    snprintf(text, sizeof text, "%s%s", is_written ? "writing " : "", path);
    takt_sandbox_note(text);
}

static NTSTATUS WINAPI create(HANDLE *out, ACCESS_MASK access, OBJECT_ATTRIBUTES *what,
                              IO_STATUS_BLOCK *io, LARGE_INTEGER *size, ULONG attributes,
                              ULONG sharing, ULONG disposition, ULONG options, void *more,
                              ULONG n_more)
{
    NTSTATUS status = create_file(out, access, what, io, size, attributes, sharing, disposition,
                                  options, more, n_more);
    if (status == DENIED) note_file(what, access);
    return status;
}

static NTSTATUS WINAPI reopen(HANDLE *out, ACCESS_MASK access, OBJECT_ATTRIBUTES *what,
                              IO_STATUS_BLOCK *io, ULONG sharing, ULONG options)
{
    NTSTATUS status = open_file(out, access, what, io, sharing, options);
    if (status == DENIED) note_file(what, access);
    return status;
}

// How Wine asks its server for a socket: function 200 of devices of the network (wine/afd.h, of Wine 6 and later).
#define MAKE_SOCKET (0x12u << 16 | 200u << 2)

// Other files are refused when they are opened.
static NTSTATUS WINAPI control(HANDLE file, HANDLE event, void *function, void *context,
                               IO_STATUS_BLOCK *io, ULONG code, void *in, ULONG n_in, void *out,
                               ULONG n_out)
{
    NTSTATUS status = control_file(file, event, function, context, io, code, in, n_in, out, n_out);
    if (status == DENIED && code == MAKE_SOCKET)
        takt_sandbox_note("the network, or a connection to another program (socket)");
    return status;
}

static NTSTATUS WINAPI start(HANDLE *process, HANDLE *thread, ACCESS_MASK a, ACCESS_MASK b,
                             OBJECT_ATTRIBUTES *c, OBJECT_ATTRIBUTES *d, ULONG e, ULONG f, void *g,
                             void *h, void *i)
{
    NTSTATUS status = start_program(process, thread, a, b, c, d, e, f, g, h, i);
    if (status == DENIED || status == NO_CONNECTION)
        takt_sandbox_note("starting another program (CreateProcess)");
    return status;
}

static void set_temporary(void)
{
    WCHAR path[MAX_PATH];
    static const WCHAR temp[] = {'T', 'E', 'M', 'P', 0}, tmp[] = {'T', 'M', 'P', 0};
    if (!GetCurrentDirectoryW(MAX_PATH, path)) return;
    SetEnvironmentVariableW(temp, path);
    SetEnvironmentVariableW(tmp, path);
}

void takt_refusals_watch(void)
{
    set_temporary();
    takt_hook_wrap("NtCreateFile", create, &create_file);
    takt_hook_wrap("NtOpenFile", reopen, &open_file);
    takt_hook_wrap("NtDeviceIoControlFile", control, &control_file);
    takt_hook_wrap("NtCreateUserProcess", start, &start_program);
}
