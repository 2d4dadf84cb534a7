// SPDX-License-Identifier: MIT
// JSON over jansson; see json.h. Its allocations are watched: neither its results tell of all that failed, nor errno, which
// successful ones may leave behind. A program around the library may have functions of its own: these stay in charge.
#include "base/json.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static json_malloc_t next_malloc;

// "initial-exec": making a variable of a thread must not need memory.
static _Thread_local bool has_failed __attribute__((tls_model("initial-exec")));

static void *watched_malloc(size_t size)
{
    void *memory = next_malloc(size);
    if (!memory) has_failed = true;
    return memory;
}

static void initialize(void)
{
    json_free_t next_free;
    json_get_alloc_funcs(&next_malloc, &next_free);
    json_set_alloc_funcs(watched_malloc, next_free);
}

void takt_json_begin(void)
{
    pthread_once(&once, initialize);
    has_failed = false;
}

bool takt_json_has_failed(void)
{
    return has_failed;
}

char *takt_json_end(json_t *all)
{
    char *text = all ? json_dumps(all, JSON_INDENT(2)) : NULL;
    bool is_complete = !takt_json_has_failed();
    json_decref(all);
    if (is_complete) return text;
    free(text);
    return NULL;
}

json_t *takt_json_text(const char *text)
{
    json_t *out = json_string(text);
    char *copy = out ? NULL : strdup(text);
    if (!copy) return out;
    takt_utf8_clean(copy);
    out = json_string(copy);
    free(copy);
    return out;
}
