/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task_records_test.c - sums of taskstats records below a process, from messages made by hand.
 */
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "host/task_records.h"

enum { FAMILY = 31, ROOT = 100 };

static struct host_task_records records;
static char message[4096];
static size_t used;

static int open_records(void **state)
{
    (void)state;
    records = (struct host_task_records){.is_open = true, .fd = -1};
    return 0;
}

static int close_records(void **state)
{
    (void)state;
    host_task_records_close(&records);
    return 0;
}

static size_t put(size_t at, const void *data, size_t bytes)
{
    memcpy(message + at, data, bytes);
    return at + (bytes + 3) / 4 * 4;
}

static void begin_message(void)
{
    memset(message, 0, sizeof(message));
    used = NLMSG_LENGTH(GENL_HDRLEN);
}

static void end_message(void)
{
    struct nlmsghdr head = {.nlmsg_len = (uint32_t)used, .nlmsg_type = FAMILY};

    (void)put(0, &head, sizeof(head));
}

/* AGGR { ID, STATS } */
static void put_task(uint16_t aggregate, uint16_t kind, uint32_t pid, uint32_t parent,
                     uint64_t delay_ns)
{
    const struct taskstats stats = {.ac_ppid = parent, .cpu_delay_total = delay_ns};
    struct nlattr outer = {.nla_type = aggregate}, id = {.nla_len = 8, .nla_type = kind};
    struct nlattr data = {.nla_len = (uint16_t)(4 + sizeof(stats)),
                          .nla_type = TASKSTATS_TYPE_STATS};

    outer.nla_len = (uint16_t)(4 + id.nla_len + data.nla_len);
    used = put(used, &outer, sizeof(outer));
    used = put(used, &id, sizeof(id));
    used = put(used, &pid, sizeof(pid));
    used = put(used, &data, sizeof(data));
    used = put(used, &stats, sizeof(stats));
}

static bool take_end(uint32_t pid, uint32_t parent, uint64_t delay_ns)
{
    begin_message();
    put_task(TASKSTATS_TYPE_AGGR_PID, TASKSTATS_TYPE_PID, pid, parent, delay_ns);
    end_message();
    return host_task_records_take(&records, message, used);
}

static void has_sum(int64_t delay_ns, int64_t tasks)
{
    struct host_task_sum sum;
    const char *why;

    assert_true(host_task_records_sum(&records, ROOT, &sum, &why));
    assert_int_equal(sum.delay_ns, delay_ns);
    assert_int_equal(sum.tasks, tasks);
}

static void what_ends_below_a_child_counts_when_the_child_ends(void **state)
{
    (void)state;
    assert_true(take_end(300, 200, 5)); /* cc1 of gcc */
    assert_true(take_end(301, 200, 6)); /* as of gcc */
    assert_true(take_end(200, 150, 7)); /* gcc of sh */
    assert_true(take_end(150, ROOT, 8));
    has_sum(26, 4);
}

static void tasks_of_others_do_not_count(void **state)
{
    (void)state;
    assert_true(take_end(300, 200, 5));
    assert_true(take_end(400, 1, 1000));
    assert_true(take_end(200, ROOT, 7));
    assert_true(take_end(500, 499, 1000));
    has_sum(12, 2);
}

static void a_process_id_used_again_starts_anew(void **state)
{
    (void)state;
    assert_true(take_end(300, 200, 5));
    assert_true(take_end(200, ROOT, 7));
    assert_true(take_end(301, 200, 11));
    assert_true(take_end(200, 1, 13)); /* not ours this time */
    has_sum(12, 2);
}

static void threads_count_and_children_of_a_process_wait_for_its_last_thread(void **state)
{
    (void)state;
    assert_true(take_end(200, ROOT, 1)); /* the first thread ends before the others */
    assert_true(take_end(300, 200, 2));  /* then a child of the process */
    begin_message();
    put_task(TASKSTATS_TYPE_AGGR_PID, TASKSTATS_TYPE_PID, 201, ROOT, 4);
    put_task(TASKSTATS_TYPE_AGGR_TGID, TASKSTATS_TYPE_TGID, 200, 0, 99);
    end_message();
    assert_true(host_task_records_take(&records, message, used));
    has_sum(7, 3);
}

static void no_record_is_no_sum(void **state)
{
    struct host_task_sum sum;
    const char *why;

    (void)state;
    assert_false(host_task_records_sum(&records, ROOT, &sum, &why));
    assert_non_null(strstr(why, "no record"));
    assert_true(take_end(300, ROOT, 2));
    records.is_lost = true;
    assert_false(host_task_records_sum(&records, ROOT, &sum, &why));
    assert_non_null(strstr(why, "lost"));
}

static void damaged_messages_are_refused(void **state)
{
    size_t whole;

    (void)state;
    assert_true(take_end(300, ROOT, 2));
    whole = used;
    /* Cut off anywhere: nothing is read beyond the end (valgrind and ASan watch). */
    for (size_t bytes = 0; bytes < whole; bytes++) {
        char *cut = malloc(bytes > 0 ? bytes : 1);

        assert_non_null(cut);
        memcpy(cut, message, bytes);
        assert_false(host_task_records_take(&records, cut, bytes));
        if (bytes >= sizeof(struct nlmsghdr)) {
            const uint32_t length = (uint32_t)bytes;

            memcpy(cut, &length, sizeof(length));
            assert_false(host_task_records_take(&records, cut, bytes));
        }
        free(cut);
    }
    /* Any length in the first attribute. */
    for (uint32_t length = 0; length < 8; length++) {
        const uint16_t wrong = (uint16_t)length;

        assert_true(take_end(300, ROOT, 2));
        memcpy(message + NLMSG_LENGTH(GENL_HDRLEN), &wrong, sizeof(wrong));
        assert_false(host_task_records_take(&records, message, used));
    }
}

static void a_task_without_a_sensible_id_is_refused(void **state)
{
    (void)state;
    assert_false(take_end(0, ROOT, 2));
    assert_false(take_end(1U << 31, ROOT, 2));
    assert_false(take_end(300, 1U << 31, 2));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_records, close_records)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_ends_below_a_child_counts_when_the_child_ends),
        TEST(tasks_of_others_do_not_count),
        TEST(a_process_id_used_again_starts_anew),
        TEST(threads_count_and_children_of_a_process_wait_for_its_last_thread),
        TEST(no_record_is_no_sum),
        TEST(damaged_messages_are_refused),
        TEST(a_task_without_a_sensible_id_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
