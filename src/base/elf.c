// SPDX-License-Identifier: MIT
// What a shared library needs; see elf.h. Needed libraries are looked for where the loader would: RPATH and RUNPATH, the
// environment, its cache, the usual folders (ld.so(8)). Only direct needs are looked at.
#define _GNU_SOURCE // memmem()
#include "base/elf.h"

#include <elf.h>
#include <gnu/libc-version.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

enum { MAX_FILE = 1 << 30, MAX_CACHE = 64 << 20, MAX_ENTRIES = 4096 };

#if defined(__aarch64__)
enum { THIS_MACHINE = EM_AARCH64 };
#define THIS_FOLDER "aarch64-linux-gnu"
#else
enum { THIS_MACHINE = EM_X86_64 };
#define THIS_FOLDER "x86_64-linux-gnu"
#endif

typedef struct elf_file {
    const char *data;
    size_t size;
    const char *folder;
    Elf64_Ehdr head;
    const char *texts; // the string table
    size_t n_texts;
    const char *search[2]; // RPATH, RUNPATH; NULL: none
} elf_file;

// ---- reading -------------------------------------------------------------------------------------

static bool read_at(const elf_file *f, uint64_t offset, void *out, size_t n)
{
    if (offset > f->size || n > f->size - offset) return false;
    memcpy(out, f->data + offset, n);
    return true;
}

static bool read_segment(const elf_file *f, int i, Elf64_Phdr *out)
{
    return read_at(f, f->head.e_phoff + (uint64_t)i * sizeof *out, out, sizeof *out);
}

// Where an address of the loaded library lies in the file.
static bool find_offset(const elf_file *f, uint64_t address, uint64_t *out)
{
    Elf64_Phdr segment;
    for (int i = 0; i < f->head.e_phnum && read_segment(f, i, &segment); i++) {
        if (segment.p_type != PT_LOAD || address < segment.p_vaddr) continue;
        if (address - segment.p_vaddr >= segment.p_filesz) continue;
        *out = segment.p_offset + (address - segment.p_vaddr);
        return true;
    }
    return false;
}

// A text of the string table; NULL: there is none.
static const char *text_at(const elf_file *f, uint64_t index)
{
    if (index >= f->n_texts) return NULL;
    return memchr(f->texts + index, 0, f->n_texts - index) ? f->texts + index : NULL;
}

static bool find_dynamic(const elf_file *f, uint64_t *offset, int *n)
{
    Elf64_Phdr segment;
    for (int i = 0; i < f->head.e_phnum && read_segment(f, i, &segment); i++) {
        if (segment.p_type != PT_DYNAMIC) continue;
        *offset = segment.p_offset;
        uint64_t n_entries = segment.p_filesz / sizeof(Elf64_Dyn);
        *n = n_entries < MAX_ENTRIES ? (int)n_entries : MAX_ENTRIES;
        return true;
    }
    return false;
}

// Entry number i of the dynamic section; false: there is none.
static bool read_entry(const elf_file *f, uint64_t offset, int i, Elf64_Dyn *out)
{
    return read_at(f, offset + (uint64_t)i * sizeof *out, out, sizeof *out) &&
           out->d_tag != DT_NULL;
}

static void find_texts(elf_file *f, uint64_t offset, int n)
{
    Elf64_Dyn entry;
    uint64_t address = 0, size = 0, at;
    for (int i = 0; i < n && read_entry(f, offset, i, &entry); i++) {
        if (entry.d_tag == DT_STRTAB) address = entry.d_un.d_ptr;
        if (entry.d_tag == DT_STRSZ) size = entry.d_un.d_val;
    }
    if (!address || !find_offset(f, address, &at) || at > f->size) return;
    f->texts = f->data + at;
    f->n_texts = size < f->size - at ? size : f->size - at;
    for (int i = 0; i < n && read_entry(f, offset, i, &entry); i++) {
        if (entry.d_tag == DT_RPATH) f->search[0] = text_at(f, entry.d_un.d_val);
        if (entry.d_tag == DT_RUNPATH) f->search[1] = text_at(f, entry.d_un.d_val);
    }
}

