#include "parsing/candidates.hpp"

#include <algorithm>
#include <cmath>

namespace arbora {

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
        double sum = 0;
        for (int l = 0; l < candidates.labels; ++l) sum += std::exp(row[l] - top);
        arcs[a] = top + std::log(sum);
    }
}

void fill_table(const Candidates& candidates, const std::vector<double>& arcs, std::vector<double>& table) {
    table.assign(static_cast<std::size_t>(candidates.n + 1) * (candidates.n + 1), impossible);
    for (std::size_t a = 0; a < arcs.size(); ++a) table[candidates.cell(a)] = arcs[a];
}

}  // namespace arbora
