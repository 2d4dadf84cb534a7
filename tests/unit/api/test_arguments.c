// SPDX-License-Identifier: MIT
// Every function of the library with every kind of wrong argument: none is undefined behaviour. The calls are made from the headers
// (support/arguments.h), so that no function is forgotten: each with good arguments, with one or two of them replaced by all others of
// their pool, and with NULL and 0 alone. Failures have messages and give nothing; NULL is refused unless the header allows it.
#ifdef TEST_WITHOUT_CALLS
#include "support/programs.h"

// There was no Python to make the calls.
int main(void)
{
    return TEST_SKIPPED;
}
#else
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/arguments.h"
#include "support/command.h"

static bool gave_something(const world *w)
{
    return w->new_view || w->new_snapshot || w->new_checkpoint || w->new_series || w->new_run ||
           w->new_sequence || w->new_system || w->new_project || w->new_ranks || w->text ||
           w->bytes;
}

static void print_call(const api_call *call, const int *choices)
{
    print_error("%s(", call->name);
    for (int i = 0; i < call->n; i++)
        print_error("%s%s: %d", i ? ", " : "", call->arguments[i], choices[i]);
    print_error(")\n");
}

// Statuses and messages agree, and what fails gives nothing. Returns 1 if something is wrong.
static int judge(const world *w, const api_call *call, const int *choices)
{
    const char *wrong = NULL;
    bool has_error = call->has_status && choices[call->n - 1] == 1;
    if (w->status && has_error && (w->err.status != w->status || !w->err.message[0]))
        wrong = "fails without a message";
    if (w->status && gave_something(w)) wrong = "fails and gives something";
    if (!wrong) return 0;
    print_call(call, choices);
    print_error("    %s\n", wrong);
    return 1;
}

// What is tried, seen by the process that waits for it.
static struct {
    int choices[MOST_ARGUMENTS];
} * tried;

// One call in a world of its own. Returns how many things are wrong.
static int try_call(const api_call *call, const int *choices, world *w)
{
    *w = (world){.number = 0};
    memcpy(tried->choices, choices, sizeof tried->choices);
    call->call(w, choices);
    forget(w, call, choices);
    return judge(w, call, choices);
}

static int try_and_end(const api_call *call, const int *choices)
{
    world w;
    int n_wrong = try_call(call, choices, &w);
    end_world(&w);
    return n_wrong;
}

// All choices at two places, where the others are as they are.
static int try_pairs(const api_call *call, int *choices)
{
    int n_wrong = try_and_end(call, choices);
    for (int a = 0; a < call->n; a++) {
        const int kept_a = choices[a];
        for (choices[a] = 0; choices[a] < call->n_values[a]; choices[a]++) {
            if (choices[a] != kept_a) n_wrong += try_and_end(call, choices);
            for (int b = a + 1; b < call->n && choices[a] != kept_a; b++) {
                const int kept_b = choices[b];
                for (choices[b] = 0; choices[b] < call->n_values[b]; choices[b]++)
                    if (choices[b] != kept_b) n_wrong += try_and_end(call, choices);
                choices[b] = kept_b;
            }
        }
        choices[a] = kept_a;
    }
    return n_wrong;
}

static int try_function(const api_call *call)
{
    int choices[MOST_ARGUMENTS] = {0};
    int n_wrong = try_and_end(call, choices);
    for (int a = 0; a < call->n; a++) choices[a] = 1;
    return n_wrong + try_pairs(call, choices);
}

// cmocka would go on with the next test after a signal.
static void end_with_function(const api_call *call)
{
    const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], SIG_DFL);
    exit(try_function(call) ? 1 : 0);
}

// In a process of its own, which may crash.
static int try_apart(const api_call *call)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) end_with_function(call);
    int status = 0;
    if (waitpid(child, &status, 0) != child || status == 0) return status;
    if (WIFSIGNALED(status) || WEXITSTATUS(status) != 1) print_call(call, tried->choices);
    if (WIFSIGNALED(status)) print_error("    ended by signal %d\n", WTERMSIG(status));
    return 1;
}

