/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sdmm.h - what smtnice and tests use of sdmm.c.
 */
#ifndef HL_POLICY_SDMM_H
#define HL_POLICY_SDMM_H

#include "policy/domains.h"

struct sdmm { /* first in the policy data */
    struct domains domains;
    bool less_idle; /* pull one task when a cpu runs out of work, however balanced the groups are */
    bool gain_cap;  /* see domain_gain */
};

/* Values of spec linux 5.2; the machine decides how rarely nodes are balanced. */
void sdmm_defaults(struct domain_params params[DOMAIN_LEVEL_COUNT], bool less_idle, int cpu_count);

/* Tasks the own group should pull; 0: balanced. */
int32_t sdmm_imbalance(const struct sdmm *sd, const struct domain *d, const struct domain_survey *s,
                       enum domain_mode mode);

int32_t sdmm_balance(struct policy *p, int cpu, struct domain *d, enum domain_mode mode);

#endif
