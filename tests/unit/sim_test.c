/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sim_test.c - the engine under the smallest policies that can be written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/interrupt.h"
#include "base/units.h"
#include "sim/sim.h"

/* ---- a policy: one list for all cpus; the running task stays first in line for its cpu ---- */

struct line {
    struct hl_list ready;
};

static void line_enqueue(struct policy *p, struct policy_task *t, int cpu,
                         const struct policy_wakeup *w)
{
    struct line *line = policy_data(p);

    (void)cpu;
    (void)w;
    hl_list_push_back(&line->ready, &t->link);
    for (int c = 0; c < policy_cpu_count(p); c++)
        if (policy_running(p, c) == NULL && policy_allowed(t, c)) {
            policy_kick(p, c);
            return;
        }
}

static void line_dequeue(struct policy *p, struct policy_task *t, int cpu, enum policy_why why,
                         enum policy_wait wait)
{
    struct line *line = policy_data(p);

    (void)cpu;
    (void)why;
    (void)wait;
    if (t->on_cpu == POLICY_NO_CPU)
        hl_list_remove(&line->ready, &t->link);
}

static struct policy_task *line_pick(struct policy *p, int cpu, struct policy_task *prev)
{
    struct line *line = policy_data(p);

    if (prev != NULL)
        return prev;
    for (struct hl_link *link = line->ready.first; link != NULL; link = link->next) {
        struct policy_task *t = HL_LIST_ENTRY(link, struct policy_task, link);

        if (policy_allowed(t, cpu)) {
            hl_list_remove(&line->ready, link);
            return t;
        }
    }
    return NULL;
}

static const struct policy_ops line_ops = {
    .name = "line",
    .policy_bytes = sizeof(struct line),
    .enqueue = line_enqueue,
    .dequeue = line_dequeue,
    .pick = line_pick,
};

static struct policy_task *first_seen;

static struct policy_task *liar_pick(struct policy *p, int cpu, struct policy_task *prev)
{
    struct policy_task *t = line_pick(p, cpu, prev);

    if (first_seen == NULL)
        first_seen = t;
    return cpu == 0 ? t : first_seen; /* also while it runs on cpu 0 */
}

/* ---- scenes ---- */

struct scene {
    struct machine machine;
    struct workload workload;
    struct policy_spec policy;
    struct sim_options options;
    struct sim_result result;
    struct hl_error err;
};

/* A machine on which nothing costs anything. */
static void set(struct scene *scene, const char *topology)
{
    memset(scene, 0, sizeof(*scene));
    assert_int_equal(machine_open(&scene->machine, topology, &scene->err), HL_OK);
    for (int i = 0; i < MACHINE_CONSTANT_COUNT; i++)
        if (strcmp(machine_constant_table[i].unit, "ns") == 0)
            scene->machine.constant[i] = 0;
    scene->machine.constant[MACHINE_smt_cost] = 0;
    scene->machine.constant[MACHINE_smt_gain] = 200000;
    scene->policy.ops = &line_ops;
    scene->options = (struct sim_options){.machine = &scene->machine,
                                          .policy = &scene->policy,
                                          .workload = &scene->workload,
                                          .seed = 1,
                                          .check_each_event = true};
}

static int32_t program(struct scene *scene, const char *name)
{
    int32_t index;

    assert_int_equal(workload_program(&scene->workload, name, &index, &scene->err), HL_OK);
    return index;
}

static void step(struct scene *scene, enum program_op op, int32_t target, int64_t amount)
{
    struct program_step s = {.op = (uint8_t)op, .target = target, .amount = amount};

    assert_int_equal(workload_step(&scene->workload, &s, &scene->err), HL_OK);
}

static void task(struct scene *scene, int32_t index, int64_t at_ns)
{
    struct workload_task t = {.program = index, .at_ns = at_ns, .cpu_set = -1, .start_cpu = -1};

    assert_int_equal(workload_add_task(&scene->workload, &t, &scene->err), HL_OK);
}

static void add_job(struct scene *scene, int64_t at_ns, int64_t run_ns)
{
    int32_t index = program(scene, "job");

    step(scene, OP_RUN, 0, run_ns);
    step(scene, OP_EXIT, 0, 0);
    task(scene, index, at_ns);
}

