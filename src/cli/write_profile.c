/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * write_profile.c - a profile as the file that profile_open reads (docs/formats.md).
 *
 * Constants that are assumed defaults are left to the defaults of the program that reads the file.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/format.h"
#include "base/units.h"
#include "cli/measured_profile.h"
#include "report/write.h"

/* An integer of 1/scale as a decimal number, exactly. */
static void write_decimal(FILE *out, int64_t value, int64_t scale)
{
    int64_t rest = value % scale;

    report_write(out, "%" PRId64, value / scale);
    if (rest > 0)
        report_write(out, ".");
    for (int64_t digit = scale / 10; rest > 0; rest %= digit, digit /= 10)
        report_write(out, "%" PRId64, rest / digit);
}

static void write_value(FILE *out, const struct machine_constant_info *info, int64_t value)
{
    bool is_time = strcmp(info->unit, "ns") == 0, is_ratio = strcmp(info->unit, "ppm") == 0;

    if (strcmp(info->unit, "bool") == 0)
        report_write(out, "%s", value != 0 ? "true" : "false");
    else
        write_decimal(out, value, is_time ? HL_NS_PER_MS : is_ratio ? HL_PPM : 1);
    report_write(out, ", \"unit\": \"%s\"", is_time ? "ms" : is_ratio ? "ratio" : info->unit);
}

static void write_quantiles(FILE *out, const struct process_quantiles *table, bool is_time)
{
    report_write(out, "\"quantiles\": [");
    for (int32_t k = 0; k < table->count; k++) {
        report_write(out, "%s[", k == 0 ? "" : ", ");
        write_decimal(out, table->place_ppm[k], HL_PPM);
        report_write(out, ", ");
        write_decimal(out, table->value[k], is_time ? HL_NS_PER_MS : 1);
        report_write(out, "]");
    }
    report_write(out, "], \"unit\": \"%s\"", is_time ? "ms" : "count");
}

static void write_source(FILE *out, const char *source)
{
    report_write(out, ", \"source\": ");
    report_write_json_string(out, source);
    report_write(out, "}");
}

static void write_constants(FILE *out, const struct profile *profile)
{
    const char *separator = "\n";

    report_write(out, "  \"constants\": {");
    for (int i = 0; i < PROFILE_CONSTANT_COUNT; i++) {
        const struct machine_constant_info *info = &profile_constant_table[i];

        if (strcmp(profile->source[i], "assumed") == 0 && profile->constant[i] == info->value)
            continue;
        report_write(out, "%s    \"%s\": {\"value\": ", separator, info->name);
        write_value(out, info, profile->constant[i]);
        write_source(out, profile->source[i]);
        separator = ",\n";
    }
    report_write(out, "\n  },\n");
}

static void write_processes(FILE *out, const struct processes *processes)
{
    report_write(out, "  \"processes\": {");
    for (int32_t i = 0; i < processes->count; i++) {
        const struct process_kind *kind = &processes->kinds[i];

        report_write(out, "%s\n    ", i == 0 ? "" : ",");
        report_write_json_string(out, kind->name);
        report_write(out, ": {\"count\": %" PRId64 ", \"forked_by\": \"%s\", ", kind->count,
                     kind->is_of_make ? "make" : "unit");
        write_quantiles(out, &kind->cpu_ns, true);
        write_source(out, kind->source);
    }
    report_write(out, "\n  }");
    if (processes->directory_units.count > 0) {
        report_write(out, ",\n  \"directory_units\": {");
        write_quantiles(out, &processes->directory_units, false);
        write_source(out, processes->directory_source);
    }
}

enum hl_status measured_profile_write(FILE *out, const struct profile *profile, const char *about,
                                      struct hl_error *err)
{
    report_write(out, "{\n  \"about\": ");
    report_write_json_string(out, about);
    report_write(out, ",\n  \"kind\": \"kernbench\",\n");
    write_constants(out, profile);
    write_processes(out, &profile->processes);
    report_write(out, "\n}\n");
    return report_write_end(out, err);
}
