#pragma once
#include "factors/factor_group.hpp"

namespace arbora {

// Factors over any few variables, each with a score for every assignment to them; -inf forbids it. The cells of a
// factor run over the values of its inputs, those of the last one fastest; a binary input has the values false, true.
// Every cell is a part. All oracles run over the cells.
class Table final : public FactorGroup {
public:
    // The cells of each factor after those of the one before; throws std::invalid_argument if their number is wrong.
    Table(const Wiring& wiring, std::vector<double> scores);

    const char* kind() const override { return "Table"; }
    double sum(std::size_t factor, const double* in, double* beliefs, double* parts, Arena& arena) const override;
    double max(std::size_t factor, const double* in, double* beliefs, Arena& arena) const override;
    double best(std::size_t factor, const double* in, Configuration& found, Arena& arena) const override;
    void polytope(std::size_t factor, TreeRows tree_rows, Polytope& rows) const override;
    double score(std::size_t factor, std::span<const int> active, Arena& arena) const override;
    void add_parts(std::size_t factor, std::span<const int> active, double weight, double* parts,
                   Arena& arena) const override;
    std::shared_ptr<const FactorGroup> scaled(double multiplier) const override;

private:
    // How cells run over one input: cell = (before * size + value) * stride + after.
    struct Axis {
        int port, size, stride;
        bool is_category;
    };

    int cells(std::size_t factor) const { return static_cast<int>(part_count(factor)); }
    // each(axis) for every input.
    template <class Each>
    void for_axes(std::size_t factor, Each each) const;
    // What every cell gives, `in` included.
    double* totals(std::size_t factor, const double* in, Arena& arena) const;
    template <class S>
    double beliefs_of(std::size_t factor, const double* totals, double* beliefs, Arena& arena) const;
    // The cell with exactly these active ports; -1 if a category has not exactly one value.
    int cell_of(std::size_t factor, std::span<const int> active, Arena& arena) const;
};

}  // namespace arbora
