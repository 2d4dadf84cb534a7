// SPDX-License-Identifier: MIT
// The cost of a step: a chain of FMUs, stepped by Takt or by a bare loop that does nothing but set one
// input, step and read one output of each. Only differences between runs of different length mean
// something: they leave out the start. tools/bench.py counts instructions and compares.
//
//     bench_step bare STEPS FMUS FOLDER     FOLDER: the unpacked FMU Gain
//     bench_step bare3 STEPS FMUS FOLDER    the same of FMI 3.0
//     bench_step takt STEPS FMUS FILE.fmu   a chain
//     bench_step ring STEPS FMUS FILE.fmu   a ring, so that all of them form one loop
//     bench_step futex STEPS 1 -            no FMU: two processes wake each other, what isolation cannot do without
//     bench_step spin STEPS 1 -             no FMU: the same without sleep, on two processors
//     bench_step pair STEPS TURNS -         no FMU: two processes do what two FMUs Busy with so many turns do, step by step
#include <dlfcn.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fmi/fmi2.h"
#include "fmi/fmi3.h"
#include "takt/takt.h"

enum { MAX_FMUS = 20000 };
static const double H = 0.001; // s

// ---- bare loop -------------------------------------------------------------------------------------

static void no_log(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status,
                   fmi2String category, fmi2String message, ...)
{
    (void)environment, (void)name, (void)status, (void)category, (void)message;
}

#define LOAD(function) function##TYPE *function = (function##TYPE *)dlsym(library, #function)

// The GUID stands in the description; value references are those of its order.
static bool read_guid(const char *folder, const char *attribute, char *guid, size_t size)
{
    char path[1024], text[4096] = "";
    snprintf(path, sizeof path, "%s/modelDescription.xml", folder);
    FILE *file = fopen(path, "r");
    if (!file) return false;
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    const char *begin = strstr(text, attribute);
    if (begin) begin += strlen(attribute) + 2; // ="
    const char *end = begin ? strchr(begin, '"') : NULL;
    if (!end || (size_t)(end - begin) >= size) return false;
    snprintf(guid, size, "%.*s", (int)(end - begin), begin);
    return true;
}

static int run_bare(long n_steps, int n_fmus, const char *folder)
{
    char path[1024], guid[128];
    snprintf(path, sizeof path, "%s/binaries/linux64/Gain.so", folder);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library || !read_guid(folder, "guid", guid, sizeof guid)) return 1;
    LOAD(fmi2Instantiate);
    LOAD(fmi2SetupExperiment);
    LOAD(fmi2EnterInitializationMode);
    LOAD(fmi2ExitInitializationMode);
    LOAD(fmi2SetReal);
    LOAD(fmi2DoStep);
    LOAD(fmi2GetReal);
    static fmi2Component components[MAX_FMUS];
    static double y[MAX_FMUS + 1];
    fmi2CallbackFunctions callbacks = {no_log, calloc, free, NULL, NULL};
    for (int i = 0; i < n_fmus; i++) {
        components[i] = fmi2Instantiate("g", fmi2CoSimulation, guid, "file:///", &callbacks,
                                        fmi2False, fmi2False);
        if (!components[i]) return 1;
        fmi2SetupExperiment(components[i], fmi2False, 0, 0, fmi2False, 0);
        fmi2EnterInitializationMode(components[i]);
        fmi2ExitInitializationMode(components[i]);
    }
    const fmi2ValueReference input = 0, output = 1;
    for (long n = 0; n < n_steps; n++) {
        for (int i = 0; i < n_fmus; i++) {
            fmi2SetReal(components[i], &input, 1, &y[i]);
            if (fmi2DoStep(components[i], (double)n * H, H, fmi2True) != fmi2OK) return 1;
            fmi2GetReal(components[i], &output, 1, &y[i + 1]);
        }
    }
    return 0;
}

static void no_log3(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                    fmi3String message)
{
    (void)environment, (void)status, (void)category, (void)message;
}

static int run_bare3(long n_steps, int n_fmus, const char *folder)
{
    char path[1024], token[128];
    snprintf(path, sizeof path, "%s/binaries/x86_64-linux/Gain.so", folder);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library || !read_guid(folder, "instantiationToken", token, sizeof token)) return 1;
    LOAD(fmi3InstantiateCoSimulation);
    LOAD(fmi3EnterInitializationMode);
    LOAD(fmi3ExitInitializationMode);
    LOAD(fmi3SetFloat64);
    LOAD(fmi3DoStep);
    LOAD(fmi3GetFloat64);
    static fmi3Instance instances[MAX_FMUS];
    static double y[MAX_FMUS + 1];
    for (int i = 0; i < n_fmus; i++) {
        instances[i] = fmi3InstantiateCoSimulation("g", token, NULL, false, false, false, false,
                                                   NULL, 0, NULL, no_log3, NULL);
        if (!instances[i]) return 1;
        fmi3EnterInitializationMode(instances[i], false, 0, 0, false, 0);
        fmi3ExitInitializationMode(instances[i]);
    }
    const fmi3ValueReference input = 0, output = 1;
    for (long n = 0; n < n_steps; n++) {
        for (int i = 0; i < n_fmus; i++) {
            bool has_event, terminates, is_early;
            double last;
            fmi3SetFloat64(instances[i], &input, 1, &y[i], 1);
            if (fmi3DoStep(instances[i], (double)n * H, H, true, &has_event, &terminates, &is_early,
                           &last) != fmi3OK)
                return 1;
            fmi3GetFloat64(instances[i], &output, 1, &y[i + 1], 1);
        }
    }
    return 0;
}

// ---- Takt ------------------------------------------------------------------------------------------

