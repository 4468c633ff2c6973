// arbora._core's neural encoders, for arbora.neural.layers.
#include "encoders.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "checks.hpp"
#include "interruption.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace arbora;
namespace encoders = arbora::encoders;

constexpr const char* activation_names[] = {"gelu", "gelu_new", "relu"};
constexpr std::ptrdiff_t most = 0x7fffffff, most_layers = 1000;

encoders::EmbeddingsView embeddings_of(Tensors& tensors, const encoders::EncoderShape& shape) {
    encoders::EmbeddingsView view;
    view.bytes = tensors.bytes("embeddings.words", {shape.vocabulary, shape.hidden});
    if (view.bytes) {
        view.scales = tensors.floats("embeddings.scales", {shape.vocabulary});
    } else {
        view.floats = tensors.floats("embeddings.words", {shape.vocabulary, shape.hidden});
    }
    view.positions = tensors.floats("embeddings.positions", {shape.positions, shape.hidden});
    if (tensors.has("embeddings.shapes")) {
        view.shapes = tensors.floats("embeddings.shapes", {tensors.rows("embeddings.shapes"), shape.hidden});
        view.shape_count = tensors.rows("embeddings.shapes");
        expect_between(view.shape_count, 1, 256, "embeddings.shapes");
    }
    view.norm = tensors.norm("embeddings.norm", shape.hidden);
    return view;
}

encoders::LayerView layer_of(Tensors& tensors, const encoders::EncoderShape& shape, std::size_t number) {
    const std::string name = "layers." + std::to_string(number) + ".";
    encoders::LayerView view;
    view.attention = tensors.dense(name + "attention", 3 * shape.hidden, shape.hidden);
    view.mixing = tensors.dense(name + "mixing", shape.hidden, shape.hidden);
    view.inner = tensors.dense(name + "inner", shape.inner, shape.hidden);
    view.outer = tensors.dense(name + "outer", shape.hidden, shape.inner);
    view.mixing_norm = tensors.norm(name + "mixing.norm", shape.hidden);
    view.outer_norm = tensors.norm(name + "outer.norm", shape.hidden);
    return view;
}

encoders::Activation activation_named(const std::string& name) {
    const auto found = std::find(std::begin(activation_names), std::end(activation_names), name);
    if (found == std::end(activation_names)) throw nb::value_error(("there is no activation '" + name + "'").c_str());
    return static_cast<encoders::Activation>(found - std::begin(activation_names));
}

void make_encoder(BoundEncoder* self, nb::dict given, std::ptrdiff_t layers, std::ptrdiff_t hidden,
                  std::ptrdiff_t heads, std::ptrdiff_t inner, std::ptrdiff_t positions, std::ptrdiff_t first_position,
                  std::ptrdiff_t vocabulary, float epsilon, const std::string& activation, const std::string& kernels) {
    constexpr auto widest = static_cast<std::ptrdiff_t>(encoders::Dense::most_in);
    expect_between(layers, 1, most_layers, "layers");
    expect_between(hidden, 1, widest, "hidden");
    expect_between(heads, 1, hidden, "heads");
    expect_between(inner, 1, widest, "inner");
    expect_between(positions, 1, most, "positions");
    expect_between(first_position, 0, positions - 1, "first_position");
    expect_between(vocabulary, 1, most, "vocabulary");
    if (hidden % heads) throw nb::value_error("heads: they cannot share the rows evenly");
    if (!(epsilon > 0 && epsilon <= 1)) throw nb::value_error("epsilon: it is not above 0, and at most 1");
    const encoders::EncoderShape shape{static_cast<std::size_t>(hidden),
                                       static_cast<std::size_t>(heads),
                                       static_cast<std::size_t>(inner),
                                       static_cast<std::size_t>(positions),
                                       static_cast<std::size_t>(first_position),
                                       static_cast<std::size_t>(vocabulary),
                                       epsilon,
                                       activation_named(activation)};
    const encoders::Kernels& chosen = encoders::kernels_named(kernels);
    Tensors tensors(std::move(given));
    const encoders::EmbeddingsView embeddings = embeddings_of(tensors, shape);
    std::vector<encoders::LayerView> views;
    for (std::ptrdiff_t l = 0; l < layers; ++l) views.push_back(layer_of(tensors, shape, static_cast<std::size_t>(l)));
    std::vector<float> mix;
    if (tensors.has("mix.weights")) {
        const float* weights = tensors.floats("mix.weights", {views.size()});
        mix.assign(weights, weights + views.size());
    }
    new (self) BoundEncoder{tensors.take(), encoders::Encoder(shape, embeddings, views, mix, chosen)};
}

