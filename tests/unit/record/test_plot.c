// SPDX-License-Identifier: MIT
#include "support/test.h"

#include <unistd.h>

#include "base/text.h"
#include "record/plot_axis.h"
#include "record/plot_line.h"
#include "support/memory.h"
#include "takt/results.h"

// ---- axes ----------------------------------------------------------------------------------------

static void assert_labels(const takt_axis *axis, const char *expected)
{
    takt_text text = {0};
    for (int i = 0; i < axis->n_ticks; i++) {
        if (i) takt_text_add(&text, " ");
        takt_axis_add_label(&text, axis, i);
    }
    assert_string_equal(text.data, expected);
    takt_text_clear(&text);
}

static void ticks_are_round_numbers(void **state)
{
    (void)state;
    takt_axis axis = takt_axis_make(0.13, 0.97, 5, false);
    assert_labels(&axis, "0.2 0.4 0.6 0.8 1.0");
    assert_true(axis.low < 0.13 && axis.high > 0.97);
    axis = takt_axis_make(-3, 3, 5, false);
    assert_labels(&axis, "-2 0 2");
    axis = takt_axis_make(0, 1, 5, true);
    assert_labels(&axis, "0 1");
    axis = takt_axis_make(300.0001, 300.0004, 5, false);
    assert_labels(&axis, "300.0001 300.0002 300.0003 300.0004");
    axis = takt_axis_make(101000, 101600, 4, false);
    assert_int_equal(axis.exponent, 3);
    assert_labels(&axis, "101.0 101.2 101.4 101.6");
    axis = takt_axis_make(0, 3e-9, 4, false);
    assert_int_equal(axis.exponent, -9);
    assert_labels(&axis, "0 1 2 3");
}

static void values_that_are_all_the_same_have_an_axis(void **state)
{
    (void)state;
    const double values[] = {0, 5, -1e300, 1e-300, 300, 5e-324};
    for (int i = 0; i < 6; i++) {
        takt_axis axis = takt_axis_make(values[i], values[i], 5, false);
        assert_true(axis.low < values[i] && axis.high > values[i]);
        assert_true(axis.n_ticks >= 1 && axis.n_ticks < 20);
    }
}

static void axes_of_the_largest_and_least_numbers_are_finite(void **state)
{
    (void)state;
    takt_axis axis = takt_axis_make(-1.79e308, 1.79e308, 5, false);
    assert_true(isfinite(axis.high - axis.low));
    assert_labels(&axis, "-50 0 50");
    assert_int_equal(axis.exponent, 306);
    axis = takt_axis_make(-5e-324, 5e-324, 5, false);
    assert_true(axis.step > 0 && axis.n_ticks >= 1 && isfinite(takt_axis_tick(&axis, 0)));
}