static void write_project(FILE *file, int n_fmus, bool is_ring, const char *fmu)
{
    fputs("<ssd:SystemStructureDescription version='1.0' name='chain' "
          "xmlns:ssd='http://ssp-standard.org/SSP1/SystemStructureDescription'>\n"
          "<ssd:System name='s'><ssd:Elements>\n",
          file);
    for (int i = 0; i < n_fmus; i++)
        fprintf(file, "<ssd:Component name='c%d' source='%s'/>\n", i, fmu);
    fputs("</ssd:Elements><ssd:Connections>\n", file);
    for (int i = 1; i < n_fmus + is_ring; i++)
        fprintf(file,
                "<ssd:Connection startElement='c%d' startConnector='y' endElement='c%d' "
                "endConnector='u'/>\n",
                i - 1, i % n_fmus);
    fputs("</ssd:Connections></ssd:System></ssd:SystemStructureDescription>\n", file);
}

static void tell(void *context, const takt_message *message)
{
    (void)context;
    fprintf(stderr, "%s\n", message->text);
}

static takt_status simulate(const char *project_file, long n_steps, bool is_ring, takt_error *err)
{
    takt_log *log = takt_log_create(TAKT_LEVEL_WARN, tell, NULL);
    takt_project *project = NULL;
    takt_system *system = NULL;
    takt_run *run = NULL;
    char stop[32];
    snprintf(stop, sizeof stop, "%.17g", (double)n_steps * H);
    takt_status st = takt_project_open(project_file, log, &project, err);
    if (!st) st = takt_project_set(project, "step-size", "0.001", err);
    if (!st) st = takt_project_set(project, "stop-time", stop, err);
    if (!st) st = takt_project_set(project, "algorithm", "seidel", err);
    // A ring of gains of 1 has no unique solution at the start, and is refused.
    if (!st && is_ring) st = takt_project_set_value(project, "c0.k=0.5", err);
    if (!st) st = takt_system_create(project, &system, err);
    if (!st) st = takt_run_create(system, &run, err);
    if (!st) st = takt_run_initialize(run, err);
    takt_progress progress = TAKT_RUNNING;
    while (!st && n_steps > 0 && progress == TAKT_RUNNING) st = takt_run_step(run, &progress, err);
    takt_run_destroy(run);
    takt_system_destroy(system);
    takt_project_close(project);
    takt_log_destroy(log);
    return st;
}

static int run_takt(long n_steps, int n_fmus, bool is_ring, const char *fmu)
{
    char path[] = "/tmp/takt_bench_XXXXXX.ssd";
    int fd = mkstemps(path, 4);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!file) return 1;
    write_project(file, n_fmus, is_ring, fmu);
    fclose(file);
    takt_error err = {0};
    takt_status st = simulate(path, n_steps, is_ring, &err);
    remove(path);
    if (st) fprintf(stderr, "%s\n", err.message);
    return st ? 1 : 0;
}

// ---- two processes -----------------------------------------------------------------------------------

static bool never_sleeps;

static void post(atomic_uint *counter)
{
    atomic_fetch_add(counter, 1);
    if (!never_sleeps) syscall(SYS_futex, counter, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void wait_beyond(atomic_uint *counter, unsigned seen)
{
    while (never_sleeps && atomic_load(counter) == seen) sched_yield();
    while (atomic_load(counter) == seen)
        syscall(SYS_futex, counter, FUTEX_WAIT, seen, NULL, NULL, 0);
}

// A process that is asked for steps, and answers.
typedef struct partner {
    _Alignas(64) atomic_uint asked;
    _Alignas(64) atomic_uint answered;
    double result;
} partner;

// What a step of the FMU Busy does.
static double work(double state, int n_turns)
{
    double h = H / n_turns;
    for (int i = 0; i < n_turns; i++) state += h * (1 - state);
    return state;
}

_Noreturn static void answer_all(partner *at, long n_steps, int n_turns)
{
    for (long i = 0; i < n_steps; i++) {
        wait_beyond(&at->asked, (unsigned)i);
        if (n_turns) at->result = work(at->result, n_turns);
        post(&at->answered);
    }
    _exit(0);
}

// So many processes are asked, all at once, and waited for.
static int run_partners(long n_steps, int n_partners, int n_turns)
{
    partner *all = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) return 1;
    for (int i = 0; i < n_partners; i++) {
        pid_t other = fork();
        if (other < 0) return 1;
        if (other == 0) answer_all(&all[i], n_steps, n_turns);
    }
    for (long step = 0; step < n_steps; step++) {
        for (int i = 0; i < n_partners; i++) post(&all[i].asked);
        for (int i = 0; i < n_partners; i++) wait_beyond(&all[i].answered, (unsigned)step);
    }
    int n_ended = 0;
    while (wait(NULL) > 0) n_ended++;
    return n_ended == n_partners ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc != 5) return 2;
    long n_steps = strtol(argv[2], NULL, 10);
    int n_fmus = (int)strtol(argv[3], NULL, 10);
    if (strcmp(argv[1], "pair") == 0) return run_partners(n_steps, 2, n_fmus);
    if (n_steps < 0 || n_fmus < 1 || n_fmus > MAX_FMUS) return 2;
    never_sleeps = strcmp(argv[1], "spin") == 0;
    if (never_sleeps || strcmp(argv[1], "futex") == 0) return run_partners(n_steps, 1, 0);
    if (strcmp(argv[1], "bare3") == 0) return run_bare3(n_steps, n_fmus, argv[4]);
    if (strcmp(argv[1], "bare") == 0) return run_bare(n_steps, n_fmus, argv[4]);
    return run_takt(n_steps, n_fmus, strcmp(argv[1], "ring") == 0, argv[4]);
}
