#include "parsing/candidate_tags.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "treebank/rendering.hpp"

namespace arbora {
namespace {

// What is less probable is so in the fourth decimal, where it says nothing more.
constexpr double least_probability = 1e-4;

// The value of a key in MISC; empty if it is not there.
std::string_view item_of(std::string_view misc, std::string_view key) {
    while (!misc.empty()) {
        const std::size_t bar = std::min(misc.find('|'), misc.size());
        const std::string_view item = misc.substr(0, bar);
        if (item.size() > key.size() && item.starts_with(key) && item[key.size()] == '=')
            return item.substr(key.size() + 1);
        misc.remove_prefix(std::min(bar + 1, misc.size()));
    }
    return {};
}

// Lists a tag, unless it is there or none of the parser's.
void add_tag(const Names& tags, std::string_view name, double probability, std::vector<WordTag>& found) {
    const int tag = tags.number(name);
    const auto is_same = [&](const WordTag& other) { return other.tag == tag; };
    if (tag < 0 || !(probability >= 0 && probability <= 1) || std::any_of(found.begin(), found.end(), is_same)) return;
    found.push_back({tag, std::log(std::max(probability, least_probability))});
}

// What features see as the UPOS of a word; without a list, it is the only tag.
std::string_view first_tag(const Names& tags, std::string_view upos, std::vector<WordTag>& found) {
    if (!found.empty()) return tags.name(found.front().tag);
    if (const int tag = tags.number(upos); tag >= 0) found.push_back({tag, 0});
    return upos;
}

}  // namespace

std::string_view take_candidates(const Names& tags, std::string_view upos,
                                 const std::vector<treebank::TagCandidate>& listed, std::vector<WordTag>& found) {
    found.clear();
    for (const treebank::TagCandidate& each : listed) add_tag(tags, each.tag, each.probability, found);
    return first_tag(tags, upos, found);
}

std::string_view read_candidates(const Names& tags, std::string_view upos, std::string_view misc,
                                 std::vector<WordTag>& found) {
    found.clear();
    std::string_view rest = item_of(misc, treebank::candidates_key);
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(';'), rest.size());
        const std::string_view item = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        const std::size_t colon = item.rfind(':');
        if (colon == item.npos) continue;
        const std::string_view number = item.substr(colon + 1);
        double probability = 0;
        const auto read = std::from_chars(number.data(), number.data() + number.size(), probability);
        if (read.ec != std::errc() || read.ptr != number.data() + number.size()) continue;
        add_tag(tags, item.substr(0, colon), probability, found);
    }
    return first_tag(tags, upos, found);
}

}  // namespace arbora