static void play(struct scene *scene)
{
    enum hl_status status;

    scene->workload.live_task_max = 64;
    status = sim_run(&scene->options, &scene->result, &scene->err);
    if (status != HL_OK)
        print_error("%s\n", scene->err.text);
    assert_int_equal(status, HL_OK);
}

static void done(struct scene *scene)
{
    workload_close(&scene->workload);
    machine_close(&scene->machine);
}

/* ---- tests ---- */

static void a_job_takes_its_time(void **state)
{
    struct scene scene;

    (void)state;
    set(&scene, "pack:1 core:1 pu:1");
    add_job(&scene, 0, 5 * HL_NS_PER_MS);
    add_job(&scene, 2 * HL_NS_PER_MS, HL_NS_PER_MS);
    play(&scene);
    assert_int_equal(scene.result.elapsed_ns, 6 * HL_NS_PER_MS);
    /* The second waits from 2 to 5 ms. */
    assert_float_equal(scene.result.run.metric[RUN_run_delay_task_s], 0.003, 1e-12);
    assert_float_equal(scene.result.run.metric[RUN_user_s], 0.006, 1e-12);
    done(&scene);
}

static void marks_tell_moments_and_change_nothing(void **state)
{
    struct sim_mark marks[3];
    struct scene scene;
    uint64_t hash;

    (void)state;
    set(&scene, "pack:2 core:1 pu:1");
    scene.machine.constant[MACHINE_syscall_cost_ns] = 1000;
    scene.workload.mark_count = 3;
    task(&scene, program(&scene, "marked"), 0);
    step(&scene, OP_MARK, 0, 0);
    step(&scene, OP_RUN, 0, 5 * HL_NS_PER_MS);
    step(&scene, OP_MARK, 1, 0);
    step(&scene, OP_SYSTEM, 0, 2 * HL_NS_PER_MS);
    step(&scene, OP_EXIT, 0, 0);
    add_job(&scene, HL_NS_PER_MS, 10 * HL_NS_PER_MS);
    scene.options.marks = marks;
    play(&scene);
    assert_int_equal(marks[0].at_ns, 0);
    assert_int_equal(marks[0].busy_ns, 0);
    assert_int_equal(marks[1].at_ns, 5 * HL_NS_PER_MS);
    assert_int_equal(marks[1].busy_ns, 9 * HL_NS_PER_MS); /* the job's 1 to 5 ms too */
    assert_int_equal(marks[2].at_ns, -1);
    hash = scene.result.event_hash;
    scene.options.marks = NULL;
    play(&scene);
    assert_true(scene.result.event_hash == hash);
    done(&scene);
}

static void siblings_share_a_core(void **state)
{
    struct scene scene;

    (void)state;
    set(&scene, "pack:2 core:1 pu:2");
    add_job(&scene, 0, 6 * HL_NS_PER_MS);
    add_job(&scene, 0, 12 * HL_NS_PER_MS);
    play(&scene);
    /* g = 0.2: each runs at 0.6; the first ends at 10 ms, when the second has 6 ms left. */
    assert_in_range(scene.result.elapsed_ns, 16 * HL_NS_PER_MS, 16 * HL_NS_PER_MS + 400);
    /* Both threads of core 0 busy while core 1 is idle for 10 ms. */
    assert_float_equal(scene.result.run.metric[RUN_crowded_core_s], 0.010, 1e-6);
    assert_float_equal(scene.result.run.metric[RUN_shared_cpu_s], 0.020, 1e-6);
    assert_float_equal(scene.result.run.metric[RUN_wasted_cpu_s], 0, 0);
    done(&scene);
}

/* One ns after the last one, so that the line has told a cpu of its own about each. */
static void add_kind(struct scene *scene, enum machine_kind kind, int64_t run_ns)
{
    struct program_step run = {.op = OP_RUN, .kind = (uint16_t)kind, .amount = run_ns};
    int32_t index = program(scene, "job");

    assert_int_equal(workload_step(&scene->workload, &run, &scene->err), HL_OK);
    step(scene, OP_EXIT, 0, 0);
    task(scene, index, (int64_t)scene->workload.task_count);
}

