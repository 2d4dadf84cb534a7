// SPDX-License-Identifier: MIT
// Pictures: the graph of a system, and results as SVG, PNG and PDF.
#include <dlfcn.h>

#include "support/command.h"

#define MATH003 TAKT_EXAMPLES "/math003/math003.ssd"

static void the_graph_is_drawn_with_ports_loops_and_order(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "graph", MATH003, "--format", "svg", NULL);
    assert_exit(box, 0);
    static const char *const pieces[] = {"<svg xmlns=\"http://www.w3.org/2000/svg\"",
                                         ">Part1</text>",
                                         ">Part2</text>",
                                         ">x4</text>",
                                         "Part3.x4 \u2192 Part2.x4</title>",
                                         "loop 1, ",
                                         "numbers: calling order"};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        assert_contains(box->out, pieces[i]);
    assert_int_equal(test_count(box->out, "<rect x="), 4); // three boxes, one loop in the legend
    assert_int_equal(test_count(box->out, "class=\"edge\""), 4);
    assert_int_equal(test_count(box->out, "<g stroke=\"#7a3e9d\">"), 2); // those within the loop
    char *first = strdup(box->out);
    test_run(box, "graph", MATH003, "--format", "svg", NULL);
    assert_string_equal(box->out, first);
    free(first);
    test_run(box, "graph", TEST_FMUS "/Gain.fmu", "--format", "svg", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, ">Gain</text>");
}

// Behind the name of a box stands its number in the calling order.
static void names_and_numbers_have_room_in_large_systems(void **state)
{
    test_sandbox *box = *state;
    enum { N = 120 };
    char text[N * 200], name[40];
    int length = snprintf(text, sizeof text,
                          "<SystemStructureDescription xmlns=\"http://ssp-standard.org/SSP1/"
                          "SystemStructureDescription\" version=\"1.0\" name=\"many\"><System "
                          "name=\"many\"><Elements>");
    for (int i = 0; i < N; i++)
        length += snprintf(text + length, sizeof text - (size_t)length,
                           "<Component name=\"Zone%d\" source=\"Gain.fmu\"/>", i);
    snprintf(text + length, sizeof text - (size_t)length,
             "</Elements></System></SystemStructureDescription>");
    test_write_text(box, "many.ssd", text);
    test_link(box, "Gain.fmu", TEST_FMUS "/Gain.fmu");
    test_run(box, "graph", "many.ssd", "--format", "svg", NULL);
    assert_exit(box, 0);
    for (int i = 0; i < N; i++) {
        int width = 0, number = 0;
        snprintf(name, sizeof name, "<title>Zone%d:", i);
        const char *at = strstr(box->out, name), *found = at ? strstr(at, "width=\"") : NULL;
        const char *shown = at ? strstr(at, "class=\"number end\"") : NULL;
        assert_true(found && sscanf(found, "width=\"%d", &width) == 1);
        assert_true(shown && sscanf(strchr(shown, '>'), ">%d", &number) == 1);
        int digits = number > 99 ? 3 : number > 9 ? 2 : 1;
        int letters = (int)strlen(name + strlen("<title>")) - 1;
        // In a wide font, with margins of 10 and 9, and a gap of 6.
        assert_true(width >= 10 + 84 * letters / 10 + 6 + 7 * digits + 9);
    }
}

static void write_results(test_sandbox *box)
{
    test_write_text(box, "a.csv", "time,Tank.level,Pump.on\n0,0,0\n1,10,1\n2,20,0\n");
    test_write_text(box, "b.csv", "time,Tank.level,Pump.on\n0,5,0\n2,15,1\n4,15,1\n");
}

static char *read_text(test_sandbox *box, const char *name)
{
    size_t size;
    char *text = test_read_file(box, name, &size);
    assert_non_null(text);
    return text;
}

static void several_results_share_panels(void **state)
{
    test_sandbox *box = *state;
    write_results(box);
    test_run(box, "plot", "a.csv", "b.csv", "-o", "ab.svg", NULL);
    assert_exit(box, 0);
    char *svg = read_text(box, "ab.svg");
    assert_contains(svg, ">a.csv, b.csv</text>");
    assert_contains(svg, ">Tank.level \u00b7 a.csv<title>");
    assert_contains(svg, ">Tank.level \u00b7 b.csv<title>");
    assert_int_equal(test_count(svg, "class=\"frame\""), 2);
    assert_int_equal(test_count(svg, "class=\"curve\""), 8); // four lines, four samples
    free(svg);
    test_run(box, "plot", "a.csv", "b.csv", "-o", "a.csv", NULL);
    assert_exit(box, 2);
    test_run(box, "plot", "a.csv", "none.csv", "-o", "x.svg", NULL);
    assert_exit(box, 3);
}

static void a_range_of_time_is_shown(void **state)
{
    test_sandbox *box = *state;
    write_results(box);
    test_run(box, "plot", "a.csv", "--column", "Tank.level", "--from", "500ms", "--to", "1.5",
             "--width", "472", "-o", "a.svg", NULL);
    assert_exit(box, 0);
    char *svg = read_text(box, "a.svg");
    assert_contains(svg, ">0.5</text>");
    assert_contains(svg, ">1.5</text>");
    assert_null(strstr(svg, ">2</text>\n<text class=\"middle\""));
    // The line begins and ends at the limits, between rows.
    const char *frame = strstr(svg, "<rect class=\"frame\" x=\"72\"");
    assert_non_null(frame);
    assert_contains(svg, " d=\"M72.");
    free(svg);
    test_run(box, "plot", "a.csv", "--from", "5", "--to", "6", "-o", "a.svg", NULL);
    assert_exit(box, 2);
    assert_contains(box->err, "a.csv has no row from t=5 s to t=6 s");
    test_run(box, "plot", "a.csv", "--from", "2", "--to", "1", "-o", "a.svg", NULL);
    assert_exit(box, 2);
    test_run(box, "plot", "a.csv", "--from", "soon", "-o", "a.svg", NULL);
    assert_exit(box, 2);
}

