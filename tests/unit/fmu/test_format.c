// SPDX-License-Identifier: MIT
#include "support/test.h"

#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fmu/format.h"

static char out[200];

// No attribute for the compiler: the formats are wrong on purpose.
static const char *format(const char *text, ...)
{
    va_list arguments;
    va_start(arguments, text);
    memset(out, 'x', sizeof out);
    takt_fmu_format(out, sizeof out, text, arguments);
    va_end(arguments);
    return out;
}

static void formats_mean_what_they_do_in_printf(void **state)
{
    (void)state;
    assert_string_equal(format("plain"), "plain");
    assert_string_equal(format("%d %i %5d|%-5d|%05d|%+d", 1, -2, 3, 4, 5, 6),
                        "1 -2     3|4    |00005|+6");
    assert_string_equal(format("%u %x %X %#o", 7u, 255u, 255u, 8u), "7 ff FF 010");
    assert_string_equal(
        format("%ld %lld %zu %jd %hhd %hu", -1L, 1LL << 40, (size_t)9, (intmax_t)8, 300, 65537),
        "-1 1099511627776 9 8 44 1");
    assert_string_equal(format("%g %.3f %8.2e|%Lg", 0.5, 2.0, 12345.678, 1.5L),
                        "0.5 2.000 1.23e+04|1.5");
    assert_string_equal(format("%s and %.2s|%6s|%-4s|%c%%", "text", "abc", "r", "l", 'z'),
                        "text and ab|     r|l   |z%");
    assert_string_equal(format("%*d|%-*d|%.*f|%.*s", 4, 1, 4, 2, 1, 0.25, 1, "xy"),
                        "   1|2   |0.2|x");
}

static void texts_that_are_no_formats_stay_as_they_are(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "100% done", "50 % of it", "%n",   "%d %n %s", "%1000000d", "%.99999f", "%",     "%5",
        "%q",        "%hhhd",      "%lhd", "%Ld%S",    "%1$s %2$n", "%m",       "%-+#0*"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_string_equal(format(texts[i], 1, 2, 3), texts[i]);
}

static void enormous_widths_are_limited(void **state)
{
    (void)state;
    char big[4000];
    assert_int_equal(strlen(format("%*d", 2000000000, 1)), sizeof out - 1);
    assert_int_equal(strlen(format("%*d", -2000000000, 1)), sizeof out - 1);
    memset(big, 'a', sizeof big);
    big[sizeof big - 1] = 0;
    assert_int_equal(strlen(format("%s", big)), sizeof out - 1);
    assert_int_equal(strlen(format(big)), sizeof out - 1);
}

static void pointers_that_lead_nowhere_are_not_followed(void **state)
{
    (void)state;
    assert_string_equal(format("a %s b", NULL), "a (null) b");
    assert_string_equal(format("%s", (const char *)1), "(no text)");
    assert_string_equal(format("%s", (const char *)0x0000dead00000000), "(no text)");
    assert_string_equal(format("%s", (const char *)(uintptr_t)-1), "(no text)");
    assert_string_equal(format("%.3s|", (const char *)16), "(no|");
}

// A text that ends with the last byte before memory that is not there.
static void texts_at_the_end_of_memory_are_read(void **state)
{
    (void)state;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    assert_int_equal(mprotect(memory + page, page, PROT_NONE), 0);
    memcpy(memory + page - 6, "hello", 6);
    assert_string_equal(format("%s", memory + page - 6), "hello");
    memset(memory + page - 6, 'x', 6); // without an end
    assert_string_equal(format("%s", memory + page - 6), "(no text)");
    munmap(memory, 2 * page);
}

// What is in the registers is taken for the arguments; nothing worse may happen than a strange text.
static void missing_arguments_do_no_harm(void **state)
{
    (void)state;
    format("%s %s %s %s %s %s %s %s %s %s %s %s");
    assert_true(strlen(out) < sizeof out);
    format("%d %f %s %p %Lg %zu %s");
    assert_true(strlen(out) < sizeof out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_mean_what_they_do_in_printf),
        cmocka_unit_test(texts_that_are_no_formats_stay_as_they_are),
        cmocka_unit_test(enormous_widths_are_limited),
        cmocka_unit_test(pointers_that_lead_nowhere_are_not_followed),
        cmocka_unit_test(texts_at_the_end_of_memory_are_read),
        cmocka_unit_test(missing_arguments_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
