/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import.c - finds the format of a file from its content and calls its reader.
 *
 *     {"results": ...    hyperfine        {"runs": ...     our own JSON
 *     a first line of column names with "metric" and "value"              long CSV
 *     a line "Average ... Run ...:"                                       kernbench log
 *     anything else                                                       lines of time(1)
 */
#include "import/import.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "import/reader.h"

enum { FILE_BYTES_MAX = 256 << 20 };

static enum hl_status read_json(const struct import_source *source, const char *text, size_t bytes,
                                struct hl_error *err)
{
    struct hl_json file = {0};
    struct hl_json_node root;
    enum hl_status status = hl_json_parse(&file, source->name, text, bytes, err);

    if (status != HL_OK)
        return status;
    root = hl_json_root(&file);
    if (hl_json_has(&root, "results"))
        status = import_hyperfine(source, &root, err);
    else if (hl_json_has(&root, "runs"))
        status = import_run_json(source, &root, err);
    else
        status = hl_json_fail(&root, err,
                              "found neither \"runs\" (halfload) nor \"results\" (hyperfine)");
    hl_json_close(&file);
    return status;
}

static enum hl_status read_text(const struct import_source *source, char *text, size_t bytes,
                                struct hl_error *err)
{
    size_t blank = strspn(text, " \t\r\n");

    if (strlen(text) != bytes)
        return hl_fail(err, HL_BAD_INPUT,
                       "%s: binary data; expected a kernbench log, lines of time(1), hyperfine's "
                       "JSON, CSV with columns by name, or halfload's JSON",
                       source->name);
    if (text[blank] == '\0')
        return hl_fail(err, HL_BAD_INPUT, "%s: empty; expected results", source->name);
    if (text[blank] == '{' || text[blank] == '[')
        return read_json(source, text, bytes, err);
    if (strncmp(text + blank, "command,mean,", 13) == 0)
        return hl_fail(err, HL_BAD_INPUT,
                       "%s: hyperfine's CSV, which has no single times; expected its JSON, "
                       "hyperfine --export-json",
                       source->name);
    if (import_is_long_csv(text))
        return import_long_csv(source, text, err);
    if (import_is_kernbench_log(text))
        return import_kernbench_log(source, text, err);
    return import_time_lines(source, text, err);
}

enum hl_status import_text(struct import_result *result, const char *name, const char *text,
                           size_t bytes, const struct import_options *options, struct hl_error *err)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    struct import_source source = {
        .name = name, .result = result, .options = options, .first = result->runs.count};
    char *copy;
    enum hl_status status;

    if (bytes >= 3 && memcmp(text, byte_order_mark, 3) == 0) {
        text += 3;
        bytes -= 3;
    }
    copy = hl_alloc(bytes + 1, 1);
    if (copy == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for %s", name);
    memcpy(copy, text, bytes);
    status = read_text(&source, copy, bytes, err);
    hl_free(copy);
    if (status == HL_OK && result->runs.count == source.first)
        status = hl_fail(err, HL_BAD_INPUT, "%s: no run in it", name);
    if (status != HL_OK)
        import_shorten(result, source.first);
    return status;
}

enum hl_status import_file(struct import_result *result, const char *path,
                           const struct import_options *options, struct hl_error *err)
{
    char *text;
    size_t bytes;
    enum hl_status status;

    HL_TRY(hl_read_file(path, FILE_BYTES_MAX, &text, &bytes, err));
    status = import_text(result, path, text, bytes, options, err);
    hl_free(text);
    return status;
}

void import_close(struct import_result *result)
{
    run_list_close(&result->runs);
    hl_free(result->studies);
    hl_free(result->slots);
    hl_free(result->fingerprint);
    *result = (struct import_result){0};
}
