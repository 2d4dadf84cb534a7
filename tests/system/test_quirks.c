// SPDX-License-Identifier: MIT
// What FMUs of real tools do although they should not, each shown by an FMU that does it. The FMUs are
// made here from hand-written libraries (quirk_fmu.c, and those of tests/unit/fmu).
#include "support/archive.h"
#include "support/results.h"
#include "support/ssd.h"

#define QUIRK_VARIABLES                                                                            \
    "<ModelVariables>\n"                                                                           \
    "<ScalarVariable name='u' valueReference='2147483648' causality='input'><Real start='0'/>"     \
    "</ScalarVariable>\n"                                                                          \
    "<ScalarVariable name='der(J1.phi,2)' valueReference='2147483649' causality='output'><Real/>"  \
    "</ScalarVariable>\n"                                                                          \
    "<ScalarVariable name='time &#xfc;ber alles' valueReference='2147483650' causality='output'>"  \
    "<Real/></ScalarVariable>\n"                                                                   \
    "<ScalarVariable name='text' valueReference='0' causality='parameter' variability='fixed'>"    \
    "<String start='x'/></ScalarVariable>\n"                                                       \
    "</ModelVariables>\n"                                                                          \
    "<ModelStructure><Outputs><Unknown index='2'/><Unknown index='3' dependencies=''/></Outputs>"  \
    "</ModelStructure></fmiModelDescription>\n"

static const char description[] =
    "<?xml version='1.0' encoding='UTF-8'?>\n"
    "<fmiModelDescription fmiVersion='2.0' modelName='Quirk' guid='g'>\n"
    "<CoSimulation modelIdentifier='quirk' canGetAndSetFMUstate='true' "
    "canHandleVariableCommunicationStepSize='true' needsExecutionTool='true'/>\n" QUIRK_VARIABLES;

#define Y "der(J1.phi,2)"
#define TIME "time über alles"

// Makes an FMU in the sandbox.
static void write_fmu(test_sandbox *box, const char *name, const test_entry *entries, int n)
{
    char path[2 * TEST_PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", box->work, name);
    test_archive(path, entries, n);
}

static void write_quirk(test_sandbox *box, const char *name, const char *text)
{
    const test_entry entries[] = {{.name = "binaries/linux64/quirk.so", .file = TEST_QUIRK},
                                  {.name = "modelDescription.xml", .data = text}};
    write_fmu(box, name, entries, 2);
}

static double last_value(test_sandbox *box, const char *file, const char *column)
{
    test_results r;
    test_results_read(&r, box, file);
    double value = test_result(&r, r.n_rows - 1, column);
    test_results_clear(&r);
    return value;
}

// Runs the picky FMU without trouble.
static void assert_runs(test_sandbox *box, const char *fmu)
{
    test_run(box, "run", fmu, "--stop-time", "1", "--step-size", "0.1", "--set", "u=0.5",
             "--output-file", "r.csv", NULL);
    assert_exit(box, 0);
}

// ---- functions and calls ---------------------------------------------------------------------------

// 1: sin() is not in the library and not in one that it names.
static void the_mathematical_library_is_always_there(void **state)
{
    test_sandbox *box = *state;
    write_quirk(box, "q.fmu", description);
    assert_runs(box, "q.fmu");
    assert_near(last_value(box, "r.csv", "q." Y), sin(0.5), 1e-15);
}

// 2 and 16: the library has only a few functions, and all of them have a prefix.
static void missing_functions_and_prefixes_do_no_harm(void **state)
{
    test_sandbox *box = *state;
    static const char text[] =
        "<fmiModelDescription fmiVersion='2.0' modelName='T' guid='{tiny}'>\n"
        "<CoSimulation modelIdentifier='tiny_bare' canGetAndSetFMUstate='true' "
        "canHandleVariableCommunicationStepSize='true'/><ModelVariables>"
        "<ScalarVariable name='u' valueReference='0' causality='input'><Real start='0'/>"
        "</ScalarVariable><ScalarVariable name='x' valueReference='1' causality='output'><Real/>"
        "</ScalarVariable></ModelVariables><ModelStructure><Outputs><Unknown index='2'/></Outputs>"
        "</ModelStructure></fmiModelDescription>";
    const test_entry entries[] = {
        {.name = "modelDescription.xml", .data = text},
        {.name = "binaries/linux64/tiny_bare.so", .file = TEST_TINY_BARE}};
    write_fmu(box, "bare.fmu", entries, 2);
    test_run(box, "run", "bare.fmu", "--stop-time", "1", "--step-size", "0.1", "--set", "u=2",
             NULL);
    assert_exit(box, 0);
    assert_near(last_value(box, "bare.csv", "bare.x"), 2, 1e-12);
    test_run(box, "run", "bare.fmu", "--step-control", "richardson", "--stop-time", "1", NULL);
    assert_one_error(box, 1, "has no function fmi2GetFMUstate");
}

// 3: the FMU refuses a step that ends one bit beyond the stop time.
static void no_step_goes_beyond_the_stop_time(void **state)
{
    test_sandbox *box = *state;
    static const char *const steps[][2] = {{"0.1", "1"},     {"0.1", "0.7"},  {"0.3", "1"},
                                           {"0.01", "2.39"}, {"1e-3", "1.1"}, {"0.7", "0.5"}};
    write_quirk(box, "q.fmu", description);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        test_run(box, "run", "q.fmu", "--step-size", steps[i][0], "--stop-time", steps[i][1],
                 "--output-file", "r.csv", NULL);
        assert_exit(box, 0);
        assert_true(last_value(box, "r.csv", "q." TIME) == strtod(steps[i][1], NULL));
    }
}