// ---- looking for libraries -----------------------------------------------------------------------

// "$ORIGIN/lib:/opt/lib": is the library in one of these folders?
static bool is_in_list(const elf_file *f, const char *list, const char *name)
{
    while (list && *list) {
        size_t n = strcspn(list, ":");
        static const char *const words[] = {"$ORIGIN", "${ORIGIN}"};
        char path[PATH_MAX];
        size_t skip = 0;
        for (int i = 0; i < 2; i++)
            if (strncmp(list, words[i], strlen(words[i])) == 0) skip = strlen(words[i]);
        int length = snprintf(path, sizeof path, "%s%.*s/%s", skip ? f->folder : "",
                              (int)(n < PATH_MAX ? n - (skip <= n ? skip : n) : 0),
                              list + (skip <= n ? skip : n), name);
        if (length > 0 && length < (int)sizeof path && access(path, R_OK) == 0) return true;
        list += n + (list[n] == ':');
    }
    return false;
}

static bool is_in_cache(const char *name)
{
    char *data = NULL;
    size_t size = 0, length = strlen(name);
    if (takt_file_read("/etc/ld.so.cache", MAX_CACHE, &data, &size, NULL)) return false;
    bool is_there = false;
    const char *at = data, *end = data + size;
    while (!is_there && at && at < end && (at = memmem(at, (size_t)(end - at), name, length + 1))) {
        is_there = at > data && (at[-1] == 0 || at[-1] == '/');
        at++;
    }
    free(data);
    return is_there;
}

static bool is_installed(const elf_file *f, const char *name)
{
    static const char usual[] = "/lib/" THIS_FOLDER ":/usr/lib/" THIS_FOLDER
                                ":/lib64:/usr/lib64:/lib:/usr/lib:/usr/local/lib";
    if (strchr(name, '/')) return access(name, R_OK) == 0;
    return is_in_list(f, f->search[0], name) || is_in_list(f, f->search[1], name) ||
           is_in_list(f, getenv("LD_LIBRARY_PATH"), name) || is_in_cache(name) ||
           is_in_list(f, usual, name);
}

// ---- versions ------------------------------------------------------------------------------------

// Is "GLIBC_2.38" newer than the C library of this machine?
static bool is_newer(const char *version)
{
    unsigned major, minor, our_major, our_minor;
    if (sscanf(version, "GLIBC_%u.%u", &major, &minor) != 2) return false;
    if (sscanf(gnu_get_libc_version(), "%u.%u", &our_major, &our_minor) != 2) return false;
    return major > our_major || (major == our_major && minor > our_minor);
}

static void judge_versions(const elf_file *f, uint64_t address, uint64_t n_needs,
                           char out[TAKT_ELF_TEXT_SIZE])
{
    uint64_t at;
    Elf64_Verneed need;
    if (!find_offset(f, address, &at)) return;
    for (uint64_t i = 0; i < n_needs && i < MAX_ENTRIES && read_at(f, at, &need, sizeof need);
         i++) {
        Elf64_Vernaux aux;
        uint64_t next = at + need.vn_aux;
        for (int k = 0; k < need.vn_cnt && read_at(f, next, &aux, sizeof aux); k++) {
            const char *version = text_at(f, aux.vna_name);
            if (version && is_newer(version)) {
                snprintf(out, TAKT_ELF_TEXT_SIZE,
                         "it needs %.100s of the C library, and this machine has version %s",
                         version, gnu_get_libc_version());
                return;
            }
            if (!aux.vna_next) break;
            next += aux.vna_next;
        }
        if (!need.vn_next) break;
        at += need.vn_next;
    }
}

// ---- judging -------------------------------------------------------------------------------------

static const char *machine_name(unsigned machine)
{
    switch (machine) {
    case EM_386: return "x86 (32 bit)";
    case EM_X86_64: return "x86-64";
    case EM_ARM: return "ARM (32 bit)";
    case EM_AARCH64: return "ARM64";
    default: return "another processor";
    }
}

