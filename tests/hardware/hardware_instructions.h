/* The instructions that are compared between a GPU and the emulator, a line each. This file is included with
   these defined as what is wanted of each line:

   EXACT(op, D, A, B, C)               op %d, %a, %b, %c: PTX defines every bit (of a NaN: that it is one)
   APPROXIMATE(op, D, A, B, C, rule)   likewise, but PTX states an error: `rule` of test_hardware.c
   WRITTEN(text, D, A, B, C)           a text of its own, which leaves its result in %d; exact
   CLUSTER(text, D, A, B, C)           likewise, in clusters of two blocks

   D, A, B, C are the types of the result and of the inputs (hardware_program.h), `none` where there is no
   such operand. A text may also use %x, the address of this thread's 32 bytes of input (a, b, c and a once
   more, 8 bytes each), %w and %s, 32 bytes of its own in global memory (zeros) and in shared memory, %t, its
   index in the block, and %p, %q, %h, %i, %l, %m (16 bits), %e, %f, %g (32) and %j (64). Comes the time of an
   instruction that sm_90 does not have, it needs a GPU of its own. */

#define ROUNDED(op, type, ...)                                                                               \
    EXACT(op ".rn" type, __VA_ARGS__)                                                                        \
    EXACT(op ".rz" type, __VA_ARGS__)                                                                        \
    EXACT(op ".rm" type, __VA_ARGS__)                                                                        \
    EXACT(op ".rp" type, __VA_ARGS__)
#define FLUSHED(op, type, ...)                                                                               \
    ROUNDED(op, type, __VA_ARGS__)                                                                           \
    ROUNDED(op, ".ftz" type, __VA_ARGS__)
#define SATURATED(op, type, ...)                                                                             \
    FLUSHED(op, type, __VA_ARGS__)                                                                           \
    EXACT(op ".rn.sat" type, __VA_ARGS__)                                                                    \
    EXACT(op ".rn.ftz.sat" type, __VA_ARGS__)
#define COMPARED(type, T)                                                                                    \
    EXACT("setp.eq." type, pred, T, T, none)                                                                 \
    EXACT("setp.ne." type, pred, T, T, none)
#define ORDERED(type, T)                                                                                     \
    COMPARED(type, T)                                                                                        \
    EXACT("setp.lt." type, pred, T, T, none)                                                                 \
    EXACT("setp.le." type, pred, T, T, none)                                                                 \
    EXACT("setp.gt." type, pred, T, T, none)                                                                 \
    EXACT("setp.ge." type, pred, T, T, none)
#define ORDERED_FLOAT(flush, type, T)                                                                        \
    ORDERED(flush type, T)                                                                                   \
    EXACT("setp.equ." flush type, pred, T, T, none)                                                          \
    EXACT("setp.neu." flush type, pred, T, T, none)                                                          \
    EXACT("setp.ltu." flush type, pred, T, T, none)                                                          \
    EXACT("setp.leu." flush type, pred, T, T, none)                                                          \
    EXACT("setp.gtu." flush type, pred, T, T, none)                                                          \
    EXACT("setp.geu." flush type, pred, T, T, none)                                                          \
    EXACT("setp.num." flush type, pred, T, T, none)                                                          \
    EXACT("setp.nan." flush type, pred, T, T, none)
/* A word of several, in which the order shows. */
#define FOLD2    " mad.lo.u32 %d, %e, 3, %d;"
#define FOLD4    FOLD2 " mad.lo.u32 %d, %f, 5, %d; mad.lo.u32 %d, %g, 7, %d;"
#define FOLD2_64 " mad.lo.u64 %d, %j, 3, %d;"

/* Moving and choosing. */
EXACT("mov.b16", u16, u16, none, none)
EXACT("mov.u16", u16, u16, none, none)
EXACT("mov.u32", u32, u32, none, none)
EXACT("mov.f32", u32, f32, none, none)
EXACT("mov.u64", u64, u64, none, none)
WRITTEN("mov.b64 %d, {%a, %b};", u64, u32, u32, none)
WRITTEN("mov.b64 {%e, %f}, %a; sub.s32 %d, %e, %f;", u32, u64, none, none)
WRITTEN("mov.b32 %d, {%a, %b};", u32, u16, u16, none)
WRITTEN("mov.b32 {%h, %i}, %a; sub.s16 %d, %h, %i;", u16, u32, none, none)
WRITTEN("mov.pred %p, 0; selp.b32 %d, %a, %b, %p;", u32, u32, u32, none)
EXACT("selp.b16", u16, u16, u16, pred)
EXACT("selp.b32", u32, u32, u32, pred)
EXACT("selp.s32", u32, u32, u32, pred)
EXACT("selp.u32", u32, u32, u32, pred)
EXACT("selp.f32", u32, f32, f32, pred)
EXACT("selp.b64", u64, u64, u64, pred)
EXACT("slct.b32.s32", u32, u32, u32, u32)
WRITTEN("mov.u32 %d, %laneid;", u32, none, none, none)
WRITTEN("mov.u32 %d, %tid.x;", u32, none, none, none)
WRITTEN("mov.u32 %d, %ntid.x;", u32, none, none, none)
WRITTEN("mov.u32 %d, %ctaid.x;", u32, none, none, none)
WRITTEN("mov.u32 %d, %nctaid.x;", u32, none, none, none)
WRITTEN("mov.u32 %d, %lanemask_lt;", u32, none, none, none)
WRITTEN("mov.u32 %d, %lanemask_ge;", u32, none, none, none)
CLUSTER("mov.u32 %d, %cluster_ctarank;", u32, none, none, none)
CLUSTER("mov.u32 %d, %cluster_nctaid.x;", u32, none, none, none)
CLUSTER("mov.u32 %d, %clusterid.x;", u32, none, none, none)

