// SPDX-License-Identifier: MIT
// `takt-mpi sweep`: the ranks of a job fill one manifest, every variant exactly once, whatever is killed.
#include <signal.h>
#include <time.h>

#include "support/hostile.h"
#include "support/manifest.h"
#include "support/mpi.h"
#include "support/ssd.h"

#define VARIED "--vary Prey.a=0.05:0.2:300 --keep max:Prey.x -q"

static void ranks_fill_one_manifest(void **state)
{
    test_sandbox *box = *state;
    if (!test_has_mpi()) return;
    test_ssd_example(box, "lotka_volterra");
    test_manifest one, many;
    test_run(box, "sweep", "lotka_volterra.ssd", "--vary", "Prey.a=0.05:0.2:300", "--keep",
             "max:Prey.x", "-q", "-o", "one", NULL);
    assert_exit(box, 0);
    test_manifest_read(box, "one/manifest.csv", &one);
    static const char *const ranks[] = {"1", "2", "4"};
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        char command[256], file[32];
        snprintf(command, sizeof command, "sweep lotka_volterra.ssd " VARIED " -o m%s", ranks[i]);
        test_run_mpi(box, ranks[i], command);
        assert_exit(box, 0);
        assert_string_equal(box->err, "");
        snprintf(file, sizeof file, "m%s/manifest.csv", ranks[i]);
        test_manifest_read(box, file, &many);
        test_manifest_assert_same(&one, &many);
        test_manifest_clear(&many);
    }
    test_manifest_clear(&one);
}

static void mistakes_are_told_once(void **state)
{
    test_sandbox *box = *state;
    if (!test_has_mpi()) return;
    test_ssd_example(box, "lotka_volterra");
    test_run_mpi(box, "3", "sweep lotka_volterra.ssd --vary Prey.wrong=1,2 -o out");
    assert_exit(box, 2);
    assert_int_equal(test_count(box->err, "variant 1: "), 1);
    test_run_mpi(box, "3", "sweep lotka_volterra.ssd --no-such-option");
    assert_exit(box, 2);
    assert_int_equal(test_count(box->err, "takt: error: "), 1);
    assert_false(test_has_file(box, "out"));
}

static void crashes_are_recorded_on_every_rank(void **state)
{
    test_sandbox *box = *state;
    if (!test_has_mpi()) return;
    test_hostile_fmu(box, TEST_HOSTILE, "Engine.fmu", "segfault step"); // from 0.4 s to 0.5 s
    test_run_mpi(
        box, "2",
        "sweep Engine.fmu --vary stop-time=0.2,1,0.3,2,0.4,1,0.2,1 --step-size 0.1 -o out");
    assert_exit(box, 1);
    test_manifest m;
    test_manifest_read(box, "out/manifest.csv", &m);
    assert_int_equal(m.n_lines, 8);
    assert_int_equal(test_count(box->err, "4 of 8 variants failed; see out/manifest.csv"), 1);
    for (int i = 2; i <= 8; i += 2) assert_contains(m.lines[i], "crashed with SIGSEGV");
    test_manifest_clear(&m);
}

// A rank that finds another project, as on a host with an old copy, is left out and named; what it would have done is done by others.
static void a_rank_with_other_files_is_left_out(void **state)
{
    test_sandbox *box = *state;
    if (!test_has_mpi()) return;
    test_ssd_example(box, "lotka_volterra");
    test_run_program(
        box, "bash", "-c",
        "mkdir a b && cp lotka_volterra.ssd a/p.ssd && sed 's/value=\"0.02\"/value=\"0.03\"/' "
        "lotka_volterra.ssd > b/p.ssd && ! cmp -s a/p.ssd b/p.ssd && ln -s ../fmus a && "
        "ln -s ../fmus b",
        NULL);
    assert_exit(box, 0);
    test_write_text(box, "in",
                    "#!/bin/sh\nfolder=a\n[ \"$OMPI_COMM_WORLD_RANK\" = 1 ] && folder=b\n"
                    "cd $folder && exec \"$@\"\n");
    test_run_program(
        box, "bash", "-c",
        "chmod +x in; p=\"$0-mpi\"; export OMPI_ALLOW_RUN_AS_ROOT=1 "
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; timeout 60 mpirun --oversubscribe --bind-to "
        "none --mca btl vader,self --mca plm isolated -n 3 ./in \"$p\" sweep p.ssd --vary "
        "Prey.a=0.05:0.2:50 -q -o ../out",
        TAKT_PROGRAM, NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "warning: rank 1 on host ");
    assert_contains(box->err, "it finds other files than rank 0");
    test_manifest m;
    test_manifest_read(box, "out/manifest.csv", &m);
    assert_int_equal(m.n_lines, 50);
    test_manifest_clear(&m);
}

static int count_variants(test_sandbox *box)
{
    char *text = test_read_file(box, "out/manifest.csv", NULL);
    int n = text ? test_count(text, "\n") : 0;
    free(text);
    return n;
}

static void after_signals_and_kills_every_variant_is_there_once(void **state)
{
    test_sandbox *box = *state;
    if (!test_has_mpi()) return;
    test_ssd_example(box, "lotka_volterra");
    const char *const command = "sweep lotka_volterra.ssd --vary Prey.a=0.05:0.2:2000 --keep "
                                "max:Prey.x -q -o out --resume";
    for (int i = 0; i < 4; i++) {
        int n_lines = count_variants(box);
        test_start_mpi(box, "3", command, "0");
        test_wait_for_lines(box, "out/manifest.csv", n_lines + 20);
        int rank = i % 3; // once each is killed, then one is asked to end
        kill(test_rank_process(box, rank), i < 3 ? SIGKILL : SIGTERM);
        test_wait(box);
        assert_int_not_equal(box->exit_code, 124);
        if (i == 3) assert_exit(box, 130);
        if (i == 3) assert_contains(box->err, "--resume goes on");
    }
    test_run_mpi(box, "2", command);
    assert_exit(box, 0);
    test_manifest m;
    test_manifest_read(box, "out/manifest.csv", &m);
    assert_int_equal(m.n_lines, 2000);
    test_manifest_clear(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(ranks_fill_one_manifest),
        test_in_sandbox(mistakes_are_told_once),
        test_in_sandbox(crashes_are_recorded_on_every_rank),
        test_in_sandbox(a_rank_with_other_files_is_left_out),
        test_in_sandbox(after_signals_and_kills_every_variant_is_there_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