// 4: the sum of steps can be had, too, to compare with programs that add up.
static void times_can_be_added_up(void **state)
{
    test_sandbox *box = *state;
    write_quirk(box, "q.fmu", description);
    test_run(box, "run", "q.fmu", "--step-size", "0.1", "--stop-time", "1.05", "--time-grid",
             "accumulated", "--output-file", "r.csv", NULL);
    assert_exit(box, 0);
    double sum = 0;
    for (int i = 0; i < 8; i++) sum += 0.1;
    test_results r;
    test_results_read(&r, box, "r.csv");
    assert_true(sum != 0.8 && test_result_time(&r, 8) == sum);
    test_results_clear(&r);
}

// 5: a second instance is refused, although the description does not say so.
static void an_fmu_that_refuses_a_second_instance_gets_a_copy(void **state)
{
    test_sandbox *box = *state;
    static const char ssd[] =
        "<?xml version='1.0' encoding='UTF-8'?>\n"
        "<ssd:SystemStructureDescription "
        "xmlns:ssd='http://ssp-standard.org/SSP1/SystemStructureDescription' "
        "xmlns:ssc='http://ssp-standard.org/SSP1/SystemStructureCommon' version='1.0' name='two'>\n"
        "<ssd:System name='two'><ssd:Elements>\n"
        "<ssd:Component name='A' source='q.fmu' type='application/x-fmu-sharedlibrary'>"
        "<ssd:Connectors><ssd:Connector name='der(J1.phi,2)' kind='output'><ssc:Real/>"
        "</ssd:Connector></ssd:Connectors></ssd:Component>\n"
        "<ssd:Component name='B' source='q.fmu' type='application/x-fmu-sharedlibrary'>"
        "<ssd:Connectors><ssd:Connector name='u' kind='input'><ssc:Real/></ssd:Connector>"
        "</ssd:Connectors></ssd:Component>\n"
        "</ssd:Elements><ssd:Connections><ssd:Connection startElement='A' "
        "startConnector='der(J1.phi,2)' endElement='B' endConnector='u'/></ssd:Connections>"
        "</ssd:System><ssd:DefaultExperiment startTime='0' stopTime='1'/>"
        "</ssd:SystemStructureDescription>\n";
    write_quirk(box, "q.fmu", description);
    test_write_text(box, "two.ssd", ssd);
    test_run(box, "run", "two.ssd", "--step-size", "0.1", "--set", "A.u=0.5", NULL);
    assert_exit(box, 0);
    assert_near(last_value(box, "two.csv", "B." Y), sin(sin(0.5)), 1e-15);
}

// 6, 7 and 8: saving the state before the String is set would crash; the pointer to a freed state stays
// as it was; a reset would crash.
static void states_are_saved_only_after_strings_have_their_start(void **state)
{
    test_sandbox *box = *state;
    write_quirk(box, "q.fmu", description);
    test_run(box, "run", "q.fmu", "--step-control", "richardson", "--stop-time", "1", "--step-size",
             "0.1", "--output-file", "r.csv", NULL);
    assert_exit(box, 0);
    assert_true(last_value(box, "r.csv", "q." TIME) == 1);
}

