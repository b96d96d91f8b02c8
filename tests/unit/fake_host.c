/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fake_host.c - see fake_host.h. The link-time functions of policy.h at the end stand in for those
 * of the simulator, which are left out of a program that has these.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/units.h"
#include "fake_host.h"

static const struct policy_ops *ops_of(const struct fake_host *h)
{
    return h->policy.ops;
}

static void build_machine(struct machine *m, struct hl_arena *arena, struct fake_shape shape)
{
    int packages = shape.nodes * shape.packages, cores = packages * shape.cores;
    int cpus = cores * shape.threads;

    *m = (struct machine){.cpu_count = cpus,
                          .core_count = cores,
                          .package_count = packages,
                          .node_count = shape.nodes,
                          .llc_count = packages,
                          .has_smt = shape.threads > 1};
    m->constant[MACHINE_l2_bytes] = 512 * 1024;
    m->cpu = hl_arena_alloc(arena, (size_t)cpus, sizeof(*m->cpu));
    m->core_first = hl_arena_alloc(arena, (size_t)cores + 1, sizeof(int32_t));
    m->package_first = hl_arena_alloc(arena, (size_t)packages + 1, sizeof(int32_t));
    m->node_first = hl_arena_alloc(arena, (size_t)shape.nodes + 1, sizeof(int32_t));
    m->core_cpu = hl_arena_alloc(arena, (size_t)cpus, sizeof(int32_t));
    m->package_cpu = m->node_cpu = m->core_cpu; /* all in ascending order */
    for (int cpu = 0; cpu < cpus; cpu++) {
        int core = cpu / shape.threads, package = core / shape.cores;

        m->core_cpu[cpu] = cpu;
        m->cpu[cpu] = (struct machine_cpu){.os_id = cpu,
                                           .core = core,
                                           .package = package,
                                           .node = package / shape.packages,
                                           .llc = package,
                                           .thread = cpu % shape.threads,
                                           .capacity = 1024};
    }
    for (int core = 0; core <= cores; core++)
        m->core_first[core] = core * shape.threads;
    for (int package = 0; package <= packages; package++)
        m->package_first[package] = package * shape.cores * shape.threads;
    for (int node = 0; node <= shape.nodes; node++)
        m->node_first[node] = node * shape.packages * shape.cores * shape.threads;
}

void fake_open(struct fake_host *h, const char *spec, struct fake_shape shape)
{
    struct hl_error err;
    struct policy *p = &h->policy;

    memset(h, 0, sizeof(*h));
    if (policy_spec_parse(&h->spec, spec, &err) != HL_OK)
        fail_msg("%s", err.text);
    build_machine(&h->machine, &h->arena, shape);
    assert_true(h->machine.cpu_count <= FAKE_CPUS_MAX);
    h->picking = POLICY_NO_CPU;
    *p = (struct policy){.ops = h->spec.ops,
                         .machine = &h->machine,
                         .params = h->spec.params,
                         .cpu_count = h->machine.cpu_count};
    p->data = hl_arena_alloc(&h->arena, 1, p->ops->policy_bytes + 1);
    p->cpu_stride = (p->ops->cpu_bytes + 63) / 64 * 64;
    p->cpu_data = hl_arena_alloc(&h->arena, (size_t)p->cpu_count, p->cpu_stride + 1);
    p->running = hl_arena_alloc(&h->arena, (size_t)p->cpu_count, sizeof(struct policy_task *));
    h->clock.hz = 1000;
    if (p->ops->clock != NULL)
        p->ops->clock(p, &h->clock);
    for (int cpu = 0; cpu < p->cpu_count; cpu++) {
        h->timer_ns[cpu] = INT64_MAX;
        h->phase_ns[cpu] = HL_NS_PER_S / h->clock.hz * (cpu + 1) / (p->cpu_count + 1);
        if (h->clock.stat_hz > 0)
            h->stat_phase_ns[cpu] = HL_NS_PER_S / h->clock.stat_hz * (cpu + 1) / (p->cpu_count + 1);
    }
    if (p->ops->init != NULL && p->ops->init(p, &err) != HL_OK)
        fail_msg("%s", err.text);
}

void fake_close(struct fake_host *h)
{
    if (ops_of(h)->fini != NULL)
        ops_of(h)->fini(&h->policy);
    hl_arena_close(&h->arena);
}

/* ---- life of a task ---- */

static struct policy_task *new_task(struct fake_host *h, int nice)
{
    struct policy_task *t = &h->tasks[h->task_count];

