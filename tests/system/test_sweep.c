// SPDX-License-Identifier: MIT
// `takt sweep`: every variant exactly once in the manifest, with the values that a run of its own gives, whatever crashes
// or is killed.
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "support/hostile.h"
#include "support/manifest.h"
#include "support/ssd.h"

#define PREY "lotka_volterra.ssd"

// ---- values ----------------------------------------------------------------------------------------

static void results_are_those_of_single_runs(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "lotka_volterra");
    test_write_text(box, "plan.csv",
                    "Prey.a,\"Predator.c\"\n0.1,0.4\r\n\n0.123456789,0.3\n2e-1,0.41\n");
    test_run(box, "sweep", "plan.csv", PREY, "-o", "out", "--results", "csv", "--jobs", "2",
             "--step-control", "richardson", NULL);
    assert_exit(box, 0);
    static const char *const sets[][2] = {{"Prey.a=0.1", "Predator.c=0.4"},
                                          {"Prey.a=0.123456789", "Predator.c=0.3"},
                                          {"Prey.a=2e-1", "Predator.c=0.41"}};
    for (int i = 0; i < 3; i++) {
        char name[64];
        size_t n, m;
        test_run(box, "run", PREY, "--set", sets[i][0], "--set", sets[i][1], "-o", "one.csv",
                 "--step-control", "richardson", NULL);
        assert_exit(box, 0);
        snprintf(name, sizeof name, "out/variant-%08d.csv", i + 1);
        char *a = test_read_file(box, "one.csv", &n), *b = test_read_file(box, name, &m);
        assert_non_null(b);
        assert_int_equal(n, m);
        assert_memory_equal(a, b, n);
        free(a);
        free(b);
    }
}

static void extrema_means_and_integrals_are_kept(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "u.csv", "time,u\n0,0\n1,2\n3,-1\n4,0\n");
    test_link(box, "fmus", TEST_FMUS);
    test_run(box, "sweep", "fmus/Gain.fmu", "--input-file", "u.csv", "--vary", "k=1:3:2",
             "--step-size", "0.5", "--stop-time", "4", "-o", "out", "--keep", "min:*.y", "--keep",
             "max:*.y", "--keep", "mean:*.y", "--keep", "integral:*.y", "--keep", "time-of-max:*.y",
             "--keep", "time-of-min:*.y", "--keep", "initial:*.y", "--keep", "*.y", "-q", NULL);
    assert_exit(box, 0);
    test_manifest m;
    test_manifest_read(box, "out/manifest.csv", &m);
    assert_contains(m.text, "index,status,time,wall,warnings,outcome,k,min:Gain.y,max:Gain.y,"
                            "mean:Gain.y,integral:Gain.y,time-of-max:Gain.y,time-of-min:Gain.y,"
                            "initial:Gain.y,Gain.y");
    // The areas of two triangles and a trapezoid: 1 + (2 - 1) / 2 * 2 - 0.5.
    assert_contains(m.lines[1], ",1,-1,2,0.375,1.5,1,3,0,0");
    assert_contains(m.lines[2], ",3,-3,6,1.125,4.5,1,3,0,0");
    test_manifest_clear(&m);
}

static void samples_are_the_same_for_every_number_of_workers(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "lotka_volterra");
    test_write_text(box, "ranges.csv", "name,from,to\nPrey.a,0.05,0.2\nPredator.c,0.3,0.5\n");
    static const char *const methods[] = {"sobol", "lhs", "random"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        test_manifest one, two;
        test_run(box, "sweep", "ranges.csv", PREY, "--sample", "16", "--seed", "7", "--method",
                 methods[i], "-o", "one", "-j", "1", "-q", NULL);
        assert_exit(box, 0);
        test_run(box, "sweep", PREY, "-v", "Prey.a=0.05:0.2", "--vary", "Predator.c=0.3:0.5",
                 "--sample", "16", "--seed", "7", "--method", methods[i], "-o", "two", "-j", "3",
                 "-q", NULL);
        assert_exit(box, 0);
        test_manifest_read(box, "one/manifest.csv", &one);
        test_manifest_read(box, "two/manifest.csv", &two);
        assert_int_equal(one.n_lines, 16);
        test_manifest_assert_same(&one, &two);
        test_manifest_clear(&one);
        test_manifest_clear(&two);
        test_run_program(box, "rm", "-r", "one", "two", NULL);
    }
}