// 7: an FMU that goes on a little differently after each rewind. All that rewinds still comes to an end near
// the solution.
static void states_need_not_be_restored_exactly(void **state)
{
    test_sandbox *box = *state;
    static const char *const ways[][4] = {
        {"--algorithm", "newton", "--step-control", "fixed"},
        {"--algorithm", "fixed-point", "--step-control", "fixed"},
        {"--algorithm", "newton", "--step-control", "richardson"},
        {"--algorithm", "seidel", "--step-control", "richardson"}};
    static const char *const fmus[] = {"Rough", "Rough_fmi3"}; // FMI 1.0 cannot rewind
    for (size_t k = 0; k < sizeof fmus / sizeof *fmus; k++) {
        test_ssd ssd = {0};
        test_ssd_component(&ssd, "plant", fmus[k], "in:u out:x");
        test_ssd_component(&ssd, "back", "Gain", "in:u out:y");
        test_ssd_connect(&ssd, "plant.x", "back.u");
        test_ssd_connect(&ssd, "back.y", "plant.u");
        test_ssd_write(&ssd, box, "loop.ssd", 0, 1, "step-size=\"0.01\"");
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            test_run(box, "run", "loop.ssd", ways[i][0], ways[i][1], ways[i][2], ways[i][3],
                     "--set", "back.k=-1", NULL);
            assert_exit(box, 0);
            assert_near(last_value(box, "loop.csv", "plant.x"), exp(-2), 5e-4);
        }
    }
}

// 5: worse than refusing, instances mix without a word; only copies of the library keep them apart.
static void instances_that_influence_each_other_can_be_separated(void **state)
{
    test_sandbox *box = *state;
    char text[sizeof description + 16];
    snprintf(text, sizeof text, "%s", description);
    char *guid = strstr(text, "guid='g'");
    memmove(guid + strlen("guid='shared'"), guid + strlen("guid='g'"),
            strlen(guid + strlen("guid='g'")) + 1);
    memcpy(guid, "guid='shared'", strlen("guid='shared'"));
    write_quirk(box, "q.fmu", text);
    static const char ssd[] =
        "<?xml version='1.0' encoding='UTF-8'?>\n"
        "<ssd:SystemStructureDescription "
        "xmlns:ssd='http://ssp-standard.org/SSP1/SystemStructureDescription' version='1.0' "
        "name='two'><ssd:System name='two'><ssd:Elements>\n"
        "<ssd:Component name='A' source='q.fmu' type='application/x-fmu-sharedlibrary'/>\n"
        "<ssd:Component name='B' source='q.fmu' type='application/x-fmu-sharedlibrary'/>\n"
        "</ssd:Elements></ssd:System></ssd:SystemStructureDescription>\n";
    test_write_text(box, "two.ssd", ssd);
    double last[2][2];
    for (int i = 0; i < 2; i++) { // the second time without B's part
        test_run(box, "run", "two.ssd", "--step-size", "0.5", "--stop-time", "1",
                 "--separate-libraries", "--set", "A.u=0.5", "--set", i ? "B.u=0" : "B.u=1", NULL);
        assert_exit(box, 0);
        last[i][0] = last_value(box, "two.csv", "A." Y);
        test_run(box, "run", "two.ssd", "--step-size", "0.5", "--stop-time", "1", "--set",
                 "A.u=0.5", "--set", i ? "B.u=0" : "B.u=1", NULL);
        assert_exit(box, 0);
        last[i][1] = last_value(box, "two.csv", "A." Y);
    }
    assert_true(last[0][0] == last[1][0]);
    assert_true(last[0][1] != last[1][1]); // so the FMU does show the quirk
}

// 9: FMUs say that they need a tool, and run alone.
static void a_needed_tool_is_only_a_warning(void **state)
{
    test_sandbox *box = *state;
    write_quirk(box, "q.fmu", description);
    assert_runs(box, "q.fmu");
    assert_contains(box->err, "says that it needs the tool that made it to run");
}

// 10: an input may not be set before initialization; the FMU would fail.
static void inputs_are_set_during_initialization(void **state)
{
    test_sandbox *box = *state;
    write_quirk(box, "q.fmu", description);
    assert_runs(box, "q.fmu");
    test_results r;
    test_results_read(&r, box, "r.csv");
    assert_near(test_result(&r, 0, "q." Y), sin(0.5), 1e-15);
    test_results_clear(&r);
}

