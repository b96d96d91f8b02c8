/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matinv_test.c - options behind a workload's name, kinds of profiles, matinv and rsa as programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "workload/workload.h"

enum { PLACE_ORDERS, PLACE_RESIDUAL, PLACE_MERGED };

static void options_are_read_by_name(void **state)
{
    const struct workload_info *info;
    struct workload_options o;
    struct hl_error err;

    (void)state;
    assert_int_equal(workload_parse("matinv", &info, &o, &err), HL_OK);
    assert_string_equal(info->name, "matinv");
    assert_string_equal(o.text, "matinv");
    assert_int_equal(o.value[PLACE_ORDERS].first, 7000);
    assert_int_equal(o.value[PLACE_ORDERS].last, 9000);
    assert_int_equal(o.value[PLACE_ORDERS].step, 200);
    assert_int_equal(o.value[PLACE_RESIDUAL].first, 1);
    assert_false(o.is_given[PLACE_MERGED]);

    assert_int_equal(
        workload_parse("matinv:merged=0.095:orders=1000-1500+250:residual=n", &info, &o, &err),
        HL_OK);
    assert_string_equal(o.text, "matinv:orders=1000-1500+250:residual=n:merged=0.095");
    assert_int_equal(o.value[PLACE_ORDERS].step, 250);
    assert_int_equal(o.value[PLACE_RESIDUAL].first, 0);
    assert_int_equal(o.value[PLACE_MERGED].first, 95000);
    assert_true(o.is_given[PLACE_MERGED]);

    assert_int_equal(workload_parse("matinv:orders=500:residual", &info, &o, &err), HL_OK);
    assert_string_equal(o.text, "matinv:orders=500:residual=y");
    assert_int_equal(o.value[PLACE_ORDERS].last, 500);
    assert_int_equal(o.value[PLACE_RESIDUAL].first, 1);
}

static void wrong_options_say_what_there_is(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"matinv:order=3", "matinv: unknown option \"order\"; did you mean \"orders\"?"},
        {"matinv:", "matinv: unknown option \"\""},
        {"matinv:orders=9000-7000", "option orders is '9000-7000'; expected a number or a range"},
        {"matinv:orders=7000+200", "option orders is '7000+200'; expected a number or a range"},
        {"matinv:orders=7000-9000+0", "option orders is '7000-9000+0'; expected"},
        {"matinv:orders=7000-9000+", "option orders is '7000-9000+'; expected"},
        {"matinv:orders=99", "option orders is '99'; expected"},
        {"matinv:orders=", "option orders is ''; expected"},
        {"matinv:residual=2", "option residual is '2'; expected y or n"},
        {"matinv:merged=1.1", "option merged is '1.1'; expected a number from 0 to 1"},
        {"matinv:merged=-1", "option merged is '-1'; expected a number from 0 to 1"},
        {"matinv:merged=0:merged=0", "matinv: option merged is given twice"},
        {"rsa:orders=3", "rsa: unknown option \"orders\"; known: usertime"},
        {"kernbench:orders=3", "workload kernbench has no options; found 'orders'"},
        {"matinv:orders=1000:merged=0.00000000000000000000000000000000000000000001",
         "matinv:orders=1000:merged=0.00000000000000000000000000000000000000000001: expected at "
         "most 63 characters"},
    };
    const struct workload_info *info;
    struct workload_options o;
    struct hl_error err;

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(cases); i++) {
        assert_int_equal(workload_parse(cases[i].text, &info, &o, &err), HL_USAGE);
        err.text[strlen(cases[i].message)] = '\0'; /* lists of known words may go on */
        assert_string_equal(err.text, cases[i].message);
    }
    /* What else it may be is for the caller to know. */
    assert_int_equal(workload_parse("scn:some/file", &info, &o, &err), HL_OK);
    assert_null(info);
    assert_int_equal(workload_parse("", &info, &o, &err), HL_OK);
    assert_null(info);
}

static void every_option_has_a_sound_default(void **state)
{
    (void)state;
    for (const struct workload_info *info = workload_table; info->name != NULL; info++) {
        struct workload_options o;

        workload_options_init(info, &o);
        assert_string_equal(o.text, info->name);
        assert_true(info->default_loads != NULL || !info->simulated);
    }
}

