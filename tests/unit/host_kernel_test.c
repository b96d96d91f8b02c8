/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_kernel_test.c - kernel trees: O= folders and configurations, with a stand-in for kbuild. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "host/host.h"
#include "host_fixture.h"

static char plain_work[PATH_MAX / 4];

/* Refuses what kbuild refuses, writes only below O=, and builds a file from the configuration. */
static const char stand_in[] =
    "KERNELRELEASE = 6.1\n"
    "ifneq ($(MAKECMDGOALS),mrproper)\nifeq ($(O),)\n$(error built in place)\nendif\nendif\n"
    "vmlinux:\n"
    "\t@! test -e .config || { echo 'error: The source tree is not clean'; exit 1; }\n"
    "\t@! test -e scripts/tool.o || { echo 'error: a stale object'; exit 1; }\n"
    "\t@case '$(CURDIR)' in *[\\ :]*) echo 'error: blanks in the source path'; exit 1; esac\n"
    "\t@! test -e $(O)/vmlinux || { echo 'error: built already'; exit 1; }\n"
    "\t@grep -q CONFIG_$(EXPECTED)=y $(O)/.config || { echo \"error: $$(cat $(O)/.config)\"; exit "
    "1; }\n"
    "\t@cp $(O)/.config $(O)/vmlinux\n"
    "olddefconfig:\n\t@echo CONFIG_FILLED_IN=y >>$(O)/.config\n"
    "defconfig tinyconfig:\n\t@echo CONFIG_$@=y >$(O)/.config\n"
    "mrproper:\n\t@rm -f scripts/tool.o\n"
    ".PHONY: vmlinux\n";

static int open_fixture(void **state)
{
    static const char *const files[] = {"Kbuild",      "Kconfig",         "arch/x86/Makefile",
                                        "init/main.c", "kernel/Makefile", "scripts/Makefile.build",
                                        ".git/HEAD"};

    const char *folder = getenv("TMPDIR");

    assert_int_equal(fixture_set_up(state), 0);
    /* kbuild cannot work with blanks in the path of O=. */
    (void)snprintf(plain_work, sizeof(plain_work), "%s/halfload-kernel-XXXXXX",
                   folder == NULL ? "/tmp" : folder);
    assert_non_null(mkdtemp(plain_work));
    (void)snprintf(fixture.work, sizeof(fixture.work), "%s", plain_work);
    fixture_write("Makefile", stand_in);
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        fixture_write(files[i], "");
    return 0;
}

static int close_fixture(void **state)
{
    /* Only an empty one goes: nothing may be left in it. */
    assert_int_equal(rmdir(plain_work), 0);
    return fixture_tear_down(state);
}

/* Builds twice with that configuration; `expected` must be in the .config the build saw. */
static enum hl_status build_twice(const char *config, const char *expected, struct hl_error *err)
{
    const struct host_work_options options = {.workload = "kernbench",
                                              .build.tree = fixture.tree,
                                              .work_dir = fixture.work,
                                              .build.config = config};
    struct host_work *build;
    enum hl_status status;
    struct run run;

    assert_int_equal(setenv("EXPECTED", expected, 1), 0);
    HL_TRY(host_work_open(&build, &options, err));
    for (int i = 0; i < 2; i++) {
        run_init(&run, RUN_HOST, "not run");
        status = host_work_run(build, 2, NULL, &run, err);
        assert_int_equal(status, HL_OK);
        assert_string_equal(run.note, "");
    }
    host_work_close(build);
    return HL_OK;
}

static void without_a_configuration_defconfig_is_built(void **state)
{
    struct hl_error err = {0};

    (void)state;
    assert_int_equal(build_twice(NULL, "defconfig", &err), HL_OK);
    assert_false(fixture_has(".config"));
    assert_false(fixture_has("vmlinux"));
}

static void a_config_in_the_tree_is_used_and_stays_there(void **state)
{
    struct hl_error err = {0};

    (void)state;
    fixture_write(".config", "CONFIG_OWN=y\n");
    fixture_write("scripts/tool.o", "what menuconfig leaves");
    assert_int_equal(build_twice(NULL, "OWN", &err), HL_OK);
    assert_int_equal(build_twice(NULL, "FILLED_IN", &err), HL_OK);
    assert_true(fixture_has(".config"));
    assert_true(fixture_has("scripts/tool.o"));
    assert_false(fixture_has("vmlinux"));
}

static void a_config_may_be_a_file_or_a_target(void **state)
{
    struct hl_error err = {0};
    char path[PATH_MAX];

    (void)state;
    assert_int_equal(build_twice("tinyconfig", "tinyconfig", &err), HL_OK);
    fixture_write("my.config", "CONFIG_MINE=y\n");
    (void)snprintf(path, sizeof(path), "%s/my.config", fixture.tree);
    assert_int_equal(build_twice(path, "MINE", &err), HL_OK);

    assert_int_equal(build_twice("/no/such/file", "X", &err), HL_BAD_INPUT);
    assert_non_null(strstr(err.text, "/no/such/file is no file"));
    assert_int_equal(build_twice("hugeconfig", "X", &err), HL_BAD_INPUT);
    assert_non_null(strstr(err.text, "`make hugeconfig` ended with status 2"));
}

static void a_source_that_was_built_in_is_refused_with_the_remedy(void **state)
{
    struct hl_error err = {0};

    (void)state;
    fixture_write("arch/x86/include/generated/asm.h", "");
    assert_int_equal(build_twice(NULL, "X", &err), HL_BAD_INPUT);
    assert_non_null(strstr(err.text, "not clean"));
    assert_non_null(strstr(err.text, "make mrproper"));
}

static void blanks_where_kbuild_cannot_have_them_are_said(void **state)
{
    struct hl_error err = {0};

    (void)state;
    (void)snprintf(fixture.work, sizeof(fixture.work), "%s", fixture.top);
    assert_int_equal(build_twice(NULL, "X", &err), HL_USAGE);
    assert_non_null(strstr(err.text, "blanks"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        TEST(without_a_configuration_defconfig_is_built),
        TEST(a_config_in_the_tree_is_used_and_stays_there),
        TEST(a_config_may_be_a_file_or_a_target),
        TEST(a_source_that_was_built_in_is_refused_with_the_remedy),
        TEST(blanks_where_kbuild_cannot_have_them_are_said),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