// 11: of a negated alias only the sign differs, and that is left to the importer.
static void negated_aliases_of_fmi_1_are_negated(void **state)
{
    test_sandbox *box = *state;
    static const char text[] =
        "<fmiModelDescription fmiVersion='1.0' modelName='T' modelIdentifier='tiny1' "
        "guid='{tiny1}' numberOfContinuousStates='0' numberOfEventIndicators='0'><ModelVariables>"
        "<ScalarVariable name='u' valueReference='0'><Real/></ScalarVariable>"
        "<ScalarVariable name='minus u' valueReference='0' causality='input' alias='negatedAlias'>"
        "<Real/></ScalarVariable>"
        "<ScalarVariable name='x' valueReference='1' causality='output'><Real/></ScalarVariable>"
        "<ScalarVariable name='minus x' valueReference='1' causality='output' "
        "alias='negatedAlias'><Real/></ScalarVariable>"
        "</ModelVariables><Implementation><CoSimulation_StandAlone><Capabilities/>"
        "</CoSimulation_StandAlone></Implementation></fmiModelDescription>";
    const test_entry entries[] = {{.name = "modelDescription.xml", .data = text},
                                  {.name = "binaries/linux64/tiny1.so", .file = TEST_TINY1}};
    write_fmu(box, "one.fmu", entries, 2);
    test_run(box, "run", "one.fmu", "--stop-time", "1", "--step-size", "0.5", "--set", "minus u=3",
             NULL);
    assert_exit(box, 0);
    assert_near(last_value(box, "one.csv", "one.x"), -3, 1e-15);
    assert_near(last_value(box, "one.csv", "one.minus x"), 3, 1e-15);
}

// 12: an FMU ends the simulation.
static void an_fmu_may_end_the_simulation(void **state)
{
    test_sandbox *box = *state;
    test_link(box, "fmus", TEST_FMUS);
    test_run(box, "run", "fmus/Misbehave.fmu", "--set", "what=3", "--set", "when=0.5",
             "--stop-time", "1", "--step-size", "0.1", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "instance 'Misbehave' ended the simulation");
}

// ---- descriptions ----------------------------------------------------------------------------------

// 13: ISO-8859-1, no encoding at all, line ends of old Macs, numbers for characters, blanks and commas in
// names, value references above 2^31.
static void odd_descriptions_are_read(void **state)
{
    test_sandbox *box = *state;
    static const char old_mac[] = "<?xml version='1.0' encoding='ISO-8859-1'?>\r"
                                  "<fmiModelDescription fmiVersion='2.0' modelName='Gr\xf6\xdf"
                                  "e' guid='g'>\r"
                                  "<CoSimulation modelIdentifier='quirk'/>\r" QUIRK_VARIABLES;
    static const char without_encoding[] =
        "<fmiModelDescription fmiVersion='2.0' modelName='Gr\xc3\xb6\xc3\x9f"
        "e' guid='g'>"
        "<CoSimulation modelIdentifier='quirk'/>" QUIRK_VARIABLES;
    static const char *const texts[] = {old_mac, without_encoding};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        write_quirk(box, "q.fmu", texts[i]);
        assert_runs(box, "q.fmu");
        char *csv = test_read_file(box, "r.csv", NULL);
        assert_contains(csv, "time,\"q." Y "\",q." TIME "\n");
        free(csv);
        test_run(box, "info", "q.fmu", NULL);
        assert_contains(box->out, "Größe (FMI 2.0)");
    }
}

// 13: a variable that occurs twice, and a misspelt attribute.
static void wrong_descriptions_run_without_a_warning(void **state)
{
    test_sandbox *box = *state;
    static const char text[] =
        "<fmiModelDescription fmiVersion='2.0' modelName='Q' guid='g'>\n"
        "<ModelExchange modelIdentifier='quirk' completedlntegratorStepNotNeeded='true'/>\n"
        "<CoSimulation modelIdentifier='quirk'/>\n"
        "<ModelVariables><ScalarVariable name='t' valueReference='2147483650' causality='output'>"
        "<Real/></ScalarVariable>\n<ScalarVariable name='t' valueReference='2147483650'>"
        "<Real/></ScalarVariable></ModelVariables><ModelStructure><Outputs><Unknown index='1'/>"
        "</Outputs></ModelStructure></fmiModelDescription>";
    write_quirk(box, "q.fmu", text);
    test_run(box, "run", "q.fmu", "--stop-time", "1", "--step-size", "0.1", NULL);
    assert_exit(box, 0);
    assert_string_equal(box->err, "");
    test_run(box, "run", "q.fmu", "--stop-time", "1", "--log-level", "info", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "info: 3 unusual things in this file, which `takt check` of the FMU "
                              "lists; the first: ");
    test_run(box, "check", "q.fmu", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, ":5: warning: variable 't' occurs twice (first in line 4)");
    assert_contains(box->err, ":2: warning: ModelExchange has an attribute "
                              "'completedlntegratorStepNotNeeded' that FMI 2.0 does not know; did "
                              "you mean 'completedIntegratorStepNotNeeded'?");
}

// ---- archives --------------------------------------------------------------------------------------

