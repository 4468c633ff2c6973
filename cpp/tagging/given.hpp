// Tags that are given beforehand: which labels of a tagger's stages agree with them.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace arbora {

// What the labels of the stages are called in a file.
struct TagNames {
    std::vector<std::string> upos, xpos, feats;  // of the first stage's labels; of the second's
    std::vector<int> morph_upos;                 // the number of the UPOS tag that each of the second's goes with
};

// The tags that a word has already; `_` is one that it has not.
struct GivenTags {
    std::string_view upos = "_", xpos = "_", feats = "_";
};

// Labels that alone are candidates, in rising order; a word for which there are none has its usual candidates.
class WantedLabels {
public:
    void clear() { starts_.assign(1, 0), labels_.clear(); }
    void add_word(std::span<const std::uint16_t> labels) {
        labels_.insert(labels_.end(), labels.begin(), labels.end());
        starts_.push_back(labels_.size());
    }
    std::span<const std::uint16_t> of(int word) const {
        const auto i = static_cast<std::size_t>(word);
        return {labels_.data() + starts_[i], starts_[i + 1] - starts_[i]};
    }

private:
    std::vector<std::size_t> starts_{0};
    std::vector<std::uint16_t> labels_;
};

// The labels of a tagger by their names, which must outlive it.
class LabelsByName {
public:
    explicit LabelsByName(const TagNames& names);

    // UPOS tags that agree with a word's: its own; or, if it has none, or one that the tagger does not know, those that go
    // with its XPOS and FEATS. None if nothing is given, or nothing that the tagger knows.
    void find_upos(const GivenTags& given, std::vector<std::uint16_t>& found) const;
    // Pairs of XPOS and FEATS that agree with a word's, whose UPOS tag was found to be this one. Where none has both, XPOS
    // counts; where none goes with the UPOS tag, any other one does.
    void find_morph(const GivenTags& given, int upos, std::vector<std::uint16_t>& found) const;

private:
    using Lists = std::map<std::string_view, std::vector<std::uint16_t>>;

    void find_matches(const GivenTags& given, std::vector<std::uint16_t>& found) const;

    const TagNames& names_;
    std::map<std::string_view, std::uint16_t> upos_;
    Lists by_xpos_, by_feats_;
};

}  // namespace arbora
