// Attention. Not a header of its own, as kernel_vectors.hpp, which comes before it; attention_queries and attention_vectors
// are how many rows and vectors the registers hold sums of.

ARBORA_KERNEL std::size_t attention_scratch(const AttentionRows& sequence) {
    const std::size_t width = sequence.hidden / sequence.heads;
    return (width + attention_queries) * rounded_up(sequence.count, lanes * attention_vectors);
}

// One head of one sequence.
struct Head {
    const float* queries;  // rows that are `stride` apart
    const float* keys;
    const float* values;
    std::size_t stride, count, padded, width;
    float* columns;  // the keys, number by number: `width` rows of `padded` ones, filled up with zeros
    float* scores;   // of some queries, `padded` each

    ARBORA_STEP void turn_keys() const {
        for (std::size_t c = 0; c < width; ++c)
            for (std::size_t j = count; j < padded; ++j) columns[c * padded + j] = 0;
        for (std::size_t j = 0; j < count; ++j)
            for (std::size_t c = 0; c < width; ++c) columns[c * padded + j] = keys[j * stride + c];
    }

    // score(i, j) = query(i) . key(j) / sqrt(width)
    template <int rows>
    ARBORA_STEP void score(std::size_t first) const {
        const Floats scale = all(1.0f / __builtin_sqrtf(static_cast<float>(width)));
        for (std::size_t j = 0; j < padded; j += lanes * attention_vectors) {
            Floats sums[rows][attention_vectors];
            for (int r = 0; r < rows; ++r)
                for (int v = 0; v < attention_vectors; ++v) sums[r][v] = all(0.0f);
            for (std::size_t c = 0; c < width; ++c) {
                Floats key[attention_vectors];
                for (int v = 0; v < attention_vectors; ++v) key[v] = load(columns + c * padded + j + lanes * v);
                for (int r = 0; r < rows; ++r) {
                    const Floats query = all(queries[(first + r) * stride + c]);
                    for (int v = 0; v < attention_vectors; ++v) sums[r][v] = sums[r][v] + query * key[v];
                }
            }
            for (int r = 0; r < rows; ++r)
                for (int v = 0; v < attention_vectors; ++v)
                    store(scores + r * padded + j + lanes * v, sums[r][v] * scale);
        }
    }

    // Scores become exp(score - largest score); the inverse of their sum comes back.
    ARBORA_STEP float weigh(float* own) const {
        const Floats never = all(-std::numeric_limits<float>::infinity());
        Floats most = never, sums = all(0.0f);
        for (std::size_t j = 0; j < count; j += lanes)
            most = larger(where_below(count - j, load(own + j), never), most);
        const Floats top = all(largest_of(most));
        for (std::size_t j = 0; j < count; j += lanes) {
            const Floats weight = where_below(count - j, exponential(load(own + j) - top), all(0.0f));
            store(own + j, weight);
            sums = sums + weight;
        }
        return 1.0f / sum_of(sums);
    }

    // result(i) = sum of weight(i, j) value(j)
    template <int rows>
    ARBORA_STEP void mix(const float* inverses, float* out, std::size_t out_stride) const {
        for (std::size_t c = 0; c < width; c += lanes * attention_vectors) {
            Floats sums[rows][attention_vectors];
            for (int r = 0; r < rows; ++r)
                for (int v = 0; v < attention_vectors; ++v) sums[r][v] = all(0.0f);
            for (std::size_t j = 0; j < count; ++j) {
                for (int v = 0; v < attention_vectors; ++v) {
                    if (c + lanes * v >= width) break;
                    const Floats value = load(values + j * stride + c + lanes * v);
                    for (int r = 0; r < rows; ++r) sums[r][v] = sums[r][v] + all(scores[r * padded + j]) * value;
                }
            }
            for (int v = 0; v < attention_vectors; ++v)
                for (int r = 0; r < rows; ++r)
                    if (c + lanes * v < width)
                        store_some(out + r * out_stride + c + lanes * v, width - c - lanes * v,
                                   sums[r][v] * all(inverses[r]));
        }
    }

    template <int rows>
    ARBORA_STEP void attend(std::size_t first, float* out, std::size_t out_stride) const {
        float inverses[rows];
        score<rows>(first);
        for (int r = 0; r < rows; ++r) inverses[r] = weigh(scores + r * padded);
        mix<rows>(inverses, out + first * out_stride, out_stride);
    }
};

ARBORA_KERNEL void attend(const AttentionRows& sequence, float* scratch, float* out) {
    const std::size_t width = sequence.hidden / sequence.heads, hidden = sequence.hidden;
    const std::size_t padded = rounded_up(sequence.count, lanes * attention_vectors);
    for (std::size_t h = 0; h < sequence.heads; ++h) {
        const float* own = sequence.rows + h * width;
        const Head head{own,   own + hidden, own + 2 * hidden,        3 * hidden, sequence.count, padded,
                        width, scratch,      scratch + width * padded};
        head.turn_keys();
        std::size_t i = 0;
        for (; i + attention_queries <= sequence.count; i += attention_queries)
            head.attend<attention_queries>(i, out + h * width, hidden);
        for (; i < sequence.count; ++i) head.attend<1>(i, out + h * width, hidden);
    }
}
