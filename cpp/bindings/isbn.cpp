// arbora._core's incremental sigmoid belief networks, for arbora.constituency.isbn.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <climits>
#include <iterator>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "checks.hpp"
#include "interruption.hpp"
#include "isbn/beam.hpp"
#include "isbn/learner.hpp"
#include "support/parallel.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace arbora;
namespace isbn = arbora::isbn;

template <class Member, std::size_t count>
Member member_named(const std::string& name, const std::string_view (&names)[count]) {
    const auto found = std::find(std::begin(names), std::end(names), name);
    if (found == std::end(names)) throw nb::value_error(("there is no relation '" + name + "'").c_str());
    return static_cast<Member>(found - std::begin(names));
}

isbn::Inference inference_named(const std::string& name) {
    if (name == "feed-forward") return isbn::Inference::feed_forward;
    if (name == "mean-field") return isbn::Inference::mean_field;
    throw nb::value_error(("there is no inference '" + name + "'").c_str());
}

// A network without its weights.
struct BoundNetwork {
    isbn::Shape shape;
    isbn::Inference inference;

    isbn::Network with(const Array<const double>& weights) const {
        expect_length(weights, shape.weight_count(), "weights");
        return {shape, weights.data(), inference};
    }
};

void make_network(BoundNetwork* self, const std::string& inference, int width, int labels,
                  const std::vector<int>& words_of_tags, int longest_chain, bool root_takes_many,
                  const std::vector<std::string>& states,
                  const std::vector<std::tuple<std::string, std::string>>& inputs) {
    isbn::Shape shape;
    shape.width = width;
    shape.labels = labels;
    shape.tags = static_cast<int>(words_of_tags.size());
    shape.word_begins = {0};
    for (int count : words_of_tags) {
        expect_between(count, 1, isbn::most_words - shape.word_begins.back(), "words_of_tags");
        shape.word_begins.push_back(shape.word_begins.back() + count);
    }
    shape.longest_chain = longest_chain;
    shape.root_takes_many = root_takes_many;
    for (const std::string& name : states)
        shape.state_relations.push_back(member_named<isbn::Place>(name, isbn::place_names));
    for (const auto& [place, attribute] : inputs)
        shape.input_relations.push_back({member_named<isbn::Place>(place, isbn::place_names),
                                         member_named<isbn::Attribute>(attribute, isbn::attribute_names)});
    shape.lay_out();
    new (self) BoundNetwork{std::move(shape), inference_named(inference)};
}

using SpanSpec = std::tuple<int, int, int>;  // label, begin, end
using DecisionSpec = std::tuple<int, int, int, int>;

DecisionSpec spec_of(const isbn::Decision& decision) {
    return {decision.action, decision.label, decision.tag, decision.word};
}

isbn::Decision decision_of(const DecisionSpec& spec) {
    const auto [action, label, tag, word] = spec;
    return {action, label, tag, word};
}

std::vector<isbn::Decision> decisions_of_specs(const std::vector<DecisionSpec>& specs) {
    std::vector<isbn::Decision> result;
    for (const DecisionSpec& spec : specs) result.push_back(decision_of(spec));
    return result;
}

std::vector<SpanSpec> specs_of(const std::vector<isbn::Span>& spans) {
    std::vector<SpanSpec> result;
    for (const isbn::Span& span : spans) result.emplace_back(span.label, span.begin, span.end);
    return result;
}

void check_word(const isbn::Shape& shape, int tag, int word) {
    expect_between(tag, 0, shape.tags - 1, "tags");
    expect_between(word, shape.word_begins[tag], shape.word_begins[tag + 1] - 1, "words");
}

void check_decisions(const isbn::Shape& shape, const std::vector<isbn::Decision>& decisions) {
    for (const isbn::Decision& decision : decisions) {
        expect_between(decision.action, 0, isbn::action_count - 1, "actions");
        if (decision.action == isbn::project) expect_between(decision.label, 0, shape.labels - 1, "labels");
        if (decision.action == isbn::shift) check_word(shape, decision.tag, decision.word);
    }
}

// Derivations that are learned from.
struct Corpus {
    std::vector<std::vector<isbn::Decision>> derivations;

    void add(const BoundNetwork& network, const std::vector<DecisionSpec>& specs) {
        std::vector<isbn::Decision> decisions = decisions_of_specs(specs);
        check_decisions(network.shape, decisions);
        derivations.push_back(std::move(decisions));
    }