/* Logic and bits. */
EXACT("and.pred", pred, pred, pred, none)
EXACT("or.pred", pred, pred, pred, none)
EXACT("xor.pred", pred, pred, pred, none)
EXACT("not.pred", pred, pred, none, none)
EXACT("not.b16", u16, u16, none, none)
EXACT("not.b32", u32, u32, none, none)
EXACT("not.b64", u64, u64, none, none)
EXACT("cnot.b32", u32, u32, none, none)
EXACT("and.b16", u16, u16, u16, none)
EXACT("and.b32", u32, u32, u32, none)
EXACT("and.b64", u64, u64, u64, none)
EXACT("or.b16", u16, u16, u16, none)
EXACT("or.b32", u32, u32, u32, none)
EXACT("or.b64", u64, u64, u64, none)
EXACT("xor.b16", u16, u16, u16, none)
EXACT("xor.b32", u32, u32, u32, none)
EXACT("xor.b64", u64, u64, u64, none)
EXACT("shl.b16", u16, u16, amount, none)
EXACT("shl.b32", u32, u32, amount, none)
EXACT("shl.b64", u64, u64, amount, none)
EXACT("shr.u16", u16, u16, amount, none)
EXACT("shr.s16", u16, u16, amount, none)
EXACT("shr.u32", u32, u32, amount, none)
EXACT("shr.s32", u32, u32, amount, none)
EXACT("shr.u64", u64, u64, amount, none)
EXACT("shr.s64", u64, u64, amount, none)
EXACT("shf.l.wrap.b32", u32, u32, u32, amount)
EXACT("shf.l.clamp.b32", u32, u32, u32, amount)
EXACT("shf.r.wrap.b32", u32, u32, u32, amount)
EXACT("shf.r.clamp.b32", u32, u32, u32, amount)
EXACT("popc.b32", u32, u32, none, none)
EXACT("popc.b64", u32, u64, none, none)
EXACT("clz.b32", u32, u32, none, none)
EXACT("clz.b64", u32, u64, none, none)
EXACT("brev.b32", u32, u32, none, none)
EXACT("brev.b64", u64, u64, none, none)
EXACT("bfind.u32", u32, u32, none, none)
EXACT("bfind.s32", u32, u32, none, none)
EXACT("bfind.shiftamt.u32", u32, u32, none, none)
EXACT("bfe.u32", u32, u32, amount, amount)
EXACT("bfe.s32", u32, u32, amount, amount)
EXACT("bfe.u64", u64, u64, amount, amount)
EXACT("bfe.s64", u64, u64, amount, amount)
WRITTEN("bfi.b32 %d, %a, %b, 5, 27;", u32, u32, u32, none)
WRITTEN("bfi.b64 %d, %a, %b, 10, 54;", u64, u64, u64, none)
WRITTEN("shr.u32 %e, %c, 8; bfi.b32 %d, %a, %b, %c, %e;", u32, u32, u32, amounts)
WRITTEN("shr.u32 %e, %c, 8; bfi.b64 %d, %a, %b, %c, %e;", u64, u64, u64, amounts)
WRITTEN("lop3.b32 %d, %a, %b, %c, 0x96;", u32, u32, u32, u32)
WRITTEN("lop3.b32 %d, %a, %b, %c, 0xe8;", u32, u32, u32, u32)
WRITTEN("lop3.b32 %d, %a, %b, %c, 0x1b;", u32, u32, u32, u32)
WRITTEN("lop3.b32 %d, %a, %b, %c, 0xca;", u32, u32, u32, u32)
EXACT("prmt.b32", u32, u32, u32, u32)

/* Whole numbers. */
EXACT("add.u16", u16, u16, u16, none)
EXACT("add.s32", u32, u32, u32, none)
EXACT("add.sat.s32", u32, u32, u32, none)
EXACT("add.s64", u64, u64, u64, none)
EXACT("sub.s16", u16, u16, u16, none)
EXACT("sub.s32", u32, u32, u32, none)
EXACT("sub.sat.s32", u32, u32, u32, none)
EXACT("sub.s64", u64, u64, u64, none)
EXACT("neg.s16", u16, u16, none, none)
EXACT("neg.s32", u32, u32, none, none)
EXACT("neg.s64", u64, u64, none, none)
EXACT("abs.s16", u16, u16, none, none)
EXACT("abs.s32", u32, u32, none, none)
EXACT("abs.s64", u64, u64, none, none)
EXACT("min.u16", u16, u16, u16, none)
EXACT("min.s16", u16, u16, u16, none)
EXACT("min.u32", u32, u32, u32, none)
EXACT("min.s32", u32, u32, u32, none)
EXACT("min.u64", u64, u64, u64, none)
EXACT("min.s64", u64, u64, u64, none)
EXACT("max.u16", u16, u16, u16, none)
EXACT("max.s16", u16, u16, u16, none)
EXACT("max.u32", u32, u32, u32, none)
EXACT("max.s32", u32, u32, u32, none)
EXACT("max.u64", u64, u64, u64, none)
EXACT("max.s64", u64, u64, u64, none)
EXACT("mul.lo.u16", u16, u16, u16, none)
EXACT("mul.lo.s32", u32, u32, u32, none)
EXACT("mul.lo.s64", u64, u64, u64, none)
EXACT("mul.hi.u16", u16, u16, u16, none)
EXACT("mul.hi.s16", u16, u16, u16, none)
EXACT("mul.hi.u32", u32, u32, u32, none)
EXACT("mul.hi.s32", u32, u32, u32, none)
EXACT("mul.hi.u64", u64, u64, u64, none)
EXACT("mul.hi.s64", u64, u64, u64, none)
EXACT("mul.wide.u16", u32, u16, u16, none)
EXACT("mul.wide.s16", u32, u16, u16, none)
EXACT("mul.wide.u32", u64, u32, u32, none)
EXACT("mul.wide.s32", u64, u32, u32, none)
EXACT("mad.lo.u16", u16, u16, u16, u16)
EXACT("mad.lo.s32", u32, u32, u32, u32)
EXACT("mad.lo.s64", u64, u64, u64, u64)
EXACT("mad.hi.u32", u32, u32, u32, u32)
EXACT("mad.hi.s32", u32, u32, u32, u32)
EXACT("mad.wide.u16", u32, u16, u16, u32)
EXACT("mad.wide.s16", u32, u16, u16, u32)
EXACT("mad.wide.u32", u64, u32, u32, u64)
EXACT("mad.wide.s32", u64, u32, u32, u64)
EXACT("div.u16", u16, u16, divisor16, none)
EXACT("div.s16", u16, u16, divisor16, none)
EXACT("div.u32", u32, u32, divisor32, none)
EXACT("div.s32", u32, u32, divisor32, none)
EXACT("div.u64", u64, u64, divisor64, none)
EXACT("div.s64", u64, u64, divisor64, none)
EXACT("rem.u16", u16, u16, divisor16, none)
EXACT("rem.s16", u16, u16, divisor16, none)
EXACT("rem.u32", u32, u32, divisor32, none)
EXACT("rem.s32", u32, u32, divisor32, none)
EXACT("rem.u64", u64, u64, divisor64, none)
EXACT("rem.s64", u64, u64, divisor64, none)
EXACT("sad.u32", u32, u32, u32, u32)