// Its steps are counted for all instances of a process.
static void fresh_variants_do_not_see_those_before(void **state)
{
    test_sandbox *box = *state;
    test_link(box, "fmus", TEST_FMUS);
    test_run(box, "sweep", "fmus/Forgetful.fmu", "--vary", "stop-time=1,2,1", "--step-size", "0.5",
             "-o", "out", "-j", "1", "-q", "--fresh", NULL);
    assert_exit(box, 0);
    test_manifest m;
    test_manifest_read(box, "out/manifest.csv", &m);
    assert_contains(m.lines[1], ",1,2"); // the varied and the kept value
    assert_contains(m.lines[2], ",2,4");
    assert_contains(m.lines[3], ",1,2");
    test_manifest_clear(&m);
}

// The same without being asked: the first variant that has seen others is examined.
static void processes_with_traces_are_not_used_again(void **state)
{
    test_sandbox *box = *state;
    test_link(box, "fmus", TEST_FMUS);
    static const char *const workers[] = {"1", "3"};
    for (size_t i = 0; i < 2; i++) {
        test_run(box, "sweep", "fmus/Forgetful.fmu", "--vary", "stop-time=1,2,1,3,1,2,4,1",
                 "--step-size", "0.5", "-o", "out", "-j", workers[i], "-q", "--results", "csv",
                 NULL);
        assert_exit(box, 0);
        assert_int_equal(test_count(box->err, "has other results in a process of its own"), 1);
        test_manifest m;
        test_manifest_read(box, "out/manifest.csv", &m);
        assert_int_equal(m.n_lines, 8);
        static const char *const ends[] = {",1,2", ",2,4", ",1,2", ",3,6",
                                           ",1,2", ",2,4", ",4,8", ",1,2"};
        for (int k = 0; k < 8; k++) assert_contains(m.lines[k + 1], ends[k]);
        test_manifest_clear(&m);
        char *rows = test_read_file(box, "out/variant-00000007.csv", NULL);
        assert_int_equal(test_count(rows, "\n"), 10);
        free(rows);
        test_run_program(box, "rm", "-r", "out", NULL);
    }
    test_run(box, "sweep", "fmus/Gain.fmu", "--vary", "k=1:40:40", "--stop-time", "1",
             "--step-size", "0.5", "-o", "out", "-j", "2", "-q", NULL);
    assert_exit(box, 0);
    assert_string_equal(box->err, "");
}

// ---- what goes wrong -------------------------------------------------------------------------------

static void a_crash_is_recorded_and_the_others_go_on(void **state)
{
    test_sandbox *box = *state;
    test_hostile_fmu(box, TEST_HOSTILE, "Engine.fmu", "segfault step"); // from 0.4 s to 0.5 s
    test_run(box, "sweep", "Engine.fmu", "--vary", "stop-time=0.2,1,0.3,2,0.4", "--step-size",
             "0.1", "-o", "out", "--jobs", "2", NULL);
    assert_one_error(box, 1, "2 of 5 variants failed; see out/manifest.csv");
    test_manifest m;
    test_manifest_read(box, "out/manifest.csv", &m);
    assert_int_equal(m.n_lines, 5);
    for (int i = 1; i <= 5; i += 2) assert_contains(m.lines[i], ",ok,0.");
    for (int i = 2; i <= 4; i += 2) {
        assert_contains(m.lines[i], ",failed,0.4,");
        assert_contains(m.lines[i], "component 'Engine' (Engine.fmu): crashed with SIGSEGV in "
                                    "fmi2DoStep at t=0.4 s");
    }
    assert_contains(box->out, "3 ok, 2 failed, 0 not run");
    test_manifest_clear(&m);
}

