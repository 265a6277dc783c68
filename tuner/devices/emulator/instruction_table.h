/* The instructions that the emulator knows, a line each. This file is included several times, with LANES,
   COMPARE, PREDICATE and OTHER defined as what is wanted of each line:

   LANES(id, pipe, pattern, D, A, B, C, expression)   d = expression of a, b, c in every lane
   COMPARE(id, pattern, A, B, expression)             a predicate (or p|q) from a comparison
   PREDICATE(id, pattern, expression)                 a predicate from predicates, 32 lanes as bits of a word
   OTHER(action, pipe, pattern)                       what instruction_decode.c and warp.c do themselves

   A pattern is the instruction's name in which {.a.b} stands for at most one of .a and .b, and (.a.b) for
   exactly one. D, A, B, C are types (lane_types.h), `none` where there is no such operand. Rounding (.rz .rm
   .rp), .ftz and .sat are applied around the expression, which is evaluated to nearest even otherwise. */

#define RND  "{.rn.rz.rm.rp}"
#define RND1 "(.rn.rz.rm.rp)"
#define B32  "(.b32.u32.s32.f32)"
#define B64  "(.b64.u64.s64.f64)"
#define B16  "(.b16.u16.s16.f16.bf16)"

/* Moving and choosing. mov with a vector packs or unpacks; mov of a special register: instruction_decode.c.
 */
LANES(mov_b16, ALU, "mov" B16, b16, b16, none, none, a)
LANES(mov_b32, ALU, "mov" B32, b32, b32, none, none, a)
LANES(mov_b64, ALU, "mov" B64, b64, b64, none, none, a)
PREDICATE(mov_pred, "mov.pred", a)
LANES(selp_b16, ALU, "selp" B16, b16, b16, b16, pred, c ? a : b)
LANES(selp_b32, ALU, "selp" B32, b32, b32, b32, pred, c ? a : b)
LANES(selp_b64, ALU, "selp" B64, b64, b64, b64, pred, c ? a : b)
LANES(slct_s32, ALU, "slct(.b32.u32.s32.f32).s32", b32, b32, b32, s32, c >= 0 ? a : b)

/* Logic and bits. */
PREDICATE(not_pred, "not.pred", ~a)
PREDICATE(and_pred, "and.pred", a &b)
PREDICATE(or_pred, "or.pred", a | b)
PREDICATE(xor_pred, "xor.pred", a ^ b)
LANES(not_b16, ALU, "not.b16", b16, b16, none, none, ~a)
LANES(not_b32, ALU, "not.b32", b32, b32, none, none, ~a)
LANES(not_b64, ALU, "not.b64", b64, b64, none, none, ~a)
LANES(cnot_b32, ALU, "cnot.b32", b32, b32, none, none, a == 0)
LANES(and_b16, ALU, "and.b16", b16, b16, b16, none, a &b)
LANES(and_b32, ALU, "and.b32", b32, b32, b32, none, a &b)
LANES(and_b64, ALU, "and.b64", b64, b64, b64, none, a &b)
LANES(or_b16, ALU, "or.b16", b16, b16, b16, none, a | b)
LANES(or_b32, ALU, "or.b32", b32, b32, b32, none, a | b)
LANES(or_b64, ALU, "or.b64", b64, b64, b64, none, a | b)
LANES(xor_b16, ALU, "xor.b16", b16, b16, b16, none, a ^ b)
LANES(xor_b32, ALU, "xor.b32", b32, b32, b32, none, a ^ b)
LANES(xor_b64, ALU, "xor.b64", b64, b64, b64, none, a ^ b)
LANES(shl_b16, ALU, "shl.b16", b16, b16, u32, none, b > 15 ? 0 : a << b)
LANES(shl_b32, ALU, "shl.b32", b32, b32, u32, none, b > 31 ? 0 : a << (b & 31))
LANES(shl_b64, ALU, "shl.b64", b64, b64, u32, none, b > 63 ? 0 : a << (b & 63))
LANES(shr_u16, ALU, "shr(.b16.u16)", b16, u16, u32, none, b > 15 ? 0 : a >> b)
LANES(shr_s16, ALU, "shr.s16", s16, s16, u32, none, a >> (b > 15 ? 15 : b))
LANES(shr_u32, ALU, "shr(.b32.u32)", b32, u32, u32, none, b > 31 ? 0 : a >> (b & 31))
LANES(shr_s32, ALU, "shr.s32", s32, s32, u32, none, a >> (b > 31 ? 31 : b))
LANES(shr_u64, ALU, "shr(.b64.u64)", b64, u64, u32, none, b > 63 ? 0 : a >> (b & 63))
LANES(shr_s64, ALU, "shr.s64", s64, s64, u32, none, a >> (b > 63 ? 63 : b))
LANES(shf_l_wrap, ALU, "shf.l.wrap.b32", b32, b32, b32, u32,
      (uint32_t)((((uint64_t)b << 32 | a) << (c & 31)) >> 32))
LANES(shf_l_clamp, ALU, "shf.l.clamp.b32", b32, b32, b32, u32,
      (uint32_t)((((uint64_t)b << 32 | a) << (c > 32 ? 32 : c)) >> 32))
LANES(shf_r_wrap, ALU, "shf.r.wrap.b32", b32, b32, b32, u32, (uint32_t)(((uint64_t)b << 32 | a) >> (c & 31)))
LANES(shf_r_clamp, ALU, "shf.r.clamp.b32", b32, b32, b32, u32,
      (uint32_t)(((uint64_t)b << 32 | a) >> (c > 32 ? 32 : c)))
LANES(popc_b32, ALU, "popc.b32", u32, b32, none, none, (uint32_t)__builtin_popcount(a))
LANES(popc_b64, ALU, "popc.b64", u32, b64, none, none, (uint32_t)__builtin_popcountll(a))
LANES(clz_b32, ALU, "clz.b32", u32, b32, none, none, a == 0 ? 32 : (uint32_t)__builtin_clz(a))
LANES(clz_b64, ALU, "clz.b64", u32, b64, none, none, a == 0 ? 64 : (uint32_t)__builtin_clzll(a))
LANES(brev_b32, ALU, "brev.b32", b32, b32, none, none, reverse_bits(a))
LANES(bfind_u32, ALU, "bfind.u32", u32, u32, none, none,
      a == 0 ? UINT32_MAX : 31 - (uint32_t)__builtin_clz(a))
