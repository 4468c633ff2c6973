// One layer of a tagger: it chooses a label for every word of a sentence, among candidates, by a linear model.
#pragma once
#include <algorithm>
#include <vector>

#include "linear/weights.hpp"
#include "tagging/dictionary.hpp"
#include "tagging/given.hpp"
#include "tagging/lattice.hpp"
#include "tagging/words.hpp"

namespace arbora {

// What a layer's scores are made of. A label is a list of `pieces` (itself, and what it shares with others, such as
// Number=Plur); its local score is the sum over templates and pieces. Templates of bigrams and trigrams score it with
// the labels before it; without any of them labels are chosen one by one.
struct LayerTemplates {
    std::vector<WordTemplate> labels, bigrams, trigrams;
    std::vector<WordTemplate> candidates;  // keys of the dictionary: the first one that it knows lists the candidates
};

// The weights of a feature with hash h and piece p lie at (h & mask) + p, so tables have `padding` more at the end.
class Layer {
public:
    // pieces[label] are below `piece_count`; `open` are the candidates of words whose keys are all unknown, `most` of
    // them stay for the chain, those of the highest local score.
    Layer(LayerTemplates templates, std::vector<std::vector<int>> pieces, int piece_count, Dictionary dictionary,
          std::vector<int> open, int most);

    int labels() const { return static_cast<int>(pieces_.size()); }
    int padding() const { return padding_; }
    bool is_chain() const { return !templates_.bigrams.empty() || !templates_.trigrams.empty(); }

    // The labels that a word may have.
    std::span<const std::uint16_t> candidates(const Words& words, int word) const;

    // The lattice of a sentence. `gold`, unless it is null, has a label of each word that becomes a candidate in any
    // case. allowed(word, label) says what else must hold of a candidate; if it holds of none, the first of `open` is
    // taken. `wanted`, unless it is null, has labels of words that alone are candidates: those that would be without it,
    // or else all of them. A word with one candidate scores 0. A chain has a place for the end, with one candidate.
    template <class Number, class Allowed>
    void fill(const Words& words, WeightTable<Number> weights, const int* gold, const Allowed& allowed,
              const WantedLabels* wanted, Lattice& lattice) const {
        lattice.clear();
        for (int word = 0; word < words.count(); ++word) {
            const auto only = wanted ? wanted->of(word) : std::span<const std::uint16_t>{};
            for (std::uint16_t label : candidates(words, word))
                if ((only.empty() || std::binary_search(only.begin(), only.end(), label)) && allowed(word, label))
                    lattice.labels.push_back(label);
            if (lattice.starts.back() == static_cast<int>(lattice.labels.size()))
                for (std::uint16_t label : only)
                    if (allowed(word, label)) lattice.labels.push_back(label);
            finish_candidates(gold ? gold[word] : -1, lattice);
            score_labels(words, weights, word, gold ? gold[word] : -1, lattice);
        }
        if (is_chain()) score_chain(words, weights, lattice);
    }

    // The gradient of a loss, by the lattice's candidates and triples, as one by the weights. `negligible` ones are
    // left out.
    void add_gradient(const Words& words, std::uint32_t mask, const Lattice& lattice,
                      const std::vector<double>& candidates, const std::vector<double>& triples, SparseSum& sum) const;

private:
    void finish_candidates(int gold, Lattice& lattice) const;
    template <class Number>
    void score_labels(const Words& words, WeightTable<Number> weights, int word, int gold, Lattice& lattice) const;
    template <class Number>
    void score_chain(const Words& words, WeightTable<Number> weights, Lattice& lattice) const;

    int start_label() const { return labels(); }
    int end_label() const { return labels() + 1; }

    LayerTemplates templates_;
    std::vector<std::vector<int>> pieces_;
    Dictionary dictionary_;
    std::vector<std::uint16_t> open_;
    int most_, padding_;
};

}  // namespace arbora
