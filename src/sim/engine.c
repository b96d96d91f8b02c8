/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine.c - one run from set-up to result: memory, clocks, the event loop.
 *
 * Four sources of events: the queue (timers), requests to pick again, the step ends of cpus and the tick rings. All cpus
 * tick with one period, so their order within it never changes and the next tick costs nothing to find.
 */
#include "sim/engine.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/interrupt.h"

/* Some milliseconds of a run that checks each event, and no time of one that does not. */
enum { TURNS_PER_LOOK = 4096, LOOKS_PER_EVENT = 256 };

void sim_fail(struct sim *s, enum hl_status status, const char *format, ...)
{
    char text[sizeof(s->err->text)];
    va_list args;

    if (s->status != HL_OK)
        return;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    s->status = hl_fail(s->err, status, "%s", text);
}

void sim_fail_at(struct sim *s, const struct sim_task *t, const char *format, ...)
{
    const struct workload *w = s->workload;
    char text[sizeof(s->err->text)], place[WORKLOAD_PLACE_BYTES];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    sim_fail(s, HL_BAD_INPUT, "%s: task '%s' %s",
             workload_place(w, "workload", (size_t)(t->step - w->steps), place), w->names[t->name],
             text);
}

/* Phases: spec linux 1.3. Random: uniform and independent. Staggered: cpu c at (c + 1) / (cpus + 1). */
static enum hl_status ring_init(struct sim *s, struct tick_ring *ring, int hz, const char *purpose)
{
    struct hl_rng rng = hl_rng_stream(s->options->seed, purpose);
    int64_t period_ns = hz > 0 ? HL_NS_PER_S / hz : 0, common_ns = 0;

    *ring = (struct tick_ring){.count = s->cpu_count, .hz = hz, .next_ns = INT64_MAX};
    if (hz <= 0)
        return HL_OK;
    ring->cpu = hl_arena_alloc(&s->arena, (size_t)s->cpu_count, sizeof(*ring->cpu));
    ring->phase_ns = hl_arena_alloc(&s->arena, (size_t)s->cpu_count, sizeof(*ring->phase_ns));
    ring->place_of = hl_arena_alloc(&s->arena, (size_t)s->cpu_count, sizeof(*ring->place_of));
    ring->busy = hl_arena_alloc(&s->arena, (size_t)s->cpu_count / 64 + 1, sizeof(*ring->busy));
    if (ring->cpu == NULL || ring->phase_ns == NULL || ring->place_of == NULL || ring->busy == NULL)
        return hl_fail(s->err, HL_NO_MEMORY, "out of memory for the ticks of %d cpus",
                       s->cpu_count);
    if (s->clock.phase == PHASE_TOGETHER)
        common_ns = (int64_t)hl_rng_below(&rng, (uint64_t)period_ns);
    for (int32_t cpu = 0; cpu < s->cpu_count; cpu++) {
        int64_t phase_ns = 0;
        int32_t place = cpu;

        switch (s->clock.phase) {
        case PHASE_RANDOM: phase_ns = (int64_t)hl_rng_below(&rng, (uint64_t)period_ns); break;
        case PHASE_STAGGERED: phase_ns = period_ns * (cpu + 1) / (s->cpu_count + 1); break;
        case PHASE_TOGETHER: phase_ns = common_ns; break;
        case PHASE_ALIGNED: break;
        }
        for (; place > 0 && ring->phase_ns[place - 1] > phase_ns; place--) {
            ring->phase_ns[place] = ring->phase_ns[place - 1];
            ring->cpu[place] = ring->cpu[place - 1];
        }
        ring->phase_ns[place] = phase_ns;
        ring->cpu[place] = cpu;
    }
    for (int32_t place = 0; place < ring->count; place++)
        ring->place_of[ring->cpu[place]] = place;
    /* The first tick comes one period after time zero, or at the phase. */
    tick_ring_go(ring, s->clock.ticks_first && common_ns > 0 ? 0 : ring->count);
    return HL_OK;
}

/* Which pipes the tasks of a program write to: the end of the last one is the end of the file. */
static enum hl_status find_writers(struct sim *s)
{
    const struct workload *w = s->workload;
    uint32_t count = 0;