LANES(bfind_s32, ALU, "bfind.s32", u32, s32, none, none, find_sign_bit(a))
LANES(bfind_shift_u32, ALU, "bfind.shiftamt.u32", u32, u32, none, none,
      a == 0 ? UINT32_MAX : (uint32_t)__builtin_clz(a))
OTHER(ACTION_QUATERNARY, ALU, "bfi(.b32.b64)")
OTHER(ACTION_QUATERNARY, ALU, "lop3.b32")
LANES(bfe_u32, ALU, "bfe.u32", u32, u32, u32, u32, extract_unsigned(a, b, c))
LANES(bfe_s32, ALU, "bfe.s32", s32, s32, u32, u32, extract_signed(a, b, c))
LANES(bfe_u64, ALU, "bfe.u64", u64, u64, u32, u32, extract_unsigned_64(a, b, c))
LANES(bfe_s64, ALU, "bfe.s64", s64, s64, u32, u32, extract_signed_64(a, b, c))
LANES(brev_b64, ALU, "brev.b64", b64, b64, none, none,
      (uint64_t)reverse_bits((uint32_t)a) << 32 | reverse_bits((uint32_t)(a >> 32)))
LANES(prmt_b32, ALU, "prmt.b32", b32, b32, b32, b32, permute_bytes(a, b, c))

/* Whole numbers. */
LANES(add_u16, ALU, "add(.u16.s16)", u16, u16, u16, none, (uint16_t)(a + b))
LANES(add_u32, ALU, "add(.u32.s32)", u32, u32, u32, none, a + b)
LANES(add_sat_s32, ALU, "add.sat.s32", s32, s32, s32, none, clamp_s32((int64_t)a + b))
LANES(add_u64, ALU, "add(.u64.s64)", u64, u64, u64, none, a + b)
LANES(sub_u16, ALU, "sub(.u16.s16)", u16, u16, u16, none, (uint16_t)(a - b))
LANES(sub_u32, ALU, "sub(.u32.s32)", u32, u32, u32, none, a - b)
LANES(sub_sat_s32, ALU, "sub.sat.s32", s32, s32, s32, none, clamp_s32((int64_t)a - b))
LANES(sub_u64, ALU, "sub(.u64.s64)", u64, u64, u64, none, a - b)
LANES(neg_s16, ALU, "neg.s16", u16, u16, none, none, (uint16_t)(0 - a))
LANES(neg_s32, ALU, "neg.s32", u32, u32, none, none, 0 - a)
LANES(neg_s64, ALU, "neg.s64", u64, u64, none, none, 0 - a)
LANES(abs_s16, ALU, "abs.s16", u16, s16, none, none, (uint16_t)(a < 0 ? -a : a))
LANES(abs_s32, ALU, "abs.s32", u32, s32, none, none, a < 0 ? 0 - (uint32_t)a : (uint32_t)a)
LANES(abs_s64, ALU, "abs.s64", u64, s64, none, none, a < 0 ? 0 - (uint64_t)a : (uint64_t)a)
LANES(min_u16, ALU, "min.u16", u16, u16, u16, none, a < b ? a : b)
LANES(min_s16, ALU, "min.s16", s16, s16, s16, none, a < b ? a : b)
LANES(min_u32, ALU, "min.u32", u32, u32, u32, none, a < b ? a : b)
LANES(min_s32, ALU, "min.s32", s32, s32, s32, none, a < b ? a : b)
LANES(min_u64, ALU, "min.u64", u64, u64, u64, none, a < b ? a : b)
LANES(min_s64, ALU, "min.s64", s64, s64, s64, none, a < b ? a : b)
LANES(max_u16, ALU, "max.u16", u16, u16, u16, none, a > b ? a : b)
LANES(max_s16, ALU, "max.s16", s16, s16, s16, none, a > b ? a : b)
LANES(max_u32, ALU, "max.u32", u32, u32, u32, none, a > b ? a : b)
LANES(max_s32, ALU, "max.s32", s32, s32, s32, none, a > b ? a : b)
LANES(max_u64, ALU, "max.u64", u64, u64, u64, none, a > b ? a : b)
LANES(max_s64, ALU, "max.s64", s64, s64, s64, none, a > b ? a : b)
LANES(mul_lo_u16, FMA, "mul.lo(.u16.s16)", u16, u16, u16, none, (uint16_t)((uint32_t)a *b))
LANES(mul_lo_u32, FMA, "mul.lo(.u32.s32)", u32, u32, u32, none, a *b)
LANES(mul_lo_u64, FMA, "mul.lo(.u64.s64)", u64, u64, u64, none, a *b)
LANES(mul_hi_u16, FMA, "mul.hi.u16", u16, u16, u16, none, (uint16_t)(((uint32_t)a * b) >> 16))
LANES(mul_hi_s16, FMA, "mul.hi.s16", s16, s16, s16, none, (int16_t)((a * b) >> 16))
LANES(mul_hi_u32, FMA, "mul.hi.u32", u32, u32, u32, none, (uint32_t)((uint64_t)a *b >> 32))
LANES(mul_hi_s32, FMA, "mul.hi.s32", s32, s32, s32, none, (int32_t)((int64_t)a *b >> 32))
LANES(mul_hi_u64, FMA, "mul.hi.u64", u64, u64, u64, none, high_u64(a, b))
LANES(mul_hi_s64, FMA, "mul.hi.s64", s64, s64, s64, none, high_s64(a, b))
LANES(mul_wide_u16, FMA, "mul.wide.u16", u32, u16, u16, none, (uint32_t)a *b)
LANES(mul_wide_s16, FMA, "mul.wide.s16", s32, s16, s16, none, (int32_t)a *b)
LANES(mul_wide_u32, FMA, "mul.wide.u32", u64, u32, u32, none, (uint64_t)a *b)
LANES(mul_wide_s32, FMA, "mul.wide.s32", s64, s32, s32, none, (int64_t)a *b)
LANES(mad_lo_u16, FMA, "mad.lo(.u16.s16)", u16, u16, u16, u16, (uint16_t)((uint32_t)a *b + c))
LANES(mad_lo_u32, FMA, "mad.lo(.u32.s32)", u32, u32, u32, u32, a *b + c)
LANES(mad_lo_u64, FMA, "mad.lo(.u64.s64)", u64, u64, u64, u64, a *b + c)
LANES(mad_hi_u32, FMA, "mad.hi.u32", u32, u32, u32, u32, (uint32_t)((uint64_t)a *b >> 32) + c)
LANES(mad_hi_s32, FMA, "mad.hi.s32", u32, s32, s32, u32, (uint32_t)((int64_t)a *b >> 32) + c)
LANES(mad_wide_u16, FMA, "mad.wide.u16", u32, u16, u16, u32, (uint32_t)a *b + c)
LANES(mad_wide_s16, FMA, "mad.wide.s16", u32, s16, s16, u32, (uint32_t)((int32_t)a *b) + c)
LANES(mad_wide_u32, FMA, "mad.wide.u32", u64, u32, u32, u64, (uint64_t)a *b + c)
LANES(mad_wide_s32, FMA, "mad.wide.s32", u64, s32, s32, u64, (uint64_t)((int64_t)a *b) + c)
LANES(div_u16, ALU, "div.u16", u16, u16, u16, none, b == 0 ? UINT16_MAX : (uint16_t)(a / b))
LANES(div_s16, ALU, "div.s16", s16, s16, s16, none, b == 0 ? -1 : (int16_t)(a / b))
LANES(div_u32, ALU, "div.u32", u32, u32, u32, none, b == 0 ? UINT32_MAX : a / b)
LANES(div_s32, ALU, "div.s32", s32, s32, s32, none, divide_s32(a, b))
LANES(div_u64, ALU, "div.u64", u64, u64, u64, none, b == 0 ? UINT64_MAX : a / b)
LANES(div_s64, ALU, "div.s64", s64, s64, s64, none, divide_s64(a, b))
LANES(rem_u16, ALU, "rem.u16", u16, u16, u16, none, b == 0 ? UINT16_MAX : (uint16_t)(a % b))
LANES(rem_s16, ALU, "rem.s16", s16, s16, s16, none, b == 0 ? -1 : (int16_t)(a % b))
LANES(rem_u32, ALU, "rem.u32", u32, u32, u32, none, b == 0 ? UINT32_MAX : a % b)
LANES(rem_s32, ALU, "rem.s32", s32, s32, s32, none, remainder_s32(a, b))
LANES(rem_u64, ALU, "rem.u64", u64, u64, u64, none, b == 0 ? UINT64_MAX : a % b)
LANES(rem_s64, ALU, "rem.s64", s64, s64, s64, none, remainder_s64(a, b))
LANES(sad_u32, ALU, "sad.u32", u32, u32, u32, u32, c + (a < b ? b - a : a - b))

