/* The operand types of instruction_table.h: how an element is read from a register and written to one.
   Everything is static and inline, since this header is compiled once for every kind of CPU
   (lane_functions.h). */
#ifndef TUNER_DEVICES_EMULATOR_LANE_TYPES_H
#define TUNER_DEVICES_EMULATOR_LANE_TYPES_H

#include <math.h>
#include <stdint.h>
#include <string.h>

struct pair {
    float x, y;
};
#define PAIR(first, second)                                                                                  \
    (struct pair)                                                                                            \
    {                                                                                                        \
        first, second                                                                                        \
    }

static inline float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The NaN that PTX arithmetic gives. */
static inline uint32_t bits_canonical(float value)
{
    return value != value ? 0x7fffffffu : bits_of(value);
}

static inline float half_value(uint32_t half)
{
    uint32_t bits = (half & 0x7fffu) << 13;
    uint32_t scaled = bits_of(float_of(bits) * 0x1p112f);
    uint32_t magnitude = bits >= 0x0f800000u ? bits | 0x7f800000u : scaled;
    return float_of(magnitude | (half & 0x8000u) << 16);
}

/* To nearest even. */
static inline uint32_t half_bits(float value)
{
    uint32_t bits = bits_of(value), magnitude = bits & 0x7fffffffu;
    uint32_t tiny = bits_of(float_of(magnitude) + 0.5f) - 0x3f000000u;
    uint32_t normal = (magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1)) >> 13;
    uint32_t half = magnitude < 0x38800000u ? tiny : normal;
    half = magnitude >= 0x47800000u ? 0x7c00u : half;
    return magnitude > 0x7f800000u ? 0x7fffu : (half | (bits >> 16 & 0x8000u));
}

static inline float brain_value(uint32_t brain)
{
    return float_of(brain << 16);
}