auto encode(const BoundEncoder& self, const Array<const std::int32_t>& ids, const Array<const std::int64_t>& ends,
            int threads, const std::optional<Array<const std::uint8_t>>& shapes) {
    const encoders::EncoderShape& shape = self.encoder.shape();
    const auto count = static_cast<std::ptrdiff_t>(ids.size()), longest = static_cast<std::ptrdiff_t>(shape.longest());
    expect_all_between(ids.data(), ids.size(), 0, static_cast<std::ptrdiff_t>(shape.vocabulary) - 1, "ids");
    std::ptrdiff_t begin = 0;
    for (std::size_t s = 0; s < ends.size(); ++s) {
        expect_between(ends.data()[s], begin, std::min(count, begin + longest), "ends");
        begin = ends.data()[s];
    }
    expect_length(ids, static_cast<std::size_t>(begin), "ids");
    encoders::Sequences sequences{{ids.data(), ids.size()}, {}, {ends.data(), ends.size()}};
    if (shapes) {
        expect_length(*shapes, ids.size(), "shapes");
        expect_all_between(shapes->data(), ids.size(), 0, static_cast<std::ptrdiff_t>(self.encoder.shapes()) - 1,
                           "shapes");
        sequences.shapes = {shapes->data(), ids.size()};
    }
    float* rows = nullptr;
    auto result = new_array<float, 2>({ids.size(), shape.hidden}, rows);
    const bool is_sound = run_unlocked([&] {
        self.encoder.encode(sequences, threads, rows);
        return are_finite(rows, result.size());
    });
    if (!is_sound) throw nb::value_error("the encoder's weights are too large: what it gives are no numbers");
    return result;
}

// Weights are floats, or bytes with a scale for each output.
void make_dense(encoders::Dense* self, const Tensor& weights, const Array<const float>& bias,
                const std::optional<Array<const float>>& scales, const std::string& kernels) {
    if (weights.ndim() != 2) throw nb::value_error("weights: no table");
    encoders::DenseView view;
    view.out = weights.shape(0);
    view.in = weights.shape(1);
    const bool is_quantized = weights.dtype() == nb::dtype<std::int8_t>();
    if (!is_quantized && weights.dtype() != nb::dtype<float>())
        throw nb::value_error("weights: neither 32-bit floats nor bytes");
    if (is_quantized != scales.has_value()) throw nb::value_error("scales: bytes have some, and floats none");
    if (is_quantized) {
        expect_length(*scales, view.out, "scales");
        view.bytes = static_cast<const std::int8_t*>(weights.data());
        view.scales = scales->data();
    } else {
        view.floats = static_cast<const float*>(weights.data());
    }
    expect_length(bias, view.out, "bias");
    view.bias = bias.data();
    new (self) encoders::Dense(view, encoders::kernels_named(kernels));
}

auto apply_dense(const encoders::Dense& self, const Array<const float, 2>& rows) {
    expect_shape(rows, {rows.shape(0), self.in()}, "rows");
    float* numbers = nullptr;
    auto result = new_array<float, 2>({rows.shape(0), self.out()}, numbers);
    run_unlocked([&] { self.apply(rows.data(), rows.shape(0), numbers); });
    return result;
}

std::vector<std::string> kernel_names() {
    std::vector<std::string> names;
    for (const encoders::Kernels* kernels : encoders::kernels_of_machine()) names.emplace_back(kernels->name);
    return names;
}

}  // namespace

void bind_encoders(nb::module_& m) {
    m.def("encoder_kernels", kernel_names, "The kernels that this machine has, the fastest first.");
    nb::class_<encoders::Dense>(m, "Dense", "Rows times weights, plus a bias.")
        .def("__init__", make_dense, "weights"_a, "bias"_a, "scales"_a = nb::none(), "kernels"_a = "")
        .def("apply", apply_dense, "rows"_a, "Rows of `in` numbers to rows of `out` numbers.");
    nb::class_<BoundEncoder>(m, "Encoder", "A transformer encoder, with its weights.")
        .def("__init__", make_encoder, "tensors"_a, nb::kw_only(), "layers"_a, "hidden"_a, "heads"_a, "inner"_a,
             "positions"_a, "first_position"_a, "vocabulary"_a, "epsilon"_a, "activation"_a, "kernels"_a = "")
        .def_prop_ro("kernels", [](const BoundEncoder& self) { return self.encoder.kernels().name; })
        .def("encode", encode, "ids"_a, "ends"_a, "threads"_a, "shapes"_a = nb::none(),
             "A row for every id of sequences that end there, of `hidden` numbers.");
}
