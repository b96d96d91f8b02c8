/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * real_kernbench.c - builds of a tree, again and again from the same state, measured.
 *
 * Three kinds of tree, one rule: `tree` in the private folder is made ready once and copied to
 * `pristine`; before each build, outside the timing, it is brought back to that state.
 *
 *   generated C tree   written into `tree`
 *   any other tree     copied into `tree`, then `make clean` where there is such a target
 *   kernel             `tree` is the O= folder with its .config; the source is read in place, or
 * from a copy where kbuild would refuse it (see source_tree.c)
 *
 * The state does not depend on what a build did: a failed or interrupted one does no harm to the
 * next.
 *
 * buildworld is the same build with a say about its sources: forgotten by the page cache before each
 * build, or read into it. With --clean the tree's own `make clean` takes the place of the copy.
 */
#include "host/work.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "host/build_log.h"
#include "host/c_tree.h"
#include "host/environment.h"
#include "host/folder.h"
#include "host/memory_room.h"
#include "host/page_cache.h"
#include "host/measure.h"
#include "host/runner.h"
#include "host/host_session.h"
#include "host/source_tree.h"

enum { CONFIG_MAX = 16 << 20, ARGUMENTS_MAX = 8, WARM_PART = 20 };

/* History is not built, and a repository may be larger than what is: it is copied once and stays.
 */
static const char *const kept_as_is[] = {".git", NULL};
/* What a copied kernel source must not have; its history is of no use to a build. */
static const char *const not_in_kernel_copy[] = {".config", ".git", NULL};

struct host_build {
    struct host_work work; /* first */
    struct host_session session;
    struct host_source_tree source; /* of a given tree */
    bool is_generated, is_world, has_clean, has_preread;
    char make[PATH_MAX];
    char folder[PATH_MAX]; /* where make runs: the private tree, a kernel's source */
    char tree[PATH_MAX], pristine[PATH_MAX], log[PATH_MAX];
    char output[PATH_MAX + 2]; /* kernel: "O=" and the tree; else "" */
    char *target;              /* NULL: the default */
    struct host_environment environment;
    int64_t timeout_ns;
    int64_t largest_compiler_bytes;
};

/* make with up to three words; NULL ones are left out. `arguments` is room for them. */
static struct host_command make_command(const struct host_build *build,
                                        const char *arguments[static ARGUMENTS_MAX],
                                        const char *const *words, int word_count)
{
    int count = 0;

    assert(word_count + 3 <= ARGUMENTS_MAX);
    arguments[count++] = build->make;
    if (build->output[0] != '\0')
        arguments[count++] = build->output;
    for (int i = 0; i < word_count; i++)
        if (words[i] != NULL)
            arguments[count++] = words[i];
    arguments[count] = NULL;
    return (struct host_command){
        .arguments = arguments,
        .environment = build->environment.entries,
        .folder = build->folder,
        .log = build->log,
    };
}

static enum hl_status run_make(struct host_build *build, const char *const *words, int word_count,
                               struct host_result *result, struct hl_error *err)
{
    const char *arguments[ARGUMENTS_MAX];
    struct host_command command = make_command(build, arguments, words, word_count);

    return host_command_run(&command, result, err);
}

/* Runs a target that must succeed before a kernel can be built. */
static enum hl_status make_ready(struct host_build *build, const char *target, struct hl_error *err)
{
    struct host_result result;
    char reason[200];

    HL_TRY(run_make(build, &target, 1, &result, err));
    if (result.exit_status == 0)
        return HL_OK;
    host_log_reason(build->log, reason, sizeof(reason));
    return hl_fail(err, HL_BAD_INPUT, "%s: `make %s` ended with status %d: %s", build->source.path,
                   target, result.exit_status, reason);
}

/* Is it a name such as defconfig or tinyconfig? */
static bool is_config_target(const char *name)
{
    size_t length = strlen(name);

    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)name[i]) && strchr("_-.", name[i]) == NULL)
            return false;
    return length > 6 && strcmp(name + length - 6, "config") == 0 && name[0] != '-';
}

/* Takes a .config as the start; kbuild then fills in what this kernel has beyond it. */
static enum hl_status use_config_file(struct host_build *build, const char *file,
                                      struct hl_error *err)
{
    char path[PATH_MAX], *text;
    enum hl_status status;
    size_t bytes;

