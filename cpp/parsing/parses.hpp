// What parsing found for a batch of sentences: the one result, from which all output is rendered.
#pragma once
#include <cstddef>
#include <new>
#include <string>
#include <vector>

#include "parsing/parse.hpp"
#include "trees/feasibility.hpp"

namespace arbora {

// Why a sentence got no tree.
enum class ParseFault : std::uint8_t {
    infeasible,  // no tree fits what is given
    too_long,    // it has more words than there is room for
};

// The name of a fault, for programs.
const char* code_of(ParseFault fault);

struct ParseError {
    ParseFault fault = ParseFault::infeasible;
    std::string reason = {};
    int token = 0;  // the one that is the reason, if it is one
};

// Runs call() for a sentence of n words: why it got nothing, or no reason.
template <class Call>
ParseError fault_of(int n, const Call& call) {
    try {
        call();
        return {};
    } catch (const InfeasibleToken& error) {
        return {ParseFault::infeasible, error.what(), error.token};
    } catch (const Infeasible& error) {
        return {ParseFault::infeasible, error.what()};
    } catch (const TooLong& error) {
        return {ParseFault::too_long, error.what()};
    } catch (const std::bad_alloc&) {
        return {ParseFault::too_long, "there is not enough memory for its " + std::to_string(n) + " words"};
    }
}

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
        errors[sentence] = fault_of(length(sentence), [&] { parse(ref); });
        if (has_tree(sentence)) keep(sentence, ref);
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
    std::vector<int> pieces;         // of sentences: in how many they were parsed
    std::vector<ParseError> errors;  // of sentences; without a reason where there is none

private:
    ParseRef place_of(std::size_t sentence);
    void keep(std::size_t sentence, const ParseRef& ref);
};

}  // namespace arbora
