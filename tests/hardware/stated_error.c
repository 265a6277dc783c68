#include "tests/hardware/stated_error.h"

#include <math.h>
#include <string.h>

#include "tuner/verify/oracle_rules.h"

enum operand_type stated_error_type(enum operand_type type)
{
    return type == OPERAND_f16x2 ? OPERAND_f16 : type == OPERAND_bf16x2 ? OPERAND_bf16 : type;
}

static int dtype_of(enum operand_type type)
{
    return type == OPERAND_f32 ? ORACLE_F32 : type == OPERAND_f16 ? ORACLE_F16 : ORACLE_BF16;
}

/* Neighbours in the order of the reals, both zeros being one. */
static int64_t place_of(float value)
{
    uint32_t bits = oracle_bits_of(value);
    return bits >> 31 ? -(int64_t)(bits & 0x7fffffffu) : (int64_t)bits;
}

static bool within_ulps(double truth, double got, int most)
{
    int64_t apart = place_of((float)truth) - place_of((float)got);
    return apart >= -most && apart <= most;
}

/* `rounding`: half a unit of what the type can hold, which a subnormal result cannot do without. */
static bool within(double truth, double got, double error, double rounding)
{
    return truth == got || fabs(truth - got) <= error + rounding;
}

static double truth_of(enum rule rule, double a, double b)
{
    switch (rule) {
    case RULE_rcp:
        return 1 / a;
    case RULE_sqrt:
        return sqrt(a);
    case RULE_rsqrt:
        return 1 / sqrt(a);
    case RULE_lg2:
        return log2(a);
    case RULE_tanh:
        return tanh(a);
    case RULE_div_full:
        return a / b;
    case RULE_div_approx:
        /* 9.7.3.8: for 2^126 < |b| < 2^128, NaN where a is infinite, else a zero. */
        return fabs(b) > 0x1p126 && fabs(b) < INFINITY ? (isinf(a) ? NAN : a / b * 0) : a / b;
    default:
        return exp2(a);
    }
}

/* The stated error, by section. */
static bool is_near(const struct instruction *i, double a, double truth, double got)
{
    const double least = 0x1p-150;
    switch (i->rule) {
    case RULE_div_full: /* 9.7.3.8: 2 ulp; div.approx: for |b| in 2^-126 .. 2^126 */
    case RULE_div_approx:
        return within_ulps(truth, got, 2);
    case RULE_rcp: /* 9.7.3.13: 1 ulp */
        return within_ulps(truth, got, 1);
    case RULE_sqrt: /* 9.7.3.15: relative 2^-23 */
        return within(truth, got, 0x1p-23 * truth, least);
    case RULE_rsqrt: /* 9.7.3.16: relative 2^-22.9 */
        return within(truth, got, exp2(-22.9) * truth, least);
    case RULE_lg2: /* 9.7.3.20: absolute 2^-22 for a in (0.5, 2), else relative 2^-22 */
        return within(truth, got, a > 0.5 && a < 2 ? 0x1p-22 : 0x1p-22 * fabs(truth), 0);
    case RULE_ex2: /* 9.7.3.21: 2 ulp from the correctly rounded result */
        return within_ulps(truth, got, 2);
    case RULE_tanh: /* 9.7.3.22: relative 2^-11 */
        return within(truth, got, 0x1p-11 * fabs(truth), least);
    case RULE_ex2_f16: /* 9.7.4.10: relative 2^-9.9; among subnormal results a unit is more, and is one right
                        */
        return within(truth, got, exp2(-9.9) * truth, truth < 0x1p-14 ? 0x1p-24 : 0) ||
               (truth > 65504 && isinf(got));
    case RULE_ex2_bf16: /* 9.7.4.10: relative 2^-7 */
        return within(truth, got, 0x1p-7 * truth, 0) || (truth > 0x1.fep127 && isinf(got));
    default:
        return false;
    }
}

bool stated_error_holds(const struct instruction *i, uint32_t a_bits, uint32_t b_bits, uint32_t got_bits)
{
    const double smallest = 0x1p-126;
    int dtype = dtype_of(stated_error_type(i->d));
    bool flush = strstr(i->text, ".ftz") != NULL;
    double a = oracle_decode(dtype, a_bits), b = oracle_decode(dtype, b_bits),
           got = oracle_decode(dtype, got_bits);
    if (i->rule == RULE_div_approx && b != 0 && fabs(b) < smallest && !flush)
        return true;
    a = flush && fabs(a) < smallest ? copysign(0, a) : a;
    b = flush && fabs(b) < smallest ? copysign(0, b) : b;
    double truth = truth_of(i->rule, a, b);
    if (isnan(truth) || isnan(got))
        return isnan(truth) && isnan(got);
    if (flush && fabs(truth) < smallest * (1 + 0x1p-20) && got == 0)
        return signbit(truth) == signbit(got);
    if (flush && got != 0 && fabs(got) < smallest)
        return false;
    if (truth == 0 && got == 0)
        return signbit(truth) == signbit(got);
    return is_near(i, a, truth, got);
}
