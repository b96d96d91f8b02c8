/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ftrace_text.c - lines of scheduling events.
 *
 *     cc1  1234 [001] 123.456789: sched:sched_switch: prev_comm=cc1 prev_pid=1234 prev_prio=120
 *         prev_state=S ==> next_comm=as next_pid=1235 next_prio=120         (one line; perf script)
 *     cc1  1234 [001] 123.456789: sched:sched_switch: cc1:1234 [120] S ==> as:1235 [120]
 *     cc1-1234  [001] d..2. 123.456789: sched_switch: prev_comm=cc1 ...              (ftrace)
 *
 * Names may hold blanks, colons, brackets and " ==>", and are not quoted. So a line is read from
 * the places that names cannot imitate: its head from the cpu to the event's word, which is longer
 * than the 15 bytes of a name; the fields from the right end. A name with a line break makes two
 * lines, which are counted as unread.
 */
#include "trace/ftrace_text.h"

#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"

enum { LINE_BYTES_MAX = 1 << 16, BUFFER_BYTES = 4 * LINE_BYTES_MAX, CPU_MAX = 1 << 20 };

/* Part of a line; not NUL-terminated. */
struct span {
    const char *begin, *end;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip_blanks(struct span *s)
{
    while (s->begin < s->end && (*s->begin == ' ' || *s->begin == '\t'))
        s->begin++;
}

static bool take(struct span *s, const char *word)
{
    size_t length = strlen(word);

    if ((size_t)(s->end - s->begin) < length || memcmp(s->begin, word, length) != 0)
        return false;
    s->begin += length;
    return true;
}

static bool take_number(struct span *s, int64_t most, int64_t *value)
{
    const char *first = s->begin;
    int64_t sum = 0;

    for (; s->begin < s->end && is_digit(*s->begin); s->begin++) {
        sum = sum * 10 + (*s->begin - '0');
        if (sum > most)
            return false;
    }
    *value = sum;
    return s->begin > first;
}

/* "123.456789:", with 1 to 9 decimals; some tools ask the locale and print a comma. */
static bool take_time(struct span *s, int64_t *ns)
{
    int64_t seconds, fraction = 0, unit = HL_NS_PER_S;

    if (!take_number(s, INT64_C(4000000000), &seconds) || (!take(s, ".") && !take(s, ",")))
        return false;
    for (; s->begin < s->end && is_digit(*s->begin) && unit > 1; s->begin++) {
        unit /= 10;
        fraction += (*s->begin - '0') * unit;
    }
    *ns = seconds * HL_NS_PER_S + fraction;
    return unit < HL_NS_PER_S && take(s, ":");
}

/* Cuts `word` off the right end. */
static bool drop(struct span *s, const char *word)
{
    size_t length = strlen(word);

    if ((size_t)(s->end - s->begin) < length || memcmp(s->end - length, word, length) != 0)
        return false;
    s->end -= length;
    return true;
}

/* Cuts a number off the right end. */
static bool drop_number(struct span *s, int64_t *value)
{
    struct span number = {s->end, s->end};

    while (number.begin > s->begin && is_digit(number.begin[-1]))
        number.begin--;
    s->end = number.begin;
    return take_number(&number, INT32_MAX, value);
}

/* The same of a priority, which is negative for deadline tasks. */
static bool drop_priority(struct span *s)
{
    int64_t priority;

    if (!drop_number(s, &priority))
        return false;
    (void)drop(s, "-");
    return true;
}

/* Cuts " KEY=NUMBER" off the right end. */
static bool drop_field(struct span *s, const char *key, int64_t *value)
{
    return drop_number(s, value) && drop(s, key);
}

static bool find(struct span s, const char *word, const char **place)
{
    *place = memmem(s.begin, (size_t)(s.end - s.begin), word, strlen(word));
    return *place != NULL;
}

static void set_name(struct trace_text_task *task, struct span name)
{
    size_t length = HL_MIN((size_t)(name.end - name.begin), sizeof(task->name) - 1);

    memcpy(task->name, name.begin, length);
    task->name[length] = '\0';
}

/* "S", "R+", "D|K": what kept it from running, by its first letter. */
static bool read_state(struct span s, enum trace_state *state)
{
    static const char runnable[] = "R", uninterruptible[] = "DKW", dead[] = "XZx",
                      sleeping[] = "SITtPN";

    if (s.begin == s.end || *s.begin == '\0')
        return false;
    if (strchr(runnable, *s.begin) != NULL)
        *state = TRACE_RUNNABLE;
    else if (strchr(uninterruptible, *s.begin) != NULL)
        *state = TRACE_UNINTERRUPTIBLE;
    else if (strchr(dead, *s.begin) != NULL)
        *state = TRACE_DEAD;
    else if (strchr(sleeping, *s.begin) != NULL)
        *state = TRACE_SLEEPING;
    else
        return false;
    return true;
}

/* Cuts the last word, and the blank before it, off the right end. */
static struct span drop_word(struct span *s)
{
    struct span word = {s->end, s->end};

