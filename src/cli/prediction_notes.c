/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prediction_notes.c - what studies say of themselves (their fingerprints), set side by side.
 *
 * A simulation plays a profile, a measurement a tree. A profile may say which build it is of; where
 * that, the number of cpus or the kernel is another one, the error is not the simulation's alone.
 */
#include "cli/prediction_notes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/json.h"
#include "base/text.h"
#include "base/units.h"
#include "machine/machine.h"
#include "report/doubts.h"

/* A fingerprint, read; of a study that has none, nothing. */
struct print {
    struct hl_json file;
};

static void print_open(struct print *print, const struct compare_arm *arm)
{
    const char *text = arm->fingerprint;

    *print = (struct print){0};
    if (text != NULL && text[0] != '\0' &&
        hl_json_parse(&print->file, arm->name, text, strlen(text), NULL) != HL_OK)
        hl_json_close(&print->file);
}

/* A text in one of its parts; NULL: not there. */
static const char *text_of(const struct print *print, const char *part, const char *key)
{
    return json_string_value(json_object_get(json_object_get(print->file.root, part), key));
}

/* "6.1.192" is a release of "6.1". */
static bool is_release_of(const char *release, const char *version)
{
    size_t length = strlen(version);

    return strncmp(release, version, length) == 0 &&
           (release[length] == '\0' || strchr(".-+~", release[length]) != NULL);
}

static const char *or_unknown(const char *text)
{
    return text == NULL ? "not known" : text;
}

static void note_build(struct prediction *p, const struct print *predicted,
                       const struct print *measured)
{
    const char *profile = text_of(predicted, "workload", "workload_profile");
    const char *version = text_of(predicted, "workload", "workload_profile_version");
    const char *config = text_of(predicted, "workload", "workload_profile_config");
    const char *tree = text_of(measured, "workload", "workload_tree");
    const char *tree_version = text_of(measured, "workload", "workload_tree_version");
    const char *tree_config = text_of(measured, "workload", "workload_config");
    const char *comma = profile == NULL ? NULL : strchr(profile, ',');
    int length = comma == NULL ? 0 : (int)(comma - profile);

    if (profile == NULL || tree == NULL) {
        prediction_note(p, "not known to be the same build: %s",
                        profile == NULL ? "the simulated side does not say what it played"
                                        : "the measured side does not say what it built");
    } else if (version == NULL || config == NULL) {
        prediction_note(p,
                        "not known to be the same build: profile %.*s does not say which one it "
                        "is of; measured was %s, version %s, config %s",
                        length, profile, tree, or_unknown(tree_version), or_unknown(tree_config));
    } else if (tree_version == NULL || !is_release_of(tree_version, version) ||
               tree_config == NULL || strcmp(tree_config, config) != 0) {
        prediction_note(p,
                        "not the same build: profile %.*s is of version %s, config %s; measured "
                        "was %s, version %s, config %s",
                        length, profile, version, config, tree, or_unknown(tree_version),
                        or_unknown(tree_config));
    }
}

/* The version in "eevdf:version=6.18:hz=250", or what the policy has without one; NULL: it is no
 * kernel's of today. */
static const char *version_of(const char *policy, char *text, size_t bytes)
{
    static const char key[] = ":version=";
    const char *at = strstr(policy, key);
    size_t name_length = strcspn(policy, ":");

    if (name_length == 3 && strncmp(policy, "cfs", 3) == 0)
        return "6.1";
    if (name_length != 5 || strncmp(policy, "eevdf", 5) != 0)
        return NULL;
    if (at == NULL)
        return "6.12";
    at += strlen(key);
    (void)snprintf(text, bytes, "%.*s", (int)strcspn(at, ":"), at);
    return text;
}

static void note_system(struct prediction *p, const struct print *measured)
{
    const struct run *simulated = p->predicted->runs[0];
    const char *topology = text_of(measured, "must_match", "topology");
    const char *kernel = text_of(measured, "must_match", "kernel");
    char text[32];
    const char *version = version_of(simulated->policy, text, sizeof(text));
    struct machine machine = {0};

    if (topology != NULL && strcmp(simulated->machine, "host") != 0 &&
        machine_open(&machine, simulated->machine, NULL) == HL_OK &&
        strtol(topology, NULL, 10) != machine.cpu_count)
        prediction_note(p, "not the same machine: simulated was %s, measured was %s",
                        simulated->machine, topology);
    machine_close(&machine);
    if (kernel != NULL && version != NULL && !is_release_of(kernel, version))
        prediction_note(p, "not the same kernel: simulated was %s (Linux %s), measured was %s",
                        simulated->policy, version, kernel);
}

