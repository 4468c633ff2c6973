#include "spans/templates.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace arbora {
namespace {

template <std::size_t size>
std::size_t find_name(const std::array<std::string_view, size>& names, std::string_view name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) throw std::invalid_argument("a template of spans has an unknown name");
    return static_cast<std::size_t>(found - names.begin());
}

}  // namespace

SpanTemplate make_template(const SpanTemplateSpec& spec) {
    SpanTemplate made{mix_bits(spec.seed), {}, {}};
    for (const auto& [place_name, offset, name] : spec.atoms) {
        const auto place = static_cast<SpanPlace>(find_name(span_place_names, place_name));
        const bool is_word = place <= SpanPlace::split;
        if (offset <= -Words::reach || offset >= Words::reach || (offset && !is_word))
            throw std::invalid_argument("there is no such word");
        made.references.push_back({place, is_word ? offset * atom_count + static_cast<int>(atom_named(name))
                                                  : static_cast<int>(find_name(run_atom_names, name))});
    }
    for (std::string_view view : spec.views)
        made.views.push_back(static_cast<RuleView>(find_name(rule_view_names, view)));
    return made;
}

std::uint64_t SpanTemplate::hash(const SpanSentence& sentence, int start, int split, int end) const {
    std::uint64_t value = seed;
    for (const auto [place, at] : references) {
        const auto run = [&, atom = at](int from, int to) {
            return sentence.run(static_cast<RunAtom>(atom), from, to);
        };
        std::uint64_t atom = 0;
        switch (place) {
            case SpanPlace::first: atom = sentence.words().row(start)[at]; break;
            case SpanPlace::last: atom = sentence.words().row(end - 1)[at]; break;
            case SpanPlace::split: atom = sentence.words().row(split)[at]; break;
            case SpanPlace::span: atom = run(start, end); break;
            case SpanPlace::left: atom = run(start, split); break;
            case SpanPlace::right: atom = run(split, end); break;
        }
        value = join_hashes(value, atom);
    }
    return value;
}

}  // namespace arbora
