// arbora._core's lattices of labels, as raw numbers.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <climits>
#include <numeric>

#include "bindings.hpp"
#include "checks.hpp"
#include "outcomes.hpp"
#include "tagging/lattice.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace arbora;

using Floats = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Candidates of places by their number, scores in a row; no triples: the places are independent.
Lattice lattice_of(const std::vector<int>& sizes, const Floats& local, const Floats& triples) {
    Lattice lattice;
    for (int size : sizes) {
        expect_between(size, 1, INT_MAX - lattice.starts.back(), "sizes");
        lattice.starts.push_back(lattice.starts.back() + size);
    }
    expect_length(local, lattice.starts.back(), "local");
    lattice.labels.resize(lattice.starts.back());
    std::iota(lattice.labels.begin(), lattice.labels.end(), 0);
    lattice.local.assign(local.data(), local.data() + local.shape(0));
    if (triples.shape(0)) lattice.make_chain();
    expect_length(triples, lattice.triples.size(), "triples");
    std::copy_n(triples.data(), triples.shape(0), lattice.triples.begin());
    return lattice;
}

}  // namespace

void bind_lattices(nb::module_& m) {
    m.def(
        "best_path",
        [](const std::vector<int>& sizes, const Floats& local, const Floats& triples) {
            const Lattice lattice = lattice_of(sizes, local, triples);
            std::vector<int> path(lattice.count());
            const double score = best_path(lattice, path.data());
            return std::make_tuple(path, score);
        },
        "sizes"_a, "local"_a, "triples"_a, "The best candidates, by their number at each place, and their score.");
    m.def(
        "best_paths",
        [](const std::vector<int>& sizes, const Floats& local, const Floats& triples, int k) {
            std::vector<std::tuple<std::vector<int>, double>> result;
            for (const ScoredPath& found : best_paths(lattice_of(sizes, local, triples), k))
                result.emplace_back(found.path, found.score);
            return result;
        },
        "sizes"_a, "local"_a, "triples"_a, "k"_a);
    m.def(
        "sum_paths",
        [](const std::vector<int>& sizes, const Floats& local, const Floats& triples) {
            std::vector<double> candidates, parts;
            const double total = sum_paths(lattice_of(sizes, local, triples), candidates, &parts);
            return nb::make_tuple(total, array_of(candidates), array_of(parts));
        },
        "sizes"_a, "local"_a, "triples"_a,
        nb::sig("def sum_paths(sizes: list[int], local: typing.Any, triples: typing.Any) "
                "-> tuple[float, typing.Any, typing.Any]"),
        "The log-partition, and the probabilities of candidates and of triples.");
    m.def(
        "path_loss",
        [](const std::vector<int>& sizes, const Floats& local, const Floats& triples, const std::vector<int>& gold,
           double beta, double gamma) {
            const Lattice lattice = lattice_of(sizes, local, triples);
            expect_length(gold.size(), sizes.size(), "gold");
            for (int i = 0; i < lattice.count(); ++i) expect_between(gold[i], 0, lattice.size(i) - 1, "gold");
            std::vector<double> candidates, parts;
            const double loss = path_loss(lattice, gold.data(), beta, gamma, candidates, parts);
            return nb::make_tuple(loss, array_of(candidates), array_of(parts));
        },
        "sizes"_a, "local"_a, "triples"_a, "gold"_a, "beta"_a, "gamma"_a,
        nb::sig("def path_loss(sizes: list[int], local: typing.Any, triples: typing.Any, gold: list[int], "
                "beta: float, gamma: float) -> tuple[float, typing.Any, typing.Any]"),
        "The loss, and its gradient by candidates and by triples.");
}
