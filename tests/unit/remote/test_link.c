// SPDX-License-Identifier: MIT
// Rank 0 and what other ranks may say: whatever it is, nobody waits for ever, and the reason is told.
#include "remote/link.h"

#include "base/thread.h"
#include "remote/worker.h"
#include "support/test.h"

/// The other ranks: what they say lies here.
typedef struct mail {
    struct {
        int rank;
        size_t size;
        char data[sizeof(takt_rank_head) + sizeof(takt_region_note) + 64];
    } letters[64];
    int n_letters, n_read, n_sent;
    int n_ends;
    bool is_ending;
} mail;

static int send(void *context, int rank, const takt_piece *pieces, int n_pieces)
{
    (void)rank, (void)pieces, (void)n_pieces;
    ((mail *)context)->n_sent++;
    return 0;
}

static int receive(void *context, int *rank, void **data, size_t *size)
{
    mail *m = context;
    if (m->n_read == m->n_letters) return 0;
    *rank = m->letters[m->n_read].rank;
    *data = m->letters[m->n_read].data;
    *size = m->letters[m->n_read].size;
    m->n_read++;
    return 1;
}

static void rest(void *context, double waited)
{
    (void)context, (void)waited;
}

static int is_ending(void *context)
{
    return ((mail *)context)->is_ending;
}

static const char *host(void *context, int rank)
{
    (void)context;
    return rank == 1 ? "one" : "other";
}

static void note_end(void *context, int rank)
{
    ((mail *)context)->n_ends += rank;
}

static void post(mail *m, int rank, int kind, int number, int64_t model, const void *data,
                 size_t size)
{
    const takt_rank_head head = {.kind = kind, .number = number, .model = model};
    assert_in_range(m->n_letters, 0, 63);
    assert_true(sizeof head + size <= sizeof m->letters[0].data);
    m->letters[m->n_letters].rank = rank;
    m->letters[m->n_letters].size = sizeof head + size;
    memcpy(m->letters[m->n_letters].data, &head, sizeof head);
    if (size) memcpy(m->letters[m->n_letters].data + sizeof head, data, size);
    m->n_letters++;
}

static takt_ranks *create(mail *m)
{
    const takt_transport transport = {.size = sizeof transport,
                                      .context = m,
                                      .n_ranks = 3,
                                      .send = send,
                                      .receive = receive,
                                      .rest = rest,
                                      .is_ending = is_ending,
                                      .host = host,
                                      .end = note_end};
    takt_ranks *ranks;
    takt_error err = {0};
    assert_int_equal(takt_ranks_create(&transport, &ranks, &err), TAKT_OK);
    return ranks;
}

// A worker on a rank, which has been asked something.
static takt_worker begin(takt_ranks *ranks, mail *m, int rank)
{
    takt_worker worker;
    takt_error err = {0};
    post(m, rank, TAKT_RANK_DONE, 0, TAKT_OK, NULL, 0);
    assert_int_equal(takt_worker_start_on(&worker, ranks, rank, 0, &err), TAKT_OK);
    takt_room room = takt_worker_room(&worker);
    takt_worker_send(&worker, room.at);
    return worker;
}

static void answers_arrive(void **state)
{
    (void)state;
    mail m = {0};
    takt_ranks *ranks = create(&m);
    takt_worker a = begin(ranks, &m, 1), b = begin(ranks, &m, 2);
    const takt_rank_answer answer = {.motion_order = 3};
    post(&m, 2, TAKT_RANK_ANSWER, b.number, 0, &answer, sizeof answer); // in another order
    post(&m, 1, TAKT_RANK_ANSWER, a.number, 0, &answer, sizeof answer);
    assert_int_equal(takt_link_wait(ranks, a.number, INFINITY), TAKT_LINK_ANSWERED);
    assert_int_equal(takt_link_wait(ranks, b.number, INFINITY), TAKT_LINK_ANSWERED);
    assert_int_equal(a.region->motion_order, 3);
    assert_false(takt_ranks_have_failed(ranks));
    takt_worker_clear(&a);
    takt_worker_clear(&b);
    takt_ranks_destroy(ranks);
}

