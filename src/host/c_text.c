/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * c_text.c - writes C headers and units for the generated tree.
 *
 * A function is a row of statements drawn from a handful of shapes that keep a compiler busy the
 * way ordinary code does: loops over arrays, switches, chains of conditions, bit tricks, 64-bit
 * arithmetic, calls of inline functions of the shared headers. All arithmetic is unsigned, indices
 * are masked, loops are bounded: the result is defined whatever the constants are.
 */
#include "host/c_text.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include "base/memory.h"

enum {
    HEADERS_PER_UNIT = 10,
    INLINES_PER_HEADER = 6,
    STATEMENTS_PER_FUNCTION = 4,
};

void host_text_add(struct host_text *text, const char *format, ...)
{
    va_list arguments;
    int needed;

    if (text->status != HL_OK)
        return;
    va_start(arguments, format);
    needed = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    assert(needed >= 0);
    text->status =
        hl_grow(&text->bytes, &text->capacity, text->count + (size_t)needed + 1, 1, NULL);
    if (text->status != HL_OK)
        return;
    va_start(arguments, format);
    (void)vsnprintf(text->bytes + text->count, (size_t)needed + 1, format, arguments);
    va_end(arguments);
    text->count += (size_t)needed;
}

void host_text_clear(struct host_text *text)
{
    text->count = 0;
}

enum hl_status host_text_check(const struct host_text *text, struct hl_error *err)
{
    if (text->status != HL_OK)
        return hl_fail(err, text->status, "out of memory for %zu bytes of generated source",
                       text->count);
    return HL_OK;
}

void host_text_close(struct host_text *text)
{
    hl_free(text->bytes);
    *text = (struct host_text){0};
}

static unsigned draw(struct hl_rng *rng, unsigned bound)
{
    return (unsigned)hl_rng_below(rng, bound);
}

/* An odd constant: multiplying by it loses no bit. */
static unsigned draw_odd(struct hl_rng *rng)
{
    return (unsigned)hl_rng_next(rng) | 1u;
}

/*
 * Every draw is a statement of its own: the order in which arguments of a call are evaluated differs
 * between compilers, and so would the text.
 */

static void add_header_inline(struct host_text *text, int header, int step, struct hl_rng *rng)
{
    unsigned factor = draw_odd(rng), is_wide = draw(rng, 2), number = draw(rng, 1000);
    unsigned divisor = 3 + draw(rng, 30), rest = draw(rng, 3);
    unsigned state = draw(rng, 8), other_state = draw(rng, 8);

    host_text_add(text,
                  "static inline unsigned h%02d_step%d(struct h%02d *s, unsigned x)\n{\n"
                  "    s->first += H%02d_MIX(x, 0x%xu);\n",
                  header, step, header, header, factor);
    if (is_wide != 0)
        host_text_add(text,
                      "    s->total += (unsigned long long)s->first * (x | %uu);\n"
                      "    return H%02d_ROLL(s->first) ^ s->small[x & 7u];\n}\n\n",
                      number, header);
    else
        host_text_add(text,
                      "    if (s->first %% %uu == %uu)\n"
                      "        s->state = (x & 1u) != 0 ? H%02d_S%u : H%02d_S%u;\n"
                      "    s->small[x & 7u] = (unsigned short)(s->first >> 3);\n"
                      "    return s->second + (unsigned)s->state;\n}\n\n",
                      divisor, rest, header, state, header, other_state);
}

void host_c_header_add(struct host_text *text, int number, struct hl_rng *rng)
{
    unsigned any_below = draw(rng, number == 0 ? 1 : (unsigned)number);
    unsigned shift = 5 + draw(rng, 12), factor = draw_odd(rng);

    host_text_add(text, "#ifndef H%02d_H\n#define H%02d_H\n\n", number, number);
    /* Chains of includes, as in any grown tree: each header pulls in two below it. */
    if (number > 0)
        host_text_add(text, "#include \"h%02d.h\"\n#include \"h%02u.h\"\n\n",
                      number < 2 ? 0 : number - 2, any_below);
    host_text_add(text, "enum h%02d_state {", number);
    for (unsigned i = 0; i < 8; i++)
        host_text_add(text, " H%02d_S%u = %u,", number, i, 16 * i + draw(rng, 16));
    host_text_add(text,
                  " };\n\nstruct h%02d {\n"
                  "    unsigned first, second, third;\n"
                  "    unsigned short small[8];\n"
                  "    unsigned long long total;\n"
                  "    enum h%02d_state state;\n"
                  "};\n\n"
                  "#define H%02d_MIX(x, k) (((x) ^ ((x) >> %u)) * 0x%xu + (k))\n"
                  "#define H%02d_ROLL(x) (((x) << 7) | ((x) >> 25))\n\n",
                  number, number, number, shift, factor, number);
    for (int i = 0; i < INLINES_PER_HEADER; i++)
        add_header_inline(text, number, i, rng);
    host_text_add(text, "#endif\n");
}

