/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * costs.c - the constant table of machines, and reading of constants with unit and source.
 *
 * Defaults are the table's in machine.h; their source is "assumed" until a file says better.
 */
#include "machine/costs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"

const struct machine_constant_info machine_constant_table[MACHINE_CONSTANT_COUNT] = {
#define MACHINE_INFO(name, unit, value, min, max, help) {#name, #unit, help, value, min, max},
    MACHINE_CONSTANTS(MACHINE_INFO)
#undef MACHINE_INFO
#define MACHINE_GAIN_INFO(kind, help)                                                              \
    {"smt_gain." #kind, "ppm", help, -HL_PPM, -HL_PPM, 2 * HL_PPM},
        MACHINE_KINDS(MACHINE_GAIN_INFO)
#undef MACHINE_GAIN_INFO
};

static const char *const kind_names[MACHINE_KIND_COUNT] = {"usual",
#define MACHINE_KIND_TEXT(kind, help) #kind,
                                                           MACHINE_KINDS(MACHINE_KIND_TEXT)
#undef MACHINE_KIND_TEXT
};

const char *machine_kind_name(enum machine_kind kind)
{
    return kind_names[kind];
}

static const struct unit {
    const char *table_unit; /* as in the table */
    const char *name;       /* as in files */
    int64_t scale;          /* one of it, in the table's unit */
} units[] = {
    {"ppm", "ratio", HL_PPM},   {"ns", "ns", 1},           {"ns", "us", HL_NS_PER_US},
    {"ns", "ms", HL_NS_PER_MS}, {"ns", "s", HL_NS_PER_S},  {"bytes", "bytes", 1},
    {"bytes", "KiB", 1 << 10},  {"bytes", "MiB", 1 << 20}, {"bytes", "GiB", 1 << 30},
    {"count", "count", 1},      {"bool", "bool", 1},
};

enum { SOURCE_BYTES_MAX = 1000, TABLE_ROWS_MAX = 64 };

static bool has_unit(const struct machine_constant_info *info, const char *unit)
{
    return strcmp(info->unit, unit) == 0;
}

static enum hl_status replace_source(char **slot, const char *source, struct hl_error *err)
{
    char *copy = hl_strdup(source);

    if (copy == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the source of a constant");
    hl_free(*slot);
    *slot = copy;
    return HL_OK;
}

enum hl_status machine_constants_init(const struct machine_constant_info *table, int count,
                                      int64_t *values, char **sources, struct hl_error *err)
{
    for (int i = 0; i < count; i++) {
        values[i] = table[i].value;
        HL_TRY(replace_source(&sources[i], "assumed", err));
    }
    return HL_OK;
}

void machine_constants_close(int count, char **sources)
{
    for (int i = 0; i < count; i++) {
        hl_free(sources[i]);
        sources[i] = NULL;
    }
}

/* Writes value / scale with as many decimals as it needs. */
static void print_decimal(char *text, size_t bytes, int64_t value, int64_t scale)
{
    uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
    uint64_t rest = size % (uint64_t)scale, digit = (uint64_t)scale / 10;
    size_t used;

    (void)snprintf(text, bytes, "%s%" PRIu64 "%s", value < 0 ? "-" : "", size / (uint64_t)scale,
                   rest == 0 ? "" : ".");
    used = strlen(text);
    for (; rest > 0 && used + 1 < bytes; rest %= digit, digit /= 10) {
        text[used++] = (char)('0' + rest / digit);
        text[used] = '\0';
        if (digit == 1)
            break;
    }
}

void machine_constant_print(const struct machine_constant_info *info, int64_t value, char *text,
                            size_t bytes)
{
    static const char *const suffixes[] = {"G", "M", "k", ""};

    if (has_unit(info, "ppm")) {
        print_decimal(text, bytes, value, HL_PPM);
        return;
    }
    if (has_unit(info, "ns") && value != 0) {
        /* The largest unit that leaves a whole number. */
        int64_t scale = value % HL_NS_PER_S == 0    ? HL_NS_PER_S
                        : value % HL_NS_PER_MS == 0 ? HL_NS_PER_MS
                        : value % HL_NS_PER_US == 0 ? HL_NS_PER_US
                                                    : 1;
        const char *unit = scale == 1              ? "ns"
                           : scale == HL_NS_PER_US ? "us"
                           : scale == HL_NS_PER_MS ? "ms"
                                                   : "s";

        (void)snprintf(text, bytes, "%" PRId64 "%s", value / scale, unit);
        return;
    }
    if (has_unit(info, "bytes") && value != 0) {
        int64_t scale = 1 << 30;
        int i = 0;

        for (; value % scale != 0; i++)
            scale >>= 10;
        (void)snprintf(text, bytes, "%" PRId64 "%s", value / scale, suffixes[i]);
        return;
    }
    (void)snprintf(text, bytes, "%" PRId64, value);
}

static int find_constant(const struct machine_constant_info *table, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(table[i].name, name) == 0)
            return i;
    return -1;
}

static enum hl_status fail_unknown_constant(const struct machine_constant_info *table, int count,
                                            const char *where, const char *name,
                                            enum hl_status status, struct hl_error *err)
{
    const char *names[TABLE_ROWS_MAX];
    int listed = 0;

    for (; listed < count && listed < TABLE_ROWS_MAX; listed++)
        names[listed] = table[listed].name;
    return hl_fail_unknown(err, status, where, "constant", name, names, listed);
}

static bool parse_value(const struct machine_constant_info *info, const char *text, int64_t *value)
{
    if (has_unit(info, "ppm"))
        return hl_parse_decimal(text, HL_PPM, value);
    if (has_unit(info, "ns"))
        return hl_parse_duration_ns(text, value);
    if (has_unit(info, "bytes"))
        return hl_parse_bytes(text, value);
    return hl_parse_int(text, value);
}

enum hl_status machine_constants_set(const struct machine_constant_info *table, int count,
                                     const char *name, const char *text, const char *source,
                                     int64_t *values, char **sources, struct hl_error *err)
{
    int i = find_constant(table, count, name);
    char min[32], max[32];
    int64_t value;

    if (i < 0)
        return fail_unknown_constant(table, count, NULL, name, HL_USAGE, err);
    if (!parse_value(&table[i], text, &value) || value < table[i].min || value > table[i].max) {
        machine_constant_print(&table[i], table[i].min, min, sizeof(min));
        machine_constant_print(&table[i], table[i].max, max, sizeof(max));
        return hl_fail(err, HL_USAGE, "%s is \"%.64s\"; expected %s to %s%s", name, text, min, max,
                       has_unit(&table[i], "ns") ? ", with a unit such as us" : "");
    }
    HL_TRY(replace_source(&sources[i], source, err));
    values[i] = value;
    return HL_OK;
}

static enum hl_status read_unit(const struct machine_constant_info *info,
                                const struct hl_json_node *node, const struct unit **unit,
                                struct hl_error *err)
{
    const char *names[HL_COUNT_OF(units)], *text;
    struct hl_json_node member;
    int count = 0;

    HL_TRY(hl_json_member(node, "unit", &member, err));
    HL_TRY(hl_json_string(&member, 1, 32, &text, err));
    for (int i = 0; i < HL_COUNT_OF(units); i++) {
        if (!has_unit(info, units[i].table_unit))
            continue;
        names[count++] = units[i].name;
        if (strcmp(units[i].name, text) == 0) {
            *unit = &units[i];
            return HL_OK;
        }
    }
    return hl_json_fail_unknown(&member, err, "unit", text, names, count);
}

enum hl_status machine_source_read(const struct hl_json_node *node, const char **source,
                                   struct hl_error *err)
{
    static const char *const known[] = {"spec", "published", "assumed", "fitted:CELLS",
                                        "measured:WHERE"};
    struct hl_json_node member;

    HL_TRY(hl_json_member(node, "source", &member, err));
    HL_TRY(hl_json_string(&member, 1, SOURCE_BYTES_MAX, source, err));
    for (int i = 0; i < 3; i++)
        if (strcmp(*source, known[i]) == 0)
            return HL_OK;
    if ((strncmp(*source, "fitted:", 7) == 0 && (*source)[7] != '\0') ||
        (strncmp(*source, "measured:", 9) == 0 && (*source)[9] != '\0'))
        return HL_OK;
    return hl_json_fail_unknown(&member, err, "source", *source, known, HL_COUNT_OF(known));
}

enum hl_status machine_constant_read(const struct machine_constant_info *info,
                                     const struct hl_json_node *node, int64_t *value,
                                     char **source_slot, char **note_slot, struct hl_error *err)
{
    const struct unit *unit = NULL;
    struct hl_json_node member;
    const char *source, *note;
    int64_t read;

    HL_TRY(read_unit(info, node, &unit, err));
    HL_TRY(hl_json_member(node, "value", &member, err));
    if (has_unit(info, "bool")) {
        bool is_true;

        HL_TRY(hl_json_bool(&member, &is_true, err));
        read = is_true ? 1 : 0;
    } else if (has_unit(info, "count")) {
        HL_TRY(hl_json_int(&member, info->min, info->max, &read, err));
    } else {
        HL_TRY(hl_json_decimal(&member, unit->scale, info->min, info->max, &read, err));
    }
    HL_TRY(machine_source_read(node, &source, err));
    HL_TRY(hl_json_member_if_any(node, "note", &member, err));
    if (member.value != NULL)
        HL_TRY(hl_json_string(&member, 1, SOURCE_BYTES_MAX, &note, err));
    if (member.value != NULL && note_slot != NULL)
        HL_TRY(replace_source(note_slot, note, err));
    HL_TRY(replace_source(source_slot, source, err));
    *value = read;
    return HL_OK;
}

enum hl_status machine_constants_read(const struct machine_constant_info *table, int count,
                                      const struct hl_json_node *object, int64_t *values,
                                      char **sources, char **notes, struct hl_error *err)
{
    static const char *const keys[] = {"value", "unit", "source", "note"};
    struct hl_json_node member;
    void *iterator = NULL;

    HL_TRY(hl_json_object(object, err));
    while (hl_json_next_member(object, &iterator, &member)) {
        int i = find_constant(table, count, member.key);

        if (i < 0) {
            char where[512];

            hl_json_where(object, where, sizeof(where));
            return fail_unknown_constant(table, count, where, member.key, HL_BAD_INPUT, err);
        }
        HL_TRY(hl_json_check_keys(&member, keys, HL_COUNT_OF(keys), err));
        HL_TRY(machine_constant_read(&table[i], &member, &values[i], &sources[i],
                                     notes == NULL ? NULL : &notes[i], err));
    }
    return HL_OK;
}

enum hl_status machine_set_constant(struct machine *m, const char *name, const char *text,
                                    const char *source, struct hl_error *err)
{
    return machine_constants_set(machine_constant_table, MACHINE_CONSTANT_COUNT, name, text, source,
                                 m->constant, m->source, err);
}
