/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * smtnice.c - sched domains with "SMT nice": a thread waits while its sibling does better work.
 *
 * Idea:    two threads of a core take resources from each other, whatever their nice values. So a thread
 *          goes idle although it has a task, while the sibling runs one with so much of its slice left
 *          that the low-priority task should not slow it down. A paused task stays queued and counted,
 *          its cpu looks again on every tick, and balancing may steal it.
 * Source:  spec linux 6.2. form=2.6.7 stands on sd267, form=march (1 March 2004 for 2.6.4-rc1-mm1) on
 *          sdmm before lessidle.
 * Choices: the better static priority that form=march asks for restricts the rule about slices, not the
 *          one about real-time siblings. An idle sibling with nothing to run is not rescheduled. A thread
 *          that was idle and stays so kicks nobody: two that wait would wake each other for ever.
 * Omits:   the forerunner of the -ck tree and its batch class.
 * Good at: nice values that mean something on SMT.  Bad at: throughput: half of the core idles meanwhile.
 */
#include "policy/sd267.h"
#include "policy/sdmm.h"

enum smtnice_form { FORM_2_6_7, FORM_MARCH };

struct smtnice_cpu {
    struct domain_cpu domain; /* first */
    bool is_busy;             /* its last pick was a task */
};

struct smtnice {
    struct sdmm sdmm;       /* first; its domains are all that sd267 needs */
    domain_balance balance; /* sd267's or sdmm's */
    int64_t gain_pct;       /* what the second thread adds to a core */
    enum smtnice_form form;
};

static enum hl_status smtnice_init(struct policy *p, struct hl_error *err)
{
    struct smtnice *sn = policy_data(p);
    struct o1_rules rules = o1_rules_2_6_0;
    struct domain_params march[DOMAIN_LEVEL_COUNT];
    bool is_march;

    sn->form = (enum smtnice_form)policy_param(p, "form");
    is_march = sn->form == FORM_MARCH;
    sn->gain_pct = policy_param(p, "gain");
    sn->balance = is_march ? sdmm_balance : sd267_balance;
    sn->sdmm.gain_cap = true;
    sdmm_defaults(march, false, policy_cpu_count(p));
    march[DOMAIN_SIB].flags |= DOMAIN_SHARE;
    rules.expired_prio_starves = true;
    HL_TRY(o1_init(p, &rules, O1_QUEUE_PER_CPU, false, err));
    return domains_init(p,
                        &(struct domains_options){.defaults = is_march ? march : sd267_defaults,
                                                  .sib = true,
                                                  .core_power = true,
                                                  .remembers = is_march},
                        err);
}

static bool smtnice_is_realtime(const struct policy_task *t)
{
    return t->class == CLASS_FIFO || t->class == CLASS_RR;
}

/* a, with what is left of its slice, would outrun a whole slice of b even on a shared core. */
static bool smtnice_outranks(const struct smtnice *sn, const struct policy_task *a,
                             const struct policy_task *b)
{
    const struct o1 *o = &sn->sdmm.domains.o1;

    return o1_task_of(a)->slice * (100 - sn->gain_pct) / 100 > o1_full_slice(o, o1_task_of(b));
}

/* Should `next` wait because the sibling runs `q`? */
static bool smtnice_pauses(const struct smtnice *sn, const struct policy_task *next,
                           const struct policy_task *q)
{
    if (q == NULL || q->is_kernel || next->is_kernel || smtnice_is_realtime(next))
        return false;
    if (smtnice_is_realtime(q))
        return true;
    if (sn->form == FORM_MARCH && o1_task_of(next)->static_prio <= o1_task_of(q)->static_prio)
        return false;
    return smtnice_outranks(sn, q, next);
}

/* Should the sibling that runs `q` look again, because `next` runs here now? */
static bool smtnice_displaces(const struct smtnice *sn, const struct policy_task *next,
                              const struct policy_task *q)
{
    if (q == NULL)
        return false;
    if (sn->form == FORM_MARCH)
        return o1_task_of(q)->static_prio > o1_task_of(next)->static_prio ||
               (smtnice_is_realtime(next) && !smtnice_is_realtime(q));
    if (q->is_kernel || next->is_kernel || smtnice_is_realtime(q))
        return false;
    return smtnice_is_realtime(next) || smtnice_outranks(sn, next, q);
}

static bool smtnice_is_paused(const struct policy *p, int cpu)
{
    return policy_running(p, cpu) == NULL && o1_of(p)->nr_running[cpu] > 0;
}

/* Some sibling runs a task for which `next` should wait. */
static bool smtnice_must_wait(const struct policy *p, int cpu, const struct policy_task *next)
{
    const struct domain *base = domain_cpu_of(p, cpu)->domain;

    for (int i = 0; i < base->span->cpu_count; i++)
        if (base->span->cpu[i] != cpu &&
            smtnice_pauses(policy_data(p), next, policy_running(p, base->span->cpu[i])))
            return true;
    return false;
}