    while (word.begin > s->begin && word.begin[-1] != ' ')
        word.begin--;
    s->end = word.begin > s->begin ? word.begin - 1 : word.begin;
    return word;
}

/* "prev_comm=NAME prev_pid=1 prev_prio=120 prev_state=S" or "NAME:1 [120] S". */
static bool read_leaving(struct span s, struct trace_text_event *event)
{
    struct span word = drop_word(&s);
    int64_t pid;
    bool has_keys = take(&word, "prev_state=");

    if (!read_state(word, &event->state))
        return false;
    if (has_keys) {
        if (!drop_priority(&s) || !drop(&s, " prev_prio=") || !drop_field(&s, " prev_pid=", &pid) ||
            !take(&s, "prev_comm="))
            return false;
    } else if (!drop(&s, "]") || !drop_priority(&s) || !drop(&s, " [") || !drop_number(&s, &pid) ||
               !drop(&s, ":")) {
        return false;
    }
    event->task.pid = (int32_t)pid;
    set_name(&event->task, s);
    return true;
}

static bool read_switch(struct span s, struct trace_text_event *event)
{
    static const char arrow_key[] = " ==> next_comm=", arrow[] = " ==> ";
    bool has_keys = !drop(&s, "]");
    int64_t pid;
    const char *mark;

    if (!drop_priority(&s))
        return false;
    if (has_keys ? !drop(&s, " next_prio=") || !drop_field(&s, " next_pid=", &pid)
                 : !drop(&s, " [") || !drop_number(&s, &pid) || !drop(&s, ":"))
        return false;
    event->other.pid = (int32_t)pid;
    /* The arrow that has a whole task on its left; names may have arrows of their own. */
    for (struct span rest = s; find(rest, has_keys ? arrow_key : arrow, &mark);
         rest.begin = mark + 1)
        if (read_leaving((struct span){s.begin, mark}, event)) {
            s.begin = mark + strlen(has_keys ? arrow_key : arrow);
            set_name(&event->other, s);
            return true;
        }
    return false;
}

/* "comm=NAME pid=1 prio=120 target_cpu=001", older "... success=1 target_cpu=001"; "NAME:1 [120] CPU:001". */
static bool read_wake(struct span s, struct trace_text_event *event)
{
    int64_t cpu, number, pid;

    if (!drop_number(&s, &cpu))
        return false;
    if (drop(&s, " target_cpu=")) {
        struct span older = s;

        if (drop_field(&older, " success=", &number))
            s = older;
        if (!drop_priority(&s) || !drop(&s, " prio=") || !drop_field(&s, " pid=", &pid) ||
            !take(&s, "comm="))
            return false;
    } else {
        if (!drop(&s, " CPU:"))
            return false;
        (void)(drop(&s, " success=1") || drop(&s, " success=0"));
        if (!drop(&s, "]") || !drop_priority(&s) || !drop(&s, " [") || !drop_number(&s, &pid) ||
            !drop(&s, ":"))
            return false;
    }
    event->task.pid = (int32_t)pid;
    set_name(&event->task, s);
    return true;
}

/* "comm=NAME pid=1 child_comm=NAME child_pid=2" */
static bool read_fork(struct span s, struct trace_text_event *event)
{
    int64_t parent, child;
    const char *mark;

    if (!drop_field(&s, " child_pid=", &child))
        return false;
    for (struct span rest = s; find(rest, " child_comm=", &mark); rest.begin = mark + 1) {
        struct span left = {s.begin, mark};

        if (!drop_field(&left, " pid=", &parent) || !take(&left, "comm="))
            continue;
        event->task.pid = (int32_t)parent;
        set_name(&event->task, left);
        event->other.pid = (int32_t)child;
        set_name(&event->other, (struct span){mark + strlen(" child_comm="), s.end});
        return true;
    }
    return false;
}

/* "filename=/usr/bin/make pid=1 old_pid=1": the name is that of the file, its first 15 bytes. */
static bool read_exec(struct span s, struct trace_text_event *event)
{
    enum { KERNEL_NAME_LENGTH = 15 };
    int64_t pid, old_pid;

    if (!drop_field(&s, " old_pid=", &old_pid) || !drop_field(&s, " pid=", &pid) ||
        !take(&s, "filename="))
        return false;
    for (const char *c = s.begin; c < s.end; c++)
        if (*c == '/')
            s.begin = c + 1;
    s.end = HL_MIN(s.end, s.begin + KERNEL_NAME_LENGTH);
    event->task.pid = (int32_t)pid;
    set_name(&event->task, s);
    return true;
}

/* "comm=NAME pid=1 prio=120", since Linux 6.16 with " group_dead=true" behind it. */
static bool read_exit(struct span s, struct trace_text_event *event)
{
    int64_t pid;

    (void)(drop(&s, " group_dead=true") || drop(&s, " group_dead=false"));
    if (!drop_priority(&s) || !drop(&s, " prio=") || !drop_field(&s, " pid=", &pid) ||
        !take(&s, "comm="))
        return false;
    event->task.pid = (int32_t)pid;
    set_name(&event->task, s);
    return true;
}

static const struct {
    const char *word;
    enum trace_text_kind kind;
    bool (*read)(struct span s, struct trace_text_event *event);
} known_events[] = {
    {"sched_switch", TRACE_TEXT_SWITCH, read_switch},
    {"sched_waking", TRACE_TEXT_WAKE, read_wake},
    {"sched_wakeup", TRACE_TEXT_WAKE, read_wake},
    {"sched_wakeup_new", TRACE_TEXT_WAKE, read_wake},
    {"sched_process_fork", TRACE_TEXT_FORK, read_fork},
    {"sched_process_exec", TRACE_TEXT_EXEC, read_exec},
    {"sched_process_exit", TRACE_TEXT_EXIT, read_exit},
};

enum line_class { LINE_EVENT, LINE_OTHER, LINE_UNREAD };

/* "[001] d..2. 123.456789: ": the cpu's bracket and all up to the event's word. */
static bool take_head(struct span *s, struct trace_text_event *event)
{
    int64_t cpu;

    if (!take(s, "[") || !take_number(s, CPU_MAX, &cpu) || !take(s, "] "))
        return false;
    skip_blanks(s);
    if (!take_time(s, &event->at_ns)) {
        /* ftrace has flags, some of them digits, between cpu and time. */
        while (s->begin < s->end && *s->begin != ' ')
            s->begin++;
        skip_blanks(s);
        if (!take_time(s, &event->at_ns))
            return false;
    }
    skip_blanks(s);
    event->cpu = (int32_t)cpu;
    return true;
}

/* "CPU:0 [LOST 1500 EVENTS]", "CPU:0 [1500 EVENTS DROPPED]", "CPU:0 [EVENTS DROPPED]". */
static bool read_lost(struct span s, struct trace_text_event *event)
{
    int64_t cpu;

    if (!take(&s, "CPU:") || !take_number(&s, CPU_MAX, &cpu) || !take(&s, " ["))
        return false;
    (void)take(&s, "LOST ");
    event->kind = TRACE_TEXT_LOST;
    event->cpu = (int32_t)cpu;
    event->lost = 0;
    (void)take_number(&s, INT64_MAX / 16, &event->lost);
    (void)take(&s, " ");
    return take(&s, "EVENTS");
}

/* "#" comments, blank lines, stacks, what trace-cmd says of itself. */
static bool is_no_event(struct span s)
{
    struct span first = s;
    int digits = 0;

    skip_blanks(&s);
    if (s.begin == s.end || *s.begin == '#' || take(&s, "=> ") || take(&s, "cpus=") ||
        take(&s, "version = ") || (take(&s, "CPU ") && drop(&s, " is empty")))
        return true;
    if (s.begin == first.begin)
        return false;
    while (s.begin < s.end && (is_digit(*s.begin) || (*s.begin >= 'a' && *s.begin <= 'f'))) {
        s.begin++;
        digits++;
    }
    return digits >= 6 && s.begin < s.end && *s.begin == ' ';
}

/* What stands behind a head. */
static enum line_class read_event(struct span s, struct trace_text_event *event)
{
    struct span word;

