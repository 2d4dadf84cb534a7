// SPDX-License-Identifier: MIT
// Calls all functions of the library in any order, on the same objects, with right and wrong arguments (support/arguments.h). Whatever the order is, calls
// succeed or say why not. Left out is what takes long, and what must come last.
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#include "base/file.h"
#include "support/arguments.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_CALLS = 100 };

static bool is_left_out(const char *name)
{
    static const char *const names[] = {"takt_advise",      "takt_new_fmu_write",
                                        "takt_cache_clean", "takt_guard_install",
                                        "takt_ranks_serve", // long
                                        "takt_log_destroy", "takt_ranks_destroy"}; // must be last
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

static char *folder; // for the files that calls write
static takt_arena arena;

static void remove_folder(void)
{
    takt_tree_remove(folder);
    takt_arena_clear(&arena);
}

static void begin(void)
{
    if (folder) return;
    if (takt_folder_create_temporary(&arena, NULL, "takt-fuzz-", &folder, NULL)) abort();
    atexit(remove_folder);
}

// Every failure says why, and gives nothing.
static void judge(const world *w, const api_call *call, const int *choices)
{
    bool has_error = call->has_status && choices[call->n - 1] == 1;
    if (w->status && has_error && (w->err.status != w->status || !w->err.message[0])) abort();
}

static void make_call(world *w, const api_call *call, const int *choices)
{
    w->status = TAKT_OK;
    w->err = (takt_error){0};
    if (setjmp(w->give_up)) return; // an argument cannot be made any more
    call->call(w, choices);
    forget(w, call, choices);
    judge(w, call, choices);
}

static void make_calls(world *w, const uint8_t *data, size_t size)
{
    const uint8_t *end = data + size;
    for (int i = 0; i < MOST_CALLS && data < end; i++) {
        const api_call *call = &api_calls[*data++ % N_API_CALLS];
        int choices[MOST_ARGUMENTS] = {0};
        // Good values are as likely as all others together.
        for (int a = 0; a < call->n; a++) {
            int drawn = data < end ? *data++ : 1;
            choices[a] = drawn < 128 ? 1 : drawn % call->n_values[a];
        }
        if (!is_left_out(call->name)) make_call(w, call, choices);
        end_given(w);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    begin();
    int before = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (before < 0 || chdir(folder)) abort();
    if (!n_checkpoint_bytes) write_good_files();
    world w = {.can_give_up = true};
    make_calls(&w, data, size);
    end_world(&w);
    if (fchdir(before)) abort();
    close(before);
    return 0;
}