/* `next`, or NULL, was chosen on cpu: siblings that wait, or that it displaces, look again. */
static void smtnice_kick_siblings(struct policy *p, int cpu, const struct policy_task *next)
{
    const struct domain *base = domain_cpu_of(p, cpu)->domain;

    for (int i = 0; i < base->span->cpu_count; i++) {
        int sibling = base->span->cpu[i];
        const struct policy_task *q = policy_running(p, sibling);

        if (sibling != cpu && (smtnice_is_paused(p, sibling) ||
                               (next != NULL && smtnice_displaces(policy_data(p), next, q))))
            policy_kick(p, sibling);
    }
}

static struct policy_task *smtnice_pick(struct policy *p, int cpu, struct policy_task *prev)
{
    const struct smtnice *sn = policy_data(p);
    struct smtnice_cpu *c = policy_cpu_data(p, cpu);
    struct policy_task *next = domain_choose(p, cpu, prev, sn->balance);
    bool shares = (c->domain.domain[0].params->flags & DOMAIN_SHARE) != 0;
    bool waits = shares && next != NULL && smtnice_must_wait(p, cpu, next);
    bool was_busy = c->is_busy;

    c->is_busy = next != NULL && !waits;
    /* Siblings ask only what runs here, so a thread that stays idle has no news for them. */
    if (shares && (was_busy || c->is_busy))
        smtnice_kick_siblings(p, cpu, next);
    if (!c->is_busy)
        return NULL;
    o1_start(p, next, prev);
    return next;
}

static void smtnice_tick(struct policy *p, int cpu, struct policy_task *running)
{
    const struct smtnice *sn = policy_data(p);
    enum domain_mode mode = domain_tick_begin(p, cpu, running);

    if (smtnice_is_paused(p, cpu)) {
        policy_kick(p, cpu);
        mode = DOMAIN_BUSY; /* it has work, it only waits */
    }
    if (sn->form == FORM_2_6_7)
        sd267_tick_load(p, cpu);
    if (policy_now_ns(p) >= domain_cpu_of(p, cpu)->due_ns[mode])
        domain_walk(p, cpu, mode, sn->balance);
}

static int smtnice_select_cpu(struct policy *p, struct policy_task *t,
                              const struct policy_wakeup *w)
{
    const struct smtnice *sn = policy_data(p);

    return sn->form == FORM_2_6_7 ? sd267_select_cpu(p, t, w) : domain_mm_select_cpu(p, t, w);
}

static void smtnice_enqueue(struct policy *p, struct policy_task *t, int cpu,
                            const struct policy_wakeup *w)
{
    const struct smtnice *sn = policy_data(p);

    if (sn->form == FORM_2_6_7)
        sd267_enqueue(p, t, cpu, w);
    else
        domain_enqueue(p, t, cpu, w);
}

#define BY_FORM "as sd267; march as sdmm"

static const struct policy_param_info smtnice_params[] = {
    {"form", PARAM_CHOICE, "", "2.6.7|march", 0, FORM_MARCH, FORM_2_6_7,
     "as merged, on sd267; or the patch of 1 Mar 2004, on sdmm; spec linux 6.2"},
    {"gain", PARAM_INT, "%", NULL, 0, 100, 15,
     "per_cpu_gain, what the second thread adds; 2.6.9 has 25; spec linux 5.2, 6.2"},
    O1_COMMON_PARAMS,
    DOMAIN_LEVEL_PARAMS("sib", BY_FORM, BY_FORM, BY_FORM, BY_FORM, BY_FORM, BY_FORM,
                        "as sd267; march as sdmm, and SHARE"),
    DOMAIN_LEVEL_PARAMS("cpu", BY_FORM, BY_FORM, BY_FORM, BY_FORM, BY_FORM, BY_FORM, BY_FORM),
    DOMAIN_LEVEL_PARAMS("node", BY_FORM, BY_FORM, BY_FORM, BY_FORM, BY_FORM, BY_FORM, BY_FORM),
    {0}};

const struct policy_ops policy_smtnice = {
    .name = "smtnice",
    .summary = "sched domains where a thread pauses for its sibling's better task",
    .source = "spec linux 6.2",
    .params = smtnice_params,
    .policy_bytes = sizeof(struct smtnice),
    .cpu_bytes = sizeof(struct smtnice_cpu),
    .task_bytes = sizeof(struct sd267_task),
    .balances = true,
    .init = smtnice_init,
    .clock = o1_clock,
    .select_cpu = smtnice_select_cpu,
    .enqueue = smtnice_enqueue,
    .dequeue = sd267_dequeue,
    .pick = smtnice_pick,
    .tick = smtnice_tick,
    .stopped = domain_stopped,
    .fork = o1_fork,
    .reap = o1_reap,
    .yield = o1_yield,
    .renice = o1_renice,
    .probe = domains_probe,
    .check = domains_check,
};