static void what_a_sibling_adds_depends_on_the_kind_of_work(void **state)
{
    struct scene scene;

    (void)state;
    set(&scene, "pack:1 core:1 pu:2");
    assert_int_equal(machine_set(&scene.machine, "smt_gain.float=-0.2", &scene.err), HL_OK);
    add_kind(&scene, MACHINE_KIND_usual, 6 * HL_NS_PER_MS);
    add_kind(&scene, MACHINE_KIND_float, 8 * HL_NS_PER_MS);
    play(&scene);
    /* 0.6 and 0.4: the first ends at 10 ms, when the other has 4 ms left. */
    assert_in_range(scene.result.elapsed_ns, 14 * HL_NS_PER_MS, 14 * HL_NS_PER_MS + 1000);
    done(&scene);
}

static void a_package_shares_its_memory(void **state)
{
    struct scene scene;

    (void)state;
    set(&scene, "pack:1 core:3 pu:1");
    assert_int_equal(machine_set(&scene.machine, "memory_streams=1", &scene.err), HL_OK);
    add_kind(&scene, MACHINE_KIND_memory, 2 * HL_NS_PER_MS);
    add_kind(&scene, MACHINE_KIND_memory, 3 * HL_NS_PER_MS);
    add_kind(&scene, MACHINE_KIND_usual, 4 * HL_NS_PER_MS);
    play(&scene);
    /* Halves until 4 ms, then the second runs alone for its last ms; the third is not slowed. */
    assert_in_range(scene.result.elapsed_ns, 5 * HL_NS_PER_MS, 5 * HL_NS_PER_MS + 1000);
    assert_float_equal(scene.result.run.metric[RUN_user_s], 0.013, 1e-6);
    done(&scene);
}

static void cutting_a_step_changes_nothing(void **state)
{
    uint64_t hash[2];
    double elapsed[2];

    (void)state;
    for (int cut = 0; cut < 2; cut++) {
        struct scene scene;
        int32_t index;

        set(&scene, "pack:1 core:1 pu:2");
        scene.machine.constant[MACHINE_switch_cost_ns] = 3333;
        add_job(&scene, 1234567, 9999999);
        index = program(&scene, "cut");
        step(&scene, OP_RUN, 0, cut ? 777777 : 7777777);
        if (cut)
            step(&scene, OP_RUN, 0, 7000000);
        step(&scene, OP_EXIT, 0, 0);
        task(&scene, index, 0);
        play(&scene);
        hash[cut] = scene.result.event_hash;
        elapsed[cut] = scene.result.run.metric[RUN_elapsed_s];
        done(&scene);
    }
    assert_true(hash[0] == hash[1]);
    assert_true(elapsed[0] == elapsed[1]);
}

static void a_tree_of_processes_ends_when_the_last_is_reaped(void **state)
{
    struct scene scene;
    int32_t child, parent;

    (void)state;
    set(&scene, "pack:2 core:1 pu:1");
    child = program(&scene, "child");
    step(&scene, OP_RUN, 0, 3 * HL_NS_PER_MS);
    step(&scene, OP_EXIT, 0, 0);
    parent = program(&scene, "parent");
    step(&scene, OP_FORK, child, 0);
    step(&scene, OP_FORK, child, 0);
    step(&scene, OP_RUN, 0, HL_NS_PER_MS);
    step(&scene, OP_WAIT, 0, INT64_MAX);
    step(&scene, OP_EXIT, 0, 0);
    task(&scene, parent, 0);
    play(&scene);
    /* cpu 0: parent 1 ms, second child 3 ms; cpu 1: first child 3 ms. */
    assert_int_equal(scene.result.elapsed_ns, 4 * HL_NS_PER_MS);
    assert_float_equal(scene.result.run.metric[RUN_tasks], 3, 0);
    done(&scene);
}