/* Floating point. */
LANES(add_f32, FMA, "add" RND "{.ftz}{.sat}.f32", f32, f32, f32, none, a + b)
LANES(sub_f32, FMA, "sub" RND "{.ftz}{.sat}.f32", f32, f32, f32, none, a - b)
LANES(mul_f32, FMA, "mul" RND "{.ftz}{.sat}.f32", f32, f32, f32, none, a *b)
LANES(fma_f32, FMA, "fma" RND1 "{.ftz}{.sat}.f32", f32, f32, f32, f32, fmaf(a, b, c))
LANES(mad_f32, FMA, "mad" RND1 "{.ftz}{.sat}.f32", f32, f32, f32, f32, fmaf(a, b, c))
LANES(add_f64, FMA, "add" RND ".f64", f64, f64, f64, none, a + b)
LANES(sub_f64, FMA, "sub" RND ".f64", f64, f64, f64, none, a - b)
LANES(mul_f64, FMA, "mul" RND ".f64", f64, f64, f64, none, a *b)
LANES(fma_f64, FMA, "fma" RND1 ".f64", f64, f64, f64, f64, fma(a, b, c))
LANES(mad_f64, FMA, "mad" RND1 ".f64", f64, f64, f64, f64, fma(a, b, c))
LANES(div_rn_f32, SFU, "div" RND1 "{.ftz}.f32", f32, f32, f32, none, a / b)
LANES(div_full_f32, SFU, "div.full{.ftz}.f32", f32, f32, f32, none, a / b)
LANES(div_approx_f32, SFU, "div.approx{.ftz}.f32", f32, f32, f32, none, divide_approximately(a, b))
LANES(div_f64, SFU, "div" RND1 ".f64", f64, f64, f64, none, a / b)
LANES(rcp_rn_f32, SFU, "rcp" RND1 "{.ftz}.f32", f32, f32, none, none, 1.0f / a)
LANES(rcp_approx_f32, SFU, "rcp.approx{.ftz}.f32", f32, f32, none, none, 1.0f / a)
LANES(rcp_f64, SFU, "rcp" RND1 ".f64", f64, f64, none, none, 1.0 / a)
LANES(sqrt_rn_f32, SFU, "sqrt" RND1 "{.ftz}.f32", f32, f32, none, none, sqrtf(a))
LANES(sqrt_approx_f32, SFU, "sqrt.approx{.ftz}.f32", f32, f32, none, none, sqrtf(a))
LANES(sqrt_f64, SFU, "sqrt" RND1 ".f64", f64, f64, none, none, sqrt(a))
LANES(rsqrt_approx_f32, SFU, "rsqrt.approx{.ftz}.f32", f32, f32, none, none, (float)(1.0 / sqrt((double)a)))
LANES(ex2_approx_f32, SFU, "ex2.approx{.ftz}.f32", f32, f32, none, none, exp2_of(a))
LANES(lg2_approx_f32, SFU, "lg2.approx{.ftz}.f32", f32, f32, none, none, log2f(a))
LANES(tanh_approx_f32, SFU, "tanh.approx.f32", f32, f32, none, none, tanhf(a))
LANES(neg_f32, ALU, "neg{.ftz}.f32", f32, f32, none, none, -a)
LANES(abs_f32, ALU, "abs{.ftz}.f32", f32, f32, none, none, fabsf(a))
LANES(neg_f64, ALU, "neg.f64", b64, b64, none, none, a ^ (UINT64_C(1) << 63))
LANES(abs_f64, ALU, "abs.f64", b64, b64, none, none, a & ~(UINT64_C(1) << 63))
LANES(copysign_f32, ALU, "copysign.f32", b32, b32, b32, none, (a & 0x80000000u) | (b & 0x7fffffffu))
LANES(min_f32, ALU, "min{.ftz}.f32", f32, f32, f32, none, minimum(a, b))
LANES(max_f32, ALU, "max{.ftz}.f32", f32, f32, f32, none, maximum(a, b))
LANES(min3_f32, ALU, "min{.ftz}.f32", f32, f32, f32, f32, minimum(minimum(a, b), c))
LANES(max3_f32, ALU, "max{.ftz}.f32", f32, f32, f32, f32, maximum(maximum(a, b), c))
LANES(min_nan_f32, ALU, "min{.ftz}.NaN.f32", f32, f32, f32, none, minimum_nan(a, b))
LANES(max_nan_f32, ALU, "max{.ftz}.NaN.f32", f32, f32, f32, none, maximum_nan(a, b))
LANES(min3_nan_f32, ALU, "min{.ftz}.NaN.f32", f32, f32, f32, f32, minimum_nan(minimum_nan(a, b), c))
LANES(max3_nan_f32, ALU, "max{.ftz}.NaN.f32", f32, f32, f32, f32, maximum_nan(maximum_nan(a, b), c))
LANES(max_abs_f32, ALU, "max{.ftz}.xorsign.abs.f32", b32, f32b, f32b, none, maximum_magnitude(a, b))
LANES(min_f64, ALU, "min.f64", f64, f64, f64, none, minimum_f64(a, b))
LANES(max_f64, ALU, "max.f64", f64, f64, f64, none, maximum_f64(a, b))
COMPARE(testp_notanumber, "testp.notanumber.f32", f32, none, a != a)
COMPARE(testp_number, "testp.number.f32", f32, none, a == a)
COMPARE(testp_finite, "testp.finite.f32", f32, none, fabsf(a) < INFINITY)
COMPARE(testp_infinite, "testp.infinite.f32", f32, none, fabsf(a) == INFINITY)

