// SPDX-License-Identifier: MIT
// Leading functions of Windows to functions of ours; see hook.h.
#include "hook.h"

#include <string.h>

#include <windef.h>
#include <winbase.h>

// mov rax, ours; jmp rax
void takt_hook_redirect(void *function, void *ours)
{
    unsigned char code[12] = {0x48, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xE0};
    DWORD old;
    memcpy(code + 2, &ours, sizeof ours);
    if (!VirtualProtect(function, sizeof code, PAGE_EXECUTE_READWRITE, &old)) return;
    memcpy(function, code, sizeof code);
    VirtualProtect(function, sizeof code, old, &old);
}

// Such functions consist of some bytes that do not depend on where they lie:
// mov r10, rcx; mov eax, NUMBER; test byte [0x7ffe0308], 1; jne; syscall; ret; jmp; ret; call [0x7ffe1000]; ret
void takt_hook_wrap(const char *function, void *ours, void *original)
{
    static const WCHAR ntdll[] = {'n', 't', 'd', 'l', 'l', 0};
    static const unsigned char begin[] = {0x4C, 0x8B, 0xD1, 0xB8};
    static const unsigned char middle[] = {0xF6, 0x04, 0x25, 0x08, 0x03, 0xFE, 0x7F, 0x01,
                                           0x75, 0x03, 0x0F, 0x05, 0xC3, 0xEB, 0x01, 0xC3,
                                           0xFF, 0x14, 0x25, 0x00, 0x10, 0xFE, 0x7F, 0xC3};
    const size_t number = 4, size = sizeof begin + number + sizeof middle;
    unsigned char *code = (unsigned char *)GetProcAddress(GetModuleHandleW(ntdll), function);
    if (!code || memcmp(code, begin, sizeof begin) != 0 ||
        memcmp(code + sizeof begin + number, middle, sizeof middle) != 0)
        return;
    void *copy = VirtualAlloc(NULL, size, MEM_COMMIT | MEM_RESERVE, PAGE_EXECUTE_READWRITE);
    if (!copy) return; // lives as long as the process
    memcpy(copy, code, size);
    memcpy(original, &copy, sizeof copy); // C has no cast from object to function pointer
    takt_hook_redirect(code, ours);
}