    s->writes_first = hl_arena_alloc(&s->arena, w->program_count + 1, sizeof(*s->writes_first));
    for (size_t i = 0; i < w->step_count; i++) {
        count += w->steps[i].op == OP_WRITE;
        s->has_kinds |= w->steps[i].op != OP_SLEEP && w->steps[i].kind != MACHINE_KIND_usual;
    }
    s->writes = hl_arena_alloc(&s->arena, (size_t)count, sizeof(*s->writes));
    if (s->writes_first == NULL || s->writes == NULL)
        return hl_fail(s->err, HL_NO_MEMORY, "out of memory for %" PRIu32 " pipe writes", count);
    count = 0;
    for (size_t program = 0; program < w->program_count; program++) {
        uint32_t first = count;

        s->writes_first[program] = first;
        for (uint32_t i = 0; i < w->programs[program].count; i++) {
            const struct program_step *step = &w->steps[w->programs[program].first + i];
            uint32_t k = first;

            while (step->op == OP_WRITE && k < count && s->writes[k] != step->target)
                k++;
            if (step->op == OP_WRITE && k == count)
                s->writes[count++] = step->target;
        }
    }
    s->writes_first[w->program_count] = count;
    return HL_OK;
}

static void read_costs(struct sim *s)
{
    static const enum machine_constant refill[MACHINE_DISTANCE_COUNT] = {
        [MACHINE_SAME_CORE] = MACHINE_refill_core_ns,
        [MACHINE_SAME_PACKAGE] = MACHINE_refill_package_ns,
        [MACHINE_SAME_NODE] = MACHINE_refill_node_ns,
        [MACHINE_REMOTE_NODE] = MACHINE_refill_remote_ns,
    };

    for (int i = 0; i < MACHINE_CONSTANT_COUNT; i++)
        if (strcmp(machine_constant_table[i].unit, "ns") == 0)
            s->cost[i] = machine_constant(s->machine, (enum machine_constant)i) << RATE_SHIFT;
    for (int d = MACHINE_SAME_CORE; d < MACHINE_DISTANCE_COUNT; d++)
        s->refill[d] = machine_constant(s->machine, refill[d]);
}

static size_t words_of(size_t cpus)
{
    return (cpus + 63) / 64;
}

/* room: a power of two; bits: zeroed. */
static void requests_init(struct request_ring *ring, size_t room, size_t cpus, uint64_t *bits)
{
    ring->room = (int32_t)room;
    ring->next_ns = INT64_MAX;
    for (size_t i = 0; i < room; i++)
        ring->batch[i].cpus = bits + i * words_of(cpus);
    for (size_t cpu = 0; cpu < cpus; cpu++)
        ring->at_ns[cpu] = INT64_MAX;
}

static enum hl_status allocate(struct sim *s)
{
    const struct workload *w = s->workload;
    struct hl_arena *arena = &s->arena;
    size_t cpus = (size_t)s->cpu_count, slots, leaves;
    size_t data_stride = (s->ops->task_bytes + 15) / 16 * 16;
    uint64_t *bits;
    char *data;

