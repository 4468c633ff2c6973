#pragma once
#include "factors/factor_group.hpp"

namespace arbora {

// Many factors, each over a binary link and the categories (tags) of the two words that it links, with a score for
// every pair of tags, which counts if the link is true (Smith & Eisner 2008, TAG_LINK). Every pair of tags is a part,
// that of the first word first; -inf forbids it. O(g^2) each.
class TagLink final : public FactorGroup {
public:
    // The table of each factor after that of the one before; throws std::invalid_argument if something does not fit.
    TagLink(const Wiring& wiring, std::vector<double> scores);

    const char* kind() const override { return "TagLink"; }
    double sum(std::size_t factor, const double* in, double* beliefs, double* parts, Arena& arena) const override;
    double max(std::size_t factor, const double* in, double* beliefs, Arena& arena) const override;
    double best(std::size_t factor, const double* in, Configuration& found, Arena& arena) const override;
    void polytope(std::size_t factor, TreeRows tree_rows, Polytope& rows) const override;
    double score(std::size_t factor, std::span<const int> active, Arena& arena) const override;
    void add_parts(std::size_t factor, std::span<const int> active, double weight, double* parts,
                   Arena& arena) const override;
    std::shared_ptr<const FactorGroup> scaled(double multiplier) const override;

private:
    int tags(std::size_t factor, int which) const {
        return wiring().input_size(wiring().input_begin(factor) + 1 + which);
    }
    const double* table(std::size_t factor) const { return part_scores().data() + part_begin(factor); }
    template <class S>
    double beliefs_of(std::size_t factor, const double* in, double* beliefs, Arena& arena) const;

    std::vector<double> transposed_;  // the tables, with the second word's tag first
};

}  // namespace arbora
