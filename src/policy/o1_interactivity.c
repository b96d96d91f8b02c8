/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * o1_interactivity.c - how the O(1) scheduler tells interactive tasks from hogs.
 *
 * sleep_avg rises while a task sleeps and falls while it runs. Tenths of its ceiling are the bonus,
 * 0 to 10; the bonus less 5 is taken off the static priority. `credit` remembers which way a task
 * has been going: it damps both a hog that sleeps once and an interactive task that computes once.
 *
 * Source: spec linux 3.2, 3.3, 3.5, 3.7; 2.5.32: spec linux 3.10. Divisions truncate, left to
 * right, as the kernel's do.
 */
#include "base/units.h"
#include "policy/o1_core.h"

enum { CREDIT_LIMIT = 100, CHILD_FACTOR_PCT = 95, AVG_SLICE = 102, STEP_2_5_32 = 200 };

/* In jiffies. The ceiling is ten average slices; 2.5.32 writes 2000 for it. */
const struct o1_rules o1_rules_2_6_0 = {
    .slice_min = 10,
    .slice_max = 200,
    .sleep_max = AVG_SLICE * O1_BONUS_MAX,
    .starve = AVG_SLICE * O1_BONUS_MAX,
    .busy_period = 200,
};

const struct o1_rules o1_rules_2_6_0_test11 = {
    .slice_min = 10,
    .slice_max = 200,
    .sleep_max = AVG_SLICE * O1_BONUS_MAX,
    .starve = AVG_SLICE * O1_BONUS_MAX,
    .busy_period = 200,
    .sync_skips_update = true,
};

const struct o1_rules o1_rules_2_6_3 = {
    .slice_min = 10,
    .slice_max = 200,
    .sleep_max = AVG_SLICE * O1_BONUS_MAX,
    .starve = AVG_SLICE * O1_BONUS_MAX,
    .busy_period = 200,
    .expired_prio_starves = true,
};

const struct o1_rules o1_rules_2_5_32 = {
    .slice_min = 10,
    .slice_max = 300,
    .sleep_max = STEP_2_5_32 * O1_BONUS_MAX,
    .starve = STEP_2_5_32 * O1_BONUS_MAX,
    .busy_period = 250,
    .old = true,
};

static bool has_high_credit(const struct o1_task *ot)
{
    return ot->credit > CREDIT_LIMIT;
}

static bool has_low_credit(const struct o1_task *ot)
{
    return ot->credit < -CREDIT_LIMIT;
}

static int64_t sleep_max_ns(const struct o1 *o)
{
    return (int64_t)o->rules.sleep_max * O1_NS_PER_JIFFY;
}

/*
 * (sleep_avg / 1 000 000) * 10 / sleep_max: with a ceiling of ten steps that is the number of whole
 * steps. Written with constants, since a division by a variable costs ten times as much.
 */
int o1_bonus(const struct o1 *o, const struct o1_task *ot)
{
    if (o->rules.old)
        return (int)(ot->sleep_avg_ns / ((int64_t)STEP_2_5_32 * O1_NS_PER_JIFFY));
    return (int)(ot->sleep_avg_ns / ((int64_t)AVG_SLICE * O1_NS_PER_JIFFY));
}

static bool is_real_time(const struct policy_task *t)
{
    return t->class == CLASS_FIFO || t->class == CLASS_RR;
}

int o1_effective_prio(const struct o1 *o, const struct policy_task *t)
{
    const struct o1_task *ot = o1_task_of(t);
    int prio;

    if (is_real_time(t))
        return O1_PRIO_NORMAL - 1 - t->rt_priority;
    prio = ot->static_prio - (o1_bonus(o, ot) - O1_BONUS_MAX / 2);
    prio = HL_MAX(prio, O1_PRIO_NORMAL);
    return HL_MIN(prio, O1_PRIO_COUNT - 1);
}

bool o1_is_interactive(const struct o1 *o, const struct o1_task *ot)
{
    return ot->prio <= ot->static_prio - o->delta[ot->static_prio - O1_PRIO_NORMAL];
}

int64_t o1_long_sleep_ns(const struct o1 *o, const struct o1_task *ot)
{
    int32_t delta = o->delta[ot->static_prio - O1_PRIO_NORMAL];

    return ((int64_t)o->rules.sleep_max * (O1_BONUS_MAX / 2 + delta + 1) / O1_BONUS_MAX - 1) *
           O1_NS_PER_JIFFY;
}