    if (take(&s, "PERF_RECORD_LOST lost ")) {
        event->kind = TRACE_TEXT_LOST;
        return take_number(&s, INT64_MAX / 16, &event->lost) ? LINE_EVENT : LINE_UNREAD;
    }
    (void)take(&s, "sched:");
    word.begin = s.begin;
    while (s.begin < s.end && *s.begin != ':' && *s.begin != ' ')
        s.begin++;
    word.end = s.begin;
    if (!take(&s, ":"))
        return LINE_OTHER;
    skip_blanks(&s);
    while (s.begin < s.end && s.end[-1] == ' ')
        s.end--;
    for (int i = 0; i < HL_COUNT_OF(known_events); i++)
        if (strlen(known_events[i].word) == (size_t)(word.end - word.begin) &&
            memcmp(known_events[i].word, word.begin, (size_t)(word.end - word.begin)) == 0) {
            event->kind = known_events[i].kind;
            return known_events[i].read(s, event) ? LINE_EVENT : LINE_UNREAD;
        }
    return LINE_OTHER;
}

static enum line_class read_line(struct span s, struct trace_text_event *event)
{
    bool has_head = false;

    if (s.begin < s.end && s.end[-1] == '\r')
        s.end--;
    if (read_lost(s, event))
        return LINE_EVENT;
    if (memchr(s.begin, '\0', (size_t)(s.end - s.begin)) != NULL)
        return LINE_UNREAD;
    /* The first head before an event that is known: a name may look like a head, but has no room
     * for such an event too. */
    for (struct span rest = s; rest.begin < rest.end; rest.begin++) {
        struct span head = rest;
        enum line_class class;

        if (!take_head(&head, event))
            continue;
        has_head = true;
        class = read_event(head, event);
        if (class != LINE_OTHER)
            return class;
    }
    return has_head || is_no_event(s) ? LINE_OTHER : LINE_UNREAD;
}

/* ---- the file ---- */

static enum hl_status refill(struct trace_text *text, struct hl_error *err)
{
    size_t got;

