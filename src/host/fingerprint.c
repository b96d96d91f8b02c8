/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fingerprint.c - machine, kernel, settings and limits as pairs of text.
 *
 * Each key is there on every machine, so that one that is missing is seen; tunables are the
 * exception: the kernel decides which there are.
 */
#include "host/fingerprint.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "base/sysroot.h"
#include "base/json.h"
#include "base/text.h"
#include "base/units.h"
#include "host/scheduler.h"
#include "host/system_file.h"
#include "host/tunables.h"
#include "machine/machine.h"

enum { VALUE_BYTES = 1024 };

struct print {
    json_t *must, *known; /* known: informational */
    bool is_full;         /* out of memory */
};

static void put(struct print *print, json_t *part, const char *key, const char *value)
{
    print->is_full |= json_object_set_new(part, key, hl_json_text(value)) != 0;
}

static void unknown(char value[static VALUE_BYTES], int number)
{
    const char *why = number == ENOENT || number == ENOTDIR ? "not there"
                      : number == EACCES || number == EPERM ? "not permitted"
                                                            : strerror(number);

    (void)snprintf(value, VALUE_BYTES, "unknown: %s", why);
}

/* The first line of a file. */
static void put_line(struct print *print, json_t *part, const char *key, const char *path)
{
    char value[VALUE_BYTES];
    int number = host_system_line(value, sizeof(value), "%s", path);

    if (number != 0)
        unknown(value, number);
    else if (value[0] == '\0')
        (void)snprintf(value, sizeof(value), "unknown: an empty file");
    put(print, part, key, value);
}

/* ---- cpus ---- */

/* Adds a text to a list of different ones: "A, B". */
static void add_different(char list[static VALUE_BYTES], const char *text)
{
    size_t used = strlen(list), length = strlen(text);

    for (const char *at = strstr(list, text); at != NULL; at = strstr(at + 1, text))
        if ((at == list || at[-1] == ' ') && (at[length] == ',' || at[length] == '\0'))
            return;
    (void)snprintf(list + used, VALUE_BYTES - used, "%s%s", used > 0 ? ", " : "", text);
}

/* The different values of "KEY : VALUE" in /proc/cpuinfo. False if there is none. */
static bool collect_cpuinfo(const char *text, const char *key, char list[static VALUE_BYTES])
{
    size_t length = strlen(key);
    char value[128];

    list[0] = '\0';
    for (const char *line = text; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
        const char *colon;

        line += *line == '\n';
        colon = line + length + strspn(line + HL_MIN(length, strlen(line)), " \t");
        if (strncmp(line, key, length) != 0 || *colon != ':')
            continue;
        colon += 1 + strspn(colon + 1, " \t");
        (void)snprintf(value, sizeof(value), "%.*s",
                       (int)HL_MIN(strcspn(colon, "\n"), sizeof(value) - 1), colon);
        if (value[0] != '\0')
            add_different(list, value);
    }
    return list[0] != '\0';
}

/* x86 says "model name"; ARM the numbers of implementer and part; others one of the rest. */
static void put_model(struct print *print)
{
    static const char *const keys[] = {"model name", "CPU part", "cpu", "uarch", "machine"};
    char value[VALUE_BYTES], implementer[VALUE_BYTES];
    bool is_found = false;
    char *text;
    int number = host_system_read(&text, NULL, "/proc/cpuinfo");

    for (int i = 0; number == 0 && !is_found && i < HL_COUNT_OF(keys); i++)
        is_found = collect_cpuinfo(text, keys[i], value);
    if (is_found && collect_cpuinfo(text, "CPU implementer", implementer)) {
        size_t used = strlen(value);

        (void)snprintf(value + used, sizeof(value) - used, " of %.200s", implementer);
    }
    if (number != 0)
        unknown(value, number);
    else if (!is_found)
        (void)snprintf(value, sizeof(value), "unknown: /proc/cpuinfo names none");
    put(print, print->must, "cpu_model", value);
    if (number != 0)
        unknown(value, number);
    else if (!collect_cpuinfo(text, "microcode", value))
        (void)snprintf(value, sizeof(value), "unknown: /proc/cpuinfo names none");
    put(print, print->must, "microcode", value);
    hl_free(text);
}

