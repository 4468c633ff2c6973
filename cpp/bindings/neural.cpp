// arbora._core's neural parsers.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <climits>
#include <cmath>

#include "arrays.hpp"
#include "batches.hpp"
#include "bindings.hpp"
#include "checks.hpp"
#include "encoders.hpp"
#include "interruption.hpp"
#include "neural/neural_scorer.hpp"
#include "neural/tagging.hpp"
#include "outcomes.hpp"
#include "scoring.hpp"
#include "support/parallel.hpp"
#include "tensors.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace arbora;
using namespace arbora::neural;

constexpr std::ptrdiff_t widest_head = 1 << 12;

// A model with what it looks at.
struct BoundNeural {
    nb::object subwords, encoder;
    std::shared_ptr<const TagNames> names;  // null: there are no tags
    NeuralModel model;
};

encoders::Dense head_of(Tensors& tensors, const char* name, std::size_t out, std::size_t in,
                        const encoders::Kernels& kernels) {
    return encoders::Dense(tensors.dense(name, out, in), kernels);
}

using RowSpec = std::array<int, 3>;

std::shared_ptr<const TagNames> names_of(const std::vector<std::string>& upos, const std::vector<std::string>& xpos,
                                         const std::vector<std::string>& feats, const std::vector<RowSpec>& rows) {
    TagNames names{upos, {}, {}, {}};
    for (const auto& [u, x, f] : rows) {
        expect_place(static_cast<std::size_t>(u), upos.size(), "upos");
        expect_place(static_cast<std::size_t>(x), xpos.size(), "xpos");
        expect_place(static_cast<std::size_t>(f), feats.size(), "feats");
        names.xpos.push_back(xpos[static_cast<std::size_t>(x)]);
        names.feats.push_back(feats[static_cast<std::size_t>(f)]);
        names.morph_upos.push_back(u);
    }
    return std::make_shared<const TagNames>(std::move(names));
}

void make_neural(BoundNeural* self, nb::object subwords, int begin, int end, nb::object encoder, nb::dict given,
                 std::ptrdiff_t arc_size, std::ptrdiff_t label_size, std::ptrdiff_t labels,
                 const std::vector<std::string>& upos, const std::vector<std::string>& xpos,
                 const std::vector<std::string>& feats, const std::vector<RowSpec>& rows, double tree_scale,
                 double label_scale, int root_label, bool root_label_alone) {
    const auto& own_subwords = nb::cast<const encoders::Subwords&>(subwords);
    const encoders::Encoder& own_encoder = nb::cast<const BoundEncoder&>(encoder).encoder;
    const auto vocabulary = static_cast<std::ptrdiff_t>(own_encoder.shape().vocabulary);
    expect_between(own_subwords.size(), 1, vocabulary, "size of the sub-words");
    expect_between(begin, 0, vocabulary - 1, "begin");
    expect_between(end, 0, vocabulary - 1, "end");
    expect_between(arc_size, 1, widest_head, "arc_size");
    expect_between(label_size, 1, widest_head, "label_size");
    expect_between(labels, 1, INT_MAX, "labels");
    expect_between(root_label, -1, labels - 1, "root_label");
    if (own_encoder.shape().longest() < 4) throw nb::value_error("the encoder takes no sentence of two words");
    if (own_encoder.shapes() != 0) expect_between(own_encoder.shapes(), shape_count, shape_count, "shapes of words");
    for (double scale : {tree_scale, label_scale})
        if (!(std::isfinite(scale) && scale > 0)) throw nb::value_error("scales: they are not above 0");
    const encoders::Kernels& kernels = own_encoder.kernels();
    const std::size_t hidden = own_encoder.shape().hidden;
    const auto a = static_cast<std::size_t>(arc_size), b = static_cast<std::size_t>(label_size);
    Tensors tensors(std::move(given));
    ArcHeads arcs{head_of(tensors, "vectors", 2 * a + 2 * b, hidden, kernels),
                  head_of(tensors, "bilinear", a + 1, a, kernels),
                  head_of(tensors, "labels", static_cast<std::size_t>(labels), 3 * b, kernels),
                  static_cast<int>(arc_size), static_cast<int>(label_size)};
    std::optional<TagHeads> tags;
    std::shared_ptr<const TagNames> names;
    if (!rows.empty()) {
        expect_between(rows.size(), 1, USHRT_MAX, "rows");
        names = names_of(upos, xpos, feats, rows);
        const auto first_xpos = static_cast<int>(upos.size()), first_feats = static_cast<int>(first_xpos + xpos.size());
        tags.emplace(TagHeads{head_of(tensors, "tags", upos.size() + xpos.size() + feats.size(), hidden, kernels), {}});
        for (const auto& [u, x, f] : rows) tags->rows.push_back({u, first_xpos + x, first_feats + f});
    }
    new (self) BoundNeural{subwords, encoder, std::move(names),
                           NeuralModel{&own_subwords,
                                       {begin, end},
                                       &own_encoder,
                                       std::move(arcs),
                                       std::move(tags),
                                       tree_scale,
                                       label_scale,
                                       root_label,
                                       root_label >= 0 && root_label_alone}};
}

