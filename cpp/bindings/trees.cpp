// arbora._core's tree functions. Each takes a list of float64 arrays, all contiguous, of shape (n+1, n+1) or
// (n+1, n+1, labels). Trees of a whole batch share flat arrays that the caller gives.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "checks.hpp"
#include "score_batches.hpp"
#include "trees/operations.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace arbora;
using Integers = nb::typed<nb::object, nb::ndarray<nb::numpy, int, nb::ndim<1>>>;

struct ScoreBatch {
    std::vector<SentenceScores> sentences;

    explicit ScoreBatch(const ScoreList& arrays) {
        sentences.reserve(arrays.size());
        for (nb::handle item : arrays) {
            const Buffer<const double> array(item);
            const bool labelled = array.ndim == 3;
            if ((array.ndim != 2 && !labelled) || array.shape[0] != array.shape[1] || array.size == 0)
                throw InvalidScores(sentence_place(sentences.size(), arrays.size()) +
                                    "scores must have the shape (n+1, n+1) or (n+1, n+1, labels), not " +
                                    shape_of(item));
            sentences.push_back({array.data, static_cast<int>(array.shape[0]) - 1, static_cast<int>(array.shape[2])});
            if (labelled != (sentences[0].labels > 0))
                throw InvalidScores("a batch must be labelled in all of its sentences or in none");
        }
    }

    std::size_t size() const { return sentences.size(); }

    template <class Task>
    void for_each(int threads, Task task) const {
        for_each_sentence(size(), threads, task);
    }
};

// Raises one of Arbora's own errors. They are looked up when needed: the module itself loads without the package.
void raise(const char* name, const char* message) {
    PyErr_SetString(nb::module_::import_("arbora.errors").attr(name).ptr(), message);
}

// One tree per sentence into the flat arrays `heads` and `labels`; returns the scores.
template <class Find>
Values one_tree_each(const ScoreList& arrays, const Integers& heads_array, const std::optional<Integers>& labels_array,
                     int threads, Find find) {
    const ScoreBatch batch(arrays);
    const Buffer<int> heads(heads_array), labels(labels_array ? *labels_array : heads_array);
    std::vector<std::size_t> offsets;
    offsets.reserve(batch.size() + 1);
    offsets.push_back(0);
    for (const SentenceScores& sentence : batch.sentences) offsets.push_back(offsets.back() + sentence.n + 1);
    expect_length(heads.size, offsets.back(), "heads");
    expect_length(labels.size, offsets.back(), "labels");
    std::vector<double> values(batch.size());
    batch.for_each(threads, [&](std::size_t i) {
        TreeRef tree{heads.data + offsets[i], labels_array ? labels.data + offsets[i] : nullptr, 0};
        find(batch.sentences[i], tree);
        values[i] = tree.score;
    });
    return as_list(values);
}

template <class Find>
Values one_value_each(const ScoreList& arrays, int threads, Find find) {
    const ScoreBatch batch(arrays);
    std::vector<double> values(batch.size());
    batch.for_each(threads, [&](std::size_t i) { values[i] = find(batch.sentences[i]); });
    return as_list(values);
}

// (heads, labels or None, scores) with a row per tree.
using IntegerTable = nb::ndarray<nb::numpy, int, nb::ndim<2>>;
using TreeStack =
    nb::typed<nb::tuple, IntegerTable, std::optional<IntegerTable>, nb::ndarray<nb::numpy, double, nb::ndim<1>>>;
using TreeStacks = nb::typed<nb::list, TreeStack>;

nb::tuple stack(const std::vector<LabelledTree>& trees, int n, bool labelled) {
    int *heads, *labels = nullptr;
    double* scores;
    const std::size_t k = trees.size(), width = n + 1;
    auto all_heads = new_array<int, 2>({k, width}, heads);
    auto all_scores = new_array<double, 1>({k}, scores);
    nb::object all_labels = nb::none();
    if (labelled) all_labels = nb::cast(new_array<int, 2>({k, width}, labels));
    for (std::size_t i = 0; i < k; ++i) {
        std::copy(trees[i].heads.begin(), trees[i].heads.end(), heads + i * width);
        if (labelled) std::copy(trees[i].labels.begin(), trees[i].labels.end(), labels + i * width);
        scores[i] = trees[i].score;
    }
    return nb::make_tuple(std::move(all_heads), std::move(all_labels), std::move(all_scores));
}