    memmove(text->buffer, text->buffer + text->begin, text->end - text->begin);
    text->end -= text->begin;
    text->begin = 0;
    got = fread(text->buffer + text->end, 1, BUFFER_BYTES - text->end, text->file);
    text->end += got;
    if (got == 0) {
        if (ferror(text->file))
            return hl_fail(err, HL_BAD_INPUT, "%s: %s", text->path, strerror(errno));
        text->at_end = true;
    }
    return HL_OK;
}

/* The next line without its end; begin NULL after the last. Too long a one is cut short, with *is_cut. */
static enum hl_status next_line(struct trace_text *text, struct span *line, bool *is_cut,
                                struct hl_error *err)
{
    *line = (struct span){0};
    *is_cut = false;
    for (;;) {
        char *begin = text->buffer + text->begin;
        size_t held = text->end - text->begin;
        char *stop = memchr(begin, '\n', held);

        if (stop != NULL || (text->at_end && (held > 0 || *is_cut))) {
            text->line++;
            *line = (struct span){begin, stop == NULL ? begin + held : stop};
            text->begin += (size_t)(line->end - begin) + (stop != NULL);
            return HL_OK;
        }
        if (text->at_end)
            return HL_OK;
        if (held >= LINE_BYTES_MAX) {
            /* Forget what there is of it and look on for its end. */
            text->begin = text->end;
            *is_cut = true;
        }
        HL_TRY(refill(text, err));
    }
}

static enum hl_status refuse_binary(struct trace_text *text, struct hl_error *err)
{
    static const struct {
        const char *magic, *what, *command;
    } kinds[] = {{"PERFILE2", "a perf.data file", "perf script --ns -i"},
                 {"\x17\x08\x44tracing", "a trace.dat file", "trace-cmd report -t"},
                 {"\x1f\x8b", "compressed", "zcat"},
                 {"\x28\xb5\x2f\xfd", "compressed", "zstdcat"},
                 {"\xfd\x37zXZ", "compressed", "xzcat"},
                 {"BZh", "compressed", "bzcat"}};
    enum { HEAD_BYTES = 16 }; /* a line has no byte of zero so early: its cpu is not there yet */

