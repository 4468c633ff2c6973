// arbora._core's tree functions. Each takes a list of float64 arrays, all contiguous, of shape (n+1, n+1) or
// (n+1, n+1, labels), and answers in flat arrays over the whole batch.
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "support/parallel.hpp"
#include "trees/operations.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace arbora;
using Scores = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
template <class T>
using Vector = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
using Table = nb::ndarray<nb::numpy, T, nb::ndim<2>>;

// A numpy array that owns fresh memory; rows is 1 for vectors.
template <class Array, class T>
Array new_array(std::initializer_list<std::size_t> shape, T*& data) {
    std::size_t size = 1;
    for (std::size_t extent : shape) size *= extent;
    data = new T[size];
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return Array(data, shape, owner);
}

struct Batch {
    std::vector<SentenceScores> sentences;
    std::vector<std::size_t> token_offsets, score_offsets;  // one more than sentences
    bool labelled = false;

    explicit Batch(const nb::list& arrays) {
        token_offsets.push_back(0);
        score_offsets.push_back(0);
        for (nb::handle item : arrays) {
            const auto array = nb::cast<Scores>(item);
            const int labels = array.ndim() == 3 ? static_cast<int>(array.shape(2)) : 0;
            sentences.push_back({array.data(), static_cast<int>(array.shape(0)) - 1, labels});
            labelled |= labels > 0;
            token_offsets.push_back(token_offsets.back() + array.shape(0));
            score_offsets.push_back(score_offsets.back() + sentences.back().size());
        }
    }

    std::size_t size() const { return sentences.size(); }

    // task(i) for every sentence, without the GIL; errors say which sentence it was.
    template <class Task>
    void for_each(int threads, Task task) const {
        nb::gil_scoped_release release;
        parallel_for(size(), threads, [&](std::size_t i) {
            try {
                task(i);
            } catch (const Infeasible& error) {
                throw Infeasible(place(i) + error.what());
            } catch (const InvalidScores& error) {
                throw InvalidScores(place(i) + error.what());
            }
        });
    }

private:
    std::string place(std::size_t i) const {
        return size() == 1 ? "" : "sentence " + std::to_string(i) + " of the batch: ";
    }
};

// Heads, labels (or None) and scores of one tree per sentence.
template <class Find>
nb::tuple one_tree_each(const nb::list& arrays, int threads, Find find) {
    const Batch batch(arrays);
    int *heads, *labels = nullptr;
    double* values;
    auto all_heads = new_array<Vector<int>>({batch.token_offsets.back()}, heads);
    nb::object all_labels = nb::none();
    if (batch.labelled) all_labels = nb::cast(new_array<Vector<int>>({batch.token_offsets.back()}, labels));
    auto all_values = new_array<Vector<double>>({batch.size()}, values);
    batch.for_each(threads, [&](std::size_t i) {
        const std::size_t offset = batch.token_offsets[i];
        TreeRef tree{heads + offset, batch.sentences[i].labels ? labels + offset : nullptr, 0};
        find(batch.sentences[i], tree);
        values[i] = tree.score;
    });
    return nb::make_tuple(std::move(all_heads), std::move(all_labels), std::move(all_values));
}

template <class Find>
Vector<double> one_value_each(const nb::list& arrays, int threads, Find find) {
    const Batch batch(arrays);
    double* values;
    auto result = new_array<Vector<double>>({batch.size()}, values);
    batch.for_each(threads, [&](std::size_t i) { values[i] = find(batch.sentences[i]); });
    return result;
}

