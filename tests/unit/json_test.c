/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json_test.c - JSON files: what is read, and that every complaint names file and place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/units.h"

static struct hl_json file;
static struct hl_error err;

static struct hl_json_node parse(const char *text)
{
    hl_json_close(&file);
    assert_int_equal(hl_json_parse(&file, "f.json", text, strlen(text), &err), HL_OK);
    return hl_json_root(&file);
}

static void refuses(const char *text, const char *message)
{
    struct hl_json broken = {0};

    assert_int_equal(hl_json_parse(&broken, "f.json", text, strlen(text), &err), HL_BAD_INPUT);
    assert_string_equal(err.text, message);
    assert_null(broken.root);
}

static void syntax_errors_name_the_line(void **state)
{
    (void)state;
    refuses("{\n\"a\": 1,\n}", "f.json:3: not JSON: string or '}' expected near '}'");
    refuses("[\"a\\u0000b\"]", "f.json:1: not JSON: a NUL character in a string; expected text");
    refuses("{\"a\\u0000b\": 1}", "f.json:1: not JSON: a NUL character in a string; expected text");
    refuses("", "f.json:1: not JSON: unexpected token near end of file");
    refuses("{\"a\": 1} x", "f.json:1: not JSON: end of file expected near 'x'");
    refuses("{\"a\": 1,\n \"a\": 2}", "f.json:2: not JSON: duplicate object key near '\"a\"'");
    refuses("{\"a\": \"\xff\"}", "f.json:1: not JSON: unable to decode byte 0xff near '\"'");
}

static void typed_values_are_read(void **state)
{
    struct hl_json_node root = parse(
        "{\"i\": -7, \"d\": 0.125, \"b\": true, \"s\": \"x\", \"t\": \"5ms\", \"a\": [1, 2]}");
    struct hl_json_node node, item;
    const char *text;
    int64_t value;
    size_t count;
    bool flag;

    (void)state;
    assert_int_equal(hl_json_member(&root, "i", &node, &err), HL_OK);
    assert_int_equal(hl_json_int(&node, -7, -7, &value, &err), HL_OK);
    assert_int_equal(value, -7);
    assert_int_equal(hl_json_decimal(&node, HL_PPM, -7 * HL_PPM, 0, &value, &err), HL_OK);
    assert_int_equal(value, -7000000);
    assert_int_equal(hl_json_member(&root, "d", &node, &err), HL_OK);
    assert_int_equal(hl_json_decimal(&node, HL_PPM, 0, HL_PPM, &value, &err), HL_OK);
    assert_int_equal(value, 125000);
    assert_int_equal(hl_json_member(&root, "b", &node, &err), HL_OK);
    assert_int_equal(hl_json_bool(&node, &flag, &err), HL_OK);
    assert_true(flag);
    assert_int_equal(hl_json_member(&root, "s", &node, &err), HL_OK);
    assert_int_equal(hl_json_string(&node, 1, 1, &text, &err), HL_OK);
    assert_string_equal(text, "x");
    assert_int_equal(hl_json_member(&root, "t", &node, &err), HL_OK);
    assert_int_equal(hl_json_duration_ns(&node, 0, INT64_MAX, &value, &err), HL_OK);
    assert_int_equal(value, 5000000);
    assert_int_equal(hl_json_member(&root, "a", &node, &err), HL_OK);
    assert_int_equal(hl_json_array(&node, &count, &err), HL_OK);
    assert_int_equal(count, 2);
    item = hl_json_item(&node, 1);
    assert_int_equal(hl_json_int(&item, 0, 9, &value, &err), HL_OK);
    assert_int_equal(value, 2);
    assert_false(hl_json_has(&root, "z"));
    assert_int_equal(hl_json_member_if_any(&root, "z", &node, &err), HL_OK);
    assert_null(node.value);
}

