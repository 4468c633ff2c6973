#pragma once
#include <algorithm>
#include <cmath>

#include "factors/factor_group.hpp"

// All ways to have the inputs of a factor, with inner score 0.
inline std::vector<arbora::Configuration> all_configurations(const arbora::Wiring& wiring) {
    std::vector<arbora::Configuration> list{{}};
    for (std::size_t input = 0; input < wiring.inputs(); ++input) {
        const int first = static_cast<int>(wiring.input_port(input));
        std::vector<arbora::Configuration> longer;
        for (const arbora::Configuration& one : list) {
            if (!wiring.is_category(input)) longer.push_back(one);
            for (int i = 0; i < wiring.input_size(input); ++i) {
                longer.push_back(one);
                longer.back().active.push_back(first + i);
            }
        }
        list = std::move(longer);
    }
    return list;
}

// One factor that is a list of configurations, each a part with its score: every oracle by going through the list.
class ListedFactor : public arbora::FactorGroup {
public:
    ListedFactor(arbora::Wiring wiring, std::vector<arbora::Configuration> list, bool is_structure = false)
        : FactorGroup(std::move(wiring), inner_scores(list), {0, list.size()}),
          list_(std::move(list)),
          is_structure_(is_structure) {}

    const char* kind() const override { return "Listed"; }
    bool is_structure() const override { return is_structure_; }

    double sum(std::size_t, const double* in, double* beliefs, double* parts, arbora::Arena&) const override {
        const std::vector<double> totals = scored(in);
        const double value = oracle(totals, beliefs, log_sum);
        for (std::size_t c = 0; parts && c < totals.size(); ++c)
            parts[c] = value == -INFINITY ? 0 : std::exp(totals[c] - value);
        return value;
    }

    double max(std::size_t, const double* in, double* beliefs, arbora::Arena&) const override {
        return oracle(scored(in), beliefs, highest);
    }

    double best(std::size_t, const double* in, arbora::Configuration& found, arbora::Arena&) const override {
        const std::vector<double> totals = scored(in);
        if (highest(totals) == -INFINITY) return -INFINITY;
        const auto place = std::max_element(totals.begin(), totals.end()) - totals.begin();
        found = list_[place];
        return totals[place];
    }

    void polytope(std::size_t, arbora::TreeRows, arbora::Polytope&) const override {}

    double score(std::size_t, std::span<const int> active, arbora::Arena&) const override {
        double best = -INFINITY;
        for (const arbora::Configuration& one : list_)
            if (std::ranges::equal(one.active, active)) best = std::max(best, one.inner);
        return best;
    }

    void add_parts(std::size_t, std::span<const int> active, double weight, double* parts,
                   arbora::Arena&) const override {
        for (std::size_t c = 0; c < list_.size(); ++c)
            if (std::ranges::equal(list_[c].active, active)) parts[c] += weight;
    }

    std::shared_ptr<const FactorGroup> scaled(double multiplier) const override {
        std::vector<arbora::Configuration> list = list_;
        for (arbora::Configuration& one : list) one.inner *= multiplier;
        return std::make_shared<ListedFactor>(wiring(), std::move(list), is_structure_);
    }

private:
    static std::vector<double> inner_scores(const std::vector<arbora::Configuration>& list) {
        std::vector<double> scores;
        for (const arbora::Configuration& one : list) scores.push_back(one.inner);
        return scores;
    }
    static double highest(const std::vector<double>& values) {
        double result = -INFINITY;
        for (double value : values) result = std::max(result, value);
        return result;
    }
    static double log_sum(const std::vector<double>& values) {
        const double most = highest(values);
        double sum = 0;
        for (double value : values) sum += most == -INFINITY ? 0 : std::exp(value - most);
        return most == -INFINITY ? most : most + std::log(sum);
    }

    bool is_active(std::size_t c, int port) const { return std::ranges::binary_search(list_[c].active, port); }

    std::vector<double> scored(const double* in) const {
        std::vector<double> totals = part_scores();
        for (std::size_t c = 0; c < totals.size(); ++c)
            for (int port = 0; port < wiring().port_count(0); ++port) {
                if (is_active(c, port) && in[port] != INFINITY) totals[c] += in[port];
                if (!is_active(c, port) && in[port] == INFINITY) totals[c] = -INFINITY;
            }
        return totals;
    }

    template <class Combine>
    double oracle(const std::vector<double>& totals, double* beliefs, Combine combine) const {
        const double value = combine(totals);
        std::fill_n(beliefs, wiring().port_count(0), 0.0);
        if (value == -INFINITY) return value;
        for (std::size_t input = 0; input < wiring().inputs(); ++input)
            for (int i = 0; i < wiring().input_size(input); ++i) {
                const int port = static_cast<int>(wiring().input_port(input)) + i;
                std::vector<double> with, without;
                for (std::size_t c = 0; c < totals.size(); ++c)
                    (is_active(c, port) ? with : without).push_back(totals[c]);
                beliefs[port] = combine(with) - (wiring().is_category(input) ? value : combine(without));
            }
        return value;
    }

    std::vector<arbora::Configuration> list_;
    bool is_structure_;
};