template <class Find>
TreeStacks many_trees_each(const ScoreList& arrays, int threads, Find find) {
    const ScoreBatch batch(arrays);
    std::vector<std::vector<LabelledTree>> found(batch.size());
    batch.for_each(threads, [&](std::size_t i) { found[i] = find(batch.sentences[i], i); });
    TreeStacks result;
    for (std::size_t i = 0; i < batch.size(); ++i)
        result.append(stack(found[i], batch.sentences[i].n, batch.sentences[i].labels > 0));
    return result;
}

}  // namespace

void bind_trees(nb::module_& m) {
    nb::register_exception_translator([](const std::exception_ptr& error, void*) {
        try {
            std::rethrow_exception(error);
        } catch (const Infeasible& e) {
            raise("InfeasibleTreeError", e.what());
        } catch (const InvalidScores& e) {
            raise("InvalidScoresError", e.what());
        } catch (const TooLong& e) {
            raise("TooLongError", e.what());
        } catch (const std::bad_alloc&) {
            raise("TooLongError", "there is not enough memory for so much at once");
        }
    });

    m.def(
        "mst",
        [](const ScoreList& scores, const Integers& heads, const std::optional<Integers>& labels, bool single_root,
           bool projective, int threads) {
            return one_tree_each(scores, heads, labels, threads, [=](SentenceScores sentence, TreeRef& tree) {
                find_best(sentence, {single_root, projective}, tree);
            });
        },
        "scores"_a, "heads"_a, "labels"_a.none(), "single_root"_a, "projective"_a, "threads"_a);

    m.def(
        "mbr",
        [](const ScoreList& scores, const Integers& heads, const std::optional<Integers>& labels, bool single_root,
           bool projective, int threads, bool labelled) {
            return one_tree_each(scores, heads, labels, threads, [=](SentenceScores sentence, TreeRef& tree) {
                find_least_risk(sentence, {single_root, projective}, labelled, tree);
            });
        },
        "scores"_a, "heads"_a, "labels"_a.none(), "single_root"_a, "projective"_a, "threads"_a, "labelled"_a);

    m.def(
        "log_partition",
        [](const ScoreList& scores, bool single_root, bool projective, int threads) {
            return one_value_each(scores, threads, [=](SentenceScores sentence) {
                return find_log_partition(sentence, {single_root, projective});
            });
        },
        "scores"_a, "single_root"_a, "projective"_a, "threads"_a);

    m.def(
        "entropy",
        [](const ScoreList& scores, bool single_root, bool projective, int threads) {
            return one_value_each(scores, threads, [=](SentenceScores sentence) {
                return find_entropy(sentence, {single_root, projective});
            });
        },
        "scores"_a, "single_root"_a, "projective"_a, "threads"_a);

    m.def(
        "marginals",
        [](const ScoreList& scores, const ScoreList& results, bool single_root, bool projective, int threads,
           bool complement) {
            const ScoreBatch batch(scores);
            std::vector<double> totals(batch.size());
            std::vector<double*> places;
            for (nb::handle result : results) {
                const Buffer<double> array(result);
                expect_place(places.size(), batch.size(), "results");
                expect_length(array.size, batch.sentences[places.size()].size(), "results");
                places.push_back(array.data);
            }
            expect_length(places.size(), batch.size(), "results");
            batch.for_each(threads, [&](std::size_t i) {
                totals[i] = find_marginals(batch.sentences[i], {single_root, projective}, complement, places[i]);
            });
            return as_list(totals);
        },
        "scores"_a, "results"_a, "single_root"_a, "projective"_a, "threads"_a, "complement"_a);

    m.def(
        "kbest",
        [](const ScoreList& scores, bool single_root, bool projective, int threads, int k) {
            return many_trees_each(scores, threads, [=](SentenceScores sentence, std::size_t) {
                return find_kbest(sentence, {single_root, projective}, k);
            });
        },
        "scores"_a, "single_root"_a, "projective"_a, "threads"_a, "k"_a);

    m.def(
        "sample",
        [](const ScoreList& scores, bool single_root, bool projective, int threads, int count, std::uint64_t seed) {
            return many_trees_each(scores, threads, [=](SentenceScores sentence, std::size_t i) {
                return draw_samples(sentence, {single_root, projective}, count, seed, i);
            });
        },
        "scores"_a, "single_root"_a, "projective"_a, "threads"_a, "count"_a, "seed"_a);
}