static void a_profile_is_of_one_kind(void **state)
{
    struct profile profile;
    struct hl_error err;

    (void)state;
    assert_int_equal(profile_open_for(&profile, "matinv", NULL, &err), HL_OK);
    assert_string_equal(profile.name, "matinv");
    assert_string_equal(profile.kind->workload, "matinv");
    profile_close(&profile);
    assert_int_equal(profile_open_for(&profile, "rsa", "rsa-6.2", &err), HL_OK);
    assert_int_equal(profile.constant[RSA_sign_ns], 2605300);
    profile_close(&profile);
    assert_int_equal(profile_open_for(&profile, "matinv", "kernel", &err), HL_USAGE);
    assert_string_equal(err.text,
                        "profile kernel is of kind kernbench; expected one of kind matinv");
    /* A workload without constants takes none. */
    assert_int_equal(profile_open_for(&profile, "chat", NULL, &err), HL_OK);
    assert_null(profile.kind);
    profile_close(&profile);
    assert_int_equal(profile_open_for(&profile, "chat", "kernel", &err), HL_USAGE);
    profile_close(&profile);
}

static void an_unknown_kind_is_named_with_those_there_are(void **state)
{
    static const char text[] = "{\"about\":\"a\",\"kind\":\"matin\",\"constants\":{}}";
    static const char older[] = "{\"about\":\"a\",\"constants\":{}}";
    static const char foreign[] = "{\"about\":\"a\",\"kind\":\"rsa\",\"constants\":{\"as_share\":"
                                  "{\"value\":0,\"unit\":\"ratio\",\"source\":\"assumed\"}}}";
    struct profile profile;
    struct hl_error err;

    (void)state;
    assert_int_equal(profile_parse(&profile, "p.json", text, strlen(text), &err), HL_BAD_INPUT);
    assert_non_null(strstr(err.text, "p.json: /kind: unknown kind \"matin\"; did you mean "
                                     "\"matinv\"?"));
    assert_int_equal(profile_parse(&profile, "p.json", foreign, strlen(foreign), &err),
                     HL_BAD_INPUT);
    assert_non_null(strstr(err.text, "/constants: unknown"));
    assert_int_equal(profile_parse(&profile, "p.json", older, strlen(older), &err), HL_OK);
    assert_string_equal(profile.kind->workload, "kernbench");
    profile_close(&profile);
}

/* ---- what is built ---- */

struct built {
    struct profile profile;
    struct machine machine;
    struct workload workload;
};

static void build(struct built *b, const char *text, int64_t level)
{
    const struct workload_info *info;
    struct workload_options o;
    struct hl_error err;
    struct workload_request request = {
        .machine = &b->machine, .profile = &b->profile, .options = &o, .level = level, .seed = 1};

    *b = (struct built){0};
    assert_int_equal(workload_parse(text, &info, &o, &err), HL_OK);
    assert_int_equal(machine_open(&b->machine, "smp:2", &err), HL_OK);
    assert_int_equal(profile_open_for(&b->profile, info->name, NULL, &err), HL_OK);
    if (info->build(&b->workload, &request, &err) != HL_OK)
        fail_msg("%s", err.text);
    if (workload_check(&b->workload, text, &err) != HL_OK)
        fail_msg("%s", err.text);
}

static void built_close(struct built *b)
{
    workload_close(&b->workload);
    profile_close(&b->profile);
    machine_close(&b->machine);
}

/* The steps of the program of the first task. */
static const struct program_step *main_steps(const struct built *b, uint32_t *count)
{
    const struct program *p = &b->workload.programs[b->workload.tasks[0].program];

    *count = p->count;
    return &b->workload.steps[p->first];
}

static int count_op(const struct built *b, enum program_op op)
{
    uint32_t count;
    const struct program_step *steps = main_steps(b, &count);
    int found = 0;

    for (uint32_t i = 0; i < count; i++)
        found += steps[i].op == op;
    return found;
}

/* Work of a program, and of those it forks. */
static int64_t work_of(const struct workload *w, int32_t program)
{
    const struct program *p = &w->programs[program];
    int64_t ns = 0;

    for (uint32_t i = p->first; i < p->first + p->count; i++)
        if (w->steps[i].op == OP_RUN || w->steps[i].op == OP_SYSTEM)
            ns += w->steps[i].amount;
        else if (w->steps[i].op == OP_FORK)
            ns += work_of(w, w->steps[i].target);
    return ns;
}

static void who_waits_creates_all_threads(void **state)
{
    struct built b;

    (void)state;
    /* 20 sections of an inversion: two threads in each, or one where the creator works too. */
    build(&b, "matinv:orders=1000:residual=n", 2);
    assert_int_equal(count_op(&b, OP_FORK), 40);
    assert_int_equal(count_op(&b, OP_WAIT), 20);
    built_close(&b);
    build(&b, "matinv:orders=1000:residual=n:merged=1", 2);
    assert_int_equal(count_op(&b, OP_FORK), 20);
    built_close(&b);
    build(&b, "matinv:orders=1000:residual=n:merged=0.25", 2);
    assert_int_equal(count_op(&b, OP_FORK), 35);
    built_close(&b);
    /* The rest is one section more. */
    build(&b, "matinv:orders=1000", 4);
    assert_int_equal(count_op(&b, OP_FORK), 20 * 4 + 3);
    built_close(&b);
    build(&b, "matinv:orders=1000:residual_merged=0", 4);
    assert_int_equal(count_op(&b, OP_FORK), 20 * 4 + 4);
    built_close(&b);
}