    /* Tasks of the start, counted alive, keep their places when they have ended. */
    s->task_capacity = w->live_task_max + (s->options->observer != NULL ? w->program_count : 0);
    slots = CPU_SLOTS * cpus + s->task_capacity;
    s->tasks = hl_arena_alloc(arena, s->task_capacity, sizeof(*s->tasks));
    data = hl_arena_alloc(arena, s->task_capacity, data_stride + 1);
    s->queue.heap = hl_arena_alloc(arena, slots, sizeof(*s->queue.heap));
    s->queue.place = hl_arena_alloc(arena, slots, sizeof(*s->queue.place));
    leaves = (size_t)step_ends_leaves(s->cpu_count);
    s->step_ends.at_ns = hl_arena_alloc(arena, leaves, sizeof(*s->step_ends.at_ns));
    s->step_ends.winner = hl_arena_alloc(arena, 2 * leaves, sizeof(*s->step_ends.winner));
    s->requests.batch = hl_arena_alloc(arena, leaves, sizeof(*s->requests.batch));
    s->requests.at_ns = hl_arena_alloc(arena, cpus, sizeof(*s->requests.at_ns));
    bits = hl_arena_alloc(arena, leaves, words_of(cpus) * sizeof(*bits));
    s->cpus = hl_arena_alloc(arena, cpus, sizeof(*s->cpus));
    s->kicked = hl_arena_alloc(arena, cpus, sizeof(*s->kicked));
    s->pipes = hl_arena_alloc(arena, w->pipe_count, sizeof(*s->pipes));
    s->memory_tasks =
        hl_arena_alloc(arena, (size_t)s->machine->package_count, sizeof(*s->memory_tasks));
    s->pools = hl_arena_alloc(arena, w->slot_count, sizeof(*s->pools));
    s->locks = hl_arena_alloc(arena, w->lock_count, sizeof(*s->locks));
    s->barriers = hl_arena_alloc(arena, w->barrier_count, sizeof(*s->barriers));
    s->disk_free_ns =
        hl_arena_alloc(arena, (size_t)machine_constant(s->machine, MACHINE_disk_queue_depth),
                       sizeof(*s->disk_free_ns));
    if (s->options->observer != NULL)
        s->first_of_program = hl_arena_alloc(arena, w->program_count, sizeof(*s->first_of_program));
    if (machine_constant(s->machine, MACHINE_memory_contention) > 0)
        s->contention_rate =
            hl_arena_alloc(arena, (size_t)s->machine->core_count + 1, sizeof(*s->contention_rate));
    if (s->tasks == NULL || data == NULL || s->queue.heap == NULL || s->queue.place == NULL ||
        s->step_ends.at_ns == NULL || s->step_ends.winner == NULL || s->requests.batch == NULL ||
        s->requests.at_ns == NULL || bits == NULL || s->cpus == NULL || s->kicked == NULL ||
        s->pipes == NULL || s->memory_tasks == NULL || s->pools == NULL || s->locks == NULL ||
        s->barriers == NULL || s->disk_free_ns == NULL ||
        (s->options->observer != NULL && s->first_of_program == NULL) ||
        (machine_constant(s->machine, MACHINE_memory_contention) > 0 && s->contention_rate == NULL))
        return hl_fail(s->err, HL_NO_MEMORY, "out of memory for %zu tasks on %zu cpus",
                       s->task_capacity, cpus);
    step_ends_init(&s->step_ends, (int32_t)leaves);
    requests_init(&s->requests, leaves, cpus, bits);
    for (size_t i = 0; i < slots; i++)
        s->queue.place[i] = -1;
    for (size_t i = 0; i < s->task_capacity; i++) {
        s->tasks[i].place = (int32_t)i;
        s->tasks[i].pub.data = data + i * data_stride;
    }
    for (size_t i = 0; i < w->slot_count; i++)
        s->pools[i].free = w->slots[i].count;
    return HL_OK;
}

/* Tasks of the start take the first places, in order, and keep them: place i is workload task i. */
static void place_first_tasks(struct sim *s)
{
    for (size_t i = 0; i < s->workload->task_count; i++) {
        const struct workload_task *how = &s->workload->tasks[i];
        struct sim_task *t = life_new(s, how->program, NULL);

        if (t == NULL)
            return;
        t->kept = true;
        t->state = TASK_UNBORN;
        t->background = how->background;
        if (!t->background) /* the run waits for those that come late, too */
            s->foreground_left++;
        event_queue_set(&s->queue, slot_task(s, t), how->at_ns,
                        EVENT_ORDER(EVENT_TIMER, s->timer_sequence++));
    }
}

static enum hl_status open_run(struct sim *s, const struct sim_options *options,
                               struct hl_error *err)
{
    const struct workload *w = options->workload;

    s->options = options;
    s->machine = options->machine;
    s->ops = options->policy->ops;
    s->workload = w;
    s->cpu_count = s->machine->cpu_count;
    s->err = err;
    s->here = s->picking = POLICY_NO_CPU;
    s->compiler_name = -1;
    for (size_t i = 0; i < w->name_count; i++)
        if (strcmp(w->names[i], "cc1") == 0)
            s->compiler_name = (int32_t)i;
    s->irq_rng = hl_rng_stream(options->seed, "sim/irq");
    s->policy_rng = hl_rng_stream(options->seed, "policy");
    HL_TRY(allocate(s));
    HL_TRY(trace_metrics_init(&s->metrics, s->machine, s->task_capacity, &s->arena, err));
    read_costs(s);
    progress_init_rates(s);
    HL_TRY(find_writers(s));
    HL_TRY(stuck_init(s, err));
    HL_TRY(policy_host_open(s, err));
    HL_TRY(ring_init(s, &s->tick, s->ops->tick != NULL ? s->clock.hz : 0, "sim/tick"));
    HL_TRY(ring_init(s, &s->stat_tick, s->ops->stat_tick != NULL ? s->clock.stat_hz : 0,
                     "sim/stat_tick"));
    place_first_tasks(s);
    return s->status;
}

