/* What a row of the verifier's input holds, and how far a result may be from the reference. Common to C and
   CUDA C++: plain functions, no header, no library beyond exp, log, fabs, sqrt. docs/verify.md explains the
   choices. */
#ifndef TUNER_VERIFY_ORACLE_RULES_H
#define TUNER_VERIFY_ORACLE_RULES_H

#ifdef __CUDACC__
#define ORACLE_RULE static __device__ __forceinline__
#else
#define ORACLE_RULE static inline
#endif

/* enum dtype (oracle_host.c asserts that they agree). */
enum { ORACLE_F32, ORACLE_F16, ORACLE_BF16 };

/* What a row holds. The first ORACLE_MIXED_KINDS take turns in a mixed batch; the sooner, the more bugs it
 * finds. */
enum oracle_kind {
    KIND_ORDINARY,         /* standard normal, nearly */
    KIND_BEGINS_MINUS_INF, /* the first 1, 2, 4, ... values are -inf, the others ordinary */
    KIND_WIDE,             /* 30 times ordinary, and shifted by up to 100 */
    KIND_FINITE_CLASS,     /* finite only in every P-th group of W columns, else -inf */
    KIND_FINITE_WINDOW,    /* finite only in one window of N / 2^k columns */
    KIND_NAN,              /* one NaN in an ordinary row */
    KIND_ALL_MINUS_INF,
    KIND_EDGE_PEAK, /* one high peak among the first or last 512 columns, or anywhere */
    KIND_PLUS_INF,  /* one +inf in an ordinary row */
    KIND_HUGE,      /* both signs, differences near the largest finite number */
    KIND_MINUS_INF_CLASS,
    KIND_MINUS_INF_WINDOW,
    KIND_ONE_FINITE,
    KIND_EQUAL,
    ORACLE_MIXED_KINDS,
    KIND_PEAKS =
        ORACLE_MIXED_KINDS, /* high equal peaks that move on from row to row: oracle_batch.peak_stride */
    ORACLE_KINDS
};

/* The rows of one launch: row r holds the kind (first_kind + r) mod kind_count, or, with kind_count 1, all
   rows hold first_kind. The gaps between rows, and the rows from M to `rows` (how many the buffers hold, at
   least M), hold poison, which no launch may touch; so does all of y before a launch, unless in place. */
struct oracle_batch {
    int log_softmax;         /* else softmax */
    int dtype_in, dtype_out; /* enum dtype */
    int in_place;
    long long M, N, x_stride, y_stride;
    long long rows;
    unsigned long long seed;
    int first_kind, kind_count;
    long long first_peak;  /* for the kinds whose peak moves: the first row's peak column or class */
    long long peak_stride; /* KIND_PEAKS: row r has its peaks at the columns of class (first_peak + r) mod
                              peak_stride, so that peak_stride rows visit every column once */
    float scale;           /* 1 where the problem is not scaled */
    double tolerance;
};

/* A byte of poison: as any of the types it is above 1, which no result is, and finite and huge, so that an
   input element that is not part of a row changes the row's result. */
enum { ORACLE_POISON = 0x7b };

union oracle_float {
    float value;
    unsigned bits;
};

ORACLE_RULE float oracle_float_of(unsigned bits)
{
    union oracle_float f;
    f.bits = bits;
    return f.value;
}

ORACLE_RULE unsigned oracle_bits_of(float value)
{
    union oracle_float f;
    f.value = value;
    return f.bits;
}

ORACLE_RULE unsigned oracle_half_of(float value)
{
    unsigned bits = oracle_bits_of(value), sign = bits >> 16 & 0x8000u, a = bits & 0x7fffffffu;
    if (a > 0x7f800000u)
        return sign | 0x7e00u;
    if (a >= 0x477ff000u) /* 65520 and more round to infinity */
        return sign | 0x7c00u;
    if (a <= 0x33000000u) /* half the smallest subnormal: a tie, to zero */
        return sign;
    if (a < 0x38800000u) {
        unsigned shift = 126 - (a >> 23), m = (a & 0x7fffffu) | 0x800000u;
        unsigned q = m >> shift, rest = m & ((1u << shift) - 1), half = 1u << (shift - 1);
        return sign | (q + (rest > half || (rest == half && (q & 1))));
    }
    a -= 112u << 23;
    return sign | (a + 0xfffu + (a >> 13 & 1)) >> 13;
}

