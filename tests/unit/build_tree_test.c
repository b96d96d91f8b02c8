/* SPDX-License-Identifier: GPL-2.0-or-later */
/* build_tree_test.c - buildworld as programs: its work, its disk, its phases, one directory at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/units.h"
#include "workload/workload.h"

enum { SEED = 3 };

static struct machine machine;
static struct profile profile;

static int open_all(void **state)
{
    struct hl_error err;

    (void)state;
    if (machine_open(&machine, "smp:8", &err) != HL_OK ||
        profile_open_for(&profile, "buildworld", NULL, &err) != HL_OK) {
        print_error("%s\n", err.text);
        return -1;
    }
    profile.constant[PROFILE_units] = 200;
    profile.constant[PROFILE_directories] = 20;
    profile.constant[PROFILE_work_ns] = 100 * HL_NS_PER_S;
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    profile_close(&profile);
    machine_close(&machine);
    return 0;
}

static void build(struct workload *w, const char *text, int64_t level)
{
    const struct workload_info *info;
    struct workload_options options;
    struct hl_error err = {0};
    struct workload_request request = {.machine = &machine,
                                       .profile = &profile,
                                       .options = &options,
                                       .level = level,
                                       .seed = SEED};

    assert_int_equal(workload_parse(text, &info, &options, &err), HL_OK);
    if (info->build(w, &request, &err) != HL_OK)
        fail_msg("%s", err.text);
    assert_int_equal(workload_check(w, "buildworld", &err), HL_OK);
}

static int64_t program_ns(const struct workload *w, const struct program *program, int op)
{
    int64_t body_ns = 0, sum_ns = 0;

    for (uint32_t i = program->first; i < program->first + program->count; i++) {
        const struct program_step *step = &w->steps[i];

        if (step->op == op)
            body_ns += step->amount;
        if (step->op == OP_LOOP) {
            sum_ns += body_ns * step->amount;
            body_ns = 0;
        }
    }
    return sum_ns + body_ns;
}

/* Of all programs but those of the short tools, which run once per unit, and of the daemons. */
static int64_t work_ns(const struct workload *w, int op)
{
    int64_t sum_ns = 0, units = profile.constant[PROFILE_units];

    for (size_t p = 0; p < w->program_count; p++) {
        const struct program *program = &w->programs[p];
        const struct program_step *exec = &w->steps[program->first];
        bool is_tool = exec->op == OP_EXEC && (strcmp(w->names[exec->target], "fixdep") == 0 ||
                                               strcmp(w->names[exec->target], "mv") == 0);

        if (strcmp(w->names[program->name], "kdaemon") != 0)
            sum_ns += program_ns(w, program, op) * (is_tool ? units : 1);
    }
    return sum_ns;
}

static int64_t count(const struct workload *w, int op)
{
    int64_t found = 0;

    for (size_t i = 0; i < w->step_count; i++)
        found += w->steps[i].op == op;
    return found;
}

static void one_job_does_exactly_the_work_of_the_profile(void **state)
{
    struct workload w = {0};

    (void)state;
    build(&w, "buildworld", 1);
    assert_int_equal(work_ns(&w, OP_RUN) + work_ns(&w, OP_SYSTEM), 100 * HL_NS_PER_S);
    workload_close(&w);
}

/* 0.49 of it for each doubling: twice the jobs, from 1 to 16, four times 0.49. */
static void kernel_time_grows_with_the_logarithm_of_the_jobs(void **state)
{
    static const int64_t levels[] = {2, 4, 8, 16, 64, 0};
    const int64_t growth = profile.constant[BUILDWORLD_system_growth];
    struct workload w = {0};
    int64_t user_ns, system_ns;

    (void)state;
    build(&w, "buildworld", 1);
    user_ns = work_ns(&w, OP_RUN);
    system_ns = work_ns(&w, OP_SYSTEM);
    workload_close(&w);
    for (int i = 0; i < HL_COUNT_OF(levels); i++) {
        int64_t doublings = HL_MIN(i + 1, 4); /* up to two jobs per cpu */
        int64_t more_ns = system_ns * growth / HL_PPM * doublings;

        build(&w, "buildworld", levels[i]);
        assert_in_range(work_ns(&w, OP_SYSTEM), system_ns + more_ns * 98 / 100,
                        system_ns + more_ns * 102 / 100);
        assert_in_range(work_ns(&w, OP_RUN), user_ns * 998 / 1000, user_ns * 1002 / 1000);
        workload_close(&w);
    }
}

static void sources_that_were_read_need_no_disk(void **state)
{
    struct workload cold = {0}, read = {0};

    (void)state;
    build(&cold, "buildworld", 8);
    build(&read, "buildworld:preread=y", 8);
    assert_true(count(&cold, OP_DISK) > profile.constant[PROFILE_directories]);
    assert_int_equal(count(&read, OP_DISK), 0);
    assert_int_equal(work_ns(&cold, OP_RUN), work_ns(&read, OP_RUN));
    workload_close(&cold);
    workload_close(&read);
}

/* A wait of the top make ends each phase: its own and the last. */
static void phases_are_waited_for(void **state)
{
    const struct program *top;
    struct workload w = {0};
    int64_t waits = 0, forks = 0, marks = 0;

    (void)state;
    build(&w, "buildworld", 8);
    top = &w.programs[w.tasks[0].program];
    for (uint32_t i = top->first; i < top->first + top->count; i++) {
        waits += w.steps[i].op == OP_WAIT;
        forks += w.steps[i].op == OP_FORK;
        /* A phase is what lies between two marks. */
        if (w.steps[i].op == OP_MARK) {
            assert_int_equal(w.steps[i].target, marks);
            assert_int_equal(waits, marks);
            marks++;
        }
    }
    assert_int_equal(marks, w.mark_count);
    assert_int_equal(w.part_count, profile.constant[BUILDWORLD_phases]);
    for (size_t i = 0; i < w.part_count; i++) {
        assert_int_equal(w.parts[i].first, i);
        assert_int_equal(w.parts[i].last, i + 1);
    }
    assert_string_equal(w.parts[0].name, "phase 1");
    assert_int_equal(waits, profile.constant[BUILDWORLD_phases]);
    assert_int_equal(forks, profile.constant[PROFILE_directories]);
    assert_int_equal(w.slots[0].count, 1); /* one make of a directory at a time */
    workload_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_job_does_exactly_the_work_of_the_profile),
        cmocka_unit_test(kernel_time_grows_with_the_logarithm_of_the_jobs),
        cmocka_unit_test(sources_that_were_read_need_no_disk),
        cmocka_unit_test(phases_are_waited_for),
    };

    return cmocka_run_group_tests(tests, open_all, close_all);
}
