/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list_studies.c - `halfload list studies`: what is stored.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/units.h"
#include "cli/cli.h"
#include "cli/reference.h"
#include "report/write.h"
#include "report/report.h"

const char *cli_time_text(int64_t created_s, char text[static CLI_TIME_BYTES])
{
    time_t when = (time_t)created_s;
    struct tm fields;

    if (gmtime_r(&when, &fields) == NULL ||
        strftime(text, CLI_TIME_BYTES, "%Y-%m-%d %H:%M:%S UTC", &fields) == 0)
        (void)snprintf(text, CLI_TIME_BYTES, "-");
    return text;
}

static void print_studies(const struct store_study *studies, size_t count)
{
    int width = 5;

    for (size_t i = 0; i < count; i++)
        width = HL_MAX(width, (int)strlen(studies[i].name));
    printf("%-*s  %4s  %-*s  %11s  %6s  %s\n", width, "study", "id", CLI_TIME_BYTES - 1, "begun",
           "runs", "failed", "command");
    for (size_t i = 0; i < count; i++) {
        const struct store_study *s = &studies[i];
        char when[CLI_TIME_BYTES], runs[48], failed[64];

        (void)snprintf(runs, sizeof(runs), "%" PRId64, s->run_count);
        if (s->run_count != s->planned)
            (void)snprintf(runs, sizeof(runs), "%" PRId64 " of %" PRId64, s->run_count, s->planned);
        (void)snprintf(failed, sizeof(failed), "%" PRId64, s->failed_count);
        if (s->invalid_count > 0)
            (void)snprintf(failed, sizeof(failed), "%" PRId64 ", %" PRId64 " invalid",
                           s->failed_count, s->invalid_count);
        report_line(stdout, "%-*s  %4" PRId64 "  %-*s  %11s  %6s  %s", width, s->name, s->id,
                    CLI_TIME_BYTES - 1, cli_time_text(s->created_s, when), runs, failed,
                    s->command);
    }
}

static void print_text(const char *key, const char *text)
{
    printf(",\"%s\":", key);
    report_write_json_string(stdout, text);
}

static enum hl_status print_json(const struct store_study *studies, size_t count,
                                 struct hl_error *err)
{
    fputs("{\"schema\":1,\"studies\":[", stdout);
    for (size_t i = 0; i < count; i++) {
        const struct store_study *s = &studies[i];

        printf("%s\n{\"id\":%" PRId64, i > 0 ? "," : "", s->id);
        print_text("name", s->name);
        printf(",\"begun_s\":%" PRId64 ",\"planned\":%" PRId64 ",\"runs\":%" PRId64
               ",\"failed\":%" PRId64 ",\"invalid\":%" PRId64 ",\"seed\":%" PRIu64,
               s->created_s, s->planned, s->run_count, s->failed_count, s->invalid_count, s->seed);
        print_text("program", s->program);
        print_text("command", s->command);
        putchar('}');
    }
    puts("]}");
    return report_write_end(stdout, err);
}

enum hl_status cli_list_studies(const char *db, enum cli_format format, struct hl_error *err)
{
    struct store_study *studies = NULL;
    struct store *store;
    size_t count = 0;
    enum hl_status status;

    HL_TRY(cli_store_open(&store, db, STORE_READ, err));
    status = store == NULL ? HL_OK : store_studies(store, &studies, &count, err);
    if (status == HL_OK && format == FORMAT_JSON)
        status = print_json(studies, count, err);
    else if (status == HL_OK && count == 0)
        puts("no study is stored yet");
    else if (status == HL_OK)
        print_studies(studies, count);
    store_studies_close(studies, count);
    store_close(store);
    return status;
}
