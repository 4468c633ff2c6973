// What is done to rows, number by number. Not a header of its own, as kernel_vectors.hpp, which comes before it.

// x Phi(x), Phi the normal distribution: 1/2 + x P(x^2) / Q(x^2) within 5.2, where it is 1 but for 1e-7. Polynomials
// fitted to the least absolute error of the result, 3e-8 before rounding.
struct Gelu {
    ARBORA_STEP static Floats of(Floats x) {
        constexpr float end = 5.2f;
        const Floats bounded = smaller(larger(x, all(-end)), all(end)), z = bounded * bounded;
        Floats p = all(1.22468892e-10f), q = all(6.04498026e-05f);
        for (const float factor :
             {-2.31711964e-08f, 3.23798579e-06f, 1.62390825e-4f, 0.00444966179f, 0.0349716256f, 0.398941911f})
            p = p * z + all(factor);
        for (const float factor : {0.00177841451f, 0.0285469934f, 0.254323467f, 1.0f}) q = q * z + all(factor);
        const Floats inside = x * (all(0.5f) + bounded * (p / q));
        return where_less(x, all(-end), all(0.0f), where_less(all(end), x, x, inside));
    }
};

// The same by a hyperbolic tangent: x / (1 + exp(-2 sqrt(2 / pi) (x + 0.044715 x^3))).
struct GeluNew {
    ARBORA_STEP static Floats of(Floats x) {
        const Floats bounded = smaller(larger(x, all(-50.0f)), all(50.0f));
        const Floats cube = bounded * bounded * bounded;
        return x / (all(1.0f) + exponential((bounded + cube * all(0.044715f)) * all(-1.59576912f)));
    }
};

struct Relu {
    ARBORA_STEP static Floats of(Floats x) { return larger(x, all(0.0f)); }
};

template <class Kind>
ARBORA_KERNEL void activate_all(float* numbers, std::size_t count) {
    for (std::size_t i = 0; i < count; i += lanes) {
        const std::size_t own = count - i;
        store_some(numbers + i, own, Kind::of(load_some(numbers + i, own)));
    }
}

ARBORA_KERNEL void activate(Activation kind, float* numbers, std::size_t count) {
    if (kind == Activation::gelu) activate_all<Gelu>(numbers, count);
    if (kind == Activation::gelu_new) activate_all<GeluNew>(numbers, count);
    if (kind == Activation::relu) activate_all<Relu>(numbers, count);
}

ARBORA_KERNEL void add_and_norm(float* rows, const float* added, std::size_t count, std::size_t width,
                                const Norm& norm) {
    for (std::size_t r = 0; r < count; ++r) {
        float* row = rows + r * width;
        Floats sums = all(0.0f), squares = all(0.0f);
        for (std::size_t i = 0; i < width; i += lanes) {
            Floats x = load_some(row + i, width - i);
            if (added) x = x + load_some(added + r * width + i, width - i);
            store_some(row + i, width - i, x);
            sums = sums + x;
        }
        const Floats mean = all(sum_of(sums) / static_cast<float>(width));
        for (std::size_t i = 0; i < width; i += lanes) {
            const Floats x = where_below(width - i, load_some(row + i, width - i) - mean, all(0.0f));
            squares = squares + x * x;
        }
        const float variance = sum_of(squares) / static_cast<float>(width);
        const Floats inverse = all(1.0f / __builtin_sqrtf(variance + norm.epsilon));
        for (std::size_t i = 0; i < width; i += lanes) {
            const Floats x = (load_some(row + i, width - i) - mean) * inverse;
            const Floats scale = load_some(norm.scale + i, width - i), shift = load_some(norm.shift + i, width - i);
            store_some(row + i, width - i, x * scale + shift);
        }
    }
}

ARBORA_KERNEL void expand(const std::int8_t* bytes, float scale, const float* added, std::size_t width, float* row) {
    for (std::size_t i = 0; i < width; ++i) row[i] = static_cast<float>(bytes[i]) * scale + added[i];
}

ARBORA_KERNEL void add_multiple(float factor, const float* numbers, std::size_t count, float* sums) {
    for (std::size_t i = 0; i < count; ++i) sums[i] += factor * numbers[i];
}
