// SPDX-License-Identifier: MIT
// `takt new`, `takt edit` and several FMUs behind `takt run`: projects without writing XML.
#include <sys/stat.h>
#include <unistd.h>

#include "support/results.h"
#include "support/ssd.h"

#define PREY "Prey=" TEST_FMUS "/LotkaVolterraPrey.fmu"
#define PREDATOR "Predator=" TEST_FMUS "/LotkaVolterraPredator.fmu"
#define GAIN "G=" TEST_FMUS "/Gain.fmu"

static char *read_text(test_sandbox *box, const char *name)
{
    size_t size;
    char *text = test_read_file(box, name, &size);
    assert_non_null(text);
    return text;
}

static void assert_file_contains(test_sandbox *box, const char *name, const char *piece, int n)
{
    char *text = read_text(box, name);
    if (test_count(text, piece) != n) print_error("%s\n", text);
    assert_int_equal(test_count(text, piece), n);
    free(text);
}

static void make_plant(test_sandbox *box, const char *path)
{
    test_run(box, "new", path, "--add", PREY, "--add", PREDATOR, "--connect", "Prey.x=Predator.x",
             "--connect", "Predator.y=Prey.y", "--set", "Prey.x0=12", "--stop-time", "20",
             "--step-size", "0.1", NULL);
    assert_exit(box, 0);
    assert_string_equal(box->err, "");
}

static double last_value(test_sandbox *box, const char *file, const char *column)
{
    test_results r;
    test_results_read(&r, box, file);
    double value = test_result(&r, r.n_rows - 1, column);
    test_results_clear(&r);
    return value;
}

static void new_project_runs_as_one_that_was_written_by_hand(void **state)
{
    test_sandbox *box = *state;
    make_plant(box, "plant.ssd");
    test_run(box, "run", "plant.ssd", "-q", NULL);
    assert_exit(box, 0);
    test_ssd_example(box, "lotka_volterra");
    test_run(box, "run", "lotka_volterra.ssd", "-q", "--set", "Prey.x0=12", "--stop-time", "20",
             "--step-size", "0.1", NULL);
    assert_exit(box, 0);
    assert_true(last_value(box, "plant.csv", "Prey.x") ==
                last_value(box, "lotka_volterra.csv", "Prey.x"));
}

static void new_project_declares_connectors_and_refers_to_its_files(void **state)
{
    test_sandbox *box = *state;
    make_plant(box, "plant.ssd");
    assert_file_contains(box, "plant.ssd", "<ssd:Connector name=\"x\" kind=\"output\">", 1);
    assert_file_contains(box, "plant.ssd", "<ssd:Connector name=\"x\" kind=\"input\">", 1);
    assert_file_contains(box, "plant.ssd", "<ssd:Connection ", 2);
    make_plant(box, "plant.ssp"); // holds its files
    test_run(box, "run", "plant.ssp", "-q", "-o", "packed.csv", NULL);
    assert_exit(box, 0);
}

static void files_alone_are_coupled_by_name(void **state)
{
    test_sandbox *box = *state;
    make_plant(box, "plant.ssd");
    test_run(box, "run", "plant.ssd", "-q", NULL);
    test_run(box, "run", TEST_FMUS "/LotkaVolterraPrey.fmu", TEST_FMUS "/LotkaVolterraPredator.fmu",
             "--auto-connect", "--set", "LotkaVolterraPrey.x0=12", "--stop-time", "20",
             "--step-size", "0.1", "-q", NULL);
    assert_exit(box, 0);
    assert_true(last_value(box, "plant.csv", "Prey.x") ==
                last_value(box, "LotkaVolterraPrey.csv", "LotkaVolterraPrey.x"));
}