std::unique_ptr<NeuralScorer> read_batch(const BoundNeural& self, const treebank::Batch& batch, int threads) {
    const Unlocked unlocked;
    std::vector<std::vector<std::string_view>> forms;
    for (const treebank::AnnotatedSentence& sentence : batch.sentences) {
        forms.emplace_back();
        for (const treebank::Row& row : sentence.block.words) forms.back().push_back(row[1]);
    }
    return std::make_unique<NeuralScorer>(self.model, read_states(self.model, forms, threads));
}

void tag_batch(const BoundNeural& self, const NeuralScorer& scorer, treebank::Batch& batch, bool keep, int threads) {
    if (!self.model.tags) throw nb::value_error("this model has no tags");
    if (&scorer.model() != &self.model) throw nb::value_error("scorer: it is of another model");
    expect_length(scorer.sentences(), batch.sentences.size(), "sentences");
    for (std::size_t i = 0; i < scorer.sentences(); ++i)
        expect_length(batch.sentences[i].words(), scorer.length(i), "words of a sentence");
    const Unlocked unlocked;
    tag(self.model, self.names, scorer.states(), keep, threads, batch);
}

// (n + 1) x (n + 1), by head and modifier.
auto arc_table(const NeuralScorer& scorer, std::size_t sentence) {
    expect_place(sentence, scorer.sentences(), "sentence");
    const std::size_t width = scorer.length(sentence) + std::size_t{1};
    double* table = nullptr;
    auto result = new_array<double, 2>({width, width}, table);
    std::fill_n(table, width * width, impossible);
    if (width == 1) return result;
    const auto own = scorer.begin(sentence);
    Candidates candidates;
    candidates.n = scorer.length(sentence);
    candidates.arcs = own->choose({}, {}, nullptr);
    own->score(nullptr, candidates);
    for (std::size_t a = 0; a < candidates.arcs.size(); ++a) table[candidates.cell(a)] = candidates.scores[a];
    return result;
}

// Flat: ids and shapes of sub-words, where each sentence ends in them; and where words begin, n + 1 for each sentence.
nb::tuple sequences(const encoders::Subwords& subwords, int begin, int end,
                    const std::vector<std::vector<std::string>>& sentences, int threads) {
    std::vector<Sequence> found(sentences.size());
    {
        const Unlocked unlocked;
        parallel_for(sentences.size(), threads, [&](std::size_t i) {
            const std::vector<std::string_view> forms(sentences[i].begin(), sentences[i].end());
            read_sequence(subwords, {begin, end}, forms, found[i]);
        });
    }
    std::vector<std::int32_t> ids;
    std::vector<std::uint8_t> shapes;
    std::vector<std::int64_t> ends, firsts;
    for (const Sequence& own : found) {
        ids.insert(ids.end(), own.ids.begin(), own.ids.end());
        shapes.insert(shapes.end(), own.shapes.begin(), own.shapes.end());
        firsts.insert(firsts.end(), own.firsts.begin(), own.firsts.end());
        ends.push_back(static_cast<std::int64_t>(ids.size()));
    }
    return nb::make_tuple(array_of(ids), array_of(shapes), array_of(ends), array_of(firsts));
}

}  // namespace

void bind_neural(nb::module_& m) {
    m.attr("word_shapes") = shape_count;
    m.def(
        "neural_sequences", &sequences, "subwords"_a, "begin"_a, "end"_a, "sentences"_a, "threads"_a,
        "What an encoder reads of sentences: ids and shapes of sub-words, where each sentence ends in them, and where "
        "its root and its words begin.");
    nb::class_<NeuralScorer, Scorer>(m, "NeuralScorer", "The scores of a batch by a neural model.")
        .def("arcs", &arc_table, "sentence"_a, "Of all arcs of one sentence, (n+1) x (n+1), by head and modifier.");
    nb::class_<BoundNeural>(m, "NeuralModel", "An encoder with heads for arcs, labels and tags.")
        .def("__init__", &make_neural, "subwords"_a, "begin"_a, "end"_a, "encoder"_a, "tensors"_a, nb::kw_only(),
             "arc_size"_a, "label_size"_a, "labels"_a, "upos"_a, "xpos"_a, "feats"_a, "rows"_a, "tree_scale"_a,
             "label_scale"_a, "root_label"_a, "root_label_alone"_a)
        .def("read", &read_batch, "batch"_a, "threads"_a, nb::keep_alive<0, 1>(),
             "The scores of the sentences of a batch.")
        .def("tag", &tag_batch, "scorer"_a, "batch"_a, "keep"_a, "threads"_a,
             "Words get tags; with `keep`, where they have none.");
}
