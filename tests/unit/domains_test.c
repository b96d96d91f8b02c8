/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * domains_test.c - what cpus remember, how groups compare, which tasks move and who is pushed (spec linux
 * 5.1 to 5.6): the arithmetic of sdmm and sd267.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"
#include "fake_host.h"
#include "policy/sd267.h"
#include "policy/sdmm.h"

enum { MODE_COUNT = 3, CPUS_MAX = 8 };

static const struct fake_shape two_cpus = {1, 2, 1, 1}, two_by_two = {1, 2, 1, 2},
                               four_by_two = {1, 4, 1, 2}, two_nodes = {2, 4, 1, 2};

static struct domain *level_of(struct fake_host *h, int cpu, enum domain_level level)
{
    struct domain_cpu *dc = domain_cpu_of(&h->policy, cpu);

    for (int i = 0; i < dc->domain_count; i++)
        if (dc->domain[i].level == level)
            return &dc->domain[i];
    fail_msg("cpu %d has no level %d", cpu, (int)level);
    return NULL;
}

/* So many hogs on each cpu, all of it seen often enough by everybody. */
static void settle_loads(struct fake_host *h, const int *count)
{
    for (int cpu = 0; cpu < h->policy.cpu_count; cpu++)
        for (int i = 0; i < count[cpu]; i++)
            fake_hog(h, 0, cpu);
    fake_settle(h);
    for (int cpu = 0; cpu < h->policy.cpu_count; cpu++)
        for (int of = 0; of < h->policy.cpu_count; of++)
            domain_cpu_of(&h->policy, cpu)->estimate[of] = count[of] * DOMAIN_LOAD_ONE;
}

/* ---- what cpus remember: 5.3 ---- */

static void a_remembered_load_ripens_by_halves_and_sticks_below_one_task(void **state)
{
    static const int rising[] = {64, 96, 112, 120, 124, 126, 127, 127, 127};
    struct fake_host h;
    struct domain_survey s;

    (void)state;
    fake_open(&h, "sdmm:smt=n", two_cpus);
    fake_hog(&h, 0, 0);
    fake_settle(&h);
    for (int i = 0; i < HL_COUNT_OF(rising); i++) {
        domain_survey(&h.policy, 1, level_of(&h, 1, DOMAIN_CPU), true, DOMAIN_FIRST_WINS, &s);
        assert_int_equal(fake_probe(&h, NULL, "cpu1.h_cpu0"), rising[i]);
    }
    assert_int_equal(fake_probe(&h, NULL, "cpu0.h_cpu0"), 0); /* who does not look learns nothing */
    fake_close(&h);
}

static void looking_without_updating_changes_no_memory(void **state)
{
    struct fake_host h;
    struct domain_survey s;

    (void)state;
    fake_open(&h, "sdmm:smt=n", two_cpus);
    fake_hog(&h, 0, 0);
    fake_settle(&h);
    domain_survey(&h.policy, 1, level_of(&h, 1, DOMAIN_CPU), false, DOMAIN_FIRST_WINS, &s);
    assert_int_equal(s.busiest, DOMAIN_NO_GROUP); /* the smaller of 128 and 0 */
    assert_int_equal(fake_probe(&h, NULL, "cpu1.h_cpu0"), 0);
    fake_close(&h);
}

static void the_load_of_a_run_queue_follows_its_own_ticks(void **state)
{
    static const int rising[] = {64, 96, 112, 120, 124, 126, 127, 128, 128};
    static const int falling[] = {64, 32, 16, 8, 4, 2, 1, 0, 0};
    struct fake_host h;
    struct policy_task *hog;

    (void)state;
    fake_open(&h, "sd267:smt=n", two_cpus);
    hog = fake_hog(&h, 0, 0);
    fake_settle(&h);
    for (int i = 0; i < HL_COUNT_OF(rising); i++) {
        fake_tick(&h, 0);
        assert_int_equal(fake_probe(&h, NULL, "cpu0.h_cpu0"), rising[i]);
        assert_int_equal(fake_probe(&h, NULL, "cpu1.h_cpu0"), rising[i]); /* one for all */
    }
    fake_exit(&h, hog);
    for (int i = 0; i < HL_COUNT_OF(falling); i++) {
        fake_tick(&h, 0);
        assert_int_equal(fake_probe(&h, NULL, "cpu0.h_cpu0"), falling[i]);
    }
    fake_close(&h);
}

