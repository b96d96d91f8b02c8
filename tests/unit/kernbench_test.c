/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernbench_test.c - the simulated kernel build: its work, its shape; profiles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data_dir.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "workload/workload.h"

/* Two packages of two cpus, without the machine room's help. */
static int32_t package_first[] = {0, 2, 4}, package_cpu[] = {0, 1, 2, 3};
static const struct machine machine = {
    .package_count = 2, .cpu_count = 4, .package_first = package_first, .package_cpu = package_cpu};

static const char *const profiles[] = {
    "kernel",     "kernel-2.4", "kernel-2.5.47", "kernel-2.5.47-pipe", "kernel-2.6.0-test11",
    "kernel-x440"};

static void open_profile(struct profile *profile, const char *name)
{
    struct hl_error err;

    if (profile_open(profile, name, &err) != HL_OK)
        fail_msg("%s", err.text);
}

static void build(struct workload *w, const struct profile *profile, int64_t level, uint64_t seed)
{
    const struct workload_request request = {
        .machine = &machine, .profile = profile, .level = level, .seed = seed};
    struct hl_error err;

    if (workload_kernbench(w, &request, &err) != HL_OK || workload_check(w, "build", &err) != HL_OK)
        fail_msg("%s", err.text);
}

struct sums { /* of a task and all that it forks */
    int64_t user_ns, system_ns, tasks, compilers, chunks;
};

/* Plays a program without time: every step as often as its loops say. */
static void play(const struct workload *w, int32_t program, struct sums *sums)
{
    const struct program *p = &w->programs[program];
    const struct program_step *steps = &w->steps[p->first];
    int64_t met = 0;
    uint32_t i = 0;

    sums->tasks++;
    while (steps[i].op != OP_EXIT) {
        const struct program_step *step = &steps[i++];

        switch (step->op) {
        case OP_RUN: sums->user_ns += step->amount; break;
        case OP_SYSTEM: sums->system_ns += step->amount; break;
        case OP_FORK:
        case OP_VFORK: play(w, step->target, sums); break;
        case OP_EXEC: sums->compilers += strcmp(w->names[step->target], "cc1") == 0; break;
        case OP_WRITE: sums->chunks++; break;
        case OP_LOOP:
            if (++met < step->amount)
                i = (uint32_t)step->target;
            else
                met = 0;
            break;
        default: break;
        }
    }
}

static void all_work_together_is_exact_for_every_seed_and_level(void **state)
{
    static const int64_t levels[] = {0, 1, 2, 3, 8, 64, 100000};

    (void)state;
    for (int p = 0; p < HL_COUNT_OF(profiles); p++) {
        struct profile profile;
        const int64_t *c = profile.constant;

        open_profile(&profile, profiles[p]);
        for (int l = 0; l < HL_COUNT_OF(levels); l++)
            for (uint64_t seed = 0; seed < 5; seed++) {
                struct workload w;
                struct sums sums = {0};
                int64_t system_ns =
                    (int64_t)((double)c[PROFILE_work_ns] * (double)c[PROFILE_system_share] / 1e6);

                build(&w, &profile, levels[l], seed);
                play(&w, w.tasks[0].program, &sums);
                assert_int_equal(sums.user_ns + sums.system_ns, c[PROFILE_work_ns]);
                assert_in_range(sums.system_ns, system_ns - 20 * c[PROFILE_units], system_ns + 1);
                assert_int_equal(sums.compilers, c[PROFILE_units]);
                assert_int_equal(sums.chunks, c[PROFILE_pipe] != 0
                                                  ? c[PROFILE_units] * c[PROFILE_pipe_chunks]
                                                  : 0);
                /* make; per directory make, ld; per unit sh, gcc, as, cc1, fixdep, mv. */
                assert_int_equal(sums.tasks, 1 + 2 * c[PROFILE_directories] + 6 * c[PROFILE_units]);
                workload_close(&w);
            }
        profile_close(&profile);
    }
}