ORACLE_RULE float oracle_of_half(unsigned half)
{
    unsigned sign = (half & 0x8000u) << 16, e = half >> 10 & 31, m = half & 0x3ffu;
    if (e == 0) {
        float value = (float)m * oracle_float_of(103u << 23); /* 2^-24 */
        return oracle_float_of(oracle_bits_of(value) | sign);
    }
    return oracle_float_of(sign | (e == 31 ? 0xffu : e + 112) << 23 | m << 13);
}

ORACLE_RULE unsigned oracle_bfloat_of(float value)
{
    unsigned bits = oracle_bits_of(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return 0x7fc0u;
    return (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
}

/* `value` rounded to the type (to nearest, ties to even), as the type's bits, and back. */
ORACLE_RULE unsigned oracle_encode(int dtype, float value)
{
    return dtype == ORACLE_F32   ? oracle_bits_of(value)
           : dtype == ORACLE_F16 ? oracle_half_of(value)
                                 : oracle_bfloat_of(value);
}

ORACLE_RULE float oracle_decode(int dtype, unsigned bits)
{
    return dtype == ORACLE_F32   ? oracle_float_of(bits)
           : dtype == ORACLE_F16 ? oracle_of_half(bits)
                                 : oracle_float_of(bits << 16);
}

ORACLE_RULE unsigned oracle_poison(int dtype)
{
    return dtype == ORACLE_F32 ? 0x7b7b7b7bu : 0x7b7bu;
}

ORACLE_RULE unsigned oracle_load(int dtype, const void *base, long long index)
{
    return dtype == ORACLE_F32 ? ((const unsigned *)base)[index] : ((const unsigned short *)base)[index];
}

ORACLE_RULE void oracle_store(int dtype, void *base, long long index, unsigned bits)
{
    if (dtype == ORACLE_F32)
        ((unsigned *)base)[index] = bits;
    else
        ((unsigned short *)base)[index] = (unsigned short)bits;
}

/* ---- input ---- */

ORACLE_RULE unsigned long long oracle_mix(unsigned long long h)
{
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9ull;
    h = (h ^ h >> 27) * 0x94d049bb133111ebull;
    return h ^ h >> 31;
}

/* A sum of four uniform numbers: nearly normal, mean 0; ORACLE_SIGMA of it are one standard deviation. Values
   are an exact integer times one float constant, a single rounding, so that every compiler gets the same
   bits. */
ORACLE_RULE int oracle_normal(unsigned long long h)
{
    return (int)((h & 0xffff) + (h >> 16 & 0xffff) + (h >> 32 & 0xffff) + (h >> 48)) - 131070;
}
enum { ORACLE_SIGMA = 37837 };
#define ORACLE_UNIT (1.0f / ORACLE_SIGMA)
#define ORACLE_PEAK 160.0f

/* What the columns of a row have in common. */
struct oracle_row {
    int kind;
    unsigned long long hash;
    long long from, until; /* a window of columns, or from alone: one column */
    int width;             /* of classes: column c is of class (c >> width) & mask */
    long long mask, phase;
    int shift;
};

ORACLE_RULE long long oracle_edge_column(const struct oracle_batch *b, long long row, unsigned long long h)
{
    long long turn = b->first_peak + row / b->kind_count, edge = b->N < 512 ? b->N : 512;
    if (turn % 3 == 0)
        return turn / 3 % edge;
    if (turn % 3 == 1)
        return b->N - 1 - turn / 3 % edge;
    return (long long)(h % (unsigned long long)b->N);
}

ORACLE_RULE struct oracle_row oracle_row_of(const struct oracle_batch *b, long long row)
{
    struct oracle_row r;
    unsigned long long h = oracle_mix(oracle_mix((unsigned long long)row + 0x9e3779b97f4a7c15ull) ^ b->seed);
    unsigned long long pick = oracle_mix(h + 1), N = (unsigned long long)b->N;
    r.kind = b->kind_count == 1 ? b->first_kind : (int)((b->first_kind + row) % b->kind_count);
    r.hash = h;
    r.from = (long long)(pick % N);
    r.until = r.from + 1;
    r.width = (int)((h >> 8) % 5);
    r.mask = (2ll << (h >> 16) % 12) - 1;
    r.phase = 0;
    r.shift = oracle_normal(pick) * 30 + (int)(pick & 1 ? 20 : -20) * ORACLE_SIGMA;
    if (r.kind == KIND_BEGINS_MINUS_INF) {
        r.from = 0;
        r.until = 1ll << (row / b->kind_count + (long long)(h >> 24) % 2) % 20;
        r.until = r.until < b->N ? r.until : b->N > 1 ? b->N - 1 : 1;
    } else if (r.kind == KIND_FINITE_CLASS || r.kind == KIND_MINUS_INF_CLASS) {
        long long groups = ((b->N - 1) >> r.width) + 1;
        r.phase = (long long)(pick % (unsigned long long)(groups <= r.mask ? groups : r.mask + 1));
    } else if (r.kind == KIND_FINITE_WINDOW || r.kind == KIND_MINUS_INF_WINDOW) {
        long long length = b->N >> (1 + (h >> 24) % 9);
        length = length > 0 ? length : 1;
        r.from = h >> 40 & 1 ? (long long)(pick % (unsigned long long)(b->N / length)) * length
                             : (long long)(pick % (unsigned long long)(b->N - length + 1));
        r.until = r.from + length;
    } else if (r.kind == KIND_EDGE_PEAK) {
        r.from = oracle_edge_column(b, row, pick);
    } else if (r.kind == KIND_PEAKS) {
        r.phase = (b->first_peak + row) % b->peak_stride;
    }
    return r;
}

/* With a peak_stride of N a column is its own class; with a smaller one the classes are scattered, so that
   exchanging two equally long parts of a row still changes how many peaks are counted. */
ORACLE_RULE long long oracle_peak_class(const struct oracle_batch *b, long long column)
{
    if (b->peak_stride >= b->N)
        return column;
    return (long long)((oracle_mix((unsigned long long)column ^ b->seed) >> 32) *
                           (unsigned long long)b->peak_stride >>
                       32);
}

/* Without a scale the differences stay below the largest finite float (half); with one, so do the scaled
 * values. */
ORACLE_RULE float oracle_huge(const struct oracle_batch *b, unsigned long long h)
{
    unsigned exponent = b->dtype_in == ORACLE_F16 ? 14 : b->scale > 1 || b->scale < -1 ? 112 : 126;
    return oracle_float_of((unsigned)(h >> 63) << 31 | (127 + exponent) << 23 | (unsigned)(h & 0x3fffffu));
}

/* The element of column `column`, as the bits of dtype_in. */
ORACLE_RULE unsigned oracle_input(const struct oracle_batch *b, const struct oracle_row *r, long long column)
{
    const float minus_inf = oracle_float_of(0xff800000u);
    unsigned long long h = oracle_mix(r->hash + (unsigned long long)column * 0x9e3779b97f4a7c15ull);
    int in_window = column >= r->from && column < r->until;
    int in_class = (column >> r->width & r->mask) == r->phase;
    int n = oracle_normal(h);
    float value = (float)n * ORACLE_UNIT;
    switch (r->kind) {
    case KIND_BEGINS_MINUS_INF:
    case KIND_MINUS_INF_WINDOW:
        value = in_window ? minus_inf : value;
        break;
    case KIND_FINITE_WINDOW:
    case KIND_ONE_FINITE:
        value = in_window ? value : minus_inf;
        break;
    case KIND_FINITE_CLASS:
        value = in_class ? value : minus_inf;
        break;
    case KIND_MINUS_INF_CLASS:
        value = in_class ? minus_inf : value;
        break;
    case KIND_ALL_MINUS_INF:
        value = minus_inf;
        break;
    case KIND_WIDE:
        value = (float)(30 * n + r->shift) * ORACLE_UNIT;
        break;
    case KIND_EQUAL:
        value = (float)r->shift * ORACLE_UNIT;
        break;
    case KIND_NAN:
        value = column == r->from ? oracle_float_of(0x7fc00000u) : value;
        break;
    case KIND_PLUS_INF:
        value = column == r->from ? -minus_inf : value;
        break;
    case KIND_EDGE_PEAK:
        value = column == r->from ? ORACLE_PEAK : value;
        break;
    case KIND_PEAKS:
        value = oracle_peak_class(b, column) == r->phase ? ORACLE_PEAK : value;
        break;
    case KIND_HUGE:
        value = oracle_huge(b, h);
        break;
    default:
        break;
    }
    return oracle_encode(b->dtype_in, value);
}

/* ---- reference and bound (design.md, "Verify") ---- */

/* What the reference needs to know of a row, in double. `v` below is always the scaled input element. */
struct oracle_sums {
    int nan;      /* the whole row is NaN: it holds NaN or +inf, or nothing but -inf */
    double top;   /* the largest v */
    double total; /* of exp(v - top) */
    double log_total;
};

ORACLE_RULE double oracle_scaled(const struct oracle_batch *b, unsigned bits)
{
    return (double)b->scale * (double)oracle_decode(b->dtype_in, bits);
}

ORACLE_RULE int oracle_is_nan(double v)
{
    return v != v;
}

ORACLE_RULE int oracle_is_inf(double v)
{
    return v - v != v - v && v == v;
}

/* One unit in the last place of a 16-bit type at `ref`, subnormal ones included; 0 for f32. */
ORACLE_RULE double oracle_last_place(int dtype, double ref)
{
    union {
        double value;
        unsigned long long bits;
    } u;
    int exponent, digits = dtype == ORACLE_F16 ? 10 : 7, least = dtype == ORACLE_F16 ? -24 : -133;
    if (dtype == ORACLE_F32)
        return 0;
    u.value = ref;
    exponent = (int)(u.bits >> 52 & 0x7ff) - 1023 - digits;
    u.bits = (unsigned long long)((exponent > least ? exponent : least) + 1023) << 52;
    return u.value;
}

ORACLE_RULE double oracle_reference(const struct oracle_batch *b, const struct oracle_sums *s, double v)
{
    double z = v - s->top;
    return b->log_softmax ? z - s->log_total : exp(z) / s->total;
}

/* How far a result may be from `ref`, which is oracle_reference() of v, without the rounding to a 16-bit
   type: that is oracle_last_place() times the tolerance more, half of it in a row's sum. `root` is sqrt(N).
 */
ORACLE_RULE double oracle_bound(const struct oracle_batch *b, const struct oracle_sums *s, double v,
                                double ref, double root)
{
    const double u = 1.0 / 16777216, smallest = (double)oracle_float_of(1u << 23); /* 2^-126 */
    double far = s->top - v;
    if (b->log_softmax)
        return b->tolerance * u * (6 + 3 * far + 3 * fabs(s->log_total) + 2 * root);
    return (ref > 0 ? b->tolerance * u * (6 + 2.5 * far + 2 * root) * ref : 0) + smallest;
}

/* |got - ref| over `bound`; 0 for the right infinity or a result that overflows as it must, infinite for a
   misplaced NaN or infinity. */
ORACLE_RULE double oracle_error(const struct oracle_batch *b, double got, double ref, double bound)
{
    const double infinity = (double)oracle_float_of(0x7f800000u);
    double largest = b->dtype_out == ORACLE_F16
                         ? 65504
                         : (double)oracle_float_of(b->dtype_out == ORACLE_F32 ? 0x7f7fffffu : 0x7f7f0000u);
    if (got == ref)
        return 0;
    if (oracle_is_nan(got) || oracle_is_inf(ref))
        return infinity;
    if (oracle_is_inf(got))
        return (got < 0) == (ref < 0) && fabs(ref) + bound > largest ? 0 : infinity;
    return fabs(got - ref) / bound;
}

#endif