    assert_true(h->task_count < FAKE_TASKS_MAX);
    *t = (struct policy_task){.id = h->task_count,
                              .mm = h->task_count,
                              .nice = nice,
                              .last_cpu = POLICY_NO_CPU,
                              .on_cpu = POLICY_NO_CPU};
    t->data = hl_arena_alloc(&h->arena, 1, ops_of(h)->task_bytes + 1);
    h->blocked[h->task_count++] = true;
    return t;
}

static int select_cpu(struct fake_host *h, struct policy_task *t, const struct policy_wakeup *w)
{
    int cpu;

    if (ops_of(h)->select_cpu == NULL)
        return t->last_cpu >= 0 ? t->last_cpu : w->waker_cpu;
    cpu = ops_of(h)->select_cpu(&h->policy, t, w);
    assert_in_range(cpu, 0, h->policy.cpu_count - 1);
    assert_true(policy_allowed(t, cpu));
    return cpu;
}

static void enqueue(struct fake_host *h, struct policy_task *t, int cpu,
                    const struct policy_wakeup *w)
{
    h->blocked[t->id] = false;
    ops_of(h)->enqueue(&h->policy, t, cpu, w);
}

struct policy_task *fake_task(struct fake_host *h, int nice)
{
    struct policy_task *t = new_task(h, nice);

    if (ops_of(h)->fork != NULL)
        ops_of(h)->fork(&h->policy, NULL, t);
    return t;
}

void fake_start(struct fake_host *h, struct policy_task *t, int cpu)
{
    t->last_cpu = cpu;
    enqueue(h, t, cpu,
            &(struct policy_wakeup){.why = POLICY_WAKE, .waker_cpu = cpu, .from_irq = true});
}

struct policy_task *fake_hog(struct fake_host *h, int nice, int cpu)
{
    struct policy_task *t = fake_task(h, nice);

    fake_start(h, t, cpu);
    return t;
}

/* The task no longer executes. */
static void leave(struct fake_host *h, struct policy_task *t)
{
    h->ran_ns[t->id] = fake_ran_ns(h, t);
    h->policy.running[t->on_cpu] = NULL;
    t->on_cpu = POLICY_NO_CPU;
}

struct policy_task *fake_fork(struct fake_host *h, struct policy_task *parent, bool vfork)
{
    struct policy_wakeup w = {.why = POLICY_FORK, .waker_cpu = parent->on_cpu, .shares_mm = vfork};
    struct policy_task *child = new_task(h, parent->nice);

    child->allowed = parent->allowed;
    if (vfork)
        child->mm = parent->mm;
    if (ops_of(h)->fork != NULL)
        ops_of(h)->fork(&h->policy, parent, child);
    enqueue(h, child, select_cpu(h, child, &w), &w);
    if (vfork)
        fake_block(h, parent, WAIT_VFORK);
    return child;
}

static void end_running(struct fake_host *h, struct policy_task *t, enum policy_why why,
                        enum policy_wait wait)
{
    int cpu = t->on_cpu;

    assert_true(cpu >= 0);
    h->blocked[t->id] = true;
    ops_of(h)->dequeue(&h->policy, t, cpu, why, wait);
    leave(h, t);
    fake_pick(h, cpu);
}

void fake_block(struct fake_host *h, struct policy_task *t, enum policy_wait wait)
{
    end_running(h, t, POLICY_SLEEP, wait);
}

void fake_exit(struct fake_host *h, struct policy_task *t)
{
    h->dead[t->id] = true;
    end_running(h, t, POLICY_EXIT, WAIT_TIMER);
}

void fake_wake(struct fake_host *h, struct policy_task *t, const struct policy_wakeup *w)
{
    assert_true(h->blocked[t->id] && !h->dead[t->id]);
    enqueue(h, t, select_cpu(h, t, w), w);
}

void fake_wake_by_timer(struct fake_host *h, struct policy_task *t)
{
    fake_wake(
        h, t,
        &(struct policy_wakeup){.why = POLICY_WAKE, .waker_cpu = t->last_cpu, .from_irq = true});
}

void fake_reap(struct fake_host *h, struct policy_task *parent, struct policy_task *child)
{
    if (ops_of(h)->reap != NULL)
        ops_of(h)->reap(&h->policy, parent, child);
}

void fake_renice(struct fake_host *h, struct policy_task *t, int nice)
{
    int32_t old = t->nice;

    t->nice = nice;
    assert_non_null(ops_of(h)->renice);
    ops_of(h)->renice(&h->policy, t, old);
}