/* ---- groups: 5.1, 5.6 ---- */

static void a_core_of_two_threads_counts_as_a_little_more_than_one_cpu(void **state)
{
    struct fake_host h;

    (void)state;
    fake_open(&h, "sdmm", two_nodes);
    assert_int_equal(fake_probe(&h, NULL, "cpu0.sib.power"), 128);
    assert_int_equal(fake_probe(&h, NULL, "cpu0.cpu.power"), 140);
    assert_int_equal(fake_probe(&h, NULL, "cpu0.node.power"), 4 * 140);
    assert_int_equal(fake_probe(&h, NULL, "cpu15.node"), 1);
    fake_close(&h);
    fake_open(&h, "sdmm:smt=n", two_nodes);
    assert_int_equal(fake_probe(&h, NULL, "cpu0.cpu.power"), 128);
    assert_int_equal(fake_probe(&h, NULL, "cpu0.node.power"), 8 * 128);
    fake_close(&h);
}

/* One row of the table of 5.6; -1: the table does not say. */
struct situation {
    const char *smt; /* appended to the policy's name */
    struct fake_shape shape;
    int count[CPUS_MAX]; /* hogs by cpu */
    int seen_from, max, own;
    int sdmm[MODE_COUNT], less_idle[MODE_COUNT], sd267[MODE_COUNT]; /* BUSY, IDLE, NEWIDLE */
};

