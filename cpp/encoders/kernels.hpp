// The arithmetic of encoders, compiled for several sets of instructions; which one this machine has is found when the
// program runs. A row's numbers do not depend on the other rows of a call. Weights in 8 bits, and all that is not a dense
// part, give the same bytes with every kernel; dense parts of floats do where products and sums are rounded once.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace arbora::encoders {

// Outputs that are worked on together.
inline constexpr std::size_t group_size = 16;
// Inputs whose products are summed in one step; rows and weights are filled up to that with zeros.
inline constexpr std::size_t step_size = 4;

inline std::size_t rounded_up(std::size_t count, std::size_t unit) { return (count + unit - 1) / unit * unit; }

enum class Activation { gelu, gelu_new, relu };

// A dense part as kernels read it. Of each group of outputs, weights lie in the order of inputs: floats input by input,
// bytes in steps of 4 inputs of each output. What there is for each output is filled up with zeros to whole groups.
struct PackedFloats {
    const float* weights;
    const float* bias;
    std::size_t out, in;
};
struct PackedBytes {
    const std::int8_t* weights;
    const float* scales;
    const std::int32_t* sums;  // of the weights of each output
    const float* bias;
    std::size_t out, in;
};

// Rows whose numbers are integers from -127 to 127 times the row's scale, in the form that a kernel wants.
struct QuantizedRows {
    void* numbers;
    float* scales;
};

// The rows of a sequence that attention looks at: `count` rows of queries, keys and values, 3 * hidden numbers.
struct AttentionRows {
    const float* rows;
    std::size_t count, hidden, heads;
};
// After the last row of attention there are so many numbers that may be read.
inline constexpr std::size_t attention_slack = group_size;

struct Norm {
    const float* scale;
    const float* shift;
    float epsilon;
};

struct Kernels {
    const char* name;
    bool (*is_supported)();
    // Of a row of `in` numbers in 8 bits.
    std::size_t (*quantized_bytes)(std::size_t in);
    void (*quantize)(const float* rows, std::size_t count, std::size_t in, QuantizedRows result);
    void (*multiply_bytes)(const PackedBytes& dense, QuantizedRows rows, std::size_t count, float* out);
    void (*multiply_floats)(const PackedFloats& dense, const float* rows, std::size_t count, float* out);
    // Numbers of scratch memory that attention wants.
    std::size_t (*attention_scratch)(const AttentionRows& sequence);
    void (*attend)(const AttentionRows& sequence, float* scratch, float* out);
    void (*activate)(Activation kind, float* numbers, std::size_t count);
    // rows = norm(rows + added); nothing is added if there is none.
    void (*add_and_norm)(float* rows, const float* added, std::size_t count, std::size_t width, const Norm& norm);
    // row = scale * bytes + added.
    void (*expand)(const std::int8_t* bytes, float scale, const float* added, std::size_t width, float* row);
    // sums += factor * numbers.
    void (*add_multiple)(float factor, const float* numbers, std::size_t count, float* sums);
};

// Those that this machine has, the fastest first; the last is `plain`, which every machine has.
const std::vector<const Kernels*>& kernels_of_machine();
// The fastest if there is no name; std::invalid_argument if this machine has none of that name.
const Kernels& kernels_named(const std::string& name);

}  // namespace arbora::encoders