static bool judge_head(elf_file *f, char out[TAKT_ELF_TEXT_SIZE])
{
    const char *problem = NULL;
    if (!read_at(f, 0, &f->head, sizeof f->head) || memcmp(f->head.e_ident, ELFMAG, SELFMAG) != 0)
        problem = "it is no library of this system (ELF)";
    else if (f->head.e_ident[EI_CLASS] != ELFCLASS64 || f->head.e_machine != THIS_MACHINE)
        problem = machine_name(f->head.e_machine);
    if (!problem) return true;
    bool is_machine = problem[0] != 'i';
    snprintf(out, TAKT_ELF_TEXT_SIZE, "%s%s%s%s", is_machine ? "it is for " : "", problem,
             is_machine ? ", this machine is " : "", is_machine ? machine_name(THIS_MACHINE) : "");
    return false;
}

// The loader maps a file that was cut off as if it were whole; who reads the rest gets SIGBUS.
static bool judge_size(const elf_file *f, uint64_t file_size, char out[TAKT_ELF_TEXT_SIZE])
{
    Elf64_Phdr segment;
    for (int i = 0; i < f->head.e_phnum && read_segment(f, i, &segment); i++) {
        if (segment.p_type != PT_LOAD) continue;
        if (segment.p_offset <= file_size && segment.p_filesz <= file_size - segment.p_offset)
            continue;
        snprintf(out, TAKT_ELF_TEXT_SIZE, "it is cut off after %llu bytes",
                 (unsigned long long)file_size);
        return false;
    }
    return true;
}

bool takt_elf_is_cut_off(const char *path, char out[TAKT_ELF_TEXT_SIZE])
{
    char head[4096], ignored[TAKT_ELF_TEXT_SIZE];
    FILE *file = NULL;
    out[0] = 0;
    if (takt_file_open(path, &file, NULL)) return false;
    elf_file f = {.data = head, .size = fread(head, 1, sizeof head, file)};
    bool has_size = fseeko(file, 0, SEEK_END) == 0;
    off_t size = has_size ? ftello(file) : -1;
    fclose(file);
    return size >= 0 && judge_head(&f, ignored) && !judge_size(&f, (uint64_t)size, out);
}

void takt_elf_judge(const void *data, size_t size, const char *folder, char out[TAKT_ELF_TEXT_SIZE])
{
    elf_file f = {.data = data, .size = size, .folder = folder};
    uint64_t offset, versions = 0, n_versions = 0;
    int n;
    Elf64_Dyn entry;
    out[0] = 0;
    if (!judge_head(&f, out) || !judge_size(&f, size, out) || !find_dynamic(&f, &offset, &n))
        return;
    find_texts(&f, offset, n);
    for (int i = 0; i < n && !out[0] && read_entry(&f, offset, i, &entry); i++) {
        const char *name = entry.d_tag == DT_NEEDED ? text_at(&f, entry.d_un.d_val) : NULL;
        if (entry.d_tag == DT_VERNEED) versions = entry.d_un.d_ptr;
        if (entry.d_tag == DT_VERNEEDNUM) n_versions = entry.d_un.d_val;
        if (name && !is_installed(&f, name))
            snprintf(out, TAKT_ELF_TEXT_SIZE,
                     "it needs the library %.200s, which is not installed here", name);
    }
    if (!out[0] && versions) judge_versions(&f, versions, n_versions, out);
}

takt_status takt_elf_find_obstacle(const char *path, char out[TAKT_ELF_TEXT_SIZE], takt_error *err)
{
    char *data = NULL, folder[PATH_MAX] = ".";
    size_t size;
    takt_status st = takt_file_read(path, MAX_FILE, &data, &size, err);
    if (st) return st;
    const char *slash = strrchr(path, '/');
    if (slash && slash - path < PATH_MAX)
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    takt_elf_judge(data, size, folder, out);
    free(data);
    return TAKT_OK;
}