// 14: backslashes, a description that does not come first, no entries for folders, no resources, several
// libraries, folders that nobody knows, names with blanks and umlauts, a file name that differs from the
// identifier.
static void odd_archives_are_unpacked(void **state)
{
    test_sandbox *box = *state;
    const test_entry entries[] = {
        {.name = "binaries\\linux64\\another.so", .file = TEST_TINY},
        {.name = "binaries\\linux64\\quirk.so", .file = TEST_QUIRK},
        {.name = "binaries\\x86_64\\quirk.so", .data = "nothing"},
        {.name = "binaries\\i486\\quirk.so", .data = "nothing"},
        {.name = "documentation\\_main.html", .data = "<html/>"},
        {.name = "modelDescription.xml", .data = description},
    };
    write_fmu(box, "Predator 2 für alle.fmu", entries, 6);
    assert_runs(box, "Predator 2 für alle.fmu");
    assert_near(last_value(box, "r.csv", "Predator 2 für alle." Y), sin(0.5), 1e-15);
}

static uint32_t checksum(const char *data, size_t size)
{
    uint32_t crc = 0xFFFFFFFF;
    for (size_t i = 0; i < size; i++) {
        crc ^= (unsigned char)data[i];
        for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
    }
    return ~crc;
}

typedef struct bytes {
    char *data;
    size_t length;
} bytes;

static void append(bytes *out, const void *data, size_t size)
{
    out->data = realloc(out->data, out->length + size);
    assert_non_null(out->data);
    memcpy(out->data + out->length, data, size);
    out->length += size;
}

// Appends a number, the lowest byte first.
static void put(bytes *out, int n_bytes, uint32_t number)
{
    for (int i = 0; i < n_bytes; i++) {
        char c = (char)(number >> 8 * i & 0xFF);
        append(out, &c, 1);
    }
}

// A zip entry as programs write it that do not know its size beforehand: the sizes follow the data.
static void put_streamed(bytes *out, bytes *directory, const char *name, const char *data,
                         size_t size)
{
    uint32_t place = (uint32_t)out->length, crc = checksum(data, size);
    uint32_t length = (uint32_t)strlen(name);
    const uint32_t head[][2] = {{4, 0x04034b50}, {2, 20}, {2, 8}, {2, 0},      {4, 0x21 << 16},
                                {4, 0},          {4, 0},  {4, 0}, {2, length}, {2, 0}};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) put(out, (int)head[i][0], head[i][1]);
    append(out, name, length);
    append(out, data, size);
    const uint32_t tail[] = {0x08074b50, crc, (uint32_t)size, (uint32_t)size};
    for (size_t i = 0; i < 4; i++) put(out, 4, tail[i]);
    const uint32_t entry[][2] = {{4, 0x02014b50},
                                 {2, 20},
                                 {2, 20},
                                 {2, 8},
                                 {2, 0},
                                 {4, 0x21 << 16},
                                 {4, crc},
                                 {4, (uint32_t)size},
                                 {4, (uint32_t)size},
                                 {2, length},
                                 {2, 0},
                                 {2, 0},
                                 {2, 0},
                                 {2, 0},
                                 {4, 0},
                                 {4, place}};
    for (size_t i = 0; i < sizeof entry / sizeof *entry; i++)
        put(directory, (int)entry[i][0], entry[i][1]);
    append(directory, name, length);
}

// 14: data descriptors (flag 3).
static void streamed_archives_are_unpacked(void **state)
{
    test_sandbox *box = *state;
    bytes out = {0}, directory = {0};
    size_t size = 0;
    char *library = test_read_path(TEST_QUIRK, &size);
    assert_non_null(library);
    put_streamed(&out, &directory, "binaries/linux64/quirk.so", library, size);
    put_streamed(&out, &directory, "modelDescription.xml", description, strlen(description));
    uint32_t place = (uint32_t)out.length;
    append(&out, directory.data, directory.length);
    const uint32_t end[][2] = {{4, 0x06054b50}, {2, 0}, {2, 0},
                               {2, 2},          {2, 2}, {4, (uint32_t)directory.length},
                               {4, place},      {2, 0}};
    for (size_t i = 0; i < sizeof end / sizeof *end; i++) put(&out, (int)end[i][0], end[i][1]);
    test_write_file(box, "q.fmu", out.data, out.length);
    assert_runs(box, "q.fmu");
    free(library);
    free(out.data);
    free(directory.data);
}

