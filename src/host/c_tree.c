/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * c_tree.c - the generated C tree.
 *
 *   Makefile rules.mk include/h00.h ... h39.h
 *   base/ base/text/ base/math/ net/ net/wire/ store/ store/index/ app/      each with Makefile and
 * units
 *
 * Shaped like the trees people build: make calls itself per directory and the jobserver passes
 * through, each directory makes a static library, one link ends it. Sizes of units are log-normal
 * with sigma 0.8, as file sizes of source trees about are, capped so that one unit cannot be the
 * whole critical path. The quantiles are a table and each tree uses all of them, shuffled: the sum
 * of work does not depend on the seed. A larger scale means more units, not larger ones: the shape
 * of the load stays, and a machine with many cpus gets enough jobs.
 */
#include "host/c_tree.h"

#include <limits.h>
#include <stdio.h>

#include "base/interrupt.h"
#include "base/memory.h"
#include "base/units.h"
#include "host/c_text.h"
#include "host/folder.h"

/*
 * Quantiles (i + 0.5) / 40 of a log-normal distribution with sigma 0.8, capped at 4 x the mean, in
 * 1/1000 of the mean after capping. The sum is 40,000.
 */
static const int16_t size_quantiles[] = {
    124,  179,  218,  251,  282,  311,  339,  366,  393,  420,  447,  475,  503,  532,
    562,  592,  623,  656,  690,  726,  763,  802,  844,  888,  935,  986,  1041, 1100,
    1165, 1237, 1318, 1409, 1513, 1635, 1782, 1964, 2202, 2539, 3092, 4096,
};

/* gcc 12 -O2 needs about 0.02 s for a unit's start and headers and 0.011 s for each function on a
 * cpu of 2024: 9 functions make 0.12 s, so 120 units about 15 s. Compilers and cpus differ. */
enum { MEAN_FUNCTIONS = 9 };

static const struct c_directory {
    const char *name; /* of the library too */
    const char *path;
    const char *top; /* the way back */
    const char *subdirs;
} directories[HOST_C_DIRECTORIES] = {
    {"base", "base", "..", "text math"},   {"text", "base/text", "../..", ""},
    {"math", "base/math", "../..", ""},    {"net", "net", "..", "wire"},
    {"wire", "net/wire", "../..", ""},     {"store", "store", "..", "index"},
    {"index", "store/index", "../..", ""}, {"app", "app", "..", ""},
};

/* Lines of make: variables with := so that nothing is evaluated twice, sub-makes through $(MAKE)
 * and with + absent, so that -jN reaches them as a jobserver. */
static const char top_makefile[] =
    "SUBDIRS := base net store app\n"
    "LIBRARIES := app/libapp.a store/libstore.a store/index/libindex.a net/libnet.a \\\n"
    "    net/wire/libwire.a base/libbase.a base/text/libtext.a base/math/libmath.a\n"
    "CFLAGS := -O2 -pipe\n\n"
    "all: program\n\n"
    "program: $(SUBDIRS)\n"
    "\t$(CC) $(CFLAGS) -o $@ $(LIBRARIES)\n\n"
    "$(SUBDIRS):\n"
    "\t$(MAKE) -C $@\n\n"
    "clean:\n"
    "\tfind . -name '*.[oa]' -exec rm -f {} +\n"
    "\trm -f program\n\n"
    ".PHONY: all clean $(SUBDIRS)\n";

static const char rules_mk[] = "CFLAGS := -O2 -pipe\n"
                               "OBJECTS := $(UNITS:.c=.o)\n\n"
                               "all: $(LIBRARY) $(SUBDIRS)\n\n"
                               "$(LIBRARY): $(OBJECTS)\n"
                               "\trm -f $@\n"
                               "\t$(AR) rcs $@ $(OBJECTS)\n\n"
                               "%.o: %.c\n"
                               "\t$(CC) $(CFLAGS) -I$(TOP)/include -c -o $@ $<\n\n"
                               "$(OBJECTS): $(wildcard $(TOP)/include/*.h)\n\n"
                               "$(SUBDIRS):\n"
                               "\t$(MAKE) -C $@\n\n"
                               ".PHONY: all $(SUBDIRS)\n";

int host_c_tree_units(int64_t scale_ppm)
{
    int64_t units = (HOST_C_UNITS * scale_ppm + HL_PPM / 2) / HL_PPM;

    return (int)HL_MIN(HL_MAX(units, HOST_C_DIRECTORIES), 9999);
}

/* Which quantile unit `unit` of `count` has: every count uses the whole distribution evenly. */
static int quantile_of(int unit, int count)
{
    return (2 * unit + 1) * HL_COUNT_OF(size_quantiles) / (2 * count);
}

/* Fills sizes[count] with functions per unit, in an order drawn from the seed. */
static void draw_sizes(int *sizes, int count, const struct host_c_tree_options *options)
{
    struct hl_rng rng = hl_rng_stream(options->seed, "host/c_tree/sizes");
    int64_t wanted_ppm = HOST_C_UNITS * options->scale_ppm / count;
    /* Below one unit per directory only smaller units make a smaller tree. */
    int64_t shrink_ppm = HL_MIN(wanted_ppm, HL_PPM);

    if (count > HOST_C_DIRECTORIES)
        shrink_ppm = HL_PPM;
    for (int i = 0; i < count; i++) {
        int64_t thousandths = MEAN_FUNCTIONS * size_quantiles[quantile_of(i, count)];

        thousandths = thousandths * shrink_ppm / HL_PPM;
        sizes[i] = (int)HL_MAX((thousandths + 500) / 1000, 1);
    }
    for (int i = count - 1; i > 0; i--) {
        int other = (int)hl_rng_below(&rng, (uint64_t)i + 1);
        int size = sizes[i];

        sizes[i] = sizes[other];
        sizes[other] = size;
    }
}

