// SPDX-License-Identifier: MIT
// Reading the command line by the table of the command; see options.h.
//
// `--name value` and `--name=value` are the same; a value that starts with `--` needs the second
// form, so that a forgotten value is noticed. `--` ends the options.
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "option_list.h"
#include "support.h"

// ---- finding an option -------------------------------------------------------------------------

typedef struct wanted {
    const char *name; ///< NULL: by letter
    size_t length;
    char letter;
} wanted;

static bool is_wanted(void *context, const cli_option *option)
{
    const wanted *w = context;
    if (!w->name) return option->letter && option->letter == w->letter;
    return strlen(option->name) == w->length && strncmp(option->name, w->name, w->length) == 0;
}

typedef struct name_list {
    const char **items;
    int n_items, capacity;
} name_list;

static bool collect_name(void *context, const cli_option *option)
{
    name_list *names = context;
    if (cli_grow(&names->items, names->n_items, &names->capacity, sizeof *names->items))
        names->items[names->n_items++] = option->name;
    return false;
}

static const char *name_at(void *context, int i)
{
    return ((name_list *)context)->items[i];
}

static takt_status fail_unknown(const cli_command *command, const char *word, size_t length,
                                takt_error *err)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    const char *bare = name + strspn(name, "-");
    name_list names = {0};
    cli_option room;
    cli_option_each(command, collect_name, &names, &room);
    const char *nearest = takt_text_nearest(bare, names.n_items, name_at, &names);
    free(names.items);
    if (nearest)
        return cli_fail(err, TAKT_ERR_USAGE, "unknown option '%s'; did you mean '--%s'?", name,
                        nearest);
    return cli_fail(err, TAKT_ERR_USAGE, "unknown option '%s'; see 'takt %s --help'", name,
                    command->name);
}

// ---- storing values ----------------------------------------------------------------------------

// Which of the words in "text|dot|json" is it? -1: none.
static int choice_index(const char *choices, const char *value)
{
    size_t length = strlen(value);
    int i = 0;
    for (const char *word = choices;; i++) {
        size_t n = strcspn(word, "|");
        if (n == length && strncmp(word, value, n) == 0) return i;
        if (!word[n]) return -1;
        word += n + 1;
    }
}

static takt_status store_choice(const cli_option *option, const char *value, int *out,
                                takt_error *err)
{
    int i = choice_index(option->argument, value);
    if (i < 0)
        return cli_fail(err, TAKT_ERR_USAGE, "--%s: '%s' is none of %s", option->name, value,
                        option->argument);
    *out = i;
    return TAKT_OK;
}

static takt_status store_number(const cli_option *option, const char *value, double *out,
                                takt_error *err)
{
    double number;
    bool is_time = option->kind == CLI_TIME;
    bool is_number = is_time ? takt_number_read_duration(value, &number)
                             : takt_number_read(value, value + strlen(value), &number);
    if (!is_number || !(number >= 0) || number > 1e300)
        return cli_fail(err, TAKT_ERR_USAGE, "--%s: '%s' is not a %s from 0 on", option->name,
                        value, is_time ? "time" : "number");
    *out = number;
    return TAKT_OK;
}

static takt_status store_setting(cli_arguments *arguments, const cli_option *option,
                                 const char *value, takt_error *err)
{
    if (!cli_grow(&arguments->settings, arguments->n_settings, &arguments->setting_capacity,
                  sizeof *arguments->settings))
        return cli_fail_memory(err);
    // The name of a setting lives as long as the library; `option` itself may not.
    arguments->settings[arguments->n_settings++] = (cli_setting){option->name, value};
    return TAKT_OK;
}

// `value` is NULL for a flag.
static takt_status store(cli_arguments *arguments, const cli_option *option, const char *value,
                         takt_error *err)
{
    void *target = (char *)arguments->options + option->offset;
    switch (option->kind) {
    case CLI_FLAG:
        if (strcmp(option->name, "help") == 0)
            arguments->wants_help = true;
        else if (strcmp(option->name, "version") == 0)
            arguments->wants_version = true;
        else
            *(bool *)target = true;
        return TAKT_OK;
    case CLI_TEXT: *(const char **)target = value ? value : ""; return TAKT_OK;
    case CLI_NUMBER:
    case CLI_TIME: return store_number(option, value, target, err);
    case CLI_CHOICE: return store_choice(option, value, target, err);
    case CLI_SETTING: return store_setting(arguments, option, value ? value : "true", err);
    }
    return TAKT_OK;
}

