/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request_ring_test.c - requests come out by time, then by cpu, each cpu's earliest one only.
 */
#include "sim/request_ring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"

enum { ROOM = 256, CPUS = 200, WORDS = (CPUS + 63) / 64, DELAY_NS = 7 };

struct fixture {
    struct request_ring ring;
    struct request_batch batch[ROOM];
    uint64_t bits[ROOM][WORDS];
    int64_t at_ns[CPUS];
};

static void prepare(struct fixture *f)
{
    memset(f, 0, sizeof(*f));
    f->ring = (struct request_ring){
        .batch = f->batch, .at_ns = f->at_ns, .room = ROOM, .next_ns = INT64_MAX};
    for (int i = 0; i < ROOM; i++)
        f->batch[i].cpus = f->bits[i];
    for (int cpu = 0; cpu < CPUS; cpu++)
        f->at_ns[cpu] = INT64_MAX;
}

static void a_batch_comes_out_by_cpu(void **state)
{
    static struct fixture f;

    (void)state;
    prepare(&f);
    request_ring_add(&f.ring, 130, 5);
    request_ring_add(&f.ring, 3, 5);
    request_ring_add(&f.ring, 64, 5);
    request_ring_add(&f.ring, 3, 5);
    request_ring_add(&f.ring, 3, 9);
    assert_int_equal(f.ring.next_ns, 5);
    assert_int_equal(request_ring_pop(&f.ring), 3);
    assert_int_equal(request_ring_pop(&f.ring), 64);
    assert_int_equal(request_ring_pop(&f.ring), 130);
    assert_int_equal(f.ring.next_ns, INT64_MAX);
}

static void a_request_at_once_overtakes(void **state)
{
    static struct fixture f;

    (void)state;
    prepare(&f);
    request_ring_add(&f.ring, 1, 10);
    request_ring_add(&f.ring, 2, 11);
    request_ring_add(&f.ring, 4, 12);
    request_ring_add(&f.ring, 2, 6); /* its batch is empty and goes */
    assert_int_equal(f.ring.count, 3);
    assert_int_equal(f.ring.next_ns, 6);
    assert_int_equal(request_ring_pop(&f.ring), 2);
    assert_int_equal(f.ring.next_ns, 10);
    assert_int_equal(request_ring_pop(&f.ring), 1);
    assert_int_equal(f.ring.next_ns, 12);
    assert_int_equal(request_ring_pop(&f.ring), 4);
}

/* Beside a table of times that is searched. */
static void random_requests_come_out_in_order(void **state)
{
    static struct fixture f;
    struct hl_rng rng = hl_rng_stream(1, "request_ring_test");
    int64_t expected_ns[CPUS], now_ns = 0;

    (void)state;
    prepare(&f);
    for (int cpu = 0; cpu < CPUS; cpu++)
        expected_ns[cpu] = INT64_MAX;
    for (int i = 0; i < 200000; i++) {
        int cpu = (int)hl_rng_below(&rng, CPUS), first = 0;

        for (int other = 1; other < CPUS; other++)
            if (expected_ns[other] < expected_ns[first])
                first = other;
        assert_int_equal(f.ring.next_ns, expected_ns[first]);
        if (expected_ns[first] < INT64_MAX && hl_rng_below(&rng, 2) == 0) {
            now_ns = expected_ns[first];
            assert_int_equal(request_ring_pop(&f.ring), first);
            expected_ns[first] = INT64_MAX;
        } else {
            int64_t at_ns = now_ns + (hl_rng_below(&rng, 4) == 0 ? 0 : DELAY_NS);

            request_ring_add(&f.ring, cpu, at_ns);
            if (at_ns < expected_ns[cpu])
                expected_ns[cpu] = at_ns;
        }
        if (hl_rng_below(&rng, 3) == 0 && now_ns < f.ring.next_ns)
            now_ns++;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_comes_out_by_cpu),
        cmocka_unit_test(a_request_at_once_overtakes),
        cmocka_unit_test(random_requests_come_out_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
