/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ideal.c - one global queue, free migration, perfect spreading: a baseline.
 *
 * Idea:    a task that may run does run as long as a cpu is free, on a wholly idle core if there is
 *          one, at best where it ran last. When a core runs dry while two tasks share another one,
 *          one of them moves over at once. Tasks beyond the number of cpus take equal turns.
 * Source:  none; the rules are ours. That it knows at once what is free is the idealisation.
 * Omits:   nice, classes, cache warmth (but for the last cpu), nodes. Moves cost what the machine
 *          charges; nothing else does.
 * Good at: showing how much placement can gain. It is not a bound: a move may cost more than it
 *          brings, and equal turns are not the shortest schedule.
 * Bad at:  nothing it tries; a real machine has no such queue.
 */
#include "base/units.h"
#include "policy/policy.h"
#include "policy/probe.h"

struct ideal_cpu {
    struct policy_task *coming; /* the task this cpu was sent for */
    int32_t ticks;              /* of the present turn */
    bool taken;                 /* a task runs here or is coming */
    bool vacate;                /* its task should move to an idle core */
};

struct ideal_task {
    bool waiting;  /* linked in ideal.waiting: no cpu it may use is free */
    int32_t place; /* the cpu it is coming to, + 1; 0: none */
};

struct ideal {
    struct hl_list waiting; /* oldest first */
    uint64_t *free_cores;   /* bit per core: none of its cpus is taken */
    uint64_t *free_cpus;    /* bit per cpu */
    int32_t *core_taken;    /* by core: cpus taken */
    int32_t *cores_with;    /* by number of cpus taken: cores */
    int32_t core_words, cpu_words;
    int32_t turn_ticks;
};

/* ---- which cpus are free ---- */

static struct ideal_cpu *cpu_of(const struct policy *p, int cpu)
{
    return policy_cpu_data(p, cpu);
}

static void set_bit(uint64_t *words, int bit, bool value)
{
    uint64_t mask = UINT64_C(1) << (bit % 64);

    words[bit / 64] = value ? words[bit / 64] | mask : words[bit / 64] & ~mask;
}

static void count_taken(struct policy *p, int cpu, bool taken)
{
    struct ideal *d = policy_data(p);
    int core = policy_machine(p)->cpu[cpu].core;

    cpu_of(p, cpu)->taken = taken;
    d->cores_with[d->core_taken[core]]--;
    d->core_taken[core] += taken ? 1 : -1;
    d->cores_with[d->core_taken[core]]++;
    set_bit(d->free_cpus, cpu, !taken);
    set_bit(d->free_cores, core, d->core_taken[core] == 0);
}

static bool is_free(const struct policy *p, const struct policy_task *t, int cpu)
{
    return cpu != POLICY_NO_CPU && !cpu_of(p, cpu)->taken && policy_allowed(t, cpu);
}

static int first_free_core_cpu(const struct policy *p, const struct policy_task *t)
{
    const struct ideal *d = policy_data(p);
    const struct machine *m = policy_machine(p);

    for (int i = 0; i < d->core_words; i++) {
        for (uint64_t word = d->free_cores[i]; word != 0; word &= word - 1) {
            int core = i * 64 + __builtin_ctzll(word);

            for (int32_t k = m->core_first[core]; k < m->core_first[core + 1]; k++)
                if (policy_allowed(t, m->core_cpu[k]))
                    return m->core_cpu[k];
        }
    }
    return POLICY_NO_CPU;
}

static int first_free_cpu(const struct policy *p, const struct policy_task *t)
{
    const struct ideal *d = policy_data(p);

    for (int i = 0; i < d->cpu_words; i++) {
        for (uint64_t word = d->free_cpus[i]; word != 0; word &= word - 1) {
            int cpu = i * 64 + __builtin_ctzll(word);

            if (policy_allowed(t, cpu))
                return cpu;
        }
    }
    return POLICY_NO_CPU;
}

/* The best free cpu: a wholly idle core before a free sibling, the last cpu before others. */
static int find_free(const struct policy *p, const struct policy_task *t)
{
    const struct ideal *d = policy_data(p);
    const struct machine *m = policy_machine(p);
    bool last_is_free = is_free(p, t, t->last_cpu);
    int cpu;

    if (last_is_free && d->core_taken[m->cpu[t->last_cpu].core] == 0)
        return t->last_cpu;
    cpu = first_free_core_cpu(p, t);
    if (cpu != POLICY_NO_CPU)
        return cpu;
    return last_is_free ? t->last_cpu : first_free_cpu(p, t);
}

/* ---- tasks come and go ---- */

static void send_for(struct policy *p, int cpu, struct policy_task *t)
{
    struct ideal_task *it = t->data;

    it->place = cpu + 1;
    cpu_of(p, cpu)->coming = t;
    count_taken(p, cpu, true);
    policy_kick(p, cpu);
}