// Paths are handed over as URIs, whatever is in them.
static void blanks_and_umlauts_in_paths_are_encoded(void **state)
{
    test_sandbox *box = *state;
    static const char text[] =
        "<fmiModelDescription fmiVersion='1.0' modelName='T' modelIdentifier='tiny1' "
        "guid='{tiny1}' numberOfContinuousStates='0' numberOfEventIndicators='0'><ModelVariables>"
        "<ScalarVariable name='location' valueReference='1' causality='output'><String/>"
        "</ScalarVariable></ModelVariables><Implementation><CoSimulation_StandAlone><Capabilities/>"
        "</CoSimulation_StandAlone></Implementation></fmiModelDescription>";
    const test_entry entries[] = {{.name = "modelDescription.xml", .data = text},
                                  {.name = "binaries/linux64/tiny1.so", .file = TEST_TINY1}};
    write_fmu(box, "t.fmu", entries, 2);
    snprintf(box->cache, sizeof box->cache, "%.400s/mein Übungs%%Ordner", box->root);
    test_run(box, "run", "t.fmu", "--stop-time", "1", "--step-size", "1", NULL);
    assert_exit(box, 0);
    char *csv = test_read_file(box, "t.csv", NULL);
    assert_contains(csv, "\"file:///");
    assert_contains(csv, "/mein%20%C3%9Cbungs%25Ordner/");
    free(csv);
}

// ---- libraries -------------------------------------------------------------------------------------

// 15: what FMUs print does not come between the results, also where they leave it in a buffer.
static void printing_fmus_do_not_spoil_results(void **state)
{
    test_sandbox *box = *state;
    write_quirk(box, "q.fmu", description);
    test_run(box, "run", "q.fmu", "--stop-time", "1", "--step-size", "0.1", "--output-file", "-",
             NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_parse(&r, box->out);
    assert_int_equal(r.n_rows, 11);
    test_results_clear(&r);
    assert_contains(box->err, "Hello from an FMU");
}

// 17: symbols that exist once per process.
static void libraries_of_cpp_run(void **state)
{
    test_sandbox *box = *state;
    const test_entry entries[] = {{.name = "binaries/linux64/quirk.so", .file = TEST_QUIRK_UNIQUE},
                                  {.name = "modelDescription.xml", .data = description}};
    write_fmu(box, "q.fmu", entries, 2);
    assert_runs(box, "q.fmu");
    assert_near(last_value(box, "r.csv", "q." Y), sin(0.5), 1e-15);
}

// An FMU without a library for this platform says which ones it has.
static void a_missing_platform_is_named(void **state)
{
    test_sandbox *box = *state;
    const test_entry entries[] = {{.name = "binaries/win64/quirk.dll", .data = "MZ"},
                                  {.name = "binaries/darwin64/quirk.dylib", .data = "x"},
                                  {.name = "modelDescription.xml", .data = description}};
    write_fmu(box, "q.fmu", entries, 3);
    test_run(box, "run", "q.fmu", "--stop-time", "1", "--binary", "native", NULL);
    assert_one_error(box, 3,
                     "binaries/linux64/quirk.so is missing; it has libraries for: darwin64 win64");
    test_run(box, "info", "q.fmu", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, "platforms   darwin64 win64");
}

// ---- sources ---------------------------------------------------------------------------------------

static const char source_description[] =
    "<fmiModelDescription fmiVersion='2.0' modelName='S' guid='g'>\n"
    "<CoSimulation modelIdentifier='src'><SourceFiles><File name='model.c'/>"
    "<File name='more/rest.c'/></SourceFiles></CoSimulation>\n"
    "<ModelVariables><ScalarVariable name='y' valueReference='0' causality='output'><Real/>"
    "</ScalarVariable></ModelVariables><ModelStructure><Outputs><Unknown index='1'/></Outputs>"
    "</ModelStructure></fmiModelDescription>";

static const char model_source[] =
    "#define FMI2_FUNCTION_PREFIX src_\n"
    "#include \"fmi2Functions.h\"\n"
    "#include \"more/rest.h\"\n"
    "#include <stdlib.h>\n"
    "fmi2Component fmi2Instantiate(fmi2String n, fmi2Type t, fmi2String g, fmi2String r,\n"
    "    const fmi2CallbackFunctions *f, fmi2Boolean v, fmi2Boolean l)\n"
    "{ return t == fmi2CoSimulation ? f->allocateMemory(1, 8) : NULL; }\n"
    "void fmi2FreeInstance(fmi2Component c) { free(c); }\n"
    "fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean a, fmi2Real b, fmi2Real d,\n"
    "    fmi2Boolean e, fmi2Real f) { return fmi2OK; }\n"
    "fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return fmi2OK; }\n"
    "fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return fmi2OK; }\n"
    "fmi2Status fmi2Terminate(fmi2Component c) { return fmi2OK; }\n"
    "fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n,\n"
    "    fmi2Real value[]) { for (size_t i = 0; i < n; i++) value[i] = rest(); return fmi2OK; }\n"
    "fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean s)\n"
    "{ return fmi2OK; }\n";

static void write_sources(test_sandbox *box, const char *rest)
{
    const test_entry entries[] = {
        {.name = "modelDescription.xml", .data = source_description},
        {.name = "sources/model.c", .data = model_source},
        {.name = "sources/more/rest.h", .data = "double rest(void);\n"},
        {.name = "sources/more/rest.c", .data = rest},
    };
    write_fmu(box, "s.fmu", entries, 4);
}

static void source_fmus_are_compiled_on_request(void **state)
{
    test_sandbox *box = *state;
    test_sandbox_empty_cache(box);
    write_sources(box, "#include <math.h>\ndouble rest(void) { return sqrt(16); }\n");
    test_run(box, "run", "s.fmu", "--stop-time", "1", NULL);
    assert_one_error(box, 3, "it has sources: give --compile-sources");
    for (int i = 0; i < 2; i++) { // the second time it is found in the cache
        test_run(box, "run", "s.fmu", "--stop-time", "1", "--compile-sources", NULL);
        assert_exit(box, 0);
        assert_near(last_value(box, "s.csv", "s.y"), 4, 0);
    }
}

static void sources_that_do_not_compile_are_told_with_the_error(void **state)
{
    test_sandbox *box = *state;
    write_sources(box, "double rest(void) { return oops; }\n");
    test_run(box, "run", "s.fmu", "--stop-time", "1", "--compile-sources", NULL);
    assert_exit(box, 3);
    assert_contains(box->err, "the sources cannot be compiled: cc ended with 1");
    assert_contains(box->err, "oops");
}

static void sources_must_be_there_and_inside(void **state)
{
    test_sandbox *box = *state;
    const test_entry entries[] = {{.name = "modelDescription.xml", .data = source_description},
                                  {.name = "sources/model.c", .data = model_source}};
    write_fmu(box, "s.fmu", entries, 2);
    test_run(box, "run", "s.fmu", "--stop-time", "1", "--compile-sources", NULL);
    assert_one_error(box, 3, "the source file sources/more/rest.c is missing");
    char text[sizeof source_description + 32];
    snprintf(text, sizeof text, "%s", source_description);
    memcpy(strstr(text, "more/rest.c"), "../../rst.c", strlen("../../rst.c"));
    const test_entry evil[] = {{.name = "modelDescription.xml", .data = text},
                               {.name = "sources/model.c", .data = model_source}};
    write_fmu(box, "s.fmu", evil, 2);
    test_run(box, "run", "s.fmu", "--stop-time", "1", "--compile-sources", NULL);
    assert_one_error(box, 3, "the source file '../../rst.c' leads out of its folder");
}

// ---- result files ----------------------------------------------------------------------------------

// 18: times that occur twice, names with commas.
static void reference_results_may_repeat_times(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "a.csv", "time,\"q." Y "\"\n0,1\n0.5,2\n0.5,3\n1,4\n");
    test_write_text(box, "b.csv", "\"time\",\"q." Y "\"\n0,1\n0.5,2\n0.5,3\n1,4\n");
    test_run(box, "compare", "a.csv", "b.csv", NULL);
    assert_exit(box, 0);
}

