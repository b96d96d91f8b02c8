/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * status.h - how every function of the library says that it could not do its work.
 *
 * A function that can fail returns enum hl_status and takes struct hl_error last. Nothing outside
 * src/cli prints or exits. The message is one line: what was found, what was expected, where.
 */
#ifndef HL_BASE_STATUS_H
#define HL_BASE_STATUS_H

#define HL_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define HL_MUST_CHECK __attribute__((warn_unused_result))

enum hl_status {
    HL_OK,
    HL_USAGE,         /* the command line is wrong                        exit 1 */
    HL_REGRESSION,    /* --fail-on-regression found one                   exit 2 */
    HL_RUN_FAILED,    /* some runs failed; the rest of the result stands  exit 3 */
    HL_BAD_INPUT,     /* a file is damaged or malformed                   exit 4 */
    HL_NOT_PERMITTED, /* the system refuses                               exit 5 */
    HL_UNSUPPORTED,   /* the system lacks it                              exit 5 */
    HL_NO_MEMORY,     /*                                                  exit 6 */
    HL_BAD_POLICY,    /* a policy gave an answer that cannot be true      exit 6 */
    HL_INTERNAL,      /* a bug of ours                                    exit 6 */
    HL_INTERRUPTED,   /* SIGINT or SIGTERM                                exit 130 */
};

struct hl_error {
    enum hl_status status;
    char text[512]; /* one line, no newline; truncated if longer */
};

/* Fills *err (which may be NULL) and returns `status`, so that callers write `return hl_fail(...)`. */
enum hl_status hl_fail(struct hl_error *err, enum hl_status status, const char *format, ...)
    HL_PRINTF(3, 4) HL_MUST_CHECK;

/* The process exit code of a status, by the table above. */
int hl_exit_code(enum hl_status status);

/* Forwards a failure to the caller. */
#define HL_TRY(call)                                                                               \
    do {                                                                                           \
        enum hl_status hl_try_status = (call);                                                     \
        if (hl_try_status != HL_OK)                                                                \
            return hl_try_status;                                                                  \
    } while (0)

#endif
