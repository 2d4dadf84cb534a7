// SPDX-License-Identifier: MIT
// `takt completion`: what shells need to complete words of the command line, and the manual page, made from the tables of
// commands and options. Scripts ask `takt completion variables FILE`, `components FILE` or `columns FILE` for
// the names in the file at hand.
#include <string.h>

#include "commands.h"
#include "option_list.h"
#include "session.h"
#include "support.h"

typedef struct completion_options {
    bool nothing;
} completion_options;

// ---- tables ----------------------------------------------------------------------------------------

// The words of an option's value, "text|dot|json", or those of a setting; NULL: any text.
static const char *choices_of(const cli_option *option)
{
    static const char separators[] = "|";
    bool is_list = option->argument && strpbrk(option->argument, separators) &&
                   !strpbrk(option->argument, " <[=.");
    return is_list ? option->argument : NULL;
}

static const char *const *setting_choices(const char *name)
{
    for (int i = 0; takt_setting(i); i++)
        if (strcmp(takt_setting(i)->name, name) == 0) return takt_setting_choices(i);
    return NULL;
}

// Prints the words of an option's value, separated by blanks; false: there are none.
static bool print_choices(const cli_option *option)
{
    const char *words = choices_of(option);
    const char *const *names = option->kind == CLI_SETTING ? setting_choices(option->name) : NULL;
    for (const char *c = words; c && *c; c++) putchar(*c == '|' ? ' ' : *c);
    for (int i = 0; names && names[i]; i++) printf("%s%s", i ? " " : "", names[i]);
    return words || names;
}

static bool has_choices(const cli_option *option)
{
    return choices_of(option) || (option->kind == CLI_SETTING && setting_choices(option->name));
}

// Which names of the file at hand the value begins with: "variables", "components", or "columns" of results; NULL: none.
static const char *names_of(const cli_option *option)
{
    static const char *const options[][2] = {
        {"set", "variables"},           {"unset", "variables"},
        {"connect", "variables"},       {"disconnect", "variables"},
        {"record", "variables"},        {"record-exclude", "variables"},
        {"remove", "components"},       {"rename", "components"},
        {"isolate", "components"},      {"one-thread", "components"},
        {"step-size-of", "components"}, {"record-connected", "components"},
        {"column", "columns"},          {"over", "columns"}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strcmp(options[i][0], option->name) == 0) return options[i][1];
    return NULL;
}

// Is what a command works on one of several words: "bash|zsh|fish"?
static bool has_words(const cli_command *command)
{
    return strchr(command->operands, '|') && !strpbrk(command->operands, " [.");
}

// Those words, with blanks between them.
static void print_words(const cli_command *command)
{
    for (const char *c = command->operands; *c; c++) putchar(*c == '|' ? ' ' : *c);
}

// Is there nothing to complete behind the '=' of NAME=VALUE?
static bool is_value_free(const cli_option *option)
{
    return names_of(option) && strcmp(option->name, "connect") != 0;
}

