/* The arithmetic behind instruction_table.h that is more than an expression. Static and inline, as
 * lane_types.h is. */
#ifndef TUNER_DEVICES_EMULATOR_LANE_MATH_H
#define TUNER_DEVICES_EMULATOR_LANE_MATH_H

#include "tuner/devices/emulator/lane_types.h"

static inline uint32_t reverse_bits(uint32_t a)
{
    a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
    a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
    a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(a);
}

/* The most significant bit that differs from the sign. */
static inline uint32_t find_sign_bit(int32_t a)
{
    uint32_t bits = (uint32_t)(a < 0 ? ~a : a);
    return bits == 0 ? UINT32_MAX : 31 - (uint32_t)__builtin_clz(bits);
}

/* Of bfe and bfi of 32 bits the position and the length are bytes, of 64 bits whole words (as GPUs have it).
 */
static inline uint64_t field_mask(uint32_t length)
{
    return length > 63 ? UINT64_MAX : (UINT64_C(1) << length) - 1;
}

static inline uint64_t extract_unsigned_64(uint64_t a, uint32_t position, uint32_t length)
{
    return (position > 63 ? 0 : a >> position) & field_mask(length);
}

static inline uint32_t extract_unsigned(uint32_t a, uint32_t position, uint32_t length)
{
    return (uint32_t)extract_unsigned_64(a, position & 255, length & 255);
}

static inline uint64_t extract_extended(uint64_t a, uint32_t position, uint32_t length, uint32_t width)
{
    uint64_t last = (uint64_t)position + length - 1;
    uint32_t top = length == 0 ? 0 : last > width - 1 ? width - 1 : (uint32_t)last;
    uint64_t sign = length == 0 ? 0 : a >> top & 1;
    uint32_t held = length == 0 || position > top ? 0 : top - position + 1;
    uint64_t field = extract_unsigned_64(a, position, held);
    return sign != 0 ? field | ~field_mask(held) : field;
}

static inline int32_t extract_signed(int32_t a, uint32_t position, uint32_t length)
{
    return (int32_t)(uint32_t)extract_extended((uint32_t)a, position & 255, length & 255, 32);
}

static inline int64_t extract_signed_64(int64_t a, uint32_t position, uint32_t length)
{
    return (int64_t)extract_extended((uint64_t)a, position, length, 64);
}

static inline uint64_t insert_bits_64(uint64_t a, uint64_t b, uint32_t position, uint32_t length)
{
    if (position > 63)
        return b;
    uint64_t mask = field_mask(length) << position;
    return (a << position & mask) | (b & ~mask);
}

static inline uint32_t insert_bits(uint32_t a, uint32_t b, uint32_t position, uint32_t length)
{
    return (uint32_t)insert_bits_64(a, b, position & 255, length & 255);
}

static inline uint32_t permute_bytes(uint32_t a, uint32_t b, uint32_t selector)
{
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t result = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t pick = selector >> 4 * i & 15;
        uint32_t byte = (uint32_t)(bytes >> 8 * (pick & 7)) & 255;
        if (pick & 8)
            byte = byte & 128 ? 255 : 0;
        result |= byte << 8 * i;
    }
    return result;
}

/* Bit i of `table` is the result where the three inputs' bits read i. */
static inline uint32_t logic3(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
    uint32_t result = 0;
    for (uint32_t i = 0; i < 8; i++)
        if (table >> i & 1)
            result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return result;
}

static inline int32_t clamp_s32(int64_t a)
{
    return a > INT32_MAX ? INT32_MAX : a < INT32_MIN ? INT32_MIN : (int32_t)a;
}

__extension__ typedef __int128 wide_s64;
__extension__ typedef unsigned __int128 wide_u64;

static inline uint64_t high_u64(uint64_t a, uint64_t b)
{
    return (uint64_t)((wide_u64)a * b >> 64);
}

static inline int64_t high_s64(int64_t a, int64_t b)
{
    return (int64_t)((wide_s64)a * b >> 64);
}

/* Division by zero is not defined by PTX, but is no fault either; the smallest number over -1 is itself. */
static inline int32_t divide_s32(int32_t a, int32_t b)
{
    return b == 0 ? -1 : b == -1 ? (int32_t)(0 - (uint32_t)a) : a / b;
}
static inline int32_t remainder_s32(int32_t a, int32_t b)
{
    return b == 0 ? -1 : b == -1 ? 0 : a % b;
}
static inline int64_t divide_s64(int64_t a, int64_t b)
{
    return b == 0 ? -1 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}
static inline int64_t remainder_s64(int64_t a, int64_t b)
{
    return b == 0 ? -1 : b == -1 ? 0 : a % b;
}