static int count_text(char *text, size_t bytes, int count, const char *one, const char *many)
{
    return snprintf(text, bytes, ", %d %s", count, count == 1 ? one : many);
}

/* "8 cpus, 4 cores, 1 package, 1 node; capacities 4 x 1024, 4 x 512". */
static void describe_topology(const struct machine *m, char value[static VALUE_BYTES])
{
    size_t used = (size_t)snprintf(value, VALUE_BYTES, "%d cpu%s", m->cpu_count,
                                   m->cpu_count == 1 ? "" : "s");
    int listed = 0;

    used += (size_t)count_text(value + used, VALUE_BYTES - used, m->core_count, "core", "cores");
    used += (size_t)count_text(value + used, VALUE_BYTES - used, m->package_count, "package",
                               "packages");
    used += (size_t)count_text(value + used, VALUE_BYTES - used, m->node_count, "node", "nodes");
    used += (size_t)count_text(value + used, VALUE_BYTES - used, m->llc_count, "last-level cache",
                               "last-level caches");
    /* Largest first; equal ones are nothing to tell. */
    for (int32_t capacity = 1024; capacity > 0; capacity--) {
        int count = 0;

        for (int32_t cpu = 0; cpu < m->cpu_count; cpu++)
            count += m->cpu[cpu].capacity == capacity;
        if (count > 0 && count < m->cpu_count && used < VALUE_BYTES)
            used += (size_t)snprintf(value + used, VALUE_BYTES - used, "%s%d x %d",
                                     listed++ > 0 ? ", " : "; capacities ", count, capacity);
    }
}

static void put_topology(struct print *print)
{
    struct hl_error why = {.text = ""};
    struct machine m = {0};
    char value[VALUE_BYTES];

    if (machine_open(&m, "host", &why) == HL_OK)
        describe_topology(&m, value);
    else
        (void)snprintf(value, sizeof(value), "unknown: %.400s", why.text);
    machine_close(&m);
    put(print, print->must, "topology", value);
}

/* Different ones of the online cpus. */
static void put_governor(struct print *print, const struct machine_host_cpus *cpus)
{
    static const struct {
        const char *key, *file;
        bool must;
    } files[] = {{"governor", "scaling_governor", true},
                 {"frequency_driver", "scaling_driver", false}};

    for (int i = 0; i < HL_COUNT_OF(files); i++) {
        char list[VALUE_BYTES] = "", value[VALUE_BYTES];
        int number = ENOENT;

        for (int cpu = 0; cpu < MACHINE_OS_CPUS_MAX; cpu++) {
            if (!machine_cpu_set_has(&cpus->online, cpu))
                continue;
            number =
                host_system_line(value, sizeof(value), "/sys/devices/system/cpu/cpu%d/cpufreq/%s",
                                 cpu, files[i].file);
            if (number == 0)
                add_different(list, value);
        }
        if (list[0] == '\0' && number == ENOENT)
            (void)snprintf(list, sizeof(list), "none");
        else if (list[0] == '\0')
            unknown(list, number);
        put(print, files[i].must ? print->must : print->known, files[i].key, list);
    }
}

/* intel_pstate has a switch of its own, the other way round. */
static void put_turbo(struct print *print)
{
    char value[VALUE_BYTES];
    int number =
        host_system_line(value, sizeof(value), "/sys/devices/system/cpu/intel_pstate/no_turbo");
    const char *on = "0";

    if (number == ENOENT || number == ENOTDIR) {
        number = host_system_line(value, sizeof(value), "/sys/devices/system/cpu/cpufreq/boost");
        on = "1";
    }
    if (number != 0)
        unknown(value, number);
    put(print, print->must, "turbo", number != 0 ? value : strcmp(value, on) == 0 ? "on" : "off");
}

static void put_cpus(struct print *print, const struct machine_host_cpus *cpus)
{
    char value[VALUE_BYTES];

    put_model(print);
    put_topology(print);
    machine_cpu_list_print(&cpus->online, value, sizeof(value));
    put(print, print->must, "online_cpus", value);
    put_line(print, print->must, "smt", "/sys/devices/system/cpu/smt/control");
    put_governor(print, cpus);
    put_turbo(print);
}

/* ---- limits ---- */

struct groups_seen {
    bool v1, v2;
    char weight[64];
};