/* Two floats in a 64-bit register. */
LANES(add_f32x2, FMA, "add" RND ".f32x2", f32x2, f32x2, f32x2, none, PAIR(a.x + b.x, a.y + b.y))
LANES(sub_f32x2, FMA, "sub" RND ".f32x2", f32x2, f32x2, f32x2, none, PAIR(a.x - b.x, a.y - b.y))
LANES(mul_f32x2, FMA, "mul" RND ".f32x2", f32x2, f32x2, f32x2, none, PAIR(a.x *b.x, a.y *b.y))
LANES(fma_f32x2, FMA, "fma" RND1 ".f32x2", f32x2, f32x2, f32x2, f32x2,
      PAIR(fmaf(a.x, b.x, c.x), fmaf(a.y, b.y, c.y)))

LANES(add_ftz_f32x2, FMA, "add" RND ".ftz.f32x2", f32x2f, f32x2f, f32x2f, none, PAIR(a.x + b.x, a.y + b.y))
LANES(sub_ftz_f32x2, FMA, "sub" RND ".ftz.f32x2", f32x2f, f32x2f, f32x2f, none, PAIR(a.x - b.x, a.y - b.y))
LANES(mul_ftz_f32x2, FMA, "mul" RND ".ftz.f32x2", f32x2f, f32x2f, f32x2f, none, PAIR(a.x *b.x, a.y *b.y))
LANES(fma_ftz_f32x2, FMA, "fma" RND1 ".ftz.f32x2", f32x2f, f32x2f, f32x2f, f32x2f,
      PAIR(fmaf(a.x, b.x, c.x), fmaf(a.y, b.y, c.y)))

/* 16-bit floating point: computed in wider arithmetic and rounded once. */
LANES(add_f16, FMA, "add{.rn}.f16", f16, f16, f16, none, a + b)
LANES(sub_f16, FMA, "sub{.rn}.f16", f16, f16, f16, none, a - b)
LANES(mul_f16, FMA, "mul{.rn}.f16", f16, f16, f16, none, a *b)
LANES(fma_f16, FMA, "fma.rn.f16", f16, f16, f16, f16, fma_odd(a, b, c))
LANES(neg_f16, ALU, "neg.f16", f16, f16, none, none, -a)
LANES(neg_bf16, ALU, "neg.bf16", bf16, bf16, none, none, -a)
LANES(abs_f16, ALU, "abs.f16", f16, f16, none, none, fabsf(a))
LANES(abs_bf16, ALU, "abs.bf16", bf16, bf16, none, none, fabsf(a))
LANES(min_f16, ALU, "min.f16", f16, f16, f16, none, minimum(a, b))
LANES(max_f16, ALU, "max.f16", f16, f16, f16, none, maximum(a, b))
LANES(min_nan_f16, ALU, "min.NaN.f16", f16, f16, f16, none, minimum_nan(a, b))
LANES(max_nan_f16, ALU, "max.NaN.f16", f16, f16, f16, none, maximum_nan(a, b))
LANES(ex2_f16, SFU, "ex2.approx.f16", f16, f16, none, none, exp2_of(a))
LANES(add_bf16, FMA, "add{.rn}.bf16", bf16, bf16, bf16, none, a + b)
LANES(sub_bf16, FMA, "sub{.rn}.bf16", bf16, bf16, bf16, none, a - b)
LANES(mul_bf16, FMA, "mul{.rn}.bf16", bf16, bf16, bf16, none, a *b)
LANES(fma_bf16, FMA, "fma.rn.bf16", bf16, bf16, bf16, bf16, fma_odd(a, b, c))
LANES(min_bf16, ALU, "min.bf16", bf16, bf16, bf16, none, minimum(a, b))
LANES(max_bf16, ALU, "max.bf16", bf16, bf16, bf16, none, maximum(a, b))
LANES(min_nan_bf16, ALU, "min.NaN.bf16", bf16, bf16, bf16, none, minimum_nan(a, b))
LANES(max_nan_bf16, ALU, "max.NaN.bf16", bf16, bf16, bf16, none, maximum_nan(a, b))
LANES(ex2_bf16, SFU, "ex2.approx.ftz.bf16", bf16f, bf16f, none, none, exp2_of(a))
LANES(add_f16x2, FMA, "add{.rn}.f16x2", f16x2, f16x2, f16x2, none, PAIR(a.x + b.x, a.y + b.y))
LANES(sub_f16x2, FMA, "sub{.rn}.f16x2", f16x2, f16x2, f16x2, none, PAIR(a.x - b.x, a.y - b.y))
LANES(mul_f16x2, FMA, "mul{.rn}.f16x2", f16x2, f16x2, f16x2, none, PAIR(a.x *b.x, a.y *b.y))
LANES(fma_f16x2, FMA, "fma.rn.f16x2", f16x2, f16x2, f16x2, f16x2,
      PAIR(fma_odd(a.x, b.x, c.x), fma_odd(a.y, b.y, c.y)))