static void wrong_values_name_file_pointer_found_and_expected(void **state)
{
    struct hl_json_node root =
        parse("{\"m\": [{\"a/b~c\": 2.5}, \"text\", 1e300], \"t\": \"5 ms\"}");
    struct hl_json_node list, item, value;
    const char *text;
    double real;
    int64_t read;
    bool flag;

    (void)state;
    assert_int_equal(hl_json_member(&root, "m", &list, &err), HL_OK);
    item = hl_json_item(&list, 0);
    assert_int_equal(hl_json_member(&item, "a/b~c", &value, &err), HL_OK);
    assert_int_equal(hl_json_int(&value, 1, 4, &read, &err), HL_BAD_INPUT);
    assert_string_equal(err.text,
                        "f.json: /m/0/a~1b~0c: found 2.5, expected a whole number from 1 to 4");
    assert_int_equal(hl_json_decimal(&value, HL_PPM, 0, HL_PPM, &read, &err), HL_BAD_INPUT);
    assert_string_equal(err.text, "f.json: /m/0/a~1b~0c: found 2.5, expected a number from 0 to 1");
    assert_int_equal(hl_json_string(&value, 1, 9, &text, &err), HL_BAD_INPUT);
    assert_string_equal(err.text,
                        "f.json: /m/0/a~1b~0c: found 2.5, expected a string of 1 to 9 bytes");
    assert_int_equal(hl_json_bool(&item, &flag, &err), HL_BAD_INPUT);
    assert_string_equal(err.text, "f.json: /m/0: found an object, expected true or false");
    assert_int_equal(hl_json_member(&item, "zz", &value, &err), HL_BAD_INPUT);
    assert_string_equal(err.text, "f.json: /m/0: the key \"zz\" is missing");
    item = hl_json_item(&list, 1);
    assert_int_equal(hl_json_double(&item, &real, &err), HL_BAD_INPUT);
    assert_string_equal(err.text, "f.json: /m/1: found \"text\", expected a number");
    assert_int_equal(hl_json_member(&item, "x", &value, &err), HL_BAD_INPUT);
    assert_string_equal(err.text, "f.json: /m/1: found \"text\", expected an object");
    item = hl_json_item(&list, 2);
    assert_int_equal(hl_json_decimal(&item, HL_PPM, 0, INT64_MAX, &read, &err), HL_BAD_INPUT);
    assert_int_equal(hl_json_member(&root, "t", &value, &err), HL_OK);
    assert_int_equal(hl_json_duration_ns(&value, 0, 9, &read, &err), HL_BAD_INPUT);
    assert_string_equal(err.text,
                        "f.json: /t: found \"5 ms\", expected whole ns or a duration like \"5ms\", "
                        "from 0 to 9 ns");
    root = parse("3");
    assert_int_equal(hl_json_member(&root, "x", &value, &err), HL_BAD_INPUT);
    assert_string_equal(err.text, "f.json: top level: found 3, expected an object");
}

static void unknown_keys_are_refused_with_a_near_one(void **state)
{
    static const char *const known[] = {"topology", "constants"};
    struct hl_json_node root = parse("{\"topology\": 1, \"constant\": 2}");

    (void)state;
    assert_int_equal(hl_json_check_keys(&root, known, 2, &err), HL_BAD_INPUT);
    assert_string_equal(err.text,
                        "f.json: top level: unknown key \"constant\"; did you mean \"constants\"? "
                        "known: topology, constants");
    assert_int_equal(hl_json_check_keys(&root, known, 1, &err), HL_BAD_INPUT);
    root = parse("{\"topology\": 1}");
    assert_int_equal(hl_json_check_keys(&root, known, 2, &err), HL_OK);
}

static void members_come_in_the_order_of_the_file(void **state)
{
    struct hl_json_node root = parse("{\"z\": 1, \"a\": 2, \"m\": 3}"), member;
    void *iterator = NULL;
    char order[4] = "";
    int count = 0;

    (void)state;
    while (hl_json_next_member(&root, &iterator, &member))
        order[count++] = member.key[0];
    assert_int_equal(count, 3);
    assert_string_equal(order, "zam");
}