    // They were checked by a network when they came, perhaps by another.
    const Corpus& of(const BoundNetwork& network) const {
        for (const auto& decisions : derivations) check_decisions(network.shape, decisions);
        return *this;
    }
};

nb::object log_probabilities(const BoundNetwork& self, const Array<const double>& weights, const Corpus& corpus,
                             int threads) {
    const isbn::Network network = self.with(weights);
    corpus.of(self);
    double* result;
    auto array = new_array<double, 1>({corpus.derivations.size()}, result);
    {
        const Unlocked unlocked;
        parallel_for(corpus.derivations.size(), threads, [&](std::size_t i) {
            isbn::DerivationPass pass(self.shape);
            result[i] = pass.run_forward(network, corpus.derivations[i]);
        });
    }
    return nb::cast(array);
}

nb::tuple gradient_of(const BoundNetwork& self, const Array<const double>& weights, const Corpus& corpus,
                      std::size_t number) {
    expect_place(number, corpus.of(self).derivations.size(), "number");
    isbn::DerivationPass pass(self.shape);
    double* gradient;
    auto array = new_array<double, 1>({self.shape.weight_count()}, gradient);
    std::fill_n(gradient, self.shape.weight_count(), 0.0);
    const isbn::Network network = self.with(weights);
    const double value = pass.run_forward(network, corpus.derivations[number]);
    pass.add_gradient(network, 1, gradient);
    return nb::make_tuple(value, array);
}

using ParseSpec = std::tuple<std::vector<DecisionSpec>, double>;

std::vector<std::vector<ParseSpec>> parse_sentences(const BoundNetwork& self, const Array<const double>& weights,
                                                    const std::vector<std::vector<int>>& tags,
                                                    const std::vector<std::vector<int>>& words, int beam, int branching,
                                                    int candidates, int most_steps, int threads) {
    const isbn::Network network = self.with(weights);
    expect_length(words.size(), tags.size(), "sentences of words");
    for (std::size_t i = 0; i < tags.size(); ++i) {
        expect_length(words[i].size(), tags[i].size(), "words of a sentence");
        for (std::size_t word = 0; word < words[i].size(); ++word)
            check_word(self.shape, tags[i][word], words[i][word]);
    }
    expect_between(beam, 1, INT_MAX, "beam");
    expect_between(branching, 1, INT_MAX, "branching");
    expect_between(candidates, 1, INT_MAX, "candidates");
    expect_between(most_steps, 1, INT_MAX, "most_steps");
    isbn::BeamOptions options;
    options.beam = beam;
    options.branching = branching;
    options.candidates = candidates;
    options.most_steps = most_steps;
    std::vector<std::vector<ParseSpec>> result(tags.size());
    const Unlocked unlocked;
    parallel_for(tags.size(), threads, [&](std::size_t i) {
        for (const isbn::BeamParse& parse : isbn::parse_by_beam(network, tags[i], words[i], options)) {
            std::vector<DecisionSpec> specs;
            for (const isbn::Decision& decision : parse.decisions) specs.push_back(spec_of(decision));
            result[i].emplace_back(std::move(specs), parse.log_probability);
        }
    });
    return result;
}

// Means that maximise the bound, for tests: choices as (rows, biases, chosen), rows x width.
nb::tuple maximise_means(const std::vector<std::tuple<Array<const double, 2>, Array<const double>, int>>& choices,
                         const Array<const double>& eta, bool by_coordinates) {
    const int width = static_cast<int>(eta.shape(0));
    std::vector<isbn::Choice> list;
    for (const auto& [rows, biases, chosen] : choices) {
        expect_shape(rows, {biases.shape(0), eta.shape(0)}, "rows");
        expect_between(chosen, 0, static_cast<std::ptrdiff_t>(biases.shape(0)) - 1, "chosen");
        list.push_back({rows.data(), biases.data(), static_cast<int>(biases.shape(0)), chosen});
    }
    double* means;
    auto array = new_array<double, 1>({eta.shape(0)}, means);
    std::vector<double> logits(width);
    isbn::MeanFieldScratch scratch;
    const int steps =
        isbn::maximise(list, eta.data(), width, by_coordinates ? isbn::Ascent::coordinates : isbn::Ascent::newton,
                       logits.data(), means, scratch);
    return nb::make_tuple(array, isbn::lower_bound(list, eta.data(), width, means), steps);
}

