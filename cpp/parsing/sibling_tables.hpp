#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "parsing/first_order.hpp"

namespace arbora {

// Scores of neighbouring labels below one head, kept for other heads like it: their features see little of a head, often
// its tag alone, so that few tables serve all. For one model and one set of weights.
class SiblingTables {
public:
    // As LabelChain has them; stays as it is until the next is asked for.
    const std::vector<double>& find(const FirstOrder& model, ShortWeights weights, const Prepared& sentence,
                                    FirstOrder::Workspace& space, int head);

private:
    struct Table {
        std::vector<std::uint32_t> key;
        std::vector<double> scores;
    };
    std::vector<std::uint32_t> key_;
    std::array<Table, 64> tables_;
};

}  // namespace arbora