static void one_thread_is_nobody_elses(void **state)
{
    struct built b;

    (void)state;
    build(&b, "matinv:orders=1000", 1);
    assert_int_equal(count_op(&b, OP_FORK), 0);
    assert_int_equal(count_op(&b, OP_WAIT), 0);
    assert_int_equal(b.workload.live_task_max, 2);
    built_close(&b);
}

static void work_grows_with_the_third_power(void **state)
{
    static const char *const options[] = {"", ":merged=1", ":residual_merged=0"};
    struct built b;

    (void)state;
    for (int64_t threads = 1; threads <= 7; threads++)
        for (int i = 0; i < HL_COUNT_OF(options); i++) {
            int64_t expected, all;
            char text[64];

            (void)snprintf(text, sizeof(text), "matinv:orders=2000-3000+1000%s", options[i]);
            build(&b, text, threads);
            expected = (8 + 27) * (b.profile.constant[MATINV_inversion_ns] +
                                   b.profile.constant[MATINV_residual_ns]);
            all = work_of(&b.workload, b.workload.tasks[0].program);
            /* Whole ns are lost in each part only. */
            assert_true(all <= expected && all > expected - 1000);
            built_close(&b);
        }
}

static void each_inversion_is_a_part_between_two_marks(void **state)
{
    struct built b;

    (void)state;
    build(&b, "matinv:orders=1000-2000+1000", 2);
    assert_int_equal(b.workload.rate_amount, 0);
    assert_int_equal(b.workload.mark_count, 4);
    assert_int_equal(count_op(&b, OP_MARK), 4);
    assert_int_equal(b.workload.part_count, 2);
    assert_string_equal(b.workload.parts[0].name, "order 1000");
    assert_int_equal(b.workload.parts[0].rate_amount, 2000);
    assert_int_equal(b.workload.parts[0].first, 0);
    assert_int_equal(b.workload.parts[0].last, 1);
    assert_string_equal(b.workload.parts[1].name, "order 2000");
    assert_int_equal(b.workload.parts[1].rate_amount, 16000);
    assert_int_equal(b.workload.parts[1].first, 2);
    assert_int_equal(b.workload.parts[1].last, 3);
    built_close(&b);
}

static void too_many_threads_are_refused(void **state)
{
    struct profile profile;
    struct machine machine;
    struct workload w;
    struct hl_error err;
    struct workload_request request = {.machine = &machine, .profile = &profile, .level = 4097};

    (void)state;
    assert_int_equal(machine_open(&machine, "smp:2", &err), HL_OK);
    assert_int_equal(profile_open_for(&profile, "matinv", NULL, &err), HL_OK);
    assert_int_equal(workload_matinv(&w, &request, &err), HL_USAGE);
    assert_string_equal(err.text, "matinv: load 4097: expected at most 4096 threads");
    profile_close(&profile);
    machine_close(&machine);
}

static void signers_are_equal_and_independent(void **state)
{
    struct built b;

    (void)state;
    build(&b, "rsa", 4);
    /* 10 s / 2.6742 ms is 3739 signatures. */
    assert_int_equal(b.workload.rate_amount, 4 * 3739);
    assert_int_equal(b.workload.rate_processes, 4);
    assert_int_equal(b.workload.mark_count, 4 * 101);
    assert_false(b.workload.rate_by_user_time);
    assert_int_equal(b.workload.live_task_max, 5);
    assert_int_equal(work_of(&b.workload, 0), 10 * HL_NS_PER_S);
    built_close(&b);
    build(&b, "rsa:usertime=y", 4);
    assert_int_equal(b.workload.rate_processes, 4);
    assert_true(b.workload.rate_by_user_time);
    built_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_read_by_name),
        cmocka_unit_test(wrong_options_say_what_there_is),
        cmocka_unit_test(every_option_has_a_sound_default),
        cmocka_unit_test(a_profile_is_of_one_kind),
        cmocka_unit_test(an_unknown_kind_is_named_with_those_there_are),
        cmocka_unit_test(who_waits_creates_all_threads),
        cmocka_unit_test(one_thread_is_nobody_elses),
        cmocka_unit_test(work_grows_with_the_third_power),
        cmocka_unit_test(each_inversion_is_a_part_between_two_marks),
        cmocka_unit_test(too_many_threads_are_refused),
        cmocka_unit_test(signers_are_equal_and_independent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
