// arbora._core's tree functions. Each takes a list of float64 arrays, all contiguous, of shape (n+1, n+1) or
// (n+1, n+1, labels). Trees of a whole batch share flat arrays that the caller gives.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "support/parallel.hpp"
#include "trees/operations.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace arbora;
// How the arrays look to a type checker.
using ScoreList = nb::typed<nb::list, nb::ndarray<nb::numpy, double>>;
using Integers = nb::typed<nb::object, nb::ndarray<nb::numpy, int, nb::ndim<1>>>;
using Values = nb::typed<nb::list, double>;

// What the buffer protocol tells of an array; about 0.1 us less for each than with nanobind's ndarray, which is felt
// with small sentences. The caller keeps the array alive.
template <class T>
struct Buffer {
    T* data;
    std::size_t ndim, size, shape[3];

    explicit Buffer(nb::handle array) {
        constexpr bool writable = !std::is_const_v<T>;
        Py_buffer view;
        if (PyObject_GetBuffer(array.ptr(), &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0)))
            nb::raise_python_error();
        constexpr char code = std::is_same_v<std::remove_const_t<T>, double> ? 'd' : 'i';
        const bool fits = view.itemsize == sizeof(T) && view.format[0] == code && !view.format[1];
        data = static_cast<T*>(view.buf);
        ndim = view.ndim;
        size = view.len / sizeof(T);
        for (std::size_t i = 0; i < 3; ++i) shape[i] = i < ndim ? view.shape[i] : 0;
        PyBuffer_Release(&view);
        if (!fits) throw nb::type_error("an array of another type than the core works on");
    }
};

struct ScoreBatch {
    std::vector<SentenceScores> sentences;

    explicit ScoreBatch(const ScoreList& arrays) {
        sentences.reserve(arrays.size());
        for (nb::handle item : arrays) {
            const Buffer<const double> array(item);
            const bool labelled = array.ndim == 3;
            if ((array.ndim != 2 && !labelled) || array.shape[0] != array.shape[1] || array.size == 0)
                throw InvalidScores(place(sentences.size(), arrays.size()) +
                                    "scores must have the shape (n+1, n+1) or (n+1, n+1, labels), not " +
                                    nb::str(nb::object(item.attr("shape"))).c_str());
            sentences.push_back({array.data, static_cast<int>(array.shape[0]) - 1, static_cast<int>(array.shape[2])});
            if (labelled != (sentences[0].labels > 0))
                throw InvalidScores("a batch must be labelled in all of its sentences or in none");
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
                throw Infeasible(place(i, size()) + error.what());
            } catch (const InvalidScores& error) {
                throw InvalidScores(place(i, size()) + error.what());
            }
        });
    }

private:
    static std::string place(std::size_t i, std::size_t size) {
        return size == 1 ? "" : "sentence " + std::to_string(i) + " of the batch: ";
    }
};

// Raises one of Arbora's own errors. They are looked up when needed: the module itself loads without the package.
void raise(const char* name, const char* message) {
    PyErr_SetString(nb::module_::import_("arbora.errors").attr(name).ptr(), message);
}

Values as_list(const std::vector<double>& values) {
    Values result;
    for (double value : values) result.append(value);
    return result;
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
    if (heads.size < offsets.back() || labels.size < offsets.back())
        throw std::length_error("too small a place for the trees");
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
            std::vector<double*> places;
            for (nb::handle result : results) {
                const Buffer<double> array(result);
                if (places.size() >= batch.size() || array.size != batch.sentences[places.size()].size())
                    throw std::length_error("too small a place for the marginals");
                places.push_back(array.data);
            }
            batch.for_each(threads, [&](std::size_t i) {
                find_marginals(batch.sentences[i], {single_root, projective}, complement, places[i]);
            });
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