/* A cpu is sent for, or the task waits at the end of the line. `cpu`: where to look first. */
static void find_place(struct policy *p, struct policy_task *t, int cpu)
{
    struct ideal *d = policy_data(p);
    struct ideal_task *it = t->data;

    if (!is_free(p, t, cpu))
        cpu = find_free(p, t);
    if (cpu != POLICY_NO_CPU) {
        send_for(p, cpu, t);
        return;
    }
    it->waiting = true;
    hl_list_push_back(&d->waiting, &t->link);
}

/* The task is neither in line nor on its way any more. */
static void leave_place(struct policy *p, struct policy_task *t)
{
    struct ideal *d = policy_data(p);
    struct ideal_task *it = t->data;

    if (it->waiting)
        hl_list_remove(&d->waiting, &t->link);
    if (it->place > 0)
        cpu_of(p, it->place - 1)->coming = NULL;
    it->waiting = false;
    it->place = 0;
}

static int ideal_select_cpu(struct policy *p, struct policy_task *t, const struct policy_wakeup *w)
{
    int cpu = POLICY_NO_CPU;

    if (w->why == POLICY_EXEC)
        return t->on_cpu;
    cpu = find_free(p, t);
    if (cpu == POLICY_NO_CPU)
        cpu = t->last_cpu;
    if (cpu != POLICY_NO_CPU && policy_allowed(t, cpu))
        return cpu;
    for (cpu = 0; cpu < policy_cpu_count(p) - 1; cpu++)
        if (policy_allowed(t, cpu))
            break;
    return cpu;
}

static void ideal_enqueue(struct policy *p, struct policy_task *t, int cpu,
                          const struct policy_wakeup *w)
{
    (void)w;
    find_place(p, t, cpu);
}

static void ideal_dequeue(struct policy *p, struct policy_task *t, int cpu, enum policy_why why,
                          enum policy_wait wait)
{
    (void)cpu; /* stays taken until its next pick */
    (void)why;
    (void)wait;
    leave_place(p, t);
}

/* ---- picking ---- */

static struct policy_task *first_in_line(const struct policy *p, int cpu)
{
    const struct ideal *d = policy_data(p);

    for (struct hl_link *link = d->waiting.first; link != NULL; link = link->next) {
        struct policy_task *t = HL_LIST_ENTRY(link, struct policy_task, link);

        if (policy_allowed(t, cpu))
            return t;
    }
    return NULL;
}

/* Some core with at least `taken` busy threads whose task may move to cpu is asked to send one. */
static void ask_crowded_core(struct policy *p, int cpu, int32_t taken)
{
    const struct ideal *d = policy_data(p);
    const struct machine *m = policy_machine(p);

    for (int core = 0; core < m->core_count; core++) {
        if (d->core_taken[core] < taken)
            continue;
        for (int32_t k = m->core_first[core]; k < m->core_first[core + 1]; k++) {
            const struct policy_task *t = policy_running(p, m->core_cpu[k]);

            if (t == NULL || cpu_of(p, m->core_cpu[k])->vacate || !policy_allowed(t, cpu))
                continue;
            cpu_of(p, m->core_cpu[k])->vacate = true;
            policy_kick(p, m->core_cpu[k]);
            return;
        }
    }
}

/* cpu is idle now: does a core have two busy threads more than this one? */
static void spread(struct policy *p, int cpu)
{
    const struct ideal *d = policy_data(p);
    int32_t own = d->core_taken[policy_machine(p)->cpu[cpu].core];

    for (int32_t taken = MACHINE_THREADS_PER_CORE_MAX; taken >= own + 2; taken--) {
        if (d->cores_with[taken] == 0)
            continue;
        ask_crowded_core(p, cpu, taken);
        return;
    }
}

/* The task of a crowded core goes to a better one, if there still is one. */
static bool move_away(struct policy *p, int cpu, struct policy_task *t)
{
    const struct ideal *d = policy_data(p);
    const struct machine *m = policy_machine(p);
    int target = find_free(p, t);

    if (target == POLICY_NO_CPU ||
        d->core_taken[m->cpu[target].core] + 2 > d->core_taken[m->cpu[cpu].core])
        return false;
    send_for(p, target, t);
    return true;
}

static struct policy_task *go_idle(struct policy *p, int cpu)
{
    count_taken(p, cpu, false);
    spread(p, cpu);
    return NULL;
}

static struct policy_task *ideal_pick(struct policy *p, int cpu, struct policy_task *prev)
{
    const struct ideal *d = policy_data(p);
    struct ideal_cpu *c = cpu_of(p, cpu);
    struct policy_task *next = c->coming != NULL ? c->coming : first_in_line(p, cpu);
    bool vacate = c->vacate;

    c->vacate = false;
    if (prev != NULL && next != NULL && c->ticks >= d->turn_ticks) {
        find_place(p, prev, POLICY_NO_CPU); /* it may run where `next` may not */
    } else if (prev != NULL && (!vacate || !move_away(p, cpu, prev))) {
        return prev;
    }
    if (!c->taken) /* picked without being sent for */
        count_taken(p, cpu, true);
    if (next == NULL)
        return go_idle(p, cpu);
    leave_place(p, next);
    c->ticks = 0;
    return next;
}

