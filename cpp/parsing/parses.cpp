#include "parsing/parses.hpp"

namespace arbora {

const char* code_of(ParseFault fault) {
    switch (fault) {
        case ParseFault::infeasible: return "infeasible";
        case ParseFault::too_long: return "too-long";
    }
    return "unknown";
}

Parses::Parses(const std::vector<int>& lengths, Wanted wanted) {
    for (int length : lengths) starts.push_back(starts.back() + length + 1);
    const std::size_t places = starts.back();
    heads.assign(places, -1);
    labels.assign(places, -1);
    values.assign(lengths.size(), 0);
    upper_bounds.assign(lengths.size(), 0);
    pieces.assign(lengths.size(), 1);
    errors.resize(lengths.size());
    if (wanted.tags) tags.assign(places, -1);
    if (!wanted.probabilities) return;
    head_probabilities.assign(places, 0);
    label_probabilities.assign(places, 0);
    log_probabilities.assign(lengths.size(), 0);
    if (wanted.tags) tag_probabilities.assign(places, 0);
}

ParseRef Parses::place_of(std::size_t sentence) {
    const std::size_t at = starts[sentence];
    ParseRef ref{heads.data() + at, labels.data() + at, nullptr, nullptr, 0};
    if (!head_probabilities.empty()) {
        ref.head_probabilities = head_probabilities.data() + at;
        ref.label_probabilities = label_probabilities.data() + at;
    }
    if (!tags.empty()) ref.tags = tags.data() + at;
    if (!tag_probabilities.empty()) ref.tag_probabilities = tag_probabilities.data() + at;
    return ref;
}

void Parses::keep(std::size_t sentence, const ParseRef& ref) {
    values[sentence] = ref.value;
    upper_bounds[sentence] = ref.upper_bound;
    pieces[sentence] = ref.pieces;
    if (!log_probabilities.empty()) log_probabilities[sentence] = ref.log_probability;
}

}  // namespace arbora