// The files in which names are looked for, as patterns of shells between `separator`s.
static void print_files(const char *begin, const char *separator)
{
    static const char *const endings[] = {"fmu", "ssp", "ssd", "msim", "xml", "csv", "tsv", "mat"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        printf("%s%s%s", i ? separator : "", begin, endings[i]);
}

static void for_each(const cli_command *command,
                     bool (*act)(void *context, const cli_option *option))
{
    cli_option room;
    cli_option_each(command, act, (void *)command, &room);
}

// ---- bash ------------------------------------------------------------------------------------------

static bool print_long(void *context, const cli_option *option)
{
    (void)context;
    printf(" --%s", option->name);
    return false;
}

static bool print_bash_values(void *context, const cli_option *option)
{
    const cli_command *command = context;
    if (has_choices(option)) {
        printf("        %s:--%s) words=\"", command->name, option->name);
        print_choices(option);
        printf("\" ;;\n");
    } else if (names_of(option)) {
        printf("        %s:--%s) _takt_names %s \"$cur\"; return ;;\n", command->name, option->name,
               names_of(option));
    }
    return false;
}

static bool print_bash_free(void *context, const cli_option *option)
{
    const cli_command *command = context;
    if (is_value_free(option)) printf("%s:--%s|", command->name, option->name);
    return false;
}

// Names come from files that others have made: they are never expanded (compgen -W would do that), and quoted for
// the command line. A word of the line is as the user typed it, with quotes, and ends at '='.
static const char bash_begin[] = "_takt_names() {\n"
                                 "    local word name found=\"\" begin=\"$2\"\n"
                                 "    compopt +o filenames 2>/dev/null\n"
                                 "    begin=\"${begin#[\\\"\\']}\"\n"
                                 "    for word in \"${COMP_WORDS[@]:1}\"; do\n"
                                 "        case \"$word\" in -*) [ \"$found\" ] && return ;; esac\n"
                                 "        word=\"$(xargs printf %s 2>/dev/null <<<\"$word\")\"\n"
                                 "        case \"$word\" in ";
static const char bash_names[] =
    ") ;; *) continue ;; esac\n"
    "        while IFS= read -r name; do\n"
    "            [[ \"$name\" == \"${begin//\\\\/}\"* ]] && COMPREPLY+=(\"$(printf %q "
    "\"$name\")\")\n"
    "        done < <(takt completion \"$1\" \"${word/#\\~\\//$HOME/}\" 2>/dev/null)\n"
    "        found=1\n"
    "    done\n"
    "}\n"
    "_takt() {\n"
    "    local cur=\"${COMP_WORDS[COMP_CWORD]}\" prev=\"${COMP_WORDS[COMP_CWORD-1]}\" "
    "command=\"${COMP_WORDS[1]}\" words=\"\" i=$COMP_CWORD\n"
    "    local commands=\"help";
static const char bash_words[] =
    "\"\n"
    "    COMPREPLY=()\n"
    "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
    "        COMPREPLY=($(compgen -W \"$commands\" -- \"$cur\"))\n"
    "        _takt_files\n"
    "        return\n"
    "    fi\n"
    "    case \" $commands \" in *\" $command \"*) ;; *) command=run ;; esac\n"
    "    [ \"$cur\" = = ] && cur=\"\" prev== i=$((i+1))\n"
    "    if [ \"$prev\" = = ]; then\n"
    "        prev=\"${COMP_WORDS[i-2]}\"\n"
    "        case \"$prev\" in --*) ;; *) prev=\"${COMP_WORDS[i-3]}\"\n"
    "            [ \"$prev\" = = ] && prev=\"${COMP_WORDS[i-4]}\"\n"
    "            case \"$command:$prev\" in ";
static const char bash_files[] = "_takt_files() {\n"
                                 "    local name\n"
                                 "    while IFS= read -r name; do COMPREPLY+=(\"$name\"); done "
                                 "< <(compgen -f -- \"$cur\")\n"
                                 "}\n";

static void print_bash(void)
{
    printf("# Completion of takt for bash, written by: takt completion bash\n%s%s", bash_files,
           bash_begin);
    print_files("*.", "|");
    printf("%s", bash_names);
    for (int i = 0; cli_commands[i]; i++) printf(" %s", cli_commands[i]->name);
    printf("%s", bash_words);
    for (int i = 0; cli_commands[i]; i++) for_each(cli_commands[i], print_bash_free);
    printf("-) return ;; esac ;;\n        esac\n    fi\n    case \"$command:$prev\" in\n");
    for (int i = 0; cli_commands[i]; i++) {
        const char *name = cli_commands[i]->name;
        for_each(cli_commands[i], print_bash_values);
        if (!has_words(cli_commands[i])) continue;
        printf("        %s:%s) words=\"", name, name);
        print_words(cli_commands[i]);
        printf("\" ;;\n");
    }
    printf("        help:*) words=\"$commands\" ;;\n    esac\n"
           "    if [ -z \"$words\" ] && [ \"${cur#-}\" != \"$cur\" ]; then\n"
           "        case \"$command\" in\n");
    for (int i = 0; cli_commands[i]; i++) {
        printf("        %s) words=\"", cli_commands[i]->name);
        for_each(cli_commands[i], print_long);
        printf("\" ;;\n");
    }
    printf("        esac\n    fi\n"
           "    if [ -n \"$words\" ]; then\n"
           "        COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
           "    else\n"
           "        _takt_files\n"
           "    fi\n"
           "}\n"
           "complete -o filenames -F _takt takt\n");
}

// ---- zsh and fish ----------------------------------------------------------------------------------

// A text between single quotes, as both shells read it.
static void print_quoted(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (*text == '[' || *text == ']' || *text == ':')
            putchar(' '); // they mean something in zsh
        else
            putchar(*text);
    }
}