// 18: names with commas, and no quotes around them; names without the instance; words for Booleans; bytes.
static void reference_results_of_other_programs_are_understood(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "a.csv",
                    "time,\"q." Y "\",\"q.x[1,2]\",q.b,q.s\n0,1,7,0,\"6f6f\"\n1,4,8,1,\"6f6f\"\n");
    test_write_text(box, "b.csv", "time," Y ",x[1,2],b,s\n0,1,7,false,6f6f\n1,4,8,true,6f6f\n");
    test_run(box, "compare", "a.csv", "b.csv", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, "4 columns, 2 rows");
    test_write_text(box, "b.csv", "time," Y ",x[1,2],b,s\n0,1,7,false,6f6f\n1,5,8,false,6f6e\n");
    test_run(box, "compare", "a.csv", "b.csv", NULL);
    assert_exit(box, 6);
    assert_contains(box->out, "differs from b.csv in 3 of 4 columns");
    test_write_text(box, "b.csv", "time,a,b,c\n0,1,2\n");
    test_run(box, "compare", "a.csv", "b.csv", NULL);
    assert_exit(box, 3);
    assert_contains(box->err, "b.csv:2: error: the row has 3 cells, the header 4");
}

// 18: the same in files for inputs.
static void input_files_may_have_names_without_quotes(void **state)
{
    test_sandbox *box = *state;
    static const char text[] =
        "<fmiModelDescription fmiVersion='2.0' modelName='Q' guid='g'>\n"
        "<CoSimulation modelIdentifier='quirk'/><ModelVariables>\n"
        "<ScalarVariable name='der(u,1)' valueReference='2147483648' causality='input'>"
        "<Real start='0'/></ScalarVariable>\n"
        "<ScalarVariable name='y' valueReference='2147483649' causality='output'><Real/>"
        "</ScalarVariable></ModelVariables>\n"
        "<ModelStructure><Outputs><Unknown index='2'/></Outputs></ModelStructure>"
        "</fmiModelDescription>\n";
    write_quirk(box, "q.fmu", text);
    test_write_text(box, "in.csv", "time,der(u,1)\n0,0.5\n1,0.5\n");
    test_run(box, "run", "q.fmu", "--input-file", "in.csv", "--stop-time", "1", "--step-size",
             "0.5", NULL);
    assert_exit(box, 0);
    assert_near(last_value(box, "q.csv", "q.y"), sin(0.5), 1e-15);
}

