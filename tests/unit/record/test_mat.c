// SPDX-License-Identifier: MIT
#define ENDING ".mat"
#include "unit/record/writer_fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "record/mat_format.h"
#include "record/mat_reader.h"
#include "record/results.h"
#include "support/memory.h"

static takt_table *read_back(fixture *f)
{
    takt_table *table = NULL;
    if (takt_mat_read(f->path, &table, &f->err)) fail_msg("%s", f->err.message);
    return table;
}

static const takt_table_column *column(const takt_table *table, const char *name)
{
    int i = takt_map_find(&table->names, name);
    if (i < 0) fail_msg("there is no column %s", name);
    return &table->columns[i];
}

// ---- writing -------------------------------------------------------------------------------------

static void what_is_written_is_read_back(void **state)
{
    (void)state;
    fixture f;
    prepare(&f);
    add(&f, "x", TAKT_FLOAT64);
    add(&f, "n", TAKT_INT32);
    add(&f, "big", TAKT_UINT64);
    add(&f, "k", TAKT_FLOAT64);
    f.variables[0].unit = "m";
    f.variables[0].description = "level";
    f.variables[1].description = "[no unit here]";
    f.variables[3].variability = TAKT_FIXED;
    f.variables[3].causality = TAKT_PARAMETER;
    open_writer(&f);
    f.y.integer[1] = -1;
    f.y.real[1] = 42;
    for (int i = 0; i < 3; i++) {
        f.y.real[0] = 1.0 / (i + 3);
        f.y.integer[0] = i - 1;
        assert_int_equal(row(&f, 0.5 * (i > 0 ? 1 : 0)), TAKT_OK);
    }
    assert_int_equal(finish(&f), TAKT_OK);
    takt_table *table = read_back(&f);
    assert_int_equal(table->n_columns, 5);
    assert_int_equal(table->n_rows, 3);
    assert_string_equal(table->columns[0].name, "time");
    assert_near(table->columns[0].numbers[2], 0.5, 0);
    assert_true(column(table, "Part.x")->numbers[2] == 1.0 / 5);
    assert_string_equal(column(table, "Part.x")->unit, "m");
    assert_string_equal(column(table, "Part.x")->description, "level");
    assert_string_equal(column(table, "Part.n")->description, "[no unit here]");
    assert_near(column(table, "Part.n")->numbers[0], -1, 0);
    assert_near(column(table, "Part.big")->numbers[0], 18446744073709551615.0, 0);
    assert_near(column(table, "Part.k")->numbers[1], 42, 0);
    takt_table_destroy(table);
    clean(&f);
}

// One matrix of a MAT file of version 4, taken apart by hand: five little-endian numbers, the name, the
// values column by column. Written from the format alone, so that it shares nothing with our reader.
typedef struct raw_matrix {
    uint32_t type, n_rows, n_columns, is_complex, name_length;
    const char *name;
    const unsigned char *data;
} raw_matrix;

static raw_matrix next_matrix(const unsigned char **at, const unsigned char *end)
{
    raw_matrix m;
    assert_true(end - *at >= 20);
    memcpy(&m, *at, 20);
    m.name = (const char *)*at + 20;
    m.data = *at + 20 + m.name_length;
    // The tens digit of the type says what a number is: double, float, int32, int16, uint16, uint8.
    static const size_t sizes[] = {8, 4, 4, 2, 2, 1};
    assert_true(m.type / 10 < 6 && m.type % 10 <= 1 && m.is_complex == 0);
    *at = m.data + sizes[m.type / 10] * m.n_rows * m.n_columns;
    assert_true(*at <= end);
    assert_int_equal(m.name[m.name_length - 1], 0);
    return m;
}