/* Where a statement stands: functions below `function` may be called, `header` has the struct. */
struct c_scope {
    int unit, function, header;
};

static void add_array_loop(struct host_text *text, const struct c_scope *scope, struct hl_rng *rng)
{
    unsigned rounds = 4 + draw(rng, 12), step = draw(rng, INLINES_PER_HEADER);
    unsigned distance = 1 + draw(rng, 14);

    host_text_add(text,
                  "    for (unsigned i = 0; i < %uu; i++) {\n"
                  "        local[i & 15u] ^= H%02d_MIX(acc + i, n);\n"
                  "        acc += h%02d_step%u(p, local[(i + %uu) & 15u]);\n"
                  "    }\n",
                  rounds, scope->header, scope->header, step, distance);
}

static void add_case(struct host_text *text, unsigned number, const struct c_scope *scope,
                     struct hl_rng *rng)
{
    unsigned shape = draw(rng, 3), constant = draw_odd(rng);
    unsigned index = draw(rng, 16), other_index = draw(rng, 16);

    switch (shape) {
    case 0:
        host_text_add(
            text, "    case %u: acc = H%02d_ROLL(acc) + p->small[%u]; p->second ^= acc; break;\n",
            number, scope->header, index % 8);
        break;
    case 1:
        host_text_add(text,
                      "    case %u: local[%u] -= p->third * 0x%xu; acc ^= local[%u]; break;\n",
                      number, index, constant, other_index);
        break;
    default:
        host_text_add(text, "    case %u: p->third = acc > 0x%xu ? acc : acc + n; break;\n", number,
                      constant);
        break;
    }
}

static void add_switch(struct host_text *text, const struct c_scope *scope, struct hl_rng *rng)
{
    unsigned cases = 4 + draw(rng, 5), added = draw(rng, 4096);

    host_text_add(text, "    switch (acc %% %uu) {\n", cases + 1);
    for (unsigned i = 0; i < cases; i++)
        add_case(text, i, scope, rng);
    host_text_add(text, "    default: acc += %uu; break;\n    }\n", added);
}

static void add_conditions(struct host_text *text, const struct c_scope *scope, struct hl_rng *rng)
{
    unsigned mask = draw_odd(rng) & 0xffffu, divisor = 3 + draw(rng, 97);
    unsigned step = draw(rng, INLINES_PER_HEADER), state = draw(rng, 8), index = draw(rng, 8);
    unsigned limit = draw(rng, 60000), modulus = 3 + draw(rng, 1000), shift = 1 + draw(rng, 40);

    host_text_add(text,
                  "    if (p->first > p->second && (acc & 0x%xu) != 0) {\n"
                  "        p->second += acc / %uu;\n"
                  "        acc = h%02d_step%u(p, p->second);\n"
                  "    } else if (p->state == H%02d_S%u || p->small[%u] > %uu) {\n"
                  "        p->first ^= local[acc & 15u] %% %uu;\n"
                  "    } else {\n"
                  "        acc += (unsigned)(p->total >> %u) ^ n;\n"
                  "    }\n",
                  mask, divisor, scope->header, step, scope->header, state, index, limit, modulus,
                  shift);
}

static void add_nested_loop(struct host_text *text, const struct c_scope *scope, struct hl_rng *rng)
{
    unsigned outer = 3 + draw(rng, 6), inner = 9 + draw(rng, 7);
    unsigned factor = draw_odd(rng), shift = 3 + draw(rng, 20);

    (void)scope;
    host_text_add(text,
                  "    for (unsigned i = 0; i < %uu; i++)\n"
                  "        for (unsigned k = i; k < %uu; k++) {\n"
                  "            unsigned t = local[i] + local[k] * 0x%xu;\n"
                  "            local[k] = (t ^ (t >> %u)) - p->small[(i + k) & 7u];\n"
                  "            if (t < acc)\n"
                  "                acc -= t;\n"
                  "        }\n",
                  outer, inner, factor, shift);
}