static void columns_are_drawn_over_another_one(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "xy.csv",
                    "time,x [m],y,z\n0,1,0.5,1\n1,3,0.5,2\n2,3,1.5,3\n3,1,1.5,4\n4,1,0.5,5\n");
    test_run(box, "plot", "xy.csv", "--over", "x", "--column", "y", "-o", "xy.svg", NULL);
    assert_exit(box, 0);
    char *svg = read_text(box, "xy.svg");
    assert_contains(svg, ">x [m]</text>");
    assert_int_equal(test_count(svg, "class=\"frame\""), 1);
    const char *path = strstr(svg, "\"#0072b2\" d=\"M");
    assert_non_null(path);
    char line[200];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(path + 13, "\""), path + 13);
    assert_int_equal(test_count(line, "L"), 4); // back to the beginning
    const char *begin = line + 1, *end = strrchr(line, 'L') + 1;
    assert_memory_equal(begin, end, strlen(end));
    free(svg);
    test_write_text(box, "dot.csv", "time,x,y\n0,1,2\n1,1,2\n");
    test_run(box, "plot", "dot.csv", "--over", "x", "-o", "dot.svg", NULL);
    assert_exit(box, 0);
    svg = read_text(box, "dot.svg");
    assert_contains(svg, "h2v2h-2z"); // a point that stays is seen
    free(svg);
    test_run(box, "plot", "xy.csv", "--over", "xx", "-o", "xy.svg", NULL);
    assert_exit(box, 2);
    assert_contains(box->err, "xy.csv has no column 'xx'; did you mean 'x'?");
}

// The first result is 1 larger up to t=1, then 2 larger; the second has other rows.
static void differences_are_those_at_the_same_times(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "a.csv", "time,x,only\n0,1,0\n1,2,0\n1,3,0\n2,4,0\n");
    test_write_text(box, "b.csv", "time,x\n0,0\n0.5,0.5\n4,4\n");
    test_run(box, "plot", "a.csv", "b.csv", "--difference", "-o", "d.svg", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "only is no column of numbers in b.csv and is not shown");
    char *svg = read_text(box, "d.svg");
    assert_contains(svg, ">a.csv \u2212 b.csv</text>");
    // Level, up at t=1, level.
    const char *path = strstr(svg, "\"#0072b2\" d=\"M72.0 ");
    assert_non_null(path);
    double x[3], y[4];
    assert_int_equal(sscanf(path + 13, "M%lf %lfL%lf %lfL%*f %lfL%lf %lf", &x[0], &y[0], &x[1],
                            &y[1], &y[2], &x[2], &y[3]),
                     7);
    assert_near(y[0], y[1], 0);
    assert_near(y[2], y[3], 0);
    assert_true(y[2] < y[1] - 50);
    assert_near(x[1] - x[0], x[2] - x[1], 0.2);
    free(svg);
    test_run(box, "plot", "a.csv", "--difference", "-o", "d.svg", NULL);
    assert_exit(box, 2);
}

static void switches_stand_in_strips(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "s.csv",
                    "time,Tank.level [m],Pump.on,Valve.open\n0,0,0,1\n1,2,1,1\n2,3,1,0\n");
    test_run(box, "plot", "s.csv", "-o", "s.svg", NULL);
    assert_exit(box, 0);
    char *svg = read_text(box, "s.svg");
    test_run(box, "plot", "s.csv", "--panel", "one", "-o", "one.svg", NULL);
    assert_exit(box, 0);
    assert_contains(svg, "height=\"38\"/>"); // two lanes of 18 pixels
    free(svg);
}

static void pictures_are_of_the_kind_that_their_name_says(void **state)
{
    test_sandbox *box = *state;
    static const char *const files[] = {"a.png", "\x89PNG", "a.pdf", "%PDF"};
    write_results(box);
    void *library = dlopen("librsvg-2.so.2", RTLD_LAZY);
    for (int i = 0; i < 4; i += 2) {
        test_run(box, "plot", "a.csv", "-o", files[i], NULL);
        if (!library) {
            assert_true(box->exit_code != 0);
            assert_contains(box->err, "which is not installed");
            continue;
        }
        assert_exit(box, 0);
        size_t size;
        char *data = test_read_file(box, files[i], &size);
        assert_true(size > 1000);
        assert_memory_equal(data, files[i + 1], 4);
        free(data);
    }
    test_run(box, "plot", "a.csv", "-o", "a.jpg", NULL);
    assert_exit(box, 2);
    assert_contains(box->err, "pictures are written as .svg, .png or .pdf, not as '.jpg'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(the_graph_is_drawn_with_ports_loops_and_order),
        test_in_sandbox(names_and_numbers_have_room_in_large_systems),
        test_in_sandbox(several_results_share_panels),
        test_in_sandbox(a_range_of_time_is_shown),
        test_in_sandbox(columns_are_drawn_over_another_one),
        test_in_sandbox(differences_are_those_at_the_same_times),
        test_in_sandbox(switches_stand_in_strips),
        test_in_sandbox(pictures_are_of_the_kind_that_their_name_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
