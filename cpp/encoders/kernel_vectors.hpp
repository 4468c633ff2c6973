// Sixteen numbers at a time, whatever the width of the machine's registers. Not a header of its own: each file of kernels
// includes it within its namespace, where ARBORA_TARGET are the instructions it is compiled for, and part_bytes the width
// of its registers. The order of all operations is the same everywhere.

#define ARBORA_STEP __attribute__((always_inline)) ARBORA_TARGET inline
#define ARBORA_KERNEL ARBORA_TARGET static

using Part = float __attribute__((vector_size(part_bytes)));
using PartInts = std::uint32_t __attribute__((vector_size(part_bytes)));
constexpr int parts = 64 / part_bytes;
constexpr int lanes = 16;

// What a file of kernels has after this: a > b ? a : b and a < b ? a : b, of which compilers do not make one instruction.
ARBORA_STEP Part larger_part(Part a, Part b);
ARBORA_STEP Part smaller_part(Part a, Part b);

struct Floats {
    Part part[parts];
};
struct Ints {
    PartInts part[parts];
};

// Without a loop: the compiler would keep the parts in memory.
#define ARBORA_PART(number, expression) \
    if constexpr (number < parts) {     \
        constexpr int i = number;       \
        result.part[i] = (expression);  \
    }
#define ARBORA_OF_PARTS(Result, expression) \
    Result result;                          \
    ARBORA_PART(0, expression)              \
    ARBORA_PART(1, expression)              \
    ARBORA_PART(2, expression)              \
    ARBORA_PART(3, expression)              \
    return result

ARBORA_STEP Floats all(float x) { ARBORA_OF_PARTS(Floats, x - Part{}); }
ARBORA_STEP Floats operator+(Floats a, Floats b) { ARBORA_OF_PARTS(Floats, a.part[i] + b.part[i]); }
ARBORA_STEP Floats operator-(Floats a, Floats b) { ARBORA_OF_PARTS(Floats, a.part[i] - b.part[i]); }
ARBORA_STEP Floats operator*(Floats a, Floats b) { ARBORA_OF_PARTS(Floats, a.part[i] * b.part[i]); }
ARBORA_STEP Floats operator/(Floats a, Floats b) { ARBORA_OF_PARTS(Floats, a.part[i] / b.part[i]); }
ARBORA_STEP Floats larger(Floats a, Floats b) { ARBORA_OF_PARTS(Floats, larger_part(a.part[i], b.part[i])); }
ARBORA_STEP Floats smaller(Floats a, Floats b) { ARBORA_OF_PARTS(Floats, smaller_part(a.part[i], b.part[i])); }
// x where a < b, and y elsewhere.
ARBORA_STEP Floats where_less(Floats a, Floats b, Floats x, Floats y) {
    ARBORA_OF_PARTS(Floats, a.part[i] < b.part[i] ? x.part[i] : y.part[i]);
}
ARBORA_STEP Floats absolute(Floats a) {
    ARBORA_OF_PARTS(Floats, __builtin_bit_cast(Part, __builtin_bit_cast(PartInts, a.part[i]) & 0x7fffffffu));
}

// Part by part: a vector that is copied as a whole goes through memory.
ARBORA_STEP Part load_part(const float* p) {
    Part result;
    std::memcpy(&result, p, sizeof result);
    return result;
}
ARBORA_STEP Floats load(const float* p) { ARBORA_OF_PARTS(Floats, load_part(p + i * (lanes / parts))); }
ARBORA_STEP void store(float* p, Floats x) {
    for (int i = 0; i < parts; ++i) std::memcpy(p + i * (lanes / parts), &x.part[i], sizeof(Part));
}
// The first `count` of them, if there are not 16; the rest are zeros.
ARBORA_STEP Floats load_some(const float* p, std::size_t count) {
    if (count >= lanes) return load(p);
    alignas(64) float padded[lanes] = {};
    std::memcpy(padded, p, count * sizeof(float));
    return load(padded);
}
ARBORA_STEP void store_some(float* p, std::size_t count, Floats x) {
    if (count >= lanes) return store(p, x);
    alignas(64) float padded[lanes];
    store(padded, x);
    std::memcpy(p, padded, count * sizeof(float));
}

// Where lanes are below `count`, x; elsewhere y.
ARBORA_STEP Floats where_below(std::size_t count, Floats x, Floats y) {
    constexpr float numbers[lanes] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return where_less(load(numbers), all(static_cast<float>(count)), x, y);
}

// Sums and maxima of all lanes: of each lane and the one 8 after it, of those 4 after it, and so on.
using Quarter = float __attribute__((vector_size(16)));
struct Quarters {
    Quarter quarter[4];
};
ARBORA_STEP float sum_of(Floats x) {
    const Quarters all_four = __builtin_bit_cast(Quarters, x);
    const Quarter four = (all_four.quarter[0] + all_four.quarter[2]) + (all_four.quarter[1] + all_four.quarter[3]);
    return (four[0] + four[2]) + (four[1] + four[3]);
}
ARBORA_STEP float largest_of(Floats x) {
    const Quarters all_four = __builtin_bit_cast(Quarters, x);
    const Quarter *q = all_four.quarter, a = q[0] > q[2] ? q[0] : q[2], b = q[1] > q[3] ? q[1] : q[3];
    const Quarter four = a > b ? a : b;
    const float even = four[0] > four[2] ? four[0] : four[2], odd = four[1] > four[3] ? four[1] : four[3];
    return even > odd ? even : odd;
}

// Adding this rounds to the nearest integer, which is in the low bits then.
constexpr float rounder = 0x1.8p23f;
// Numbers within -2^22 and 2^22 as integers; of others, anything.
ARBORA_STEP Ints rounded(Floats x) {
    ARBORA_OF_PARTS(Ints,
                    __builtin_bit_cast(PartInts, x.part[i] + rounder) - __builtin_bit_cast(std::uint32_t, rounder));
}
// Of integers that are less than 2^31 in size.
ARBORA_STEP Floats as_floats(Ints x) {
    using Signed = std::int32_t __attribute__((vector_size(part_bytes)));
    ARBORA_OF_PARTS(Floats, __builtin_convertvector(__builtin_bit_cast(Signed, x.part[i]), Part));
}

// 2^k of k + rounder.
ARBORA_STEP Floats power_of_two(Floats k) {
    ARBORA_OF_PARTS(Floats, __builtin_bit_cast(Part, (__builtin_bit_cast(PartInts, k.part[i]) + 127) << 23));
}

// exp, within 2 ulp; below -87 it is 0, above 88 as of 88.
ARBORA_STEP Floats exponential(Floats x) {
    const Floats bounded = smaller(larger(x, all(-87.0f)), all(88.0f));
    const Floats shifted = bounded * all(1.44269504f) + all(rounder), k = shifted - all(rounder);
    // ln 2 in two pieces; products of the first with k are exact.
    const Floats r = (bounded - k * all(0.693359375f)) - k * all(-2.12194440e-4f);
    Floats sum = all(0.00139465619f);
    for (const float factor : {0.00836922351f, 0.0416662615f, 0.166665154f, 0.500000008f}) sum = sum * r + all(factor);
    const Floats reduced = (sum * (r * r) + r) + all(1.0f);
    return where_less(x, all(-87.0f), all(0.0f), reduced * power_of_two(shifted));
}
