/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sd267.h - what smtnice and tests use of sd267.c.
 */
#ifndef HL_POLICY_SD267_H
#define HL_POLICY_SD267_H

#include "policy/domains.h"

struct sd267_task {    /* the task data */
    struct o1_task o1; /* first */
    bool waits_child;  /* the sleep it is in: its child's exit wakes it with the sync hint */
};

/* Values of spec linux 5.2. */
extern const struct domain_params sd267_defaults[DOMAIN_LEVEL_COUNT];

/* Tasks the own group should pull; 0: balanced. */
int32_t sd267_imbalance(const struct domain *d, const struct domain_survey *s,
                        enum domain_mode mode);

int32_t sd267_balance(struct policy *p, int cpu, struct domain *d, enum domain_mode mode);

/* The load a cpu is believed to have follows its own ticks. */
void sd267_tick_load(struct policy *p, int cpu);

int sd267_select_cpu(struct policy *p, struct policy_task *t, const struct policy_wakeup *w);
void sd267_enqueue(struct policy *p, struct policy_task *t, int cpu, const struct policy_wakeup *w);
void sd267_dequeue(struct policy *p, struct policy_task *t, int cpu, enum policy_why why,
                   enum policy_wait wait);

#endif