LANES(neg_f16x2, ALU, "neg.f16x2", f16x2, f16x2, none, none, PAIR(-a.x, -a.y))
LANES(neg_bf16x2, ALU, "neg.bf16x2", bf16x2, bf16x2, none, none, PAIR(-a.x, -a.y))
LANES(abs_f16x2, ALU, "abs.f16x2", f16x2, f16x2, none, none, PAIR(fabsf(a.x), fabsf(a.y)))
LANES(abs_bf16x2, ALU, "abs.bf16x2", bf16x2, bf16x2, none, none, PAIR(fabsf(a.x), fabsf(a.y)))
LANES(min_f16x2, ALU, "min.f16x2", f16x2, f16x2, f16x2, none, PAIR(minimum(a.x, b.x), minimum(a.y, b.y)))
LANES(max_f16x2, ALU, "max.f16x2", f16x2, f16x2, f16x2, none, PAIR(maximum(a.x, b.x), maximum(a.y, b.y)))
LANES(min_nan_f16x2, ALU, "min.NaN.f16x2", f16x2, f16x2, f16x2, none,
      PAIR(minimum_nan(a.x, b.x), minimum_nan(a.y, b.y)))
LANES(max_nan_f16x2, ALU, "max.NaN.f16x2", f16x2, f16x2, f16x2, none,
      PAIR(maximum_nan(a.x, b.x), maximum_nan(a.y, b.y)))
LANES(ex2_f16x2, SFU, "ex2.approx.f16x2", f16x2, f16x2, none, none, PAIR(exp2_of(a.x), exp2_of(a.y)))
LANES(add_bf16x2, FMA, "add{.rn}.bf16x2", bf16x2, bf16x2, bf16x2, none, PAIR(a.x + b.x, a.y + b.y))
LANES(sub_bf16x2, FMA, "sub{.rn}.bf16x2", bf16x2, bf16x2, bf16x2, none, PAIR(a.x - b.x, a.y - b.y))
LANES(mul_bf16x2, FMA, "mul{.rn}.bf16x2", bf16x2, bf16x2, bf16x2, none, PAIR(a.x *b.x, a.y *b.y))
LANES(fma_bf16x2, FMA, "fma.rn.bf16x2", bf16x2, bf16x2, bf16x2, bf16x2,
      PAIR(fma_odd(a.x, b.x, c.x), fma_odd(a.y, b.y, c.y)))
LANES(min_bf16x2, ALU, "min.bf16x2", bf16x2, bf16x2, bf16x2, none, PAIR(minimum(a.x, b.x), minimum(a.y, b.y)))
LANES(max_bf16x2, ALU, "max.bf16x2", bf16x2, bf16x2, bf16x2, none, PAIR(maximum(a.x, b.x), maximum(a.y, b.y)))
LANES(min_nan_bf16x2, ALU, "min.NaN.bf16x2", bf16x2, bf16x2, bf16x2, none,
      PAIR(minimum_nan(a.x, b.x), minimum_nan(a.y, b.y)))
LANES(max_nan_bf16x2, ALU, "max.NaN.bf16x2", bf16x2, bf16x2, bf16x2, none,
      PAIR(maximum_nan(a.x, b.x), maximum_nan(a.y, b.y)))
LANES(ex2_bf16x2, SFU, "ex2.approx.ftz.bf16x2", bf16x2f, bf16x2f, none, none,
      PAIR(exp2_of(a.x), exp2_of(a.y)))