void fake_to_user(struct fake_host *h, struct policy_task *t)
{
    ops_of(h)->to_user(&h->policy, t->on_cpu, t);
}

void fake_yield(struct fake_host *h, struct policy_task *t)
{
    if (ops_of(h)->yield != NULL)
        ops_of(h)->yield(&h->policy, t);
    fake_pick(h, t->on_cpu);
}

int fake_exec(struct fake_host *h, struct policy_task *t)
{
    int from = t->on_cpu;
    int cpu = select_cpu(h, t, &(struct policy_wakeup){.why = POLICY_EXEC, .waker_cpu = from});

    if (cpu == from)
        return cpu;
    ops_of(h)->dequeue(&h->policy, t, from, POLICY_MOVE, WAIT_TIMER);
    leave(h, t);
    ops_of(h)->enqueue(&h->policy, t, cpu,
                       &(struct policy_wakeup){.why = POLICY_MOVE, .waker_cpu = from});
    fake_pick(h, from);
    return cpu;
}

/* ---- cpus ---- */

void fake_pick(struct fake_host *h, int cpu)
{
    struct policy_task *prev = h->policy.running[cpu], *next;

    h->kicked[cpu] = false;
    h->picking = cpu;
    h->picks++;
    next = ops_of(h)->pick(&h->policy, cpu, prev);
    h->picking = POLICY_NO_CPU;
    if (next == prev)
        return;
    if (prev != NULL)
        leave(h, prev);
    if (next == NULL)
        return;
    assert_false(h->blocked[next->id]);
    assert_int_equal(next->on_cpu, POLICY_NO_CPU);
    assert_true(policy_allowed(next, cpu));
    if (next->last_cpu >= 0 && next->last_cpu != cpu)
        h->migrations++;
    next->on_cpu = next->last_cpu = cpu;
    h->turn_ns[cpu] = h->policy.now_ns;
    h->policy.running[cpu] = next;
}

void fake_tick(struct fake_host *h, int cpu)
{
    struct policy_task *running = h->policy.running[cpu];

    if (ops_of(h)->tick != NULL && (running != NULL || h->clock.idle_cpus_tick))
        ops_of(h)->tick(&h->policy, cpu, running);
}

void fake_stat_tick(struct fake_host *h, int cpu)
{
    struct policy_task *running = h->policy.running[cpu];

    if (running != NULL || h->clock.idle_cpus_tick)
        ops_of(h)->stat_tick(&h->policy, cpu, running);
}

static void stop(struct fake_host *h, int cpu)
{
    struct policy_task *preempted = h->policy.running[cpu];

    h->stop_asked[cpu] = false;
    if (preempted != NULL)
        leave(h, preempted);
    ops_of(h)->stopped(&h->policy, cpu, preempted);
    fake_pick(h, cpu);
}

void fake_settle(struct fake_host *h)
{
    bool busy = true;

    for (int round = 0; busy; round++) {
        assert_true(round < 1000); /* a policy that kicks for ever */
        busy = false;
        for (int cpu = 0; cpu < h->policy.cpu_count; cpu++) {
            if (h->stop_asked[cpu])
                stop(h, cpu);
            else if (h->kicked[cpu])
                fake_pick(h, cpu);
            else
                continue;
            busy = true;
        }
    }
    fake_check(h);
}

/* When a tick of that frequency and phase is due next after now. */
static int64_t next_tick_ns(const struct fake_host *h, int32_t hz, int64_t phase_ns)
{
    int64_t length_ns = HL_NS_PER_S / hz;
    int64_t done = h->policy.now_ns - phase_ns;

    return done < 0 ? phase_ns : (done / length_ns + 1) * length_ns + phase_ns;
}

struct coming { /* what happens next */
    int64_t at_ns;
    int cpu;
    enum { COMING_TIMER, COMING_TICK, COMING_STAT_TICK } kind;
};

static void keep_first(struct coming *first, struct coming other)
{
    if (other.at_ns < first->at_ns || (other.at_ns == first->at_ns && other.kind < first->kind))
        *first = other;
}

static struct coming next_event(const struct fake_host *h)
{
    struct coming first = {.at_ns = INT64_MAX};

    for (int cpu = 0; cpu < h->policy.cpu_count; cpu++) {
        keep_first(&first, (struct coming){h->timer_ns[cpu], cpu, COMING_TIMER});
        keep_first(&first, (struct coming){next_tick_ns(h, h->clock.hz, h->phase_ns[cpu]), cpu,
                                           COMING_TICK});
        if (ops_of(h)->stat_tick != NULL && h->clock.stat_hz > 0)
            keep_first(&first,
                       (struct coming){next_tick_ns(h, h->clock.stat_hz, h->stat_phase_ns[cpu]),
                                       cpu, COMING_STAT_TICK});
    }
    return first;
}