static void add_bit_loop(struct host_text *text, const struct c_scope *scope, struct hl_rng *rng)
{
    unsigned start = draw_odd(rng), factor = 3 + draw(rng, 1000);

    host_text_add(
        text,
        "    for (unsigned bits = acc ^ 0x%xu, step = 0; bits != 0 && step < 32u; step++) {\n"
        "        bits &= bits - 1u;\n"
        "        p->total = p->total * %uu + (bits ^ local[step & 15u]);\n"
        "        acc = H%02d_MIX(acc, step);\n"
        "    }\n",
        start, factor, scope->header);
}

static void add_wide(struct host_text *text, const struct c_scope *scope, struct hl_rng *rng)
{
    unsigned factor = draw_odd(rng), shift = 1 + draw(rng, 31), index = draw(rng, 16);
    unsigned divisor = 3 + draw(rng, 5000), modulus = 3 + draw(rng, 5000);

    (void)scope;
    host_text_add(
        text,
        "    p->total ^= (unsigned long long)acc * 0x%xu + ((unsigned long long)n << %u);\n"
        "    local[%u] += (unsigned)(p->total / %uu) + (unsigned)(p->total %% %uu);\n",
        factor, shift, index, divisor, modulus);
}

/* `n` halves with every call, so that chains of calls end whatever the generator draws. */
static void add_call(struct host_text *text, const struct c_scope *scope, struct hl_rng *rng)
{
    unsigned least = 1 + draw(rng, 2);

    if (scope->function == 0) {
        add_wide(text, scope, rng);
        return;
    }
    host_text_add(text,
                  "    if (n > %uu)\n"
                  "        acc ^= u%04d_f%u(local, n >> 1);\n",
                  least, scope->unit, draw(rng, (unsigned)scope->function));
}

static void add_function(struct host_text *text, const struct c_scope *scope, struct hl_rng *rng)
{
    static void (*const shapes[])(struct host_text *, const struct c_scope *, struct hl_rng *) = {
        add_array_loop, add_switch, add_conditions, add_nested_loop,
        add_bit_loop,   add_wide,   add_call,
    };
    unsigned second = draw_odd(rng), factor = draw_odd(rng);

    host_text_add(text,
                  "unsigned u%04d_f%d(unsigned *local, unsigned n)\n{\n"
                  "    struct h%02d state = {.first = n, .second = 0x%xu, .small = {1, 2, 3}};\n"
                  "    struct h%02d *p = &state;\n"
                  "    unsigned acc = n * 0x%xu;\n\n",
                  scope->unit, scope->function, scope->header, second, scope->header, factor);
    for (int i = 0; i < STATEMENTS_PER_FUNCTION; i++)
        shapes[draw(rng, sizeof(shapes) / sizeof(shapes[0]))](text, scope, rng);
    host_text_add(text, "    return acc ^ p->first ^ (unsigned)p->total;\n}\n\n");
}

void host_c_unit_add(struct host_text *text, int number, int functions, struct hl_rng *rng)
{
    int headers[HEADERS_PER_UNIT];

    for (int i = 0; i < HEADERS_PER_UNIT; i++) {
        headers[i] = (int)draw(rng, HOST_C_HEADERS);
        host_text_add(text, "#include \"h%02d.h\"\n", headers[i]);
    }
    host_text_add(text, "\nunsigned u%04d(unsigned seed);\n\n", number);
    for (int i = 0; i < functions; i++) {
        struct c_scope scope = {
            .unit = number, .function = i, .header = headers[draw(rng, HEADERS_PER_UNIT)]};

        add_function(text, &scope, rng);
    }
    host_text_add(text,
                  "unsigned u%04d(unsigned seed)\n{\n"
                  "    unsigned local[16] = {seed};\n"
                  "    unsigned acc = seed;\n\n",
                  number);
    for (int i = 0; i < functions; i++)
        host_text_add(text, "    acc += u%04d_f%d(local, 7u);\n", number, i);
    host_text_add(text, "    return acc;\n}\n");
}