/* Floating point. */
EXACT("add.f32", f32, f32, f32, none)
EXACT("sub.f32", f32, f32, f32, none)
EXACT("mul.f32", f32, f32, f32, none)
SATURATED("add", ".f32", f32, f32, f32, none)
SATURATED("sub", ".f32", f32, f32, f32, none)
SATURATED("mul", ".f32", f32, f32, f32, none)
SATURATED("fma", ".f32", f32, f32, f32, f32)
ROUNDED("mad", ".f32", f32, f32, f32, f32)
FLUSHED("div", ".f32", f32, f32, f32, none)
FLUSHED("rcp", ".f32", f32, f32, none, none)
FLUSHED("sqrt", ".f32", f32, f32, none, none)
ROUNDED("add", ".f64", f64, f64, f64, none)
ROUNDED("sub", ".f64", f64, f64, f64, none)
ROUNDED("mul", ".f64", f64, f64, f64, none)
ROUNDED("fma", ".f64", f64, f64, f64, f64)
ROUNDED("div", ".f64", f64, f64, f64, none)
ROUNDED("rcp", ".f64", f64, f64, none, none)
ROUNDED("sqrt", ".f64", f64, f64, none, none)
APPROXIMATE("div.full.f32", f32, f32, f32, none, div_full)
APPROXIMATE("div.full.ftz.f32", f32, f32, f32, none, div_full)
APPROXIMATE("div.approx.f32", f32, f32, f32, none, div_approx)
APPROXIMATE("div.approx.ftz.f32", f32, f32, f32, none, div_approx)
APPROXIMATE("rcp.approx.f32", f32, f32, none, none, rcp)
APPROXIMATE("rcp.approx.ftz.f32", f32, f32, none, none, rcp)
APPROXIMATE("sqrt.approx.f32", f32, f32, none, none, sqrt)
APPROXIMATE("sqrt.approx.ftz.f32", f32, f32, none, none, sqrt)
APPROXIMATE("rsqrt.approx.f32", f32, f32, none, none, rsqrt)
APPROXIMATE("rsqrt.approx.ftz.f32", f32, f32, none, none, rsqrt)
APPROXIMATE("ex2.approx.f32", f32, f32, none, none, ex2)
APPROXIMATE("ex2.approx.ftz.f32", f32, f32, none, none, ex2)
APPROXIMATE("lg2.approx.f32", f32, f32, none, none, lg2)
APPROXIMATE("lg2.approx.ftz.f32", f32, f32, none, none, lg2)
APPROXIMATE("tanh.approx.f32", f32, f32, none, none, tanh)
EXACT("neg.f32", f32, f32, none, none)
EXACT("neg.ftz.f32", f32, f32, none, none)
EXACT("abs.f32", f32, f32, none, none)
EXACT("abs.ftz.f32", f32, f32, none, none)
EXACT("neg.f64", f64, f64, none, none)
EXACT("abs.f64", f64, f64, none, none)
EXACT("copysign.f32", f32, f32, f32, none)
EXACT("min.f32", f32, f32, f32, none)
EXACT("min.ftz.f32", f32, f32, f32, none)
EXACT("min.NaN.f32", f32, f32, f32, none)
EXACT("min.ftz.NaN.f32", f32, f32, f32, none)
EXACT("max.f32", f32, f32, f32, none)
EXACT("max.ftz.f32", f32, f32, f32, none)
EXACT("max.NaN.f32", f32, f32, f32, none)
EXACT("max.ftz.NaN.f32", f32, f32, f32, none)
EXACT("max.xorsign.abs.f32", f32, f32, f32, none)
EXACT("min.f64", f64, f64, f64, none)
EXACT("max.f64", f64, f64, f64, none)
EXACT("testp.notanumber.f32", pred, f32, none, none)
EXACT("testp.number.f32", pred, f32, none, none)
EXACT("testp.finite.f32", pred, f32, none, none)
EXACT("testp.infinite.f32", pred, f32, none, none)

