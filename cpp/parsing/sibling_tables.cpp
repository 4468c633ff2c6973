#include "parsing/sibling_tables.hpp"

namespace arbora {

const std::vector<double>& SiblingTables::find(const FirstOrder& model, ShortWeights weights, const Prepared& sentence,
                                               FirstOrder::Workspace& space, int head) {
    model.labeler().sibling_key(sentence, head, key_);
    std::uint32_t hash = 0;
    for (std::uint32_t each : key_) hash = (hash ^ each) * 0x9e3779b1u;
    Table& table = tables_[hash >> 26];
    if (table.scores.empty() || table.key != key_) {
        table.key = key_;
        model.score_siblings(sentence, weights, space, head, table.scores);
    }
    return table.scores;
}

}  // namespace arbora