static void errors_and_slow_variants_are_recorded(void **state)
{
    test_sandbox *box = *state;
    test_link(box, "fmus", TEST_FMUS);
    test_write_text(box, "plan.csv",
                    "what\nnothing\nfatal\nslow\nnothing\nerror\nno_such_item\nnothing\n");
    test_run(box, "sweep", "plan.csv", "fmus/Misbehave.fmu", "--set", "delay=100", "--set",
             "when=0.5", "--stop-time", "1", "--step-size", "0.1", "-o", "out", "-j", "1",
             "--variant-timeout", "2", NULL);
    assert_exit(box, 1);
    test_manifest m;
    test_manifest_read(box, "out/manifest.csv", &m);
    assert_int_equal(m.n_lines, 7);
    assert_contains(m.lines[1], "1,ok,1,");
    assert_contains(m.lines[2], "2,failed,");
    assert_contains(m.lines[2], "fatal");
    assert_contains(m.lines[3], "took longer than 2 s (--variant-timeout); ended at t = ");
    assert_contains(m.lines[4], "4,ok,1,");
    assert_contains(m.lines[5], "5,failed,");
    assert_contains(m.lines[6], "no_such_item");
    assert_contains(m.lines[7], "7,ok,1,");
    test_manifest_clear(&m);
    test_write_text(box, "plan.csv",
                    "what\nnothing\nfatal\nslow\nnothing\nerror\nno_such_item\nnothing\n");
    test_run(box, "sweep", "plan.csv", "fmus/Misbehave.fmu", "--set", "delay=100", "--set",
             "when=0.5", "--stop-time", "1", "--step-size", "0.1", "-o", "out", "-j", "2",
             "--variant-timeout", "1", "--retry-failed", NULL);
    assert_exit(box, 1);
    test_manifest_read(box, "out/manifest.csv", &m);
    assert_int_equal(m.n_lines, 7);
    assert_contains(m.lines[3], "took longer than 1 s");
    test_manifest_clear(&m);
}

// The file has a warning of its own, and one step of one variant has two.
static void warnings_of_a_project_hide_none_of_its_variants(void **state)
{
    test_sandbox *box = *state;
    test_link(box, "fmus", TEST_FMUS);
    test_write_text(
        box, "odd.ssd",
        "<ssd:SystemStructureDescription xmlns:ssd=\"http://ssp-standard.org/SSP1/"
        "SystemStructureDescription\" version=\"7.0\" name=\"odd\"><ssd:System name=\"odd\">"
        "<ssd:Elements><ssd:Component name=\"M\" type=\"application/x-fmu-sharedlibrary\" "
        "source=\"fmus/Misbehave.fmu\"/></ssd:Elements></ssd:System>"
        "</ssd:SystemStructureDescription>\n");
    test_run(box, "sweep", "odd.ssd", "--vary", "M.what=warning,nothing", "--set", "M.when=1",
             "--stop-time", "1", "--step-size", "0.1", "-o", "out", "-q", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "the version of SSP is '7.0'");
    test_manifest m;
    test_manifest_read(box, "out/manifest.csv", &m);
    assert_contains(m.lines[1], ",2,M: logStatusWarning: the step from 0.9 to 1 is odd,warning");
    assert_contains(m.lines[2], ",0,,nothing");
    test_manifest_clear(&m);
}

static void wrong_plans_are_refused_with_their_lines(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "lotka_volterra");
    static const struct {
        const char *plan, *message;
        int exit_code;
    } cases[] = {
        {"", "plan.csv: is empty; the first line names the columns", 3},
        {"Prey.a\n", "plan.csv: has no variants, only the names of its columns", 3},
        {"Prey.a,Prey.a\n1,2\n", "plan.csv:1: error: there are two columns 'Prey.a'", 3},
        {"Prey.a,\n1,2\n", "plan.csv:1: error: column 2 has no name", 3},
        {"Prey.a,Prey.b\n0.1,0.2\n0.1\n",
         "plan.csv:3: error: has 1 cells, but there are 2 columns (line 1)", 3},
        {"Prey.a,Prey.b\n0.1,0.2\n\n0.1,\n", "plan.csv:4: error: the value of 'Prey.b' is missing",
         3},
        {"Prey.a\n\"0.1\n", "plan.csv:2: error: a quoted text does not end", 3},
        {"name,from,to,n\nPrey.a,0.1,0.2,2\nPrey.b,0.1,x,2\n",
         "plan.csv:3: error: 'x' is not a number", 3},
        {"name,from,to,n\nPrey.a,0.1,0.2,2\nPrey.a,0.1,0.2,2\n",
         "plan.csv:3: error: 'Prey.a' is varied twice, also by plan.csv:2", 3},
        {"name,from,to,m\nPrey.a,0.1,0.2,2\n",
         "plan.csv:1: error: a table of ranges has the columns name, from, to, n, scale", 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_write_text(box, "plan.csv", cases[i].plan);
        test_run(box, "sweep", "plan.csv", PREY, "-o", "out", NULL);
        assert_one_error(box, cases[i].exit_code, cases[i].message);
        assert_false(test_has_file(box, "out"));
    }
    test_write_text(box, "plan.csv", "Prey.a,Prey.wrong\n0.1,0.2\n");
    test_run(box, "sweep", "plan.csv", PREY, "-o", "out", NULL);
    assert_exit(box, 2);
    assert_contains(box->err, "component 'Prey' has no variable 'wrong'");
    assert_contains(box->err, "plan.csv:2: ");
    assert_false(test_has_file(box, "out"));
    test_run(box, "sweep", "none.csv", PREY, NULL);
    assert_one_error(box, 3, "cannot read none.csv: No such file or directory");
}

