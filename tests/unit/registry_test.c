/* SPDX-License-Identifier: GPL-2.0-or-later */
/* registry_test.c - policy strings: names, parameters, what is refused and how. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "policy/policy.h"

static struct policy_spec parsed(const char *text)
{
    struct policy_spec spec;
    struct hl_error err = {.text = ""};

    if (policy_spec_parse(&spec, text, &err) != HL_OK)
        fail_msg("%s", err.text);
    return spec;
}

static int64_t value_of(const char *text, const char *param)
{
    struct policy_spec spec = parsed(text);

    for (int i = 0; spec.ops->params[i].name != NULL; i++)
        if (strcmp(spec.ops->params[i].name, param) == 0)
            return spec.params[i];
    fail_msg("%s has no parameter %s", text, param);
    return 0;
}

static void names_in_the_registry_are_sorted_and_complete(void **state)
{
    (void)state;
    for (int i = 0; policy_registry[i] != NULL; i++) {
        struct policy_spec spec;
        struct hl_error err;
        const struct policy_ops *ops;

        assert_int_equal(policy_spec_parse(&spec, policy_registry[i]->name, &err), HL_OK);
        ops = spec.ops; /* of the default version, where versions have tables of their own */
        assert_string_equal(ops->name, policy_registry[i]->name);
        assert_ptr_equal(ops->params, policy_registry[i]->params);

        assert_non_null(ops->enqueue);
        assert_non_null(ops->dequeue);
        assert_non_null(ops->pick);
        assert_non_null(ops->summary);
        assert_non_null(ops->source);
        if (i > 0)
            assert_true(strcmp(policy_registry[i - 1]->name, ops->name) < 0);
    }
}

static void every_default_is_within_its_range_and_has_a_source(void **state)
{
    (void)state;
    for (int i = 0; policy_registry[i] != NULL; i++) {
        const struct policy_param_info *info = policy_registry[i]->params;

        for (; info != NULL && info->name != NULL; info++) {
            assert_non_null(info->help);
            assert_non_null(info->unit);
            assert_true(strstr(info->help, "spec ") != NULL ||
                        strstr(info->help, "assumed") != NULL);
            if (info->value == POLICY_PARAM_UNSET)
                assert_non_null(strstr(info->help, "default "));
            else if (info->type != PARAM_FLAGS)
                assert_true(info->value >= info->min && info->value <= info->max);
            if (info->type == PARAM_CHOICE)
                assert_true(info->choices[0] != 0); /* one release is a choice too */
        }
    }
}

static void a_bare_name_takes_the_defaults(void **state)
{
    struct policy_spec spec = parsed("o1");

    (void)state;
    assert_string_equal(spec.ops->name, "o1");
    assert_string_equal(spec.text, "o1");
    for (int i = 0; spec.ops->params[i].name != NULL; i++)
        assert_int_equal(spec.params[i], spec.ops->params[i].value);
}

static void parameters_are_read_by_their_type(void **state)
{
    (void)state;
    assert_int_equal(value_of("o1:version=2.6.0-test11:kernel=up", "version"), 1);
    assert_int_equal(value_of("o1:version=2.6.0-test11:kernel=up", "kernel"), 1);
    assert_int_equal(value_of("o1:cache_decay=7", "cache_decay"), 7);
    assert_int_equal(value_of("o1:wrap", "wrap"), 1);
    assert_int_equal(value_of("o1:wrap=y", "wrap"), 1);
    assert_int_equal(value_of("c1:idle_tick_resched=n", "idle_tick_resched"), 0);
    assert_int_equal(value_of("w26:active_delay=never", "active_delay"), INT64_MAX / 1000000);
    assert_int_equal(value_of("sdmm:cpu.flags=NEWIDLE+CLONE", "cpu.flags"), 1 + 4);
    assert_int_equal(value_of("sdmm:cpu.flags=none", "cpu.flags"), 0);
    assert_int_equal(value_of("sdmm:cpu.cache_hot_time=2.5ms", "cpu.cache_hot_time"), 2500000);
    assert_string_equal(parsed("c1:share=package").text, "c1:share=package");
    assert_int_equal(value_of("cfs:latency_ns=8ms", "sched_latency_ns"), 8000000);
    assert_int_equal(value_of("cfs:sched_migration_cost_ns=1ms", "migration_cost_ns"), 1000000);
    assert_int_equal(value_of("cfs:NO_ALT_PERIOD:NO_BASE_SLICE:NEXT_BUDDY", "ALT_PERIOD"), 0);
    assert_int_equal(value_of("eevdf:sched_nr_migrate=8", "nr_migrate"), 8);
}

