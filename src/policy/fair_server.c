/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fair_server.c - the fair server of 6.12 and later: fair tasks that wait behind real-time ones get
 * 50 ms of each second of their cpu.
 *
 * Idea:    once they have waited for a second less 50 ms the server serves: the fair class goes
 *          before the real-time one for 50 ms, then again each second, as long as fair tasks would
 *          starve. What they run by themselves in the meantime counts: it puts the service off, and
 *          50 ms of it begin a new second.
 * Source:  spec modern 7.9.
 * Choices: the spec says how much, not when; that a server serves at the last moment is assumed. It
 *          begins and ends at ticks; what it overruns is taken from the next service. A cpu without
 *          fair tasks forgets. It does nothing on cpus without real-time tasks.
 */
#include "policy/fair.h"

enum { SERVER_RUNTIME_MS = 50, SERVER_PERIOD_MS = 1000 };

#define RUNTIME_NS (SERVER_RUNTIME_MS * HL_NS_PER_MS)
#define PERIOD_NS  (SERVER_PERIOD_MS * HL_NS_PER_MS)

static void arm(const struct policy *p, struct fair_server *s)
{
    s->state = FAIR_SERVER_ARMED;
    s->runtime_ns = RUNTIME_NS;
    s->serves_ns = policy_now_ns(p) + PERIOD_NS - RUNTIME_NS;
}

/* What the fair class has run since the last time. */
static void charge(struct policy *p, struct fair_cpu *c)
{
    struct fair_server *s = &c->server;
    int64_t delta_ns = s->fair_runs ? policy_now_ns(p) - s->charged_ns : 0;

    s->charged_ns = policy_now_ns(p);
    if (delta_ns == 0)
        return;
    switch (s->state) {
    case FAIR_SERVER_OFF: break;
    case FAIR_SERVER_ARMED:
        s->runtime_ns -= delta_ns;
        s->serves_ns += delta_ns;
        if (s->runtime_ns > 0)
            break;
        arm(p, s);
        if (c->rt_nr == 0)
            s->state = FAIR_SERVER_OFF;
        break;
    case FAIR_SERVER_SPENT: arm(p, s); break; /* nobody starves any more */
    case FAIR_SERVER_SERVES:
        s->runtime_ns -= delta_ns;
        if (s->runtime_ns > 0)
            break;
        s->state = FAIR_SERVER_SPENT;
        s->serves_ns += PERIOD_NS;
        s->runtime_ns += RUNTIME_NS;
        fair_resched(p, c);
        break;
    }
}

void fair_server_tick(struct policy *p, struct fair_cpu *c)
{
    struct fair_server *s = &c->server;

    charge(p, c);
    if (c->queue.h_nr == 0 || (c->rt_nr == 0 && s->state != FAIR_SERVER_ARMED)) {
        s->state = FAIR_SERVER_OFF;
        return;
    }
    if (s->state == FAIR_SERVER_OFF)
        arm(p, s);
    if (s->state == FAIR_SERVER_SERVES || c->rt_curr == NULL || policy_now_ns(p) < s->serves_ns)
        return;
    s->state = FAIR_SERVER_SERVES;
    s->serves_ns = policy_now_ns(p);
    fair_resched(p, c);
}

bool fair_server_serves(struct policy *p, struct fair_cpu *c)
{
    charge(p, c);
    return c->server.state == FAIR_SERVER_SERVES && c->queue.h_nr > 0;
}