// Values between those of the file would be made up.
static void discrete_inputs_hold_the_values_of_a_file(void **state)
{
    test_sandbox *box = *state;
    static const char text[] =
        "<fmiModelDescription fmiVersion='2.0' modelName='Q' guid='g'>\n"
        "<CoSimulation modelIdentifier='quirk'/><ModelVariables>\n"
        "<ScalarVariable name='u' valueReference='2147483648' causality='input' "
        "variability='%s'><Real start='0'/></ScalarVariable>\n"
        "<ScalarVariable name='y' valueReference='2147483649' causality='output'><Real/>"
        "</ScalarVariable></ModelVariables>\n"
        "<ModelStructure><Outputs><Unknown index='2'/></Outputs></ModelStructure>"
        "</fmiModelDescription>\n";
    const struct {
        const char *variability;
        double u; // at t = 0.5
    } cases[] = {{"continuous", 2}, {"discrete", 1}};
    test_write_text(box, "in.csv", "time,u\n0,1\n1,3\n2,3\n");
    for (size_t i = 0; i < 2; i++) {
        char own[sizeof text + 16];
        snprintf(own, sizeof own, text, cases[i].variability);
        write_quirk(box, "q.fmu", own);
        test_run(box, "run", "q.fmu", "--input-file", "in.csv", "--stop-time", "2", "--step-size",
                 "0.5", "--record", "q.*", NULL);
        assert_exit(box, 0);
        test_results r;
        test_results_read(&r, box, "q.csv");
        assert_near(test_result(&r, test_row_at(&r, 0.5), "q.u"), cases[i].u, 0);
        assert_near(test_result(&r, r.n_rows - 1, "q.u"), 3, 0);
        test_results_clear(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(the_mathematical_library_is_always_there),
        test_in_sandbox(missing_functions_and_prefixes_do_no_harm),
        test_in_sandbox(no_step_goes_beyond_the_stop_time),
        test_in_sandbox(times_can_be_added_up),
        test_in_sandbox(an_fmu_that_refuses_a_second_instance_gets_a_copy),
        test_in_sandbox(instances_that_influence_each_other_can_be_separated),
        test_in_sandbox(states_are_saved_only_after_strings_have_their_start),
        test_in_sandbox(states_need_not_be_restored_exactly),
        test_in_sandbox(discrete_inputs_hold_the_values_of_a_file),
        test_in_sandbox(a_needed_tool_is_only_a_warning),
        test_in_sandbox(inputs_are_set_during_initialization),
        test_in_sandbox(negated_aliases_of_fmi_1_are_negated),
        test_in_sandbox(an_fmu_may_end_the_simulation),
        test_in_sandbox(odd_descriptions_are_read),
        test_in_sandbox(wrong_descriptions_run_without_a_warning),
        test_in_sandbox(odd_archives_are_unpacked),
        test_in_sandbox(streamed_archives_are_unpacked),
        test_in_sandbox(blanks_and_umlauts_in_paths_are_encoded),
        test_in_sandbox(printing_fmus_do_not_spoil_results),
        test_in_sandbox(libraries_of_cpp_run),
        test_in_sandbox(a_missing_platform_is_named),
        test_in_sandbox(source_fmus_are_compiled_on_request),
        test_in_sandbox(sources_that_do_not_compile_are_told_with_the_error),
        test_in_sandbox(sources_must_be_there_and_inside),
        test_in_sandbox(reference_results_may_repeat_times),
        test_in_sandbox(reference_results_of_other_programs_are_understood),
        test_in_sandbox(input_files_may_have_names_without_quotes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
