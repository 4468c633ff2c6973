#include "factors/table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "factors/log_odds.hpp"
#include "semirings/log.hpp"
#include "semirings/max.hpp"

namespace arbora {
namespace {

std::vector<std::size_t> cell_begins(const Wiring& wiring) {
    std::vector<std::size_t> begins{0};
    for (std::size_t factor = 0; factor < wiring.factors(); ++factor) {
        std::size_t cells = 1;
        for (std::size_t input = wiring.input_begin(factor); input < wiring.input_end(factor); ++input) {
            cells *= wiring.is_category(input) ? wiring.input_size(input) : 2;
            if (cells > static_cast<std::size_t>(std::numeric_limits<int>::max()))
                throw std::invalid_argument("a table has too many cells");
        }
        begins.push_back(begins.back() + cells);
    }
    return begins;
}

}  // namespace

Table::Table(const Wiring& wiring, std::vector<double> scores)
    : FactorGroup(wiring, std::move(scores), cell_begins(wiring)) {
    if (part_scores().size() != (size() ? part_begin(size() - 1) + part_count(size() - 1) : 0))
        throw std::invalid_argument("there must be one score for each cell of the tables");
}

template <class Each>
void Table::for_axes(std::size_t factor, Each each) const {
    int stride = cells(factor);
    for (std::size_t input = wiring().input_begin(factor); input < wiring().input_end(factor); ++input) {
        const bool is_category = wiring().is_category(input);
        const int size = is_category ? wiring().input_size(input) : 2;
        stride /= size;
        each(Axis{static_cast<int>(wiring().input_port(input) - wiring().port_begin(factor)), size, stride,
                  is_category});
    }
}

double* Table::totals(std::size_t factor, const double* in, Arena& arena) const {
    const int count = cells(factor);
    double* result = arena.take<double>(count);
    std::copy_n(part_scores().data() + part_begin(factor), count, result);
    for_axes(factor, [&](const Axis& axis) {
        for (int cell = 0, value = 0; cell < count; cell += axis.stride, value = (value + 1) % axis.size) {
            const double given = axis.is_category ? in[axis.port + value]
                                 : value          ? if_true(in[axis.port])
                                                  : if_false(in[axis.port]);
            for (int after = 0; after < axis.stride; ++after) result[cell + after] += given;
        }
    });
    return result;
}

template <class S>
double Table::beliefs_of(std::size_t factor, const double* totals, double* beliefs, Arena& arena) const {
    const Arena::Frame frame(arena);
    const int count = cells(factor);
    const double* zeros = arena.take<double>(count, 0.0);
    double* some = arena.take<double>(count);
    const double all = S::dot(totals, zeros, count);
    if (all == -INFINITY) {
        std::fill_n(beliefs, wiring().port_count(factor), 0.0);
        return all;
    }
    for_axes(factor, [&](const Axis& axis) {
        const auto with = [&](int value) {
            int found = 0;
            for (int cell = value * axis.stride; cell < count; cell += axis.size * axis.stride, found += axis.stride)
                std::copy_n(totals + cell, axis.stride, some + found);
            return S::dot(some, zeros, found);
        };
        if (axis.is_category)
            for (int value = 0; value < axis.size; ++value) beliefs[axis.port + value] = with(value) - all;
        else
            beliefs[axis.port] = with(1) - with(0);
    });
    return all;
}

double Table::sum(std::size_t factor, const double* in, double* beliefs, double* parts, Arena& arena) const {
    const Arena::Frame frame(arena);
    const double* all = totals(factor, in, arena);
    const double value = beliefs_of<LogSemiring>(factor, all, beliefs, arena);
    if (parts)
        for (int cell = 0; cell < cells(factor); ++cell)
            parts[cell] = value == -INFINITY ? 0 : std::exp(all[cell] - value);
    return value;
}

double Table::max(std::size_t factor, const double* in, double* beliefs, Arena& arena) const {
    const Arena::Frame frame(arena);
    return beliefs_of<MaxSemiring>(factor, totals(factor, in, arena), beliefs, arena);
}

double Table::best(std::size_t factor, const double* in, Configuration& found, Arena& arena) const {
    const Arena::Frame frame(arena);
    const double* all = totals(factor, in, arena);
    const int best = static_cast<int>(std::max_element(all, all + cells(factor)) - all);
    found.active.clear();
    found.inner = 0;
    if (all[best] == -INFINITY) return all[best];
    for_axes(factor, [&](const Axis& axis) {
        const int value = best / axis.stride % axis.size;
        if (axis.is_category)
            found.active.push_back(axis.port + value);
        else if (value)
            found.active.push_back(axis.port);
    });
    found.inner = part_scores()[part_begin(factor) + best];
    return all[best];
}

// A weight for every cell that is possible; they sum to 1, and those with a port active sum to the port.
void Table::polytope(std::size_t factor, TreeRows, Polytope& rows) const {
    std::vector<int> cell, column;
    std::vector<Polytope::Term> terms;
    for (int c = 0; c < cells(factor); ++c) {
        const double score = part_scores()[part_begin(factor) + c];
        if (score == -INFINITY) continue;
        cell.push_back(c);
        column.push_back(rows.new_column(score));
        terms.emplace_back(column.back(), 1);
    }
    rows.add_row(1, 1, terms);
    for_axes(factor, [&](const Axis& axis) {
        for (int value = axis.is_category ? 0 : 1; value < axis.size; ++value) {
            terms.assign(1, {axis.is_category ? axis.port + value : axis.port, -1});
            for (std::size_t i = 0; i < cell.size(); ++i)
                if (cell[i] / axis.stride % axis.size == value) terms.emplace_back(column[i], 1);
            rows.add_row(0, 0, terms);
        }
    });
}

int Table::cell_of(std::size_t factor, std::span<const int> active, Arena& arena) const {
    const Arena::Frame frame(arena);
    int* value = arena.take<int>(wiring().input_count(factor));
    if (!wiring().find_values(factor, active, value)) return -1;
    int cell = 0;
    for_axes(factor, [&](const Axis& axis) { cell += axis.stride * *value++; });
    return cell;
}

double Table::score(std::size_t factor, std::span<const int> active, Arena& arena) const {
    const int cell = cell_of(factor, active, arena);
    return cell < 0 ? -INFINITY : part_scores()[part_begin(factor) + cell];
}

void Table::add_parts(std::size_t factor, std::span<const int> active, double weight, double* parts,
                      Arena& arena) const {
    const int cell = cell_of(factor, active, arena);
    if (cell >= 0) parts[cell] += weight;
}

std::shared_ptr<const FactorGroup> Table::scaled(double multiplier) const {
    return std::make_shared<Table>(wiring(), scaled_scores(multiplier));
}

}  // namespace arbora
