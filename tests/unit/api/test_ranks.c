// SPDX-License-Identifier: MIT
// A simulation whose FMUs are in another process, over a pair of sockets: messages for several FMUs travel as one, with the same results, bit by bit;
// whoever hangs, crashes or talks much among them is the one who is named.
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"
#include "takt/ranks.h"

enum { N_FMUS = 40, N_TOGETHER = 16 }; // as many messages travel as one

/// One end of the line.
typedef struct line {
    int socket, other, n_sent; // other: the rank at the other end
    char *room;
    size_t capacity;
} line;

static int send_all(void *context, int rank, const takt_piece *pieces, int n_pieces)
{
    line *own = context;
    (void)rank;
    uint64_t size = 0;
    for (int i = 0; i < n_pieces; i++) size += pieces[i].size;
    own->n_sent++;
    if (write(own->socket, &size, sizeof size) != sizeof size) return 1;
    for (int i = 0; i < n_pieces; i++)
        for (size_t at = 0; at < pieces[i].size;) {
            ssize_t n = write(own->socket, (const char *)pieces[i].data + at, pieces[i].size - at);
            if (n <= 0) return 1;
            at += (size_t)n;
        }
    return 0;
}

static bool read_all(int socket, char *data, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t n = read(socket, data + at, size - at);
        if (n <= 0) return false;
        at += (size_t)n;
    }
    return true;
}

static int receive(void *context, int *rank, void **data, size_t *size)
{
    line *own = context;
    uint64_t n;
    struct pollfd file = {.fd = own->socket, .events = POLLIN};
    if (poll(&file, 1, 0) != 1 || !read_all(own->socket, (char *)&n, sizeof n)) return 0;
    if (n > own->capacity) {
        own->room = realloc(own->room, n);
        own->capacity = n;
    }
    if (!own->room || !read_all(own->socket, own->room, n)) return 0;
    *rank = own->other;
    *data = own->room;
    *size = n;
    return 1;
}

static void rest(void *context, double waited)
{
    (void)context;
    if (waited > 1e-3) usleep(100);
}

static int is_ending(void *context)
{
    (void)context;
    return 0;
}

static const char *host(void *context, int rank)
{
    (void)context, (void)rank;
    return "here";
}

/// The other process and the way to it.
typedef struct pair {
    line own;
    takt_transport transport;
    takt_ranks *ranks;
    pid_t process;
} pair;

static takt_transport transport_of(line *own, int rank)
{
    return (takt_transport){.size = sizeof(takt_transport),
                            .context = own,
                            .rank = rank,
                            .n_ranks = 2,
                            .send = send_all,
                            .receive = receive,
                            .rest = rest,
                            .is_ending = is_ending,
                            .host = host};
}

static void open_pair(pair *out)
{
    int sockets[2];
    takt_error err = {0};
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    *out = (pair){.own = {.socket = sockets[0], .other = 1}, .process = fork()};
    if (out->process == 0) {
        line other = {.socket = sockets[1], .other = 0};
        close(sockets[0]);
        prctl(PR_SET_PDEATHSIG, SIGKILL); // nothing remains of a test that fails
        const takt_transport transport = transport_of(&other, 1);
        takt_status st = takt_ranks_serve(&transport, &err);
        free(other.room);
        _exit(st != TAKT_OK);
    }
    close(sockets[1]);
    assert_true(out->process > 0);
    out->transport = transport_of(&out->own, 0);
    assert_int_equal(takt_ranks_create(&out->transport, &out->ranks, &err), TAKT_OK);
}

// `status`: how the other process has ended.
static void close_pair(pair *p, int *status)
{
    takt_ranks_destroy(p->ranks);
    close(p->own.socket);
    assert_int_equal(waitpid(p->process, status, 0), p->process);
    free(p->own.room);
}

static const takt_component_rank *all_on_rank_1(void)
{
    static char names[N_FMUS][16];
    static takt_component_rank list[N_FMUS];
    for (int i = 0; i < N_FMUS; i++) {
        snprintf(names[i], sizeof names[i], "c%d", i);
        list[i] = (takt_component_rank){names[i], 1};
    }
    return list;
}

