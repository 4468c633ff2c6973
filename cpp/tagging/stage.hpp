#pragma once
#include <string_view>
#include <vector>

#include "tagging/layer.hpp"
#include "tagging/scripts.hpp"

namespace arbora {

// A layer at work. Where its labels are edit scripts, only those that fit a word are candidates.
struct Stage {
    Layer layer;
    std::vector<EditScript> scripts;

    // The lattice of a sentence; form_of(word) is asked for where scripts must fit. See Layer::fill.
    template <class Number, class FormOf>
    void fill(const Words& words, WeightTable<Number> weights, const int* gold, const FormOf& form_of, Lattice& lattice,
              const WantedLabels* wanted = nullptr) const {
        if (scripts.empty()) return layer.fill(words, weights, gold, [](int, int) { return true; }, wanted, lattice);
        thread_local FormLetters letters;
        int decoded = -1;
        layer.fill(
            words, weights, gold,
            [&](int word, int label) {
                if (decoded != word) letters.set(form_of(word));
                decoded = word;
                return scripts[label].fits(letters);
            },
            wanted, lattice);
    }
};

}  // namespace arbora