    HL_TRY(host_path_join(path, sizeof(path), build->tree, ".config", err));
    HL_TRY(hl_read_file(file, CONFIG_MAX, &text, &bytes, err));
    status = host_file_write(path, text, bytes, err);
    hl_free(text);
    return status == HL_OK ? make_ready(build, "olddefconfig", err) : status;
}

static enum hl_status configure_kernel(struct host_build *build, const char *config,
                                       struct hl_error *err)
{
    char own[PATH_MAX];
    struct stat status;

    if (config == NULL && build->source.has_config) {
        HL_TRY(host_path_join(own, sizeof(own), build->source.path, ".config", err));
        return use_config_file(build, own, err);
    }
    if (config == NULL)
        return make_ready(build, "defconfig", err);
    if (stat(config, &status) == 0 && S_ISREG(status.st_mode))
        return use_config_file(build, config, err);
    if (is_config_target(config))
        return make_ready(build, config, err);
    return hl_fail(err, HL_BAD_INPUT,
                   "%s is no file; expected a .config file or a target such as tinyconfig", config);
}

/* In a copy, what in-place use left beside the .config (tools of menuconfig) can be cleaned away. */
static enum hl_status copy_kernel_source(struct host_build *build, struct hl_error *err)
{
    const struct host_mirror_options options = {
        .skip = not_in_kernel_copy, .real_from = build->source.path, .real_to = build->folder};

    HL_TRY(host_folder_make(build->folder, err));
    HL_TRY(host_folder_mirror(build->source.path, build->folder, &options, err));
    return make_ready(build, "mrproper", err);
}

static enum hl_status prepare_kernel(struct host_build *build, const char *config,
                                     struct hl_error *err)
{
    if (strpbrk(build->tree, " \t:") != NULL)
        return hl_fail(err, HL_USAGE,
                       "%s: kernels cannot be built in a path with blanks or colons; give a folder "
                       "without by --work-dir or TMPDIR",
                       build->session.folder);
    if (build->source.must_be_copied)
        HL_TRY(host_path_join(build->folder, sizeof(build->folder), build->session.folder, "source",
                              err));
    else
        (void)snprintf(build->folder, sizeof(build->folder), "%s", build->source.path);
    HL_TRY(host_environment_make(&build->environment, build->folder, build->session.folder,
                                 build->session.mark, err));
    if (build->source.must_be_copied)
        HL_TRY(copy_kernel_source(build, err));
    (void)snprintf(build->output, sizeof(build->output), "O=%s", build->tree);
    return configure_kernel(build, config, err);
}

static enum hl_status prepare_other(struct host_build *build, struct hl_error *err)
{
    const struct host_mirror_options options = {.real_from = build->source.path,
                                                .real_to = build->tree};
    const char *const words[] = {"clean"};
    struct host_result result;

    HL_TRY(host_folder_mirror(build->source.path, build->tree, &options, err));
    HL_TRY(host_environment_make(&build->environment, build->folder, build->session.folder,
                                 build->session.mark, err));
    /* A tree may have no such target: then it is built as it was given. */
    return run_make(build, words, 1, &result, err);
}

/* A tree that is built already and cannot be cleaned would be "built" in no time. */
static enum hl_status check_something_to_do(struct host_build *build, struct hl_error *err)
{
    const char *const words[] = {"-q", build->target};
    struct host_result result;

    HL_TRY(run_make(build, words, 2, &result, err));
    if (result.exit_status == 0)
        return hl_fail(
            err, HL_BAD_INPUT,
            "%s: make has nothing to do for %s, even after `make clean`; expected a tree "
            "that is not built yet, or another --target",
            build->source.path, build->target == NULL ? "its default target" : build->target);
    return HL_OK;
}

static enum hl_status check_compiler(struct hl_error *err)
{
    const char *own = getenv("CC");
    char name[PATH_MAX], path[PATH_MAX];

    /* make takes CC from the environment; it may carry options. */
    if (own == NULL || own[0] == '\0')
        own = "cc";
    (void)snprintf(name, sizeof(name), "%.*s", (int)strcspn(own, " "), own);
    if (!host_program_find(name, path, sizeof(path)))
        return hl_fail(err, HL_UNSUPPORTED,
                       "no C compiler: found no program `%s`; install gcc, or set CC to a compiler",
                       name);
    return HL_OK;
}

