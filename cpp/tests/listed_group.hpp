#pragma once
#include <algorithm>
#include <cmath>

#include "factors/factor_group.hpp"

// One factor that is a list of configurations, each a part with its score: every oracle by going through the list.
class ListedGroup : public arbora::FactorGroup {
public:
    ListedGroup(arbora::Wiring wiring, std::vector<std::vector<int>> configurations, std::vector<double> scores)
        : FactorGroup(std::move(wiring), scores, {0, scores.size()}), configurations_(std::move(configurations)) {}

    const char* kind() const override { return "Listed"; }

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
        found = {configurations_[place], part_scores()[place]};
        return totals[place];
    }

    void polytope(std::size_t, arbora::TreeRows, arbora::Polytope&) const override {}

    double score(std::size_t, std::span<const int> active, arbora::Arena&) const override {
        double best = -INFINITY;
        for (std::size_t c = 0; c < configurations_.size(); ++c)
            if (std::ranges::equal(configurations_[c], active)) best = std::max(best, part_scores()[c]);
        return best;
    }

    void add_parts(std::size_t, std::span<const int> active, double weight, double* parts,
                   arbora::Arena&) const override {
        for (std::size_t c = 0; c < configurations_.size(); ++c)
            if (std::ranges::equal(configurations_[c], active)) parts[c] += weight;
    }

    std::shared_ptr<const FactorGroup> scaled(double multiplier) const override {
        std::vector<double> scores = part_scores();
        for (double& score : scores) score *= multiplier;
        return std::make_shared<ListedGroup>(wiring(), configurations_, std::move(scores));
    }

private:
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

    bool is_active(std::size_t c, int port) const {
        return std::ranges::find(configurations_[c], port) != configurations_[c].end();
    }

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
                for (std::size_t c = 0; c < totals.size(); ++c) (is_active(c, port) ? with : without).push_back(totals[c]);
                beliefs[port] = combine(with) - (wiring().is_category(input) ? value : combine(without));
            }
        return value;
    }

    std::vector<std::vector<int>> configurations_;
};
