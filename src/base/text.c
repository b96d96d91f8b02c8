/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.c - strict parsers for numbers, durations and words, whole files, near words.
 *
 * Own digit loops instead of strtol and strtod: those skip blanks, stop at rubbish and follow the
 * locale's decimal point.
 */
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/units.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* value = value * 10 + digit, false on overflow. Numbers are built as negatives, since INT64_MIN
 * has no positive counterpart. */
static bool push_digit(int64_t *negative, int digit)
{
    return !__builtin_mul_overflow(*negative, 10, negative) &&
           !__builtin_sub_overflow(*negative, digit, negative);
}

static bool give_signed(int64_t negative, bool is_negative, int64_t *value)
{
    if (!is_negative && negative == INT64_MIN)
        return false;
    *value = is_negative ? negative : -negative;
    return true;
}

bool hl_parse_int(const char *text, int64_t *value)
{
    bool is_negative = *text == '-';
    int64_t negative = 0;

    if (*text == '-' || *text == '+')
        text++;
    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++)
        if (!is_digit(*text) || !push_digit(&negative, *text - '0'))
            return false;
    return give_signed(negative, is_negative, value);
}

/*
 * The decimal number in text[0 .. length) times `scale`. With f digits after the point and a scale
 * of 10^n, the digits alone are worth 10^(n - f): that many zeros follow, or the last f - n digits
 * are rounded off.
 */
static bool parse_decimal_span(const char *text, size_t length, int64_t scale, int64_t *value)
{
    bool is_negative = length > 0 && text[0] == '-', has_point = false;
    int64_t negative = 0;
    int zeros = 0, digits = 0, fraction = 0, kept, place = 0;
    size_t start = length > 0 && (text[0] == '-' || text[0] == '+') ? 1 : 0;

    for (; scale > 1; scale /= 10)
        zeros++;
    if (length > 1 && text[length - 1] == '%') {
        zeros -= 2;
        length--;
    }
    if (length > 100 || start == length || text[length - 1] == '.')
        return false;
    for (size_t i = start; i < length; i++) {
        if (text[i] == '.' && !has_point)
            has_point = true;
        else if (!is_digit(text[i]))
            return false;
        else if (digits++, has_point)
            fraction++;
    }
    zeros -= fraction;
    kept = zeros < 0 ? digits + zeros : digits;
    for (size_t i = start; i < length; i++) {
        if (text[i] == '.')
            continue;
        if (place < kept && !push_digit(&negative, text[i] - '0'))
            return false;
        if (place == kept && text[i] >= '5' && __builtin_sub_overflow(negative, 1, &negative))
            return false;
        place++;
    }
    for (; zeros > 0; zeros--)
        if (!push_digit(&negative, 0))
            return false;
    return give_signed(negative, is_negative, value);
}

bool hl_parse_decimal(const char *text, int64_t scale, int64_t *value)
{
    return parse_decimal_span(text, strlen(text), scale, value);
}

bool hl_parse_double(const char *text, double *value)
{
    size_t digits, sign = text[0] == '-' || text[0] == '+' ? 1 : 0;
    locale_t c_locale;
    char *end;

    /* strtod also takes blanks, names and hexadecimal. */
    if (strspn(text, "+-.0123456789eE") != strlen(text))
        return false;
    digits = strspn(text + sign, ".0123456789");
    if (digits == 0 || text[sign + digits - 1] == '.')
        return false;
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0)
        return false;
    *value = strtod_l(text, &end, c_locale);
    freelocale(c_locale);
    return *end == '\0' && isfinite(*value);
}

bool hl_parse_duration_ns(const char *text, int64_t *ns)
{
    static const struct {
        const char *unit;
        int64_t scale, factor; /* a number in this unit, times both, is nanoseconds */
    } units[] = {
        {"", 1, 1},
        {"ns", 1, 1},
        {"us", HL_NS_PER_US, 1},
        {"ms", HL_NS_PER_MS, 1},
        {"s", HL_NS_PER_S, 1},
        {"m", HL_NS_PER_S, 60},
    };
    size_t length = strspn(text, "+-.0123456789");

    for (int i = 0; i < HL_COUNT_OF(units); i++)
        if (strcmp(text + length, units[i].unit) == 0)
            return parse_decimal_span(text, length, units[i].scale, ns) &&
                   !__builtin_mul_overflow(*ns, units[i].factor, ns);
    return false;
}

bool hl_parse_bytes(const char *text, int64_t *bytes)
{
    static const char suffixes[] = "kMGT";
    char digits[32];
    size_t length = strlen(text);
    int64_t factor = 1;

    if (length == 0 || length >= sizeof(digits) || !is_digit(text[0]))
        return false;
    memcpy(digits, text, length + 1);
    if (!is_digit(text[length - 1])) {
        const char *suffix = strchr(suffixes, text[length - 1] == 'K' ? 'k' : text[length - 1]);

        if (suffix == NULL)
            return false;
        factor = INT64_C(1024) << (10 * (suffix - suffixes));
        digits[length - 1] = '\0';
    }
    return hl_parse_int(digits, bytes) && !__builtin_mul_overflow(*bytes, factor, bytes);
}

int hl_split(char *text, char separator, char **pieces, int max)
{
    int count = 0;

    for (;;) {
        char *out = text;

        if (count == max)
            return max + 1;
        pieces[count++] = out;
        while (*text != '\0' && *text != separator) {
            if (*text == '\\' && text[1] != '\0')
                text++;
            *out++ = *text++;
        }
        if (*text == '\0') {
            *out = '\0';
            return count;
        }
        *out = '\0';
        text++;
    }
}

