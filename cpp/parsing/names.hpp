#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace arbora {

// The names of a model's labels or tags, by number, and back.
class Names {
public:
    explicit Names(std::vector<std::string> names) : names_(std::move(names)) {
        for (std::size_t i = 0; i < names_.size(); ++i) numbers_.insert_or_assign(names_[i], static_cast<int>(i));
    }
    Names(const Names&) = delete;  // the numbers look at the names
    Names& operator=(const Names&) = delete;

    int count() const { return static_cast<int>(names_.size()); }
    std::string_view name(int number) const { return names_[number]; }
    // -1 if there is no such name.
    int number(std::string_view name) const {
        const auto found = numbers_.find(name);
        return found == numbers_.end() ? -1 : found->second;
    }

private:
    std::vector<std::string> names_;
    std::unordered_map<std::string_view, int> numbers_;
};

}  // namespace arbora
