/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machines.c - whether both arms had the same machine and kernel, and played the same.
 *
 * A session keeps a fingerprint: what must match for a comparison to be one of the arms alone, and
 * what is worth knowing. What differs is named and nothing is refused: a new kernel is often what is
 * compared. Old studies and imported files have none, and other programs may have written anything.
 */
#include <string.h>

#include "base/format.h"
#include "base/json.h"
#include "base/memory.h"
#include "compare/comparison.h"

enum { VALUE_BYTES = 80 };

/* A fingerprint, read. */
struct print {
    struct hl_json file;
    bool is_there;
};

/* What cannot be read is not there. */
static void print_open(struct print *print, const struct compare_arm *arm)
{
    const char *text = arm->fingerprint;

    *print = (struct print){0};
    if (text == NULL || text[0] == '\0')
        return;
    print->is_there = hl_json_parse(&print->file, arm->name, text, strlen(text), NULL) == HL_OK &&
                      (json_is_object(json_object_get(print->file.root, "must_match")) ||
                       json_is_object(json_object_get(print->file.root, "informational")) ||
                       json_is_object(json_object_get(print->file.root, "workload")));
}

/* A value as text; cut where it is long. */
static const char *value_text(const json_t *value, char text[VALUE_BYTES])
{
    char *other = NULL;

    if (json_is_string(value))
        (void)hl_format(text, VALUE_BYTES, "%s", json_string_value(value));
    else if (value == NULL || json_is_null(value))
        (void)hl_format(text, VALUE_BYTES, "not known");
    else if ((other = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT)) != NULL)
        (void)hl_format(text, VALUE_BYTES, "%s", other);
    else
        (void)hl_format(text, VALUE_BYTES, "?");
    hl_free(other);
    if (strlen(text) == VALUE_BYTES - 1)
        memcpy(text + VALUE_BYTES - 4, "...", 4);
    return text;
}

/* ---- key by key ---- */

/* What is done with a key that differs. `name` is the key with blanks for underscores. */
struct differing {
    struct compare_work *work;
    const char *of; /* " (NEW)" where there are several new arms */
    bool is_listed; /* in `list`, not as a note each */
    char list[COMPARE_REASON_BYTES - VALUE_BYTES - 32]; /* with what stands before it, a note */
};

static enum hl_status say_key(struct differing *differing, const char *key, const json_t *base,
                              const json_t *new, struct hl_error *err)
{
    char name[VALUE_BYTES], old_text[VALUE_BYTES], new_text[VALUE_BYTES];

    if (json_equal(base, new))
        return HL_OK;
    (void)hl_format(name, sizeof(name), "%s", key);
    /* Names of the kernel's own settings stay as they are. */
    for (char *c = name; *c != '\0' && strpbrk(key, "./") == NULL; c++)
        *c = *c == '_' ? ' ' : *c;
    (void)value_text(base, old_text);
    (void)value_text(new, new_text);
    if (differing->is_listed) {
        compare_list_add(differing->list, sizeof(differing->list), "%s %s | %s", name, old_text,
                         new_text);
        return HL_OK;
    }
    return compare_note_add(differing->work->result, COMPARE_NOTE_MACHINE, err,
                            "warning: %s differs%s: %s | %s", name, differing->of, old_text,
                            new_text);
}

static bool has_part(const struct print *print, const char *part)
{
    return json_is_object(json_object_get(print->file.root, part));
}

/* Keys of base in their order, then those that only new has. */
static enum hl_status walk(struct differing *differing, const struct print *base,
                           const struct print *new, const char *part, struct hl_error *err)
{
    json_t *old_keys = json_object_get(base->file.root, part);
    json_t *new_keys = json_object_get(new->file.root, part);
    const char *key;
    json_t *value;

    json_object_foreach(old_keys, key, value)
        HL_TRY(say_key(differing, key, value, json_object_get(new_keys, key), err));
    json_object_foreach(new_keys, key, value) if (json_object_get(old_keys, key) == NULL)
        HL_TRY(say_key(differing, key, NULL, value, err));
    return HL_OK;
}

static enum hl_status note_prints(struct compare_work *work, const struct print *base,
                                  const struct print *new, const char *of, struct hl_error *err)
{
    struct differing differing = {.work = work, .of = of};

    /* A simulated study has no machine of its own, and plays a model of what a real one plays. */
    if (has_part(base, "must_match") != has_part(new, "must_match"))
        return HL_OK;
    HL_TRY(walk(&differing, base, new, "must_match", err));
    /* Older studies do not say what they played. */
    if (has_part(base, "workload") && has_part(new, "workload"))
        HL_TRY(walk(&differing, base, new, "workload", err));
    differing.is_listed = true;
    HL_TRY(walk(&differing, base, new, "informational", err));
    if (differing.list[0] == '\0')
        return HL_OK;
    return compare_note_add(work->result, COMPARE_NOTE_MACHINE, err, "also differs%s: %s", of,
                            differing.list);
}

/* ---- what every run says ---- */

static enum hl_status note_records(struct compare_work *work, const struct run *base,
                                   const struct run *new, const char *of, struct hl_error *err)
{
    if (base->source != new->source)
        HL_TRY(compare_note_add(work->result, COMPARE_NOTE_MACHINE, err,
                                "warning: source of the runs differs%s: %s | %s", of,
                                run_source_name(base->source), run_source_name(new->source)));
    if (base->machine[0] == '\0' || new->machine[0] == '\0' ||
        strcmp(base->machine, new->machine) == 0)
        return HL_OK;
    return compare_note_add(work->result, COMPARE_NOTE_MACHINE, err,
                            "warning: machine differs%s: %.90s | %.90s", of, base->machine,
                            new->machine);
}

static enum hl_status note_arm(struct compare_work *work, const struct compare_arm *base,
                               const struct compare_arm *new, struct hl_error *err)
{
    char of[VALUE_BYTES + 4] = "";
    struct print base_print, new_print;
    enum hl_status status = HL_OK;

    if (work->request->new_count > 1)
        (void)hl_format(of, sizeof(of), " (%.*s)", VALUE_BYTES, new->name);
    if (base->run_count > 0 && new->run_count > 0)
        HL_TRY(note_records(work, base->runs[0], new->runs[0], of, err));
    print_open(&base_print, base);
    print_open(&new_print, new);
    if (base_print.is_there && new_print.is_there)
        status = note_prints(work, &base_print, &new_print, of, err);
    hl_json_close(&base_print.file);
    hl_json_close(&new_print.file);
    return status;
}

enum hl_status compare_note_machines(struct compare_work *work, struct hl_error *err)
{
    const struct compare_request *request = work->request;

    for (size_t i = 0; i < request->new_count; i++)
        if (request->news[i].session != compare_base_of(request, i)->session)
            HL_TRY(note_arm(work, compare_base_of(request, i), &request->news[i], err));
    return HL_OK;
}
