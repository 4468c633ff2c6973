// From CoNLL-U to CoNLL-U: the sentences of a text with their trees, and all else byte for byte as it was.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "parsing/parse.hpp"
#include "treebank/rewriting.hpp"

namespace arbora {

// The names of a model's labels, by number, and back.
class LabelNames {
public:
    explicit LabelNames(std::vector<std::string> names);
    LabelNames(const LabelNames&) = delete;  // the numbers look at the names
    LabelNames& operator=(const LabelNames&) = delete;

    std::string_view name(int label) const { return names_[label]; }
    // -1 if there is no such label.
    int number(std::string_view name) const;

private:
    std::vector<std::string> names_;
    std::unordered_map<std::string_view, int> numbers_;
};

struct StreamOptions {
    ParseOptions parse;
    bool constraints = false;  // heads and labels that are not `_` are kept
    int threads = 1;
};

// Parses all sentences that are known to have ended in the text (`final`: nothing follows it), up to the first one
// that cannot be parsed. DEPS is emptied. With probabilities, those of the head and label go to the end of MISC, and
// that of the tree into the last comment; what an earlier parse put there is replaced.
treebank::RewrittenText parse_conllu(const Parser& parser, const LabelNames& labels, std::string_view text,
                                     bool final, const StreamOptions& options);

}  // namespace arbora