/* Mean cpu time of the runs of a load that succeeded; NAN: nobody has it. */
static double cpu_s(const struct compare_arm *arm, const struct run *load)
{
    double sum = 0;
    size_t n = 0;

    for (size_t i = 0; i < arm->run_count; i++) {
        const struct run *run = arm->runs[i];

        if (!run_same_load(run, load) || run->status != RUN_OK || !run_has(run, RUN_user_s) ||
            !run_has(run, RUN_system_s))
            continue;
        sum += run->metric[RUN_user_s] + run->metric[RUN_system_s];
        n++;
    }
    return n > 0 ? sum / (double)n : (double)NAN;
}

/* Where the work itself took more or less than at one job, elapsed time follows, whoever schedules. */
static void note_work(struct prediction *p)
{
    static const double limit = 0.02; /* assumed: repeated builds differ by about one per cent */
    double predicted_unit = cpu_s(p->predicted, p->reference);
    double measured_unit = cpu_s(p->measured, p->reference);
    char list[PREDICTION_NOTE_BYTES - 150] = "", reference[64];
    size_t used = 0;

    for (size_t l = 0; l < p->load_count; l++) {
        const struct run *run = p->cells[l].load;
        double predicted = cpu_s(p->predicted, run) / predicted_unit;
        double measured = cpu_s(p->measured, run) / measured_unit;
        char load[64];

        if (!(fabs(predicted / measured - 1) > limit) || used >= sizeof(list) - 1)
            continue;
        report_format_load(load, sizeof(load), run);
        used += (size_t)HL_MAX(0, hl_format(list + used, sizeof(list) - used, "%s%s %.3f | %.3f",
                                            used == 0 ? "" : ", ", load, predicted, measured));
    }
    report_format_load(reference, sizeof(reference), p->reference);
    if (used > 0)
        prediction_note(p,
                        "cpu time relative to %s differs, and elapsed time with it (predicted | "
                        "measured): %s",
                        reference, list);
}

/* The measured runs as a study of their own, and each line that is printed of it. */
static enum hl_status note_doubts(struct prediction *p, struct hl_error *err)
{
    const struct compare_arm *arm = p->measured;
    struct run_list list = {.runs = hl_alloc(arm->run_count, sizeof(*list.runs)),
                            .count = arm->run_count};
    struct report_cells cells = {0};
    char *text = NULL, *rest, *line;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    enum hl_status status = HL_OK;

    if (list.runs == NULL || out == NULL)
        status = hl_fail(err, HL_NO_MEMORY, "out of memory for the doubts of %s", arm->name);
    for (size_t i = 0; i < arm->run_count && status == HL_OK; i++)
        list.runs[i] = *arm->runs[i];
    if (status == HL_OK)
        status = report_cells_open(&cells, &list, err);
    if (status == HL_OK)
        report_write_doubts(out, &cells);
    report_cells_close(&cells);
    if (out != NULL && fclose(out) != 0 && status == HL_OK)
        status = hl_fail(err, HL_NO_MEMORY, "out of memory for the doubts of %s", arm->name);
    rest = text;
    while (status == HL_OK && (line = hl_next_line(&rest)) != NULL)
        if (line[0] != '\0')
            prediction_note(p, "%s", line);
    free(text);
    hl_free(list.runs);
    return status;
}

enum hl_status prediction_notes_add(struct prediction *prediction, struct hl_error *err)
{
    struct print predicted, measured;

    print_open(&predicted, prediction->predicted);
    print_open(&measured, prediction->measured);
    if (report_is_make(prediction->reference))
        note_build(prediction, &predicted, &measured);
    note_system(prediction, &measured);
    hl_json_close(&predicted.file);
    hl_json_close(&measured.file);
    if (run_metric_table[prediction->metrics[0].metric].better != RUN_HIGHER)
        note_work(prediction);
    return note_doubts(prediction, err);
}
