#include "parsing/candidate_tags.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "treebank/rewriting.hpp"

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

}  // namespace

std::string_view read_candidates(const Names& tags, std::string_view upos, std::string_view misc,
                                 std::vector<WordTag>& found) {
    found.clear();
    std::string_view first, rest = item_of(misc, treebank::candidates_key);
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(';'), rest.size());
        const std::string_view item = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        const std::size_t colon = item.rfind(':');
        if (colon == item.npos) continue;
        const std::string_view name = item.substr(0, colon), number = item.substr(colon + 1);
        double probability = 0;
        const auto read = std::from_chars(number.data(), number.data() + number.size(), probability);
        const int tag = tags.number(name);
        const auto is_same = [&](const WordTag& other) { return other.tag == tag; };
        if (read.ec != std::errc() || read.ptr != number.data() + number.size() || tag < 0 ||
            !(probability >= 0 && probability <= 1) || std::any_of(found.begin(), found.end(), is_same))
            continue;
        if (found.empty()) first = name;
        found.push_back({tag, std::log(std::max(probability, least_probability))});
    }
    if (!found.empty()) return first;
    if (const int tag = tags.number(upos); tag >= 0) found.push_back({tag, 0});
    return upos;
}

}  // namespace arbora
