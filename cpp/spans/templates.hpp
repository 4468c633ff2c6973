#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "spans/text.hpp"

namespace arbora {

// Where a template looks: at the first or last word of a span, at the first word of the right of its two parts (and at
// neighbours of those), or at the span or one of its parts as a whole.
enum class SpanPlace : std::uint8_t { first, last, split, span, left, right };
inline constexpr std::array<std::string_view, 6> span_place_names{"first", "last", "split", "span", "left", "right"};

// With what a template of rules is joined: the symbol of the parent; that and the symbol of one child, where a word
// that is no constituent has its tag for a symbol; the whole rule.
enum class RuleView : std::uint8_t { parent, left, right, rule };
inline constexpr std::array<std::string_view, 4> rule_view_names{"parent", "left-child", "right-child", "rule"};

// Atoms of a span, and of where it is split, joined to one hash.
struct SpanTemplate {
    struct Reference {
        SpanPlace place;
        int at;  // in the row of the word; or the number of the atom of a run
    };

    std::uint64_t seed;
    std::vector<Reference> references;
    std::vector<RuleView> views;  // of rules only

    // Whether it looks at nothing but one end.
    bool is_of_start() const { return looks_only_at(SpanPlace::first); }
    bool is_of_end() const { return !references.empty() && looks_only_at(SpanPlace::last); }

    std::uint64_t hash(const SpanSentence& sentence, int start, int split, int end) const;

private:
    bool looks_only_at(SpanPlace place) const {
        for (const Reference& reference : references)
            if (reference.place != place) return false;
        return true;
    }
};

// A template as it is written: atoms as (place, offset, name), and the views. Throws std::invalid_argument.
struct SpanTemplateSpec {
    struct Atom {
        std::string_view place;
        int offset;
        std::string_view name;
    };
    std::uint64_t seed;
    std::vector<Atom> atoms;
    std::vector<std::string_view> views;
};
SpanTemplate make_template(const SpanTemplateSpec& spec);

}  // namespace arbora