// Questions for workers of one rank wait for each other, up to a number, until somebody waits for any answer, or they shall go.
static void questions_travel_together(void **state)
{
    (void)state;
    mail m = {0};
    takt_ranks *ranks = create(&m);
    takt_worker workers[TAKT_PARCEL_MESSAGES + 1], other = begin(ranks, &m, 2);
    for (int i = 0; i <= TAKT_PARCEL_MESSAGES; i++) {
        int before = m.n_sent;
        workers[i] = begin(ranks, &m, 1);
        assert_int_equal(m.n_sent - before, 2); // START, and before it what has waited
    }
    takt_link_depart(ranks);
    int before = m.n_sent;
    takt_link_depart(ranks);
    assert_int_equal(m.n_sent, before);
    for (int i = 0; i <= TAKT_PARCEL_MESSAGES; i++) takt_link_send(ranks, workers[i].number);
    assert_int_equal(m.n_sent, before + 1); // the first ones have gone
    takt_link_send(ranks, other.number);
    assert_int_equal(m.n_sent, before + 1);
    const takt_rank_answer answer = {0};
    post(&m, 2, TAKT_RANK_ANSWER, other.number, 0, &answer, sizeof answer);
    assert_int_equal(takt_link_wait(ranks, other.number, INFINITY), TAKT_LINK_ANSWERED);
    assert_int_equal(m.n_sent, before + 3); // one to each rank
    for (int i = 0; i <= TAKT_PARCEL_MESSAGES; i++) takt_worker_clear(&workers[i]);
    takt_worker_clear(&other);
    takt_ranks_destroy(ranks);
}

static void failures_of_a_rank_are_passed_on(void **state)
{
    (void)state;
    mail m = {0};
    takt_ranks *ranks = create(&m);
    takt_error err = {0};
    int model;
    bool is_here;
    static const char text[] = "no such file";
    post(&m, 2, TAKT_RANK_DONE, 0, TAKT_ERR_INPUT, text, strlen(text));
    assert_int_equal(takt_link_open(ranks, 2, &(takt_bytes){0}, &model, &is_here, &err),
                     TAKT_ERR_INPUT);
    assert_string_equal(err.message, "rank 2 on host other: no such file");
    assert_false(takt_ranks_have_failed(ranks));
    takt_ranks_destroy(ranks);
}

// The rank has not found the FMU: its file follows.
static void fmus_that_a_rank_does_not_see_are_brought(void **state)
{
    (void)state;
    mail m = {0};
    takt_ranks *ranks = create(&m);
    takt_error err = {0};
    int model;
    bool is_here = true;
    post(&m, 1, TAKT_RANK_DONE, 0, TAKT_OK, NULL, 0);
    assert_int_equal(takt_link_open(ranks, 1, &(takt_bytes){0}, &model, &is_here, &err), TAKT_OK);
    assert_false(is_here);
    post(&m, 1, TAKT_RANK_DONE, 0, TAKT_OK, NULL, 0);
    assert_int_equal(takt_link_bring(ranks, 1, model, "package", 7, &err), TAKT_OK);
    post(&m, 1, TAKT_RANK_DONE, 1, TAKT_OK, NULL, 0);
    assert_int_equal(takt_link_open(ranks, 1, &(takt_bytes){0}, &model, &is_here, &err), TAKT_OK);
    assert_true(is_here);
    takt_ranks_destroy(ranks);
}

/// A message that makes no sense, to a question for worker `number` on rank 1.
typedef struct nonsense {
    int rank, kind, number;
    size_t size;
    takt_rank_answer answer;
} nonsense;

static void senseless_messages_are_not_waited_behind(void **state)
{
    (void)state;
    const size_t whole = sizeof(takt_rank_answer);
    const nonsense cases[] = {
        {1, TAKT_RANK_ANSWER, 0, 3, {0}},
        {1, TAKT_RANK_ANSWER, 7, whole, {0}},
        {1, TAKT_RANK_ANSWER, -1, whole, {0}},
        {1, TAKT_RANK_ANSWER, 1, whole, {0}}, // a worker of rank 2
        {1, TAKT_RANK_ANSWER, 0, whole, {.answer_size = 1}},
        {1, TAKT_RANK_ANSWER, 0, whole, {.log_size = UINT64_MAX}},
        {1, TAKT_RANK_ANSWER, 0, whole, {.answer_size = UINT64_MAX, .log_size = 1}},
        {1, TAKT_RANK_CRASHED, 0, 5, {0}},
        {1, TAKT_RANK_DONE, 0, 0, {0}}, // to no question
        {1, TAKT_RANK_SENSELESS, 0, 0, {0}}, // we have sent nonsense ourselves
        {1, TAKT_RANK_OPEN, 0, 0, {0}},
        {1, 12345, 0, 0, {0}},
        {1, TAKT_RANK_PARCEL, 0, 0, {0}}, // without messages
        {1, TAKT_RANK_PARCEL, -1, 0, {0}},
        {1, TAKT_RANK_PARCEL, 2, 3, {0}}, // with less than it says
        {1, TAKT_RANK_PARCEL, 1, whole, {.log_size = TAKT_RANK_ANSWER, .status = 1 << 20}},
        {1, TAKT_RANK_PARCEL, 1, whole, {.log_size = TAKT_RANK_ANSWER, .status = 4}},
        {1, TAKT_RANK_PARCEL, 1, whole, {.log_size = TAKT_RANK_CRASHED}},
        {1, TAKT_RANK_PARCEL, INT32_MAX, whole, {.log_size = UINT64_MAX}}, // one in another
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mail m = {0};
        takt_ranks *ranks = create(&m);
        takt_worker a = begin(ranks, &m, 1), b = begin(ranks, &m, 2);
        takt_error err = {0};
        post(&m, cases[i].rank, cases[i].kind, cases[i].number, 0, &cases[i].answer, cases[i].size);
        const takt_rank_answer answer = {0};
        post(&m, 2, TAKT_RANK_ANSWER, b.number, 0, &answer, sizeof answer);
        takt_room room;
        assert_int_equal(takt_worker_receive(&a, INFINITY, NULL, &room, &err), TAKT_ERR_CRASH);
        assert_string_equal(err.message,
                            "its process (rank 1 on host one) has sent what makes no sense; an FMU "
                            "there has probably written over memory that is not its own");
        assert_int_equal(takt_link_wait(ranks, b.number, INFINITY), TAKT_LINK_ANSWERED);
        assert_true(takt_ranks_have_failed(ranks));
        takt_worker_clear(&a);
        takt_worker_clear(&b);
        takt_ranks_destroy(ranks);
    }
}

