/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base_test.c - lists, arenas, statuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/list.h"
#include "base/memory.h"

static void failing_the_nth_allocation_is_a_status(void **state)
{
    size_t capacity = 0;
    int *items = NULL;
    struct hl_error err;

    (void)state;
    hl_alloc_fail_at(1);
    assert_int_equal(hl_grow(&items, &capacity, 1, sizeof(*items), &err), HL_NO_MEMORY);
    assert_null(items);
    assert_int_equal(hl_grow(&items, &capacity, 1, sizeof(*items), &err), HL_OK);
    assert_true(capacity >= 1);
    hl_free(items);
}

static void arena_pieces_are_zeroed_and_aligned(void **state)
{
    struct hl_arena arena = {0};

    (void)state;
    for (int i = 1; i < 3000; i++) {
        unsigned char *piece = hl_arena_alloc(&arena, (size_t)i, 3);

        assert_non_null(piece);
        assert_int_equal((uintptr_t)piece % 64, 0);
        for (int k = 0; k < i * 3; k++)
            assert_int_equal(piece[k], 0);
        piece[0] = piece[i * 3 - 1] = 1;
    }
    hl_arena_close(&arena);
    hl_arena_close(&arena);
}

static void a_list_keeps_order(void **state)
{
    struct hl_list list = {0};
    struct hl_link a = {0}, b = {0}, c = {0};

    (void)state;
    hl_list_push_back(&list, &b);
    hl_list_push_front(&list, &a);
    hl_list_push_back(&list, &c);
    hl_list_remove(&list, &b);
    assert_ptr_equal(list.first, &a);
    assert_ptr_equal(a.next, &c);
    hl_list_insert_before(&list, &c, &b);
    assert_ptr_equal(a.next, &b);
    hl_list_remove(&list, &a);
    hl_list_remove(&list, &c);
    hl_list_remove(&list, &b);
    assert_true(hl_list_is_empty(&list));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failing_the_nth_allocation_is_a_status),
        cmocka_unit_test(arena_pieces_are_zeroed_and_aligned),
        cmocka_unit_test(a_list_keeps_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
