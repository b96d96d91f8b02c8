/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * o1_balance.c - see o1_balance.h. Kept as in the source: a busy queue with an imbalance of one
 * pulls every task it may (spec linux 3.8 step 6), and lengths seen long ago count.
 */
#include "policy/o1_balance.h"

enum {
    BUSY_NODE_PERIOD = 400,
    IDLE_NODE_PERIOD = 5,
    NODE_LOAD_SCALE = 10,
    NODE_THRESHOLD_PCT = 125
};

enum hl_status o1_balance_init(struct policy *p, struct o1_balance *b, struct hl_error *err)
{
    const struct o1 *o = o1_of(p);
    const struct machine *m = policy_machine(p);
    size_t queues = (size_t)o->queue_count;

    b->busy.length = o->rules.busy_period;
    b->node_busy.length = BUSY_NODE_PERIOD;
    b->node_idle.length = IDLE_NODE_PERIOD;
    b->seen = policy_alloc(p, queues * queues, sizeof(*b->seen));
    b->node_seen = policy_alloc(p, queues * (size_t)o->node_count, sizeof(*b->node_seen));
    b->quiet_at = policy_alloc(p, queues, sizeof(*b->quiet_at));
    b->span = policy_alloc(p, queues, sizeof(*b->span));
    if (b->seen == NULL || b->node_seen == NULL || b->quiet_at == NULL || b->span == NULL)
        return hl_fail(err, HL_NO_MEMORY, "no memory for the balancing of %zu run queues", queues);
    for (int i = 0; i < o->queue_count; i++) {
        int node = o->queue[i].node;

        b->span[i] = machine_span(m, m->node_cpu + m->node_first[node],
                                  m->node_first[node + 1] - m->node_first[node]);
    }
    return HL_OK;
}

static bool is_due(struct o1_period *period, int64_t jiffies)
{
    if (period->next < jiffies)
        period->next = (jiffies + period->length - 1) / period->length * period->length;
    return period->next == jiffies;
}

/* ---- which queue ---- */

struct busiest {
    int32_t queue; /* -1: none has more than one task */
    int32_t load;
};

/*
 * The longest queue of a node other than `own`, and longer than 1; the first of equals. A busy cpu
 * believes a length only if it saw it at its last look too. Every look is remembered.
 */
static inline struct busiest find_busiest(const struct o1 *o, uint32_t *seen, int own, int node,
                                          bool idle)
{
    struct busiest found = {.queue = -1, .load = 1};
    const uint32_t *nr_running = o->nr_running;

    for (int32_t i = o->node_first[node]; i < o->node_first[node + 1]; i++) {
        int32_t queue = o->node_queue[i];
        int32_t load = (int32_t)nr_running[queue];

        if (!idle)
            load = HL_MIN(load, (int32_t)seen[queue]);
        seen[queue] = nr_running[queue];
        if (load > found.load && queue != own)
            found = (struct busiest){queue, load};
    }
    return found;
}

/* How many tasks a busy cpu takes: 0: none, -1: all that may move. */
static int busy_amount(const struct o1 *o, int32_t own, struct busiest from)
{
    int32_t present = (int32_t)o->nr_running[from.queue];
    int32_t imbalance = from.load - own;

    if (o->rules.old) {
        imbalance /= 2;
        return imbalance < (from.load + 3) / 4 || present <= own + 1 ? 0 : imbalance;
    }
    if (imbalance * 4 < from.load || present <= own)
        return 0;
    return imbalance == 1 ? -1 : imbalance / 2;
}

/* ---- which tasks ---- */

static bool may_move(const struct policy *p, const struct policy_task *t, int cpu, bool warm_stays)
{
    if (t->on_cpu != POLICY_NO_CPU || !policy_allowed(t, cpu))
        return false;
    return !warm_stays || policy_now_ns(p) - o1_task_of(t)->stamp_ns > o1_of(p)->cache_decay_ns;
}

static void pull(struct policy *p, struct o1_balance *b, int cpu, int from, int amount, bool idle,
                 bool announce)
{
    struct o1 *o = o1_of(p);
    const struct machine *m = policy_machine(p);
    bool siblings = b->siblings_are_warm && m->cpu[o->queue[from].cpu[0]].core == m->cpu[cpu].core;
    bool warm_stays = (!idle && !siblings) || o->rules.old;
    const struct o1_queue *own = o1_queue_of(o, cpu);
    struct policy_task *t;
    struct o1_scan scan;
    int left = amount;

    o1_scan_begin(&scan, &o->queue[from], siblings);
    while (left != 0 && (t = o1_scan_next(&scan)) != NULL) {
        if (!may_move(p, t, cpu, warm_stays))
            continue;
        o1_move(o, t, own->index, false);
        policy_moved(p, t, cpu);
        if (announce)
            b->announce(p, t, cpu);
        left--;
    }
    if (left != amount)
        policy_count(p, POLICY_BALANCE_MOVE,
                     o->queue[from].node == own->node ? b->span[own->index] : MACHINE_REMOTE_NODE);
}

/* ---- when ---- */

static uint32_t *seen_by(const struct o1 *o, const struct o1_balance *b, int queue)
{
    return b->seen + (size_t)queue * (size_t)o->queue_count;
}

