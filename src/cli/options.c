/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.c - argp, with every complaint as one line of ours.
 *
 * argp prints two lines of its own for a wrong option and exits. ARGP_NO_ERRS keeps it quiet; the
 * parser then is told ARGP_KEY_ERROR, from which the wrong word is found.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "cli/cli.h"
#include "machine/machine.h"

error_t cli_other_key(int key, struct argp_state *state)
{
    struct cli_input *input = state->input;

    if (key != ARGP_KEY_ERROR)
        return ARGP_ERR_UNKNOWN;
    if (input->status == HL_OK && input->wrong_word == 0)
        input->wrong_word = state->next > 1 ? state->next - 1 : 1;
    return 0;
}

error_t cli_refuse(struct argp_state *state, const char *format, ...)
{
    struct cli_input *input = state->input;
    char text[sizeof(input->err->text)];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    input->status = hl_fail(input->err, HL_USAGE, "%s", text);
    return EINVAL;
}

/* The options of a parser and of its children. */
enum { KNOWN_MAX = 64 };

struct known_options {
    char spelled[KNOWN_MAX][40];
    const char *word[KNOWN_MAX], *value[KNOWN_MAX]; /* value NULL: takes none */
    int count;
};

static void collect_options(const struct argp *argp, struct known_options *known)
{
    for (const struct argp_option *o = argp->options;
         o != NULL && (o->name != NULL || o->doc != NULL); o++) {
        if (o->name == NULL || known->count == KNOWN_MAX)
            continue;
        (void)snprintf(known->spelled[known->count], sizeof(known->spelled[0]), "--%s", o->name);
        known->word[known->count] = known->spelled[known->count];
        known->value[known->count++] = o->arg;
    }
    for (const struct argp_child *c = argp->children; c != NULL && c->argp != NULL; c++)
        collect_options(c->argp, known);
}

/* Why argp did not take argv[wrong_word]. */
static enum hl_status explain_word(const struct argp *argp, char **argv, int wrong_word,
                                   struct hl_error *err)
{
    struct known_options known = {.count = 0};
    char word[64];
    size_t length;

    (void)snprintf(word, sizeof(word), "%s", argv[wrong_word]);
    length = strcspn(word, "=");
    collect_options(argp, &known);
    for (int i = 0; i < known.count; i++) {
        if (strlen(known.word[i]) != length || memcmp(known.word[i], word, length) != 0)
            continue;
        if (known.value[i] == NULL)
            return hl_fail(err, HL_USAGE, "%s takes no value", known.word[i]);
        return hl_fail(err, HL_USAGE, "%s needs a value: %s", known.word[i], known.value[i]);
    }
    word[length] = '\0';
    return hl_fail_unknown(err, HL_USAGE, NULL, "option", word, known.word, known.count);
}

static bool asks_for_help(const char *word)
{
    static const char *const words[] = {"--help", "-?", "--usage", "--version", "-V"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

enum hl_status cli_flush(struct hl_error *err)
{
    if (fflush(stdout) == 0 && ferror(stdout) == 0)
        return HL_OK;
    return hl_fail(err, HL_NOT_PERMITTED, "standard output: %s", strerror(errno));
}

/* argp would exit with 0, whatever came of the text. */
static enum hl_status print_help(const struct argp *argp, char *program, char *option,
                                 struct cli_input *input, struct hl_error *err)
{
    char *alone[] = {program, option, NULL};

    /* It goes on as if nothing else were asked; complaints about that have no place. */
    (void)argp_parse(argp, 2, alone, ARGP_NO_EXIT, NULL, input);
    HL_TRY(cli_flush(err));
    exit(EXIT_SUCCESS);
}

enum hl_status cli_parse(const struct argp *argp, int argc, char **argv, struct cli_input *input,
                         struct hl_error *err)
{
    error_t wrong;

    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (asks_for_help(argv[i]))
            return print_help(argp, argv[0], argv[i], input, err);
    *err = (struct hl_error){0};
    input->err = err;
    argp_err_exit_status = hl_exit_code(HL_USAGE);
    wrong = argp_parse(argp, argc, argv, ARGP_NO_ERRS, NULL, input);
    if (wrong == 0)
        return HL_OK;
    if (input->status != HL_OK)
        return input->status;
    if (wrong == ENOMEM)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the command line");
    return explain_word(argp, argv, input->wrong_word < argc ? input->wrong_word : argc - 1, err);
}

error_t cli_int_option(struct argp_state *state, const char *option, const char *text, int64_t min,
                       int64_t max, int64_t *value)
{
    if (!hl_parse_int(text, value) || *value < min || *value > max)
        return cli_refuse(state,
                          "--%s is '%s'; expected a whole number from %" PRId64 " to %" PRId64,
                          option, text, min, max);
    return 0;
}

error_t cli_effect_option(struct argp_state *state, const char *option, const char *text,
                          double *effect)
{
    int64_t ppm;

    if (!hl_parse_decimal(text, HL_PPM, &ppm) || ppm <= 0 || ppm >= HL_PPM)
        return cli_refuse(state,
                          "--%s is '%s'; expected a ratio from 0.000001 to 0.999999, such as 1%% "
                          "or 0.01",
                          option, text);
    *effect = (double)ppm / (double)HL_PPM;
    return 0;
}

error_t cli_text_option(struct argp_state *state, const char *option, char *text,
                        const char *expected, const char **value)
{
    if (text[0] == '\0')
        return cli_refuse(state, "--%s is ''; expected %s", option, expected);
    *value = text;
    return 0;
}

error_t cli_format_option(struct argp_state *state, const char *text, bool has_csv,
                          enum cli_format *format)
{
    if (strcmp(text, "text") == 0)
        *format = FORMAT_TEXT;
    else if (strcmp(text, "json") == 0)
        *format = FORMAT_JSON;
    else if (has_csv && strcmp(text, "csv") == 0)
        *format = FORMAT_CSV;
    else
        return cli_refuse(state, "--format is '%s'; expected %s", text,
                          has_csv ? "text, csv or json" : "text or json");
    return 0;
}

int cli_threads(void)
{
    int count;

    return machine_host_usable_cpus(&count, NULL) == HL_OK ? count : 1;
}