/* Conversions. A narrow result fills its register as its type says, with zeros or with its sign. */
LANES(cvt_u8_u32, CVT, "cvt.u8(.u8.s8.u16.s16.u32.s32)", u8, u32, none, none, (uint8_t)a)
LANES(cvt_s8_u32, CVT, "cvt.s8(.u8.s8.u16.s16.u32.s32)", s16, u32, none, none, (int8_t)a)
LANES(cvt_u16_u8, CVT, "cvt(.u16.s16).u8", u16, u8, none, none, a)
LANES(cvt_u16_s8, CVT, "cvt(.u16.s16).s8", s16, s8, none, none, a)
LANES(cvt_u32_u8, CVT, "cvt(.u32.s32).u8", u32, u8, none, none, a)
LANES(cvt_u32_s8, CVT, "cvt(.u32.s32).s8", s32, s8, none, none, a)
LANES(cvt_u16_u16, CVT, "cvt.u16(.u16.s16.u32.s32)", u16, u32, none, none, (uint16_t)a)
LANES(cvt_s16_u16, CVT, "cvt.s16(.u16.s16.u32.s32)", s16, u32, none, none, (int16_t)a)
LANES(cvt_u16_u64, CVT, "cvt(.u16.s16)(.u64.s64)", u16, u64, none, none, (uint16_t)a)
LANES(cvt_u32_u16, CVT, "cvt(.u32.s32).u16", u32, u16, none, none, a)
LANES(cvt_u32_s16, CVT, "cvt(.u32.s32).s16", s32, s16, none, none, a)
LANES(cvt_u32_u32, CVT, "cvt(.u32.s32)(.u32.s32)", u32, u32, none, none, a)
LANES(cvt_u32_u64, CVT, "cvt(.u32.s32)(.u64.s64)", u32, u64, none, none, (uint32_t)a)
LANES(cvt_sat_s32_s64, CVT, "cvt.sat.s32.s64", s32, s64, none, none, clamp_s32(a))
LANES(cvt_u64_u8, CVT, "cvt(.u64.s64).u8", u64, u8, none, none, a)
LANES(cvt_u64_u16, CVT, "cvt(.u64.s64).u16", u64, u16, none, none, a)
LANES(cvt_u64_s16, CVT, "cvt(.u64.s64).s16", s64, s16, none, none, a)
LANES(cvt_u64_u32, CVT, "cvt(.u64.s64).u32", u64, u32, none, none, a)
LANES(cvt_u64_s32, CVT, "cvt(.u64.s64).s32", s64, s32, none, none, a)
LANES(cvt_u64_u64, CVT, "cvt(.u64.s64)(.u64.s64)", u64, u64, none, none, a)
LANES(cvt_f32_u8, CVT, "cvt" RND1 ".f32.u8", f32, u8, none, none, (float)a)
LANES(cvt_f32_u16, CVT, "cvt" RND1 ".f32.u16", f32, u16, none, none, (float)a)
LANES(cvt_f32_s16, CVT, "cvt" RND1 ".f32.s16", f32, s16, none, none, (float)a)
LANES(cvt_f32_u32, CVT, "cvt" RND1 "{.sat}.f32.u32", f32, u32, none, none, (float)a)
LANES(cvt_f32_s32, CVT, "cvt" RND1 "{.sat}.f32.s32", f32, s32, none, none, (float)a)
LANES(cvt_f32_u64, CVT, "cvt" RND1 "{.sat}.f32.u64", f32, u64, none, none, (float)a)
LANES(cvt_f32_s64, CVT, "cvt" RND1 "{.sat}.f32.s64", f32, s64, none, none, (float)a)
LANES(cvt_f64_u32, CVT, "cvt" RND1 ".f64.u32", f64, u32, none, none, (double)a)
LANES(cvt_f64_s32, CVT, "cvt" RND1 ".f64.s32", f64, s32, none, none, (double)a)
LANES(cvt_f64_u64, CVT, "cvt" RND1 ".f64.u64", f64, u64, none, none, double_of_u64(a))
LANES(cvt_f64_s64, CVT, "cvt" RND1 ".f64.s64", f64, s64, none, none, (double)a)
LANES(cvt_f64_f32, CVT, "cvt{.ftz}.f64.f32", f64, f32, none, none, a)
LANES(cvt_f32_f64, CVT, "cvt" RND1 "{.sat}.f32.f64", f32, f64, none, none, (float)a)
LANES(cvt_ftz_f32_f64, CVT, "cvt" RND1 ".ftz{.sat}.f32.f64", f32, f64, none, none, double_flushed(a))
LANES(cvt_copy_f32, CVT, "cvt.f32.f32", b32, b32, none, none, a)
LANES(cvt_f32_f32, CVT, "cvt{.ftz}{.sat}.f32.f32", f32, f32, none, none, a)
LANES(cvt_rni_f32, CVT, "cvt.rni{.ftz}{.sat}.f32.f32", f32, f32, none, none, rintf(a))
LANES(cvt_rzi_f32, CVT, "cvt.rzi{.ftz}{.sat}.f32.f32", f32, f32, none, none, truncf(a))
LANES(cvt_rmi_f32, CVT, "cvt.rmi{.ftz}{.sat}.f32.f32", f32, f32, none, none, floorf(a))
LANES(cvt_rpi_f32, CVT, "cvt.rpi{.ftz}{.sat}.f32.f32", f32, f32, none, none, ceilf(a))
LANES(cvt_rni_f64, CVT, "cvt.rni.f64.f64", f64, f64, none, none, rint(a))
LANES(cvt_rzi_s32, CVT, "cvt.rzi{.ftz}{.sat}.s32.f32", s32, f32, none, none, float_to_s32(truncf(a)))
LANES(cvt_rni_s32, CVT, "cvt.rni{.ftz}{.sat}.s32.f32", s32, f32, none, none, float_to_s32(rintf(a)))
LANES(cvt_rmi_s32, CVT, "cvt.rmi{.ftz}{.sat}.s32.f32", s32, f32, none, none, float_to_s32(floorf(a)))
LANES(cvt_rpi_s32, CVT, "cvt.rpi{.ftz}{.sat}.s32.f32", s32, f32, none, none, float_to_s32(ceilf(a)))
LANES(cvt_rzi_u32, CVT, "cvt.rzi{.ftz}{.sat}.u32.f32", u32, f32, none, none, float_to_u32(truncf(a)))
LANES(cvt_rni_u32, CVT, "cvt.rni{.ftz}{.sat}.u32.f32", u32, f32, none, none, float_to_u32(rintf(a)))
LANES(cvt_rzi_s64, CVT, "cvt.rzi{.ftz}{.sat}.s64.f32", s64, f32, none, none, double_to_s64((double)truncf(a)))
LANES(cvt_rzi_u64, CVT, "cvt.rzi{.ftz}{.sat}.u64.f32", u64, f32, none, none, double_to_u64((double)truncf(a)))
LANES(cvt_rzi_s32_f64, CVT, "cvt.rzi.s32.f64", s32, f64, none, none, double_to_s32(trunc(a)))
LANES(cvt_rni_s32_f64, CVT, "cvt.rni.s32.f64", s32, f64, none, none, double_to_s32(rint(a)))
LANES(cvt_rzi_s64_f64, CVT, "cvt.rzi.s64.f64", s64, f64, none, none, double_to_s64(trunc(a)))
LANES(cvt_f32_f16, CVT, "cvt{.ftz}{.sat}.f32.f16", f32, f16, none, none, a)
LANES(cvt_f32_bf16, CVT, "cvt.f32.bf16", f32, bf16, none, none, a)
LANES(cvt_rn_f16_f32, CVT, "cvt.rn{.ftz}.f16.f32", f16, f32, none, none, a)
LANES(cvt_rz_f16_f32, CVT, "cvt.rz{.ftz}.f16.f32", b16, f32, none, none, half_truncated(a))
LANES(cvt_rn_bf16_f32, CVT, "cvt.rn.bf16.f32", bf16, f32, none, none, a)
LANES(cvt_rz_bf16_f32, CVT, "cvt.rz.bf16.f32", b16, f32, none, none, brain_truncated(a))
LANES(cvt_rn_relu_f16_f32, CVT, "cvt.rn.relu.f16.f32", f16, f32, none, none, relu(a))
LANES(cvt_rn_relu_bf16_f32, CVT, "cvt.rn.relu.bf16.f32", bf16, f32, none, none, relu(a))
LANES(cvt_rn_f16x2_f32, CVT, "cvt.rn.f16x2.f32", f16x2, f32, f32, none, PAIR(b, a))
LANES(cvt_rn_bf16x2_f32, CVT, "cvt.rn.bf16x2.f32", bf16x2, f32, f32, none, PAIR(b, a))
LANES(cvt_f16_u16, CVT, "cvt.rn.f16.u16", f16, u16, none, none, (float)a)