/* The timer is looked at again later: a deferrable one of an idle cpu at the next tick, a steady one
 * of a cpu that was idle of late after another sleep. 0: it wakes now. */
static int64_t defer_ns(const struct sim *s, const struct sim_task *t)
{
    bool is_idle = sim_running(s, t->wait_cpu) == NULL;

    if (t->step->op != OP_SLEEP)
        return 0;
    if (t->step->kind == SLEEP_DEFERRABLE && is_idle)
        return HL_NS_PER_S / s->clock.hz;
    if (t->step->kind == SLEEP_STEADY &&
        (is_idle || s->now_ns - s->cpus[t->wait_cpu].busy_since_ns < t->step->target))
        return HL_MAX(t->step->amount, 1);
    return 0;
}

static void task_timer(struct sim *s, struct sim_task *t)
{
    int64_t later_ns;

    if (t->state == TASK_UNBORN)
        life_begin(s, t, &s->workload->tasks[t->place]);
    else if (later_ns = defer_ns(s, t), later_ns > 0)
        event_queue_set(&s->queue, slot_task(s, t), s->now_ns + later_ns,
                        EVENT_ORDER(EVENT_TIMER, s->timer_sequence++));
    else if (t->step->op ==
             OP_DISK) /* a completion arrives on a cpu drawn at random (spec linux 1.4) */
        life_wake(s, t, (int)hl_rng_below(&s->irq_rng, (uint64_t)s->cpu_count), false, true);
    else
        life_wake(s, t, s->clock.timers_on_boot_cpu ? 0 : t->wait_cpu, false, true);
}

static inline void count_event(struct sim *s, int64_t at_ns, uint64_t order)
{
    s->event_count++;
    s->event_hash = (s->event_hash ^ (uint64_t)at_ns ^ order << 7) * UINT64_C(0x9e3779b97f4a7c15);
}

static void handle_queue(struct sim *s)
{
    struct event_entry entry = s->queue.heap[0];
    int32_t per_cpu = CPU_SLOTS * s->cpu_count, cpu = entry.slot / CPU_SLOTS;

    count_event(s, entry.at_ns, entry.order);
    event_queue_clear(&s->queue, entry.slot);
    if (entry.slot >= per_cpu) {
        task_timer(s, &s->tasks[entry.slot - per_cpu]);
        return;
    }
    if (entry.slot == slot_stop(cpu)) {
        dispatch_stop(s, cpu);
        return;
    }
    s->here = cpu;
    s->ops->timer(&s->policy, cpu);
    policy_host_callback_end(s);
    s->here = POLICY_NO_CPU;
}

static void handle_request(struct sim *s)
{
    int32_t cpu = request_ring_pop(&s->requests);

    count_event(s, s->now_ns, EVENT_ORDER(EVENT_REQUEST, cpu));
    dispatch_request(s, cpu);
}

static void handle_step_end(struct sim *s)
{
    int32_t cpu = step_ends_first(&s->step_ends);

    count_event(s, s->now_ns, EVENT_ORDER(EVENT_STEP_END, cpu));
    /* Whatever comes of it sets the cpu's next step end, or that there is none. */
    steps_advance(s, cpu);
}

/*
 * Until anything else happens idle cpus stay idle: their ticks up to then are passed over, those of
 * both clocks. With 1,024 cpus of which few are busy they would be most of the work. Cpus that tick
 * together: if the next busy cpu's tick is all that happens at its time, those of idle cpus at the
 * same time are passed over as well.
 */
static void pass_idle_of(struct tick_ring *ring, int32_t busy_place, int64_t busy_ns,
                         int64_t other_ns)
{
    if (ring->cpu == NULL)
        return;
    if (busy_ns < other_ns)
        tick_ring_go(ring, busy_place);
    else
        tick_ring_pass(ring, other_ns);
}