/* Where a tree is being written, and the text of the file in hand. */
struct tree_writer {
    const char *folder;
    struct host_text text;
};

static enum hl_status write_file(struct tree_writer *writer, const char *directory,
                                 const char *name, struct hl_error *err)
{
    char inner[PATH_MAX], path[PATH_MAX];

    HL_TRY(host_text_check(&writer->text, err));
    HL_TRY(host_path_join(inner, sizeof(inner), writer->folder, directory, err));
    HL_TRY(host_path_join(path, sizeof(path), inner, name, err));
    HL_TRY(host_file_write(path, writer->text.bytes, writer->text.count, err));
    host_text_clear(&writer->text);
    return HL_OK;
}

static enum hl_status make_directory(struct tree_writer *writer, const char *directory,
                                     struct hl_error *err)
{
    char path[PATH_MAX];

    HL_TRY(host_path_join(path, sizeof(path), writer->folder, directory, err));
    return host_folder_make(path, err);
}

static enum hl_status write_headers(struct tree_writer *writer, uint64_t seed, struct hl_error *err)
{
    struct hl_rng rng = hl_rng_stream(seed, "host/c_tree/headers");
    char name[16];

    HL_TRY(make_directory(writer, "include", err));
    for (int i = 0; i < HOST_C_HEADERS; i++) {
        (void)snprintf(name, sizeof(name), "h%02d.h", i);
        host_c_header_add(&writer->text, i, &rng);
        HL_TRY(write_file(writer, "include", name, err));
    }
    return HL_OK;
}

static enum hl_status write_main(struct tree_writer *writer, int count, struct hl_error *err)
{
    host_text_add(&writer->text, "int printf(const char *format, ...);\n\n");
    for (int i = 1; i < count; i++)
        host_text_add(&writer->text, "unsigned u%04d(unsigned seed);\n", i);
    host_text_add(&writer->text, "\nint main(void)\n{\n    unsigned sum = 1;\n\n");
    for (int i = 1; i < count; i++)
        host_text_add(&writer->text, "    sum += u%04d(sum);\n", i);
    host_text_add(&writer->text, "    printf(\"%%08x\\n\", sum);\n    return 0;\n}\n");
    return write_file(writer, "app", "main.c", err);
}

/* Unit 0 is main.c of the last directory; unit i lies in directory i modulo their number. */
static enum hl_status write_directory(struct tree_writer *writer, int number, const int *sizes,
                                      int count, uint64_t seed, struct hl_error *err)
{
    const struct c_directory *directory = &directories[number];
    int first = number == 0 ? HOST_C_DIRECTORIES : number;
    char name[32], purpose[64];

    HL_TRY(make_directory(writer, directory->path, err));
    for (int i = first; i < count; i += HOST_C_DIRECTORIES) {
        struct hl_rng rng;

        (void)snprintf(purpose, sizeof(purpose), "host/c_tree/unit %d", i);
        (void)snprintf(name, sizeof(name), "u%04d.c", i);
        rng = hl_rng_stream(seed, purpose);
        host_c_unit_add(&writer->text, i, sizes[i], &rng);
        HL_TRY(write_file(writer, directory->path, name, err));
    }
    host_text_add(&writer->text,
                  "TOP := %s\nLIBRARY := lib%s.a\nSUBDIRS := %s\nUNITS :=", directory->top,
                  directory->name, directory->subdirs);
    if (number == HOST_C_DIRECTORIES - 1)
        host_text_add(&writer->text, " main.c");
    for (int i = first; i < count; i += HOST_C_DIRECTORIES)
        host_text_add(&writer->text, " u%04d.c", i);
    host_text_add(&writer->text, "\ninclude $(TOP)/rules.mk\n");
    return write_file(writer, directory->path, "Makefile", err);
}

static enum hl_status write_all(struct tree_writer *writer, const int *sizes, int count,
                                const struct host_c_tree_options *options, struct hl_error *err)
{
    host_text_add(&writer->text, "%s", top_makefile);
    HL_TRY(write_file(writer, ".", "Makefile", err));
    host_text_add(&writer->text, "%s", rules_mk);
    HL_TRY(write_file(writer, ".", "rules.mk", err));
    HL_TRY(write_headers(writer, options->seed, err));
    for (int i = 0; i < HOST_C_DIRECTORIES; i++) {
        if (hl_interrupted())
            return hl_fail(err, HL_INTERRUPTED, "interrupted while a tree was generated");
        HL_TRY(write_directory(writer, i, sizes, count, options->seed, err));
    }
    return write_main(writer, count, err);
}

enum hl_status host_c_tree_write(const char *folder, const struct host_c_tree_options *options,
                                 struct hl_error *err)
{
    struct tree_writer writer = {.folder = folder};
    int count = host_c_tree_units(options->scale_ppm);
    int *sizes = hl_alloc((size_t)count, sizeof(*sizes));
    enum hl_status status;

    if (sizes == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for a tree of %d units", count);
    draw_sizes(sizes, count, options);
    status = write_all(&writer, sizes, count, options, err);
    host_text_close(&writer.text);
    hl_free(sizes);
    return status;
}
