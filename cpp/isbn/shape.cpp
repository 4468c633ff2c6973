#include "isbn/shape.hpp"

#include <algorithm>
#include <stdexcept>

namespace arbora::isbn {

int Shape::values(Attribute attribute) const {
    switch (attribute) {
        case Attribute::label: return 1 + symbols();
        case Attribute::decision: return 1 + action_count + labels;
        default: return 1 + words();
    }
}

void Shape::lay_out() {
    if (width < 1 || labels < 1 || tags < 1 || longest_chain < 1) throw std::invalid_argument("a size is not positive");
    if (width > most_width || labels > most_labels || tags > most_tags)
        throw std::invalid_argument("a size is too large");
    if (word_begins.size() != static_cast<std::size_t>(tags) + 1 || word_begins[0] != 0)
        throw std::invalid_argument("every tag needs its words");
    for (int tag = 0; tag < tags; ++tag)
        if (word_begins[tag + 1] <= word_begins[tag]) throw std::invalid_argument("a tag has no words");
    input_begins_.assign(1, state_weights_at(static_cast<int>(state_relations.size())));
    for (const InputRelation& relation : input_relations)
        input_begins_.push_back(input_begins_.back() + static_cast<std::size_t>(values(relation.attribute)) * width);
}

}  // namespace arbora::isbn
