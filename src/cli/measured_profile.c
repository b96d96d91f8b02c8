/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measured_profile.c - which figure of a recorded build becomes which constant of a profile.
 *
 *     units               processes named cc1
 *     directories         makes below the first that compile, and directory_units how much
 *     work_ns             cpu time of all processes
 *     serial_head_share   time in the first half with exactly one runnable process, which ran, of
 *                         all cpu time
 *     serial_tail_share   the same of the second half
 *     vfork_tail_ns       from a fork to the parent's sleep until the child's exec: the median
 *     kernel_threads      preemptions by kernel threads, per second of cpu time
 *     pipe                do compilers end while their assembler lives?
 *     processes           count and quantiles of cpu time by name; names of little weight together
 */
#include "cli/measured_profile.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/format.h"
#include "base/units.h"
#include "machine/costs.h"
#include "report/write.h"

enum {
    SOURCE_BYTES = 900,
    NAMES_KEPT = PROCESS_KINDS_MAX - 1, /* and one for all others */
    WEIGHT_LEAST_PPM = 2000, /* of processes, or of cpu time, to have a table of its own */
};

static const char other_name[] = "(other)";

/* A build has these at least, each with a table of its own. */
static const char *const roles[] = {"make", "sh", "gcc", "cc1", "as"};

static const double fine_places[] = {0.05, 0.1, 0.15, 0.2,  0.25, 0.3, 0.35, 0.4,
                                     0.45, 0.5, 0.55, 0.6,  0.65, 0.7, 0.75, 0.8,
                                     0.85, 0.9, 0.95, 0.98, 0.99, 1};
static const double few_places[] = {0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1};

static bool is_role(const char *name)
{
    for (int i = 0; i < HL_COUNT_OF(roles); i++)
        if (strcmp(roles[i], name) == 0)
            return true;
    return false;
}

/* Names become keys of a file: none that an editor may spoil. */
static bool is_plain(const char *name)
{
    for (; *name != '\0'; name++)
        if (*name < ' ' || *name > '~' || *name == '"' || *name == '\\')
            return false;
    return true;
}

static void set_quantiles(struct process_quantiles *table, const struct stats_hist *hist,
                          const double *places, int count)
{
    int32_t k = 0;

    for (int i = 0; i < count; i++) {
        int64_t value = llround(stats_hist_quantile(hist, places[i]).value);

        /* Of more than two alike the first and the last say all. */
        if (k >= 2 && table->value[k - 1] == value && table->value[k - 2] == value)
            k--;
        table->place_ppm[k] = (int32_t)llround(places[i] * (double)HL_PPM);
        table->value[k++] = value;
    }
    table->count = k;
}