static void vfork_blocks_the_parent_until_exec(void **state)
{
    struct scene scene;
    int32_t child, parent;

    (void)state;
    set(&scene, "pack:2 core:1 pu:1");
    child = program(&scene, "child");
    step(&scene, OP_RUN, 0, 2 * HL_NS_PER_MS);
    step(&scene, OP_EXEC, -1, 0);
    step(&scene, OP_RUN, 0, 5 * HL_NS_PER_MS);
    step(&scene, OP_EXIT, 0, 0);
    parent = program(&scene, "parent");
    step(&scene, OP_VFORK, child, 0);
    step(&scene, OP_RUN, 0, 9 * HL_NS_PER_MS);
    step(&scene, OP_WAIT, 0, INT64_MAX);
    step(&scene, OP_EXIT, 0, 0);
    task(&scene, parent, 0);
    play(&scene);
    assert_int_equal(scene.result.elapsed_ns, 11 * HL_NS_PER_MS);
    done(&scene);
}

/* A child that runs `child_ns` before its exec and 5 ms after; the parent goes on for 2 ms of the vfork. */
static void vfork_with_a_tail(struct scene *scene, const char *topology, int64_t child_ns)
{
    int32_t child, parent;

    set(scene, topology);
    child = program(scene, "child");
    step(scene, OP_RUN, 0, child_ns);
    step(scene, OP_EXEC, -1, 0);
    step(scene, OP_RUN, 0, 5 * HL_NS_PER_MS);
    step(scene, OP_EXIT, 0, 0);
    parent = program(scene, "parent");
    step(scene, OP_VFORK, child, 2 * HL_NS_PER_MS);
    step(scene, OP_RUN, 0, 9 * HL_NS_PER_MS);
    step(scene, OP_WAIT, 0, INT64_MAX);
    step(scene, OP_EXIT, 0, 0);
    task(scene, parent, 0);
    play(scene);
}

static void vfork_goes_on_for_its_tail_before_it_blocks(void **state)
{
    struct scene scene;

    (void)state;
    /* The child waits for the tail: 2 + 3 to the exec + 9, as the parent may go on elsewhere. */
    vfork_with_a_tail(&scene, "pack:1 core:1 pu:1", 3 * HL_NS_PER_MS);
    assert_int_equal(scene.result.elapsed_ns, (2 + 3 + 5 + 9) * HL_NS_PER_MS);
    assert_float_equal(scene.result.run.metric[RUN_system_s], 0.002, 1e-9);
    done(&scene);
    /* Beside the child: blocked from 2 to 3 ms. */
    vfork_with_a_tail(&scene, "pack:2 core:1 pu:1", 3 * HL_NS_PER_MS);
    assert_int_equal(scene.result.elapsed_ns, (3 + 9) * HL_NS_PER_MS);
    assert_float_equal(scene.result.run.metric[RUN_voluntary_switches], 3, 0);
    done(&scene);
}

static void vfork_does_not_block_if_the_exec_is_in_its_tail(void **state)
{
    struct scene scene;

    (void)state;
    vfork_with_a_tail(&scene, "pack:2 core:1 pu:1", 1 * HL_NS_PER_MS);
    assert_int_equal(scene.result.elapsed_ns, (2 + 9) * HL_NS_PER_MS);
    assert_float_equal(scene.result.run.metric[RUN_voluntary_switches], 2, 0); /* both exits */
    done(&scene);
}

static void a_parent_killed_in_the_tail_of_a_vfork_leaves_its_child(void **state)
{
    struct scene scene;
    int32_t child, parent, killer;

    (void)state;
    set(&scene, "pack:3 core:1 pu:1");
    child = program(&scene, "child");
    step(&scene, OP_RUN, 0, 5 * HL_NS_PER_MS);
    step(&scene, OP_EXEC, -1, 0);
    step(&scene, OP_EXIT, 0, 0);
    parent = program(&scene, "parent");
    step(&scene, OP_VFORK, child, 2 * HL_NS_PER_MS);
    step(&scene, OP_RUN, 0, 9 * HL_NS_PER_MS);
    step(&scene, OP_EXIT, 0, 0);
    task(&scene, parent, 0);
    killer = program(&scene, "killer");
    step(&scene, OP_RUN, 0, HL_NS_PER_MS);
    step(&scene, OP_KILL, 0, 0);
    step(&scene, OP_EXIT, 0, 0);
    task(&scene, killer, 0);
    play(&scene);
    assert_int_equal(scene.result.elapsed_ns, 5 * HL_NS_PER_MS);
    done(&scene);
}

