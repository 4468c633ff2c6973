#include "parsing/sibling_tables.hpp"

namespace arbora {

const SiblingTables::Table& SiblingTables::find(const Parser& parser, const Prepared& sentence,
                                                FirstOrder::Workspace& space, int head) {
    if (parser_ != parser.serial)
        for (Table& table : tables_) table.scores.clear();
    parser_ = parser.serial;
    parser.model.labeler().sibling_key(sentence, head, key_);
    std::uint32_t hash = 0;
    for (std::uint32_t each : key_) hash = (hash ^ each) * 0x9e3779b1u;
    Table& table = tables_[hash >> 26];
    if (!table.scores.empty() && table.key == key_) return table;
    table.key = key_;
    parser.model.score_siblings(sentence, parser.weights, space, head, table.scores);
    const int labels = parser.model.labels(), states = labels + 1;
    table.alone.resize(labels);
    for (int l = 0; l < labels; ++l)
        table.alone[l] = table.scores[static_cast<std::size_t>(labels) * states + l] +
                         table.scores[static_cast<std::size_t>(l) * states + labels];
    return table;
}

}  // namespace arbora