static void the_bytes_are_those_of_the_layout_of_dymola(void **state)
{
    (void)state;
    fixture f;
    prepare(&f);
    add(&f, "x", TAKT_FLOAT64);
    add(&f, "k", TAKT_FLOAT64);
    f.variables[1].variability = TAKT_FIXED;
    f.variables[1].causality = TAKT_PARAMETER;
    open_writer(&f);
    f.y.real[1] = 42;
    for (int i = 0; i < 3; i++) {
        f.y.real[0] = 10 + i;
        assert_int_equal(row(&f, 0.5 * i), TAKT_OK);
    }
    assert_int_equal(finish(&f), TAKT_OK);
    unsigned char bytes[4096];
    FILE *file = fopen(f.path, "rb");
    assert_non_null(file);
    const unsigned char *at = bytes, *end = bytes + fread(bytes, 1, sizeof bytes, file);
    fclose(file);

    raw_matrix m = next_matrix(&at, end);
    assert_string_equal(m.name, "Aclass");
    assert_int_equal(m.n_rows, 4);
    static const char class_rows[][12] = {"Atrajectory", "1.1", "", "binTrans"};
    for (uint32_t r = 0; r < 4; r++)
        for (uint32_t c = 0; c < strlen(class_rows[r]); c++)
            assert_int_equal(m.data[c * 4 + r], class_rows[r][c]);
    m = next_matrix(&at, end);
    assert_string_equal(m.name, "name");
    assert_int_equal(m.n_columns, 3); // transposed: a name is a column
    assert_memory_equal(m.data, "time", 4);
    assert_memory_equal(m.data + m.n_rows, "Part.x", 6);
    m = next_matrix(&at, end);
    assert_string_equal(m.name, "description");
    m = next_matrix(&at, end);
    assert_string_equal(m.name, "dataInfo");
    assert_int_equal(m.type, 20);
    int32_t info[12];
    assert_int_equal(m.n_rows * m.n_columns, 12);
    memcpy(info, m.data, sizeof info);
    assert_int_equal(info[1], 1); // time is the first row of data_2
    assert_true(info[4] == 2 && info[5] == 2); // x is its second
    assert_int_equal(info[8], 1); // k is in data_1
    raw_matrix constants = next_matrix(&at, end);
    assert_string_equal(constants.name, "data_1");
    double k;
    memcpy(&k, constants.data + sizeof k * (size_t)(info[9] - 1), sizeof k);
    assert_true(k == 42);
    m = next_matrix(&at, end);
    assert_string_equal(m.name, "data_2");
    assert_int_equal(m.n_rows, 2);
    assert_int_equal(m.n_columns, 3);
    static const double expected[] = {0, 10, 0.5, 11, 1, 12};
    assert_memory_equal(m.data, expected, sizeof expected);
    assert_ptr_equal(at, end);
    clean(&f);
}

static void constants_are_kept_once_and_memory_does_not_grow(void **state)
{
    (void)state;
    fixture f;
    prepare(&f);
    add(&f, "x", TAKT_FLOAT64);
    add(&f, "k", TAKT_FLOAT64);
    f.variables[1].variability = TAKT_CONSTANT;
    open_writer(&f);
    struct stat before, after;
    assert_int_equal(stat(f.path, &before), 0);
    long n = test_memory_count();
    for (int i = 0; i < 100000; i++) assert_int_equal(row(&f, i), TAKT_OK);
    assert_int_equal(test_memory_count(), n);
    assert_int_equal(finish(&f), TAKT_OK);
    assert_int_equal(stat(f.path, &after), 0);
    assert_int_equal(after.st_size - before.st_size, 100000 * 2 * 8); // time and x
    clean(&f);
}

static void a_file_is_valid_while_it_grows(void **state)
{
    (void)state;
    fixture f;
    prepare(&f);
    add(&f, "x", TAKT_FLOAT64);
    open_writer(&f);
    takt_table *table = read_back(&f);
    assert_int_equal(table->n_rows, 0);
    assert_int_equal(table->n_columns, 2);
    takt_table_destroy(table);
    for (int i = 0; i < 10; i++) assert_int_equal(row(&f, i), TAKT_OK);
    int seen = 0;
    for (int i = 0; i < 100 && seen < 10; i++) { // half a second, unless the machine is busy
        usleep(100 * 1000);
        table = read_back(&f);
        seen = table->n_rows;
        if (seen) assert_near(table->columns[0].numbers[seen - 1], seen - 1, 0);
        takt_table_destroy(table);
    }
    assert_int_equal(seen, 10);
    assert_int_equal(finish(&f), TAKT_OK);
    clean(&f);
}