/* A number wins over a NaN, and +0 is above -0. */
static inline float maximum(float a, float b)
{
    float equal = float_of(bits_of(a) & bits_of(b));
    float larger = a > b ? a : b > a ? b : equal;
    return a != a ? b : b != b ? a : larger;
}
static inline float minimum(float a, float b)
{
    float equal = float_of(bits_of(a) | bits_of(b));
    float smaller = a < b ? a : b < a ? b : equal;
    return a != a ? b : b != b ? a : smaller;
}
static inline float maximum_nan(float a, float b)
{
    return a != a || b != b ? NAN : maximum(a, b);
}
static inline float minimum_nan(float a, float b)
{
    return a != a || b != b ? NAN : minimum(a, b);
}
static inline double maximum_f64(double a, double b)
{
    return a != a ? b : b != b ? a : a > b ? a : b > a ? b : signbit(a) ? b : a;
}
static inline double minimum_f64(double a, double b)
{
    return a != a ? b : b != b ? a : a < b ? a : b < a ? b : signbit(a) ? a : b;
}
/* max.xorsign.abs: the larger magnitude, with the exclusive or of the signs. */
static inline uint32_t maximum_magnitude(uint32_t a, uint32_t b)
{
    float larger = maximum(fabsf(float_of(a)), fabsf(float_of(b)));
    return bits_canonical(larger) | ((a ^ b) & 0x80000000u);
}

/* div.approx: a divisor from 2^126 on gives 0, as the manual has it. */
static inline float divide_approximately(float a, float b)
{
    float magnitude = fabsf(b);
    return magnitude > 0x1p126f && magnitude != INFINITY ? a * copysignf(0.0f, b) : a / b;
}

/* 2^x within one unit in the last place; not fused, so that every CPU gives the same bits. */
static inline float exp2_of(float x)
{
    x = x > 130.0f ? 130.0f : x;
    x = x < -160.0f ? -160.0f : x;
    float shifted = x + 12582912.0f; /* 1.5 * 2^23: the nearest integer ends in the low bits */
    uint32_t n = bits_of(shifted) - 0x4b400000u;
    float f = x - (shifted - 12582912.0f);
    float p = 1.5252734e-5f;
    p = p * f + 1.5403530e-4f;
    p = p * f + 1.3333558e-3f;
    p = p * f + 9.6181291e-3f;
    p = p * f + 5.5504109e-2f;
    p = p * f + 2.4022651e-1f;
    p = p * f + 6.9314718e-1f;
    p = p * f + 1.0f;
    /* In two steps, so that a subnormal result is rounded once and an overflow is infinite. */
    uint32_t half = (uint32_t)((int32_t)n >> 1);
    return p * float_of((half + 127u) << 23) * float_of((n - half + 127u) << 23);
}

/* a * b + c rounded to odd in float: rounding that to a format of at most 22 bits is rounding once. */
static inline float fma_odd(float a, float b, float c)
{
    double product = (double)a * b, sum = product + c;
    double rest = sum - product, error = (product - (sum - rest)) + (c - rest);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (error != 0 && (bits & 1) == 0 && sum - sum == 0)
        bits += (error > 0) == (sum > 0) ? 1 : UINT64_MAX;
    memcpy(&sum, &bits, sizeof bits);
    float result = (float)sum;
    if (sum - sum == 0 && (double)result != sum) {
        uint32_t word = bits_of(result);
        word -= fabs((double)result) > fabs(sum);
        result = float_of(word | 1);
    }
    return result;
}

/* Toward zero. */
static inline uint32_t half_truncated(float value)
{
    uint32_t bits = bits_of(value), magnitude = bits & 0x7fffffffu, sign = bits >> 16 & 0x8000u;
    if (magnitude > 0x7f800000u)
        return 0x7fffu;
    if (magnitude >= 0x47800000u)
        return sign | (magnitude == 0x7f800000u ? 0x7c00u : 0x7bffu);
    if (magnitude < 0x38800000u)
        return sign | (uint32_t)(float_of(magnitude) * 0x1p24f);
    return sign | (magnitude - 0x38000000u) >> 13;
}
static inline uint32_t brain_truncated(float value)
{
    return value != value ? 0x7fffu : bits_of(value) >> 16;
}

static inline float relu(float value)
{
    return value != value ? value : value > 0 ? value : 0.0f;
}

/* As a signed number: to convert an unsigned one clang subtracts, which towards -inf makes a zero negative. A
   large one is halved, its last bit kept for the rounding. */
static inline double double_of_u64(uint64_t a)
{
    return a >> 63 ? 2 * (double)(int64_t)(a >> 1 | (a & 1)) : (double)(int64_t)a;
}

/* .ftz flushes what is subnormal after rounding as if exponents had no end. */
static inline float double_flushed(double a)
{
    return fabsf((float)(a * 0x1p64)) < 0x1p-62f ? (float)copysign(0.0, a) : (float)a;
}

/* Conversions saturate. A NaN becomes 0 where a float becomes a word, else the smallest number of the signed
 * type. */
static inline int32_t double_to_s32(double a)
{
    return a != a ? INT32_MIN : a >= 0x1p31 ? INT32_MAX : a < -0x1p31 ? INT32_MIN : (int32_t)a;
}
static inline int64_t double_to_s64(double a)
{
    return a != a ? INT64_MIN : a >= 0x1p63 ? INT64_MAX : a < -0x1p63 ? INT64_MIN : (int64_t)a;
}
static inline uint64_t double_to_u64(double a)
{
    return a != a ? UINT64_C(1) << 63 : a <= 0 ? 0 : a >= 0x1p64 ? UINT64_MAX : (uint64_t)a;
}
static inline int32_t float_to_s32(float a)
{
    return a != a ? 0 : double_to_s32((double)a);
}
static inline uint32_t float_to_u32(float a)
{
    return !(a > 0) ? 0 : a >= 0x1p32f ? UINT32_MAX : (uint32_t)a;
}

#endif