static void ideal_tick(struct policy *p, int cpu, struct policy_task *running)
{
    const struct ideal *d = policy_data(p);
    struct ideal_cpu *c = cpu_of(p, cpu);

    (void)running;
    if (++c->ticks >= d->turn_ticks && !hl_list_is_empty(&d->waiting))
        policy_kick(p, cpu);
}

static void ideal_yield(struct policy *p, struct policy_task *t)
{
    cpu_of(p, t->on_cpu)->ticks = INT32_MAX / 2; /* its turn is over if anybody waits */
}

static void ideal_renice(struct policy *p, struct policy_task *t, int32_t old_nice)
{
    (void)p; /* nice means nothing here */
    (void)t;
    (void)old_nice;
}

/* ---- set-up and inspection ---- */

static enum hl_status ideal_init(struct policy *p, struct hl_error *err)
{
    const struct machine *m = policy_machine(p);
    struct ideal *d = policy_data(p);

    d->turn_ticks = (int32_t)policy_param(p, "turn");
    d->core_words = (m->core_count + 63) / 64;
    d->cpu_words = (m->cpu_count + 63) / 64;
    d->free_cores = policy_alloc(p, (size_t)d->core_words, sizeof(*d->free_cores));
    d->free_cpus = policy_alloc(p, (size_t)d->cpu_words, sizeof(*d->free_cpus));
    d->core_taken = policy_alloc(p, (size_t)m->core_count, sizeof(*d->core_taken));
    d->cores_with = policy_alloc(p, MACHINE_THREADS_PER_CORE_MAX + 1, sizeof(*d->cores_with));
    if (d->free_cores == NULL || d->free_cpus == NULL || d->core_taken == NULL ||
        d->cores_with == NULL)
        return hl_fail(err, HL_NO_MEMORY, "no memory for the state of %d cores", m->core_count);
    d->cores_with[0] = m->core_count;
    for (int core = 0; core < m->core_count; core++)
        set_bit(d->free_cores, core, true);
    for (int cpu = 0; cpu < m->cpu_count; cpu++)
        set_bit(d->free_cpus, cpu, true);
    return HL_OK;
}

static void ideal_clock(const struct policy *p, struct policy_clock *c)
{
    (void)p;
    c->hz = 1000;
    c->idle_cpus_tick = false;
}

static bool ideal_probe(const struct policy *p, const struct policy_task *t, const char *field,
                        int64_t *value)
{
    int cpu;

    if (t != NULL) {
        const struct ideal_task *it = t->data;

        *value = it->waiting;
        return policy_field_is(field, "waiting");
    }
    if (!policy_field_of_cpu(p, &field, &cpu) || !policy_field_is(field, "nr_running"))
        return false;
    *value = policy_running(p, cpu) != NULL;
    return true;
}

static enum hl_status ideal_check(const struct policy *p, struct hl_error *err)
{
    const struct ideal *d = policy_data(p);

    for (int cpu = 0; cpu < policy_cpu_count(p); cpu++) {
        const struct ideal_cpu *c = cpu_of(p, cpu);
        const struct policy_task *t = policy_running(p, cpu);

        if (c->taken != (t != NULL || c->coming != NULL))
            return hl_fail(err, HL_INTERNAL, "ideal: cpu %d is taken by nobody, or not by its task",
                           cpu);
        if (t != NULL && c->coming != NULL)
            return hl_fail(err, HL_INTERNAL,
                           "ideal: task %d is coming to cpu %d, which runs task %d", c->coming->id,
                           cpu, t->id);
    }
    for (const struct hl_link *link = d->waiting.first; link != NULL; link = link->next) {
        const struct policy_task *t = HL_LIST_ENTRY(link, struct policy_task, link);

        if (t->on_cpu != POLICY_NO_CPU)
            return hl_fail(err, HL_INTERNAL, "ideal: task %d waits in line and runs on cpu %d",
                           t->id, t->on_cpu);
        if (find_free(p, t) != POLICY_NO_CPU)
            return hl_fail(err, HL_INTERNAL, "ideal: task %d waits while cpu %d is free", t->id,
                           find_free(p, t));
    }
    return HL_OK;
}

static const struct policy_param_info params[] = {
    {"turn", PARAM_INT, "ms", NULL, 1, 100000, 10, "length of a turn while others wait; assumed"},
    {.name = NULL},
};

const struct policy_ops policy_ideal = {
    .name = "ideal",
    .summary = "baseline: one global queue, free migration, perfect spreading",
    .source = "ours",
    .params = params,
    .policy_bytes = sizeof(struct ideal),
    .cpu_bytes = sizeof(struct ideal_cpu),
    .task_bytes = sizeof(struct ideal_task),
    .init = ideal_init,
    .enqueue = ideal_enqueue,
    .dequeue = ideal_dequeue,
    .pick = ideal_pick,
    .select_cpu = ideal_select_cpu,
    .clock = ideal_clock,
    .tick = ideal_tick,
    .yield = ideal_yield,
    .renice = ideal_renice,
    .probe = ideal_probe,
    .check = ideal_check,
};