/* 16-bit floating point. */
EXACT("add.f16", f16, f16, f16, none)
EXACT("sub.rn.f16", f16, f16, f16, none)
EXACT("mul.f16", f16, f16, f16, none)
EXACT("fma.rn.f16", f16, f16, f16, f16)
EXACT("neg.f16", f16, f16, none, none)
EXACT("abs.f16", f16, f16, none, none)
EXACT("min.f16", f16, f16, f16, none)
EXACT("max.f16", f16, f16, f16, none)
EXACT("min.NaN.f16", f16, f16, f16, none)
EXACT("max.NaN.f16", f16, f16, f16, none)
EXACT("add.bf16", bf16, bf16, bf16, none)
EXACT("sub.rn.bf16", bf16, bf16, bf16, none)
EXACT("mul.bf16", bf16, bf16, bf16, none)
EXACT("fma.rn.bf16", bf16, bf16, bf16, bf16)
EXACT("neg.bf16", bf16, bf16, none, none)
EXACT("abs.bf16", bf16, bf16, none, none)
EXACT("min.bf16", bf16, bf16, bf16, none)
EXACT("max.bf16", bf16, bf16, bf16, none)
EXACT("min.NaN.bf16", bf16, bf16, bf16, none)
EXACT("max.NaN.bf16", bf16, bf16, bf16, none)
EXACT("add.f16x2", f16x2, f16x2, f16x2, none)
EXACT("sub.f16x2", f16x2, f16x2, f16x2, none)
EXACT("mul.f16x2", f16x2, f16x2, f16x2, none)
EXACT("fma.rn.f16x2", f16x2, f16x2, f16x2, f16x2)
EXACT("neg.f16x2", f16x2, f16x2, none, none)
EXACT("abs.f16x2", f16x2, f16x2, none, none)
EXACT("min.f16x2", f16x2, f16x2, f16x2, none)
EXACT("max.f16x2", f16x2, f16x2, f16x2, none)
EXACT("min.NaN.f16x2", f16x2, f16x2, f16x2, none)
EXACT("max.NaN.f16x2", f16x2, f16x2, f16x2, none)
EXACT("add.bf16x2", bf16x2, bf16x2, bf16x2, none)
EXACT("sub.bf16x2", bf16x2, bf16x2, bf16x2, none)
EXACT("mul.bf16x2", bf16x2, bf16x2, bf16x2, none)
EXACT("fma.rn.bf16x2", bf16x2, bf16x2, bf16x2, bf16x2)
EXACT("neg.bf16x2", bf16x2, bf16x2, none, none)
EXACT("abs.bf16x2", bf16x2, bf16x2, none, none)
EXACT("min.bf16x2", bf16x2, bf16x2, bf16x2, none)
EXACT("max.bf16x2", bf16x2, bf16x2, bf16x2, none)
EXACT("min.NaN.bf16x2", bf16x2, bf16x2, bf16x2, none)
EXACT("max.NaN.bf16x2", bf16x2, bf16x2, bf16x2, none)
APPROXIMATE("ex2.approx.f16", f16, f16, none, none, ex2_f16)
APPROXIMATE("ex2.approx.f16x2", f16x2, f16x2, none, none, ex2_f16)
APPROXIMATE("ex2.approx.ftz.bf16", bf16, bf16, none, none, ex2_bf16)
APPROXIMATE("ex2.approx.ftz.bf16x2", bf16x2, bf16x2, none, none, ex2_bf16)

/* Conversions. */
EXACT("cvt.u8.u32", u16, u32, none, none)
EXACT("cvt.s8.u32", u16, u32, none, none)
EXACT("cvt.u16.u8", u16, u16, none, none)
EXACT("cvt.s16.s8", u16, u16, none, none)
EXACT("cvt.u32.u8", u32, u16, none, none)
EXACT("cvt.s32.s8", u32, u16, none, none)
EXACT("cvt.u16.u32", u16, u32, none, none)
EXACT("cvt.u16.u64", u16, u64, none, none)
EXACT("cvt.u32.u16", u32, u16, none, none)
EXACT("cvt.s32.s16", u32, u16, none, none)
EXACT("cvt.u32.u64", u32, u64, none, none)
EXACT("cvt.sat.s32.s64", u32, u64, none, none)
EXACT("cvt.u64.u16", u64, u16, none, none)
EXACT("cvt.s64.s16", u64, u16, none, none)
EXACT("cvt.u64.u32", u64, u32, none, none)
EXACT("cvt.s64.s32", u64, u32, none, none)
ROUNDED("cvt", ".f32.u16", f32, u16, none, none)
ROUNDED("cvt", ".f32.s16", f32, u16, none, none)
ROUNDED("cvt", ".f32.u32", f32, u32, none, none)
ROUNDED("cvt", ".f32.s32", f32, u32, none, none)
ROUNDED("cvt", ".f32.u64", f32, u64, none, none)
ROUNDED("cvt", ".f32.s64", f32, u64, none, none)
ROUNDED("cvt", ".f64.u64", f64, u64, none, none)
ROUNDED("cvt", ".f64.s64", f64, u64, none, none)
EXACT("cvt.rn.f64.u32", f64, u32, none, none)
EXACT("cvt.rn.f64.s32", f64, u32, none, none)
EXACT("cvt.f64.f32", f64, f32, none, none)
EXACT("cvt.ftz.f64.f32", f64, f32, none, none)
FLUSHED("cvt", ".f32.f64", f32, f64, none, none)
EXACT("cvt.sat.f32.f32", f32, f32, none, none)
EXACT("cvt.ftz.sat.f32.f32", f32, f32, none, none)
EXACT("cvt.ftz.f32.f32", f32, f32, none, none)
EXACT("cvt.rni.f32.f32", f32, f32, none, none)
EXACT("cvt.rzi.f32.f32", f32, f32, none, none)
EXACT("cvt.rmi.f32.f32", f32, f32, none, none)
EXACT("cvt.rpi.f32.f32", f32, f32, none, none)
EXACT("cvt.rni.ftz.f32.f32", f32, f32, none, none)
EXACT("cvt.rzi.ftz.f32.f32", f32, f32, none, none)
EXACT("cvt.rmi.ftz.f32.f32", f32, f32, none, none)
EXACT("cvt.rpi.ftz.f32.f32", f32, f32, none, none)
EXACT("cvt.rni.f64.f64", f64, f64, none, none)
EXACT("cvt.rni.s32.f32", u32, f32, none, none)
EXACT("cvt.rzi.s32.f32", u32, f32, none, none)
EXACT("cvt.rmi.s32.f32", u32, f32, none, none)
EXACT("cvt.rpi.s32.f32", u32, f32, none, none)
EXACT("cvt.rni.ftz.s32.f32", u32, f32, none, none)
EXACT("cvt.rpi.ftz.s32.f32", u32, f32, none, none)
EXACT("cvt.rni.u32.f32", u32, f32, none, none)
EXACT("cvt.rzi.u32.f32", u32, f32, none, none)
EXACT("cvt.rzi.s64.f32", u64, f32, none, none)
EXACT("cvt.rzi.u64.f32", u64, f32, none, none)
EXACT("cvt.rzi.s32.f64", u32, f64, none, none)
EXACT("cvt.rni.s32.f64", u32, f64, none, none)
EXACT("cvt.rzi.s64.f64", u64, f64, none, none)
EXACT("cvt.f32.f16", f32, f16, none, none)
EXACT("cvt.ftz.f32.f16", f32, f16, none, none)
EXACT("cvt.f32.bf16", f32, bf16, none, none)
EXACT("cvt.rn.f16.f32", f16, f32, none, none)
EXACT("cvt.rn.ftz.f16.f32", f16, f32, none, none)
EXACT("cvt.rz.f16.f32", f16, f32, none, none)
EXACT("cvt.rn.relu.f16.f32", f16, f32, none, none)
EXACT("cvt.rn.bf16.f32", bf16, f32, none, none)
EXACT("cvt.rz.bf16.f32", bf16, f32, none, none)
EXACT("cvt.rn.relu.bf16.f32", bf16, f32, none, none)
EXACT("cvt.rn.f16x2.f32", f16x2, f32, f32, none)
EXACT("cvt.rn.bf16x2.f32", bf16x2, f32, f32, none)
EXACT("cvt.rn.f16.u16", f16, u16, none, none)

