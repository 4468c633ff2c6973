#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "parsing/parse.hpp"

namespace arbora {

// Scores of neighbouring labels below one head, kept for other heads like it: their features see little of a head, often
// its tag alone, so that few tables serve all.
class SiblingTables {
public:
    struct Table {
        std::vector<std::uint32_t> key;
        std::vector<double> scores;  // as LabelChain has them
        std::vector<double> alone;   // of the label of one modifier: after the start and before the end
    };
    // Stays as it is until the next is asked for.
    const Table& find(const Parser& parser, const Prepared& sentence, FirstOrder::Workspace& space, int head);

private:
    std::uint64_t parser_ = 0;
    std::vector<std::uint32_t> key_;
    std::array<Table, 64> tables_;
};

}  // namespace arbora