static void connecting_by_name_tells_what_it_did_and_what_is_open(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "new", "plant.ssd", "--add", PREY, "--add", PREDATOR, "--add", GAIN,
             "--auto-connect", NULL);
    assert_exit(box, 0);
    // Predator.y and G.y both fit Prey.y.
    assert_contains(box->out, "Connected by name:\n  Prey.x -> Predator.x\n");
    assert_contains(box->err, "input Prey.y stays open: 2 outputs fit");
    assert_contains(box->out, "Inputs that are not connected and keep their values: 2\n");
    assert_contains(box->out, "  G.u = 0\n");
    test_run(box, "run", TEST_FMUS "/LotkaVolterraPrey.fmu", TEST_FMUS "/LotkaVolterraPredator.fmu",
             "--auto-connect", "--algorithm", "seidel", "--step-size", "0.1", "--stop-time", "1",
             "-q", NULL);
    assert_exit(box, 0);
    assert_string_equal(box->err, ""); // not "algorithm has no effect", as it was before
    // Nothing to do is said as well, and warnings are given once.
    test_run(box, "new", "one.ssd", "--add", GAIN, "--auto-connect", "--record", "nope", NULL);
    assert_exit(box, 0);
    assert_int_equal(test_count(box->err, "--auto-connect has connected nothing"), 1);
    assert_int_equal(test_count(box->err, "'nope' matches no variable"), 1);
}

// What other programs and people wrote into a file.
static const char foreign[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<SystemStructureDescription xmlns=\"http://ssp-standard.org/SSP1/SystemStructureDescription\" "
    "xmlns:ssc=\"http://ssp-standard.org/SSP1/SystemStructureCommon\" version=\"1.0\" "
    "name=\"hand\">\n"
    "  <!-- the whole farm -->\n"
    "  <System name=\"hand\">\n"
    "    <Elements>\n"
    "      <Component name=\"Prey\" source=\"" TEST_FMUS "/LotkaVolterraPrey.fmu\">\n"
    "        <ElementGeometry x1=\"1\"  y1=\"2\" x2=\"3\" y2=\"4\"/> <!-- left -->\n"
    "      </Component>\n"
    "    </Elements>\n"
    "    <Annotations>\n"
    "      <ssc:Annotation type=\"org.other\"><other xmlns=\"urn:other\" a='1'/></ssc:Annotation>\n"
    "    </Annotations>\n"
    "  </System>\n"
    "</SystemStructureDescription>\n";

static void editing_keeps_what_others_wrote(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "hand.ssd", foreign);
    test_run(box, "edit", "hand.ssd", "--add", PREDATOR, "--connect", "Prey.x=Predator.x",
             "--rename", "Prey=Hare", "--set", "Hare.x0=3", NULL);
    assert_exit(box, 0);
    assert_file_contains(box, "hand.ssd", "<!-- the whole farm -->", 1);
    assert_file_contains(box, "hand.ssd", "<!-- left -->", 1);
    assert_file_contains(box, "hand.ssd", "<ElementGeometry x1=\"1\"  y1=\"2\" x2=\"3\" y2=\"4\"/>",
                         1); // with both blanks
    assert_file_contains(box, "hand.ssd", "<other xmlns=\"urn:other\" a='1'/>", 1);
    assert_file_contains(box, "hand.ssd", "name=\"Hare\"", 1);
    assert_file_contains(box, "hand.ssd", "startElement=\"Hare\"", 1);
    test_run(box, "check", "hand.ssd", NULL);
    assert_exit(box, 0);
    // Connectors come before the geometry, as the standard says.
    char *text = read_text(box, "hand.ssd");
    assert_true(strstr(text, "<Connectors>") < strstr(text, "<ElementGeometry"));
    free(text);
}