/* Comparisons. */
COMPARED("b16", u16)
COMPARED("b32", u32)
COMPARED("b64", u64)
ORDERED("u16", u16)
ORDERED("s16", u16)
ORDERED("u32", u32)
ORDERED("s32", u32)
ORDERED("u64", u64)
ORDERED("s64", u64)
ORDERED_FLOAT("", "f32", f32)
ORDERED_FLOAT("ftz.", "f32", f32)
ORDERED_FLOAT("", "f64", f64)
ORDERED_FLOAT("", "f16", f16)
ORDERED_FLOAT("", "bf16", bf16)
EXACT("setp.hi.u32", pred, u32, u32, none)
EXACT("setp.ls.u64", pred, u64, u64, none)
WRITTEN("setp.lt.and.f32 %d, %a, %b, %c;", pred, f32, f32, pred)
WRITTEN("setp.lt.or.f32 %d, %a, %b, !%c;", pred, f32, f32, pred)
WRITTEN("setp.lt.xor.s32 %d|%q, %a, %b, %c; @%q not.pred %d, %d;", pred, u32, u32, pred)

/* Loads and stores of every width and hint. */
WRITTEN("ld.global.u8 %d, [%x+1];", u32, u32, none, none)
WRITTEN("ld.global.s8 %d, [%x+3];", u32, u32, none, none)
WRITTEN("ld.global.u16 %d, [%x+2];", u32, u32, none, none)
WRITTEN("ld.global.s16 %d, [%x];", u32, u32, none, none)
WRITTEN("ld.global.u32 %d, [%x];", u32, u32, none, none)
WRITTEN("ld.global.f32 %d, [%x];", u32, u32, none, none)
WRITTEN("ld.global.b64 %d, [%x];", u64, u64, none, none)
WRITTEN("ld.global.v2.u16 {%h, %i}, [%x]; sub.s16 %d, %h, %i;", u16, u32, none, none)
WRITTEN("ld.global.v2.u32 {%d, %e}, [%x];" FOLD2, u32, u64, none, none)
WRITTEN("ld.global.v4.u32 {%d, %e, %f, %g}, [%x];" FOLD4, u32, u64, u64, none)
WRITTEN("ld.global.v4.f32 {%d, %e, %f, %g}, [%x+16];" FOLD4, u32, u64, u64, u64)
WRITTEN("ld.global.v2.u64 {%d, %j}, [%x];" FOLD2_64, u64, u64, u64, none)
WRITTEN("ld.global.v2.f32 {%d, %e}, [%x+8];" FOLD2, u32, u64, u64, none)
WRITTEN(
    "ld.global.v4.u16 {%h, %i, %l, %m}, [%x]; sub.s16 %d, %h, %i; xor.b16 %d, %d, %l; sub.s16 %d, %d, %m;",
    u16, u64, none, none)