static enum hl_status prepare_generated(struct host_build *build,
                                        const struct host_build_options *options,
                                        struct hl_error *err)
{
    const struct host_c_tree_options tree = {.seed = options->seed,
                                             .scale_ppm = options->tree_scale_ppm};

    HL_TRY(host_c_tree_write(build->tree, &tree, err));
    return host_environment_make(&build->environment, build->folder, build->session.folder,
                                 build->session.mark, err);
}

static enum hl_status name_paths(struct host_build *build, struct hl_error *err)
{
    const char *folder = build->session.folder;

    HL_TRY(host_path_join(build->tree, sizeof(build->tree), folder, "tree", err));
    HL_TRY(host_path_join(build->pristine, sizeof(build->pristine), folder, "pristine", err));
    HL_TRY(host_path_join(build->log, sizeof(build->log), folder, "log", err));
    (void)snprintf(build->folder, sizeof(build->folder), "%s", build->tree);
    HL_TRY(host_folder_make(build->tree, err));
    return host_folder_make(build->pristine, err);
}

/* What can be said before anything is made. */
static enum hl_status check_options(struct host_build *build,
                                    const struct host_build_options *options, struct hl_error *err)
{
    if (options->target != NULL && (options->target[0] == '-' || options->target[0] == '\0'))
        return hl_fail(err, HL_USAGE, "target is \"%s\"; expected a target of the tree's Makefile",
                       options->target);
    if (options->tree != NULL)
        HL_TRY(host_source_tree_inspect(&build->source, options->tree, err));
    build->is_generated = options->tree == NULL;
    if (options->config != NULL && !build->source.is_kernel)
        return hl_fail(err, HL_USAGE, "a configuration (%s) is for kernel trees; %s is none",
                       options->config,
                       build->is_generated ? "the generated tree" : build->source.path);
    if (!host_program_find("make", build->make, sizeof(build->make)))
        return hl_fail(err, HL_UNSUPPORTED, "found no program `make`; install GNU make");
    if (build->is_generated)
        HL_TRY(check_compiler(err));
    return HL_OK;
}

static enum hl_status set_target(struct host_build *build, const char *target, struct hl_error *err)
{
    /* A kernel's default would add modules and an image in a format of the architecture. */
    if (target == NULL && build->source.is_kernel)
        target = "vmlinux";
    if (target == NULL)
        return HL_OK;
    build->target = hl_strdup(target);
    return build->target == NULL ? hl_fail(err, HL_NO_MEMORY, "out of memory for a name") : HL_OK;
}

static enum hl_status make_session(struct host_build *build, const char *wanted,
                                   struct hl_error *err)
{
    size_t length = strlen(build->source.path);
    char work_dir[PATH_MAX];

    HL_TRY(host_work_dir_find(work_dir, wanted, err));
    if (length > 0 && strncmp(work_dir, build->source.path, length) == 0 &&
        (work_dir[length] == '/' || work_dir[length] == '\0'))
        return hl_fail(err, HL_USAGE,
                       "%s: the folder for private copies lies in the tree to be built; give "
                       "another by --work-dir or TMPDIR",
                       work_dir);
    return host_session_open(&build->session, work_dir, err);
}

static enum hl_status open_build(struct host_work *work, const struct host_work_options *all,
                                 struct hl_error *err)
{
    struct host_build *build = (struct host_build *)work;
    const struct host_build_options *options = &all->build;
    const struct host_mirror_options keep = {.skip = kept_as_is};

    build->timeout_ns = all->timeout_ns;
    build->has_clean = build->is_world && options->has_clean;
    build->has_preread = options->has_preread;
    HL_TRY(check_options(build, options, err));
    HL_TRY(set_target(build, options->target, err));
    HL_TRY(make_session(build, all->work_dir, err));
    HL_TRY(name_paths(build, err));
    if (build->is_generated)
        HL_TRY(prepare_generated(build, options, err));
    else if (build->source.is_kernel)
        HL_TRY(prepare_kernel(build, options->config, err));
    else
        HL_TRY(prepare_other(build, err));
    if (build->has_clean)
        HL_TRY(make_ready(build, "clean", err));
    else
        HL_TRY(host_folder_mirror(build->tree, build->pristine, &keep, err));
    if (!build->is_generated && !build->source.is_kernel)
        HL_TRY(check_something_to_do(build, err));
    return HL_OK;
}

