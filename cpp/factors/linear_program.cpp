#include "factors/linear_program.hpp"

#include <cmath>

namespace arbora {
namespace {

// Appends the factor's rows; `column_of` and `is_negated` say what stands for its ports.
template <class Column, class Negated>
void append(const Polytope& polytope, int ports, Column column_of, Negated is_negated, LinearProgram& program) {
    const int first = static_cast<int>(program.costs.size());
    for (std::size_t i = 0; i < polytope.scores.size(); ++i) {
        program.costs.push_back(polytope.scores[i]);
        program.lows.push_back(0);
        program.highs.push_back(polytope.highest[i]);
    }
    for (std::size_t row = 0; row + 1 < polytope.starts.size(); ++row) {
        double shift = 0;  // a negated port is 1 - x
        for (int k = polytope.starts[row]; k < polytope.starts[row + 1]; ++k) {
            const int column = polytope.columns[k];
            double value = polytope.values[k];
            if (column < ports && is_negated(column)) {
                shift += value;
                value = -value;
            }
            program.columns.push_back(column < ports ? column_of(column) : first + column - ports);
            program.values.push_back(value);
        }
        program.starts.push_back(static_cast<int>(program.columns.size()));
        program.row_lows.push_back(polytope.lows[row] - shift);
        program.row_highs.push_back(polytope.highs[row] - shift);
    }
}

}  // namespace

LinearProgram factor_program(const FactorGroup& group, std::size_t factor, TreeRows tree_rows) {
    const int ports = group.wiring().port_count(factor);
    LinearProgram program;
    program.costs.assign(ports, 0);
    program.lows.assign(ports, 0);
    program.highs.assign(ports, 1);
    Polytope polytope(ports);
    group.polytope(factor, tree_rows, polytope);
    append(polytope, ports, [](int port) { return port; }, [](int) { return false; }, program);
    return program;
}

LinearProgram linear_program(const FactorGraph& graph, TreeRows tree_rows) {
    LinearProgram program;
    for (int slot = 0; slot < graph.slots(); ++slot) {
        const double unary = graph.unary(slot), score = graph.score(slot);
        program.costs.push_back(std::isinf(score) ? 0 : score);
        program.lows.push_back(unary == INFINITY ? 1 : 0);
        program.highs.push_back(unary == -INFINITY ? 0 : 1);
    }
    const Variables& variables = graph.variables();
    for (int v = 0; v < variables.count(); ++v) {
        if (!variables.is_category(v)) continue;
        for (int i = 0; i < variables.size(v); ++i) {
            program.columns.push_back(variables.first(v) + i);
            program.values.push_back(1);
        }
        program.starts.push_back(static_cast<int>(program.columns.size()));
        program.row_lows.push_back(1);
        program.row_highs.push_back(1);
    }
    for (const auto& group : graph.groups()) {
        const Wiring& wiring = group->wiring();
        for (std::size_t factor = 0; factor < group->size(); ++factor) {
            Polytope polytope(wiring.port_count(factor));
            group->polytope(factor, tree_rows, polytope);
            const std::size_t begin = wiring.port_begin(factor);
            append(
                polytope, wiring.port_count(factor), [&](int port) { return wiring.slot(begin + port); },
                [&](int port) { return wiring.is_negated(begin + port); }, program);
        }
    }
    return program;
}

LinearProgram violated_rows(const FactorGraph& graph, const double* values) {
    LinearProgram program;
    std::vector<double> seen;
    for (const auto& group : graph.groups()) {
        const Wiring& wiring = group->wiring();
        for (std::size_t factor = 0; factor < group->size(); ++factor) {
            const std::size_t begin = wiring.port_begin(factor);
            const int ports = wiring.port_count(factor);
            seen.clear();
            for (std::size_t port = begin; port < begin + ports; ++port)
                seen.push_back(wiring.is_negated(port) ? 1 - values[wiring.slot(port)] : values[wiring.slot(port)]);
            Polytope polytope(ports);
            group->separate(factor, seen.data(), polytope);
            append(
                polytope, ports, [&](int port) { return wiring.slot(begin + port); },
                [&](int port) { return wiring.is_negated(begin + port); }, program);
        }
    }
    return program;
}

}  // namespace arbora