static void pass_idle(struct sim *s)
{
    int32_t place = tick_ring_busy_place(&s->tick),
            stat_place = tick_ring_busy_place(&s->stat_tick);
    int64_t busy_ns = tick_ring_place_ns(&s->tick, place),
            stat_busy_ns = tick_ring_place_ns(&s->stat_tick, stat_place);
    int64_t other_ns =
        HL_MIN(s->step_ends.at_ns[step_ends_first(&s->step_ends)], s->requests.next_ns);

    if (s->queue.count > 0)
        other_ns = HL_MIN(other_ns, s->queue.heap[0].at_ns);
    pass_idle_of(&s->tick, place, busy_ns, HL_MIN(other_ns, stat_busy_ns));
    pass_idle_of(&s->stat_tick, stat_place, stat_busy_ns, HL_MIN(other_ns, busy_ns));
}

static inline void handle_tick(struct sim *s, struct tick_ring *ring, enum event_kind kind,
                               void (*tick)(struct policy *, int, struct policy_task *))
{
    int cpu = ring->cpu[ring->place];
    struct sim_task *t = sim_running(s, cpu);

    tick_ring_go(ring, ring->place + 1);
    if (t == NULL && !s->clock.idle_cpus_tick) {
        pass_idle(s);
        return;
    }
    count_event(s, s->now_ns, EVENT_ORDER(kind, cpu));
    if (t != NULL) {
        t->debt += s->cost[MACHINE_tick_cost_ns];
        trace_metrics_overhead(&s->metrics, &t->trace, s->cost[MACHINE_tick_cost_ns]);
    }
    s->here = cpu;
    tick(&s->policy, cpu, t == NULL ? NULL : &t->pub);
    if (s->held.count > 0)
        policy_host_callback_end(s);
    s->here = POLICY_NO_CPU;
}

/* The time of the next event, INT64_MAX when there is none. */
static int64_t next_event_ns(const struct sim *s)
{
    int64_t at_ns = HL_MIN(s->tick.next_ns, s->stat_tick.next_ns);

    at_ns = HL_MIN(at_ns, s->step_ends.at_ns[step_ends_first(&s->step_ends)]);
    at_ns = HL_MIN(at_ns, s->requests.next_ns);
    if (s->queue.count > 0)
        at_ns = HL_MIN(at_ns, s->queue.heap[0].at_ns);
    return at_ns;
}

/* A check looks at all cpus and tasks: where these are many, not each event can have one. */
static void check_now(struct sim *s)
{
    enum hl_status status = checker_run(s, s->err);

    s->check_at = s->event_count + 1 + ((size_t)s->cpu_count + s->task_used) / LOOKS_PER_EVENT;
    if (s->status == HL_OK)
        s->status = status;
}

/* Is the first entry of the queue the next event? Of its kinds only timers go before requests. */
static inline bool queue_is_next(const struct sim *s, int64_t at_ns)
{
    return s->queue.count > 0 && s->queue.heap[0].at_ns == at_ns &&
           (s->requests.next_ns != at_ns || s->queue.heap[0].order < EVENT_ORDER(EVENT_REQUEST, 0));
}

/* One event. */
static inline void handle_next(struct sim *s, int64_t at_ns)
{
    if (at_ns != s->now_ns) {
        s->now_ns = s->policy.now_ns = at_ns;
        s->steps_without_time = 0;
    }
    if (queue_is_next(s, at_ns))
        handle_queue(s);
    else if (s->requests.next_ns == at_ns)
        handle_request(s);
    else if (s->step_ends.at_ns[step_ends_first(&s->step_ends)] == at_ns)
        handle_step_end(s);
    else if (s->tick.next_ns == at_ns)
        handle_tick(s, &s->tick, EVENT_TICK, s->ops->tick);
    else
        handle_tick(s, &s->stat_tick, EVENT_STAT_TICK, s->ops->stat_tick);
    if (s->kicked_count > 0 && !(s->clock.ticks_first && s->tick.next_ns == at_ns))
        dispatch_kicked(s);
    if (s->options->check_each_event && s->event_count >= s->check_at)
        check_now(s);
}

