#include "factors/grand_siblings.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>

#include "factors/bigram_paths.hpp"

namespace arbora {

// A factor's ports are [grandparents | left | right]; each of `tables` grandparents has scores for both sides.
struct GrandSiblings::Shape {
    int grandparents, tables, left, right;
    const double* scores;

    int left_begin() const { return grandparents; }
    int right_begin() const { return grandparents + left; }
    std::size_t left_offset(int g) const { return g * (bigram_count(left) + bigram_count(right)); }
    std::size_t right_offset(int g) const { return left_offset(g) + bigram_count(left); }
};

// The active ports of a configuration, taken apart.
struct GrandSiblings::Choice {
    bool is_possible;
    int g;
    std::span<const int> left, right;
};

namespace {

std::vector<std::size_t> begins_of(const Wiring& wiring, const std::vector<int>& grandparents,
                                   const std::vector<int>& left) {
    if (grandparents.size() != wiring.factors() || left.size() != wiring.factors())
        throw std::invalid_argument("every factor must say how many of its inputs are of which kind");
    std::vector<std::size_t> begins{0};
    for (std::size_t factor = 0; factor < wiring.factors(); ++factor) {
        const int inputs = wiring.port_count(factor);
        if (grandparents[factor] < 0 || left[factor] < 0 || grandparents[factor] > inputs ||
            left[factor] > inputs - grandparents[factor])
            throw std::invalid_argument("a factor has fewer inputs than it says");
        const int right = inputs - grandparents[factor] - left[factor];
        const std::size_t bigrams = bigram_count(left[factor]) + bigram_count(right);
        begins.push_back(begins.back() + std::max(grandparents[factor], 1) * bigrams);
    }
    return begins;
}

// What is said about each g (0 where it is certain, -inf for all others then); -inf for all if two are certain.
double* grandparent_inputs(const double* in, int grandparents, Arena& arena) {
    const auto certain = std::count(in, in + grandparents, INFINITY);
    double* result = arena.take<double>(std::max(grandparents, 1), 0.0);
    for (int g = 0; g < grandparents; ++g) {
        if (certain > 0)
            result[g] = certain == 1 && in[g] == INFINITY ? 0 : -INFINITY;
        else
            result[g] = in[g];
    }
    return result;
}

// The sum of all values but each one.
template <class Semiring>
void sums_without(const double* values, int count, double* result) {
    double before = Semiring::zero;
    for (int i = 0; i < count; ++i) {
        result[i] = before;
        before = Semiring::plus(before, values[i]);
    }
    double after = Semiring::zero;
    for (int i = count - 1; i >= 0; --i) {
        result[i] = Semiring::plus(result[i], after);
        after = Semiring::plus(after, values[i]);
    }
}

}  // namespace

GrandSiblings::GrandSiblings(Wiring wiring, std::vector<int> grandparents, std::vector<int> left,
                             std::vector<double> scores)
    : FactorGroup(wiring, std::move(scores), begins_of(wiring, grandparents, left)),
      grandparents_(std::move(grandparents)),
      left_(std::move(left)) {
    for (std::size_t input = 0; input < wiring.inputs(); ++input)
        if (wiring.is_category(input)) throw std::invalid_argument("arcs must be binary variables");
    if (part_scores().size() != part_begin(size()))
        throw std::invalid_argument("there must be a score for each bigram on both sides of each grandparent");
}

GrandSiblings::Shape GrandSiblings::shape(std::size_t factor) const {
    const int grandparents = grandparents_[factor], left = left_[factor];
    return {grandparents, std::max(grandparents, 1), left, wiring().port_count(factor) - grandparents - left,
            part_scores().data() + part_begin(factor)};
}

template <class Running>
double GrandSiblings::propagate(const Shape& shape, const double* in, double* beliefs, double* parts,
                                Arena& arena) const {
    using Sums = PathSums<Running>;
    const Arena::Frame frame(arena);
    const double* above = grandparent_inputs(in, shape.grandparents, arena);
    const PathInputs left(in + shape.left_begin(), shape.left, arena);
    const PathInputs right(in + shape.right_begin(), shape.right, arena);
    Running total(1, arena), left_with(shape.left, arena), left_without(shape.left, arena);
    Running right_with(shape.right, arena), right_without(shape.right, arena);
    double* totals = arena.take<double>(shape.tables);
    double* others = arena.take<double>(shape.tables);
    Sums* sums = arena.take<Sums>(2 * static_cast<std::size_t>(shape.tables));

    // Given g, the sides have nothing to do with each other.
    for (int g = 0; g < shape.tables; ++g) {
        totals[g] = -INFINITY;
        if (above[g] == -INFINITY) continue;
        const Sums& on_left = *new (sums + 2 * g) Sums(left, shape.scores + shape.left_offset(g), arena);
        const Sums& on_right = *new (sums + 2 * g + 1) Sums(right, shape.scores + shape.right_offset(g), arena);
        totals[g] = above[g] + on_left.total() + on_right.total();
        const double left_factor = above[g] + on_right.total(), right_factor = above[g] + on_left.total();
        left_with.add(on_left.with(), left_factor, 0, shape.left);
        left_without.add(on_left.without(), left_factor, 0, shape.left);
        right_with.add(on_right.with(), right_factor, 0, shape.right);
        right_without.add(on_right.without(), right_factor, 0, shape.right);
        total.add(totals + g, 0, 0, 1);
    }

    const double value = total.value(0);
    if (parts) std::fill_n(parts, shape.left_offset(shape.tables), 0.0);
    if (value == -INFINITY) {
        std::fill_n(beliefs, shape.right_begin() + shape.right, 0.0);
        return value;
    }
    sums_without<typename Running::Semiring>(totals, shape.tables, others);
    for (int g = 0; g < shape.grandparents; ++g) beliefs[g] = totals[g] - others[g];
    for (int i = 0; i < shape.left; ++i) beliefs[shape.left_begin() + i] = left_with.value(i) - left_without.value(i);
    for (int i = 0; i < shape.right; ++i)
        beliefs[shape.right_begin() + i] = right_with.value(i) - right_without.value(i);
    for (int g = 0; parts && g < shape.tables; ++g) {
        if (totals[g] == -INFINITY) continue;
        sums[2 * g].add_bigrams(totals[g] - value - sums[2 * g].total(), parts + shape.left_offset(g));
        sums[2 * g + 1].add_bigrams(totals[g] - value - sums[2 * g + 1].total(), parts + shape.right_offset(g));
    }
    return value;
}

double GrandSiblings::sum(std::size_t factor, const double* in, double* beliefs, double* parts, Arena& arena) const {
    return propagate<RunningLogSums>(shape(factor), in, beliefs, parts, arena);
}

double GrandSiblings::max(std::size_t factor, const double* in, double* beliefs, Arena& arena) const {
    return propagate<RunningMaxima>(shape(factor), in, beliefs, nullptr, arena);
}

double GrandSiblings::best(std::size_t factor, const double* in, Configuration& found, Arena& arena) const {
    const Arena::Frame frame(arena);
    const Shape shape = this->shape(factor);
    const double* above = grandparent_inputs(in, shape.grandparents, arena);
    const PathInputs left(in + shape.left_begin(), shape.left, arena);
    const PathInputs right(in + shape.right_begin(), shape.right, arena);
    int* left_previous = arena.take<int>(shape.left + 2);
    int* right_previous = arena.take<int>(shape.right + 2);
    double highest = -INFINITY;
    int chosen = 0;
    for (int g = 0; g < shape.tables; ++g) {
        if (above[g] == -INFINITY) continue;
        const double value = above[g] + best_path(left, shape.scores + shape.left_offset(g), left_previous, arena) +
                             best_path(right, shape.scores + shape.right_offset(g), right_previous, arena);
        if (value <= highest) continue;
        highest = value;
        chosen = g;
    }
    found.active.clear();
    if (highest == -INFINITY) return highest;
    // Once more for the one that won, which is cheaper than to keep what each did.
    best_path(left, shape.scores + shape.left_offset(chosen), left_previous, arena);
    best_path(right, shape.scores + shape.right_offset(chosen), right_previous, arena);
    if (shape.grandparents > 0) found.active.push_back(chosen);
    append_path(left_previous, shape.left_begin(), shape.left, found.active);
    append_path(right_previous, shape.right_begin(), shape.right, found.active);
    found.inner = score(factor, found.active, arena);
    return highest;
}

void GrandSiblings::polytope(std::size_t factor, TreeRows, Polytope& rows) const {
    const Shape shape = this->shape(factor);
    std::vector<std::vector<Polytope::Term>> left(shape.left), right(shape.right);
    std::vector<Polytope::Term> grandparents;
    for (int g = 0; g < shape.tables; ++g) {
        const Polytope::Term amount{g, -1};
        const Polytope::Term* flow = shape.grandparents > 0 ? &amount : nullptr;
        add_path_rows(shape.scores + shape.left_offset(g), shape.left, flow, rows, left);
        add_path_rows(shape.scores + shape.right_offset(g), shape.right, flow, rows, right);
        grandparents.push_back({g, 1});
    }
    if (shape.grandparents > 0) rows.add_row(1, 1, grandparents);
    add_port_rows(shape.left_begin(), left, rows);
    add_port_rows(shape.right_begin(), right, rows);
}

GrandSiblings::Choice GrandSiblings::choice(const Shape& shape, std::span<const int> active) {
    const auto left = std::lower_bound(active.begin(), active.end(), shape.left_begin());
    const auto right = std::lower_bound(left, active.end(), shape.right_begin());
    const bool is_possible = left - active.begin() == (shape.grandparents > 0);
    const int g = is_possible && shape.grandparents > 0 ? active[0] : 0;
    return {is_possible, g, {left, right}, {right, active.end()}};
}

double GrandSiblings::score(std::size_t factor, std::span<const int> active, Arena&) const {
    const Shape shape = this->shape(factor);
    const Choice choice = this->choice(shape, active);
    if (!choice.is_possible) return -INFINITY;
    return path_score(choice.left, shape.left_begin(), shape.left, shape.scores + shape.left_offset(choice.g)) +
           path_score(choice.right, shape.right_begin(), shape.right, shape.scores + shape.right_offset(choice.g));
}

void GrandSiblings::add_parts(std::size_t factor, std::span<const int> active, double weight, double* parts,
                              Arena&) const {
    const Shape shape = this->shape(factor);
    const Choice choice = this->choice(shape, active);
    double* left = parts + shape.left_offset(choice.g);
    double* right = parts + shape.right_offset(choice.g);
    for_bigrams(choice.left, shape.left_begin(), shape.left,
                [&](int from, int to) { left[bigram(from, to)] += weight; });
    for_bigrams(choice.right, shape.right_begin(), shape.right,
                [&](int from, int to) { right[bigram(from, to)] += weight; });
}

std::shared_ptr<const FactorGroup> GrandSiblings::scaled(double multiplier) const {
    return std::make_shared<GrandSiblings>(wiring(), grandparents_, left_, scaled_scores(multiplier));
}

}  // namespace arbora
