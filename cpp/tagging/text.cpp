#include "tagging/text.hpp"

namespace arbora {

void TagText::add_sentence(std::span<const std::string_view> forms) {
    sentences_.emplace_back().set(forms);
    starts_.push_back(starts_.back() + forms.size());
    for (std::string_view form : forms) {
        forms_ += form;
        form_starts_.push_back(forms_.size());
    }
}

std::vector<std::string_view> TagText::forms(std::size_t sentence) const {
    std::vector<std::string_view> result;
    for (std::size_t word = starts_[sentence]; word < starts_[sentence + 1]; ++word) result.push_back(form(word));
    return result;
}

std::vector<GivenTags> TagText::given(std::size_t sentence) const {
    std::vector<GivenTags> result;
    for (std::size_t word = starts_[sentence]; !given_.empty() && word < starts_[sentence + 1]; ++word)
        result.push_back({given_[word][0], given_[word][1], given_[word][2]});
    return result;
}

std::uint64_t TagText::checksum() const {
    std::uint64_t sum = hash_text(forms_, 1);
    for (std::size_t start : starts_) sum = combine(sum, start);
    for (std::size_t start : form_starts_) sum = combine(sum, start);
    return sum;
}

}  // namespace arbora