WRITTEN("ld.global.cs.v2.u32 {%d, %e}, [%x];" FOLD2, u32, u64, none, none)
WRITTEN("ld.global.cs.v4.f32 {%d, %e, %f, %g}, [%x];" FOLD4, u32, u64, u64, none)
WRITTEN("ld.global.L1::no_allocate.v2.f32 {%d, %e}, [%x];" FOLD2, u32, u64, none, none)
WRITTEN("ld.global.L1::no_allocate.v4.f32 {%d, %e, %f, %g}, [%x];" FOLD4, u32, u64, u64, none)
WRITTEN("ld.global.cs.u32 %d, [%x];", u32, u32, none, none)
WRITTEN("ld.global.cs.v2.f32 {%d, %e}, [%x];" FOLD2, u32, u64, none, none)
WRITTEN("ld.global.cs.v4.u32 {%d, %e, %f, %g}, [%x];" FOLD4, u32, u64, u64, none)
WRITTEN("ld.global.cg.u32 %d, [%x];", u32, u32, none, none)
WRITTEN("ld.global.nc.u32 %d, [%x];", u32, u32, none, none)
WRITTEN("ld.global.L1::no_allocate.b32 %d, [%x];", u32, u32, none, none)
WRITTEN("ld.global.L1::no_allocate.v2.b32 {%d, %e}, [%x];" FOLD2, u32, u64, none, none)
WRITTEN("ld.global.L1::no_allocate.v4.b32 {%d, %e, %f, %g}, [%x];" FOLD4, u32, u64, u64, none)
WRITTEN("ld.global.L2::256B.u32 %d, [%x];", u32, u32, none, none)
WRITTEN("createpolicy.fractional.L2::evict_first.b64 %j, 1.0; ld.global.L2::cache_hint.u32 %d, [%x], %j;",
        u32, u32, none, none)
WRITTEN("ld.volatile.global.u32 %d, [%x];", u32, u32, none, none)
WRITTEN("ld.relaxed.gpu.global.u32 %d, [%x];", u32, u32, none, none)
WRITTEN("ld.relaxed.gpu.global.v2.b64 {%d, %j}, [%x];" FOLD2_64, u64, u64, u64, none)
WRITTEN("ld.acquire.gpu.global.u32 %d, [%x];", u32, u32, none, none)
WRITTEN("prefetch.global.L2 [%x]; mov.b32 %d, %a;", u32, u32, none, none)
WRITTEN("prefetch.global.L1 [%x]; mov.b32 %d, %a;", u32, u32, none, none)
WRITTEN("st.global.u8 [%w+1], %a; ld.global.u32 %d, [%w];", u32, u32, none, none)
WRITTEN("st.global.u16 [%w+2], %a; ld.global.u32 %d, [%w];", u32, u16, none, none)
WRITTEN("st.global.u32 [%w+4], %a; ld.global.b64 %d, [%w];", u64, u32, none, none)
WRITTEN("st.global.u64 [%w], %a; ld.global.b64 %d, [%w];", u64, u64, none, none)
WRITTEN("st.global.v2.u32 [%w], {%a, %b}; ld.global.b64 %d, [%w];", u64, u32, u32, none)
WRITTEN("st.global.v4.u32 [%w], {%a, %b, %c, %a}; ld.global.v2.u64 {%d, %j}, [%w];" FOLD2_64, u64, u32, u32,
        u32)
WRITTEN("st.global.cs.u32 [%w+4], %a; ld.global.b64 %d, [%w];", u64, u32, none, none)
WRITTEN("st.global.cs.v2.f32 [%w], {%a, %b}; ld.global.b64 %d, [%w];", u64, u32, u32, none)
WRITTEN("st.global.cs.v4.f32 [%w], {%a, %b, %c, %a}; ld.global.v2.u64 {%d, %j}, [%w];" FOLD2_64, u64, u32,
        u32, u32)
WRITTEN("st.global.f32 [%w+4], %a; ld.global.b64 %d, [%w];", u64, f32, none, none)
WRITTEN("st.global.v2.f32 [%w], {%a, %b}; ld.global.b64 %d, [%w];", u64, f32, f32, none)
WRITTEN("st.global.v4.f32 [%w], {%a, %b, %c, %a}; ld.global.v2.u64 {%d, %j}, [%w];" FOLD2_64, u64, f32, f32,
        f32)
WRITTEN("st.global.cs.u16 [%w+6], %a; ld.global.b64 %d, [%w];", u64, u16, none, none)
WRITTEN("st.global.cs.f32 [%w], %a; ld.global.b64 %d, [%w];", u64, f32, none, none)
WRITTEN("st.global.cs.v2.u32 [%w], {%a, %b}; ld.global.b64 %d, [%w];", u64, u32, u32, none)
WRITTEN("st.global.cs.v4.u32 [%w], {%a, %b, %c, %a}; ld.global.v2.u64 {%d, %j}, [%w];" FOLD2_64, u64, u32,
        u32, u32)
WRITTEN("st.relaxed.gpu.global.u32 [%w], %a; ld.global.u32 %d, [%w];", u32, u32, none, none)
WRITTEN("st.relaxed.gpu.global.v2.b64 [%w], {%a, %b}; ld.global.v2.u64 {%d, %j}, [%w];" FOLD2_64, u64, u64,
        u64, none)
WRITTEN("st.release.gpu.global.u32 [%w], %a; ld.global.u32 %d, [%w];", u32, u32, none, none)
WRITTEN("st.shared.u8 [%s], %a; ld.shared.u8 %d, [%s];", u32, u32, none, none)
WRITTEN("st.shared.u16 [%s+2], %a; ld.shared.s16 %d, [%s+2];", u32, u16, none, none)
WRITTEN("st.shared.u16 [%s+4], %a; ld.shared.u16 %d, [%s+4];", u16, u16, none, none)
WRITTEN("st.shared.v2.u32 [%s], {%a, %b}; ld.shared.v2.f32 {%d, %e}, [%s];" FOLD2, u32, u32, u32, none)
WRITTEN("st.shared.v4.f32 [%s], {%a, %b, %c, %b}; ld.shared.v4.u32 {%d, %e, %f, %g}, [%s];" FOLD4, u32, u32,
        u32, u32)
WRITTEN(
    "st.shared.v2.u32 [%s], {%a, %b}; ld.shared.v4.u16 {%h, %i, %l, %m}, [%s]; sub.s16 %d, %h, %i; xor.b16 %d, %d, %l;"
    " sub.s16 %d, %d, %m;",
    u16, u32, u32, none)
