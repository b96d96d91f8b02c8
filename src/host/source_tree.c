/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_tree.c - what kind of tree the user gave.
 *
 * A kernel is built with O=, its source read in place. kbuild refuses that when the source was
 * built in ("The source tree is not clean"), and so do we. A .config alone makes kbuild refuse too,
 * but it is what a user who wants that configuration has: such a source is copied without it.
 * kbuild also takes no source in a path with blanks or colons; it is copied as well.
 */
#include "host/source_tree.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "host/folder.h"

enum { MAKEFILE_MAX = 16 << 20 };

enum entry_kind { ENTRY_NONE, ENTRY_FILE, ENTRY_FOLDER };

static enum entry_kind kind_of(const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct stat status;

    if (host_path_join(path, sizeof(path), folder, name, NULL) != HL_OK || stat(path, &status) != 0)
        return ENTRY_NONE;
    return S_ISDIR(status.st_mode) ? ENTRY_FOLDER : ENTRY_FILE;
}

static bool looks_like_kernel(const char *path, const char *makefile_text)
{
    static const struct {
        const char *name;
        enum entry_kind kind;
    } marks[] = {
        {"Kbuild", ENTRY_FILE}, {"Kconfig", ENTRY_FILE}, {"scripts", ENTRY_FOLDER},
        {"arch", ENTRY_FOLDER}, {"init", ENTRY_FOLDER},  {"kernel", ENTRY_FOLDER},
    };

    for (int i = 0; i < HL_COUNT_OF(marks); i++)
        if (kind_of(path, marks[i].name) != marks[i].kind)
            return false;
    return strstr(makefile_text, "KERNELRELEASE") != NULL;
}

/* Does one of arch/X/include/generated exist? */
static bool has_generated_headers(const char *path)
{
    char arch[PATH_MAX], inner[PATH_MAX];
    bool found = false;
    struct dirent *entry;
    DIR *folder;

    if (host_path_join(arch, sizeof(arch), path, "arch", NULL) != HL_OK)
        return false;
    folder = opendir(arch);
    if (folder == NULL)
        return false;
    while (!found && (entry = readdir(folder)) != NULL)
        found = host_path_join(inner, sizeof(inner), arch, entry->d_name, NULL) == HL_OK &&
                kind_of(inner, "include/generated") == ENTRY_FOLDER;
    (void)closedir(folder);
    return found;
}

static enum hl_status inspect_kernel(struct host_source_tree *source, struct hl_error *err)
{
    source->is_kernel = true;
    if (kind_of(source->path, "include/config") != ENTRY_NONE ||
        kind_of(source->path, "include/generated") != ENTRY_NONE ||
        has_generated_headers(source->path))
        return hl_fail(
            err, HL_BAD_INPUT,
            "%s: this kernel source is not clean, it was built in; expected a clean one: "
            "keep a copy of its .config, type `make mrproper` in it, and give the copy "
            "with --config",
            source->path);
    source->has_config = kind_of(source->path, ".config") == ENTRY_FILE;
    source->must_be_copied = source->has_config || strpbrk(source->path, " \t:") != NULL;
    return HL_OK;
}

/* Its Makefile names the folder it was configured in, so that a copy would build in the origin. */
static bool is_bound_to_its_place(const char *makefile_text)
{
    return strncmp(makefile_text, "# CMAKE generated file", 22) == 0;
}

static enum hl_status inspect_makefile(struct host_source_tree *source, const char *text,
                                       struct hl_error *err)
{
    if (is_bound_to_its_place(text))
        return hl_fail(
            err, HL_BAD_INPUT,
            "%s: its Makefile was made by CMake and names this folder, so a private copy "
            "would build in here; expected a tree that builds where it is copied to",
            source->path);
    if (looks_like_kernel(source->path, text))
        return inspect_kernel(source, err);
    return HL_OK;
}

enum hl_status host_source_tree_inspect(struct host_source_tree *source, const char *path,
                                        struct hl_error *err)
{
    /* The order in which make looks for them. */
    static const char *const makefiles[] = {"GNUmakefile", "makefile", "Makefile"};
    char makefile[PATH_MAX], *text;
    enum hl_status status;
    struct stat is;

    *source = (struct host_source_tree){0};
    if (realpath(path, source->path) == NULL || stat(source->path, &is) != 0)
        return hl_fail(err, HL_BAD_INPUT, "%s: %s; expected a folder with a Makefile", path,
                       strerror(errno));
    if (!S_ISDIR(is.st_mode))
        return hl_fail(err, HL_BAD_INPUT, "%s is not a folder; expected one with a Makefile", path);
    for (int i = 0; i < HL_COUNT_OF(makefiles); i++) {
        if (kind_of(source->path, makefiles[i]) != ENTRY_FILE)
            continue;
        HL_TRY(host_path_join(makefile, sizeof(makefile), source->path, makefiles[i], err));
        HL_TRY(hl_read_file(makefile, MAKEFILE_MAX, &text, NULL, err));
        status = inspect_makefile(source, text, err);
        hl_free(text);
        return status;
    }
    return hl_fail(err, HL_BAD_INPUT,
                   "%s has no Makefile (nor makefile, GNUmakefile); expected a tree that make can "
                   "build",
                   source->path);
}
