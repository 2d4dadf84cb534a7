// SPDX-License-Identifier: MIT
// The sandbox of isolated FMUs: what it refuses is said, what FMUs need is possible, and nothing is left behind.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/hostile.h"
#include "support/results.h"
#include "support/ssd.h"

#define ENGINE "takt: error: component 'Engine' (Engine.fmu): "

// The same FMU with 64 bits, and with 32 where that can be made.
static const char *const libraries[] = {TEST_HOSTILE, TEST_32_BITS "/hostile_32.so"};

static size_t n_libraries(void)
{
    return TEST_32_BITS[0] ? 2 : 1;
}

static void the_sandbox_refuses_and_says_what(void **state)
{
    test_sandbox *box = *state;
    static const char *const cases[][2] = {
        {"read step", "refused FMU Engine.fmu /etc/passwd; --sandbox-read PATH allows"},
        {"write step", "refused FMU Engine.fmu writing /tmp/hostile; --sandbox-write PATH allows"},
        {"network step", "refused FMU Engine.fmu the network, or a connection to another program"},
        {"fork step", "refused FMU Engine.fmu starting another program (system)"},
        {"others step", "refused FMU Engine.fmu looking into other processes (ptrace)"},
        {"owner step", "refused FMU Engine.fmu signals to other processes (fcntl)"},
        {"type step", "refused FMU Engine.fmu control of a terminal or a device (ioctl)"},
        {"calls step", "refused FMU Engine.fmu outliving its master (prctl)"}, // the last of many
        {"leave step", "refused FMU Engine.fmu memory and messages that outlive their process"},
    };
    static const char *const options[] = {"--sandbox", "--isolate"}; // either means both
    const size_t n = sizeof cases / sizeof *cases;
    for (size_t i = 0; i < n * n_libraries(); i++) {
        test_run_library(box, libraries[i / n], cases[i % n][0], options[i % 2], NULL);
        assert_exit(box, 0);
        assert_contains(box->err, cases[i % n][1]);
        test_hostile_rows(box, 11, "ok");
    }
    test_run_hostile(box, "read step", "--sandbox", "--sandbox-read", "/etc/passwd", NULL);
    assert_exit(box, 4);
    assert_contains(box->err, "ended the program by exit(11) in fmi2DoStep");
    setenv("HOSTILE_TARGET", "/tmp/h\u00F6stile", 1);
    test_run_hostile(box, "write step", "--isolate", NULL);
    assert_contains(box->err, "refused FMU Engine.fmu writing /tmp/h\u00F6stile; --sandbox-write");
    char path[2 * TEST_PATH_SIZE];
    snprintf(path, sizeof path, "%s/target", box->work);
    setenv("HOSTILE_TARGET", path, 1);
    test_run_hostile(box, "write step", "--isolate", "--sandbox-write", box->work, NULL);
    unsetenv("HOSTILE_TARGET");
    assert_exit(box, 4);
    assert_contains(box->err, "ended the program by exit(12) in fmi2DoStep");
}

// Without a sandbox all of this is possible; so the tests above show something.
static void without_the_sandbox_nothing_is_refused(void **state)
{
    test_sandbox *box = *state;
    static const char *const cases[][2] = {{"read step", "exit(11)"},  {"network step", "exit(14)"},
                                           {"fork step", "exit(15)"},  {"others step", "exit(17)"},
                                           {"owner step", "exit(19)"}, {"type step", "exit(20)"},
                                           {"calls step", "exit("},    {"leave step", "exit(23)"},
                                           {"traps step", "exit(27)"}, {"mixed step", "exit(46)"}};
    const size_t n = sizeof cases / sizeof *cases;
    for (size_t i = 0; i < n * n_libraries(); i++) {
        test_run_program(box, "rm", "-f", "link", NULL); // of the library before
        test_run_library(box, libraries[i / n], cases[i % n][0], "--isolate", "--sandbox=false",
                         NULL);
        assert_exit(box, 4);
        assert_contains(box->err, cases[i % n][1]);
    }
}

// The same calls have other numbers there, which the filter does not know.
static void calls_of_the_other_processor_are_deadly(void **state)
{
    test_sandbox *box = *state;
    for (size_t i = 0; i < n_libraries(); i++) {
        test_run_library(box, libraries[i], "mixed step", "--isolate", NULL);
        assert_one_error(box, 4, "crashed with SIGSYS");
    }
}