static const struct situation situations[] = {
    /* One doubly loaded core, three idle ones: nothing waits, yet one is to be moved. */
    {"", {1, 4, 1, 2}, {1, 1}, 2, 234, 0, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
    /* A lone task. */
    {"", {1, 4, 1, 2}, {1}, 2, 117, 0, {0, 0, 0}, {0, 0, 1}, {0, 0, 1}},
    {"", {1, 4, 1, 2}, {1, 1, 1, 0, 1}, 6, 234, 0, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
    {"", {1, 4, 1, 2}, {1, 1, 1, 0, 1, 0, 1}, 2, 234, 117, {0, -1, -1}, {0, -1, -1}, {0, -1, -1}},
    {"", {1, 2, 1, 2}, {2, 1, 1}, 2, 351, 117, {1, -1, -1}, {1, -1, -1}, {1, -1, -1}},
    {":smt=n", {1, 4, 1, 2}, {2}, 1, 256, 0, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
    /* Two siblings are two cpus like any others. */
    {":smt=n", {1, 4, 1, 2}, {1, 1}, 2, 128, 0, {0, 0, 0}, {0, 0, 1}, {0, 0, 1}},
    {":smt=n", {1, 2, 1, 1}, {2, 1}, 1, 256, 128, {0, -1, -1}, {0, -1, -1}, {0, -1, -1}},
};

static int32_t imbalance(struct fake_host *h, const struct domain *d, const struct domain_survey *s,
                         enum domain_mode mode)
{
    if (strcmp(h->policy.ops->name, "sd267") == 0)
        return sd267_imbalance(d, s, mode);
    return sdmm_imbalance(policy_data(&h->policy), d, s, mode);
}

static void check_situation(const struct situation *row, const char *policy, const char *option,
                            const int *expected)
{
    struct fake_host h;
    struct domain_survey s;
    struct domain *d;
    char spec[64];

    assert_true(snprintf(spec, sizeof(spec), "%s%s%s", policy, option, row->smt) <
                (int)sizeof(spec));
    fake_open(&h, spec, row->shape);
    settle_loads(&h, row->count);
    d = level_of(&h, row->seen_from, DOMAIN_CPU);
    domain_survey(&h.policy, row->seen_from, d, false, DOMAIN_FIRST_WINS, &s);
    assert_int_equal(s.max, row->max);
    assert_int_equal(s.own, row->own);
    for (int mode = 0; mode < MODE_COUNT; mode++)
        if (expected[mode] >= 0)
            assert_int_equal(imbalance(&h, d, &s, (enum domain_mode)mode), expected[mode]);
    fake_close(&h);
}

static void the_published_situations_give_the_published_counts(void **state)
{
    (void)state;
    for (int i = 0; i < HL_COUNT_OF(situations); i++) {
        check_situation(&situations[i], "sdmm", "", situations[i].sdmm);
        check_situation(&situations[i], "sdmm", ":gain_cap=n", situations[i].sdmm);
        check_situation(&situations[i], "sdmm", ":lessidle", situations[i].less_idle);
        check_situation(&situations[i], "sd267", "", situations[i].sd267);
    }
}

static void the_gain_of_a_move_is_that_of_total_throughput(void **state)
{
    struct domain_survey s = {.max = 234, .own = 0, .own_power = 140, .busiest_power = 140};

    (void)state;
    /* now: 140 * min(128, 234) / 128 = 140. After: 140 * (234 - 117) + 140 * 117 = 255 * 128. */
    assert_int_equal(domain_gain(&s, 140, true), 255 - 140);
    /* Three and one: 267 now, 293 then, because the own group may use 140. */
    s.max = 351;
    s.own = 117;
    assert_int_equal(domain_gain(&s, 140, true), 293 - 267);
    assert_int_equal(domain_gain(&s, 128, true), 128 * 2 * 140 / 128 - 267);
    /* A lone task whose estimate is half ripe: nothing with the cap; a whole task without it. */
    s = (struct domain_survey){.max = 58, .own = 0, .own_power = 140, .busiest_power = 140};
    assert_int_equal(domain_gain(&s, 140, true), 0);
    assert_int_equal(domain_gain(&s, 140, false), 127 - 63);
}

static void the_first_of_equal_groups_wins_counting_from_the_own_one(void **state)
{
    static const int count[CPUS_MAX] = {1, 0, 0, 0, 1, 0, 1, 0};
    struct fake_host h;
    struct domain_survey s;

    (void)state;
    fake_open(&h, "sdmm", four_by_two);
    settle_loads(&h, count);
    domain_survey(&h.policy, 2, level_of(&h, 2, DOMAIN_CPU), false, DOMAIN_FIRST_WINS, &s);
    assert_int_equal(s.busiest, 2);
    domain_survey(&h.policy, 2, level_of(&h, 2, DOMAIN_CPU), false, DOMAIN_LAST_WINS, &s);
    assert_int_equal(s.busiest, 0); /* group 1 looks at 2, 3, 0 */
    fake_close(&h);
}

/* ---- when: 5.4 ---- */

static void an_idle_cpu_that_finds_balance_looks_half_as_often(void **state)
{
    static const int after_ms[] = {1, 2, 3, 4, 6, 7, 8, 14};
    static const int interval[] = {2, 2, 4, 4, 4, 8, 8, 8};
    struct fake_host h;

    (void)state;
    fake_open(&h, "sdmm", two_by_two);
    /* Looks in jiffies 1, 3 and 7; a jiffy's ticks are over at its end. */
    for (int i = 0; i < HL_COUNT_OF(after_ms); i++) {
        fake_run_until(&h, (after_ms[i] + 1) * HL_NS_PER_MS - 1);
        assert_int_equal(fake_probe(&h, NULL, "cpu2.cpu.interval_ms"), interval[i]);
        assert_int_equal(fake_probe(&h, NULL, "cpu2.sib.interval_ms"), 2);
    }
    /* A doubly loaded core: unbalanced from the second look at it on. */
    fake_hog(&h, 0, 0);
    fake_hog(&h, 0, 1);
    fake_run_until(&h, 32 * HL_NS_PER_MS - 1);
    assert_int_equal(fake_probe(&h, NULL, "cpu2.cpu.interval_ms"), 1);
    assert_int_equal(fake_probe(&h, NULL, "cpu2.cpu.failed"), 1);
    fake_close(&h);
}

static void a_busy_cpu_looks_less_often_by_its_factor(void **state)
{
    struct fake_host h;

    (void)state;
    fake_open(&h, "sdmm:cpu.max_interval=2:cpu.busy_factor=10:smt=n", two_cpus);
    fake_hog(&h, 0, 0);
    fake_hog(&h, 0, 1);
    fake_run_until(&h, 10 * HL_NS_PER_MS - 1);
    assert_int_equal(fake_probe(&h, NULL, "cpu0.h_cpu1"), 0);
    fake_run_until(&h, 11 * HL_NS_PER_MS);
    assert_int_equal(fake_probe(&h, NULL, "cpu0.h_cpu1"), 64);
    fake_run_until(&h, 30 * HL_NS_PER_MS - 1); /* the interval is 2 now, the period 20 */
    assert_int_equal(fake_probe(&h, NULL, "cpu0.h_cpu1"), 64);
    fake_run_until(&h, 31 * HL_NS_PER_MS);
    assert_int_equal(fake_probe(&h, NULL, "cpu0.h_cpu1"), 96);
    fake_close(&h);
}

static void failures_before_a_push_are_the_spared_tries_and_two(void **state)
{
    struct fake_host h;
    bool asked = false;

    (void)state;
    fake_open(&h, "sdmm:cpu.cache_nice_tries=5", two_by_two);
    fake_hog(&h, 0, 0);
    fake_hog(&h, 0, 1);
    fake_settle(&h);
    for (int jiffy = 0; jiffy < 40 && !asked; jiffy++) {
        h.policy.now_ns = jiffy * HL_NS_PER_MS + HL_NS_PER_MS / 2;
        fake_tick(&h, 2);
        asked = h.stop_asked[0] || h.stop_asked[1];
    }
    assert_true(asked);
    assert_true(h.stop_asked[0] && !h.stop_asked[1]); /* the first of equals */
    assert_int_equal(fake_probe(&h, NULL, "cpu2.cpu.failed"), 5 + 2);
    fake_close(&h);
}

static void
the_merged_domains_push_after_three_failures_more_and_start_over_at_the_limit(void **state)
{
    struct fake_host h;
    bool asked = false;
    int64_t failed = 0;

    (void)state;
    fake_open(&h, "sd267", two_by_two);
    fake_hog(&h, 0, 0);
    fake_hog(&h, 0, 1);
    fake_settle(&h);
    for (int jiffy = 0; jiffy < 40 && !asked; jiffy++) {
        failed = fake_probe(&h, NULL, "cpu2.cpu.failed");
        for (int cpu = 0; cpu < 3; cpu++) {
            h.policy.now_ns = jiffy * HL_NS_PER_MS + (cpu + 1) * 100 * HL_NS_PER_US;
            fake_tick(&h, cpu);
        }
        asked = h.stop_asked[0];
    }
    assert_int_equal(failed, 1 + 2);
    assert_int_equal(fake_probe(&h, NULL, "cpu2.cpu.failed"), 1);
    fake_close(&h);
}

/* ---- which tasks: 5.5 ---- */

/* A task queued behind a hog on cpu 0; after `age_us` with or without a tick of cpu 0 in between, cpu 2
 * runs out of work. True if it gets the task. */
static bool is_taken(const char *spec, int64_t age_us, bool ticked)
{
    static const int ripe[CPUS_MAX] = {1};
    struct fake_host h;
    bool taken;

    fake_open(&h, spec, four_by_two);
    settle_loads(&h, ripe);
    for (int cpu = 0; cpu < 8; cpu++)
        domain_cpu_of(&h.policy, cpu)->estimate[0] = 2 * DOMAIN_LOAD_ONE;
    h.policy.now_ns = 20 * HL_NS_PER_MS;
    fake_tick(&h, 0);
    h.policy.now_ns += 300 * HL_NS_PER_US;
    fake_hog(&h, 0, 0);
    fake_settle(&h);
    h.policy.now_ns += age_us * HL_NS_PER_US;
    if (ticked)
        fake_tick(&h, 0);
    fake_pick(&h, 2);
    taken = h.policy.running[2] != NULL;
    fake_close(&h);
    return taken;
}

static void a_task_is_stolen_before_the_next_tick_or_when_it_is_cold(void **state)
{
    (void)state;
    assert_false(is_taken("sdmm", 1500, true));
    assert_true(is_taken("sdmm", 200, false)); /* later than the last tick: the difference wraps */
    assert_false(is_taken("sdmm", 4900, true));
    assert_true(is_taken("sdmm", 5000, true));
    assert_false(is_taken("sdmm:lessidle", 2400, true));
    assert_true(is_taken("sdmm:lessidle", 2500, true));
    assert_true(is_taken("sdmm:cpu.cache_hot_time=1ms", 1500, true));
    assert_false(is_taken("sdmm:cpu.flags=none", 5000, true));
}

static void a_moved_task_is_as_old_against_the_ticks_of_its_new_cpu(void **state)
{
    struct fake_host h;
    struct policy_task *t;

    (void)state;
    fake_open(&h, "sdmm", two_by_two);
    fake_hog(&h, 0, 0);
    fake_settle(&h);
    t = fake_hog(&h, 0, 0);
    h.policy.now_ns = 10 * HL_NS_PER_MS;
    fake_tick(&h, 0);
    h.policy.now_ns = 10 * HL_NS_PER_MS + 700 * HL_NS_PER_US;
    fake_tick(&h, 2);
    assert_int_equal(domain_pull(&h.policy, 0, 2, 1, level_of(&h, 2, DOMAIN_CPU), DOMAIN_NEW_IDLE),
                     1);
    assert_int_equal(((struct o1_task *)t->data)->stamp_ns, 700 * HL_NS_PER_US);
    assert_true(h.kicked[2]);
    fake_close(&h);
}

static void the_last_task_of_a_queue_is_not_pulled(void **state)
{
    struct fake_host h;

    (void)state;
    fake_open(&h, "sdmm", two_by_two);
    fake_hog(&h, 0, 0); /* queued, not yet running */
    assert_int_equal(domain_pull(&h.policy, 0, 2, 1, level_of(&h, 2, DOMAIN_CPU), DOMAIN_NEW_IDLE),
                     0);
    fake_close(&h);
}

static void an_expired_task_stays_expired_and_hot_ones_move_after_failures(void **state)
{
    struct fake_host h;
    struct policy_task *t;
    struct domain *d;

    (void)state;
    fake_open(&h, "sdmm", two_by_two);
    t = fake_hog(&h, 0, 0);
    fake_settle(&h);
    fake_hog(&h, 0, 0);
    for (int jiffy = 1; jiffy <= 102; jiffy++) { /* its slice; nobody else ticks */
        h.policy.now_ns = jiffy * HL_NS_PER_MS;
        fake_tick(&h, 0);
        fake_settle(&h);
    }
    assert_int_equal(t->on_cpu, POLICY_NO_CPU);
    assert_int_equal(fake_probe(&h, t, "array"), 1);
    d = level_of(&h, 2, DOMAIN_CPU);
    assert_int_equal(domain_pull(&h.policy, 0, 2, 1, d, DOMAIN_IDLE), 0); /* hot */
    d->failed = (int32_t)d->params->cache_nice_tries;
    assert_int_equal(domain_pull(&h.policy, 0, 2, 1, d, DOMAIN_NEW_IDLE), 0);
    assert_int_equal(domain_pull(&h.policy, 0, 2, 1, d, DOMAIN_IDLE), 1);
    assert_int_equal(fake_probe(&h, t, "queue"), 2);
    assert_int_equal(fake_probe(&h, t, "array"), 1);
    fake_close(&h);
}

/* ---- pushing: 5.4 ---- */

static void a_push_moves_the_running_task_to_the_last_cpu_of_an_idle_core(void **state)
{
    struct fake_host h;
    struct policy_task *a, *b;

    (void)state;
    fake_open(&h, "sdmm", four_by_two);
    a = fake_hog(&h, 0, 0);
    b = fake_hog(&h, 0, 1);
    fake_hog(&h, 0, 2); /* core 1 is not idle */
    fake_settle(&h);
    h.policy.now_ns = 5 * HL_NS_PER_MS;
    domain_request_push(&h.policy, 0, 6);
    domain_request_push(&h.policy, 1, 6);
    fake_settle(&h);
    assert_int_equal(a->on_cpu, 5);
    assert_int_equal(b->on_cpu, 7); /* core 2 has just been given a task */
    fake_close(&h);
}

static void a_push_without_an_idle_core_costs_switches_only(void **state)
{
    struct fake_host h;
    struct policy_task *a;

    (void)state;
    fake_open(&h, "sdmm", two_by_two);
    a = fake_hog(&h, 0, 0);
    fake_hog(&h, 0, 2);
    fake_settle(&h);
    h.policy.now_ns = 5 * HL_NS_PER_MS;
    domain_request_push(&h.policy, 0, 3);
    fake_settle(&h);
    assert_int_equal(a->on_cpu, 0);
    assert_int_equal(h.migrations, 0);
    fake_close(&h);
}

static void a_push_is_asked_for_once_until_it_happened(void **state)
{
    struct fake_host h;

    (void)state;
    fake_open(&h, "sdmm", two_by_two);
    fake_hog(&h, 0, 0);
    fake_settle(&h);
    domain_request_push(&h.policy, 0, 2);
    assert_true(h.stop_asked[0]);
    h.stop_asked[0] = false;
    domain_request_push(&h.policy, 0, 3);
    assert_false(h.stop_asked[0]);
    fake_close(&h);
}

/* ---- parameters ---- */

static void parameters_replace_the_values_of_a_level(void **state)
{
    struct fake_host h;
    const struct domain_params *params;

    (void)state;
    fake_open(&h,
              "sdmm:node.max_interval=77:sib.imbalance_pct=105:cpu.flags=NEWIDLE+WAKE:"
              "cpu.cache_hot_time=2.5ms:node.flags=none",
              two_nodes);
    params = domains_of(&h.policy)->params;
    assert_int_equal(params[DOMAIN_NODE].max_interval_ms, 77);
    assert_int_equal(params[DOMAIN_NODE].min_interval_ms, 20);
    assert_int_equal(params[DOMAIN_NODE].flags, 0);
    assert_int_equal(params[DOMAIN_SIB].imbalance_pct, 105);
    assert_int_equal(params[DOMAIN_CPU].flags, DOMAIN_NEWIDLE | DOMAIN_WAKE);
    assert_int_equal(params[DOMAIN_CPU].cache_hot_ns, 2500000);
    fake_close(&h);
}

static void defaults_follow_lessidle_and_the_number_of_cpus(void **state)
{
    struct domain_params params[DOMAIN_LEVEL_COUNT];

    (void)state;
    sdmm_defaults(params, false, 16);
    assert_int_equal(params[DOMAIN_NODE].max_interval_ms, 5000); /* fls(16) is 5 */
    assert_int_equal(params[DOMAIN_CPU].max_interval_ms, 8);
    sdmm_defaults(params, true, 8);
    assert_int_equal(params[DOMAIN_NODE].max_interval_ms, 1024);
    assert_int_equal(params[DOMAIN_CPU].cache_hot_ns, 2500000);
    assert_int_equal(params[DOMAIN_CPU].cache_nice_tries, 1);
}

/* The value of the i-th field of struct domain_params. */
static int64_t field_of(const struct domain_params *params, int i)
{
    const int64_t fields[] = {params->min_interval_ms,
                              params->max_interval_ms,
                              params->busy_factor,
                              params->imbalance_pct,
                              params->cache_hot_ns,
                              params->cache_nice_tries,
                              params->flags};

    assert_in_range(i, 0, HL_COUNT_OF(fields) - 1);
    return fields[i];
}

static void the_defaults_shown_are_those_used(void **state)
{
    static const char *const policies[] = {"w26", "sdmm", "sd267"};
    int checked = 0;

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(policies); i++) {
        struct fake_host h;
        const struct policy_param_info *info;
        int place = 0; /* among the parameters of levels: seven of each */

        fake_open(&h, policies[i], two_nodes);
        for (info = h.policy.ops->params; info->name != NULL; info++) {
            const char *shown = strstr(info->help, "default ");
            struct policy_spec spec;
            struct hl_error err;
            char text[128];

            if (info->value != POLICY_PARAM_UNSET)
                continue;
            assert_non_null(shown);
            shown += strlen("default ");
            (void)snprintf(text, sizeof(text), "%s:%s=%.*s", policies[i], info->name,
                           (int)strcspn(shown, ";"), shown);
            if (strchr(text, ' ') == NULL) { /* else it depends on the machine */
                if (policy_spec_parse(&spec, text, &err) != HL_OK)
                    fail_msg("%s", err.text);
                assert_int_equal(spec.params[info - h.policy.ops->params],
                                 field_of(&domains_of(&h.policy)->params[place / 7], place % 7));
                checked++;
            }
            place++;
        }
        assert_int_equal(place, 3 * 7);
        fake_close(&h);
    }
    assert_int_equal(checked, 3 * 21 - 2);
}

static void an_interval_that_cannot_be_is_refused(void **state)
{
    struct policy_spec spec;
    struct hl_error err;

    (void)state;
    assert_int_equal(policy_spec_parse(&spec, "sdmm:cpu.flags=NEWIDLE+SLEEPY", &err), HL_USAGE);
    assert_int_equal(policy_spec_parse(&spec, "sdmm:cpu.max_interval=0", &err), HL_USAGE);
    assert_int_equal(policy_spec_parse(&spec, "sdmm:cpu.imbalance_pct=99", &err), HL_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_remembered_load_ripens_by_halves_and_sticks_below_one_task),
        cmocka_unit_test(looking_without_updating_changes_no_memory),
        cmocka_unit_test(the_load_of_a_run_queue_follows_its_own_ticks),
        cmocka_unit_test(a_core_of_two_threads_counts_as_a_little_more_than_one_cpu),
        cmocka_unit_test(the_published_situations_give_the_published_counts),
        cmocka_unit_test(the_gain_of_a_move_is_that_of_total_throughput),
        cmocka_unit_test(the_first_of_equal_groups_wins_counting_from_the_own_one),
        cmocka_unit_test(an_idle_cpu_that_finds_balance_looks_half_as_often),
        cmocka_unit_test(a_busy_cpu_looks_less_often_by_its_factor),
        cmocka_unit_test(failures_before_a_push_are_the_spared_tries_and_two),
        cmocka_unit_test(
            the_merged_domains_push_after_three_failures_more_and_start_over_at_the_limit),
        cmocka_unit_test(a_task_is_stolen_before_the_next_tick_or_when_it_is_cold),
        cmocka_unit_test(a_moved_task_is_as_old_against_the_ticks_of_its_new_cpu),
        cmocka_unit_test(the_last_task_of_a_queue_is_not_pulled),
        cmocka_unit_test(an_expired_task_stays_expired_and_hot_ones_move_after_failures),
        cmocka_unit_test(a_push_moves_the_running_task_to_the_last_cpu_of_an_idle_core),
        cmocka_unit_test(a_push_without_an_idle_core_costs_switches_only),
        cmocka_unit_test(a_push_is_asked_for_once_until_it_happened),
        cmocka_unit_test(parameters_replace_the_values_of_a_level),
        cmocka_unit_test(defaults_follow_lessidle_and_the_number_of_cpus),
        cmocka_unit_test(the_defaults_shown_are_those_used),
        cmocka_unit_test(an_interval_that_cannot_be_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