// Nothing but what was asked for changes, and what is taken back leaves no trace.
static void edits_and_their_inverses_give_the_same_bytes(void **state)
{
    test_sandbox *box = *state;
    static const char text[] =
        "<?xml version='1.0' encoding='UTF-8'?>\n<!-- head -->\n<s:SystemStructureDescription\n"
        "  xmlns:s='http://ssp-standard.org/SSP1/SystemStructureDescription' version=\"1.0\"\n"
        "  xmlns:c=\"http://ssp-standard.org/SSP1/SystemStructureCommon\" name='P &amp; Q' "
        "xmlns:my='urn:m'>\n"
        "\t<s:System name='S' description=\"a &lt; b\"><!-- in -->\n\t\t<s:Elements>\n"
        "\t\t\t<s:Component name='Prey' source='./LotkaVolterra%50rey.fmu'  my:flag='1'>\n"
        "\t\t\t\t<s:Connectors><s:Connector kind=\"output\" name='x' ><c:Real "
        "/><s:ConnectorGeometry y=\"0\" "
        "x=\"1\"/></s:Connector>\n\t\t\t\t\t<s:Connector name=\"y\" "
        "kind=\"input\"/></s:Connectors>\n"
        "\t\t\t\t<s:ElementGeometry x1='0' y1='0' x2='1' y2='1'/>\n"
        "\t\t\t\t<s:Annotations><c:Annotation type='x'><![CDATA[ <raw> & "
        "]]></c:Annotation></s:Annotations>\n"
        "\t\t\t</s:Component>\n"
        "\t\t\t<s:Component source='LotkaVolterraPredator.fmu' name='Predator'>\n"
        "<s:Connectors><s:Connector name='x' kind='input'/><s:Connector name='y' kind='output'/>"
        "</s:Connectors></s:Component>\n"
        "\t\t</s:Elements>\n\t\t<s:Connections>\n\t\t\t<s:Connection startElement='Prey' "
        "startConnector='x'\n"
        "\t\t\t\tendElement='Predator' endConnector='x'><s:ConnectionGeometry pointsX='1 2' "
        "pointsY='3 4'/>"
        "</s:Connection>\n\t\t</s:Connections>\n\t\t<?other thing?>\n\t</s:System>\n"
        "\t<s:DefaultExperiment stopTime='5'><s:Annotations><c:Annotation "
        "type='org.takt.experiment'>"
        "<takt:Experiment xmlns:takt='https://takt.org/experiment' tolerance='1e-3' "
        "step-max='15min'/>"
        "</c:Annotation></s:Annotations></s:DefaultExperiment>\n\t<my:Other>&#10;text</my:Other>\n"
        "</s:SystemStructureDescription>\n<!-- tail -->\n";
    static const char *const pairs[][4] = {
        {"--connect", "Predator.y=Prey.y", "--disconnect", "Predator.y=Prey.y"},
        {"--add", "G=" TEST_FMUS "/Gain.fmu", "--remove", "G"},
        {"--rename", "Prey=A b", "--rename", "A b=Prey"},
        {"--set", "Prey.x0=3", "--unset", "Prey.x0"},
        {"--stop-time", "7", "--stop-time", "5"}};
    test_link(box, "LotkaVolterraPrey.fmu", TEST_FMUS "/LotkaVolterraPrey.fmu");
    test_link(box, "LotkaVolterraPredator.fmu", TEST_FMUS "/LotkaVolterraPredator.fmu");
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        test_write_text(box, "p.ssd", text);
        test_run(box, "edit", "p.ssd", pairs[i][0], pairs[i][1], NULL);
        assert_exit(box, 0);
        char *changed = test_read_file(box, "p.ssd", NULL);
        assert_string_not_equal(changed, text);
        assert_contains(changed, "<![CDATA[ <raw> & ]]>");
        test_run(box, "edit", "p.ssd", pairs[i][2], pairs[i][3], NULL);
        assert_exit(box, 0);
        char *back = test_read_file(box, "p.ssd", NULL);
        assert_string_equal(back, text);
        free(changed);
        free(back);
    }
}