static void wrong_text_is_refused_in_one_line_that_says_what_there_is(void **state)
{
    static const struct {
        const char *text, *expected;
    } bad[] = {
        {"", "unknown policy \"\""},
        {"o2", "did you mean \"o1\"?"},
        {"fifi", "did you mean \"fifo\"?"},
        {"linux99", "known: "},
        {"o1:versoin=2.6.0", "did you mean \"version\"?"},
        {"o1:version=2.6.1", "did you mean \"2.6.0\"?"},
        {"o1:version", "o1:version: version has no value; expected version=VALUE"},
        {"o1:version=", "unknown version \"\""},
        {"o1:kernel=smp:kernel=up", "kernel is given twice"},
        {"o1:wrap=yes", "wrap is \"yes\"; expected y or n"},
        {"o1:cache_decay=2x", "cache_decay is \"2x\"; expected a whole number"},
        {"o1:cache_decay=1001", "cache_decay is 1001; expected -1 to 1000 jiffies"},
        {"o1:cache_decay=99999999999999999999", "expected a whole number"},
        {"o1:", "found nothing after a ':', expected name=value"},
        {"o1::wrap", "found nothing after a ':', expected name=value"},
        {"fifo:x=1", "unknown parameter \"x\"; known: none"},
        {"sdmm:cpu.flags=NEWIDEL", "unknown cpu.flags \"NEWIDEL\"; did you mean \"NEWIDLE\"?"},
        {"sdmm:cpu.flags=NEWIDLE+", "unknown cpu.flags \"\""},
        {"sdmm:cpu.flags=", "unknown cpu.flags \"\""},
        {"sdmm:cpu.cache_hot_time=soon", "expected a duration such as 5ms"},
        {"sdmm:cpu.cache_hot_time=99999999999999999999", "from 0 to 1000000000000 ns"},
        {"sdmm:cpu.cache_hot_time=1000000s", "expected 0 to 1000000000000 ns"},
        {"w26:active_delay=ever", "expected a whole number or never"},
        {"cfs:nr_migrate=8:sched_nr_migrate=8", "sched_nr_migrate is given twice"},
        {"cfs:HRTICK", "cfs:HRTICK: HRTICK is not modelled: slices end at ticks"},
        {"eevdf:NO_TTWU_QUEUE", "TTWU_QUEUE is not modelled: a wake-up queues its task at once"},
        {"o1:HRTICK", "unknown parameter \"HRTICK\""},
        {"O1", "unknown policy"},
        {" o1", "unknown policy"},
    };
    struct policy_spec spec;
    struct hl_error err;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(policy_spec_parse(&spec, bad[i].text, &err), HL_USAGE);
        if (strstr(err.text, bad[i].expected) == NULL)
            fail_msg("\"%s\" gives: %s\nexpected: %s", bad[i].text, err.text, bad[i].expected);
        assert_null(strchr(err.text, '\n'));
    }
}

static void text_that_does_not_fit_is_refused(void **state)
{
    char text[400] = "o1:";
    struct policy_spec spec;
    struct hl_error err;

    (void)state;
    memset(text + 3, 'x', sizeof(text) - 4);
    assert_int_equal(policy_spec_parse(&spec, text, &err), HL_USAGE);
    assert_non_null(strstr(err.text, "399 characters"));
    memset(text + 3, ':', 200);
    text[203] = '\0';
    assert_int_equal(policy_spec_parse(&spec, text, &err), HL_USAGE);
    assert_non_null(strstr(err.text, "parameters"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_in_the_registry_are_sorted_and_complete),
        cmocka_unit_test(every_default_is_within_its_range_and_has_a_source),
        cmocka_unit_test(a_bare_name_takes_the_defaults),
        cmocka_unit_test(parameters_are_read_by_their_type),
        cmocka_unit_test(wrong_text_is_refused_in_one_line_that_says_what_there_is),
        cmocka_unit_test(text_that_does_not_fit_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
