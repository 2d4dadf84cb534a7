// SPDX-License-Identifier: MIT
// Allocations of libxml2; see xml_memory.h. A program around the library may have hooks of its own: these are
// called first and stay in charge. That libxml2 is initialized once and keeps our hooks is global, as libxml2 is.
#include "base/xml_memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/globals.h>
#include <libxml/parser.h>
#include <libxml/threads.h>
#include <libxml/xmlmemory.h>

#include "base/reserve.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static xmlFreeFunc next_free;
static xmlMallocFunc next_malloc, next_malloc_atomic;
static xmlReallocFunc next_realloc;
static xmlStrdupFunc next_strdup;

static _Thread_local bool is_ready __attribute__((tls_model("initial-exec")));

static void hooked_free(void *memory)
{
    if (takt_reserve_owns(memory))
        takt_reserve_free(memory);
    else
        next_free(memory);
}

static void *hooked_malloc(size_t size)
{
    void *memory = next_malloc(size);
    return memory ? memory : takt_reserve_take(size);
}

static void *hooked_malloc_atomic(size_t size)
{
    void *memory = next_malloc_atomic(size);
    return memory ? memory : takt_reserve_take(size);
}

static void *hooked_realloc(void *old, size_t size)
{
    if (next_realloc == realloc || !old || takt_reserve_owns(old))
        return takt_reserve_realloc(old, size);
    return next_realloc(old, size); // how large the old memory is, only its owner knows
}

static char *hooked_strdup(const char *text)
{
    char *copy = next_strdup(text);
    if (copy) return copy;
    size_t size = strlen(text) + 1;
    copy = takt_reserve_take(size);
    if (copy) memcpy(copy, text, size);
    return copy;
}

static void initialize(void)
{
    xmlGcMemGet(&next_free, &next_malloc, &next_malloc_atomic, &next_realloc, &next_strdup);
    xmlGcMemSetup(hooked_free, hooked_malloc, hooked_malloc_atomic, hooked_realloc, hooked_strdup);
    xmlInitParser();
}

// libxml2 makes the state of a thread with malloc() itself, and calls itself again and again, or ends the process,
// where there is none.
static bool prepare_thread(void)
{
    if (is_ready) return true;
    void *probe = malloc(1 << 13);
    free(probe);
#if LIBXML_VERSION >= 21200
    is_ready = probe && xmlCheckThreadLocalStorage() == 0;
#else
    is_ready = probe && (xmlIsMainThread() || xmlGetGlobalState());
#endif
    return is_ready;
}

bool takt_xml_begin(void)
{
    takt_reserve_begin();
    pthread_once(&once, initialize);
    if (!takt_reserve_has_failed() && prepare_thread()) return true;
    takt_reserve_end();
    return false;
}

bool takt_xml_end(void)
{
    return takt_reserve_end();
}

bool takt_xml_has_failed(void)
{
    return takt_reserve_has_failed();
}
