// arbora._core's functions of the valence model. Each takes two lists of float64 arrays, all contiguous: `arcs` of shape
// (n+1, n+1) and `valences` of shape (n+1, 2, 2, 2).
#include "charts/valences.hpp"

#include <algorithm>
#include <stdexcept>

#include "arrays.hpp"
#include "bindings.hpp"
#include "checks.hpp"
#include "score_batches.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace arbora;

struct ValenceBatch {
    std::vector<ValenceScores> sentences;

    ValenceBatch(const ScoreList& arcs, const ScoreList& valences) {
        const std::size_t count = arcs.size();
        if (valences.size() != count) throw InvalidScores("a batch must have as many arrays of valences as of arcs");
        sentences.reserve(count);
        for (std::size_t i = 0; i < count; ++i) {
            const Buffer<const double> a(arcs[i]), v(valences[i]);
            if (a.ndim != 2 || a.shape[0] != a.shape[1] || a.size == 0)
                throw InvalidScores(sentence_place(i, count) + "arcs must have the shape (n+1, n+1), not " +
                                    shape_of(arcs[i]));
            if (v.ndim != 4 || v.shape[0] != a.shape[0] || v.shape[1] != 2 || v.shape[2] != 2 || v.shape[3] != 2)
                throw InvalidScores(sentence_place(i, count) + "valences must have the shape (" +
                                    std::to_string(a.shape[0]) + ", 2, 2, 2), not " + shape_of(valences[i]));
            sentences.push_back({a.data, v.data, static_cast<int>(a.shape[0]) - 1});
        }
    }

    std::size_t size() const { return sentences.size(); }
};

// Where results go: an array of the given size for each sentence.
template <class Size>
std::vector<double*> places_of(const ScoreList& arrays, const ValenceBatch& batch, Size size) {
    std::vector<double*> places;
    for (nb::handle item : arrays) {
        const Buffer<double> array(item);
        expect_place(places.size(), batch.size(), "results");
        expect_length(array.size, size(batch.sentences[places.size()]), "results");
        places.push_back(array.data);
    }
    expect_length(places.size(), batch.size(), "results");
    return places;
}

// (heads, scores) with a row per tree.
using ValenceTrees = nb::typed<nb::list, nb::typed<nb::tuple, nb::ndarray<nb::numpy, int, nb::ndim<2>>,
                                                   nb::ndarray<nb::numpy, double, nb::ndim<1>>>>;

template <class Find>
ValenceTrees valence_trees_each(const ScoreList& arcs, const ScoreList& valences, int threads, Find find) {
    const ValenceBatch batch(arcs, valences);
    std::vector<std::vector<ValenceTree>> found(batch.size());
    for_each_sentence(batch.size(), threads, [&](std::size_t i) { found[i] = find(batch.sentences[i], i); });
    ValenceTrees result;
    for (std::size_t i = 0; i < batch.size(); ++i) {
        int* heads;
        double* scores;
        const std::size_t k = found[i].size(), width = batch.sentences[i].n + 1;
        auto all_heads = new_array<int, 2>({k, width}, heads);
        auto all_scores = new_array<double, 1>({k}, scores);
        for (const ValenceTree& tree : found[i]) {
            heads = std::copy(tree.heads.begin(), tree.heads.end(), heads);
            *scores++ = tree.score;
        }
        result.append(nb::make_tuple(std::move(all_heads), std::move(all_scores)));
    }
    return result;
}

}  // namespace

void bind_valences(nb::module_& m) {
    m.def(
        "valence_log_partition",
        [](const ScoreList& arcs, const ScoreList& valences, bool single_root, int threads) {
            const ValenceBatch batch(arcs, valences);
            std::vector<double> values(batch.size());
            for_each_sentence(batch.size(), threads, [&](std::size_t i) {
                values[i] = valence_log_partition(batch.sentences[i], single_root);
            });
            return as_list(values);
        },
        "arcs"_a, "valences"_a, "single_root"_a, "threads"_a);

    // Expectations and log-partitions, or of the best trees alone their counts and scores.
    m.def(
        "valence_expectations",
        [](const ScoreList& arcs, const ScoreList& valences, const ScoreList& arc_results,
           const ScoreList& valence_results, bool single_root, int threads, bool best) {
            const ValenceBatch batch(arcs, valences);
            const auto arc_places = places_of(
                arc_results, batch, [](ValenceScores s) { return static_cast<std::size_t>(s.n + 1) * (s.n + 1); });
            const auto valence_places = places_of(
                valence_results, batch, [](ValenceScores s) { return static_cast<std::size_t>(s.n + 1) * 8; });
            const auto find = best ? best_valence_counts : valence_expectations;
            std::vector<double> values(batch.size());
            for_each_sentence(batch.size(), threads, [&](std::size_t i) {
                values[i] = find(batch.sentences[i], single_root, arc_places[i], valence_places[i]);
            });
            return as_list(values);
        },
        "arcs"_a, "valences"_a, "arc_results"_a, "valence_results"_a, "single_root"_a, "threads"_a, "best"_a);

    m.def(
        "valence_kbest",
        [](const ScoreList& arcs, const ScoreList& valences, bool single_root, int threads, int k) {
            return valence_trees_each(arcs, valences, threads, [=](ValenceScores sentence, std::size_t) {
                return best_valence_trees(sentence, single_root, k);
            });
        },
        "arcs"_a, "valences"_a, "single_root"_a, "threads"_a, "k"_a);

    m.def(
        "valence_sample",
        [](const ScoreList& arcs, const ScoreList& valences, bool single_root, int threads, int count,
           std::uint64_t seed) {
            return valence_trees_each(arcs, valences, threads, [=](ValenceScores sentence, std::size_t i) {
                Random random(seed, i);
                return sample_valence_trees(sentence, single_root, count, random);
            });
        },
        "arcs"_a, "valences"_a, "single_root"_a, "threads"_a, "count"_a, "seed"_a);
}