static void texts_are_left_out_with_a_warning(void **state)
{
    (void)state;
    fixture f;
    test_log log;
    prepare(&f);
    test_log_init(&log);
    f.system.log = log.log;
    add(&f, "s", TAKT_STRING);
    add(&f, "x", TAKT_FLOAT64);
    add(&f, "t", TAKT_STRING);
    open_writer(&f);
    f.y.real[0] = 3;
    assert_int_equal(row(&f, 0), TAKT_OK);
    assert_int_equal(finish(&f), TAKT_OK);
    assert_contains(log.text,
                    "warn: MAT files hold no text: Part.s and other columns are left out of "
                    "the results; CSV has everything");
    takt_table *table = read_back(&f);
    assert_int_equal(table->n_columns, 2);
    assert_near(column(table, "Part.x")->numbers[0], 3, 0);
    takt_table_destroy(table);
    test_log_clear(&log);
    clean(&f);
}

// A limit on the size of files fails a write in the middle of a row, as a full disk does.
static void results_stay_valid_when_the_disk_fills_up(void **state)
{
    (void)state;
    fixture f;
    prepare(&f);
    for (int i = 0; i < 7; i++) {
        static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g"};
        add(&f, names[i], TAKT_FLOAT64);
    }
    open_writer(&f);
    struct rlimit before, limit;
    getrlimit(RLIMIT_FSIZE, &before);
    limit = (struct rlimit){.rlim_cur = 1000 * 1000 + 13, .rlim_max = before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    takt_status st = TAKT_OK;
    for (int i = 0; i < 10000000 && !st; i++) st = row(&f, i);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(st, TAKT_ERR_OUTPUT);
    assert_int_equal(finish(&f), TAKT_OK);
    takt_table *table = read_back(&f);
    char expected[128];
    snprintf(expected, sizeof expected, "File too large; the rows up to t = %d s are valid",
             table->n_rows - 1);
    assert_contains(f.err.message, expected);
    assert_true(table->n_rows > 15000 && table->n_rows < 15625);
    assert_near(table->columns[0].numbers[table->n_rows - 1], table->n_rows - 1, 0);
    takt_table_destroy(table);
    clean(&f);
}

static void pipes_and_missing_folders_are_refused(void **state)
{
    (void)state;
    fixture f;
    prepare(&f);
    assert_int_equal(mkfifo(f.path, 0600), 0);
    int reader = open(f.path, O_RDONLY | O_NONBLOCK);
    assert_int_equal(takt_results_writer_open(&f.plan, f.path, &f.writer, &f.err), TAKT_ERR_OUTPUT);
    assert_contains(f.err.message, "results of this kind need a file, not a pipe");
    close(reader);
    assert_int_equal(takt_results_writer_open(&f.plan, "/nowhere/a.mat", &f.writer, &f.err),
                     TAKT_ERR_OUTPUT);
    assert_contains(f.err.message, "/nowhere/a.mat: cannot create the file for results");
    clean(&f);
}

static void open_and_close(void *context)
{
    fixture *f = context;
    takt_observer *writer = NULL;
    takt_error err = {0};
    takt_status st = takt_results_writer_open(&f->plan, f->path, &writer, &err);
    if (st) {
        assert_int_equal(st, TAKT_ERR_MEMORY);
        assert_contains(err.message, "memory");
    } else {
        writer->type->destroy(writer);
    }
}

static void exhausted_memory_is_reported_on_opening(void **state)
{
    (void)state;
    fixture f;
    prepare(&f);
    add(&f, "x", TAKT_FLOAT64);
    f.variables[0].unit = "m";
    assert_true(test_memory_fail_each(open_and_close, &f) > 8);
    clean(&f);
}

// ---- reading -------------------------------------------------------------------------------------

static char *load(const char *name, size_t *size)
{
    char path[512];
    snprintf(path, sizeof path, TAKT_EXAMPLES "/../tests/fuzz/corpus/mat/%s", name);
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("%s is missing", path);
    char *data = calloc(1, 1 << 16);
    *size = fread(data, 1, 1 << 16, file);
    fclose(file);
    return data;
}

static void both_ways_round_and_single_precision_are_read(void **state)
{
    (void)state;
    const char *const files[] = {"transposed.mat", "normal.mat", "single.mat", "trailing.mat"};
    for (int i = 0; i < 4; i++) {
        size_t size;
        char *data = load(files[i], &size);
        takt_table *table = NULL;
        takt_error err = {0};
        if (takt_mat_parse(files[i], data, size, &table, &err)) fail_msg("%s", err.message);
        free(data);
        assert_int_equal(table->n_columns, 4);
        assert_int_equal(table->n_rows, 4);
        const double t[] = {0, 1, 1, 2}, x[] = {1, 2, 5, 6};
        for (int k = 0; k < 4; k++) {
            assert_near(table->columns[0].numbers[k], t[k], 0);
            assert_near(column(table, "A.x")->numbers[k], x[k], 0);
            assert_near(column(table, "A.k")->numbers[k], 7, 0); // a constant
            assert_near(column(table, "B.y")->numbers[k], -x[k], 0); // an alias with a sign
        }
        assert_string_equal(table->columns[0].name, "time");
        assert_string_equal(column(table, "A.x")->unit, "m");
        assert_string_equal(column(table, "A.x")->description, "level");
        assert_null(column(table, "A.k")->unit);
        takt_table_destroy(table);
    }
}

static void assert_refused(const char *data, size_t size, const char *message)
{
    takt_table *table = NULL;
    takt_error err = {0};
    assert_int_equal(takt_mat_parse("a.mat", data, size, &table, &err), TAKT_ERR_INPUT);
    assert_null(table);
    assert_contains(err.message, message);
}

static void damaged_files_are_refused_with_the_reason(void **state)
{
    (void)state;
    static const struct {
        const char *file, *message;
    } cases[] = {
        {"cut.mat", "a.mat: the file ends within the matrix that starts at byte 352"},
        {"back.mat", "a.mat: row 3: the time goes back from 2 to 1"},
        {"info.mat", "a.mat: dataInfo says nothing useful about variable number 2"},
        {"not_mat.mat", "is it no MAT file of level 4?"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t size;
        char *data = load(cases[i].file, &size);
        assert_refused(data, size, cases[i].message);
        free(data);
    }
    assert_refused("", 0, "a.mat: the file is empty");
    takt_mat_head head = {.type = 1000, .name_size = 1};
    assert_refused((char *)&head, sizeof head, "in the byte order of x86");
    head = (takt_mat_head){.type = 0, .is_complex = 1, .name_size = 1};
    assert_refused((char *)&head, sizeof head, "a matrix is complex");
    head = (takt_mat_head){.n_rows = -1, .name_size = 1};
    assert_refused((char *)&head, sizeof head, "the head of a matrix is damaged");
    head = (takt_mat_head){.n_rows = INT32_MAX, .n_columns = INT32_MAX, .name_size = 1};
    char with_name[sizeof head + 1] = {0};
    memcpy(with_name, &head, sizeof head);
    assert_refused(with_name, sizeof with_name, "the file ends within the matrix");
}

typedef struct loaded {
    char *data;
    size_t size;
} loaded;

static void parse(void *context)
{
    const loaded *l = context;
    takt_table *table = NULL;
    takt_error err = {0};
    takt_status st = takt_mat_parse("a.mat", l->data, l->size, &table, &err);
    if (st) assert_int_equal(st, TAKT_ERR_MEMORY);
    takt_table_destroy(table);
}

static void exhausted_memory_is_reported_on_reading(void **state)
{
    (void)state;
    loaded l;
    l.data = load("transposed.mat", &l.size);
    assert_true(test_memory_fail_each(parse, &l) > 2);
    free(l.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(the_bytes_are_those_of_the_layout_of_dymola),
        cmocka_unit_test(constants_are_kept_once_and_memory_does_not_grow),
        cmocka_unit_test(a_file_is_valid_while_it_grows),
        cmocka_unit_test(texts_are_left_out_with_a_warning),
        cmocka_unit_test(results_stay_valid_when_the_disk_fills_up),
        cmocka_unit_test(pipes_and_missing_folders_are_refused),
        cmocka_unit_test(exhausted_memory_is_reported_on_opening),
        cmocka_unit_test(both_ways_round_and_single_precision_are_read),
        cmocka_unit_test(damaged_files_are_refused_with_the_reason),
        cmocka_unit_test(exhausted_memory_is_reported_on_reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
