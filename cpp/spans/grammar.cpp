#include "spans/grammar.hpp"

#include <algorithm>
#include <climits>
#include <stdexcept>

#include "linear/hashing.hpp"

namespace arbora {

SpanGrammar::SpanGrammar(const std::vector<std::string>& names, std::vector<std::vector<int>> chains, int complete,
                         bool grows_right)
    : chains_(std::move(chains)), complete_(complete), grows_right_(grows_right) {
    if (names.size() != chains_.size() || complete < 1 || complete >= symbols())
        throw std::invalid_argument("every symbol needs a chain of labels, and one of them must be a constituent");
    for (int s = 0; s < symbols(); ++s) {
        const std::vector<int>& own = chains_[s];
        if (own.empty() != (s == word) || (is_intermediate(s) && own.size() != 1))
            throw std::invalid_argument("some symbol has a wrong number of labels");
        for (int label : own) {
            if (label < 0 || label == INT_MAX) throw std::invalid_argument("there is no such label");
            labels_ = std::max(labels_, label + 1);
        }
        hashes_.push_back(hash_text(names[s], name_seed("symbol")));
    }
    intermediates_.assign(chains_.size(), -1);
    for (int s = 1; s < symbols(); ++s)
        for (int other = complete_ + 1; other < symbols(); ++other)
            if (chains_[other].back() == chains_[s].back()) intermediates_[s] = other;
}

}  // namespace arbora