static inline uint32_t brain_bits(float value)
{
    uint32_t bits = bits_of(value);
    return (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
}

/* .ftz of 16-bit types: subnormal numbers become zero. */
static inline uint32_t half_flushed(uint32_t half)
{
    return (half & 0x7c00u) == 0 ? half & 0x8000u : half & 0xffffu;
}

static inline uint32_t brain_flushed(uint32_t brain)
{
    return (brain & 0x7f80u) == 0 ? brain & 0x8000u : brain & 0xffffu;
}

#define ELEMENT(type, p, i) (((type *)(p))[i])
#define SOURCE(type, p, i)  (((const type *)(p))[i])

#define TYPE_none       int
#define LOAD_none(p, i) 0

#define TYPE_pred       uint32_t
#define LOAD_pred(p, i) (SOURCE(uint32_t, p, 0) >> (i)&1)

/* Types of 4 bytes. */
#define TYPE_u32           uint32_t
#define LOAD_u32(p, i)     SOURCE(uint32_t, p, i)
#define STORE_u32(p, i, v) (ELEMENT(uint32_t, p, i) = (v))
#define TYPE_b32           uint32_t
#define LOAD_b32(p, i)     SOURCE(uint32_t, p, i)
#define STORE_b32(p, i, v) (ELEMENT(uint32_t, p, i) = (v))
#define TYPE_f32b          uint32_t
#define LOAD_f32b(p, i)    SOURCE(uint32_t, p, i)
#define TYPE_s32           int32_t
#define LOAD_s32(p, i)     SOURCE(int32_t, p, i)
#define STORE_s32(p, i, v) (ELEMENT(int32_t, p, i) = (v))
#define TYPE_f32           float
#define LOAD_f32(p, i)     float_of(SOURCE(uint32_t, p, i))
#define STORE_f32(p, i, v) (ELEMENT(uint32_t, p, i) = bits_canonical(v))

/* Narrow types stand in 4 bytes, of which an instruction reads the low part. */
#define TYPE_u8              uint8_t
#define LOAD_u8(p, i)        ((uint8_t)SOURCE(uint32_t, p, i))
#define STORE_u8(p, i, v)    (ELEMENT(uint32_t, p, i) = (v))
#define TYPE_s8              int8_t
#define LOAD_s8(p, i)        ((int8_t)SOURCE(uint32_t, p, i))
#define TYPE_u16             uint16_t
#define LOAD_u16(p, i)       ((uint16_t)SOURCE(uint32_t, p, i))
#define STORE_u16(p, i, v)   (ELEMENT(uint32_t, p, i) = (v))
#define TYPE_b16             uint32_t
#define LOAD_b16(p, i)       (SOURCE(uint32_t, p, i) & 0xffffu)
#define STORE_b16(p, i, v)   (ELEMENT(uint32_t, p, i) = (v)&0xffffu)
#define TYPE_s16             int16_t
#define LOAD_s16(p, i)       ((int16_t)SOURCE(uint32_t, p, i))
#define STORE_s16(p, i, v)   (ELEMENT(int32_t, p, i) = (v))
#define TYPE_f16             float
#define LOAD_f16(p, i)       half_value(SOURCE(uint32_t, p, i) & 0xffffu)
#define STORE_f16(p, i, v)   (ELEMENT(uint32_t, p, i) = half_bits(v))
#define TYPE_f16f            float
#define LOAD_f16f(p, i)      half_value(half_flushed(SOURCE(uint32_t, p, i)))
#define TYPE_bf16            float
#define LOAD_bf16(p, i)      brain_value(SOURCE(uint32_t, p, i) & 0xffffu)
#define STORE_bf16(p, i, v)  (ELEMENT(uint32_t, p, i) = brain_bits(v))
#define TYPE_bf16f           float
#define LOAD_bf16f(p, i)     brain_value(brain_flushed(SOURCE(uint32_t, p, i)))
#define STORE_bf16f(p, i, v) (ELEMENT(uint32_t, p, i) = brain_flushed(brain_bits(v)))

/* Types of 8 bytes. */
#define TYPE_u64           uint64_t
#define LOAD_u64(p, i)     SOURCE(uint64_t, p, i)
#define STORE_u64(p, i, v) (ELEMENT(uint64_t, p, i) = (v))
#define TYPE_b64           uint64_t
#define LOAD_b64(p, i)     SOURCE(uint64_t, p, i)
#define STORE_b64(p, i, v) (ELEMENT(uint64_t, p, i) = (v))
#define TYPE_s64           int64_t
#define LOAD_s64(p, i)     SOURCE(int64_t, p, i)
#define STORE_s64(p, i, v) (ELEMENT(int64_t, p, i) = (v))
#define TYPE_f64           double
#define LOAD_f64(p, i)     SOURCE(double, p, i)
#define STORE_f64(p, i, v) (ELEMENT(double, p, i) = (v))

/* Two values in one register; the low one is x. */
static inline struct pair half_pair(uint32_t bits)
{
    return PAIR(half_value(bits & 0xffffu), half_value(bits >> 16));
}
static inline uint32_t half_pair_bits(struct pair v)
{
    return half_bits(v.x) | half_bits(v.y) << 16;
}
static inline struct pair brain_pair(uint32_t bits)
{
    return PAIR(brain_value(bits & 0xffffu), brain_value(bits >> 16));
}
static inline uint32_t brain_pair_bits(struct pair v)
{
    return brain_bits(v.x) | brain_bits(v.y) << 16;
}
static inline uint32_t brain_pair_flushed(uint32_t bits)
{
    return brain_flushed(bits & 0xffffu) | brain_flushed(bits >> 16) << 16;
}
static inline struct pair float_pair(uint64_t bits)
{
    return PAIR(float_of((uint32_t)bits), float_of((uint32_t)(bits >> 32)));
}
static inline uint64_t float_pair_bits(struct pair v)
{
    return bits_canonical(v.x) | (uint64_t)bits_canonical(v.y) << 32;
}
#define TYPE_f16x2             struct pair
#define LOAD_f16x2(p, i)       half_pair(SOURCE(uint32_t, p, i))
#define STORE_f16x2(p, i, v)   (ELEMENT(uint32_t, p, i) = half_pair_bits(v))
#define TYPE_bf16x2            struct pair
#define LOAD_bf16x2(p, i)      brain_pair(SOURCE(uint32_t, p, i))
#define STORE_bf16x2(p, i, v)  (ELEMENT(uint32_t, p, i) = brain_pair_bits(v))
#define TYPE_bf16x2f           struct pair
#define LOAD_bf16x2f(p, i)     brain_pair(brain_pair_flushed(SOURCE(uint32_t, p, i)))
#define STORE_bf16x2f(p, i, v) (ELEMENT(uint32_t, p, i) = brain_pair_flushed(brain_pair_bits(v)))
#define TYPE_f32x2             struct pair
#define LOAD_f32x2(p, i)       float_pair(SOURCE(uint64_t, p, i))
#define STORE_f32x2(p, i, v)   (ELEMENT(uint64_t, p, i) = float_pair_bits(v))

/* The same with .ftz: subnormal numbers become zero, on the way in and out. */
static inline uint32_t float_flushed(uint32_t bits)
{
    return (bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits;
}
static inline uint64_t float_pair_flushed(uint64_t bits)
{
    return float_flushed((uint32_t)bits) | (uint64_t)float_flushed((uint32_t)(bits >> 32)) << 32;
}
#define TYPE_f32x2f           struct pair
#define LOAD_f32x2f(p, i)     float_pair(float_pair_flushed(SOURCE(uint64_t, p, i)))
#define STORE_f32x2f(p, i, v) (ELEMENT(uint64_t, p, i) = float_pair_flushed(float_pair_bits(v)))

#endif
