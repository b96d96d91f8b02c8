/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine.c - opens a machine by whatever the user wrote, and changes it by KEY=VALUE.
 */
#include "machine/machine.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/data_dir.h"
#include "base/text.h"
#include "machine/costs.h"
#include "machine/machine_file.h"
#include "machine/topology.h"

static bool has_end(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);

    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

/* The names that need no file, beside the shipped ones, so that a near one can be named. */
static enum hl_status fail_unknown_machine(const char *text, struct hl_error *err)
{
    static const char *const always[] = {"host", "smp:CPUS", "smt:CORESxTHREADS"};
    char **shipped = NULL;
    const char **known = NULL;
    size_t capacity = 0;
    int count = 0;
    enum hl_status status;

    HL_TRY(machine_list(&shipped, err));
    while (shipped[count] != NULL)
        count++;
    status = hl_grow(&known, &capacity, (size_t)count + 3, sizeof(*known), err);
    if (status == HL_OK) {
        for (int i = 0; i < count; i++)
            known[i] = shipped[i];
        for (int i = 0; i < 3; i++)
            known[count + i] = always[i];
        status = hl_fail_unknown(err, HL_USAGE, NULL, "machine", text, known, count + 3);
    }
    hl_free(known);
    hl_data_list_close(shipped);
    return status;
}

static enum hl_status open_shipped(struct machine *m, const char *name, struct hl_error *err)
{
    char path[PATH_MAX];
    enum hl_status status = hl_data_path(path, sizeof(path), "machines", name, ".json", err);

    if (status == HL_USAGE)
        return fail_unknown_machine(name, err);
    HL_TRY(status);
    return machine_file_open(m, path, err);
}

static enum hl_status open_text(struct machine *m, const char *text, struct hl_error *err)
{
    if (strlen(text) >= sizeof(m->name))
        return hl_fail(err, HL_USAGE,
                       "the machine \"%.32s...\" has %zu bytes; expected fewer than %zu", text,
                       strlen(text), sizeof(m->name));
    for (const char *c = text; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            return hl_fail(err, HL_USAGE,
                           "the machine's name has the control character 0x%02x at byte %td; "
                           "expected one line of text",
                           (unsigned)*c, c - text + 1);
    memcpy(m->name, text, strlen(text) + 1);
    HL_TRY(machine_constants_init(machine_constant_table, MACHINE_CONSTANT_COUNT, m->constant,
                                  m->source, err));
    if (strcmp(text, "host") == 0)
        return machine_topology_set_host(m, err);
    if (has_end(text, ".xml"))
        return machine_topology_set_xml(m, text, err);
    if (strchr(text, '/') != NULL || has_end(text, ".json"))
        return machine_file_open(m, text, err);
    if (strchr(text, ':') != NULL)
        return machine_topology_set_synthetic(m, text, err);
    return open_shipped(m, text, err);
}

enum hl_status machine_open(struct machine *m, const char *text, struct hl_error *err)
{
    enum hl_status status;

    *m = (struct machine){0};
    status = open_text(m, text, err);
    if (status != HL_OK)
        machine_close(m);
    return status;
}

enum hl_status machine_set_topology(struct machine *m, const char *synthetic, struct hl_error *err)
{
    return machine_topology_set_synthetic(m, synthetic, err);
}

enum hl_status machine_set(struct machine *m, const char *assignment, struct hl_error *err)
{
    const char *equals = strchr(assignment, '=');
    char name[64];

    if (equals == NULL || equals == assignment || equals - assignment >= (int)sizeof(name))
        return hl_fail(err, HL_USAGE, "machine parameter \"%.64s\": expected KEY=VALUE",
                       assignment);
    (void)snprintf(name, sizeof(name), "%.*s", (int)(equals - assignment), assignment);
    if (strcmp(name, "topology") == 0)
        return machine_set_topology(m, equals + 1, err);
    return machine_set_constant(m, name, equals + 1, "given", err);
}

void machine_close(struct machine *m)
{
    machine_topology_close(m);
    machine_constants_close(MACHINE_CONSTANT_COUNT, m->source);
    machine_constants_close(MACHINE_CONSTANT_COUNT, m->note);
    hl_free(m->about);
    *m = (struct machine){0};
}

enum hl_status machine_list(char ***names, struct hl_error *err)
{
    return hl_data_list("machines", ".json", names, err);
}
