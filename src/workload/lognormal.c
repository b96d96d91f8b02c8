/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lognormal.c - a quantile table of the normal distribution and an integer exponential.
 *
 * No libm: its last digit differs between versions, and one differing digit makes another history.
 */
#include "workload/lognormal.h"

#include <assert.h>

#include "base/units.h"

__extension__ typedef unsigned __int128 u128;

enum { QUANTILE_STEPS = 256 };

/* Entry i: the standard normal quantile at 0.5 + 0.495 * i / 256, in millionths. */
static const int32_t quantile_ppm[QUANTILE_STEPS + 1] = {
    0,       4847,    9694,    14541,   19388,   24236,   29085,   33934,   38784,   43635,
    48487,   53340,   58194,   63050,   67907,   72766,   77627,   82489,   87353,   92220,
    97088,   101959,  106832,  111708,  116587,  121468,  126352,  131239,  136130,  141023,
    145920,  150821,  155725,  160633,  165544,  170460,  175380,  180304,  185232,  190165,
    195103,  200045,  204992,  209945,  214902,  219865,  224833,  229806,  234786,  239771,
    244762,  249759,  254763,  259773,  264789,  269812,  274842,  279879,  284923,  289974,
    295033,  300099,  305173,  310255,  315345,  320443,  325549,  330664,  335787,  340920,
    346061,  351211,  356371,  361541,  366720,  371909,  377107,  382317,  387536,  392766,
    398007,  403259,  408522,  413796,  419082,  424380,  429689,  435011,  440345,  445691,
    451051,  456423,  461808,  467207,  472620,  478046,  483487,  488942,  494411,  499896,
    505395,  510910,  516440,  521987,  527549,  533128,  538723,  544335,  549964,  555611,
    561276,  566959,  572660,  578380,  584118,  589877,  595654,  601452,  607270,  613108,
    618968,  624849,  630751,  636676,  642623,  648593,  654586,  660603,  666643,  672708,
    678798,  684914,  691055,  697222,  703415,  709636,  715885,  722161,  728466,  734801,
    741164,  747558,  753983,  760439,  766927,  773447,  780000,  786587,  793209,  799865,
    806557,  813285,  820050,  826853,  833695,  840575,  847496,  854457,  861461,  868506,
    875595,  882729,  889907,  897132,  904404,  911724,  919093,  926513,  933983,  941507,
    949084,  956715,  964403,  972149,  979953,  987817,  995743,  1003732, 1011785, 1019905,
    1028093, 1036350, 1044678, 1053079, 1061556, 1070109, 1078741, 1087455, 1096251, 1105134,
    1114104, 1123166, 1132320, 1141570, 1150919, 1160369, 1169925, 1179588, 1189363, 1199253,
    1209261, 1219392, 1229650, 1240039, 1250564, 1261228, 1272039, 1283000, 1294117, 1305397,
    1316845, 1328468, 1340274, 1352270, 1364463, 1376863, 1389478, 1402318, 1415394, 1428716,
    1442296, 1456149, 1470286, 1484723, 1499477, 1514564, 1530004, 1545818, 1562029, 1578660,
    1595740, 1613298, 1631369, 1649988, 1669198, 1689044, 1709579, 1730861, 1752957, 1775944,
    1799909, 1824955, 1851201, 1878788, 1907884, 1938690, 1971455, 2006483, 2044162, 2084989,
    2129618, 2178943, 2234218, 2297302, 2371118, 2460685, 2575829,
};

int64_t workload_normal_quantile_ppm(int64_t index, int64_t count)
{
    const int64_t one = INT64_C(1) << 20;
    int64_t twice_off_centre = 2 * index + 1 - count; /* (p - 0.5) * 2 * count */
    int64_t distance = twice_off_centre < 0 ? -twice_off_centre : twice_off_centre;
    int64_t place, entry, z;

    assert(index >= 0);
    assert(index < count);
    assert(count <= 1000000);
    /* Entries are 0.495 / 256 apart. */
    place = distance * (QUANTILE_STEPS * one) / count * 1000 / 990;
    if (place >= QUANTILE_STEPS * one)
        z = quantile_ppm[QUANTILE_STEPS];
    else {
        entry = place / one;
        z = quantile_ppm[entry] +
            (quantile_ppm[entry + 1] - quantile_ppm[entry]) * (place % one) / one;
    }
    return twice_off_centre < 0 ? -z : z;
}

int64_t workload_exp_q32(int64_t x_ppm)
{
    /* (ln 2)^n / n! in units of 2^-62: the series of 2^f; thirteen terms leave 2 * 10^-12 at f = 1.
     */
    static const uint64_t series[] = {
        0x4000000000000000, 0x2c5c85fdf473de6b, 0x0f5fdeffc162c754, 0x038d611ae09417f1,
        0x009d955b7dd273b9, 0x0015d87fe78a6731, 0x0002861225f0d8f1, 0x00003ff97f8b1162,
        0x0000058b0088e972, 0x0000006d494f4e58, 0x00000007933d4563, 0x000000007a32b1cd,
        0x00000000070ef594,
    };
    const int64_t log2_e_q56 = INT64_C(103957133577); /* 2^56 / (10^6 ln 2) */
    int64_t power, whole;
    uint64_t fraction, sum = 0;

    assert(x_ppm >= -20000000);
    assert(x_ppm <= 20000000);
    power = x_ppm * log2_e_q56; /* exp(x) = 2^power */
    fraction = (uint64_t)power & ((UINT64_C(1) << 56) - 1);
    whole = (power - (int64_t)fraction) / (INT64_C(1) << 56);
    for (int n = (int)(sizeof(series) / sizeof(series[0])) - 1; n >= 0; n--)
        sum = series[n] + (uint64_t)(((u128)sum * fraction) >> 56);
    return (int64_t)(sum >> (30 - whole));
}

int64_t workload_lognormal_q32(int64_t index, int64_t count, int64_t sigma_ppm)
{
    return workload_exp_q32(sigma_ppm * workload_normal_quantile_ppm(index, count) / HL_PPM);
}