// (heads, labels or None, scores) with a row per tree.
nb::tuple stack(const std::vector<LabelledTree>& trees, int n, bool labelled) {
    int *heads, *labels;
    double* scores;
    const std::size_t k = trees.size(), width = n + 1;
    auto all_heads = new_array<Table<int>>({k, width}, heads);
    auto all_scores = new_array<Vector<double>>({k}, scores);
    nb::object all_labels = nb::none();
    if (labelled) all_labels = nb::cast(new_array<Table<int>>({k, width}, labels));
    for (std::size_t i = 0; i < k; ++i) {
        std::copy(trees[i].heads.begin(), trees[i].heads.end(), heads + i * width);
        if (labelled) std::copy(trees[i].labels.begin(), trees[i].labels.end(), labels + i * width);
        scores[i] = trees[i].score;
    }
    return nb::make_tuple(std::move(all_heads), std::move(all_labels), std::move(all_scores));
}

template <class Find>
nb::list many_trees_each(const nb::list& arrays, int threads, Find find) {
    const Batch batch(arrays);
    std::vector<std::vector<LabelledTree>> found(batch.size());
    batch.for_each(threads, [&](std::size_t i) { found[i] = find(batch.sentences[i], i); });
    nb::list result;
    for (std::size_t i = 0; i < batch.size(); ++i)
        result.append(stack(found[i], batch.sentences[i].n, batch.sentences[i].labels > 0));
    return result;
}

}  // namespace

void bind_trees(nb::module_& m) {
    nb::exception<Infeasible>(m, "Infeasible", PyExc_ValueError);
    nb::exception<InvalidScores>(m, "InvalidScores", PyExc_ValueError);

    m.def("mst", [](const nb::list& scores, bool single_root, bool projective, int threads) {
        return one_tree_each(scores, threads, [=](SentenceScores sentence, TreeRef& tree) {
            find_best(sentence, {single_root, projective}, tree);
        });
    }, "scores"_a, "single_root"_a, "projective"_a, "threads"_a);

    m.def("mbr", [](const nb::list& scores, bool single_root, bool projective, int threads, bool labelled) {
        return one_tree_each(scores, threads, [=](SentenceScores sentence, TreeRef& tree) {
            find_least_risk(sentence, {single_root, projective}, labelled, tree);
        });
    }, "scores"_a, "single_root"_a, "projective"_a, "threads"_a, "labelled"_a);

    m.def("log_partition", [](const nb::list& scores, bool single_root, bool projective, int threads) {
        return one_value_each(scores, threads, [=](SentenceScores sentence) {
            return find_log_partition(sentence, {single_root, projective});
        });
    }, "scores"_a, "single_root"_a, "projective"_a, "threads"_a);

    m.def("entropy", [](const nb::list& scores, bool single_root, bool projective, int threads) {
        return one_value_each(scores, threads, [=](SentenceScores sentence) {
            return find_entropy(sentence, {single_root, projective});
        });
    }, "scores"_a, "single_root"_a, "projective"_a, "threads"_a);

    m.def("marginals", [](const nb::list& scores, bool single_root, bool projective, int threads, bool complement) {
        const Batch batch(scores);
        double* values;
        auto result = new_array<Vector<double>>({batch.score_offsets.back()}, values);
        batch.for_each(threads, [&](std::size_t i) {
            find_marginals(batch.sentences[i], {single_root, projective}, complement,
                           values + batch.score_offsets[i]);
        });
        return result;
    }, "scores"_a, "single_root"_a, "projective"_a, "threads"_a, "complement"_a);

    m.def("kbest", [](const nb::list& scores, bool single_root, bool projective, int threads, int k) {
        return many_trees_each(scores, threads, [=](SentenceScores sentence, std::size_t) {
            return find_kbest(sentence, {single_root, projective}, k);
        });
    }, "scores"_a, "single_root"_a, "projective"_a, "threads"_a, "k"_a);

    m.def("sample", [](const nb::list& scores, bool single_root, bool projective, int threads, int count,
                       std::uint64_t seed) {
        return many_trees_each(scores, threads, [=](SentenceScores sentence, std::size_t i) {
            return draw_samples(sentence, {single_root, projective}, count, seed, i);
        });
    }, "scores"_a, "single_root"_a, "projective"_a, "threads"_a, "count"_a, "seed"_a);
}
