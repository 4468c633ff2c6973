#include "tagging/given.hpp"

#include <algorithm>
#include <iterator>

namespace arbora {

LabelsByName::LabelsByName(const TagNames& names) : names_(names) {
    for (std::size_t tag = 0; tag < names.upos.size(); ++tag) upos_.emplace(names.upos[tag], tag);
    for (std::size_t label = 0; label < names.xpos.size(); ++label) {
        by_xpos_[names.xpos[label]].push_back(static_cast<std::uint16_t>(label));
        by_feats_[names.feats[label]].push_back(static_cast<std::uint16_t>(label));
    }
}

void LabelsByName::find_matches(const GivenTags& given, std::vector<std::uint16_t>& found) const {
    found.clear();
    const auto labels_of = [](const Lists& lists, std::string_view name) -> std::span<const std::uint16_t> {
        const auto at = name == "_" ? lists.end() : lists.find(name);
        if (at == lists.end()) return {};
        return at->second;
    };
    const auto xpos = labels_of(by_xpos_, given.xpos), feats = labels_of(by_feats_, given.feats);
    std::set_intersection(xpos.begin(), xpos.end(), feats.begin(), feats.end(), std::back_inserter(found));
    if (!found.empty()) return;
    const auto one = xpos.empty() ? feats : xpos;
    found.assign(one.begin(), one.end());
}

void LabelsByName::find_upos(const GivenTags& given, std::vector<std::uint16_t>& found) const {
    if (const auto own = upos_.find(given.upos); given.upos != "_" && own != upos_.end())
        return found.assign(1, own->second);
    find_matches(given, found);
    for (std::uint16_t& label : found) label = static_cast<std::uint16_t>(names_.morph_upos[label]);
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
}

void LabelsByName::find_morph(const GivenTags& given, int upos, std::vector<std::uint16_t>& found) const {
    find_matches(given, found);
    const auto is_other = [&](std::uint16_t label) { return names_.morph_upos[label] != upos; };
    if (!std::all_of(found.begin(), found.end(), is_other)) std::erase_if(found, is_other);
}

}  // namespace arbora
