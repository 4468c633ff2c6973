#include "charts/projective_siblings.hpp"

#include <algorithm>
#include <stdexcept>

#include "charts/algorithms.hpp"
#include "charts/kbest.hpp"
#include "semirings/log.hpp"
#include "semirings/max.hpp"

namespace arbora {
namespace {

// Heads from the parts among the leaves of a derivation.
struct SiblingHeadReader {
    const SiblingChart& chart;
    int* heads;
    void operator()(int item) const {
        if (!chart.is_part(item)) return;
        if (const int arc = chart.arc_of(item); arc >= 0) heads[chart.modifier(arc)] = chart.head(arc);
    }
};

}  // namespace

void ProjectiveSiblings::set_scores(std::span<const double> arcs, std::span<const double> parts) {
    if (std::ssize(arcs) != chart_.arc_count() || std::ssize(parts) != chart_.part_count())
        throw std::invalid_argument("there must be a score for each arc and for each part");
    leaves_.assign(parts.begin(), parts.end());
    for (int part = 0; part < chart_.part_count(); ++part)
        if (const int arc = chart_.arc_of(part); arc >= 0) leaves_[part] += arcs[arc];
    best_values_.resize(chart_.item_count());
    chart_.set_leaves<MaxSemiring>(leaves_.data(), best_values_.data());
    inside<MaxSemiring>(chart_, best_values_.data());
}

void ProjectiveSiblings::best_tree(int* heads) const {
    heads[0] = -1;
    best_derivation(chart_, best_values_.data(), SiblingHeadReader{chart_, heads});
}

std::vector<ScoredTree> ProjectiveSiblings::best_trees(int k) const {
    auto leaf_score = [this](int item, int rank) { return rank == 0 ? best_values_[item] : impossible; };
    KBest kbest(chart_, best_values_.data(), leaf_score);
    std::vector<ScoredTree> trees;
    for (int rank = 0; rank < k && kbest.has(rank); ++rank) {
        ScoredTree tree{Heads(chart_.words() + 1, -1), 0};
        const SiblingHeadReader read{chart_, tree.heads.data()};
        kbest.walk(rank, [&](int item, int) {
            read(item);
            if (chart_.is_part(item)) tree.score += leaves_[item];
        });
        trees.push_back(std::move(tree));
    }
    // What was added up in another order differs by rounding.
    std::stable_sort(trees.begin(), trees.end(),
                     [](const ScoredTree& a, const ScoredTree& b) { return a.score > b.score; });
    return trees;
}

// On scores less those of the best tree. A tree has one part that goes to each word, and one that goes to END on each
// side, so the scores of all that go there change by the same; the best tree's become 0, logarithms of sums stay near 0
// where it matters, and scores of 1e6 lose no digits. Returns what the best tree's were together.
double ProjectiveSiblings::run_sums() {
    shifts_.assign(chart_.choice_count(), 0.0);
    double total = 0;
    best_derivation(chart_, best_values_.data(), [this, &total](int item) {
        if (!chart_.is_part(item)) return;
        shifts_[chart_.choice(item)] = leaves_[item];
        total += leaves_[item];
    });
    shifted_.resize(leaves_.size());
    for (int part = 0; part < chart_.part_count(); ++part)
        shifted_[part] = leaves_[part] - shifts_[chart_.choice(part)];
    sums_.resize(chart_.item_count());
    chart_.set_leaves<LogSemiring>(shifted_.data(), sums_.data());
    inside<LogSemiring>(chart_, sums_.data());
    return total;
}

double ProjectiveSiblings::sum(double* arcs, double* parts) {
    const double shift = run_sums();
    const double log_partition = shift + sums_[chart_.goal()];
    if (!arcs && !parts) return log_partition;
    probabilities_.resize(chart_.item_count());
    posteriors(chart_, sums_.data(), probabilities_.data());
    if (arcs) {
        std::fill_n(arcs, chart_.arc_count(), 0.0);
        for (int part = 0; part < chart_.part_count(); ++part)
            if (const int arc = chart_.arc_of(part); arc >= 0) arcs[arc] += probabilities_[part];
        for (int arc = 0; arc < chart_.arc_count(); ++arc) arcs[arc] = std::min(arcs[arc], 1.0);
    }
    for (int part = 0; parts && part < chart_.part_count(); ++part) parts[part] = std::min(probabilities_[part], 1.0);
    return log_partition;
}

double ProjectiveSiblings::entropy() {
    run_sums();
    probabilities_.resize(chart_.item_count());
    posteriors(chart_, sums_.data(), probabilities_.data());
    return derivation_entropy(chart_, sums_.data(), probabilities_.data());
}

std::vector<Heads> ProjectiveSiblings::samples(int count, Random& random) {
    run_sums();
    std::vector<Heads> trees(count, Heads(chart_.words() + 1, -1));
    for (Heads& heads : trees) sample_derivation(chart_, sums_.data(), random, SiblingHeadReader{chart_, heads.data()});
    return trees;
}

}  // namespace arbora