/* Comparisons. */
#define COMPARE_ORDER(type, A)                                                                               \
    COMPARE(eq_##type, "setp.eq{.and.or.xor}." #type, A, A, a == b)                                          \
    COMPARE(ne_##type, "setp.ne{.and.or.xor}." #type, A, A, a != b)                                          \
    COMPARE(lt_##type, "setp.lt{.and.or.xor}." #type, A, A, a < b)                                           \
    COMPARE(le_##type, "setp.le{.and.or.xor}." #type, A, A, a <= b)                                          \
    COMPARE(gt_##type, "setp.gt{.and.or.xor}." #type, A, A, a > b)                                           \
    COMPARE(ge_##type, "setp.ge{.and.or.xor}." #type, A, A, a >= b)
#define COMPARE_UNSIGNED(type, A)                                                                            \
    COMPARE_ORDER(type, A)                                                                                   \
    COMPARE(lo_##type, "setp.lo{.and.or.xor}." #type, A, A, a < b)                                           \
    COMPARE(ls_##type, "setp.ls{.and.or.xor}." #type, A, A, a <= b)                                          \
    COMPARE(hi_##type, "setp.hi{.and.or.xor}." #type, A, A, a > b)                                           \
    COMPARE(hs_##type, "setp.hs{.and.or.xor}." #type, A, A, a >= b)
#define COMPARE_BITS(type, A)                                                                                \
    COMPARE(eq_##type, "setp.eq{.and.or.xor}." #type, A, A, a == b)                                          \
    COMPARE(ne_##type, "setp.ne{.and.or.xor}." #type, A, A, a != b)
#define COMPARE_FLOAT(id, type, A)                                                                           \
    COMPARE(eq_##id, "setp.eq{.and.or.xor}" type, A, A, a == b)                                              \
    COMPARE(ne_##id, "setp.ne{.and.or.xor}" type, A, A, a<b || a> b)                                         \
    COMPARE(lt_##id, "setp.lt{.and.or.xor}" type, A, A, a < b)                                               \
    COMPARE(le_##id, "setp.le{.and.or.xor}" type, A, A, a <= b)                                              \
    COMPARE(gt_##id, "setp.gt{.and.or.xor}" type, A, A, a > b)                                               \
    COMPARE(ge_##id, "setp.ge{.and.or.xor}" type, A, A, a >= b)                                              \
    COMPARE(equ_##id, "setp.equ{.and.or.xor}" type, A, A, !(a < b || a > b))                                 \
    COMPARE(neu_##id, "setp.neu{.and.or.xor}" type, A, A, a != b)                                            \
    COMPARE(ltu_##id, "setp.ltu{.and.or.xor}" type, A, A, !(a >= b))                                         \
    COMPARE(leu_##id, "setp.leu{.and.or.xor}" type, A, A, !(a > b))                                          \
    COMPARE(gtu_##id, "setp.gtu{.and.or.xor}" type, A, A, !(a <= b))                                         \
    COMPARE(geu_##id, "setp.geu{.and.or.xor}" type, A, A, !(a < b))                                          \
    COMPARE(num_##id, "setp.num{.and.or.xor}" type, A, A, a == a && b == b)                                  \
    COMPARE(nan_##id, "setp.nan{.and.or.xor}" type, A, A, a != a || b != b)
COMPARE_BITS(b16, b16)
COMPARE_BITS(b32, b32)
COMPARE_BITS(b64, b64)
COMPARE_UNSIGNED(u16, u16)
COMPARE_UNSIGNED(u32, u32)
COMPARE_UNSIGNED(u64, u64)
COMPARE_ORDER(s16, s16)
COMPARE_ORDER(s32, s32)
COMPARE_ORDER(s64, s64)
COMPARE_FLOAT(f32, "{.ftz}.f32", f32)
COMPARE_FLOAT(f64, ".f64", f64)
COMPARE_FLOAT(f16, ".f16", f16)
COMPARE_FLOAT(f16_flushed, ".ftz.f16", f16f)
COMPARE_FLOAT(bf16, ".bf16", bf16)

/* Memory. */
#define CACHE                                                                                                \
    "{.ca.cg.cs.lu.cv.wb.wt}{.nc}{.L1::evict_normal.L1::evict_unchanged.L1::evict_first.L1::evict_last"      \
    ".L1::no_allocate}{.L2::evict_normal.L2::evict_first.L2::evict_last}{.L2::cache_hint}{.L2::64B.L2::128B.L2::256B}"
#define DATA  "{.v2.v4.v8}(.b8.u8.s8.b16.u16.s16.f16.bf16.b32.u32.s32.f32.f16x2.bf16x2.b64.u64.s64.f64)"
#define SPACE "{.global.shared.shared::cta.shared::cluster.local.const}"
#define SCOPE "{.cta.cluster.gpu.sys}"
OTHER(ACTION_LOAD_PARAMETER, LSU, "ld.param" DATA)
OTHER(ACTION_LOAD, LSU, "ld{.weak.volatile.relaxed.acquire}" SCOPE SPACE CACHE DATA)
OTHER(ACTION_LOAD, LSU, "ldu.global" DATA)
OTHER(ACTION_STORE, LSU, "st{.weak.volatile.relaxed.release}" SCOPE SPACE CACHE DATA)
#define ATOMIC "{.relaxed.acquire.release.acq_rel}" SCOPE "{.global.shared.shared::cta.shared::cluster}"
OTHER(ACTION_ATOMIC, LSU,
      "atom" ATOMIC "(.add.min.max.inc.dec.and.or.xor.exch.cas){.L2::cache_hint}"
      "(.b32.u32.s32.f32.b64.u64.s64.f64)")
OTHER(ACTION_REDUCTION, LSU,
      "red" ATOMIC "(.add.min.max.inc.dec.and.or.xor){.L2::cache_hint}"
      "(.b32.u32.s32.f32.b64.u64.s64.f64)")
OTHER(ACTION_FENCE, LSU, "fence{.acq_rel.sc.acquire.release}(.cta.cluster.gpu.sys)")
OTHER(ACTION_FENCE, LSU, "membar(.cta.gl.sys)")
OTHER(ACTION_ADDRESS, ALU,
      "cvta{.to}(.global.shared.shared::cta.shared::cluster.local.const.param)(.u32.u64)")
OTHER(ACTION_ADDRESS, ALU, "mapa{.shared::cluster}(.u32.u64)")
/* Transaction barriers, always of the block itself; what counts towards another block's. */
#define OWN "{.shared.shared::cta}"
OTHER(ACTION_MBARRIER_INIT, LSU, "mbarrier.init" OWN ".b64")
OTHER(ACTION_MBARRIER_FENCE, LSU, "fence.mbarrier_init.release.cluster")
OTHER(ACTION_MBARRIER_ARRIVE, LSU, "mbarrier.arrive{.expect_tx}{.release.relaxed}{.cta.cluster}" OWN ".b64")
OTHER(ACTION_MBARRIER_ARRIVE, LSU, "mbarrier.expect_tx{.relaxed}{.cta.cluster}" OWN ".b64")
OTHER(ACTION_MBARRIER_WAIT, LSU,
      "mbarrier(.try_wait.test_wait).parity{.acquire.relaxed}{.cta.cluster}" OWN ".b64")
OTHER(ACTION_STORE_ASYNC, LSU,
      "st.async{.weak}.shared::cluster.mbarrier::complete_tx::bytes{.v2.v4}"
      "(.b32.u32.s32.f32.b64.u64.s64.f64)")
OTHER(ACTION_NOTHING, LSU, "prefetch{.global.local}(.L1.L2)")
OTHER(ACTION_NOTHING, LSU, "prefetch.global(.L2::evict_last.L2::evict_normal)")
OTHER(ACTION_POLICY, ALU,
      "createpolicy.fractional(.L2::evict_last.L2::evict_normal.L2::evict_first.L2::evict_unchanged)"
      "{.L2::evict_first.L2::evict_unchanged}.b64")

/* Control. */
OTHER(ACTION_BRANCH, CONTROL, "bra{.uni}")
OTHER(ACTION_EXIT, CONTROL, "ret{.uni}")
OTHER(ACTION_EXIT, CONTROL, "exit")
OTHER(ACTION_TRAP, CONTROL, "trap")
OTHER(ACTION_NOTHING, CONTROL, "nanosleep.u32")
OTHER(ACTION_NOTHING, CONTROL, "griddepcontrol(.launch_dependents.wait)")
OTHER(ACTION_BARRIER, CONTROL, "bar{.cta}(.sync.arrive)")
OTHER(ACTION_BARRIER, CONTROL, "barrier{.cta}(.sync.arrive){.aligned}")
OTHER(ACTION_BARRIER_REDUCE, CONTROL, "bar{.cta}.red(.popc)(.u32)")
OTHER(ACTION_BARRIER_REDUCE, CONTROL, "bar{.cta}.red(.and.or)(.pred)")
OTHER(ACTION_BARRIER_REDUCE, CONTROL, "barrier{.cta}.red(.popc){.aligned}(.u32)")
OTHER(ACTION_BARRIER_REDUCE, CONTROL, "barrier{.cta}.red(.and.or){.aligned}(.pred)")
OTHER(ACTION_CLUSTER_ARRIVE, CONTROL, "barrier.cluster.arrive{.release.relaxed}{.aligned}")
OTHER(ACTION_CLUSTER_WAIT, CONTROL, "barrier.cluster.wait{.acquire}{.aligned}")

/* Lanes of a warp together. */
OTHER(ACTION_WARP_BARRIER, CONTROL, "bar.warp.sync")
OTHER(ACTION_SHUFFLE, LSU, "shfl.sync(.idx.up.down.bfly).b32")
OTHER(ACTION_VOTE, ALU, "vote.sync(.all.any.uni).pred")
OTHER(ACTION_VOTE, ALU, "vote.sync(.ballot).b32")
OTHER(ACTION_MATCH, ALU, "match(.any.all).sync(.b32.b64)")
OTHER(ACTION_REDUX, ALU, "redux.sync(.add.min.max)(.u32.s32)")
OTHER(ACTION_REDUX, ALU, "redux.sync(.and.or.xor).b32")
OTHER(ACTION_REDUX, ALU, "redux.sync(.min.max){.abs}{.NaN}.f32")
OTHER(ACTION_ACTIVE_MASK, ALU, "activemask.b32")

#undef RND
#undef RND1
#undef B32
#undef B64
#undef B16
#undef COMPARE_ORDER
#undef COMPARE_UNSIGNED
#undef COMPARE_BITS
#undef COMPARE_FLOAT
#undef CACHE
#undef DATA
#undef SPACE
#undef SCOPE
#undef ATOMIC
#undef OWN