WRITTEN("st.shared.f32 [%s], %a; ld.shared.f32 %d, [%s];", u32, u32, none, none)
WRITTEN("st.shared.u64 [%s], %a; ld.shared.v2.u32 {%d, %e}, [%s];" FOLD2, u32, u64, none, none)
WRITTEN("st.shared.v2.f32 [%s], {%a, %b}; ld.shared.b64 %d, [%s];", u64, u32, u32, none)
WRITTEN("st.shared.v4.u32 [%s], {%a, %b, %c, %b}; ld.shared.v2.u64 {%d, %j}, [%s];" FOLD2_64, u64, u32, u32,
        u32)
WRITTEN("st.shared.v2.b64 [%s], {%a, %b}; ld.shared.v4.f32 {%d, %e, %f, %g}, [%s];" FOLD4, u32, u64, u64,
        none)
/* A word of another thread's, a barrier later. */
WRITTEN("st.shared.u32 [%s], %a; bar.sync 0; xor.b32 %e, %t, 77; shl.b32 %e, %e, 5; mov.u32 %f, shared_words;"
        " add.u32 %e, %e, %f; ld.shared.u32 %d, [%e];",
        u32, u32, none, none)
WRITTEN(
    "st.shared.u32 [%s], %a; bar.warp.sync -1; xor.b32 %e, %t, 13; shl.b32 %e, %e, 5; mov.u32 %f, shared_words;"
    " add.u32 %e, %e, %f; ld.shared.u32 %d, [%e];",
    u32, u32, none, none)
CLUSTER("mov.u32 %e, %cluster_ctarank; xor.b32 %e, %e, 1; mapa.shared::cluster.u32 %f, %s, %e;"
        " barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned;"
        " st.relaxed.cluster.shared::cluster.b64 [%f], %a;"
        " barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;"
        " ld.relaxed.cluster.shared::cta.b64 %d, [%s];",
        u64, u64, none, none)

/* Atomics: each thread's own word, which holds b; the old value and the new one. */
#define OLD_AND_NEW    " ld.global.u32 %e, [%w];" FOLD2
#define OLD_AND_NEW_64 " ld.global.u64 %j, [%w];" FOLD2_64
WRITTEN("st.global.u32 [%w], %b; atom.global.add.u32 %d, [%w], %a;" OLD_AND_NEW, u32, u32, u32, none)
WRITTEN("st.global.u32 [%w], %b; atom.global.min.s32 %d, [%w], %a;" OLD_AND_NEW, u32, u32, u32, none)
WRITTEN("st.global.u32 [%w], %b; atom.global.max.s32 %d, [%w], %a;" OLD_AND_NEW, u32, u32, u32, none)
WRITTEN("st.global.u32 [%w], %b; atom.global.min.u32 %d, [%w], %a;" OLD_AND_NEW, u32, u32, u32, none)
WRITTEN("st.global.u32 [%w], %b; atom.global.max.u32 %d, [%w], %a;" OLD_AND_NEW, u32, u32, u32, none)
WRITTEN("st.global.u32 [%w], %b; atom.relaxed.gpu.global.inc.u32 %d, [%w], %a;" OLD_AND_NEW, u32, u32, u32,
        none)
WRITTEN("st.global.u32 [%w], %b; atom.global.dec.u32 %d, [%w], %a;" OLD_AND_NEW, u32, u32, u32, none)
WRITTEN("st.global.u32 [%w], %b; atom.global.and.b32 %d, [%w], %a;" OLD_AND_NEW, u32, u32, u32, none)
WRITTEN("st.global.u32 [%w], %b; atom.global.or.b32 %d, [%w], %a;" OLD_AND_NEW, u32, u32, u32, none)
WRITTEN("st.global.u32 [%w], %b; atom.global.xor.b32 %d, [%w], %a;" OLD_AND_NEW, u32, u32, u32, none)
WRITTEN("st.global.u32 [%w], %b; atom.acq_rel.gpu.global.exch.b32 %d, [%w], %a;" OLD_AND_NEW, u32, u32, u32,
        none)
WRITTEN("st.global.u32 [%w], %b; atom.global.cas.b32 %d, [%w], %c, %a;" OLD_AND_NEW, u32, u32, u32, u32)
WRITTEN("st.global.u64 [%w], %b; atom.global.add.u64 %d, [%w], %a;" OLD_AND_NEW_64, u64, u64, u64, none)
WRITTEN("st.global.u64 [%w], %b; atom.global.cas.b64 %d, [%w], %c, %a;" OLD_AND_NEW_64, u64, u64, u64, u64)
WRITTEN("st.global.u32 [%w], %b; red.global.add.u32 [%w], %a; ld.global.u32 %d, [%w];", u32, u32, u32, none)
WRITTEN("st.global.u32 [%w], %b; red.release.gpu.global.max.s32 [%w], %a; ld.global.u32 %d, [%w];", u32, u32,
        u32, none)
WRITTEN("st.global.f32 [%w], %b; atom.global.add.f32 %e, [%w], %a; ld.global.f32 %d, [%w];", f32, f32, f32,
        none)
WRITTEN("st.shared.f32 [%s], %b; atom.shared.add.f32 %e, [%s], %a; ld.shared.f32 %d, [%s];", f32, f32, f32,
        none)
WRITTEN("st.shared.u32 [%s], %b; atom.shared.add.u32 %d, [%s], %a; ld.shared.u32 %e, [%s];" FOLD2, u32, u32,
        u32, none)
/* All threads' one word: its total. */
WRITTEN(
    "st.shared.u32 [%s], 0; mov.u32 %e, shared_words; bar.sync 0; atom.shared.add.u32 %f, [%e], %a; bar.sync 0;"
    " ld.shared.u32 %d, [%e];",
    u32, u32, none, none)