/* The weight is that of our own group, the first of a hierarchy. */
static enum hl_status visit_group(const char *folder, bool is_v2, void *context,
                                  struct hl_error *err)
{
    struct groups_seen *seen = context;

    (void)err;
    *(is_v2 ? &seen->v2 : &seen->v1) = true;
    if (seen->weight[0] == '\0')
        (void)host_system_line(seen->weight, sizeof(seen->weight), "%s/%s", folder,
                               is_v2 ? "cpu.weight" : "cpu.shares");
    return HL_OK;
}

static void put_limits(struct print *print, const struct machine_host_cpus *cpus)
{
    struct groups_seen seen = {0};
    char value[VALUE_BYTES], quota[MACHINE_QUOTA_BYTES];

    machine_cpu_list_print(&cpus->allowed, value, sizeof(value));
    put(print, print->must, "allowed_cpus", value);
    put(print, print->must, "cpu_quota", machine_quota_print(cpus->quota_ppm, quota));
    if (machine_cpu_groups_visit(visit_group, &seen, NULL) != HL_OK)
        seen = (struct groups_seen){0};
    put(print, print->known, "cgroup",
        seen.v1 && seen.v2 ? "v1 and v2"
        : seen.v1          ? "v1"
        : seen.v2          ? "v2"
                           : "none");
    put(print, print->known, "cgroup_weight", seen.weight[0] == '\0' ? "none" : seen.weight);
}

/* To a tenth of a GiB: kernels keep a little more or less of it from boot to boot. */
static void put_memory(struct print *print)
{
    char value[VALUE_BYTES], *text, *line = NULL, *rest;
    int64_t kib = 0;
    int number = host_system_read(&text, NULL, "/proc/meminfo");

    rest = text;
    while ((line = hl_next_line(&rest)) != NULL && kib == 0)
        if (strncmp(line, "MemTotal:", 9) == 0)
            kib = strtoll(line + 9, NULL, 10);
    hl_free(text);
    if (number != 0)
        unknown(value, number);
    else if (kib <= 0)
        (void)snprintf(value, sizeof(value), "unknown: /proc/meminfo has no MemTotal");
    else
        (void)snprintf(value, sizeof(value), "%" PRId64 ".%" PRId64 " GiB",
                       (kib * 10 + (1 << 19)) / (1 << 20) / 10,
                       (kib * 10 + (1 << 19)) / (1 << 20) % 10);
    put(print, print->must, "memory", value);
}

/* ---- kernel ---- */

/* A number that tells configurations apart: they are too long to keep. */
static void put_config(struct print *print)
{
    char value[VALUE_BYTES], release[128], *text = NULL;
    const char *from = "/proc/config.gz";
    size_t bytes = 0;
    int number = host_system_read(&text, &bytes, "%s", from);

    if (number != 0 &&
        host_system_line(release, sizeof(release), "/proc/sys/kernel/osrelease") == 0) {
        from = "/boot/config";
        number = host_system_read(&text, &bytes, "/boot/config-%s", release);
    }
    if (number != 0)
        unknown(value, number);
    else
        (void)snprintf(value, sizeof(value), "%016" PRIx64 " (%s)", hl_hash_bytes(text, bytes),
                       from);
    hl_free(text);
    put(print, print->must, "kernel_config", value);
}

/* The class of this process, which those that it starts inherit: fields 19 and 41 of its line. */
static void put_class(struct print *print)
{
    static const char *const classes[] = {"other", "fifo", "rr",       "batch",
                                          "iso",   "idle", "deadline", "ext"};
    char value[VALUE_BYTES], *words[45];
    const char *fields;
    int64_t class, nice;
    int count, number = host_system_line(value, sizeof(value), "/proc/self/stat");

    if (number != 0) {
        unknown(value, number);
        put(print, print->must, "class", value);
        return;
    }
    fields = strrchr(value, ')');
    count = fields == NULL ? 0 : hl_split(strrchr(value, ')') + 1, ' ', words, 45);
    /* The first piece is empty, the second is field 3. */
    if (count < 40 || !hl_parse_int(words[41 - 2], &class) || !hl_parse_int(words[19 - 2], &nice) ||
        class < 0 || class >= HL_COUNT_OF(classes))
        (void)snprintf(value, sizeof(value), "unknown: /proc/self/stat is not as expected");
    else
        (void)snprintf(value, sizeof(value), "%s, nice %" PRId64, classes[class], nice);
    put(print, print->must, "class", value);
}