// ---- reading -----------------------------------------------------------------------------------

static takt_status fail_no_value(const cli_option *option, takt_error *err)
{
    return cli_fail(err, TAKT_ERR_USAGE, "--%s needs a value: --%s %s", option->name, option->name,
                    option->argument);
}

static bool is_optional(const cli_option *option)
{
    return option->argument && option->argument[0] == '[';
}

// Is the word behind an option its optional value? One that may be the file, or is one, stays that.
static bool is_value(const cli_command *command, const cli_arguments *arguments, int n_words,
                     char **words, int i)
{
    return i < n_words && words[i][0] != '-' && arguments->n_operands >= command->min_operands &&
           access(words[i], F_OK) != 0;
}

// Reads the option at words[*i] and moves *i to its last word.
static takt_status read_option(const cli_command *command, cli_arguments *arguments, int n_words,
                               char **words, int *i, takt_error *err)
{
    const char *word = words[*i];
    bool is_long = word[1] == '-';
    size_t length = is_long ? strcspn(word, "=") : 2;
    wanted w = {is_long ? word + 2 : NULL, length - 2, word[1]};
    cli_option room;
    const cli_option *option = cli_option_each(command, is_wanted, &w, &room);
    if (!option) return fail_unknown(command, word, is_long ? length : strlen(word), err);

    const char *value = word[length] ? word + length + is_long : NULL;
    bool may_have_value = option->argument || option->kind == CLI_SETTING;
    if (value && !may_have_value)
        return cli_fail(err, TAKT_ERR_USAGE, "--%s takes no value, but got '%s'", option->name,
                        value);
    if (!value && is_optional(option)) {
        if (is_value(command, arguments, n_words, words, *i + 1)) value = words[++*i];
    } else if (!value && option->argument) {
        if (*i + 1 >= n_words || strncmp(words[*i + 1], "--", 2) == 0)
            return fail_no_value(option, err);
        value = words[++*i];
    }
    if (value && !*value) return fail_no_value(option, err);
    return store(arguments, option, value, err);
}

static takt_status check_operands(const cli_command *command, const cli_arguments *arguments,
                                  takt_error *err)
{
    if (arguments->wants_help || arguments->wants_version) return TAKT_OK;
    if (arguments->n_operands < command->min_operands)
        return cli_fail(err, TAKT_ERR_USAGE, "too few arguments; usage: takt %s %s", command->name,
                        command->operands);
    for (int i = 0; i < arguments->n_operands; i++)
        if (!*arguments->operands[i])
            return cli_fail(err, TAKT_ERR_USAGE, "the name of a file is empty; usage: takt %s %s",
                            command->name, command->operands);
    if (arguments->n_operands > command->max_operands)
        return cli_fail(err, TAKT_ERR_USAGE, "unexpected argument '%s'; usage: takt %s %s",
                        arguments->operands[command->max_operands], command->name,
                        command->operands);
    return TAKT_OK;
}

takt_status cli_arguments_read(const cli_command *command, int n_words, char **words,
                               cli_arguments *out, takt_error *err)
{
    *out = (cli_arguments){.options = calloc(1, command->options_size)};
    if (!out->options) return cli_fail_memory(err);
    if (command->defaults) memcpy(out->options, command->defaults, command->options_size);

    bool options_ended = false;
    takt_status st = TAKT_OK;
    for (int i = 0; !st && i < n_words; i++) {
        if (!options_ended && strcmp(words[i], "--") == 0) {
            options_ended = true;
        } else if (!options_ended && words[i][0] == '-' && words[i][1]) {
            st = read_option(command, out, n_words, words, &i, err);
        } else if (cli_grow(&out->operands, out->n_operands, &out->operand_capacity,
                            sizeof *out->operands)) {
            out->operands[out->n_operands++] = words[i];
        } else {
            st = cli_fail_memory(err);
        }
    }
    return st ? st : check_operands(command, out, err);
}

void cli_arguments_clear(cli_arguments *arguments)
{
    free(arguments->options);
    free(arguments->operands);
    free(arguments->settings);
    *arguments = (cli_arguments){0};
}