// And nothing is said about it.
static void what_honest_fmus_need_is_allowed(void **state)
{
    test_sandbox *box = *state;
    for (size_t i = 0; i < n_libraries(); i++) {
        test_run_library(box, libraries[i], "needs step", "--isolate", NULL);
        assert_exit(box, 0);
        assert_string_equal(box->err, "");
        test_hostile_rows(box, 11, "ok");
    }
}

// What an FMU leaves in a folder of results, others read without a sandbox.
static void an_fmu_can_lay_no_links(void **state)
{
    test_sandbox *box = *state;
    for (size_t i = 0; i < n_libraries(); i++) {
        test_run_library(box, libraries[i], "traps step", "--isolate", NULL);
        assert_exit(box, 0);
        test_hostile_rows(box, 11, "ok");
    }
}

// Also where Takt itself runs as root; it is not for the FMU that somebody types something.
static void privileges_and_standard_input_are_out_of_reach(void **state)
{
    test_sandbox *box = *state;
    for (size_t i = 0; i < n_libraries(); i++) {
        test_hostile_fmu(box, libraries[i], "Engine.fmu", "root step");
        test_run_program(
            box, "/bin/sh", "-c",
            "echo secret | \"$0\" run Engine.fmu --step-size 0.1 --stop-time 1 -o r.csv "
            "--stats stats.json --isolate",
            TAKT_PROGRAM, NULL);
        assert_exit(box, 0);
        test_hostile_rows(box, 11, "ok");
    }
}

// Not by opening them, which Landlock refuses.
static void files_of_others_stay_as_they_are(void **state)
{
    test_sandbox *box = *state;
    char path[2 * TEST_PATH_SIZE];
    snprintf(path, sizeof path, "%s/target", box->work);
    test_run_program(box, "sh", "-c", "echo mine >target", NULL);
    setenv("HOSTILE_TARGET", path, 1);
    for (size_t i = 0; i < n_libraries(); i++) {
        test_run_library(box, libraries[i], "change step", "--isolate", NULL);
        assert_exit(box, 0);
        assert_contains(box->err,
                        "refused FMU Engine.fmu changing the permissions of files (chmod)");
    }
    char *text = test_read_file(box, "target", NULL);
    assert_string_equal(text, "mine\n");
    free(text);
    test_run_hostile(box, "change step", "--isolate", "--sandbox=false", NULL);
    unsetenv("HOSTILE_TARGET");
    assert_exit(box, 4);
    assert_contains(box->err, "exit(21)");
}

#ifndef __SANITIZE_ADDRESS__
static void memory_is_limited(void **state)
{
    test_sandbox *box = *state;
    for (size_t i = 0; i < n_libraries(); i++) {
        test_run_library(box, libraries[i], "memory step", "--memory-limit", "300MB", NULL);
        assert_one_error(box, 4,
                         ENGINE "crashed with SIGABRT in fmi2DoStep at t=0.4 s; results up to "
                                "t=0.4 s are complete");
        test_run_library(box, libraries[i], "shared step", "--memory-limit", "300MB", NULL);
        assert_exit(box, 0);
        assert_contains(box->err, "refused FMU Engine.fmu memory without a limit");
        test_run_library(box, libraries[i], "nothing step", "--memory-limit", "300MB", NULL);
        assert_exit(box, 0);
    }
    test_run_hostile(box, "nothing step", "--memory-limit", "much", NULL);
    assert_one_error(box, 2, "memory-limit: 'much' is not a size");
}
#endif

// The file is written in the initialization; the parameter is set to a folder that is made before.
static void results_of_an_fmu_lie_where_they_do_without_a_sandbox(void **state)
{
    test_sandbox *box = *state;
    static const char *const options[][3] = {
        {"--quiet", "--quiet", "r.files/ResultsFolder/own.txt"},
        {"--set", "ResultsRootDir=own/place", "own/place/own.txt"},
        {"--set", "ResultsRootDir=.", "own.txt"}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const char *const *o = options[i];
        test_run(box, "run", TEST_FMUS "/ResultsFolder.fmu", "--isolate", "--step-size", "0.1",
                 "--stop-time", "1", "-o", "r.csv", o[0], o[1], NULL);
        assert_exit(box, 0);
        assert_string_equal(box->err, "");
        char *text = test_read_file(box, o[2], NULL);
        assert_non_null(text);
        if (text) assert_string_equal(text, "written\n");
        free(text);
    }
}