static void close_build(struct host_work *work)
{
    struct host_build *build = (struct host_build *)work;

    host_session_close(&build->session);
    host_environment_close(&build->environment);
    hl_free(build->target);
}

/* Back to the state before a build, and on the disk, so that writing it out is not timed. */
static enum hl_status restore(struct host_build *build, struct hl_error *err)
{
    const struct host_mirror_options keep = {.skip = kept_as_is};
    int fd;

    HL_TRY(build->has_clean ? make_ready(build, "clean", err)
                            : host_folder_mirror(build->pristine, build->tree, &keep, err));
    fd = open(build->tree, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return host_fail_errno(err, errno, build->tree);
    (void)syncfs(fd);
    (void)close(fd);
    return HL_OK;
}

/* Sources as the user wants them; *left is what is in memory though it should not be. */
static enum hl_status set_cache(const struct host_build *build, struct host_cached *left,
                                struct hl_error *err)
{
    *left = (struct host_cached){0};
    if (!build->is_world)
        return HL_OK;
    return build->has_preread ? host_cache_fill(build->folder, err)
                              : host_cache_drop(build->folder, left, err);
}

/* A run that is called cold and was not is to be known as such. */
static void note_warm(struct run *run, const struct host_cached *left)
{
    size_t used = strlen(run->note);

    if (left->bytes > 0 && left->cached_bytes > left->bytes / WARM_PART)
        (void)snprintf(run->note + used, sizeof(run->note) - used,
                       "%swarm: %.0f %% of the sources stayed in memory", used > 0 ? "; " : "",
                       HL_MIN(100.0 * (double)left->cached_bytes / (double)left->bytes, 100.0));
}

static enum hl_status run_build(struct host_work *work, int64_t jobs,
                                const struct host_setting *setting, struct run *run,
                                struct hl_error *err)
{
    struct host_build *build = (struct host_build *)work;
    struct host_result result;
    const char *arguments[ARGUMENTS_MAX], *words[2] = {NULL, build->target};
    struct host_measure measure = {.name = "make", .setting = setting, .session = &build->session};
    struct host_cached left;
    char option[32];

    HL_TRY(restore(build, err));
    HL_TRY(set_cache(build, &left, err));
    if (jobs == 0)
        (void)snprintf(option, sizeof(option), "-j");
    else
        (void)snprintf(option, sizeof(option), "-j%lld", (long long)jobs);
    words[0] = option;
    measure.command = make_command(build, arguments, words, 2);
    measure.command.timeout_ns = build->timeout_ns;
    HL_TRY(host_measure(&measure, run, &result, err));
    note_warm(run, &left);
    build->largest_compiler_bytes =
        HL_MAX(build->largest_compiler_bytes, result.largest_compiler_bytes);
    return HL_OK;
}

static int64_t max_jobs(const struct host_work *work)
{
    const struct host_build *build = (const struct host_build *)work;
    /* kernbench's rule: 0.8 of what is there, all of it filled with compilers at their largest. */
    int64_t room = host_memory_room_bytes() / 10 * 8;

    if (build->largest_compiler_bytes == 0)
        return 0;
    return HL_MAX(room / build->largest_compiler_bytes, 1);
}

static enum hl_status open_world(struct host_work *work, const struct host_work_options *options,
                                 struct hl_error *err)
{
    ((struct host_build *)work)->is_world = true;
    return open_build(work, options, err);
}

const struct host_work_ops host_buildworld_ops = {
    .name = "buildworld",
    .bytes = sizeof(struct host_build),
    .open = open_world,
    .run = run_build,
    .max_jobs = max_jobs,
    .close = close_build,
};

const struct host_work_ops host_kernbench_ops = {
    .name = "kernbench",
    .bytes = sizeof(struct host_build),
    .open = open_build,
    .run = run_build,
    .max_jobs = max_jobs,
    .close = close_build,
};