static bool print_zsh_option(void *context, const cli_option *option)
{
    (void)context;
    printf("            '*--%s%s[", option->name, option->argument ? "=" : "");
    print_quoted(option->help);
    printf("]");
    if (option->argument) {
        printf(":value:");
        if (has_choices(option)) {
            printf("(");
            print_choices(option);
            printf(")");
        } else if (names_of(option)) {
            printf("{_takt_add %s %s}", names_of(option), is_value_free(option) ? "" : "pair");
        } else {
            printf(strchr(option->argument, '=') ? "{compset -P \"*=\"; _files}" : "_files");
        }
    }
    printf("' \\\n");
    return false;
}

static void print_zsh(void)
{
    printf("#compdef takt\n# Completion of takt for zsh, written by: takt completion zsh\n"
           "_takt_names() {\n"
           "    local word found=\n"
           "    for word in ${words[2,-1]}; do\n"
           "        case ${(Q)word} in (-*) [[ -n $found ]] && return ;; (");
    print_files("*.", "|");
    printf(") word=${(Q)word}; takt completion $1 ${word/#\\~\\//$HOME/} 2>/dev/null; found=1 ;; "
           "esac\n"
           "    done\n"
           "}\n"
           "_takt_add() {\n"
           "    local -a names=(${(f)\"$(_takt_names $1)\"})\n"
           "    [[ -n $2 ]] && compset -P '*='\n"
           "    compadd -a names\n"
           "}\n"
           "_takt() {\n    local command=${words[2]}\n"
           "    if (( CURRENT == 2 )); then\n        local -a commands=(\n");
    for (int i = 0; cli_commands[i]; i++) {
        printf("            '%s:", cli_commands[i]->name);
        print_quoted(cli_commands[i]->summary);
        printf("'\n");
    }
    printf("        )\n        _describe command commands\n        _files\n        return\n    fi\n"
           "    case $command in (");
    for (int i = 0; cli_commands[i]; i++) printf("%s%s", i ? "|" : "", cli_commands[i]->name);
    printf("|help) ;; (*) command=run ;; esac\n    case $command in\n");
    for (int i = 0; cli_commands[i]; i++) {
        printf("        (%s) _arguments \\\n", cli_commands[i]->name);
        for_each(cli_commands[i], print_zsh_option);
        printf(has_words(cli_commands[i]) ? "            '2:word:("
                                          : "            '*:file:_files' ;;\n");
        if (!has_words(cli_commands[i])) continue;
        print_words(cli_commands[i]);
        printf(")' ;;\n");
    }
    printf("    esac\n}\n_takt \"$@\"\n");
}

static bool print_fish_option(void *context, const cli_option *option)
{
    const cli_command *command = context;
    printf("complete -c takt -n '__takt_is %s' -l %s", command->name, option->name);
    if (option->letter) printf(" -s %c", option->letter);
    if (option->argument && option->argument[0] != '[') printf(" -r");
    if (has_choices(option)) {
        printf(" -f -a '");
        print_choices(option);
        printf("'");
    } else if (names_of(option)) {
        printf(" -f -a '(__takt_names %s)'", names_of(option));
    }
    printf(" -d '");
    print_quoted(option->help);
    printf("'\n");
    return false;
}