static enum hl_status set_constant(struct profile *profile, enum profile_constant constant,
                                   int64_t value, const char *source, struct hl_error *err)
{
    const struct machine_constant_info *info = &profile_constant_table[constant];
    char *copy;

    if (value < info->min || value > info->max)
        return hl_fail(err, HL_BAD_INPUT,
                       "%s: %s comes out as %" PRId64 "; a profile has %" PRId64 " to %" PRId64,
                       source, info->name, value, info->min, info->max);
    copy = hl_strdup(source);
    if (copy == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the source of a constant");
    hl_free(profile->source[constant]);
    profile->source[constant] = copy;
    profile->constant[constant] = value;
    return HL_OK;
}

static int64_t ppm_of(int64_t part, int64_t whole)
{
    return llround((double)part / (double)whole * (double)HL_PPM);
}

static enum hl_status set_constants(struct profile *profile, const struct trace_tally *tally,
                                    const char *source, struct hl_error *err)
{
    int64_t units = trace_tally_find(tally, TRACE_TALLY_UNIT)->count;
    int64_t directories = HL_MAX(1, (int64_t)tally->directory_units.count);
    struct trace_lives_slice head = trace_lives_half(&tally->lives, false);
    struct trace_lives_slice tail = trace_lives_half(&tally->lives, true);

    HL_TRY(set_constant(profile, PROFILE_units, units, source, err));
    HL_TRY(set_constant(profile, PROFILE_directories, HL_MIN(directories, units), source, err));
    HL_TRY(set_constant(profile, PROFILE_work_ns, tally->cpu_ns, source, err));
    if (tally->lives.units_most >= MEASURED_COMPILERS_LEAST) {
        HL_TRY(set_constant(profile, PROFILE_serial_head_share,
                            ppm_of(head.serial_ns, tally->cpu_ns), source, err));
        HL_TRY(set_constant(profile, PROFILE_serial_tail_share,
                            ppm_of(tail.serial_ns, tally->cpu_ns), source, err));
    }
    if (tally->vfork_tail.count > 0)
        HL_TRY(set_constant(profile, PROFILE_vfork_tail_ns,
                            llround(stats_hist_quantile(&tally->vfork_tail, 0.5).value), source,
                            err));
    HL_TRY(set_constant(
        profile, PROFILE_kernel_threads,
        llround((double)tally->lives.kernel_preempts / (double)tally->cpu_ns * (double)HL_NS_PER_S),
        source, err));
    HL_TRY(set_constant(profile, PROFILE_pipe, 2 * tally->piped_units > units, source, err));
    /* What a recording does not tell: the sources were read before, as build servers have it. */
    return set_constant(profile, PROFILE_disk_reads, 0, "assumed", err);
}

static bool has_weight(const struct trace_tally *tally, const struct trace_tally_name *entry)
{
    return is_plain(entry->name) && entry->cpu.count > 0 && strcmp(entry->name, other_name) != 0 &&
           (is_role(entry->name) ||
            ppm_of(entry->count, tally->process_count) >= WEIGHT_LEAST_PPM ||
            ppm_of(entry->cpu_ns, tally->cpu_ns) >= WEIGHT_LEAST_PPM);
}

/* The one with most cpu time that is not taken yet; NULL: none has weight. */
static const struct trace_tally_name *heaviest(const struct trace_tally *tally, const bool *taken)
{
    const struct trace_tally_name *best = NULL;

    for (int i = 0; i < tally->name_count; i++)
        if (!taken[i] && has_weight(tally, &tally->names[i]) &&
            (best == NULL || tally->names[i].cpu_ns > best->cpu_ns))
            best = &tally->names[i];
    return best;
}

static enum hl_status add_kind(struct profile *profile, const struct trace_tally_name *entry,
                               const char *source, struct hl_error *err)
{
    bool is_unit = strcmp(entry->name, TRACE_TALLY_UNIT) == 0;
    const int64_t *c = profile->constant;
    struct process_kind *kind;
    int64_t least = strcmp(entry->name, "make") == 0 ? c[PROFILE_directories] + 1
                    : strcmp(entry->name, "sh") == 0 || strcmp(entry->name, "gcc") == 0
                        ? c[PROFILE_units]
                        : 1;

    HL_TRY(processes_add(&profile->processes, entry->name, source, &kind, err));
    /* Each unit has a shell and a driver, even where these did something else in between. */
    kind->count = HL_MAX(entry->count, least);
    kind->is_of_make = 2 * entry->of_makes > entry->count;
    if (is_unit)
        set_quantiles(&kind->cpu_ns, &entry->cpu, fine_places, HL_COUNT_OF(fine_places));
    else
        set_quantiles(&kind->cpu_ns, &entry->cpu, few_places, HL_COUNT_OF(few_places));
    return HL_OK;
}

/* Names of little weight, and those whose every process lost some of its time. */
static enum hl_status add_others(struct profile *profile, const struct trace_tally *tally,
                                 const bool *taken, const char *source, struct hl_error *err)
{
    int64_t count = 0, of_makes = 0, cpu_ns = 0;
    struct process_kind *kind;

    for (int i = 0; i < tally->name_count; i++) {
        const struct trace_tally_name *entry = &tally->names[i];

        if (taken[i])
            continue;
        count += entry->count;
        of_makes += entry->of_makes;
        cpu_ns += entry->cpu_ns;
    }
    if (count == 0)
        return HL_OK;
    HL_TRY(processes_add(&profile->processes, other_name, source, &kind, err));
    kind->count = count;
    kind->is_of_make = 2 * of_makes > count;
    kind->cpu_ns = (struct process_quantiles){
        .count = 1, .place_ppm = {HL_PPM / 2}, .value = {cpu_ns / count}};
    return HL_OK;
}

static enum hl_status add_kinds(struct profile *profile, const struct trace_tally *tally,
                                const char *source, struct hl_error *err)
{
    bool taken[TRACE_TALLY_NAMES] = {false};
    const struct trace_tally_name *entry;

    for (int i = 0; i < HL_COUNT_OF(roles); i++) {
        entry = trace_tally_find(tally, roles[i]);
        taken[entry - tally->names] = true;
        HL_TRY(add_kind(profile, entry, source, err));
    }
    while (profile->processes.count < NAMES_KEPT) {
        entry = heaviest(tally, taken);
        if (entry == NULL)
            break;
        taken[entry - tally->names] = true;
        HL_TRY(add_kind(profile, entry, source, err));
    }
    return add_others(profile, tally, taken, source, err);
}

enum hl_status measured_profile(struct profile *profile, const struct trace_tally *tally,
                                const char *name, struct hl_error *err)
{
    char source[SOURCE_BYTES];
    enum hl_status status;

    *profile = (struct profile){0};
    if (tally->process_count > PROCESS_COUNT_MAX / 2)
        return hl_fail(err, HL_BAD_INPUT,
                       "%s: %" PRId64 " processes in the build; a profile holds at most %d", name,
                       tally->process_count, PROCESS_COUNT_MAX / 2);
    for (int i = 0; i < HL_COUNT_OF(roles); i++) {
        const struct trace_tally_name *entry = trace_tally_find(tally, roles[i]);

        if (entry == NULL || entry->cpu.count == 0)
            return hl_fail(err, HL_BAD_INPUT,
                           "%s: no whole process named %s in the build; expected a build with "
                           "make, sh, gcc, cc1 and as",
                           name, roles[i]);
    }
    (void)snprintf(source, sizeof(source), "measured: %s", name);
    HL_TRY(machine_constants_init(profile_constant_table, PROFILE_CONSTANT_COUNT, profile->constant,
                                  profile->source, err));
    status = set_constants(profile, tally, source, err);
    if (status == HL_OK)
        status = add_kinds(profile, tally, source, err);
    if (status == HL_OK && tally->directory_units.count > 0) {
        set_quantiles(&profile->processes.directory_units, &tally->directory_units, few_places,
                      HL_COUNT_OF(few_places));
        profile->processes.directory_source = hl_strdup(source);
        if (profile->processes.directory_source == NULL)
            status = hl_fail(err, HL_NO_MEMORY, "out of memory for a source");
    }
    if (status != HL_OK)
        profile_close(profile);
    return status;
}