/* The looks of the observer that are still to come. */
struct looks {
    int next;           /* index in at_ns */
    int64_t regular_ns; /* INT64_MAX: none */
};

static struct looks looks_begin(const struct sim *s)
{
    const struct sim_observer *observer = s->options->observer;

    return (struct looks){.regular_ns = observer != NULL && observer->every_ns > 0 ? 0 : INT64_MAX};
}

/* One look, regular or not. */
static void look_once(struct sim *s, struct looks *looks, bool is_regular)
{
    const struct sim_observer *observer = s->options->observer;

    observer->look(observer->context, s, is_regular ? -1 : looks->next++);
    if (is_regular)
        looks->regular_ns += observer->every_ns;
}

/* True if somebody looked: bringing figures up to now may have moved the end of a step. */
static bool observe(struct sim *s, struct looks *looks, int64_t before_ns)
{
    const struct sim_observer *observer = s->options->observer;
    bool looked = false;

    while (observer != NULL) {
        int64_t listed_ns =
            looks->next < observer->count ? observer->at_ns[looks->next] : INT64_MAX;
        int64_t at_ns = HL_MIN(listed_ns, looks->regular_ns);

        if (at_ns >= before_ns)
            break;
        if (at_ns > s->now_ns)
            s->now_ns = s->policy.now_ns = at_ns;
        look_once(s, looks, looks->regular_ns == at_ns);
        looked = true;
    }
    return looked;
}

/* Looks that lie beyond the end see the end; regular ones do not lie there. */
static void observe_end(struct sim *s, struct looks *looks)
{
    while (s->options->observer != NULL && looks->regular_ns <= s->now_ns)
        look_once(s, looks, true);
    while (s->options->observer != NULL && looks->next < s->options->observer->count)
        look_once(s, looks, false);
}

/* What is looked at now and then: a wish to end, and a run that will not. */
static void look_round(struct sim *s, bool has_end)
{
    if (hl_interrupted())
        sim_fail(s, HL_INTERRUPTED, "interrupted");
    else
        stuck_look(s, has_end);
}

static void play(struct sim *s)
{
    int64_t until_ns = s->options->until_ns > 0 ? s->options->until_ns : INT64_MAX;
    struct looks looks = looks_begin(s);
    unsigned turns = 0;

    while (s->status == HL_OK && !s->finished) {
        int64_t at_ns = next_event_ns(s);

        if (at_ns > until_ns) {
            (void)observe(s, &looks, until_ns);
            s->now_ns = s->policy.now_ns = until_ns;
            break;
        }
        if (at_ns == INT64_MAX) {
            stuck_at_rest(s);
            break;
        }
        if (s->options->observer != NULL && observe(s, &looks, at_ns))
            continue;
        handle_next(s, at_ns);
        if (!s->finished && ++turns % TURNS_PER_LOOK == 0)
            look_round(s, until_ns < INT64_MAX);
    }
    if (s->status == HL_OK) {
        trace_metrics_advance(&s->metrics, s->now_ns);
        observe_end(s, &looks);
        check_now(s);
    }
}

/* result NULL: nothing is played. */
static enum hl_status run(const struct sim_options *options, struct sim_result *result,
                          struct hl_error *err)
{
    struct sim *s = hl_alloc(1, sizeof(*s));
    struct hl_error local;
    enum hl_status status;

    if (s == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for a run");
    status = open_run(s, options, err == NULL ? &local : err);
    for (size_t i = 0; options->marks != NULL && i < options->workload->mark_count; i++)
        options->marks[i] = (struct sim_mark){.at_ns = -1};
    if (status == HL_OK && result != NULL) {
        play(s);
        status = s->status;
        if (status == HL_OK)
            observe_result(s, result);
    }
    if (s->policy.ops != NULL && s->ops->fini != NULL)
        s->ops->fini(&s->policy);
    hl_arena_close(&s->arena);
    hl_free(s);
    return status;
}

enum hl_status sim_try(const struct sim_options *options, struct hl_error *err)
{
    return run(options, NULL, err);
}

enum hl_status sim_run(const struct sim_options *options, struct sim_result *result,
                       struct hl_error *err)
{
    *result = (struct sim_result){0};
    return run(options, result, err);
}
