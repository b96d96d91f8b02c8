/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * coverage_test.c - nominal 95 % intervals cover the true ratio in 94 to 98.5 of 100 studies, with
 * log-normal noise of 2 % and outliers; a fixed seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "base/units.h"
#include "noise.h"
#include "stats/stats.h"

enum { STUDIES = 8000, N_MAX = 20 };

static const double true_log_ratio = 0.03;

/* Times as a timer gives them, if `tick` is not 0. */
static double read_log(double log_time, double tick)
{
    double time = 80 * exp(log_time);

    return log(tick > 0 ? round(time / tick) * tick : time);
}

static double coverage(bool is_paired, size_t n, double tick, int studies)
{
    struct hl_rng rng = hl_rng_stream(n, is_paired ? "test/paired" : "test/independent");
    double base[N_MAX], new[N_MAX];
    int covered = 0;

    for (int study = 0; study < studies; study++) {
        struct stats_contrast contrast = {.x = base, .y = new, .x_count = n, .y_count = n};
        struct stats_interval interval;

        for (size_t i = 0; i < n; i++) {
            /* Blocks of a session share what the machine was doing at the time. */
            double block = is_paired ? 0.05 * noise_normal(&rng) : 0;

            base[i] = read_log(block + noise_log_time(&rng, 0.02), tick);
            new[i] = read_log(block + noise_log_time(&rng, 0.02) + true_log_ratio, tick);
        }
        if (is_paired) {
            for (size_t i = 0; i < n; i++)
                new[i] -= base[i];
            contrast = (struct stats_contrast){.y = new, .y_count = n};
        }
        assert_int_equal(stats_interval_of(&contrast, 0.05, &interval, NULL), HL_OK);
        assert_true(interval.reaches && interval.is_exact);
        covered += interval.low <= true_log_ratio && true_log_ratio <= interval.high;
    }
    return (double)covered / studies;
}

static void assert_covers(bool is_paired, size_t n, double tick, int studies)
{
    double covered = coverage(is_paired, n, tick, studies);

    print_message("%s n = %zu tick %g s: %.2f %%\n", is_paired ? "paired" : "independent", n, tick,
                  100 * covered);
    assert_true(covered >= 0.94 && covered <= 0.985);
}

static void independent_intervals_cover_as_often_as_they_say(void **state)
{
    (void)state;
    assert_covers(false, 5, 0, STUDIES);
    assert_covers(false, 10, 0, STUDIES);
    assert_covers(false, 20, 0, STUDIES);
}

static void paired_intervals_cover_as_often_as_they_say(void **state)
{
    (void)state;
    assert_covers(true, 6, 0, STUDIES);
    assert_covers(true, 10, 0, STUDIES);
    assert_covers(true, 20, 0, STUDIES);
}

/* A coarse timer makes ties; the true ratio itself can then not be had to less than a tick. */
static void a_coarse_timer_does_not_lower_the_coverage(void **state)
{
    (void)state;
    assert_covers(false, 5, 0.1, 2000);
    assert_covers(false, 10, 0.1, 2000);
    assert_covers(true, 10, 0.1, 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_intervals_cover_as_often_as_they_say),
        cmocka_unit_test(paired_intervals_cover_as_often_as_they_say),
        cmocka_unit_test(a_coarse_timer_does_not_lower_the_coverage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