/* Fences and the grid's dependencies change nothing here. */
WRITTEN("membar.gl; fence.acq_rel.gpu; fence.sc.cta; mov.b32 %d, %a;", u32, u32, none, none)
WRITTEN("griddepcontrol.wait; griddepcontrol.launch_dependents; mov.b32 %d, %a;", u32, u32, none, none)
WRITTEN("setp.gt.u32 %p, %a, 0x40000000; bar.red.popc.u32 %d, 0, %p;", u32, u32, none, none)
WRITTEN("setp.gt.u32 %p, %a, 0x04000000; bar.red.and.pred %d, 0, %p;", pred, u32, none, none)
WRITTEN("setp.gt.u32 %p, %a, 0xfc000000; bar.red.or.pred %d, 0, %p;", pred, u32, none, none)

/* Lanes together. A result whose predicate is false is inverted. */
#define FOLD_PREDICATE " @!%p not.b32 %d, %d;"
WRITTEN("shfl.sync.bfly.b32 %d|%p, %a, 1, 31, -1;" FOLD_PREDICATE, u32, u32, none, none)
WRITTEN("shfl.sync.bfly.b32 %d|%p, %a, 16, 31, -1;" FOLD_PREDICATE, u32, u32, none, none)
WRITTEN("shfl.sync.bfly.b32 %d|%p, %a, 4, 0x181f, -1;" FOLD_PREDICATE, u32, u32, none, none)
WRITTEN("shfl.sync.bfly.b32 %d|%p, %a, %b, 31, -1;" FOLD_PREDICATE, u32, u32, amount, none)
WRITTEN("shfl.sync.down.b32 %d|%p, %a, 8, 31, -1;" FOLD_PREDICATE, u32, u32, none, none)
WRITTEN("shfl.sync.down.b32 %d|%p, %a, 2, 0x1c1f, -1;" FOLD_PREDICATE, u32, u32, none, none)
WRITTEN("shfl.sync.down.b32 %d|%p, %a, %b, 31, -1;" FOLD_PREDICATE, u32, u32, amount, none)
WRITTEN("shfl.sync.up.b32 %d|%p, %a, 3, 0, -1;" FOLD_PREDICATE, u32, u32, none, none)
WRITTEN("shfl.sync.up.b32 %d|%p, %a, 3, 0x1800, -1;" FOLD_PREDICATE, u32, u32, none, none)
WRITTEN("shfl.sync.idx.b32 %d|%p, %a, 0, 31, -1;" FOLD_PREDICATE, u32, u32, none, none)
WRITTEN("shfl.sync.idx.b32 %d|%p, %a, 3, 0x181f, -1;" FOLD_PREDICATE, u32, u32, none, none)
WRITTEN("shfl.sync.idx.b32 %d|%p, %a, %b, 31, -1;" FOLD_PREDICATE, u32, u32, amount, none)
WRITTEN("setp.gt.u32 %p, %a, 0x40000000; vote.sync.ballot.b32 %d, %p, -1;", u32, u32, none, none)
WRITTEN("setp.gt.u32 %p, %a, 0x04000000; vote.sync.all.pred %d, %p, -1;", pred, u32, none, none)
WRITTEN("setp.gt.u32 %p, %a, 0xfc000000; vote.sync.any.pred %d, %p, -1;", pred, u32, none, none)
WRITTEN("setp.gt.u32 %p, %a, 0xfe000000; vote.sync.uni.pred %d, %p, -1;", pred, u32, none, none)
WRITTEN("and.b32 %e, %a, 7; match.any.sync.b32 %d, %e, -1;", u32, u32, none, none)
WRITTEN("and.b64 %j, %a, 7; match.any.sync.b64 %d, %j, -1;", u32, u64, none, none)
WRITTEN("shr.u32 %e, %t, 6; match.all.sync.b32 %d|%p, %e, -1;" FOLD_PREDICATE, u32, none, none, none)
WRITTEN("redux.sync.add.u32 %d, %a, -1;", u32, u32, none, none)
WRITTEN("redux.sync.min.u32 %d, %a, -1;", u32, u32, none, none)
WRITTEN("redux.sync.max.u32 %d, %a, -1;", u32, u32, none, none)
WRITTEN("redux.sync.min.s32 %d, %a, -1;", u32, u32, none, none)
WRITTEN("redux.sync.max.s32 %d, %a, -1;", u32, u32, none, none)
WRITTEN("redux.sync.and.b32 %d, %a, -1;", u32, u32, none, none)
WRITTEN("redux.sync.or.b32 %d, %a, -1;", u32, u32, none, none)
WRITTEN("redux.sync.xor.b32 %d, %a, -1;", u32, u32, none, none)
WRITTEN("activemask.b32 %d;", u32, none, none, none)

/* Branches, and lanes that part. */
WRITTEN("mov.u32 %d, 1; setp.gt.u32 %p, %a, 0x40000000; @%p bra FAR; mad.lo.u32 %d, %d, 3, %a; FAR:"
        " bar.warp.sync -1; add.u32 %d, %d, %b;",
        u32, u32, u32, none)
WRITTEN("mov.u32 %d, 0; and.b32 %e, %a, 15; AGAIN: mad.lo.u32 %d, %d, 5, %e; add.u32 %e, %e, -1;"
        " setp.gt.s32 %p, %e, 0; @%p bra AGAIN; bra.uni OUT; OUT: xor.b32 %d, %d, %a;",
        u32, u32, none, none)

#undef ROUNDED
#undef FLUSHED
#undef SATURATED
#undef COMPARED
#undef ORDERED
#undef ORDERED_FLOAT
#undef FOLD2
#undef FOLD4
#undef FOLD2_64
#undef OLD_AND_NEW
#undef OLD_AND_NEW_64
#undef FOLD_PREDICATE