// Our own annotation, as a person wrote it: a prefix of their own, comments, two of them, of which the last one counts.
static void settings_change_where_they_stand(void **state)
{
    test_sandbox *box = *state;
    static const char form[] =
        "<d:SystemStructureDescription version='1.0' name='p'\n"
        "  xmlns:d='http://ssp-standard.org/SSP1/SystemStructureDescription'\n"
        "  xmlns:c='http://ssp-standard.org/SSP1/SystemStructureCommon'>\n"
        "  <d:System name='p'>\n"
        "    <d:Elements>\n"
        "      <d:Component name='Prey' source='" TEST_FMUS "/LotkaVolterraPrey.fmu'/>\n"
        "    </d:Elements>\n"
        "    <d:Annotations><c:Annotation type='org.takt.experiment'>\n"
        "      <x:Experiment xmlns:x='https://takt.org/experiment' %s/>\n"
        "    </c:Annotation></d:Annotations>\n"
        "  </d:System>\n"
        "  <d:DefaultExperiment stopTime='5.0'>\n"
        "    <d:Annotations>\n"
        "      <c:Annotation type='org.takt.experiment'>\n"
        "        <!-- slow --><my:Experiment xmlns:my='https://takt.org/experiment' %s>\n"
        "          <my:Loop algorithm='%s' member='%s'/>\n"
        "        </my:Experiment>\n"
        "      </c:Annotation>\n"
        "      <c:Annotation type='org.other'><o:o xmlns:o='urn:o'  b='2' a='1' /></c:Annotation>\n"
        "    </d:Annotations>\n"
        "  </d:DefaultExperiment>\n"
        "</d:SystemStructureDescription>\n";
    static const struct {
        const char *option, *value, *system, *settings, *algorithm, *member;
    } edits[] = {
        {"--tolerance", "1e-3", "timeout='7'", "tolerance='1e-3'  stop-time='1h'", "newton",
         "Prey"},
        {"--tolerance", "1e-5", "timeout='7'", "tolerance='1e-05'  stop-time='1h'", "newton",
         "Prey"},
        {"--stop-time", "60", "timeout='7'", "tolerance='1e-3'  stop-time='60'", "newton", "Prey"},
        {"--timeout", "8", "timeout='8'", "tolerance='1e-3'  stop-time='1h'", "newton", "Prey"},
        {"--jobs", "1", "timeout='7'", "tolerance='1e-3'  stop-time='1h' jobs=\"1\"", "newton",
         "Prey"},
        {"--rename", "Prey=Hare", "timeout='7'", "tolerance='1e-3'  stop-time='1h'", "newton",
         "Hare"},
        {"--algorithm", "Prey=seidel", "timeout='7'", "tolerance='1e-3'  stop-time='1h'", "seidel",
         "Prey"},
    };
    char before[4096], expected[4096];
    snprintf(before, sizeof before, form, edits[0].system, edits[0].settings, edits[0].algorithm,
             edits[0].member);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        snprintf(expected, sizeof expected, form, edits[i].system, edits[i].settings,
                 edits[i].algorithm, edits[i].member);
        if (strcmp(edits[i].option, "--rename") == 0) {
            char *name = strstr(expected, "name='Prey'");
            assert_non_null(name);
            memcpy(name, "name='Hare'", strlen("name='Hare'"));
        }
        test_write_text(box, "p.ssd", before);
        test_run(box, "edit", "p.ssd", edits[i].option, edits[i].value, NULL);
        assert_exit(box, 0);
        char *changed = test_read_file(box, "p.ssd", NULL);
        assert_string_equal(changed, expected);
        free(changed);
    }
}

// Where the last of several annotations counts, a new value leaves no old one behind it.
static void new_settings_count_where_several_annotations_give_them(void **state)
{
    test_sandbox *box = *state;
    make_plant(box, "plant.ssd");
    char *text = read_text(box, "plant.ssd"), *at = strstr(text, "  </ssd:DefaultExperiment>");
    assert_non_null(at);
    at += strlen("  </ssd:DefaultExperiment>");
    char both[16384];
    snprintf(both, sizeof both,
             "%.*s<ssd:Annotations><ssc:Annotation type='org.takt.experiment'>"
             "<x:Experiment xmlns:x='https://takt.org/experiment' step-size='0.5' record='P*.x'/>"
             "</ssc:Annotation></ssd:Annotations>%s",
             (int)(at - text), text, at);
    free(text);
    test_write_text(box, "plant.ssd", both);
    test_run(box, "edit", "plant.ssd", "--step-size", "0.25", "--record", "Prey.y", NULL);
    assert_exit(box, 0);
    assert_file_contains(box, "plant.ssd", "step-size", 1);
    assert_file_contains(box, "plant.ssd", "step-size='0.25' record='Prey.y'", 1);
}

