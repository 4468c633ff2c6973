// Dense parts: tiles of rows and groups of outputs, whose sums are in registers. Not a header of its own, as
// kernel_vectors.hpp, which comes before it, with what a kernel says of itself: Quantized and store_quantized are how it
// wants rows in 8 bits, multiply_tile sums their products, fused adds a product to a float; float_rows, float_groups,
// byte_rows and byte_groups are the largest tiles.

ARBORA_KERNEL std::size_t quantized_bytes(std::size_t in) { return rounded_up(in, group_size) * sizeof(Quantized); }

ARBORA_KERNEL void quantize(const float* rows, std::size_t count, std::size_t in, QuantizedRows result) {
    const std::size_t stride = quantized_bytes(in) / sizeof(Quantized);
    for (std::size_t r = 0; r < count; ++r) {
        const float* row = rows + r * in;
        Quantized* own = static_cast<Quantized*>(result.numbers) + r * stride;
        Floats most = all(0.0f);
        for (std::size_t i = 0; i < in; i += lanes) most = larger(absolute(load_some(row + i, in - i)), most);
        const float largest = largest_of(most);
        // So small a row is zeros: the inverse of its scale is no number.
        const bool is_zero = !(largest >= 1e-30f);
        const Floats inverse = all(is_zero ? 0.0f : 127.0f / largest);
        for (std::size_t i = 0; i < in; i += lanes)
            store_quantized(own + i, rounded(load_some(row + i, in - i) * inverse));
        result.scales[r] = is_zero ? 0.0f : largest / 127.0f;
    }
}

struct ByteTiles {
    const PackedBytes& dense;
    QuantizedRows rows;
    float* out;

    template <int count, int groups>
    ARBORA_STEP void run(std::size_t group, std::size_t first) const {
        const std::size_t stride = quantized_bytes(dense.in) / sizeof(Quantized);
        const std::size_t length = rounded_up(dense.in, step_size) * group_size;
        Ints sums[count][groups];
        multiply_tile<count, groups>(dense.weights + group * length, length,
                                     static_cast<const Quantized*>(rows.numbers) + first * stride, stride,
                                     dense.sums + group * group_size, sums);
        for (int g = 0; g < groups; ++g) {
            const std::size_t o = (group + g) * group_size;
            const Floats scale = load(dense.scales + o), bias = load(dense.bias + o);
            for (int r = 0; r < count; ++r) {
                const Floats factor = scale * all(rows.scales[first + r]);
                store_some(out + (first + r) * dense.out + o, dense.out - o, as_floats(sums[r][g]) * factor + bias);
            }
        }
    }
};

struct FloatTiles {
    const PackedFloats& dense;
    const float* rows;
    float* out;

    template <int count, int groups>
    ARBORA_STEP void run(std::size_t group, std::size_t first) const {
        Floats sums[count][groups];
        for (int r = 0; r < count; ++r)
            for (int g = 0; g < groups; ++g) sums[r][g] = all(0.0f);
        const float* weights = dense.weights + group * group_size * dense.in;
        const float* own = rows + first * dense.in;
        for (std::size_t i = 0; i < dense.in; ++i) {
            Floats weight[groups];
            for (int g = 0; g < groups; ++g) weight[g] = load(weights + (g * dense.in + i) * group_size);
            for (int r = 0; r < count; ++r) {
                const Floats x = all(own[r * dense.in + i]);
                for (int g = 0; g < groups; ++g) sums[r][g] = fused(x, weight[g], sums[r][g]);
            }
        }
        for (int g = 0; g < groups; ++g) {
            const std::size_t o = (group + g) * group_size;
            const Floats bias = load(dense.bias + o);
            for (int r = 0; r < count; ++r)
                store_some(out + (first + r) * dense.out + o, dense.out - o, sums[r][g] + bias);
        }
    }
};

// Tiles of `rows` rows as long as there are so many, and one for what is left.
template <int rows, int groups, class Tiles>
ARBORA_KERNEL void run_rest(const Tiles& tiles, std::size_t group, std::size_t first, std::size_t left) {
    if constexpr (rows > 0) {
        if (left < rows) return run_rest<rows - 1, groups>(tiles, group, first, left);
        tiles.template run<rows, groups>(group, first);
    }
}
template <int rows, int groups, class Tiles>
ARBORA_KERNEL void run_groups(const Tiles& tiles, std::size_t group, std::size_t count) {
    std::size_t first = 0;
    for (; first + rows <= count; first += rows) tiles.template run<rows, groups>(group, first);
    run_rest<rows - 1, groups>(tiles, group, first, count - first);
}
template <int rows, int groups, class Tiles>
ARBORA_KERNEL void run_tiles(const Tiles& tiles, std::size_t out, std::size_t count) {
    const std::size_t all_groups = rounded_up(out, group_size) / group_size;
    std::size_t group = 0;
    for (; group + groups <= all_groups; group += groups) run_groups<rows, groups>(tiles, group, count);
    for (; group < all_groups; ++group) run_groups<rows, 1>(tiles, group, count);
}

ARBORA_KERNEL void multiply_bytes(const PackedBytes& dense, QuantizedRows rows, std::size_t count, float* out) {
    run_tiles<byte_rows, byte_groups>(ByteTiles{dense, rows, out}, dense.out, count);
}

ARBORA_KERNEL void multiply_floats(const PackedFloats& dense, const float* rows, std::size_t count, float* out) {
    run_tiles<float_rows, float_groups>(FloatTiles{dense, rows, out}, dense.out, count);
}