static void times_have_a_unit_that_suits_the_interval(void **state)
{
    (void)state;
    static const struct {
        double stop;
        const char *unit, *labels;
    } cases[] = {
        {10, "s", "0 2 4 6 8 10"},    {3600, "min", "0 15 30 45 60"},
        {86400, "h", "0 6 12 18 24"}, {7 * 86400, "d", "0 2 4 6"},
        {0.01, "ms", "0 2 4 6 8 10"}, {2e-5, "\u00b5s", "0 5 10 15 20"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        takt_axis axis = takt_axis_make_time(0, cases[i].stop, 5);
        assert_string_equal(axis.unit, cases[i].unit);
        assert_labels(&axis, cases[i].labels);
    }
    takt_axis axis = takt_axis_make_time(5, 5, 5);
    assert_true(axis.high > axis.low);
}

static void numbers_are_written_with_fixed_decimals(void **state)
{
    (void)state;
    takt_text text = {0};
    const double values[] = {0, -0.04, 12.34, -7.25, 1e20, 0.96};
    for (int i = 0; i < 6; i++) {
        takt_text_add_fixed(&text, values[i], 1);
        takt_text_add(&text, " ");
    }
    assert_string_equal(text.data, "0.0 0.0 12.3 -7.3 1e+20 1.0 ");
    takt_text_clear(&text);
}

// ---- lines ---------------------------------------------------------------------------------------

static void assert_line(const double (*points)[2], int n, const char *expected)
{
    takt_text text = {0};
    takt_line line = {.out = &text};
    for (int i = 0; i < n; i++) takt_line_add(&line, points[i][0], points[i][1]);
    takt_line_end(&line);
    assert_string_equal(text.data ? text.data : "", expected);
    takt_text_clear(&text);
}

static void a_point_alone_is_a_dot(void **state)
{
    (void)state;
    assert_line((const double[][2]){{10, 5}}, 1, "M10.0 5.0h2");
    assert_line((const double[][2]){{0, 5}, {3, NAN}, {6, 5}, {9, 7}}, 4,
                "M0.0 5.0h2M6.0 5.0L9.0 7.0");
}

static void lines_keep_what_can_be_seen(void **state)
{
    (void)state;
    assert_line((const double[][2]){{0, 1}, {10, 2}, {20, 0}}, 3, "M0.0 1.0L10.0 2.0L20.0 0.0");
    // the same height: only the ends
    assert_line((const double[][2]){{0, 1}, {5, 1}, {9, 1}, {20, 1}}, 4, "M0.0 1.0L20.0 1.0");
    // a jump in the middle of a column of pixels stays vertical
    assert_line((const double[][2]){{0, 5}, {7.2, 5}, {7.5, 5}, {7.5, 1}, {7.9, 1}, {9, 1}}, 6,
                "M0.0 5.0L7.5 5.0L7.5 1.0L9.0 1.0");
    // an interruption
    assert_line((const double[][2]){{0, 1}, {1, 2}, {2, NAN}, {3, 4}, {4, 5}}, 5,
                "M0.0 1.0L1.0 2.0M3.0 4.0L4.0 5.0");
    assert_line(NULL, 0, "");
    // of many points in a column the lowest and the highest remain
    assert_line((const double[][2]){{3.0, 5}, {3.2, 9}, {3.4, 6}, {3.6, 1}, {3.8, 4}, {8, 4}}, 6,
                "M3.0 5.0L3.2 9.0L3.6 1.0L3.8 4.0L8.0 4.0");
}

static void a_million_points_are_a_small_line(void **state)
{
    (void)state;
    takt_text text = {0};
    takt_line line = {.out = &text};
    for (int i = 0; i < 1000000; i++) takt_line_add(&line, 700e-6 * i, 100 + 50 * sin(i));
    takt_line_end(&line);
    assert_true(text.length < 700 * 4 * 14);
    assert_true(text.length > 700 * 2 * 8);
    takt_text_clear(&text);
}

// ---- pictures ------------------------------------------------------------------------------------

typedef struct fixture {
    char csv[256], svg[256], side[256];
    takt_error err;
} fixture;

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void prepare(fixture *f, const char *text)
{
    const char *folder = getenv("TMPDIR");
    memset(f, 0, sizeof *f);
    snprintf(f->csv, sizeof f->csv, "%s/plot-%ld.csv", folder ? folder : "/tmp", (long)getpid());
    snprintf(f->svg, sizeof f->svg, "%s/plot-%ld.svg", folder ? folder : "/tmp", (long)getpid());
    snprintf(f->side, sizeof f->side, "%.240s.json", f->csv);
    write_file(f->csv, text);
}

static void clean(fixture *f)
{
    unlink(f->csv);
    unlink(f->svg);
    unlink(f->side);
}

// The picture as text; owned by the caller.
static char *draw(fixture *f, const takt_plot_options *options)
{
    if (takt_plot(f->csv, f->svg, options, NULL, &f->err)) fail_msg("%s", f->err.message);
    FILE *file = fopen(f->svg, "r");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    size_t size = fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    assert_true(size > 0);
    return text;
}

static int count(const char *text, const char *piece)
{
    int n = 0;
    for (const char *p = text; (p = strstr(p, piece)); p += strlen(piece)) n++;
    return n;
}

#define TABLE                                                                                      \
    "time,Tank.h [m],Tank.T [K],Pipe.T [K],Pipe.on\n"                                              \
    "0,0,300,310,0\n1,1,301,311,1\n2,4,302,309,1\n"

static void panels_have_headings_axes_and_legends(void **state)
{
    (void)state;
    fixture f;
    prepare(&f, TABLE);
    char *svg = draw(&f, NULL);
    assert_int_equal(count(svg, "class=\"frame\""), 3); // m, K, none
    assert_contains(svg, ">h [m]</text>");
    assert_contains(svg, ">T [K]</text>");
    assert_contains(svg, ">on</text>");
    assert_contains(svg, ">time [s]</text>");
    assert_contains(svg, ">Tank.h<title>Tank.h</title>");
    assert_contains(svg, "#0072b2");
    assert_contains(svg, "#d55e00");
    assert_contains(svg, "<title>plot-");
    assert_true(count(svg, "<svg") == 1 && count(svg, "</svg>") == 1);
    free(svg);
    clean(&f);
}

static void columns_are_grouped_as_asked(void **state)
{
    (void)state;
    fixture f;
    prepare(&f, TABLE);
    const struct {
        takt_panels panels;
        int n;
    } cases[] = {{TAKT_PANELS_AUTO, 3},      {TAKT_PANELS_UNIT, 3}, {TAKT_PANELS_NAME, 3},
                 {TAKT_PANELS_COMPONENT, 2}, {TAKT_PANELS_EACH, 4}, {TAKT_PANELS_ONE, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        takt_plot_options options = takt_plot_options_default();
        options.panels = cases[i].panels;
        options.title = "a < b & \"c\"";
        char *svg = draw(&f, &options);
        assert_int_equal(count(svg, "class=\"frame\""), cases[i].n);
        assert_contains(svg, "a &lt; b &amp; &quot;c&quot;");
        free(svg);
    }
    clean(&f);
}

static void columns_are_chosen_by_patterns(void **state)
{
    (void)state;
    fixture f;
    prepare(&f, TABLE);
    const char *patterns[] = {"*.T", "Tank.h"};
    takt_plot_options options = takt_plot_options_default();
    options.columns = patterns;
    options.n_columns = 2;
    char *svg = draw(&f, &options);
    assert_int_equal(count(svg, "<title>"), 1 + 3);
    assert_null(strstr(svg, "Pipe.on"));
    free(svg);
    patterns[1] = "Tnk.h";
    assert_int_equal(takt_plot(f.csv, f.svg, &options, NULL, &f.err), TAKT_ERR_USAGE);
    assert_contains(f.err.message, "has no column 'Tnk.h'; did you mean 'Tank.h'?");
    clean(&f);
}

// A line a thousand times as large as another one hides it; Booleans and whole numbers are apart from both.
static void columns_without_a_unit_share_a_panel_only_where_they_fit(void **state)
{
    (void)state;
    fixture f;
    prepare(&f, "time,A.a,A.b,A.large,A.on,A.h [m]\n0,1,2,50000,0,1\n1,1.5,2.5,51000,1,2\n");
    char *svg = draw(&f, NULL);
    assert_int_equal(count(svg, "class=\"frame\""), 4);
    assert_contains(svg, ">a, b</text>");
    assert_contains(svg, ">large</text>");
    assert_contains(svg, ">on</text>");
    // Of four panels each has the time at its bottom, and "0" and "1" as ends of it.
    assert_int_equal(count(svg, "class=\"middle\">1.0</text>"), 4);
    free(svg);
    clean(&f);
}

// Peaks of one row among many thousands are seen, in a file of several portions.
static void peaks_stay_visible_however_many_rows_there_are(void **state)
{
    (void)state;
    fixture f;
    takt_text text = {0};
    takt_text_add(&text, "time,x\n");
    for (int i = 0; i < 300000; i++)
        takt_text_print(&text, "%d,%s\n", i, i == 123456 ? "100" : i == 234567 ? "-100" : "0");
    prepare(&f, text.data);
    takt_text_clear(&text);
    char *svg = draw(&f, NULL);
    const char *path = strstr(svg, "class=\"curve\"");
    double low = 1e9, high = -1e9;
    assert_non_null(path);
    for (const char *p = strchr(strstr(path, " d="), 'M'); p && *p != '"';) {
        char *end;
        strtod(p + 1, &end);
        double y = strtod(end, &end);
        if (y < low) low = y;
        if (y > high) high = y;
        p = end;
    }
    assert_true(high - low > 0.8 * 150); // of the height of a panel
    assert_true(strlen(svg) < 10000);
    free(svg);
    clean(&f);
}

static void hundreds_of_columns_become_several_pictures(void **state)
{
    (void)state;
    fixture f;
    takt_text text = {0};
    takt_text_add(&text, "time");
    for (int i = 0; i < 200; i++) takt_text_print(&text, ",A%d.x", i);
    for (int k = 0; k < 2; k++) {
        takt_text_print(&text, "\n%d", k);
        for (int i = 0; i < 200; i++) takt_text_print(&text, ",%d", i + k + 2);
    }
    takt_text_add(&text, "\n");
    prepare(&f, text.data);
    takt_text_clear(&text);
    char *svg = draw(&f, NULL);
    assert_contains(svg, " (1 of 3)");
    assert_int_equal(count(svg, "class=\"curve\""), 2 * 84); // lines, and those of the legend
    free(svg);
    for (int page = 2; page <= 3; page++) {
        char path[300];
        snprintf(path, sizeof path, "%.*s-%d.svg", (int)strlen(f.svg) - 4, f.svg, page);
        assert_int_equal(access(path, R_OK), 0);
        unlink(path);
    }
    assert_int_equal(takt_plot(f.csv, "-", NULL, NULL, &f.err), TAKT_ERR_USAGE);
    assert_contains(f.err.message, "200 columns need 3 pictures");
    clean(&f);
}

static void the_side_file_gives_units_and_types(void **state)
{
    (void)state;
    fixture f;
    prepare(&f, "time,A.x,A.n\n0,1,1\n1,2,5\n");
    write_file(f.side,
               "{\"columns\": [{\"name\": \"A.x\", \"unit\": \"kg\", \"description\": \"mass\"},"
               "{\"name\": \"A.n\", \"type\": \"Int32\"}, {\"name\": 7}, {}]}");
    char *svg = draw(&f, NULL);
    assert_contains(svg, ">x [kg]</text>");
    assert_contains(svg, "<title>A.x: mass</title>");
    free(svg);
    write_file(f.side, "{\"columns\": 5");
    svg = draw(&f, NULL); // a side file that cannot be used is passed over
    assert_null(strstr(svg, "kg"));
    free(svg);
    clean(&f);
}

static void titles_in_other_encodings_leave_the_picture_readable(void **state)
{
    (void)state;
    fixture f;
    prepare(&f, TABLE);
    takt_plot_options options = takt_plot_options_default();
    options.title = "K\xfchler"; // Latin-1
    char *svg = draw(&f, &options);
    assert_contains(svg, "<title>K_hler</title>");
    assert_true(takt_utf8_is_valid(svg));
    free(svg);
    clean(&f);
}

static void whole_numbers_are_drawn_as_steps(void **state)
{
    (void)state;
    fixture f;
    prepare(&f, "time,A.on\n0,0\n1,0\n2,1\n");
    char *svg = draw(&f, NULL);
    const char *curve = strstr(svg, "class=\"curve\"");
    const char *d = strstr(curve, "d=\"");
    assert_int_equal(count(svg, "class=\"curve\""), 2); // and the legend
    int n = 0;
    for (const char *p = d; *p != '>'; p++) n += *p == 'L';
    assert_int_equal(n, 2); // along at 0, up at t = 2
    free(svg);
    clean(&f);
}

// Each has a lane with its least and largest value beside it; discrete values are steps as well.
static void whole_numbers_have_lanes(void **state)
{
    (void)state;
    fixture f;
    prepare(&f, "time,A.n,A.on,A.mode,A.y,A.p [Pa],A.q [Pa]\n0,0,0,7,1,100000,1\n"
                "1,5000000,1,7,2,100001,2\n2,-3,1,7,3,100000,1\n");
    char side[300];
    snprintf(side, sizeof side, "%s.json", f.csv);
    write_file(side, "{\"columns\":[{\"name\":\"A.n\",\"type\":\"Int32\"},"
                     "{\"name\":\"A.on\",\"type\":\"Boolean\"},"
                     "{\"name\":\"A.mode\",\"type\":\"Enumeration\"},"
                     "{\"name\":\"A.y\",\"type\":\"Float64\",\"variability\":\"discrete\"}]}");
    char *svg = draw(&f, NULL);
    unlink(side);
    assert_contains(svg, ">n, on, mode</text>");
    assert_contains(svg, "height=\"96\"/>"); // lanes of 38, 18 and 38 pixels
    assert_contains(svg, ">5.00e6</text>");
    assert_contains(svg, ">-3</text>");
    assert_contains(svg, ">7</text>");
    // Columns of a unit share a panel unless one hides the other.
    assert_contains(svg, ">p [Pa]");
    assert_contains(svg, ">q [Pa]");
    int n_corners = 0; // of the line of y: along, up, along, up
    const char *path =
        strstr(svg, "class=\"curve\""); // the three lanes and their legends stand before it
    for (int i = 0; i < 6; i++) path = strstr(path + 1, "class=\"curve\"");
    for (const char *c = path; *c != '>'; c++) n_corners += *c == 'L';
    assert_int_equal(n_corners, 4);
    free(svg);
    clean(&f);
}

static void what_cannot_be_drawn_is_reported(void **state)
{
    (void)state;
    fixture f;
    test_log log;
    test_log_init(&log);
    prepare(&f, "time,s,x\n0,\"a\",nan\n1,\"b\",inf\n");
    assert_int_equal(takt_plot(f.csv, f.svg, NULL, log.log, &f.err), TAKT_OK);
    assert_contains(log.text, "warn: s holds text and is not shown");
    takt_plot_options options = takt_plot_options_default();
    options.width = 10;
    assert_int_equal(takt_plot(f.csv, f.svg, &options, NULL, &f.err), TAKT_ERR_USAGE);
    assert_contains(f.err.message, "a plot cannot be 10 pixels wide");
    write_file(f.csv, "time,s\n0,\"a\"\n");
    assert_int_equal(takt_plot(f.csv, f.svg, NULL, NULL, &f.err), TAKT_ERR_INPUT);
    assert_contains(f.err.message, "has no numbers to show");
    takt_text wide = {0};
    takt_text_add(&wide, "time");
    for (int i = 0; i < 2001; i++) takt_text_print(&wide, ",x%d", i);
    takt_text_add(&wide, "\n");
    write_file(f.csv, wide.data);
    assert_int_equal(takt_plot(f.csv, f.svg, NULL, NULL, &f.err), TAKT_ERR_USAGE);
    assert_contains(f.err.message, "2001 columns are too many for pictures, 2000 are possible");
    takt_text_clear(&wide);
    write_file(f.csv, "time,x\n");
    assert_int_equal(takt_plot(f.csv, f.svg, NULL, NULL, &f.err), TAKT_OK); // empty, but no failure
    assert_int_equal(takt_plot(f.csv, "/nowhere/a.svg", NULL, NULL, &f.err), TAKT_ERR_OUTPUT);
    test_log_clear(&log);
    clean(&f);
}

static void plot(void *context)
{
    fixture *f = context;
    takt_error err = {0};
    takt_status st = takt_plot(f->csv, f->svg, NULL, NULL, &err);
    if (st) assert_int_equal(st, TAKT_ERR_MEMORY);
}

static void exhausted_memory_is_reported(void **state)
{
    (void)state;
    fixture f;
    prepare(&f, TABLE);
    assert_true(test_memory_fail_each(plot, &f) > 10);
    clean(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_are_round_numbers),
        cmocka_unit_test(values_that_are_all_the_same_have_an_axis),
        cmocka_unit_test(a_point_alone_is_a_dot),
        cmocka_unit_test(axes_of_the_largest_and_least_numbers_are_finite),
        cmocka_unit_test(times_have_a_unit_that_suits_the_interval),
        cmocka_unit_test(numbers_are_written_with_fixed_decimals),
        cmocka_unit_test(lines_keep_what_can_be_seen),
        cmocka_unit_test(a_million_points_are_a_small_line),
        cmocka_unit_test(panels_have_headings_axes_and_legends),
        cmocka_unit_test(columns_are_grouped_as_asked),
        cmocka_unit_test(columns_are_chosen_by_patterns),
        cmocka_unit_test(the_side_file_gives_units_and_types),
        cmocka_unit_test(columns_without_a_unit_share_a_panel_only_where_they_fit),
        cmocka_unit_test(peaks_stay_visible_however_many_rows_there_are),
        cmocka_unit_test(hundreds_of_columns_become_several_pictures),
        cmocka_unit_test(titles_in_other_encodings_leave_the_picture_readable),
        cmocka_unit_test(whole_numbers_are_drawn_as_steps),
        cmocka_unit_test(whole_numbers_have_lanes),
        cmocka_unit_test(what_cannot_be_drawn_is_reported),
        cmocka_unit_test(exhausted_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