void bind_learner(nb::module_& m) {
    const auto view = [](std::vector<double>& numbers) {
        return nb::ndarray<nb::numpy, double, nb::ndim<1>>(numbers.data(), {numbers.size()}, nb::handle());
    };
    nb::class_<isbn::Learner>(m, "IsbnLearner", "Weights of a network in training, and Adam's means.")
        .def(
            "__init__",
            [](isbn::Learner* self, const BoundNetwork& network, std::uint64_t seed, double scale) {
                new (self) isbn::Learner(isbn::initial_weights(network.shape, seed, scale));
            },
            "network"_a, "seed"_a, "scale"_a)
        .def(
            "train",
            [](isbn::Learner& self, const BoundNetwork& network, const Corpus& corpus, const std::vector<int>& order,
               double rate, double decay, int batch, int threads) {
                expect_length(self.weights.size(), network.shape.weight_count(), "weights of the learner");
                expect_places(order, corpus.of(network).derivations.size(), "order");
                expect_between(batch, 1, INT_MAX, "batch");
                isbn::LearningOptions options;
                options.rate = rate;
                options.decay = decay;
                options.batch = batch;
                const Unlocked unlocked;
                return self.train(network.shape, network.inference, corpus.derivations, order, options, threads);
            },
            "network"_a, "corpus"_a, "order"_a, "rate"_a, "decay"_a, "batch"_a, "threads"_a,
            "A pass over derivations in this order; the sum of their log-probabilities.")
        .def_prop_ro(
            "weights", [view](isbn::Learner& self) { return view(self.weights); }, nb::rv_policy::reference_internal)
        .def_prop_ro(
            "averages", [view](isbn::Learner& self) { return view(self.averages); }, nb::rv_policy::reference_internal)
        .def_prop_ro(
            "means", [view](isbn::Learner& self) { return view(self.means); }, nb::rv_policy::reference_internal)
        .def_prop_ro(
            "squares", [view](isbn::Learner& self) { return view(self.squares); }, nb::rv_policy::reference_internal)
        .def_rw("steps", &isbn::Learner::steps);
}

}  // namespace

void bind_isbn(nb::module_& m) {
    nb::class_<BoundNetwork>(m, "IsbnNetwork", "An incremental sigmoid belief network without its weights.")
        .def("__init__", &make_network, "inference"_a, "width"_a, "labels"_a, "words_of_tags"_a, "longest_chain"_a,
             "root_takes_many"_a, "states"_a, "inputs"_a)
        .def_prop_ro("weight_count", [](const BoundNetwork& self) { return self.shape.weight_count(); })
        .def("log_probabilities", &log_probabilities, "weights"_a, "corpus"_a, "threads"_a)
        .def("gradient", &gradient_of, "weights"_a, "corpus"_a, "number"_a,
             "A derivation's log-probability, and its gradient.")
        .def("parse", &parse_sentences, "weights"_a, "tags"_a, "words"_a, "beam"_a, "branching"_a, "candidates"_a,
             "most_steps"_a, "threads"_a,
             "For every sentence its derivations, best first, with their log-probabilities.");
    nb::class_<Corpus>(m, "IsbnCorpus", "Derivations that are learned from.")
        .def(nb::init<>())
        .def("add", &Corpus::add, "network"_a, "decisions"_a)
        .def("__len__", [](const Corpus& self) { return self.derivations.size(); });
    bind_learner(m);
    m.def(
        "isbn_decisions",
        [](const std::vector<SpanSpec>& spans, const std::vector<int>& tags, const std::vector<int>& words) {
            expect_length(words.size(), tags.size(), "words");
            std::vector<isbn::Span> own;
            for (const auto& [label, begin, end] : spans) own.push_back({label, begin, end});
            std::vector<DecisionSpec> result;
            for (const isbn::Decision& decision : isbn::decisions_of(own, tags, words))
                result.push_back(spec_of(decision));
            return result;
        },
        "spans"_a, "tags"_a, "words"_a, "The decisions (action, label, tag, word) that make a tree.");
    m.def(
        "isbn_spans",
        [](const std::vector<DecisionSpec>& specs) { return specs_of(isbn::spans_of(decisions_of_specs(specs))); },
        "decisions"_a, "The constituents (label, begin, end) that decisions make, parents first.");
    m.def("isbn_means", &maximise_means, "choices"_a, "eta"_a, "by_coordinates"_a,
          "The means that maximise the bound, the bound, and how many steps it took.");
}
