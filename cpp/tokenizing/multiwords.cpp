#include "tokenizing/multiwords.hpp"

#include <numeric>

namespace arbora::tokenizing {

namespace {

// Where the last `count` characters begin; npos if there are not more than these.
std::size_t cut_from_end(std::string_view form, int count) {
    std::size_t at = form.size();
    while (count > 0 && at > 0)
        if ((static_cast<unsigned char>(form[--at]) & 0xc0) != 0x80) --count;
    return count > 0 || at == 0 ? std::string_view::npos : at;
}

bool share_out(std::string_view form, const std::vector<int>& lengths, std::vector<std::string>& words) {
    int left = std::accumulate(lengths.begin(), lengths.end(), 0);
    std::size_t begin = cut_from_end(form, left);
    if (begin == std::string_view::npos) return false;
    words.emplace_back(form.substr(0, begin));
    for (const int length : lengths) {
        left -= length;
        const std::size_t end = left ? cut_from_end(form, left) : form.size();
        words.emplace_back(form.substr(begin, end - begin));
        begin = end;
    }
    return true;
}

}  // namespace

void Multiwords::to_lower(std::string_view text, std::string& result) {
    result.assign(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
}

std::string Multiwords::lower(std::string_view text) {
    std::string result;
    to_lower(text, result);
    return result;
}

int Multiwords::find(std::string_view form) const {
    thread_local std::string key;
    to_lower(form, key);
    if (const auto found = forms_.find(std::string_view(key)); found != forms_.end()) return found->second;
    int pattern = -1;
    for (std::size_t at = key.size(); at > 0;) {
        do --at;
        while (at > 0 && (static_cast<unsigned char>(key[at]) & 0xc0) == 0x80);
        const auto found = endings_.find(std::string_view(key).substr(at));
        if (found == endings_.end()) break;
        pattern = found->second;
    }
    return pattern;
}

bool Multiwords::split(std::string_view form, std::vector<std::string>& words) const {
    if (patterns.empty()) return false;
    const int index = find(form);
    if (index < 0) return false;
    const SplitPattern& pattern = patterns[static_cast<std::size_t>(index)];
    words.clear();
    if (!pattern.lengths.empty()) return share_out(form, pattern.lengths, words);
    const std::size_t kept = pattern.cut ? cut_from_end(form, pattern.cut) : form.size();
    const std::string_view stem = kept == std::string_view::npos ? std::string_view() : form.substr(0, kept);
    words.push_back(std::string(stem) + pattern.add);
    if (words.front().empty()) return false;
    words.insert(words.end(), pattern.rest.begin(), pattern.rest.end());
    return true;
}

}  // namespace arbora::tokenizing