static void put_kernel(struct print *print)
{
    struct host_scheduler scheduler;
    char value[HOST_SCHEDULER_BYTES];

    put_line(print, print->must, "kernel", "/proc/sys/kernel/osrelease");
    put_line(print, print->must, "kernel_build", "/proc/sys/kernel/version");
    put_config(print);
    put_line(print, print->must, "kernel_command_line", "/proc/cmdline");
    host_scheduler_read(&scheduler);
    put(print, print->must, "scheduler", host_scheduler_print(&scheduler, value));
    put_class(print);
    put_line(print, print->known, "boot_id", "/proc/sys/kernel/random/boot_id");
}

static void put_tunable(const char *key, const char *value, int number, void *context)
{
    struct print *print = context;
    char text[VALUE_BYTES];

    if (number != 0)
        unknown(text, number);
    put(print, print->must, key, number != 0 ? text : value);
}

/* ---- programs ---- */

/* What a program says of its version, in its first line. */
static void put_version(struct print *print, const char *key, const char *command)
{
    char value[VALUE_BYTES] = "";
    FILE *pipe;

    if (!hl_sysroot_is_real()) {
        put(print, print->known, key, "unknown: a recorded machine");
        return;
    }
    pipe = popen(command, "re");
    if (pipe == NULL || fgets(value, sizeof(value), pipe) == NULL)
        value[0] = '\0';
    if (pipe != NULL)
        (void)pclose(pipe);
    value[strcspn(value, "\n")] = '\0';
    put(print, print->known, key, value[0] == '\0' ? "unknown: not there" : value);
}

enum hl_status host_fingerprint_take(char **json, struct hl_error *err)
{
    struct machine_host_cpus *cpus = hl_alloc(1, sizeof(*cpus));
    struct print print = {.must = json_object(), .known = json_object()};
    json_t *all = json_object();
    enum hl_status status = HL_OK;

    *json = NULL;
    print.is_full = cpus == NULL || print.must == NULL || print.known == NULL || all == NULL;
    if (!print.is_full)
        status = machine_host_cpus_read(cpus, err);
    if (!print.is_full && status == HL_OK) {
        put_cpus(&print, cpus);
        put_memory(&print);
        put_limits(&print, cpus);
        put_kernel(&print);
        host_tunables_visit(put_tunable, &print);
        put_version(&print, "compiler", "${CC:-cc} --version 2>/dev/null");
        put_version(&print, "make", "make --version 2>/dev/null");
        print.is_full |= json_object_set(all, "must_match", print.must) != 0;
        print.is_full |= json_object_set(all, "informational", print.known) != 0;
        if (!print.is_full)
            *json = json_dumps(all, JSON_COMPACT | JSON_ENSURE_ASCII);
    }
    json_decref(print.must);
    json_decref(print.known);
    json_decref(all);
    hl_free(cpus);
    if (status == HL_OK && *json == NULL)
        status = hl_fail(err, HL_NO_MEMORY, "out of memory for the fingerprint of the machine");
    return status;
}

/* ---- two of them ---- */

static void walk(json_t *was, json_t *is, host_fingerprint_visitor *visit, void *context)
{
    const char *key;
    json_t *value;

    json_object_foreach(was, key, value)
    {
        const char *old = json_string_value(value);
        const char *new = json_string_value(json_object_get(is, key));

        if (old != NULL && (new == NULL || strcmp(old, new) != 0))
            visit(key, old, new, context);
    }
    json_object_foreach(is, key, value)
    {
        if (json_object_get(was, key) == NULL && json_is_string(value))
            visit(key, NULL, json_string_value(value), context);
    }
}

void host_fingerprint_compare(const char *was, const char *is, host_fingerprint_visitor *visit,
                              void *context)
{
    json_t *old = json_loads(was, 0, NULL), *new = json_loads(is, 0, NULL);
    json_t *had = json_object_get(old, "must_match");

    /* A simulated study has no machine. */
    if (had != NULL)
        walk(had, json_object_get(new, "must_match"), visit, context);
    json_decref(old);
    json_decref(new);
}