void fake_run_until(struct fake_host *h, int64_t at_ns)
{
    fake_settle(h);
    for (;;) {
        struct coming next = next_event(h);

        if (next.at_ns > at_ns)
            break;
        h->policy.now_ns = HL_MAX(next.at_ns, h->policy.now_ns);
        switch (next.kind) {
        case COMING_TIMER:
            h->timer_ns[next.cpu] = INT64_MAX;
            ops_of(h)->timer(&h->policy, next.cpu);
            break;
        case COMING_TICK: fake_tick(h, next.cpu); break;
        case COMING_STAT_TICK: fake_stat_tick(h, next.cpu); break;
        }
        fake_settle(h);
    }
    h->policy.now_ns = at_ns;
}

void fake_run_for(struct fake_host *h, int64_t ns)
{
    fake_run_until(h, h->policy.now_ns + ns);
}

int64_t fake_ran_ns(const struct fake_host *h, const struct policy_task *t)
{
    return h->ran_ns[t->id] +
           (t->on_cpu == POLICY_NO_CPU ? 0 : h->policy.now_ns - h->turn_ns[t->on_cpu]);
}

int64_t fake_probe(const struct fake_host *h, const struct policy_task *t, const char *field)
{
    int64_t value = 0;

    assert_non_null(ops_of(h)->probe);
    if (!ops_of(h)->probe(&h->policy, t, field, &value))
        fail_msg("%s has no field %s", ops_of(h)->name, field);
    return value;
}

void fake_check(const struct fake_host *h)
{
    struct hl_error err;

    if (ops_of(h)->check != NULL && ops_of(h)->check(&h->policy, &err) != HL_OK)
        fail_msg("%s", err.text);
}

/* ---- what a policy may ask: policy.h ---- */

static struct fake_host *host_of(const struct policy *p)
{
    return (struct fake_host *)(uintptr_t)p;
}

int64_t policy_param(const struct policy *p, const char *name)
{
    for (int i = 0; p->ops->params[i].name != NULL; i++)
        if (strcmp(p->ops->params[i].name, name) == 0)
            return p->params[i];
    fail_msg("%s does not declare the parameter %s", p->ops->name, name);
    return 0;
}

struct policy_task *policy_next_task(struct policy *p, struct policy_task *after)
{
    struct fake_host *h = host_of(p);

    for (int id = after == NULL ? 0 : after->id + 1; id < h->task_count; id++)
        if (!h->dead[id])
            return &h->tasks[id];
    return NULL;
}

void *policy_alloc(struct policy *p, size_t count, size_t size)
{
    return hl_arena_alloc(&host_of(p)->arena, count, size);
}

uint64_t policy_random(struct policy *p, uint64_t bound)
{
    struct hl_rng rng = {.state = host_of(p)->random_state};
    uint64_t value = hl_rng_below(&rng, bound);

    host_of(p)->random_state = rng.state;
    return value;
}

void policy_kick(struct policy *p, int cpu)
{
    if (host_of(p)->picking != cpu)
        host_of(p)->kicked[cpu] = true;
}

bool policy_pick_later(struct policy *p, int cpu)
{
    (void)p;
    (void)cpu;
    return false;
}

void policy_signal(struct policy *p, int cpu)
{
    policy_kick(p, cpu);
}

void policy_kick_lazily(struct policy *p, int cpu)
{
    policy_kick(p, cpu);
}

void policy_moved(struct policy *p, struct policy_task *t, int cpu)
{
    assert_true(cpu >= 0 && cpu < p->cpu_count);
    assert_int_equal(t->on_cpu, POLICY_NO_CPU);
    assert_true(policy_allowed(t, cpu));
}

void policy_stop(struct policy *p, int cpu)
{
    host_of(p)->stop_asked[cpu] = true;
}

void policy_charge(struct policy *p, int cpu, enum policy_work work, uint32_t amount)
{
    (void)cpu;
    (void)work;
    host_of(p)->charged += amount;
}

void policy_lock(struct policy *p, int cpu, int lock_id)
{
    (void)p;
    assert_in_range(lock_id, 0, POLICY_LOCKS_MAX - 1);
    assert_in_range(cpu, 0, p->cpu_count - 1);
}

void policy_set_timer(struct policy *p, int cpu, int64_t at_ns)
{
    host_of(p)->timer_ns[cpu] = at_ns;
}