static void wrong_ranges_are_refused(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "lotka_volterra");
    static const struct {
        const char *vary, *message;
    } cases[] = {
        {"Prey.a", "--vary Prey.a: write NAME=FROM:TO:N"},
        {"=1:2:3", "the name of the value is missing"},
        {"Prey.a=1:2", "how many points? Write FROM:TO:N"},
        {"Prey.a=1:2:0", "'0' is not a number of points from 1 on"},
        {"Prey.a=1:2:2.5", "'2.5' is not a number of points from 1 on"},
        {"Prey.a=1:2:1", "one point cannot cover the range from 1 to 2"},
        {"Prey.a=1:2:3:4", "'4' is neither linear nor log"},
        {"Prey.a=-1:2:3:log", "a range with 'log' must not reach or cross 0"},
        {"Prey.a=1:2:3:log:5", "has too many parts"},
        {"Prey.a=1,,2", "a value of 'Prey.a' is missing"},
        {"Prey.a=inf:2:3", "'inf' is not a number"},
        {"Prey.a=1:2:99999999", "the grid has more than"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_run(box, "sweep", PREY, "--vary", "Prey.b=1,2,3", "--vary", cases[i].vary, NULL);
        assert_one_error(box, 2, cases[i].message);
    }
    test_run(box, "sweep", PREY, NULL);
    assert_one_error(box, 2, "nothing is varied");
    test_run(box, "sweep", PREY, "--vary", "Prey.a=1:2:3", "--keep", "max:Nobody.*", NULL);
    assert_one_error(box, 2, "--keep max:Nobody.*: no variable matches");
    test_run(box, "sweep", PREY, "--vary", "Prey.a=1:2:3", "--shard", "5/4", NULL);
    assert_one_error(box, 2, "--shard: '5/4' is not K/N");
    assert_false(test_has_file(box, "lotka_volterra-sweep"));
    test_link(box, "fmus", TEST_FMUS);
    test_run(box, "sweep", "fmus/Memory.fmu", "--vary", "n=1.2:1.8", "--sample", "3", NULL);
    assert_one_error(box, 2, "--vary n=1.2:1.8: there is no whole number between 1.2 and 1.8");
    test_run(box, "sweep", "fmus/Memory.fmu", "--vary", "n=1:99::log", "--sample", "3", NULL);
    assert_one_error(box, 2, "whole numbers are not sampled with 'log'");
}

static void a_changed_plan_is_not_resumed(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "lotka_volterra");
    test_write_text(box, "plan.csv", "Prey.a\n0.1\n0.2\n0.3\n");
    test_run(box, "sweep", "plan.csv", PREY, "-o", "out", "-q", "-j", "1", NULL);
    assert_exit(box, 0);
    test_run(box, "sweep", "plan.csv", PREY, "-o", "out", NULL);
    assert_one_error(box, 2, "out/manifest.csv: has results of this sweep; --resume goes on");
    test_write_text(box, "plan.csv", "Prey.a\n0.1\n0.25\n0.3\n");
    test_run(box, "sweep", "plan.csv", PREY, "-o", "out", "--resume", NULL);
    assert_one_error(box, 2,
                     "out/manifest.csv:3: error: variant 2 had Prey.a = 0.2, but the plan "
                     "(plan.csv, line 3) says 0.25");
    test_write_text(box, "plan.csv", "Prey.b\n0.1\n0.2\n0.3\n");
    test_run(box, "sweep", "plan.csv", PREY, "-o", "out", "--resume", NULL);
    assert_one_error(box, 2,
                     "out/manifest.csv:1: error: column 7 is 'Prey.a', in this sweep it would "
                     "be 'Prey.b'");
    test_write_text(box, "plan.csv", "Prey.a\n0.1\n0.2\n0.3\n");
    test_run(box, "sweep", "plan.csv", PREY, "-o", "out", "--resume", "--tolerance", "1e-3", NULL);
    assert_exit(box, 2);
    assert_contains(box->err, "error: the sweep was begun with 'setting tolerance: ");
    assert_contains(box->err, "now it is 'setting tolerance: 0.001'");
    test_run(box, "sweep", "plan.csv", PREY, "-o", "out", "--resume", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, "3 ok, 0 failed, 0 not run");
    // A value that ends in a space is still the same.
    test_link(box, "fmus", TEST_FMUS);
    for (int i = 0; i < 2; i++) {
        test_run(box, "sweep", "fmus/Misbehave.fmu", "--vary", "what=nothing ,nothing", "-o",
                 "spaces", "-q", i ? "--resume" : NULL, NULL);
        assert_exit(box, 0);
    }
}