static void print_fish(void)
{
    printf("# Completion of takt for fish, written by: takt completion fish\n"
           "function __takt_names --argument-names kind\n"
           "    set -l begin\n"
           "    set -l words (commandline -opc) (string split -m 1 '=' -- (commandline -ct))\n"
           "    if string match -q -- '--*=*' (commandline -ct)\n"
           "        set words[-1] (string split -m 1 '=' -- (commandline -ct))[2]\n"
           "    else\n"
           "        set words (commandline -opc) (commandline -ct)\n"
           "    end\n"
           "    if string match -q -- '*=*' $words[-1]\n"
           "        test $words[-2] = --connect; or return\n"
           "        set begin (string match -r '^.*=' -- $words[-1])\n"
           "    end\n"
           "    set -l found\n"
           "    for word in (commandline -opc)\n"
           "        string match -q -- '-*' $word; and set -q found[1]; and return\n"
           "        if string match -qr '\\.(");
    print_files("", "|");
    printf(
        ")$' -- $word\n"
        "            takt completion $kind (string replace -r '^~/' $HOME/ -- $word) 2>/dev/null | "
        "string replace -r '^' -- \"$begin\"\n"
        "            set found 1\n"
        "        end\n    end\nend\n"
        "function __takt_is --argument-names wanted\n"
        "    set -l words (commandline -opc)\n"
        "    set -l command run\n"
        "    contains -- \"$words[2]\" help");
    for (int i = 0; cli_commands[i]; i++) printf(" %s", cli_commands[i]->name);
    printf("; and set command $words[2]\n    test (count $words) -gt 1; and test $command = "
           "$wanted\nend\n");
    for (int i = 0; cli_commands[i]; i++) {
        printf("complete -c takt -n __fish_use_subcommand -a %s -d '", cli_commands[i]->name);
        print_quoted(cli_commands[i]->summary);
        printf("'\n");
        for_each(cli_commands[i], print_fish_option);
        if (!has_words(cli_commands[i])) continue;
        printf("complete -c takt -n '__takt_is %s' -f -a '", cli_commands[i]->name);
        print_words(cli_commands[i]);
        printf("'\n");
    }
}

// ---- manual page -----------------------------------------------------------------------------------

// Text of a manual page: signs that roff takes for its own are escaped.
static void print_roff(const char *text)
{
    for (bool at_start = true; *text; text++, at_start = false) {
        if (at_start && (*text == '.' || *text == '\'')) fputs("\\&", stdout);
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            putchar(*text);
    }
}

static bool print_man_option(void *context, const cli_option *option)
{
    (void)context;
    printf(".TP\n.B ");
    if (option->letter) printf("\\-%c, ", option->letter);
    printf("\\-\\-");
    print_roff(option->name);
    if (option->argument) printf(" \\fI");
    if (option->argument) print_roff(option->argument);
    printf("\\fR\n");
    print_roff(option->help);
    printf(".\n");
    return false;
}

// Those of a command alone: the settings stand in a section of their own.
static void print_man_options(const cli_command *command)
{
    cli_command alone = *command;
    alone.has_settings = false;
    for_each(&alone, print_man_option);
}

static void print_examples(const cli_command *command)
{
    const char *text = command->examples;
    printf(".PP\n.EX\n");
    while (text && *text) {
        size_t length = strcspn(text, "\t\n");
        char line[512];
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        print_roff(line);
        putchar('\n');
        text += strcspn(text, "\n");
        if (*text) text++;
    }
    printf(".EE\n");
}

static void print_man(void)
{
    printf(
        ".TH TAKT 1 \"\" \"Takt %s\" \"User Commands\"\n.SH NAME\n"
        "takt \\- couples simulators (FMUs) and steps them through time together\n.SH SYNOPSIS\n",
        takt_version());
    for (int i = 0; cli_commands[i]; i++) {
        printf(".B takt %s\n", cli_commands[i]->name);
        print_roff(cli_commands[i]->operands);
        printf("\n.br\n");
    }
    printf(".SH DESCRIPTION\nTakt is a co\\-simulation master for the FMI standard. A FILE is a "
           "project (.ssp, .ssd, "
           "a folder, .msim, OspSystemStructure.xml) or an FMU (.fmu); \\fBtakt FILE\\fR is "
           "\\fBtakt run FILE\\fR.\n"
           ".SH COMMANDS\n");
    for (int i = 0; cli_commands[i]; i++) {
        printf(".SS takt %s\n", cli_commands[i]->name);
        print_roff(cli_commands[i]->details);
        printf("\n");
        print_man_options(cli_commands[i]);
        print_examples(cli_commands[i]);
    }
    printf(".SH SETTINGS\nOptions of most commands, which win over those of the project.\n");
    for (int i = 0; takt_setting(i); i++) {
        const takt_setting_info *setting = takt_setting(i);
        const cli_option option = {
            .name = setting->name, .argument = setting->argument, .help = setting->help};
        print_man_option(NULL, &option);
    }
    printf(".SH EXIT STATUS\n0 success; 1 the simulation failed; 2 wrong usage; 3 invalid input; 4 "
           "an FMU "
           "crashed; 5 timeout; 6 a comparison differs; 130 interrupted.\n");
}

