// SPDX-License-Identifier: MIT
// Help texts, made from the tables of commands and options.
#include "help.h"

#include <string.h>

#include "option_list.h"
#include "terminal.h"

enum { NAME_COLUMN = 2, HELP_COLUMN = 34, NARROW_HELP_COLUMN = 8, WIDE = 70 };

void cli_print_wrapped(FILE *file, const char *text, int indent, int width)
{
    int column = indent;
    while (*text) {
        size_t length = strcspn(text, " \n");
        char word[128];
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        int columns = cli_columns(word);
        if (column > indent && column + 1 + columns > width) {
            fprintf(file, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', file);
            column++;
        }
        fputs(word, file);
        column += columns;
        text += length < sizeof word ? length : sizeof word - 1;
        while (*text == ' ' || *text == '\n') text++;
    }
    fputc('\n', file);
}

typedef struct help_page {
    FILE *file;
    int width, help_column;
    const cli_option *hidden; ///< where settings lie that are not listed; NULL: all are
} help_page;

static bool print_option(void *context, const cli_option *option)
{
    const help_page *page = context;
    if (option == page->hidden) return false;
    if (option->heading) {
        char heading[128];
        snprintf(heading, sizeof heading, "%s:", option->heading);
        fputc('\n', page->file);
        cli_print_wrapped(page->file, heading, 0, page->width);
    }
    char left[128], help[512];
    char letter[8] = "    ";
    if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(left, sizeof left, "%s--%s%s%s", letter, option->name, option->argument ? " " : "",
             option->argument ? option->argument : "");
    bool tell_default = option->argument && option->default_text && *option->default_text;
    snprintf(help, sizeof help, "%s%s%s%s", option->help, tell_default ? " (default: " : "",
             tell_default ? option->default_text : "", tell_default ? ")" : "");
    fprintf(page->file, "%*s%s", NAME_COLUMN, "", left);
    int column = NAME_COLUMN + cli_columns(left);
    if (column + 2 > page->help_column)
        fprintf(page->file, "\n%*s", page->help_column, "");
    else
        fprintf(page->file, "%*s", page->help_column - column, "");
    cli_print_wrapped(page->file, help, page->help_column, page->width);
    return false;
}

// Lines "command\tmeaning\n": the commands are aligned, the meanings follow.
static void print_examples(const help_page *page, const char *examples)
{
    fprintf(page->file, "\nExamples:\n");
    while (*examples) {
        size_t command = strcspn(examples, "\t\n");
        fprintf(page->file, "  %.*s\n", (int)command, examples);
        examples += command;
        if (*examples == '\t') examples++;
        size_t meaning = strcspn(examples, "\n");
        if (meaning) fprintf(page->file, "      %.*s\n", (int)meaning, examples);
        examples += meaning;
        if (*examples == '\n') examples++;
    }
}

void cli_help(const cli_command *command, FILE *file)
{
    int width = cli_terminal_width(file, 40, 100);
    help_page page = {file, width, width < WIDE ? NARROW_HELP_COLUMN : HELP_COLUMN, NULL};
    cli_option room;
    if (!command->lists_settings) page.hidden = &room;
    fprintf(file, "Usage: takt %s %s\n\n", command->name, command->operands);
    cli_print_wrapped(file, command->details, 0, width);
    cli_option_each(command, print_option, &page, &room);
    if (command->has_settings && !command->lists_settings) {
        fputc('\n', file);
        cli_print_wrapped(
            file,
            "All settings of 'takt run' (its help lists them) can be given, too, and win "
            "over those of the project.",
            0, width);
    }
    if (command->examples) print_examples(&page, command->examples);
}
