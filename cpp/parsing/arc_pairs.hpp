#pragma once
#include <vector>

#include "factors/graph.hpp"

namespace arbora {

// Pairs of arcs with a score, by arc: most factors are such, and need no more than a look at the other arc.
class ArcPairs {
public:
    void add(const FactorGroup& pairs) { groups_.push_back(&pairs); }

    void index(int arcs) {
        begins_.assign(arcs + 1, 0);
        for_ports([&](int arc, int, double) { ++begins_[arc + 1]; });
        for (int a = 0; a < arcs; ++a) begins_[a + 1] += begins_[a];
        others_.resize(begins_.back());
        next_.assign(begins_.begin(), begins_.end() - 1);
        for_ports([&](int arc, int other, double score) { others_[next_[arc]++] = {score, other}; });
    }

    // What the pairs of an arc give with the arcs that are there.
    double of(int arc, const Assignment& assignment) const {
        double total = 0;
        for (int k = begins_[arc]; k < begins_[arc + 1]; ++k)
            if (assignment[others_[k].arc]) total += others_[k].score;
        return total;
    }

private:
    struct Other {
        double score;
        int arc;
    };

    template <class Each>
    void for_ports(Each each) const {
        for (const FactorGroup* group : groups_) {
            const Wiring& wiring = group->wiring();
            for (std::size_t f = 0; f < group->size(); ++f) {
                const int first = wiring.slot(2 * f), second = wiring.slot(2 * f + 1);
                const double score = group->part_scores()[f];
                each(first, second, score);
                each(second, first, score);
            }
        }
    }

    std::vector<const FactorGroup*> groups_;
    std::vector<int> begins_, next_;
    std::vector<Other> others_;
};

}  // namespace arbora