// Absolute paths are right everywhere; in a package, which is complete, they are not.
static void sources_stay_as_they_were_written(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "hand.ssd", foreign);
    test_run(box, "edit", "hand.ssd", "--set", "Prey.x0=3", NULL);
    assert_exit(box, 0);
    assert_file_contains(box, "hand.ssd", "source=\"" TEST_FMUS "/LotkaVolterraPrey.fmu\"", 1);
    char folder[TEST_PATH_SIZE + 8];
    snprintf(folder, sizeof folder, "%s/sub", box->work);
    assert_int_equal(mkdir(folder, 0700), 0);
    test_run(box, "convert", "hand.ssd", "sub/moved.ssd", NULL);
    assert_exit(box, 0);
    assert_file_contains(box, "sub/moved.ssd", "source=\"" TEST_FMUS "/LotkaVolterraPrey.fmu\"", 1);
    test_run(box, "convert", "hand.ssd", "folder/", NULL);
    assert_exit(box, 0);
    assert_file_contains(box, "folder/SystemStructure.ssd",
                         "source=\"resources/LotkaVolterraPrey.fmu\"", 1);
    // A folder that is edited is no new package.
    test_write_text(box, "folder/SystemStructure.ssd", foreign);
    test_run(box, "edit", "folder", "--set", "Prey.x0=3", "--add", "G=" TEST_FMUS "/Gain.fmu",
             NULL);
    assert_exit(box, 0);
    assert_file_contains(box, "folder/SystemStructure.ssd",
                         "source=\"" TEST_FMUS "/LotkaVolterraPrey.fmu\"", 1);
    assert_file_contains(box, "folder/SystemStructure.ssd", "source=\"resources/Gain.fmu\"", 1);
}

// Connectors are declared for new connections, and for those of others not.
static void elements_that_are_not_meant_stay_as_they_are(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "hand.ssd", foreign);
    test_run(box, "edit", "hand.ssd", "--add", PREDATOR, "--connect", "Prey.x=Predator.x", NULL);
    assert_exit(box, 0);
    assert_file_contains(box, "hand.ssd", "<Connector ", 2);
    char *text = read_text(box, "hand.ssd"), *list;
    while ((list = strstr(text, "<Connectors>"))) {
        char *end = strstr(list, "</Connectors>") + strlen("</Connectors>");
        memmove(list, end, strlen(end) + 1);
    }
    test_write_text(box, "hand.ssd", text);
    free(text);
    test_run(box, "edit", "hand.ssd", "--add", GAIN, "--connect", "Predator.y=G.u", NULL);
    assert_exit(box, 0);
    assert_file_contains(box, "hand.ssd", "<Connector ", 2);
    assert_file_contains(box, "hand.ssd", "<Connector name=\"x\"", 0);
}

static void encodings_stay(void **state)
{
    test_sandbox *box = *state;
    static const char head[] = "<?xml version='1.0' encoding='ISO-8859-1'?>\r\n<!-- gr\xfc\xdf -->";
    char text[4096];
    snprintf(text, sizeof text, "%s%s", head, strchr(foreign, '\n'));
    // The path of the FMU may have other letters than this encoding.
    char *source = strstr(text, TEST_FMUS "/LotkaVolterraPrey.fmu");
    size_t behind = strlen(TEST_FMUS "/");
    memmove(source, source + behind, strlen(source + behind) + 1);
    test_link(box, "LotkaVolterraPrey.fmu", TEST_FMUS "/LotkaVolterraPrey.fmu");
    test_write_text(box, "old.ssd", text);
    test_run(box, "edit", "old.ssd", "--rename", "Prey=Gr\xc3\xb6\xc3\x9f\x65 \xe2\x82\xac", NULL);
    assert_exit(box, 0);
    assert_file_contains(box, "old.ssd", head, 1);
    assert_file_contains(box, "old.ssd", "name=\"Gr\xf6\xdf\x65 &#8364;\"", 1);
    test_run(box, "edit", "old.ssd", "--rename", "Gr\xc3\xb6\xc3\x9f\x65 \xe2\x82\xac=Prey", NULL);
    char *after = test_read_file(box, "old.ssd", NULL);
    assert_string_equal(after, text);
    free(after);
}

