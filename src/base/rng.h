/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rng.h - integer random numbers: one stream per purpose, the same bytes on every machine.
 *
 * Generator: splitmix64 (Steele, Lea, Flood 2014): one addition and a finaliser per number; equal
 * seeds give equal streams, and streams are told apart by hashing their purpose into the seed.
 */
#ifndef HL_BASE_RNG_H
#define HL_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct hl_rng {
    uint64_t state;
};

/* The finaliser alone: a good 64-bit mixing of x. */
static inline uint64_t hl_mix64(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* 64-bit FNV-1a. */
static inline uint64_t hl_hash_bytes(const void *data, size_t bytes)
{
    const unsigned char *at = data;
    uint64_t h = 0xcbf29ce484222325u;

    for (size_t i = 0; i < bytes; i++)
        h = (h ^ at[i]) * 0x100000001b3u;
    return h;
}

/* The same over a string: how purposes become numbers. */
static inline uint64_t hl_hash_text(const char *text)
{
    return hl_hash_bytes(text, strlen(text));
}

/* A stream for one purpose, such as "workload/kernbench" or "policy". */
static inline struct hl_rng hl_rng_stream(uint64_t seed, const char *purpose)
{
    return (struct hl_rng){.state = hl_mix64(seed ^ hl_hash_text(purpose))};
}

static inline uint64_t hl_rng_next(struct hl_rng *rng)
{
    rng->state += 0x9e3779b97f4a7c15u;
    return hl_mix64(rng->state);
}

/* Uniform in [0, bound); bound > 0. The multiply-shift bias is below bound / 2^64. */
static inline uint64_t hl_rng_below(struct hl_rng *rng, uint64_t bound)
{
    __extension__ typedef unsigned __int128 u128;

    return (uint64_t)(((u128)hl_rng_next(rng) * bound) >> 64);
}

#endif