// Values, tables and FMUs beside the project belong to what is resumed.
static void changed_side_files_are_not_resumed(void **state)
{
    test_sandbox *box = *state;
    static const char ssv[] =
        "<ssv:ParameterSet "
        "xmlns:ssv=\"http://ssp-standard.org/SSP1/SystemStructureParameterValues\" "
        "version=\"1.0\" name=\"v\"><ssv:Parameters><ssv:Parameter name=\"G.k\"><ssv:Real "
        "value=\"%d\"/></ssv:Parameter></ssv:Parameters></ssv:ParameterSet>\n";
    char values[512];
    test_link(box, "fmus", TEST_FMUS);
    test_run_program(box, "cp", TEST_FMUS "/Gain.fmu", "Gain.fmu", NULL);
    test_write_text(
        box, "side.ssd",
        "<ssd:SystemStructureDescription xmlns:ssd=\"http://ssp-standard.org/SSP1/"
        "SystemStructureDescription\" version=\"1.0\" name=\"side\"><ssd:System name=\"side\">"
        "<ssd:ParameterBindings><ssd:ParameterBinding source=\"side.ssv\"/></ssd:ParameterBindings>"
        "<ssd:Elements><ssd:Component name=\"G\" type=\"application/x-fmu-sharedlibrary\" "
        "source=\"Gain.fmu\"/></ssd:Elements></ssd:System></ssd:SystemStructureDescription>\n");
    const char *const words[] = {"--vary", "G.k=2,3,4", "--step-size", "0.1"};
    static const struct {
        const char *file, *content, *message; // a content with %d is that of the values
    } cases[] = {
        {NULL, NULL, NULL},
        {"side.ssv", ssv, "'value of G.k: 7'"},
        {"u.csv", "time,u\n0,0\n1,3\n", "component 'input'"},
        {"Gain.fmu", NULL, "component 'G'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(values, sizeof values, ssv, 5);
        test_write_text(box, "side.ssv", values);
        test_write_text(box, "u.csv", "time,u\n0,0\n1,2\n");
        snprintf(values, sizeof values, ssv, 7);
        if (cases[i].content)
            test_write_text(box, cases[i].file,
                            cases[i].content == ssv ? values : cases[i].content);
        else if (cases[i].file)
            test_run_program(box, "cp", TEST_FMUS "/Gain_fmi3.fmu", cases[i].file, NULL);
        test_run(box, "sweep", "side.ssd", words[0], words[1], words[2], words[3], "--input-file",
                 "u.csv", "-o", "out", "-q", "--resume", NULL);
        assert_exit(box, cases[i].file ? 2 : 0);
        if (!cases[i].file) continue;
        assert_contains(box->err, "out/definition.txt:");
        assert_contains(box->err, "the sweep was begun with '");
        assert_contains(box->err, cases[i].message);
    }
}

// ---- parts, kills ------------------------------------------------------------------------------------

static void parts_fill_one_manifest(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "lotka_volterra");
    static const char *const shards[] = {"1/3", "3/3", "2/3"};
    for (int i = 0; i < 3; i++) {
        test_run(box, "sweep", PREY, "--vary", "Prey.a=0.1:0.2:10", "-o", "out", "-q", "--shard",
                 shards[i], NULL);
        assert_exit(box, 0);
    }
    test_manifest m;
    test_manifest_read(box, "out/manifest.csv", &m);
    assert_int_equal(m.n_lines, 10);
    test_manifest_clear(&m);
    test_run(box, "sweep", PREY, "--vary", "Prey.a=0.1:0.2:10", "-o", "o'ut", "--emit", "slurm",
             "--chunks", "4", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, "#SBATCH --array=1-4\n");
    test_write_text(box, "job.sh", box->out);
    char link[TEST_PATH_SIZE];
    snprintf(link, sizeof link, "%s", TAKT_PROGRAM);
    *strrchr(link, '/') = 0;
    char path[2 * TEST_PATH_SIZE];
    for (int i = 1; i <= 4; i++) {
        snprintf(path, sizeof path, "PATH=\"$0:$PATH\" SLURM_ARRAY_TASK_ID=%d bash job.sh", i);
        test_run_program(box, "bash", "-c", path, link, NULL);
        assert_exit(box, 0);
    }
    test_manifest_read(box, "o'ut/manifest.csv", &m);
    assert_int_equal(m.n_lines, 10);
    test_manifest_clear(&m);
}