    HL_TRY(refill(text, err));
    for (int i = 0; i < HL_COUNT_OF(kinds); i++) {
        struct span start = {text->buffer, text->buffer + text->end};

        if (take(&start, kinds[i].magic))
            return hl_fail(err, HL_BAD_INPUT, "%s: is %s; expected text, as \"%s %s\" prints it",
                           text->path, kinds[i].what, kinds[i].command, text->path);
    }
    if (text->end > 0 && memchr(text->buffer, '\0', HL_MIN(text->end, HEAD_BYTES)) != NULL)
        return hl_fail(err, HL_BAD_INPUT,
                       "%s: is binary; expected text, as \"perf script --ns\" prints it",
                       text->path);
    return HL_OK;
}

enum hl_status trace_text_open_stream(struct trace_text *text, const char *name, FILE *file,
                                      struct hl_error *err)
{
    enum hl_status status;

    *text = (struct trace_text){.path = hl_strdup(name), .file = file};
    text->buffer = hl_alloc(BUFFER_BYTES, 1);
    if (text->path == NULL || text->buffer == NULL)
        status = hl_fail(err, HL_NO_MEMORY, "out of memory for reading %s", name);
    else
        status = refuse_binary(text, err);
    if (status != HL_OK)
        trace_text_close(text);
    return status;
}

enum hl_status trace_text_open(struct trace_text *text, const char *path, struct hl_error *err)
{
    FILE *file;

    *text = (struct trace_text){0};
    if (strcmp(path, "-") == 0)
        return trace_text_open_stream(text, "standard input", stdin, err);
    file = fopen(path, "re");
    if (file == NULL)
        return hl_fail(err, HL_BAD_INPUT, "%s: %s", path, strerror(errno));
    return trace_text_open_stream(text, path, file, err);
}

void trace_text_close(struct trace_text *text)
{
    if (text->file != NULL && text->file != stdin)
        (void)fclose(text->file);
    hl_free(text->path);
    hl_free(text->buffer);
    *text = (struct trace_text){0};
}

static void count_unread(struct trace_text *text)
{
    if (text->unread_count++ == 0)
        text->unread_first = text->line;
}

enum hl_status trace_text_next(struct trace_text *text, struct trace_text_event *event, bool *more,
                               struct hl_error *err)
{
    struct span line;
    bool is_cut;

    *more = false;
    for (;;) {
        HL_TRY(next_line(text, &line, &is_cut, err));
        if (line.begin == NULL)
            return HL_OK;
        event->cpu = -1;
        switch (is_cut ? LINE_UNREAD : read_line(line, event)) {
        case LINE_UNREAD: count_unread(text); continue;
        case LINE_OTHER: text->other_count++; continue;
        case LINE_EVENT: break;
        }
        if (event->kind == TRACE_TEXT_LOST) {
            event->at_ns = text->last_ns;
        } else if (text->event_count > 0 && event->at_ns < text->last_ns) {
            text->backward_count++;
            text->backward_most_ns = HL_MAX(text->backward_most_ns, text->last_ns - event->at_ns);
        }
        text->last_ns = event->kind == TRACE_TEXT_LOST ? text->last_ns : event->at_ns;
        text->event_count++;
        *more = true;
        return HL_OK;
    }
}