// ---- names of a file ---------------------------------------------------------------------------------

static void print_component(const takt_system *system, int component, bool has_variables)
{
    takt_model_info model = {.size = sizeof model};
    if (takt_system_get_model(system, component, &model, NULL)) return;
    if (!has_variables) {
        puts(model.component);
        return;
    }
    for (int v = 0; v < model.n_variables; v++) {
        takt_variable_info variable = {.size = sizeof variable};
        if (!takt_system_get_variable(system, component, v, &variable, NULL))
            printf("%s.%s\n", model.component, variable.name);
    }
}

static takt_status print_columns(const char *path, takt_error *err)
{
    char *names = NULL;
    takt_status st = takt_results_list(path, &names, err);
    if (!st) fputs(names, stdout);
    takt_free(names);
    return st;
}

// Whatever is wrong with the file is no business of a shell.
static takt_status print_names(const char *path, const char *what, takt_error *err)
{
    takt_project *project = NULL;
    takt_system *system = NULL;
    if (strcmp(what, "columns") == 0) return print_columns(path, err);
    takt_status st = takt_project_open(path, NULL, &project, err);
    if (!st) st = takt_system_create(project, &system, err);
    for (int i = 0; i < takt_system_count_components(system); i++)
        print_component(system, i, strcmp(what, "variables") == 0);
    takt_system_destroy(system);
    takt_project_close(project);
    return st;
}

// ---- the command -------------------------------------------------------------------------------------

static takt_status print_what(const cli_arguments *arguments, takt_error *err)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } shells[] = {
        {"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}, {"man", print_man}};
    const char *what = arguments->operands[0];
    bool is_names = strcmp(what, "variables") == 0 || strcmp(what, "components") == 0 ||
                    strcmp(what, "columns") == 0;
    if (is_names != (arguments->n_operands == 2))
        return cli_fail(
            err, TAKT_ERR_USAGE,
            "usage: takt completion bash|zsh|fish|man, or variables|components|columns FILE");
    if (is_names) return print_names(arguments->operands[1], what, err);
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (strcmp(shells[i].name, what) != 0) continue;
        shells[i].print();
        return TAKT_OK;
    }
    return cli_fail(err, TAKT_ERR_USAGE,
                    "'%s' is none of bash, zsh, fish, man, variables, components, columns", what);
}

static int execute(const cli_arguments *arguments)
{
    takt_error err = {0};
    cli_console console = {0};
    takt_status st = print_what(arguments, &err);
    if (!st) st = cli_output_end(stdout, &err);
    if (st) cli_console_error(&console, &err);
    return takt_status_exit_code(st);
}

static const cli_option table[] = {{0}};

const cli_command cli_completion = {
    .name = "completion",
    .operands = "bash|zsh|fish|man",
    .summary = "print the completion script of a shell, or the manual page",
    .details =
        "Prints a script with which a shell completes commands, options, their values, and "
        "names of "
        "components, variables and result columns of the file at hand; or the manual page of this "
        "program. 'takt "
        "completion variables FILE', and likewise 'components' and 'columns', list these names.",
    .examples = "source <(takt completion bash)\tin ~/.bashrc\n"
                "takt completion fish > ~/.config/fish/completions/takt.fish\n"
                "takt completion man | man -l -\n",
    .options = table,
    .min_operands = 1,
    .max_operands = 2,
    .options_size = sizeof(completion_options),
    .execute = execute,
};