static void pipes_carry_bytes_and_end(void **state)
{
    struct scene scene;
    int32_t reader, writer;

    (void)state;
    set(&scene, "pack:2 core:1 pu:1");
    assert_int_equal(hl_grow(&scene.workload.pipes, &scene.workload.pipe_capacity, 1,
                             sizeof(*scene.workload.pipes), &scene.err),
                     HL_OK);
    scene.workload.pipes[0] = (struct workload_pipe){.capacity_bytes = 100};
    scene.workload.pipe_count = 1;
    reader = program(&scene, "reader");
    step(&scene, OP_RUN, 0, HL_NS_PER_MS); /* the writer fills the pipe meanwhile and blocks */
    step(&scene, OP_READ, 0, 250);
    step(&scene, OP_READ, 0, 1); /* end of file */
    step(&scene, OP_RUN, 0, HL_NS_PER_MS);
    step(&scene, OP_EXIT, 0, 0);
    writer = program(&scene, "writer");
    step(&scene, OP_WRITE, 0, 250);
    step(&scene, OP_RUN, 0, 5 * HL_NS_PER_MS);
    step(&scene, OP_EXIT, 0, 0);
    task(&scene, reader, 0);
    task(&scene, writer, 0);
    play(&scene);
    /* The writer is through at 1 ms, exits at 6; the reader meets the end then and runs 1 ms more. */
    assert_int_equal(scene.result.elapsed_ns, 7 * HL_NS_PER_MS);
    done(&scene);
}

static void two_readers_share_what_one_write_brings(void **state)
{
    struct scene scene;
    int32_t reader, writer;

    (void)state;
    set(&scene, "pack:3 core:1 pu:1");
    assert_int_equal(hl_grow(&scene.workload.pipes, &scene.workload.pipe_capacity, 1,
                             sizeof(*scene.workload.pipes), &scene.err),
                     HL_OK);
    scene.workload.pipes[0] = (struct workload_pipe){.capacity_bytes = 200};
    scene.workload.pipe_count = 1;
    reader = program(&scene, "reader");
    step(&scene, OP_READ, 0, 100);
    step(&scene, OP_RUN, 0, HL_NS_PER_MS);
    step(&scene, OP_EXIT, 0, 0);
    writer = program(&scene, "writer");
    step(&scene, OP_RUN, 0, HL_NS_PER_MS);
    step(&scene, OP_WRITE, 0, 200);
    step(&scene, OP_RUN, 0, 9 * HL_NS_PER_MS);
    step(&scene, OP_EXIT, 0, 0);
    task(&scene, reader, 0);
    task(&scene, reader, 1);
    task(&scene, writer, 2);
    play(&scene);
    /* Both run from 1 to 2 ms beside the writer, not the second when the writer ends. */
    assert_float_equal(scene.result.run.metric[RUN_elapsed_s], 0.010000002, 1e-9);
    done(&scene);
}

static void slots_bound_the_children_at_one_time(void **state)
{
    struct scene scene;
    int32_t child, parent;

    (void)state;
    set(&scene, "pack:4 core:1 pu:1");
    assert_int_equal(hl_grow(&scene.workload.slots, &scene.workload.slot_capacity, 1,
                             sizeof(*scene.workload.slots), &scene.err),
                     HL_OK);
    scene.workload.slots[0].count = 2;
    scene.workload.slot_count = 1;
    child = program(&scene, "cc1");
    step(&scene, OP_RUN, 0, HL_NS_PER_MS);
    step(&scene, OP_EXIT, 0, 0);
    parent = program(&scene, "make");
    step(&scene, OP_SLOT, 0, 0);
    step(&scene, OP_FORK, child, 0);
    step(&scene, OP_LOOP, 0, 6);
    step(&scene, OP_WAIT, 0, INT64_MAX);
    step(&scene, OP_EXIT, 0, 0);
    task(&scene, parent, 0);
    play(&scene);
    assert_float_equal(scene.result.run.metric[RUN_peak_compilers], 2, 0);
    assert_int_equal(scene.result.elapsed_ns, 3 * HL_NS_PER_MS);
    done(&scene);
}

