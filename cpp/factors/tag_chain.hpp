#pragma once
#include "factors/factor_group.hpp"

namespace arbora {

// One factor over a row of categories (tags), with a score for the tags of every two neighbours and, if wanted, of
// every three; -inf forbids them. All of these are parts: bigrams from the first word on, cells with the tag of the
// last word running fastest, then trigrams likewise. O(n g^2), with trigrams O(n g^3).
//
// A chain is a row of *layers* of states, with scores of states and of steps from one layer to the next. Without
// trigrams a state is a tag and a step a bigram, with them a state is a bigram and a step a trigram. States of
// neighbouring layers overlap in `shared` ways: a step goes from (s, u) to (u, v), u < shared, and without trigrams
// there is only one u.
class TagChain final : public FactorGroup {
public:
    // No trigrams at all: there are none. Throws std::invalid_argument if something does not fit.
    TagChain(const Wiring& wiring, const std::vector<double>& bigrams, const std::vector<double>& trigrams);

    const char* kind() const override { return "TagChain"; }
    double sum(std::size_t factor, const double* in, double* beliefs, double* parts, Arena& arena) const override;
    double max(std::size_t factor, const double* in, double* beliefs, Arena& arena) const override;
    double best(std::size_t factor, const double* in, Configuration& found, Arena& arena) const override;
    void polytope(std::size_t factor, TreeRows tree_rows, Polytope& rows) const override;
    double score(std::size_t factor, std::span<const int> active, Arena& arena) const override;
    void add_parts(std::size_t factor, std::span<const int> active, double weight, double* parts,
                   Arena& arena) const override;
    std::shared_ptr<const FactorGroup> scaled(double multiplier) const override;

private:
    // From states (s, u) of a layer to states (u, v) of the next.
    struct Step {
        int before, shared, after;  // how many s, u, v
        std::size_t part;           // of (s, u, v) = (0, 0, 0); v runs fastest, then u
        std::size_t transposed;     // the same in transposed_: s runs fastest, then v
    };
    struct Layer {
        int states;
        std::size_t begin;  // where its states begin, if those of all layers are in a row
    };
    // The numbers of a forward and a backward pass, for all states of all layers. In a layer's `local` and `backward`
    // v runs fastest over the states (u, v), in `forward` u does: so each is read along memory.
    struct Passes {
        double *local, *forward, *backward;
    };

    int words() const { return static_cast<int>(wiring().inputs()); }
    int tags(int word) const { return wiring().input_size(word); }
    // The extents of a layer's states (u, v); without trigrams there is one u.
    int rows(std::size_t layer) const { return has_trigrams_ ? tags(static_cast<int>(layer)) : 1; }
    int columns(std::size_t layer) const { return layers_[layer].states / rows(layer); }
    // each(part) for the bigrams and trigrams of a row of tags.
    template <class Each>
    void for_parts(const int* tags, Each each) const;

    void fill_local(const double* in, double* local) const;
    template <class S>
    double go_forward(const double* in, Passes& passes, Arena& arena) const;
    template <class S>
    void go_backward(Passes& passes, Arena& arena) const;
    template <class S>
    void set_beliefs(const Passes& passes, double value, double* beliefs, Arena& arena) const;
    template <class S>
    double run(const double* in, Passes& passes, double* beliefs, Arena& arena) const;
    void set_parts(const Passes& passes, double value, double* parts, Arena& arena) const;

    bool has_trigrams_;
    std::vector<std::size_t> bigrams_, trigrams_;  // the first part of those that begin at each word
    std::vector<Layer> layers_;
    std::vector<Step> steps_;
    std::vector<double> transposed_;
};

}  // namespace arbora