/* NULL: *err says why. A FIFO would block until somebody writes, a terminal until somebody types. */
static FILE *open_regular(const char *path, struct hl_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat found;
    FILE *file = NULL;
    enum hl_status status = HL_OK;

    if (path[0] == '\0')
        status = hl_fail(err, HL_BAD_INPUT, "the name of a file is empty; expected one to read");
    else if (fd < 0 || fstat(fd, &found) != 0)
        status = hl_fail(err, HL_BAD_INPUT, "%s: %s", path, strerror(errno));
    else if (S_ISDIR(found.st_mode))
        status = hl_fail(err, HL_BAD_INPUT, "%s: %s", path, strerror(EISDIR));
    else if (!S_ISREG(found.st_mode))
        status = hl_fail(err, HL_BAD_INPUT, "%s: not a regular file", path);
    else if ((file = fdopen(fd, "rb")) == NULL)
        status = hl_fail(err, HL_BAD_INPUT, "%s: %s", path, strerror(errno));
    if (status != HL_OK && fd >= 0)
        (void)close(fd);
    return file;
}

char *hl_next_line(char **rest)
{
    char *line = *rest, *end;

    if (line == NULL || *line == '\0')
        return NULL;
    end = strchr(line, '\n');
    *rest = end == NULL ? NULL : end + 1;
    if (end != NULL)
        *end = '\0';
    return line;
}

enum hl_status hl_read_file(const char *path, size_t max_bytes, char **text, size_t *bytes,
                            struct hl_error *err)
{
    enum hl_status status = HL_OK;
    char *content = NULL;
    size_t capacity = 0, used = 0;
    FILE *file = open_regular(path, err);

    if (file == NULL)
        return HL_BAD_INPUT;
    /* Files of /proc and /sys say 0 bytes, so the size is found by reading. */
    for (;;) {
        size_t got;

        status = hl_grow(&content, &capacity, used + 4096, 1, err);
        if (status != HL_OK)
            break;
        got = fread(content + used, 1, capacity - used - 1, file);
        used += got;
        if (used > max_bytes) {
            status = hl_fail(err, HL_BAD_INPUT, "%s: larger than %zu bytes, the most expected here",
                             path, max_bytes);
            break;
        }
        if (ferror(file) != 0) {
            status = hl_fail(err, HL_BAD_INPUT, "%s: %s", path, strerror(errno));
            break;
        }
        if (got == 0)
            break;
    }
    (void)fclose(file);
    if (status != HL_OK) {
        hl_free(content);
        return status;
    }
    content[used] = '\0';
    *text = content;
    if (bytes != NULL)
        *bytes = used;
    return HL_OK;
}

enum { WORD_BYTES_MAX = 64 };

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

/* Edit distance of two short words where case does not count and swapping two neighbours is one
 * edit (optimal string alignment). */
static int word_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int row[3][WORD_BYTES_MAX + 1];

    for (size_t j = 0; j <= b_length; j++)
        row[0][j] = (int)j;
    for (size_t i = 1; i <= a_length; i++) {
        int *now = row[i % 3], *before = row[(i + 2) % 3], *before2 = row[(i + 1) % 3];

        now[0] = (int)i;
        for (size_t j = 1; j <= b_length; j++) {
            bool is_same = lower(a[i - 1]) == lower(b[j - 1]);
            int best = before[j - 1] + (is_same ? 0 : 1);

            best = HL_MIN(best, before[j] + 1);
            best = HL_MIN(best, now[j - 1] + 1);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1]))
                best = HL_MIN(best, before2[j - 2] + 1);
            now[j] = best;
        }
    }
    return row[a_length % 3][b_length];
}

const char *hl_nearest_word(const char *word, const char *const *known, int known_count)
{
    size_t length = strlen(word);
    const char *nearest = NULL;
    int best = 1 + (int)(length / 4); /* more edits than this and it is another word */

    if (length == 0 || length > WORD_BYTES_MAX)
        return NULL;
    for (int i = 0; i < known_count; i++) {
        size_t known_length = strlen(known[i]);
        int distance;

        if (known_length > WORD_BYTES_MAX)
            continue;
        distance = word_distance(word, length, known[i], known_length);
        /* A one-letter word is one edit from every other one. */
        if (distance >= (int)HL_MAX(length, known_length))
            continue;
        if (distance < best || (distance == best && nearest == NULL)) {
            best = distance;
            nearest = known[i];
        }
    }
    if (nearest != NULL || length < 3)
        return nearest;
    for (int i = 0; i < known_count; i++)
        if (strncmp(word, known[i], length) == 0)
            return known[i];
    return NULL;
}

enum hl_status hl_fail_unknown(struct hl_error *err, enum hl_status status, const char *where,
                               const char *kind, const char *word, const char *const *known,
                               int known_count)
{
    const char *nearest = hl_nearest_word(word, known, known_count);
    char list[320] = "";
    size_t used = 0;

    for (int i = 0; i < known_count; i++) {
        int written =
            snprintf(list + used, sizeof(list) - used, "%s%s", i == 0 ? "" : ", ", known[i]);

        if (written < 0 || used + (size_t)written + sizeof(", and 99999 more") > sizeof(list)) {
            (void)snprintf(list + used, sizeof(list) - used, " and %d more", known_count - i);
            break;
        }
        used += (size_t)written;
    }
    return hl_fail(err, status, "%s%sunknown %s \"%.64s\"; %s%s%sknown: %s",
                   where == NULL ? "" : where, where == NULL || *where == '\0' ? "" : ": ", kind,
                   word, nearest == NULL ? "" : "did you mean \"", nearest == NULL ? "" : nearest,
                   nearest == NULL ? "" : "\"? ", known_count == 0 ? "none" : list);
}
