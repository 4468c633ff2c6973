// What parsing found for a batch of sentences: the one result, from which all output is rendered.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "parsing/parse.hpp"

namespace arbora {

// Why a sentence got no tree.
enum class ParseFault : std::uint8_t {
    infeasible,  // no tree fits what is given
};

struct ParseError {
    ParseFault fault;
    std::string reason;
};

// Flat arrays: a sentence of n words has n + 1 places, the root's first, as trees have it everywhere. Arrays of what
// was not asked for are empty.
class Parses {
public:
    struct Wanted {
        bool probabilities = false, tags = false;
    };

    Parses() = default;
    Parses(const std::vector<int>& lengths, Wanted wanted);

    std::size_t sentences() const { return starts.size() - 1; }
    int length(std::size_t sentence) const { return static_cast<int>(starts[sentence + 1] - starts[sentence]) - 1; }

    // Runs parse(ParseRef&) for a sentence and keeps what it says; a sentence that has no tree becomes an error.
    // Different sentences may be run by different threads.
    template <class Parse>
    void run(std::size_t sentence, const Parse& parse) {
        ParseRef ref = place_of(sentence);
        try {
            parse(ref);
        } catch (const Infeasible& error) {
            errors[sentence] = {ParseFault::infeasible, error.what()};
            return;
        }
        keep(sentence, ref);
    }
    // By how much a tree's score may be less than the best; 0 is proved.
    double gap(std::size_t sentence) const {
        return is_certificate(values[sentence], upper_bounds[sentence]) ? 0 : upper_bounds[sentence] - values[sentence];
    }
    // Where it says why there is none, a sentence has no tree.
    bool has_tree(std::size_t sentence) const { return errors[sentence].reason.empty(); }

    std::vector<std::size_t> starts{0};  // of the sentences' places, and where the last ones end
    std::vector<int> heads, labels, tags;
    std::vector<double> head_probabilities, label_probabilities, tag_probabilities;
    // Of sentences: of the tree; its score and a bound that no tree exceeds, where a graph has found it.
    std::vector<double> log_probabilities, values, upper_bounds;
    std::vector<ParseError> errors;  // of sentences; without a reason where there is none

private:
    ParseRef place_of(std::size_t sentence);
    void keep(std::size_t sentence, const ParseRef& ref);
};

}  // namespace arbora