/* False: by the lengths there is nothing to take. */
static bool balance_idle(struct policy *p, struct o1_balance *b, int cpu, int node, bool announce)
{
    const struct o1 *o = o1_of(p);
    int32_t own = o->queue_of[cpu], own_load = (int32_t)o->nr_running[own];
    uint32_t *seen = seen_by(o, b, own);
    struct busiest from;

    seen[own] = o->nr_running[own]; /* looked at too when the node is another one */
    from = find_busiest(o, seen, own, node, true);
    if (from.queue < 0 || from.load <= own_load + (o->rules.old ? 1 : 0))
        return false;
    pull(p, b, cpu, from.queue, 1, true, announce);
    return true;
}

/* The same in the own node. Most looks meet the lengths of the last one, and it found nothing. */
static void balance_idle_local(struct policy *p, struct o1_balance *b, int cpu, bool announce)
{
    const struct o1 *o = o1_of(p);
    int32_t own = o->queue_of[cpu];

    policy_count(p, POLICY_BALANCE_ATTEMPT, b->span[own]);
    if (b->quiet_at[own] == o->changes + 1)
        return;
    if (!balance_idle(p, b, cpu, o->queue[own].node, announce))
        b->quiet_at[own] = o->changes + 1;
}

static void balance_busy(struct policy *p, struct o1_balance *b, int cpu, int node)
{
    const struct o1 *o = o1_of(p);
    int32_t own = o->queue_of[cpu], own_load;
    uint32_t *seen = seen_by(o, b, own);
    struct busiest from;

    own_load = (int32_t)HL_MAX(o->nr_running[own], seen[own]);
    seen[own] = o->nr_running[own];
    from = find_busiest(o, seen, own, node, false);
    if (from.queue >= 0)
        pull(p, b, cpu, from.queue, busy_amount(o, own_load, from), false, true);
}

static uint32_t look_at_node(const struct o1 *o, uint32_t *seen, int node)
{
    seen[node] = seen[node] / 2 +
                 NODE_LOAD_SCALE * o->node_running[node] / (uint32_t)o->node_cpu_count[node];
    return seen[node];
}

static void balance_nodes(struct policy *p, struct o1_balance *b, int cpu, bool idle)
{
    const struct o1 *o = o1_of(p);
    const struct o1_queue *queue = o1_queue_of(o, cpu);
    uint32_t *seen = b->node_seen + (size_t)queue->index * (size_t)o->node_count;
    uint32_t own = look_at_node(o, seen, queue->node), max = own;
    int busiest = -1;

    policy_count(p, POLICY_BALANCE_ATTEMPT, MACHINE_REMOTE_NODE);
    for (int node = 0; node < o->node_count; node++) {
        uint32_t load;

        if (node == queue->node)
            continue;
        load = look_at_node(o, seen, node);
        if (load > max) {
            max = load;
            busiest = node;
        }
    }
    if (busiest < 0 || 100 * max <= NODE_THRESHOLD_PCT * own)
        return;
    if (idle)
        (void)balance_idle(p, b, cpu, busiest, true);
    else
        balance_busy(p, b, cpu, busiest);
}

void o1_balance_tick(struct policy *p, struct o1_balance *b, int cpu, bool idle)
{
    const struct o1 *o = o1_of(p);
    int64_t jiffies = o1_jiffies(p);

    if (o->node_count > 1 && is_due(idle ? &b->node_idle : &b->node_busy, jiffies))
        balance_nodes(p, b, cpu, idle);
    if (idle) {
        balance_idle_local(p, b, cpu, true);
    } else if (is_due(&b->busy, jiffies)) {
        policy_count(p, POLICY_BALANCE_ATTEMPT, b->span[o->queue_of[cpu]]);
        balance_busy(p, b, cpu, o1_queue_of(o, cpu)->node);
    }
}

void o1_balance_idle(struct policy *p, struct o1_balance *b, int cpu, bool announce)
{
    balance_idle_local(p, b, cpu, announce);
}

/* ---- exec ---- */

/* The node with the smallest load per cpu; the first of equals. */
static int idlest_node(const struct o1 *o)
{
    uint32_t min = UINT32_MAX;
    int best = 0;

    for (int node = 0; node < o->node_count; node++) {
        uint32_t load = NODE_LOAD_SCALE * o->node_running[node] / (uint32_t)o->node_cpu_count[node];

        if (load < min) {
            min = load;
            best = node;
        }
    }
    return best;
}

int o1_exec_cpu(struct policy *p, const struct policy_task *t, int cpu)
{
    const struct o1 *o = o1_of(p);
    const struct machine *m = policy_machine(p);
    uint32_t min = UINT32_MAX;
    int node, best = cpu;

    if (o->node_count < 2 || o1_nr_running(o, cpu) <= 2)
        return cpu;
    node = idlest_node(o);
    for (int32_t i = m->node_first[node]; i < m->node_first[node + 1]; i++) {
        int other = m->node_cpu[i];

        if (policy_allowed(t, other) && o1_nr_running(o, other) < min) {
            min = o1_nr_running(o, other);
            best = other;
        }
    }
    return best;
}
