#include "parsing/candidates.hpp"

#include <algorithm>
#include <cmath>

#include "support/lanes.hpp"
#include "support/vectorise.hpp"

namespace arbora {
namespace {

ARBORA_VECTORISED double sum_of_exponentials(const double* scores, int count, double top) {
    Lanes total{};
    int l = 0;
    for (; l + lane_count <= count; l += lane_count) total += exp_bounded(load(scores + l) - top);
    if (l < count) total += exp_bounded(load_some(scores + l, count - l) - top);
    return sum_of_lanes(total);
}

}  // namespace

std::size_t Candidates::find(int head, int modifier) const {
    const auto before = [](const Arc& a, const Arc& b) {
        return a.modifier != b.modifier ? a.modifier < b.modifier : a.head < b.head;
    };
    const Arc wanted{head, modifier};
    const auto found = std::lower_bound(arcs.begin(), arcs.end(), wanted, before);
    return found != arcs.end() && *found == wanted ? static_cast<std::size_t>(found - arcs.begin()) : arcs.size();
}

void collapse(const Candidates& candidates, Collapse how, std::vector<double>& arcs) {
    if (!candidates.labels) {
        arcs = candidates.scores;
        return;
    }
    arcs.resize(candidates.arcs.size());
    for (std::size_t a = 0; a < arcs.size(); ++a) {
        const double* row = candidates.scores.data() + a * candidates.labels;
        const double top = *std::max_element(row, row + candidates.labels);
        arcs[a] = top;
        if (how == Collapse::best || top == impossible) continue;
        arcs[a] = top + std::log(sum_of_exponentials(row, candidates.labels, top));
    }
}

void fill_table(const Candidates& candidates, const std::vector<double>& arcs, std::vector<double>& table) {
    table.assign(static_cast<std::size_t>(candidates.n + 1) * (candidates.n + 1), impossible);
    for (std::size_t a = 0; a < arcs.size(); ++a) table[candidates.cell(a)] = arcs[a];
}

}  // namespace arbora
