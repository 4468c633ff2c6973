#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "parsing/first_order.hpp"
#include "parsing/higher_order.hpp"
#include "parsing/pruner.hpp"
#include "parsing/sibling_tables.hpp"
#include "support/pool.hpp"

namespace arbora {

// A linear model of trees without its weights: scores are sums of the weights of features.
struct LinearModel {
    Templates templates;
    Pruner pruner;
    FirstOrder first_order;
    HigherOrder higher;

    // `threshold` and `most` are the pruner's; `at_root` and `below_words` say of every label whether arcs from the root,
    // and from words, can have it; `roles` and `tags` are how many there are.
    LinearModel(Templates all, double threshold, int most, const std::vector<char>& at_root,
                const std::vector<char>& below_words, FirstOrder::Scales scales, int roles, int tags)
        : templates(std::move(all)),
          pruner(templates, threshold, most),
          first_order(templates, at_root, below_words, scales, roles),
          higher(templates, tags) {}

    // How many weights follow the table's power of two.
    int padding() const { return std::max(first_order.padding(), higher.tags().padding()); }

    // Space that sentences need while they are scored, to be used again.
    struct Scratch {
        Prepared prepared;
        FirstOrder::Workspace space;
        std::vector<double> unary, siblings;
    };
    Pool<Scratch>& scratch() const { return scratch_; }

private:
    mutable Pool<Scratch> scratch_;
};

// A linear model with the weights that it parses with, read only, and what sentences leave for others with the same
// weights.
class LinearParser {
public:
    LinearParser(const LinearModel& model, ShortWeights weights, ShortWeights pruner_weights)
        : model(model), weights(weights), pruner_weights(pruner_weights) {}

    const LinearModel& model;
    const ShortWeights weights, pruner_weights;
    Pool<SiblingTables>& sibling_tables() const { return sibling_tables_; }

private:
    mutable Pool<SiblingTables> sibling_tables_;
};

}  // namespace arbora