// FMUs behind a link are named as the user names them.
static void links_stay_links(void **state)
{
    test_sandbox *box = *state;
    char link[TEST_PATH_SIZE + 8];
    snprintf(link, sizeof link, "%s/fmus", box->work);
    assert_int_equal(symlink(TEST_FMUS, link), 0);
    test_run(box, "new", "linked.ssd", "--add", "G=fmus/Gain.fmu", NULL);
    assert_exit(box, 0);
    assert_file_contains(box, "linked.ssd", "source=\"fmus/Gain.fmu\"", 1);
    test_run(box, "edit", "linked.ssd", "--add", "H=fmus/Gain.fmu", NULL);
    assert_exit(box, 0);
    assert_file_contains(box, "linked.ssd", "source=\"fmus/Gain.fmu\"", 2);
}

static void editing_back_and_forth_leaves_no_trace(void **state)
{
    test_sandbox *box = *state;
    make_plant(box, "plant.ssd");
    char *before = read_text(box, "plant.ssd");
    test_run(box, "edit", "plant.ssd", "--add", GAIN, "--connect", "Prey.x=G.u", "--set", "G.k=3",
             NULL);
    assert_exit(box, 0);
    assert_file_contains(box, "plant.ssd", "G.k", 1);
    test_run(box, "edit", "plant.ssd", "--set", "G.k=4", NULL);
    assert_exit(box, 0);
    assert_file_contains(box, "plant.ssd", "G.k", 1); // the new value takes the old one's place
    test_run(box, "edit", "plant.ssd", "--rename", "Prey=Hare", "--remove", "G", NULL);
    assert_exit(box, 0);
    assert_file_contains(box, "plant.ssd", "Prey", 1); // only in the name of its FMU
    test_run(box, "edit", "plant.ssd", "--rename", "Hare=Prey", "--disconnect", "Predator.y=Prey.y",
             "-o", "open.ssd", NULL);
    assert_exit(box, 0);
    test_run(box, "edit", "plant.ssd", "--rename", "Hare=Prey", NULL);
    char *after = read_text(box, "plant.ssd");
    assert_string_equal(after, before);
    free(after);
    free(before);
    assert_file_contains(box, "open.ssd", "<ssd:Connection ", 1);
    test_run(box, "edit", "open.ssd", "--unset", "Prey.x0", NULL);
    assert_exit(box, 0);
    assert_file_contains(box, "open.ssd", "ParameterBinding", 0);
}

static void settings_that_name_a_component_follow_its_new_name(void **state)
{
    test_sandbox *box = *state;
    make_plant(box, "plant.ssd");
    test_run(box, "edit", "plant.ssd", "--algorithm", "Prey=newton", "--record", "Prey.x", NULL);
    test_run(box, "edit", "plant.ssd", "--rename", "Prey=Hare", NULL);
    assert_exit(box, 0);
    assert_file_contains(box, "plant.ssd", "<takt:Loop member=\"Hare\" algorithm=\"newton\"/>", 1);
    assert_file_contains(box, "plant.ssd", "record=\"Hare.x\"", 1);
    assert_file_contains(box, "plant.ssd", "step-size=\"0.1\"", 1);
    test_run(box, "run", "plant.ssd", "-q", NULL);
    assert_exit(box, 0);
}

static void packages_get_the_files_of_new_components(void **state)
{
    test_sandbox *box = *state;
    make_plant(box, "plant.ssp");
    test_run(box, "edit", "plant.ssp", "--add", GAIN, "--connect", "Prey.x=G.u", NULL);
    assert_exit(box, 0);
    test_run_program(box, "unzip", "-Z1", "plant.ssp", NULL);
    assert_contains(box->out, "resources/Gain.fmu\n");
    test_run(box, "run", "plant.ssp", "-q", NULL);
    assert_exit(box, 0);
}

