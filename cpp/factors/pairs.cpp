#include "factors/pairs.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "factors/log_odds.hpp"
#include "semirings/log.hpp"
#include "semirings/max.hpp"

namespace arbora {
namespace {

// What each of the four assignments gives; cells[2 * first + second].
struct Cells {
    Cells(const double* in, double score)
        : cells{if_false(in[0]) + if_false(in[1]), if_false(in[0]) + if_true(in[1]), if_true(in[0]) + if_false(in[1]),
                if_true(in[0]) + if_true(in[1]) + score} {}

    double operator[](int cell) const { return cells[cell]; }

    template <class S>
    double beliefs(double* result) const {
        const double true_first = S::plus(cells[2], cells[3]), false_first = S::plus(cells[0], cells[1]);
        const double value = S::plus(true_first, false_first);
        if (value == -INFINITY) {
            result[0] = result[1] = 0;
            return value;
        }
        result[0] = true_first - false_first;
        result[1] = S::plus(cells[1], cells[3]) - S::plus(cells[0], cells[2]);
        return value;
    }

    double cells[4];
};

double clipped(double x) { return std::clamp(x, 0.0, 1.0); }

// Maximises s min(z, w) - (z - a)^2 / 2 - (w - b)^2 / 2 for s >= 0: the reward goes to the smaller one, and if that
// would overtake the other, they meet.
void project_attracting(double a, double b, double s, double& z, double& w) {
    if (a > b + s) {
        z = clipped(a);
        w = clipped(b + s);
    } else if (b > a + s) {
        z = clipped(a + s);
        w = clipped(b);
    } else {
        z = w = clipped((a + b + s) / 2);
    }
}

// The point of z + w <= 1 nearest to (a, b).
void project_excluding(double a, double b, double& z, double& w) {
    z = clipped(a);
    w = clipped(b);
    if (z + w > 1) {
        z = clipped((a - b + 1) / 2);
        w = 1 - z;
    }
}

}  // namespace

Pairs::Pairs(const Wiring& wiring, std::vector<double> scores)
    : FactorGroup(wiring, std::move(scores), one_part_each(wiring.factors())) {
    if (part_scores().size() != size()) throw std::invalid_argument("there must be one score for each pair");
    for (std::size_t factor = 0; factor < size(); ++factor)
        if (wiring.input_count(factor) != 2 || wiring.is_category(wiring.input_begin(factor)) ||
            wiring.is_category(wiring.input_begin(factor) + 1))
            throw std::invalid_argument("a pair must have two binary variables");
    has_odds_ = PairOdds::suits(part_scores());
}

const PairOdds& Pairs::odds() const {
    std::call_once(made_, [&] { odds_.emplace(wiring(), part_scores()); });
    return *odds_;
}

double Pairs::sum(std::size_t factor, const double* in, double* beliefs, double* parts, Arena&) const {
    const Cells cells(in, part_scores()[factor]);
    const double value = cells.beliefs<LogSemiring>(beliefs);
    if (parts) parts[0] = value == -INFINITY ? 0 : std::exp(cells[3] - value);
    return value;
}

double Pairs::max(std::size_t factor, const double* in, double* beliefs, Arena&) const {
    return Cells(in, part_scores()[factor]).beliefs<MaxSemiring>(beliefs);
}

double Pairs::best(std::size_t factor, const double* in, Configuration& found, Arena&) const {
    const Cells cells(in, part_scores()[factor]);
    const int best = static_cast<int>(std::max_element(cells.cells, cells.cells + 4) - cells.cells);
    found.active.clear();
    found.inner = 0;
    if (cells[best] == -INFINITY) return cells[best];
    if (best & 2) found.active.push_back(0);
    if (best & 1) found.active.push_back(1);
    if (best == 3) found.inner = part_scores()[factor];
    return cells[best];
}

// Martins et al. 2011, "An augmented Lagrangian approach to constrained MAP inference".
bool Pairs::project(std::size_t factor, const double* a, double penalty, double* z, ActiveSet&, Arena&) const {
    const double score = part_scores()[factor] / penalty;
    for (int known = 0; known < 2; ++known) {
        if (!std::isinf(a[known])) continue;
        // What is left is linear in the other one, which is shifted if this one is true.
        const double other = a[1 - known], shift = a[known] > 0 ? score : 0;
        if (other == INFINITY && shift == -INFINITY) return false;
        z[known] = a[known] > 0;
        z[1 - known] = other == INFINITY ? 1 : clipped(other + shift);
        return true;
    }
    if (score == -INFINITY) {
        project_excluding(a[0], a[1], z[0], z[1]);
    } else if (score >= 0) {
        project_attracting(a[0], a[1], score, z[0], z[1]);
    } else {
        // Both true is the first true, and not the second false: a pair that attracts, with the second negated.
        project_attracting(a[0] + score, 1 - a[1], -score, z[0], z[1]);
        z[1] = 1 - z[1];
    }
    return true;
}

void Pairs::polytope(std::size_t factor, TreeRows, Polytope& rows) const {
    const int both = rows.new_column(part_scores()[factor]);
    rows.add_row(-Polytope::unbounded, 0, {{both, 1}, {0, -1}});
    rows.add_row(-Polytope::unbounded, 0, {{both, 1}, {1, -1}});
    rows.add_row(-Polytope::unbounded, 1, {{0, 1}, {1, 1}, {both, -1}});
}

double Pairs::score(std::size_t factor, std::span<const int> active, Arena&) const {
    return active.size() == 2 ? part_scores()[factor] : 0;
}

void Pairs::add_parts(std::size_t, std::span<const int> active, double weight, double* parts, Arena&) const {
    if (active.size() == 2) parts[0] += weight;
}

bool Pairs::propagate(const Totals& totals, double damping, double* messages, Arena& arena) const {
    if (!has_odds_) return FactorGroup::propagate(totals, damping, messages, arena);
    odds().propagate(totals, damping, messages, arena);
    return true;  // no single pair excludes anything
}

double Pairs::sum_all(const Totals& totals, const double* messages, double* parts, Arena& arena) const {
    return has_odds_ ? odds().sum_all(totals, messages, parts, arena) : sum_each(totals, messages, parts, arena);
}

void Pairs::add_messages(const double* messages, Totals& totals) const {
    if (has_odds_)
        odds().add_messages(messages, totals);
    else
        FactorGroup::add_messages(messages, totals);
}

std::shared_ptr<const FactorGroup> Pairs::scaled(double multiplier) const {
    return std::make_shared<Pairs>(wiring(), scaled_scores(multiplier));
}

}  // namespace arbora