static void without_pipes_the_work_is_the_same(void **state)
{
    struct profile profile;
    struct workload w;
    struct sums sums = {0};

    (void)state;
    open_profile(&profile, "kernel");
    profile.constant[PROFILE_pipe] = 0;
    build(&w, &profile, 4, 1);
    play(&w, w.tasks[0].program, &sums);
    assert_int_equal(sums.user_ns + sums.system_ns, profile.constant[PROFILE_work_ns]);
    assert_int_equal(sums.chunks, 0);
    assert_int_equal(w.pipe_count, 0);
    workload_close(&w);
    profile_close(&profile);
}

static void compilers_at_one_time_follow_make_and_the_tree(void **state)
{
    static const struct {
        int64_t level, offset, slots;
        size_t alive; /* top make, directories' makes, four per slot, two daemons */
    } cases[] = {
        {1, 0, 1, 1 + 1 + 4 + 2},        {1, 1, 1, 1 + 1 + 4 + 2},
        {2, 1, 1, 1 + 1 + 4 + 2},        {3, 1, 2, 1 + 2 + 8 + 2},
        {8, 0, 8, 1 + 8 + 32 + 2},       {64, 0, 64, 1 + 60 + 256 + 2},
        {0, 1, 1060, 1 + 60 + 4240 + 2}, {100000, 0, 1060, 1 + 60 + 4240 + 2},
    };

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(cases); i++) {
        struct profile profile;
        struct workload w;

        open_profile(&profile, "kernel");
        profile.constant[PROFILE_jobserver_offset] = cases[i].offset;
        build(&w, &profile, cases[i].level, 1);
        assert_int_equal(w.slot_count, 2);
        assert_int_equal(w.slots[0].count, cases[i].slots);
        assert_int_equal(w.slots[1].count, cases[i].slots);
        assert_int_equal(w.live_task_max, cases[i].alive);
        workload_close(&w);
        profile_close(&profile);
    }
}

/* A compiler starts only in a shell, and a shell only after a slot was taken. */
static void every_shell_and_every_linker_takes_a_slot_first(void **state)
{
    struct profile profile;
    struct workload w;
    int64_t slots = 0, vforks = 0;

    (void)state;
    open_profile(&profile, "kernel");
    build(&w, &profile, 4, 1);
    for (size_t p = 0; p < w.program_count; p++) {
        bool has_slot = false;

        for (uint32_t i = 0; i < w.programs[p].count; i++) {
            const struct program_step *step = &w.steps[w.programs[p].first + i];

            has_slot |= step->op == OP_SLOT;
            slots += step->op == OP_SLOT;
            vforks += has_slot && (step->op == OP_VFORK || step->op == OP_FORK);
            assert_true(vforks <= slots);
        }
        assert_int_equal(vforks, slots);
    }
    assert_int_equal(slots, 60 + 1000 + 60);
    workload_close(&w);
    profile_close(&profile);
}