static void packages_get_the_files_of_new_components_in_subsystems(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "s.ssd",
                    "<s:SystemStructureDescription version='1.0' name='s' "
                    "xmlns:s='http://ssp-standard.org/SSP1/SystemStructureDescription'>"
                    "<s:System name='s'><s:Elements><s:System name='Inner'><s:Elements>"
                    "<s:Component name='Prey' source='" TEST_FMUS "/LotkaVolterraPrey.fmu'/>"
                    "</s:Elements></s:System></s:Elements></s:System>"
                    "</s:SystemStructureDescription>");
    test_run(box, "convert", "s.ssd", "s.ssp", NULL);
    assert_exit(box, 0);
    test_run(box, "edit", "s.ssp", "--add", "Inner." GAIN, "--connect", "Inner.Prey.x=Inner.G.u",
             NULL);
    assert_exit(box, 0);
    test_run(box, "run", "s.ssp", "-q", "--stop-time", "1", NULL);
    assert_exit(box, 0);
    test_run_program(box, "unzip", "-Z1", "s.ssp", NULL);
    assert_contains(box->out, "resources/Gain.fmu\n");
}

static void a_variant_that_is_edited_stays_one(void **state)
{
    test_sandbox *box = *state;
    make_plant(box, "plant.ssp");
    test_run(box, "convert", "plant.ssp", "folder/", NULL);
    char *text = test_read_file(box, "folder/SystemStructure.ssd", NULL);
    test_write_text(box, "folder/Winter.ssd", text);
    test_run(box, "convert", "folder", "both.ssp", NULL);
    assert_exit(box, 0);
    for (int i = 0; i < 2; i++) {
        const char *project = i ? "folder" : "both.ssp";
        test_run(box, "edit", project, "--variant", "Winter", "--rename", "Prey=Hare", NULL);
        assert_exit(box, 0);
        test_run(box, "info", project, "--variant", "Winter", NULL);
        assert_contains(box->out, "Component Hare");
        test_run(box, "info", project, NULL);
        assert_contains(box->out, "Component Prey");
    }
    free(text);
}

static void projects_of_other_formats_are_written_elsewhere(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "edit", TEST_FMUS "/Gain.fmu", "--set", "Gain.k=3", NULL);
    assert_one_error(box, 2, "--output-file NAME.ssd");
    test_run(box, "edit", TEST_FMUS "/Gain.fmu", "--set", "Gain.k=3", "-o", "gain.ssd", NULL);
    assert_exit(box, 0);
    assert_file_contains(box, "gain.ssd", "Gain.k", 1);
}

static void mistakes_are_named_and_nothing_is_written(void **state)
{
    test_sandbox *box = *state;
    make_plant(box, "plant.ssd");
    char *before = read_text(box, "plant.ssd");
    test_run(box, "new", "plant.ssd", "--add", GAIN, NULL);
    assert_one_error(box, 2, "plant.ssd: is there already");
    test_run(box, "new", "x.ssd", NULL);
    assert_one_error(box, 2, "nothing to do");
    test_run(box, "new", "x.txt", "--add", GAIN, NULL);
    assert_one_error(box, 2, "x.txt: only .ssp");
    test_run(box, "new", "x.ssd", "--add", "G=nothing.fmu", "--connect", "G.y=H.u", NULL);
    assert_one_error(box, 2, "there is no component 'H'");
    test_run(box, "new", "x.ssd", "--add", "G=nothing.fmu", NULL);
    assert_exit(box, 2);
    assert_contains(box->err, "component 'G': nothing.fmu: cannot be opened");
    test_run(box, "new", "x.ssd", "--add", GAIN, "--add", GAIN, NULL);
    assert_one_error(box, 2, "there is already a component 'G'");
    test_run(box, "new", "x.ssd", "--add", "a.b=" TEST_FMUS "/Gain.fmu", NULL);
    assert_one_error(box, 2, "'a.b' cannot be the name of a component");
    test_run(box, "edit", "plant.ssd", "--connect", "Prey.x", NULL);
    assert_one_error(box, 2, "--connect: 'Prey.x' is not A.y=B.u");
    test_run(box, "edit", "plant.ssd", "--connect", "Predator.y=Prey.y", NULL);
    assert_one_error(box, 2, "are connected already");
    test_run(box, "edit", "plant.ssd", "--connect", "Prey.x=Predator.z", NULL);
    assert_exit(box, 2);
    assert_contains(box->err, "component 'Predator' has no variable 'z'");
    test_run(box, "edit", "plant.ssd", "--disconnect", "Prey.x=Prey.y", NULL);
    assert_one_error(box, 2, "'Prey.x' and 'Prey.y' are not connected");
    test_run(box, "edit", "plant.ssd", "--remove", "Pray", NULL);
    assert_one_error(box, 2, "did you mean 'Prey'?");
    test_run(box, "edit", "plant.ssd", "--unset", "Prey.a", NULL);
    assert_one_error(box, 2, "gives 'Prey.a' no value");
    assert_false(test_has_file(box, "x.ssd"));
    char *after = read_text(box, "plant.ssd");
    assert_string_equal(after, before);
    free(after);
    free(before);
}