static void a_very_long_way_is_cut_at_its_start(void **state)
{
    char text[1200] = "";
    struct hl_json_node nodes[60];
    int64_t value;

    (void)state;
    for (int i = 0; i < 50; i++)
        strcat(text, "{\"eightkey\":");
    strcat(text, "true");
    for (int i = 0; i < 50; i++)
        strcat(text, "}");
    nodes[0] = parse(text);
    for (int i = 0; i < 50; i++)
        assert_int_equal(hl_json_member(&nodes[i], "eightkey", &nodes[i + 1], &err), HL_OK);
    assert_int_equal(hl_json_int(&nodes[50], 0, 1, &value, &err), HL_BAD_INPUT);
    assert_non_null(strstr(err.text, "f.json: ..."));
    assert_non_null(
        strstr(err.text, "/eightkey/eightkey: found true, expected a whole number from 0 to 1"));
}

static void every_failing_allocation_is_a_status(void **state)
{
    static const char text[] = "{\"a\": [1, 2.5, \"x\", {\"b\": null}], \"c\": {\"d\": true}}";

    (void)state;
    hl_json_close(&file);
    for (uint64_t n = 1; n < 1000; n++) {
        enum hl_status status;

        hl_alloc_fail_at(n);
        status = hl_json_parse(&file, "f.json", text, sizeof(text) - 1, &err);
        hl_alloc_fail_at(0);
        if (status == HL_OK) {
            assert_true(n > 10);
            return;
        }
        assert_int_equal(status, HL_NO_MEMORY);
        assert_null(file.root);
    }
    fail();
}

static void text_of_any_bytes_comes_back(void **state)
{
    static const char *const texts[] = {"",        "plain",        "caf\xc3\xa9",
                                        "caf\xe9", "\xff\x80\xc3", "\x7f\xc3("};

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        json_t *value = hl_json_from_bytes(texts[i]);
        char *dumped = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT), wrapped[200], *back;
        struct hl_json_node root, node;

        (void)snprintf(wrapped, sizeof(wrapped), "{\"a\":%s}", dumped);
        root = parse(wrapped);
        assert_int_equal(hl_json_member(&root, "a", &node, &err), HL_OK);
        assert_int_equal(hl_json_bytes(&node, &back, &err), HL_OK);
        assert_string_equal(back, texts[i]);
        hl_free(back);
        hl_free(dumped);
        json_decref(value);
    }
}

static void bytes_that_are_none_are_refused(void **state)
{
    static const char *const texts[] = {"{\"a\":{\"latin1\":\"\\u0100\"}}",
                                        "{\"a\":{\"latin1\":\"\\u20ac\"}}", "{\"a\":7}",
                                        "{\"a\":{\"utf8\":\"x\"}}"};

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct hl_json_node root = parse(texts[i]), node;
        char *text;

        assert_int_equal(hl_json_member(&root, "a", &node, &err), HL_OK);
        assert_int_equal(hl_json_bytes(&node, &text, &err), HL_BAD_INPUT);
        assert_null(text);
        assert_non_null(strstr(err.text, "f.json: /a"));
    }
}

static int close_file(void **state)
{
    (void)state;
    hl_json_close(&file);
    hl_json_close(&file);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(syntax_errors_name_the_line),
        cmocka_unit_test(typed_values_are_read),
        cmocka_unit_test(wrong_values_name_file_pointer_found_and_expected),
        cmocka_unit_test(unknown_keys_are_refused_with_a_near_one),
        cmocka_unit_test(members_come_in_the_order_of_the_file),
        cmocka_unit_test(a_very_long_way_is_cut_at_its_start),
        cmocka_unit_test(text_of_any_bytes_comes_back),
        cmocka_unit_test(bytes_that_are_none_are_refused),
        cmocka_unit_test(every_failing_allocation_is_a_status),
    };

    return cmocka_run_group_tests(tests, NULL, close_file);
}