// May this argument be NULL? As the headers say.
static bool is_optional(const api_call *call, int argument)
{
    static const char *const names[] = {"err",
                                        "log",
                                        "options",
                                        "n_added",
                                        "n_changed",
                                        "n_removed",
                                        "bytes",
                                        "context",
                                        "variant",
                                        "takt_project_disconnect.to",
                                        "takt_system_get_member.name",
                                        "takt_log_create.receive",
                                        "takt_run_wait.run"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *dot = strchr(names[i], '.');
        if (dot && strncmp(names[i], call->name, (size_t)(dot - names[i])) != 0) continue;
        if (strcmp(dot ? dot + 1 : names[i], call->arguments[argument]) == 0) return true;
    }
    return false;
}

// NULL instead of one argument of a good call: it is refused, or nothing but an empty value is returned.
static int try_null(const api_call *call, int argument)
{
    world w;
    int choices[MOST_ARGUMENTS] = {0};
    for (int i = 0; i < call->n; i++) choices[i] = i != argument;
    int n_wrong = try_call(call, choices, &w);
    bool is_empty = !w.pointer || !*(const char *)w.pointer;
    bool is_zero = w.number == 0 || w.number == -1 || isnan(w.number);
    bool is_refused = call->has_status ? w.status == TAKT_ERR_USAGE : is_empty && is_zero;
    if (!is_refused && !is_optional(call, argument)) {
        print_call(call, choices);
        print_error("    accepts NULL: %s; returns status %d, %g, %p\n", call->arguments[argument],
                    (int)w.status, w.number, w.pointer);
        n_wrong++;
    }
    end_world(&w);
    return n_wrong;
}

// It would need another system: with texts, on several ranks, with subsystems, with terminals.
static bool is_refused_when_good(const char *name)
{
    static const char *const names[] = {"takt_view_put_bytes", "takt_ranks_serve",
                                        "takt_project_get_connector", "takt_system_get_terminal"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

static void good_arguments_are_good(void **state)
{
    (void)state;
    int n_wrong = 0;
    for (size_t i = 0; i < N_API_CALLS; i++) {
        world w;
        int choices[MOST_ARGUMENTS] = {1, 1, 1, 1, 1, 1, 1, 1};
        n_wrong += try_call(&api_calls[i], choices, &w);
        if (w.status && !is_refused_when_good(api_calls[i].name)) {
            print_error("%s: %s\n", api_calls[i].name, w.err.message);
            n_wrong++;
        }
        end_world(&w);
    }
    assert_int_equal(n_wrong, 0);
}

static void null_is_refused_or_gives_nothing(void **state)
{
    (void)state;
    int n_wrong = 0;
    for (size_t i = 0; i < N_API_CALLS; i++)
        for (int a = 0; a < api_calls[i].n; a++)
            if (api_calls[i].is_pointer[a]) n_wrong += try_null(&api_calls[i], a);
    assert_int_equal(n_wrong, 0);
}

static void no_combination_of_arguments_is_undefined(void **state)
{
    (void)state;
    int n_wrong = 0;
    for (size_t i = 0; i < N_API_CALLS; i++) n_wrong += try_apart(&api_calls[i]);
    assert_int_equal(n_wrong, 0);
}

static int enter_folder(void **state)
{
    int failed = test_sandbox_setup(state);
    test_sandbox *box = *state;
    tried = mmap(NULL, sizeof *tried, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    failed = failed || tried == MAP_FAILED || chdir(box->work) ||
             setenv("TAKT_CACHE_DIR", box->cache, 1);
    if (!failed) write_good_files();
    return failed;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_arguments_are_good),
        cmocka_unit_test(null_is_refused_or_gives_nothing),
        cmocka_unit_test(no_combination_of_arguments_is_undefined),
    };
    return cmocka_run_group_tests(tests, enter_folder, test_sandbox_teardown);
}
#endif