static void values_in_other_files_are_not_forgotten(void **state)
{
    test_sandbox *box = *state;
    make_plant(box, "plant.ssd");
    test_run(box, "edit", "plant.ssd", "--unset", "Prey.x0", NULL);
    char *text = read_text(box, "plant.ssd");
    char *at = strstr(text, "    <ssd:Elements>");
    assert_non_null(at);
    char bound[8192];
    snprintf(bound, sizeof bound,
             "%.*s<ssd:ParameterBindings><ssd:ParameterBinding source=\"v.ssv\"/>"
             "</ssd:ParameterBindings>\n%s",
             (int)(at - text), text, at);
    free(text);
    test_write_text(box, "plant.ssd", bound);
    test_write_text(box, "v.ssv",
                    "<ssv:ParameterSet xmlns:ssv=\"http://ssp-standard.org/SSP1/"
                    "SystemStructureParameterValues\" version=\"1.0\" name=\"v\"><ssv:Parameters>"
                    "<ssv:Parameter name=\"Prey.x0\"><ssv:Real value=\"5\"/></ssv:Parameter>"
                    "</ssv:Parameters></ssv:ParameterSet>");
    test_run(box, "edit", "plant.ssd", "--rename", "Prey=Hare", NULL);
    assert_one_error(box, 2, "component 'Prey' has values in another file, v.ssv:1");
    test_run(box, "edit", "plant.ssd", "--rename", "Predator=Fox", NULL);
    assert_exit(box, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(new_project_runs_as_one_that_was_written_by_hand),
        test_in_sandbox(new_project_declares_connectors_and_refers_to_its_files),
        test_in_sandbox(files_alone_are_coupled_by_name),
        test_in_sandbox(connecting_by_name_tells_what_it_did_and_what_is_open),
        test_in_sandbox(editing_keeps_what_others_wrote),
        test_in_sandbox(edits_and_their_inverses_give_the_same_bytes),
        test_in_sandbox(settings_change_where_they_stand),
        test_in_sandbox(new_settings_count_where_several_annotations_give_them),
        test_in_sandbox(sources_stay_as_they_were_written),
        test_in_sandbox(elements_that_are_not_meant_stay_as_they_are),
        test_in_sandbox(encodings_stay),
        test_in_sandbox(links_stay_links),
        test_in_sandbox(editing_back_and_forth_leaves_no_trace),
        test_in_sandbox(settings_that_name_a_component_follow_its_new_name),
        test_in_sandbox(packages_get_the_files_of_new_components),
        test_in_sandbox(packages_get_the_files_of_new_components_in_subsystems),
        test_in_sandbox(a_variant_that_is_edited_stays_one),
        test_in_sandbox(projects_of_other_formats_are_written_elsewhere),
        test_in_sandbox(mistakes_are_named_and_nothing_is_written),
        test_in_sandbox(values_in_other_files_are_not_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