static void sleep_for(double seconds)
{
    struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
    nanosleep(&time, NULL);
}

// TAKT_TEST_KILLS=50 does it as often.
static void after_kills_every_variant_is_there_once(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "lotka_volterra");
    const char *const words[] = {"--vary", "Prey.a=0.05:0.2:300", "--keep", "max:Prey.x"};
    test_manifest undisturbed, m;
    test_run(box, "sweep", PREY, words[0], words[1], words[2], words[3], "-o", "a", "-q", NULL);
    assert_exit(box, 0);
    const char *asked = getenv("TAKT_TEST_KILLS");
    int n_kills = asked ? (int)strtol(asked, NULL, 10) : 8;
    unsigned random = 12345;
    for (int i = 0; i < n_kills; i++) {
        random = random * 1664525 + 1013904223;
        test_start(box, "sweep", PREY, words[0], words[1], words[2], words[3], "-o", "b", "-q",
                   "--resume", "--jobs", "2", NULL);
        sleep_for(0.2 * (random >> 8) / (1 << 24));
        kill(box->process, SIGKILL);
        test_wait(box);
    }
    // What is left of a line is no line.
    char *text = test_read_file(box, "b/manifest.csv", NULL);
    if (text) {
        FILE *file;
        char path[TEST_PATH_SIZE + 32];
        snprintf(path, sizeof path, "%s/b/manifest.csv", box->work);
        assert_non_null(file = fopen(path, "a"));
        fputs("299,ok,1", file);
        fclose(file);
    }
    free(text);
    for (int i = 0; i < 50; i++) { // workers of the killed process may hold the lock for a moment
        test_run(box, "sweep", PREY, words[0], words[1], words[2], words[3], "-o", "b", "-q",
                 "--resume", NULL);
        if (box->exit_code != 2) break;
        sleep_for(0.05);
    }
    assert_exit(box, 0);
    test_manifest_read(box, "a/manifest.csv", &undisturbed);
    test_manifest_read(box, "b/manifest.csv", &m);
    assert_int_equal(undisturbed.n_lines, 300);
    test_manifest_assert_same(&undisturbed, &m);
    test_manifest_clear(&m);
    test_manifest_clear(&undisturbed);
}

static void an_interrupted_sweep_says_how_to_go_on(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "lotka_volterra");
    test_start(box, "sweep", PREY, "--vary", "Prey.a=0.05:0.2:100000", "-o", "out", NULL);
    test_wait_for_lines(box, "out/manifest.csv", 10);
    kill(box->process, SIGTERM);
    test_wait(box);
    assert_exit(box, 130);
    assert_contains(box->err, "--resume goes on");
    assert_contains(box->out, " not run");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(results_are_those_of_single_runs),
        test_in_sandbox(extrema_means_and_integrals_are_kept),
        test_in_sandbox(samples_are_the_same_for_every_number_of_workers),
        test_in_sandbox(fresh_variants_do_not_see_those_before),
        test_in_sandbox(processes_with_traces_are_not_used_again),
        test_in_sandbox(a_crash_is_recorded_and_the_others_go_on),
        test_in_sandbox(errors_and_slow_variants_are_recorded),
        test_in_sandbox(warnings_of_a_project_hide_none_of_its_variants),
        test_in_sandbox(wrong_plans_are_refused_with_their_lines),
        test_in_sandbox(wrong_ranges_are_refused),
        test_in_sandbox(a_changed_plan_is_not_resumed),
        test_in_sandbox(changed_side_files_are_not_resumed),
        test_in_sandbox(parts_fill_one_manifest),
        test_in_sandbox(after_kills_every_variant_is_there_once),
        test_in_sandbox(an_interrupted_sweep_says_how_to_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