static int compare_int64(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

static int64_t unit_sizes(const struct workload *w, int64_t *sizes)
{
    int64_t count = 0;

    for (size_t p = 0; p < w->program_count; p++) {
        const struct program_step *first = &w->steps[w->programs[p].first];

        if (first->op == OP_EXEC && strcmp(w->names[first->target], "cc1") == 0) {
            const struct program_step *chunk = first + 1 + (first[1].op == OP_DISK);

            sizes[count++] = chunk[0].amount + chunk[1].amount;
        }
    }
    return count;
}

static void seeds_differ_in_order_and_not_in_sizes(void **state)
{
    struct profile profile;
    struct workload w;
    static int64_t one[1000], other[1000];
    int64_t in_place = 0;

    (void)state;
    open_profile(&profile, "kernel");
    build(&w, &profile, 4, 1);
    assert_int_equal(unit_sizes(&w, one), 1000);
    workload_close(&w);
    build(&w, &profile, 4, 2);
    assert_int_equal(unit_sizes(&w, other), 1000);
    workload_close(&w);
    for (int i = 0; i < 1000; i++)
        in_place += one[i] == other[i];
    assert_true(in_place < 20);
    qsort(one, 1000, sizeof(one[0]), compare_int64);
    qsort(other, 1000, sizeof(other[0]), compare_int64);
    for (int i = 0; i < 1000; i++)
        assert_in_range(one[i], other[i] - 20, other[i] + 20); /* rounding */
    /* Capped at p0.5 and p99.5: exp(2 * 0.8 * 2.5758) between them. */
    assert_in_range(one[999] / one[0], 61, 62);
    assert_in_range((one[499] + one[500]) * 100 / (one[0] + one[999]), 24, 25);
    profile_close(&profile);
}

static void one_seed_gives_one_build(void **state)
{
    struct profile profile;
    struct workload one, other;

    (void)state;
    open_profile(&profile, "kernel-2.6.0-test11");
    build(&one, &profile, 3, 42);
    build(&other, &profile, 3, 42);
    assert_int_equal(one.step_count, other.step_count);
    assert_memory_equal(one.steps, other.steps, one.step_count * sizeof(*one.steps));
    assert_int_equal(one.task_count, other.task_count);
    /* Member by member: what lies between members is anything. */
    for (size_t i = 0; i < one.task_count; i++) {
        assert_int_equal(one.tasks[i].program, other.tasks[i].program);
        assert_int_equal(one.tasks[i].at_ns, other.tasks[i].at_ns);
        assert_int_equal(one.tasks[i].start_cpu, other.tasks[i].start_cpu);
    }
    workload_close(&one);
    workload_close(&other);
    profile_close(&profile);
}

static void each_package_has_one_daemon_in_the_background(void **state)
{
    struct profile profile;
    struct workload w;

    (void)state;
    open_profile(&profile, "kernel");
    build(&w, &profile, 4, 1);
    assert_int_equal(w.task_count, 3);
    assert_false(w.tasks[0].background);
    for (int p = 0; p < 2; p++) {
        assert_true(w.tasks[1 + p].background);
        assert_true(w.tasks[1 + p].is_kernel);
        assert_int_equal(w.tasks[1 + p].start_cpu, 2 * p);
        assert_int_equal(w.tasks[1 + p].cpu_set, -1);
    }
    workload_close(&w);
    profile.constant[PROFILE_daemons] = 0;
    build(&w, &profile, 4, 1);
    assert_int_equal(w.task_count, 1);
    workload_close(&w);
    profile_close(&profile);
}

static void work_that_is_too_little_for_the_small_processes_is_refused(void **state)
{
    struct profile profile;
    struct workload w;
    struct hl_error err;

    (void)state;
    open_profile(&profile, "kernel");
    profile.constant[PROFILE_work_ns] = HL_NS_PER_S;
    assert_int_equal(
        workload_kernbench(&w,
                           &(struct workload_request){
                               .machine = &machine, .profile = &profile, .level = 1, .seed = 1},
                           &err),
        HL_BAD_INPUT);
    /* Head and tail 25 ms each, links 10 ms, 1000 units of 7.5 ms, 60 directories of 30 ms. */
    assert_string_equal(err.text,
                        "profile kernel: /constants: of work_ns = 1000 ms, serial_head_share takes "
                        "25 ms, serial_tail_share 25, link_share 10 and the short processes 9300; "
                        "expected less in all, so that compilers have work");
    profile_close(&profile);
}

static void a_failed_allocation_is_a_status(void **state)
{
    struct profile profile;
    struct hl_error err;
    enum hl_status status = HL_NO_MEMORY;

    (void)state;
    open_profile(&profile, "kernel");
    for (uint64_t n = 1; status == HL_NO_MEMORY; n++) {
        struct workload w;

        hl_alloc_fail_at(n);
        status = workload_kernbench(
            &w, &(struct workload_request){.machine = &machine, .profile = &profile, .level = 1},
            &err);
        workload_close(&w);
    }
    hl_alloc_fail_at(0);
    assert_int_equal(status, HL_OK);
    profile_close(&profile);
    status = HL_NO_MEMORY;
    for (uint64_t n = 1; status == HL_NO_MEMORY; n++) {
        hl_alloc_fail_at(n);
        status = profile_open(&profile, "kernel", &err);
        profile_close(&profile);
    }
    hl_alloc_fail_at(0);
    assert_int_equal(status, HL_OK);
}

/* ---- profiles ---- */

static void a_profile_gives_values_and_sources(void **state)
{
    static const char text[] =
        "{ \"about\": \"a\", \"constants\": {\n"
        "\"work_ns\": { \"value\": 66, \"unit\": \"s\", \"source\": \"fitted:UP/make\" },\n"
        "\"as_share\": { \"value\": 0.025, \"unit\": \"ratio\", \"source\": \"published\" },\n"
        "\"pipe\": { \"value\": false, \"unit\": \"bool\", \"source\": \"spec\", \"note\": \"linux "
        "9\" } } }";
    struct profile profile;
    struct hl_error err;

    (void)state;
    assert_int_equal(profile_parse(&profile, "p.json", text, strlen(text), &err), HL_OK);
    assert_int_equal(profile.constant[PROFILE_work_ns], 66 * HL_NS_PER_S);
    assert_string_equal(profile.source[PROFILE_work_ns], "fitted:UP/make");
    assert_int_equal(profile.constant[PROFILE_as_share], 25000);
    assert_int_equal(profile.constant[PROFILE_pipe], 0);
    assert_int_equal(profile.constant[PROFILE_units], 1000);
    assert_string_equal(profile.source[PROFILE_units], "assumed");
    profile_close(&profile);
}

static void bad_profiles_are_refused_with_their_place(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"{\n\n\"about\" }", "p.json:3: not JSON: ':' expected near '}'"},
        {"[]", "p.json: top level: found an array, expected an object"},
        {"{\"about\":\"a\"}", "p.json: top level: the key \"constants\" is missing"},
        {"{\"about\":\"a\",\"constants\":{\"unit\":1}}",
         "p.json: /constants: unknown constant \"unit\"; did you mean \"units\"? known: "},
        {"{\"about\":\"a\",\"constants\":{\"units\":{\"value\":0,\"unit\":\"count\",\"source\":"
         "\"assumed\"}}}",
         "p.json: /constants/units/value: found 0, expected a whole number from 1 to 100000"},
        {"{\"about\":\"a\",\"constants\":{\"units\":{\"value\":5,\"unit\":\"ns\",\"source\":"
         "\"assumed\"}}}",
         "p.json: /constants/units/unit: unknown unit \"ns\"; known: count"},
        {"{\"about\":\"a\",\"constants\":{\"units\":{\"value\":5,\"unit\":\"count\"}}}",
         "p.json: /constants/units: the key \"source\" is missing"},
        {"{\"about\":\"a\",\"constants\":{\"as_share\":{\"value\":1.5,\"unit\":\"ratio\","
         "\"source\":\"assumed\"}}}",
         "p.json: /constants/as_share/value: found 1.5, expected a number from 0 to 0.5"},
        {"{\"about\":\"a\",\"constants\":{\"pipe\":{\"value\":1,\"unit\":\"bool\",\"source\":"
         "\"assumed\"}"
         "}}",
         "p.json: /constants/pipe/value: found 1, expected true or false"},
    };

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(cases); i++) {
        struct profile profile;
        struct hl_error err;

        assert_int_equal(
            profile_parse(&profile, "p.json", cases[i].text, strlen(cases[i].text), &err),
            HL_BAD_INPUT);
        err.text[strlen(cases[i].message)] = '\0'; /* lists of known words may go on */
        assert_string_equal(err.text, cases[i].message);
        profile_close(&profile);
    }
}