// FMUs side by side, c0 to c39; they form a ring if `output` is the name of theirs.
static void prepare(fixture *f, const char *fmu, const char *output)
{
    begin(f);
    for (int i = 0; i < N_FMUS; i++) add(f, all_on_rank_1()[i].component, fmu);
    for (int i = 0; i < N_FMUS && output; i++) {
        char from[32], to[32];
        snprintf(from, sizeof from, "c%d.%s", i, output);
        snprintf(to, sizeof to, "c%d.u", (i + 1) % N_FMUS);
        assert_ok(f, takt_project_connect(f->project, from, to, &f->err));
    }
    set(f, "algorithm", "jacobi");
    set(f, "step-size", "0.1");
    set(f, "stop-time", "1");
}

static void start_on(fixture *f, pair *p)
{
    assert_ok(f, takt_system_create_on(f->project, p->ranks, all_on_rank_1(), N_FMUS, &f->system,
                                       &f->err));
    start(f);
    assert_ok(f, takt_run_initialize(f->run, &f->err));
}

static void one_message_is_for_several_fmus(void **state)
{
    (void)state;
    fixture here, there;
    pair p;
    int status;
    takt_progress progress;
    open_pair(&p);
    prepare(&here, FMU("Lag"), "x");
    prepare(&there, FMU("Lag"), "x");
    assert_ok(&here, takt_project_set_value(here.project, "c0.x=2", &here.err));
    assert_ok(&there, takt_project_set_value(there.project, "c0.x=2", &there.err));
    start(&here);
    assert_ok(&here, takt_run_initialize(here.run, &here.err));
    start_on(&there, &p);
    for (int i = 0; i < 10; i++) {
        int before = p.own.n_sent;
        assert_ok(&here, takt_run_step(here.run, &progress, &here.err));
        assert_ok(&there, takt_run_step(there.run, &progress, &there.err));
        // The first steps ask for outputs one by one, until it is known which are read.
        if (i > 1) assert_int_equal(p.own.n_sent - before, (N_FMUS + N_TOGETHER - 1) / N_TOGETHER);
    }
    for (int i = 0; i < N_FMUS; i++) {
        char name[32];
        snprintf(name, sizeof name, "c%d.x", i);
        double x = read_one(&here, name), y = read_one(&there, name);
        assert_memory_equal(&x, &y, sizeof x);
    }
    end(&here);
    end(&there);
    close_pair(&p, &status);
    assert_int_equal(status, 0);
}

// Runs FMUs of which one misbehaves from 0.5 s on. Fails with `message`, or succeeds where that is NULL.
static void misbehave(fixture *f, pair *p, const char *what, const char *message)
{
    char text[64];
    open_pair(p);
    prepare(f, FMU("Misbehave"), NULL);
    snprintf(text, sizeof text, "c7.what=%s", what);
    assert_ok(f, takt_project_set_value(f->project, text, &f->err));
    assert_ok(f, takt_project_set_value(f->project, "c7.when=0.5", &f->err));
    assert_ok(f, takt_project_set_value(f->project, "c7.delay=3", &f->err));
    set(f, "timeout", "0.5");
    start_on(f, p);
    takt_progress progress = TAKT_RUNNING;
    takt_status st = TAKT_OK;
    while (!st && progress == TAKT_RUNNING) st = takt_run_step(f->run, &progress, &f->err);
    assert_int_equal(st != TAKT_OK, message != NULL);
    if (message) assert_contains(f->err.message, message);
}

// The answers of those before it do not wait for it.
static void who_hangs_among_several_is_named(void **state)
{
    (void)state;
    fixture f;
    pair p;
    int status;
    misbehave(&f, &p, "slow", "'c7' at t=0.4 s");
    assert_true(takt_ranks_have_failed(p.ranks));
    kill(p.process, SIGKILL);
    end(&f);
    close_pair(&p, &status);
}

static void who_fails_among_several_is_named(void **state)
{
    (void)state;
    fixture f;
    pair p;
    int status;
    misbehave(&f, &p, "error", "'c7' at t=0.4 s");
    end(&f);
    close_pair(&p, &status);
    assert_int_equal(status, 0);
}

// Its log fills the room for it: rank 0 reads that in between, while questions for others wait.
static void who_talks_much_among_several_is_heard(void **state)
{
    (void)state;
    fixture f;
    pair p;
    int status;
    misbehave(&f, &p, "log_much", NULL);
    assert_true(takt_problem_list_count(f.problems) > 1000);
    end(&f);
    close_pair(&p, &status);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_message_is_for_several_fmus),
        cmocka_unit_test(who_hangs_among_several_is_named),
        cmocka_unit_test(who_fails_among_several_is_named),
        cmocka_unit_test(who_talks_much_among_several_is_heard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