static void an_impossible_pick_ends_the_run(void **state)
{
    struct scene scene;
    struct policy_ops liar = line_ops;

    (void)state;
    set(&scene, "pack:2 core:1 pu:1");
    liar.name = "liar";
    liar.pick = liar_pick;
    scene.policy.ops = &liar;
    first_seen = NULL;
    add_job(&scene, 0, HL_NS_PER_MS);
    add_job(&scene, HL_NS_PER_MS / 2, HL_NS_PER_MS);
    scene.workload.live_task_max = 8;
    assert_int_equal(sim_run(&scene.options, &scene.result, &scene.err), HL_BAD_POLICY);
    assert_string_equal(scene.err.text,
                        "liar picked task 0 for cpu 1 at 500000 ns: it is running on another cpu");
    done(&scene);
}

static void a_wait_that_nothing_can_end_is_reported(void **state)
{
    struct scene scene;
    int32_t index;

    (void)state;
    set(&scene, "pack:1 core:1 pu:1");
    index = program(&scene, "hermit");
    scene.workload.pipe_count = 1;
    scene.workload.pipes = hl_alloc(1, sizeof(*scene.workload.pipes));
    scene.workload.pipes[0].capacity_bytes = 1;
    step(&scene, OP_RUN, 0, 10);
    step(&scene, OP_READ, 0, 1);
    step(&scene, OP_EXIT, 0, 0);
    task(&scene, index, 0);
    task(&scene, index, 5);
    scene.workload.live_task_max = 8;
    /* It can begin: only who plays it learns that it has no end. */
    assert_int_equal(sim_try(&scene.options, &scene.err), HL_OK);
    assert_int_equal(sim_run(&scene.options, &scene.result, &scene.err), HL_BAD_INPUT);
    assert_string_equal(
        scene.err.text,
        "workload: step 2 of program 'hermit': task 'hermit' waits for ever in read: "
        "nobody is left who could end it; 2 tasks of the run have not ended; "
        "tasks: hermit is in read, hermit is in read; cpus: 0 idle");
    done(&scene);
}

static void a_lock_is_taken_and_given_back_once(void **state)
{
    static const struct {
        enum program_op first, second;
        const char *message;
    } cases[] = {
        {OP_LOCK, OP_LOCK, "step 2 of program 'p': task 'p' locks what it holds already"},
        {OP_UNLOCK, OP_LOCK, "step 1 of program 'p': task 'p' unlocks what it does not hold"},
        {OP_LOCK, OP_YIELD, "step 3 of program 'p': task 'p' ends while it holds a lock"},
        {OP_LOCK, OP_UNLOCK, NULL},
    };

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(cases); i++) {
        struct scene scene;

        set(&scene, "pack:1 core:1 pu:1");
        task(&scene, program(&scene, "p"), 0);
        scene.workload.lock_count = 1;
        step(&scene, cases[i].first, 0, 0);
        step(&scene, cases[i].second, 0, 0);
        step(&scene, OP_EXIT, 0, 0);
        scene.workload.live_task_max = 8;
        assert_int_equal(sim_run(&scene.options, &scene.result, &scene.err),
                         cases[i].message == NULL ? HL_OK : HL_BAD_INPUT);
        if (cases[i].message != NULL)
            assert_non_null(strstr(scene.err.text, cases[i].message));
        done(&scene);
    }
}

static void a_run_ends_when_interrupted(void **state)
{
    struct scene scene;

    (void)state;
    set(&scene, "pack:1 core:1 pu:1");
    task(&scene, program(&scene, "long"), 0);
    step(&scene, OP_RUN, 0, 1);
    step(&scene, OP_SYSTEM, 0, 1);
    step(&scene, OP_LOOP, 0, INT64_C(1) << 40);
    step(&scene, OP_EXIT, 0, 0);
    scene.workload.live_task_max = 8;
    hl_interrupt_set(true);
    assert_int_equal(sim_run(&scene.options, &scene.result, &scene.err), HL_INTERRUPTED);
    hl_interrupt_set(false);
    done(&scene);
}

/* More requests in one moment than there are cpus: each cpu is listed once. */
static void yields_without_cost_pile_up_nowhere(void **state)
{
    struct scene scene;
    int32_t index;

    (void)state;
    set(&scene, "pack:1 core:1 pu:1");
    index = program(&scene, "yielder");
    step(&scene, OP_YIELD, 0, 0);
    step(&scene, OP_LOOP, 0, 5000);
    step(&scene, OP_RUN, 0, HL_NS_PER_MS);
    step(&scene, OP_EXIT, 0, 0);
    task(&scene, index, 0);
    task(&scene, index, 0);
    play(&scene);
    assert_int_equal(scene.result.elapsed_ns, 2 * HL_NS_PER_MS);
    done(&scene);
}