static void an_unknown_profile_is_named_with_a_near_one(void **state)
{
    struct profile profile;
    struct hl_error err;

    (void)state;
    assert_int_equal(profile_open(&profile, "kernel-2.5", &err), HL_USAGE);
    assert_non_null(strstr(err.text, "\"kernel-2.5\""));
    assert_non_null(strstr(err.text, "did you mean \"kernel-2.4\"?"));
    assert_int_equal(profile_open(&profile, "./no-such.json", &err), HL_BAD_INPUT);
    assert_non_null(strstr(err.text, "./no-such.json"));
    profile_close(&profile);
}

/* No value of a shipped profile comes from a default that nobody sees. */
static void shipped_profiles_give_every_constant(void **state)
{
    char **names;
    struct hl_error err;
    int count = 0, builds = 0;

    (void)state;
    assert_int_equal(hl_data_list("profiles", ".json", &names, &err), HL_OK);
    for (; names[count] != NULL; count++) {
        char path[4096], *text;
        struct profile profile;

        open_profile(&profile, names[count]);
        assert_int_equal(hl_data_path(path, sizeof(path), "profiles", names[count], ".json", &err),
                         HL_OK);
        assert_int_equal(hl_read_file(path, 1 << 20, &text, NULL, &err), HL_OK);
        for (int c = 0; c < profile.kind->count; c++) {
            char key[80];

            (void)snprintf(key, sizeof(key), "\"%s\":", profile.kind->table[c].name);
            assert_non_null(strstr(text, key));
        }
        builds += strcmp(profile.kind->workload, "kernbench") == 0;
        hl_free(text);
        profile_close(&profile);
    }
    assert_int_equal(builds, HL_COUNT_OF(profiles) + 1); /* kernel-tinyconfig has processes */
    hl_data_list_close(names);
}

