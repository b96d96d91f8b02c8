/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list_host.c - `halfload list host`: what this machine is, as studies keep it.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "host/fingerprint.h"
#include "machine/machine.h"

static void print_part(const char *title, json_t *part)
{
    const char *key;
    json_t *value;

    printf("\n%s\n", title);
    json_object_foreach(part, key, value)
    {
        char name[80];

        (void)snprintf(name, sizeof(name), "%s", key);
        for (char *c = name; *c != '\0' && strchr(key, '.') == NULL && strchr(key, '/') == NULL;
             c++)
            *c = *c == '_' ? ' ' : *c;
        printf("  %-36s %s\n", name, json_string_value(value));
    }
}

static enum hl_status print_text(const char *fingerprint, struct hl_error *err)
{
    struct machine_host_cpus *cpus = hl_alloc(1, sizeof(*cpus));
    json_t *all = json_loads(fingerprint, 0, NULL);
    char text[200];
    enum hl_status status = HL_OK;

    if (cpus == NULL || all == NULL)
        status = hl_fail(err, HL_NO_MEMORY, "out of memory for the fingerprint of the machine");
    if (status == HL_OK)
        status = machine_host_cpus_read(cpus, err);
    if (status == HL_OK) {
        machine_host_cpus_print(cpus, text, sizeof(text));
        printf("cpus: %s\n", text);
        print_part("must match for results to be comparable", json_object_get(all, "must_match"));
        print_part("worth knowing", json_object_get(all, "informational"));
    }
    json_decref(all);
    hl_free(cpus);
    return status;
}

enum hl_status cli_list_host(enum cli_format format, struct hl_error *err)
{
    char *fingerprint;
    enum hl_status status;

    HL_TRY(host_fingerprint_take(&fingerprint, err));
    status = HL_OK;
    if (format == FORMAT_JSON)
        puts(fingerprint);
    else
        status = print_text(fingerprint, err);
    hl_free(fingerprint);
    return status;
}