// Not even a head.
static void an_empty_message_fails_a_question(void **state)
{
    (void)state;
    mail m = {0};
    takt_ranks *ranks = create(&m);
    takt_error err = {0};
    int model;
    bool is_here;
    post(&m, 1, TAKT_RANK_DONE, 0, 0, NULL, 0);
    m.letters[0].size = 4;
    assert_int_equal(takt_link_open(ranks, 1, &(takt_bytes){0}, &model, &is_here, &err),
                     TAKT_ERR_CRASH);
    assert_string_equal(err.message, "rank 1 on host one has sent what makes no sense");
    takt_ranks_destroy(ranks);
}

static void crashes_and_ends_are_taken(void **state)
{
    (void)state;
    mail m = {0};
    takt_ranks *ranks = create(&m);
    takt_worker a = begin(ranks, &m, 1);
    takt_error err = {0};
    takt_room room;
    takt_region_note note = {.how = "SIGFPE"};
    post(&m, 2, TAKT_RANK_ENDING, 0, 0, NULL, 0);
    post(&m, 1, TAKT_RANK_CRASHED, a.number, 0, &note, sizeof note);
    assert_int_equal(takt_worker_receive(&a, INFINITY, NULL, &room, &err), TAKT_ERR_CRASH);
    assert_string_equal(err.message, "crashed with SIGFPE (rank 1 on host one)");
    assert_int_equal(m.n_ends, 2);
    takt_worker_clear(&a);
    takt_ranks_destroy(ranks);
}

// ---- threads -------------------------------------------------------------------------------------

/// Someone who waits for a worker of rank 1.
typedef struct waiter {
    takt_ranks *ranks;
    int number;
    takt_link_signal signal;
} waiter;

static void wait_for(void *context)
{
    waiter *w = context;
    w->signal = takt_link_wait(w->ranks, w->number, INFINITY);
}

// Whoever takes the message, all who wait hear of it.
static void a_rank_that_fails_is_seen_by_all_threads(void **state)
{
    (void)state;
    mail m = {0};
    takt_ranks *ranks = create(&m);
    takt_worker workers[4];
    waiter waiters[4];
    takt_thread threads[4];
    for (int i = 0; i < 4; i++) {
        workers[i] = begin(ranks, &m, 1);
        waiters[i] = (waiter){.ranks = ranks, .number = workers[i].number};
    }
    post(&m, 1, TAKT_RANK_CRASHED, -1, 0, NULL, 0);
    for (int i = 0; i < 4; i++) assert_true(takt_thread_start(&threads[i], wait_for, &waiters[i]));
    for (int i = 0; i < 4; i++) {
        takt_thread_join(&threads[i]);
        assert_int_equal(waiters[i].signal, TAKT_LINK_GONE);
        takt_worker_clear(&workers[i]);
    }
    takt_ranks_destroy(ranks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_arrive),
        cmocka_unit_test(questions_travel_together),
        cmocka_unit_test(failures_of_a_rank_are_passed_on),
        cmocka_unit_test(fmus_that_a_rank_does_not_see_are_brought),
        cmocka_unit_test(senseless_messages_are_not_waited_behind),
        cmocka_unit_test(an_empty_message_fails_a_question),
        cmocka_unit_test(crashes_and_ends_are_taken),
        cmocka_unit_test(a_rank_that_fails_is_seen_by_all_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