static void the_run_waits_for_tasks_that_come_late(void **state)
{
    struct scene scene;

    (void)state;
    set(&scene, "pack:1 core:1 pu:1");
    add_job(&scene, 0, HL_NS_PER_MS);
    add_job(&scene, 5 * HL_NS_PER_MS, HL_NS_PER_MS);
    play(&scene);
    assert_int_equal(scene.result.elapsed_ns, 6 * HL_NS_PER_MS);
    done(&scene);
}

static void the_event_loop_allocates_nothing(void **state)
{
    uint64_t allocations[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct scene scene;
        int32_t index;
        uint64_t before;

        set(&scene, "pack:2 core:1 pu:2");
        index = program(&scene, "job");
        step(&scene, OP_RUN, 0, HL_NS_PER_US);
        step(&scene, OP_SLEEP, 0, HL_NS_PER_US);
        step(&scene, OP_LOOP, 0, i == 0 ? 10 : 10000);
        step(&scene, OP_EXIT, 0, 0);
        for (int k = 0; k < 6; k++)
            task(&scene, index, k);
        before = hl_alloc_count();
        play(&scene);
        allocations[i] = hl_alloc_count() - before;
        done(&scene);
    }
    assert_int_equal(allocations[0], allocations[1]);
}

/* Every allocation of a run fails once; each time a status comes and nothing is left behind. */
static void every_failing_allocation_of_a_run_is_a_status(void **state)
{
    enum hl_status status = HL_NO_MEMORY;
    int failures = 0;

    (void)state;
    for (uint64_t n = 1; status != HL_OK; n++) {
        struct scene scene;

        set(&scene, "pack:2 core:1 pu:2");
        add_job(&scene, 0, HL_NS_PER_MS);
        add_job(&scene, 5, HL_NS_PER_MS);
        scene.workload.live_task_max = 4096; /* more than one block of the arena */
        hl_alloc_fail_at(n);
        status = sim_run(&scene.options, &scene.result, &scene.err);
        hl_alloc_fail_at(0);
        if (status != HL_OK) {
            assert_int_equal(status, HL_NO_MEMORY);
            failures++;
        }
        done(&scene);
        assert_true(n < 1000);
    }
    assert_true(failures >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_takes_its_time),
        cmocka_unit_test(marks_tell_moments_and_change_nothing),
        cmocka_unit_test(siblings_share_a_core),
        cmocka_unit_test(what_a_sibling_adds_depends_on_the_kind_of_work),
        cmocka_unit_test(a_package_shares_its_memory),
        cmocka_unit_test(cutting_a_step_changes_nothing),
        cmocka_unit_test(a_tree_of_processes_ends_when_the_last_is_reaped),
        cmocka_unit_test(vfork_blocks_the_parent_until_exec),
        cmocka_unit_test(vfork_goes_on_for_its_tail_before_it_blocks),
        cmocka_unit_test(vfork_does_not_block_if_the_exec_is_in_its_tail),
        cmocka_unit_test(a_parent_killed_in_the_tail_of_a_vfork_leaves_its_child),
        cmocka_unit_test(pipes_carry_bytes_and_end),
        cmocka_unit_test(two_readers_share_what_one_write_brings),
        cmocka_unit_test(slots_bound_the_children_at_one_time),
        cmocka_unit_test(an_impossible_pick_ends_the_run),
        cmocka_unit_test(a_wait_that_nothing_can_end_is_reported),
        cmocka_unit_test(yields_without_cost_pile_up_nowhere),
        cmocka_unit_test(the_run_waits_for_tasks_that_come_late),
        cmocka_unit_test(a_lock_is_taken_and_given_back_once),
        cmocka_unit_test(a_run_ends_when_interrupted),
        cmocka_unit_test(the_event_loop_allocates_nothing),
        cmocka_unit_test(every_failing_allocation_of_a_run_is_a_status),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
