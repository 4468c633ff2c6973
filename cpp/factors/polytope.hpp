#pragma once
#include <cmath>
#include <initializer_list>
#include <limits>
#include <utility>
#include <vector>

namespace arbora {

// How the spanning trees of a graph are described by linear rows.
enum class TreeRows {
    multi_commodity,   // a flow from the root to every word: exactly the convex hull of the trees
    single_commodity,  // one flow that leaves a unit at every word: looser, and smaller
    heads_only,        // one head a word (and one root): cuts are added where a solution violates them
};

// Linear rows over the ports of one factor and auxiliary columns of its own, all of which lie in [0, 1]. If the kind
// says so (FactorGroup::polytope), they describe the convex hull of its configurations.
struct Polytope {
    // A column is a port (counted from 0 within the factor), or an auxiliary one as `new_column` gave it.
    using Term = std::pair<int, double>;

    explicit Polytope(int ports) : ports_(ports) {}

    // An auxiliary column with its weight in the objective; it can only be 0 where that is -inf.
    int new_column(double score = 0) {
        scores.push_back(std::isinf(score) ? 0 : score);
        highest.push_back(std::isinf(score) ? 0 : 1);
        return ports_ + static_cast<int>(scores.size()) - 1;
    }

    // low <= sum of terms <= high.
    template <class Terms>
    void add_row(double low, double high, const Terms& terms) {
        for (const auto& [column, value] : terms) {
            columns.push_back(column);
            values.push_back(value);
        }
        starts.push_back(static_cast<int>(columns.size()));
        lows.push_back(low);
        highs.push_back(high);
    }
    void add_row(double low, double high, std::initializer_list<Term> terms) {
        add_row<std::initializer_list<Term>>(low, high, terms);
    }

    static constexpr double unbounded = std::numeric_limits<double>::infinity();

    std::vector<double> scores, highest;  // of auxiliary columns
    std::vector<int> starts{0}, columns;
    std::vector<double> values, lows, highs;

private:
    int ports_;
};

}  // namespace arbora
