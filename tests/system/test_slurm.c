// SPDX-License-Identifier: MIT
// The script that `takt sweep --emit slurm` prints, run by a Slurm of one controller and two nodes on this computer (tests/mpi/slurm.sh).
// Where that is not possible nothing is tested, which is said.
#include <stdlib.h>

#include "support/manifest.h"
#include "support/ssd.h"

// Runs a line of the shell in which $takt is the program. False where there is no Slurm.
static bool run_with_slurm(test_sandbox *box, const char *line)
{
    enum { CANNOT = 77 };
    test_run_program(box, "bash", "-c",
                     "export takt=$1; PATH=$(dirname \"$takt\"):$PATH; exec timeout 100 bash "
                     "\"$0\" bash -c \"$2\"",
                     TAKT_TESTS "/mpi/slurm.sh", TAKT_PROGRAM, line, NULL);
    if (box->exit_code == CANNOT) print_message("%s", box->out);
    return box->exit_code != CANNOT;
}

static void tasks_of_an_array_fill_one_manifest(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "lotka_volterra");
    test_run(box, "sweep", "lotka_volterra.ssd", "--vary", "Prey.x0=5:20:23", "--stop-time", "5",
             "-o", "one", "-q", NULL);
    assert_exit(box, 0);
    if (!run_with_slurm(
            box, "\"$takt\" sweep lotka_volterra.ssd --vary Prey.x0=5:20:23 --stop-time 5 -o many "
                 "--emit slurm --chunks 4 > job.sh && sbatch --quiet --wait job.sh"))
        return;
    assert_exit(box, 0);
    test_manifest one, many;
    test_manifest_read(box, "one/manifest.csv", &one);
    test_manifest_read(box, "many/manifest.csv", &many);
    test_manifest_assert_same(&one, &many);
    test_manifest_clear(&one);
    test_manifest_clear(&many);
}

// What the scheduler has ended is not lost, and nothing is done twice.
static void a_cancelled_array_is_submitted_again(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "lotka_volterra");
    test_run(box, "sweep", "lotka_volterra.ssd", "--vary", "Prey.x0=5:20:1500", "-o", "one", "-q",
             NULL);
    assert_exit(box, 0);
    if (!run_with_slurm(
            box,
            "\"$takt\" sweep lotka_volterra.ssd --vary Prey.x0=5:20:1500 -o many --emit slurm "
            "--chunks 4 > job.sh && number=$(sbatch --parsable job.sh) && "
            "until [ $(wc -l < many/manifest.csv) -gt 100 ]; do sleep 0.02; done; scancel $number; "
            "while [ -n \"$(squeue -h)\" ]; do sleep 0.1; done; wc -l < many/manifest.csv; "
            "sbatch --quiet --wait job.sh"))
        return;
    assert_exit(box, 0);
    int n_lines = atoi(box->out); // with the header
    assert_in_range(n_lines, 101, 1500);
    test_manifest one, many;
    test_manifest_read(box, "one/manifest.csv", &one);
    test_manifest_read(box, "many/manifest.csv", &many);
    test_manifest_assert_same(&one, &many);
    test_manifest_clear(&one);
    test_manifest_clear(&many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(tasks_of_an_array_fill_one_manifest),
        test_in_sandbox(a_cancelled_array_is_submitted_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