/* 2.5.32 credits whole jiffies since the task left the cpu. */
static void recalc_old(const struct o1 *o, struct o1_task *ot, int64_t at_ns)
{
    int64_t slept_ns = (at_ns / O1_NS_PER_JIFFY - ot->stamp_ns / O1_NS_PER_JIFFY) * O1_NS_PER_JIFFY;

    ot->sleep_avg_ns = HL_MIN(ot->sleep_avg_ns + slept_ns, sleep_max_ns(o));
}

static void recalc(const struct o1 *o, const struct policy_task *t, int64_t at_ns)
{
    struct o1_task *ot = o1_task_of(t);
    int64_t slept_ns = HL_MIN(at_ns - ot->stamp_ns, sleep_max_ns(o));
    int64_t long_ns = o1_long_sleep_ns(o, ot);

    if (slept_ns <= 0)
        return;
    if (!t->is_kernel && ot->activated != -1 && slept_ns > long_ns) {
        /* One long sleep makes a task interactive, but one slice of hogging takes that away. */
        ot->sleep_avg_ns = sleep_max_ns(o) - (int64_t)AVG_SLICE * O1_NS_PER_JIFFY;
        if (!has_high_credit(ot))
            ot->credit++;
        return;
    }
    /* The lower the bonus, the faster it rises. */
    slept_ns *= HL_MAX(O1_BONUS_MAX - o1_bonus(o, ot), 1);
    if (o->wrap)
        slept_ns = (uint32_t)slept_ns;
    if (has_low_credit(ot))
        slept_ns = HL_MIN(slept_ns, (int64_t)o1_full_slice(o, ot) * O1_NS_PER_JIFFY);
    /* Waiting for the disk alone does not make a task interactive. */
    if (ot->activated == -1 && !has_high_credit(ot) && !t->is_kernel) {
        if (ot->sleep_avg_ns >= long_ns) {
            slept_ns = 0;
        } else if (ot->sleep_avg_ns + slept_ns >= long_ns) {
            ot->sleep_avg_ns = long_ns;
            slept_ns = 0;
        }
    }
    ot->sleep_avg_ns += slept_ns;
    if (ot->sleep_avg_ns > sleep_max_ns(o)) {
        ot->sleep_avg_ns = sleep_max_ns(o);
        if (!has_high_credit(ot))
            ot->credit++;
    }
}

void o1_recalc(const struct o1 *o, struct policy_task *t, int64_t at_ns)
{
    struct o1_task *ot = o1_task_of(t);

    if (o->rules.old)
        recalc_old(o, ot, at_ns);
    else
        recalc(o, t, at_ns);
    ot->prio = (uint8_t)o1_effective_prio(o, t);
}

void o1_account_run(const struct o1 *o, struct policy_task *t, int64_t now_ns)
{
    struct o1_task *ot = o1_task_of(t);
    int64_t ran_ns = HL_MIN(now_ns - ot->stamp_ns, sleep_max_ns(o));

    ot->stamp_ns = now_ns;
    if (o->rules.old)
        return; /* its ticks took it */
    if (has_high_credit(ot))
        ran_ns /= HL_MAX(o1_bonus(o, ot), 1);
    ot->sleep_avg_ns -= ran_ns;
    if (ot->sleep_avg_ns <= 0) {
        ot->sleep_avg_ns = 0;
        if (!has_high_credit(ot) && !has_low_credit(ot))
            ot->credit--;
    }
}

void o1_share_sleep_avg(const struct o1 *o, struct o1_task *parent, struct o1_task *child)
{
    int64_t step_ns = (int64_t)AVG_SLICE * O1_NS_PER_JIFFY;

    if (o->rules.old) {
        int64_t jiffies = parent->sleep_avg_ns / O1_NS_PER_JIFFY;

        child->sleep_avg_ns = jiffies * CHILD_FACTOR_PCT / 100 * O1_NS_PER_JIFFY;
        return;
    }
    /* Both are rounded down to whole bonus steps; the parent keeps 100 % of its own. */
    child->sleep_avg_ns = o1_bonus(o, parent) * CHILD_FACTOR_PCT / 100 * step_ns;
    parent->sleep_avg_ns = o1_bonus(o, parent) * step_ns;
}

void o1_return_sleep_avg(const struct o1 *o, struct o1_task *parent, const struct o1_task *child)
{
    (void)o;
    if (child->sleep_avg_ns < parent->sleep_avg_ns)
        parent->sleep_avg_ns = parent->sleep_avg_ns / 4 * 3 + child->sleep_avg_ns / 4;
}
