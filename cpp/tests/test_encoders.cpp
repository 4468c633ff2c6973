// Encoders in the core, where the sanitizers see them; agreement with slow twins is tested from Python.
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "encoders/encoder.hpp"
#include "support/random.hpp"

namespace {

using namespace arbora;
using namespace arbora::encoders;

std::vector<float> random_numbers(std::size_t count, Random& random) {
    std::vector<float> result(count);
    for (float& x : result) x = static_cast<float>(random.uniform() - 0.5);
    return result;
}

std::vector<std::int8_t> random_bytes(std::size_t count, Random& random) {
    std::vector<std::int8_t> result(count);
    for (std::int8_t& x : result) x = static_cast<std::int8_t>(random.uniform() * 254 - 127);
    return result;
}

// Tensors of an encoder, each in memory of its own, so that what is read beside them is found.
struct SmallEncoder {
    EncoderShape shape;
    std::vector<std::vector<float>> floats;
    std::vector<std::vector<std::int8_t>> bytes;
    Random random{3};

    const float* some(std::size_t count) {
        floats.push_back(random_numbers(count, random));
        return floats.back().data();
    }
    DenseView dense(std::size_t out, std::size_t in, bool in_bytes) {
        DenseView view;
        if (in_bytes) {
            bytes.push_back(random_bytes(out * in, random));
            view.bytes = bytes.back().data();
            view.scales = some(out);
        } else {
            view.floats = some(out * in);
        }
        view.bias = some(out);
        view.out = out;
        view.in = in;
        return view;
    }
    NormView norm() { return {some(shape.hidden), some(shape.hidden)}; }

    Encoder make(std::size_t layers, bool in_bytes, bool mixed, const Kernels& kernels) {
        EmbeddingsView embeddings;
        if (in_bytes) {
            bytes.push_back(random_bytes(shape.vocabulary * shape.hidden, random));
            embeddings.bytes = bytes.back().data();
            embeddings.scales = some(shape.vocabulary);
        } else {
            embeddings.floats = some(shape.vocabulary * shape.hidden);
        }
        embeddings.positions = some(shape.positions * shape.hidden);
        embeddings.norm = norm();
        std::vector<LayerView> views(layers);
        for (LayerView& view : views) {
            view.attention = dense(3 * shape.hidden, shape.hidden, in_bytes);
            view.mixing = dense(shape.hidden, shape.hidden, in_bytes);
            view.inner = dense(shape.inner, shape.hidden, in_bytes);
            view.outer = dense(shape.hidden, shape.inner, in_bytes);
            view.mixing_norm = norm();
            view.outer_norm = norm();
        }
        const std::vector<float> mix = mixed ? random_numbers(layers, random) : std::vector<float>();
        return Encoder(shape, embeddings, views, mix, kernels);
    }
};

std::vector<float> encode(const Encoder& encoder, const std::vector<std::int32_t>& ids,
                          const std::vector<std::int64_t>& ends, int threads) {
    std::vector<float> result(ids.size() * encoder.shape().hidden);
    encoder.encode({ids, {}, ends}, threads, result.data());
    return result;
}

}  // namespace

TEST(dense_parts_of_all_sizes_with_all_kernels) {
    Random random(1);
    for (const Kernels* kernels : kernels_of_machine())
        for (std::size_t in : {1, 3, 4, 16, 33, 65})
            for (std::size_t out : {1, 15, 16, 17, 64, 81})
                for (std::size_t count : {0, 1, 2, 7, 100}) {
                    const auto rows = random_numbers(count * in, random), floats = random_numbers(out * in, random);
                    const auto bias = random_numbers(out, random), scales = random_numbers(out, random);
                    const auto bytes = random_bytes(out * in, random);
                    std::vector<float> result(count * out);
                    DenseView view;
                    view.floats = floats.data();
                    view.bias = bias.data();
                    view.out = out;
                    view.in = in;
                    Dense(view, *kernels).apply(rows.data(), count, result.data());
                    for (std::size_t i = 0; i < count * out; ++i) {
                        double sum = bias[i % out];
                        for (std::size_t k = 0; k < in; ++k) sum += rows[i / out * in + k] * floats[i % out * in + k];
                        CHECK(std::abs(sum - result[i]) < 1e-5);
                    }
                    view.floats = nullptr;
                    view.bytes = bytes.data();
                    view.scales = scales.data();
                    Dense(view, *kernels).apply(rows.data(), count, result.data());
                    for (std::size_t i = 0; i < count * out; ++i) {
                        double sum = 0;
                        for (std::size_t k = 0; k < in; ++k) sum += rows[i / out * in + k] * bytes[i % out * in + k];
                        // Rows are at most 1/2, and rounded to steps of 1/254 of that.
                        const double bound = 0.5 / 254 * 127 * static_cast<double>(in) * std::abs(scales[i % out]);
                        CHECK(std::abs(sum * scales[i % out] + bias[i % out] - result[i]) <= bound + 1e-5);
                    }
                }
}

TEST(encoders_of_odd_sizes_with_all_kernels) {
    const EncoderShape shapes[] = {{6, 2, 5, 40, 0, 9, 1e-5f, Activation::gelu},
                                   {21, 7, 33, 40, 2, 9, 1e-5f, Activation::gelu_new},
                                   {1, 1, 1, 40, 0, 9, 1e-5f, Activation::relu},
                                   {34, 1, 70, 140, 0, 9, 1e-5f, Activation::gelu}};
    for (const EncoderShape& shape : shapes)
        for (bool in_bytes : {false, true})
            for (bool mixed : {false, true}) {
                std::vector<float> first;
                for (const Kernels* kernels : kernels_of_machine()) {
                    SmallEncoder small{shape, {}, {}};
                    const Encoder encoder = small.make(2, in_bytes, mixed, *kernels);
                    std::vector<std::int32_t> ids;
                    std::vector<std::int64_t> ends;
                    for (std::size_t length : {std::size_t{1}, std::size_t{0}, shape.longest(), std::size_t{17}}) {
                        for (std::size_t i = 0; i < length; ++i) ids.push_back(static_cast<std::int32_t>(i % 9));
                        ends.push_back(static_cast<std::int64_t>(ids.size()));
                    }
                    const std::vector<float> found = encode(encoder, ids, ends, 1);
                    CHECK(found == encode(encoder, ids, ends, 3));
                    const std::vector<std::int32_t> last(ids.end() - 17, ids.end());
                    const std::vector<float> alone = encode(encoder, last, {17}, 1);
                    CHECK(std::equal(alone.begin(), alone.end(), found.end() - 17 * shape.hidden));
                    if (first.empty()) first = found;
                    if (in_bytes) CHECK(found == first);
                    for (float x : found) CHECK(std::isfinite(x));
                }
            }
}

TEST(encoders_refuse_what_they_cannot_be) {
    const auto is_refused = [](const auto& body) {
        try {
            body();
        } catch (const std::invalid_argument&) {
            return true;
        }
        return false;
    };
    const Kernels& kernels = kernels_named("plain");
    CHECK(&kernels_named("") == kernels_of_machine().front());
    CHECK(is_refused([] { kernels_named("abacus"); }));
    CHECK(is_refused([&] { Dense(DenseView(), kernels); }));
    const std::vector<std::int8_t> lowest{-128};
    const std::vector<float> one{1};
    CHECK(is_refused([&] { Dense({nullptr, lowest.data(), one.data(), one.data(), 1, 1}, kernels); }));
    CHECK(is_refused([&] { Encoder({1, 1, 1, 1, 0, 1, 1e-5f, Activation::relu}, {}, {}, {}, kernels); }));
}
