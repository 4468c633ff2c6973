#include "factors/child_sequences.hpp"

#include <algorithm>
#include <stdexcept>

#include "factors/bigram_paths.hpp"

namespace arbora {

namespace {

std::vector<std::size_t> bigram_begins(const Wiring& wiring) {
    std::vector<std::size_t> begins{0};
    for (std::size_t factor = 0; factor < wiring.factors(); ++factor)
        begins.push_back(begins.back() + bigram_count(wiring.port_count(factor)));
    return begins;
}

template <class Running>
double propagate_path(const double* scores, const double* in, int modifiers, double* beliefs, double* parts,
                      Arena& arena) {
    const Arena::Frame frame(arena);
    const PathInputs inputs(in, modifiers, arena);
    const PathSums<Running> sums(inputs, scores, arena);
    if (parts) std::fill_n(parts, bigram_count(modifiers), 0.0);
    if (sums.total() == -INFINITY) {
        std::fill_n(beliefs, modifiers, 0.0);
        return -INFINITY;
    }
    for (int i = 0; i < modifiers; ++i) beliefs[i] = sums.with()[i] - sums.without()[i];
    if (parts) sums.add_bigrams(-sums.total(), parts);
    return sums.total();
}

}  // namespace

ChildSequences::ChildSequences(Wiring wiring, std::vector<double> scores)
    : FactorGroup(wiring, std::move(scores), bigram_begins(wiring)) {
    for (std::size_t input = 0; input < wiring.inputs(); ++input)
        if (wiring.is_category(input)) throw std::invalid_argument("modifiers must be binary variables");
    if (part_scores().size() != part_begin(size()))
        throw std::invalid_argument("there must be (p + 1)(p + 2) / 2 scores for p modifiers");
}

double ChildSequences::sum(std::size_t factor, const double* in, double* beliefs, double* parts, Arena& arena) const {
    return propagate_path<RunningLogSums>(scores(factor), in, wiring().port_count(factor), beliefs, parts, arena);
}

double ChildSequences::max(std::size_t factor, const double* in, double* beliefs, Arena& arena) const {
    return propagate_path<RunningMaxima>(scores(factor), in, wiring().port_count(factor), beliefs, nullptr, arena);
}

double ChildSequences::best(std::size_t factor, const double* in, Configuration& found, Arena& arena) const {
    const Arena::Frame frame(arena);
    const int modifiers = wiring().port_count(factor);
    const PathInputs inputs(in, modifiers, arena);
    int* previous = arena.take<int>(modifiers + 2);
    const double value = best_path(inputs, scores(factor), previous, arena);
    found.active.clear();
    if (value == -INFINITY) return value;
    append_path(previous, 0, modifiers, found.active);
    found.inner = path_score(found.active, 0, modifiers, scores(factor));
    return value;
}

void ChildSequences::polytope(std::size_t factor, TreeRows, Polytope& rows) const {
    const int modifiers = wiring().port_count(factor);
    std::vector<std::vector<Polytope::Term>> taken(modifiers);
    add_path_rows(scores(factor), modifiers, nullptr, rows, taken);
    add_port_rows(0, taken, rows);
}

double ChildSequences::score(std::size_t factor, std::span<const int> active, Arena&) const {
    return path_score(active, 0, wiring().port_count(factor), scores(factor));
}

void ChildSequences::add_parts(std::size_t factor, std::span<const int> active, double weight, double* parts,
                               Arena&) const {
    for_bigrams(active, 0, wiring().port_count(factor), [&](int from, int to) { parts[bigram(from, to)] += weight; });
}

std::shared_ptr<const FactorGroup> ChildSequences::scaled(double multiplier) const {
    return std::make_shared<ChildSequences>(wiring(), scaled_scores(multiplier));
}

}  // namespace arbora
