#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "encoders/subword_models.hpp"

namespace arbora::encoders {
namespace {

constexpr double unknown_penalty = 10;

// The best cut of what is before a place: its score, its last sub-word, and where that begins.
struct Cut {
    double score = 0;
    std::size_t start = 0;
    int id = -1;  // -1: none yet
};
struct UnigramSpace {
    std::vector<Cut> cuts;
    std::vector<int> ids;  // from the last to the first
};

class Unigram : public SubwordModel {
public:
    Unigram(const Vocabulary& vocabulary, std::span<const double> scores, int unknown, bool byte_fallback)
        : trie_(vocabulary.blob, vocabulary.ends), scores_(scores.begin(), scores.end()), unknown_(unknown) {
        if (scores_.size() != vocabulary.ends.size())
            throw std::invalid_argument("there is not a score for each sub-word");
        for (const double score : scores_)
            if (!(std::abs(score) < 1e9)) throw std::invalid_argument("the scores of sub-words are none");
        if (unknown < 0 || static_cast<std::size_t>(unknown) >= scores_.size())
            throw std::invalid_argument("there is no sub-word for what is unknown");
        least_ = *std::min_element(scores_.begin(), scores_.end());
        if (byte_fallback) bytes_.emplace(trie_);
    }
    // best[end] = max over sub-words from start to end of best[start] + score
    void cut(std::u32string_view piece, std::vector<int>& ids) const override {
        thread_local UnigramSpace space;
        std::vector<Cut>& cuts = space.cuts;
        cuts.assign(piece.size() + 1, {});
        for (std::size_t start = 0; start < piece.size(); ++start) {
            const auto propose = [&](std::size_t end, int id, double score) {
                if (cuts[end].id < 0 || cuts[start].score + score > cuts[end].score)
                    cuts[end] = {cuts[start].score + score, start, id};
            };
            bool has_single = false;
            SubwordTrie::Step step{SubwordTrie::root, -1};
            for (std::size_t end = start + 1; end <= piece.size(); ++end) {
                step = trie_.step(step.node, piece[end - 1]);
                if (step.node < 0) break;
                if (step.number < 0) continue;
                propose(end, step.number, scores_[step.number]);
                has_single = has_single || end == start + 1;
            }
            if (!has_single) propose(start + 1, unknown_, least_ - unknown_penalty);
        }
        append_best(piece, space, ids);
    }
    std::size_t size() const override { return scores_.size(); }

private:
    // Unknown ones beside each other are one.
    void append_best(std::u32string_view piece, UnigramSpace& space, std::vector<int>& ids) const {
        const std::vector<Cut>& cuts = space.cuts;
        space.ids.clear();
        for (std::size_t end = piece.size(); end > 0;) {
            std::size_t start = cuts[end].start;
            if (cuts[end].id != unknown_) {
                space.ids.push_back(cuts[end].id);
            } else {
                while (start > 0 && cuts[start].id == unknown_) start = cuts[start].start;
                append_unknown(piece.substr(start, end - start), space.ids);
            }
            end = start;
        }
        ids.insert(ids.end(), space.ids.rbegin(), space.ids.rend());
    }
    void append_unknown(std::u32string_view text, std::vector<int>& ids) const {
        const std::size_t before = ids.size();
        const int whole = trie_.find(text).number;
        if (whole >= 0)
            ids.push_back(whole);
        else if (!bytes_ || !bytes_->append(text, ids))
            ids.push_back(unknown_);
        std::reverse(ids.begin() + static_cast<std::ptrdiff_t>(before), ids.end());
    }

    SubwordTrie trie_;
    std::vector<double> scores_;
    int unknown_;
    double least_;
    std::optional<ByteWords> bytes_;
};

}  // namespace

std::unique_ptr<SubwordModel> make_unigram(const Vocabulary& vocabulary, std::span<const double> scores, int unknown,
                                           bool byte_fallback) {
    return std::make_unique<Unigram>(vocabulary, scores, unknown, byte_fallback);
}

}  // namespace arbora::encoders