// Its own folder is gone when it ends: nobody may believe that the file is somewhere.
static void files_in_the_working_folder_are_named(void **state)
{
    test_sandbox *box = *state;
    test_run_hostile(box, "write step", "--isolate", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "FMU Engine.fmu has written own into its working folder, which is "
                              "removed");
}

static void resources_can_be_read(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "run", TEST_FMUS "/Resources.fmu", "-o", "a.csv", NULL);
    assert_exit(box, 0);
    test_run(box, "run", TEST_FMUS "/Resources.fmu", "-o", "b.csv", "--isolate", NULL);
    assert_exit(box, 0);
    assert_int_equal(test_count(box->err, "sandbox"), 0);
    char *a = test_read_file(box, "a.csv", NULL), *b = test_read_file(box, "b.csv", NULL);
    assert_string_equal(a, b);
    free(a);
    free(b);
}

// Arguments of messages are read with care, which needs a system call that can look into other processes, too.
static void messages_keep_their_texts(void **state)
{
    test_sandbox *box = *state;
    test_link(box, "fmus", TEST_FMUS);
    test_ssd_copy(box, TAKT_EXAMPLES "/coupling/21_higher_index/system.ssd", "system.ssd");
    test_run(box, "run", "system.ssd", "--isolate", NULL);
    assert_exit(box, 1);
    assert_contains(box->err, "the FMU says: fmi2GetReal: the model's initialize reports an error");
    assert_int_equal(test_count(box->err, "(no text)"), 0);
}

// From here on the kernel seems to have no such call: it fails with ENOSYS, or, if its first argument is to be `only`, with EINVAL.
static void lose_call(unsigned call, uint32_t only)
{
    struct sock_filter list[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, only, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, only ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (only ? EINVAL : ENOSYS))};
    const struct sock_fprog program = {.len = sizeof list / sizeof *list, .filter = list};
    assert_int_equal(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    assert_int_equal(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

// The last tests: there is no way back. What is left of the sandbox works.
static void kernel_without_landlock_is_told(void **state)
{
    test_sandbox *box = *state;
    lose_call(SYS_landlock_create_ruleset, 0);
    test_run_hostile(box, "network step", "--isolate", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "the sandbox is incomplete here: files cannot be restricted "
                              "(Landlock)");
    assert_contains(box->err, "refused FMU Engine.fmu the network");
    test_hostile_rows(box, 11, "ok");
    test_run_hostile(box, "root step", "--isolate", NULL); // which Landlock would restrict
    assert_exit(box, 0);
}

static void kernel_without_seccomp_is_told(void **state)
{
    test_sandbox *box = *state;
    lose_call(SYS_prctl, PR_SET_SECCOMP);
    test_run_hostile(box, "nothing step", "--isolate", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "the sandbox is incomplete here: neither files nor system calls can "
                              "be restricted (Landlock, seccomp)");
    test_hostile_rows(box, 11, "ok");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(the_sandbox_refuses_and_says_what),
        test_in_sandbox(without_the_sandbox_nothing_is_refused),
        test_in_sandbox(calls_of_the_other_processor_are_deadly),
        test_in_sandbox(what_honest_fmus_need_is_allowed),
        test_in_sandbox(an_fmu_can_lay_no_links),
        test_in_sandbox(privileges_and_standard_input_are_out_of_reach),
        test_in_sandbox(files_of_others_stay_as_they_are),
#ifndef __SANITIZE_ADDRESS__ // whose own memory is beyond any limit
        test_in_sandbox(memory_is_limited),
#endif
        test_in_sandbox(results_of_an_fmu_lie_where_they_do_without_a_sandbox),
        test_in_sandbox(files_in_the_working_folder_are_named),
        test_in_sandbox(resources_can_be_read),
        test_in_sandbox(messages_keep_their_texts),
        test_in_sandbox(kernel_without_landlock_is_told),
        test_in_sandbox(kernel_without_seccomp_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
