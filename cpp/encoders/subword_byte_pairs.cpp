#include <algorithm>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "encoders/subword_models.hpp"

namespace arbora::encoders {
namespace {

// Pairs of sub-words, their ranks, and what they are together: open addressing, half full at most.
class Merges {
public:
    struct Merge {
        int rank = -1, both = -1;
    };
    Merges(std::span<const std::int32_t> merges, std::size_t words) {
        if (merges.size() % 3 || merges.size() > 0x7fffffff) throw std::invalid_argument("the merges are not whole");
        std::size_t size = 16;
        for (shift_ = 60; size < merges.size(); size *= 2) --shift_;
        slots_.resize(size);
        for (std::size_t k = 0; k < merges.size(); ++k)
            if (merges[k] < 0 || static_cast<std::size_t>(merges[k]) >= words)
                throw std::invalid_argument("the merges have a sub-word that is none");
        for (std::size_t k = 0; k < merges.size(); k += 3) {
            const std::uint64_t key = key_of(merges[k], merges[k + 1]);
            slots_[place(key)] = {key, {static_cast<int>(k / 3), merges[k + 2]}};  // the later of two alike counts
        }
    }
    Merge find(int left, int right) const { return slots_[place(key_of(left, right))].merge; }

private:
    struct Slot {
        std::uint64_t key = 0;  // 0: a free one
        Merge merge;
    };
    static std::uint64_t key_of(int left, int right) {
        return (static_cast<std::uint64_t>(left) + 1) << 32 | static_cast<std::uint32_t>(right);
    }
    // Where a key is, or would be.
    std::size_t place(std::uint64_t key) const {
        std::size_t at = key * 0x9E3779B97F4A7C15u >> shift_;
        while (slots_[at].key != key && slots_[at].key != 0) at = (at + 1) & (slots_.size() - 1);
        return at;
    }

    std::vector<Slot> slots_;
    int shift_;
};

struct Symbol {
    int id, before, after;  // neighbours; -1 where there is none
    bool is_gone;
};
struct Join {
    int rank, place, both;
    // The first of a heap is the one of the least rank, and of those the leftmost.
    bool operator<(const Join& other) const { return std::tie(rank, place) > std::tie(other.rank, other.place); }
};
struct PairSpace {
    std::vector<int> ids;
    std::vector<Symbol> symbols;
    std::vector<Join> heap;
};

class BytePairs : public SubwordModel {
public:
    BytePairs(const Vocabulary& vocabulary, std::span<const std::int32_t> merges, const BytePairOptions& options)
        : trie_(vocabulary.blob, vocabulary.ends),
          size_(vocabulary.ends.size()),
          merges_(merges, size_),
          options_(options) {
        if (options.unknown < -1 || options.unknown >= static_cast<std::ptrdiff_t>(size_))
            throw std::invalid_argument("there is no sub-word for what is unknown");
        if (options.byte_fallback) bytes_.emplace(trie_);
    }
    void cut(std::u32string_view piece, std::vector<int>& ids) const override {
        if (options_.whole_words_first) {
            if (const int whole = trie_.find(piece).number; whole >= 0) return ids.push_back(whole);
        }
        thread_local PairSpace space;
        find_characters(piece, space.ids);
        join(space);
        for (const Symbol& symbol : space.symbols)
            if (!symbol.is_gone) ids.push_back(symbol.id);
    }
    std::size_t size() const override { return size_; }

private:
    void find_characters(std::u32string_view piece, std::vector<int>& ids) const {
        ids.clear();
        bool has_unknown = false;  // whether one is still to be written: it comes before the next that is known
        const auto end_unknown = [&] {
            if (has_unknown) ids.push_back(options_.unknown);
            has_unknown = false;
        };
        for (std::size_t k = 0; k < piece.size(); ++k) {
            const int found = trie_.step(SubwordTrie::root, piece[k]).number;
            if (found >= 0) {
                end_unknown();
                ids.push_back(found);
            } else if (!bytes_ || !bytes_->append(piece.substr(k, 1), ids)) {
                if (!options_.fuse_unknown) end_unknown();
                has_unknown = options_.unknown >= 0;
            }
        }
        end_unknown();
    }
    void join(PairSpace& space) const {
        std::vector<Symbol>& symbols = space.symbols;
        std::vector<Join>& heap = space.heap;
        const int count = static_cast<int>(space.ids.size());
        symbols.clear();
        heap.clear();
        for (int k = 0; k < count; ++k) symbols.push_back({space.ids[k], k - 1, k + 1 < count ? k + 1 : -1, false});
        const auto propose = [&](int left) {
            const Merges::Merge found = merges_.find(symbols[left].id, symbols[symbols[left].after].id);
            if (found.rank >= 0) heap.push_back({found.rank, left, found.both});
            return found.rank >= 0;
        };
        for (int k = 0; k + 1 < count; ++k) propose(k);
        std::make_heap(heap.begin(), heap.end());
        while (!heap.empty()) {
            const Join best = heap.front();
            std::pop_heap(heap.begin(), heap.end());
            heap.pop_back();
            Symbol& left = symbols[best.place];
            if (left.is_gone || left.after < 0) continue;
            Symbol& right = symbols[left.after];
            if (merges_.find(left.id, right.id).both != best.both) continue;  // one of them has become another
            left.id = best.both;
            left.after = right.after;
            right.is_gone = true;
            if (right.after >= 0) symbols[right.after].before = best.place;
            if (left.before >= 0 && propose(left.before)) std::push_heap(heap.begin(), heap.end());
            if (left.after >= 0 && propose(best.place)) std::push_heap(heap.begin(), heap.end());
        }
    }

    SubwordTrie trie_;
    std::size_t size_;
    Merges merges_;
    BytePairOptions options_;
    std::optional<ByteWords> bytes_;
};

}  // namespace

std::unique_ptr<SubwordModel> make_byte_pairs(const Vocabulary& vocabulary, std::span<const std::int32_t> merges,
                                              const BytePairOptions& options) {
    return std::make_unique<BytePairs>(vocabulary, merges, options);
}

}  // namespace arbora::encoders