/* docs/formats.md has a row for each constant, with the table's own words. */
static void the_manual_lists_every_constant(void **state)
{
    char *manual;
    struct hl_error err;

    (void)state;
    assert_int_equal(
        hl_read_file(HALFLOAD_TESTS_DIR "/../docs/formats.md", 1 << 20, &manual, NULL, &err),
        HL_OK);
    for (const struct profile_kind *kind = profile_kinds; kind->workload != NULL; kind++) {
        char title[80], *section;
        /* buildworld has those of kernbench too, and refers to them. */
        int first = strcmp(kind->workload, "buildworld") == 0 ? PROFILE_CONSTANT_COUNT : 0;

        (void)snprintf(title, sizeof(title), "\nKind `%s`", kind->workload);
        section = strstr(manual, title);
        assert_non_null(section);
        for (int c = first; c < kind->count; c++) {
            char start[80], end[200];
            const char *row;

            (void)snprintf(start, sizeof(start), "\n| `%s` |", kind->table[c].name);
            (void)snprintf(end, sizeof(end), "| %s |\n", kind->table[c].help);
            row = strstr(section, start);
            assert_non_null(row);
            assert_non_null(strstr(row, end));
            assert_true(strstr(row, end) < strchr(row + 1, '\n'));
        }
    }
    hl_free(manual);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_work_together_is_exact_for_every_seed_and_level),
        cmocka_unit_test(without_pipes_the_work_is_the_same),
        cmocka_unit_test(compilers_at_one_time_follow_make_and_the_tree),
        cmocka_unit_test(every_shell_and_every_linker_takes_a_slot_first),
        cmocka_unit_test(seeds_differ_in_order_and_not_in_sizes),
        cmocka_unit_test(one_seed_gives_one_build),
        cmocka_unit_test(each_package_has_one_daemon_in_the_background),
        cmocka_unit_test(work_that_is_too_little_for_the_small_processes_is_refused),
        cmocka_unit_test(a_failed_allocation_is_a_status),
        cmocka_unit_test(a_profile_gives_values_and_sources),
        cmocka_unit_test(bad_profiles_are_refused_with_their_place),
        cmocka_unit_test(an_unknown_profile_is_named_with_a_near_one),
        cmocka_unit_test(shipped_profiles_give_every_constant),
        cmocka_unit_test(the_manual_lists_every_constant),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
