#include "parsing/parse.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "parsing/stages.hpp"

namespace arbora {
namespace {

// Labels for the heads of `result`; returns the log-probability of the labels given the heads, if it is asked for.
double label_in_second_stage(const Parser& parser, const Prepared& prepared, FirstOrder::Workspace& space, Given given,
                             bool probabilities, ParseRef& result) {
    thread_local Chains chains;
    thread_local std::vector<int> found;
    double log_probability = 0;
    for (const auto& family : FirstOrder::families(result.heads, prepared.n())) {
        const LabelChain chain = chains.set(parser, prepared, space, family, given);
        found.resize(chain.count);
        log_probability += best_chain(chain, found.data());
        for (int i = 0; i < chain.count; ++i) result.labels[family.modifiers[i]] = found[i];
        if (!probabilities) continue;
        chains.probabilities.resize(chains.unary.size());
        log_probability -= sum_chain(chain, chains.probabilities.data(), nullptr);
        for (int i = 0; i < chain.count; ++i) {
            const double* row = chains.probabilities.data() + static_cast<std::size_t>(i) * chain.labels;
            result.label_probabilities[family.modifiers[i]] = row[found[i]];
            if (result.label_table)
                std::copy(row, row + chain.labels,
                          result.label_table + static_cast<std::size_t>(family.modifiers[i]) * chain.labels);
        }
    }
    return log_probability;
}

// In a joint model, the best label of each arc; returns the log-probability of the labels given the heads, if there are
// sums to divide by.
double label_jointly(const FirstOrder& model, const Candidates& candidates, const FirstOrder::Workspace& space,
                     const FirstOrder::ByArc& scores, Given given, bool probabilities, ParseRef& result) {
    double log_probability = 0;
    for (int m = 1; m <= candidates.n; ++m) {
        const std::size_t a = candidates.find(result.heads[m], m);
        const int known = given.labels ? given.labels[m] : -1;
        result.labels[m] = known >= 0 ? known : model.best_label(space, a);
        if (!probabilities) continue;
        const double log_of_label = scores.best[a] - scores.sums[a];
        result.label_probabilities[m] = std::exp(log_of_label);
        if (result.label_table) {
            double* row = result.label_table + static_cast<std::size_t>(m) * model.labels();
            if (known < 0)
                model.label_probabilities(space, a, row);
            else
                row[known] = 1;
        }
        log_probability += log_of_label;
    }
    return log_probability;
}

void parse_given(const Parser& parser, const Encoded& encoded, std::size_t sentence, Given given,
                 const ParseOptions& options, ParseRef& result) {
    const int n = encoded.length(sentence), width = n + 1;
    thread_local Prepared prepared;
    thread_local FirstOrder::Workspace space;
    thread_local Candidates candidates;
    thread_local FirstOrder::ByArc scores;
    thread_local std::vector<double> table, marginals, gains;
    // With tags no tree is the best: what a tree scores hangs on them.
    const bool least_risk = options.decoder == Decoder::least_risk || parser.higher.tags().tags() > 0;
    const bool sums = options.probabilities || least_risk;
    Laps laps(options.times);
    choose_candidates(parser, encoded, sentence, given, options.kind, prepared, candidates);
    laps.end(&StageTimes::pruning);
    using Wanted = FirstOrder::Wanted;
    const Wanted wanted = sums ? Wanted::sums : parser.higher.is_active() ? Wanted::learned : Wanted::best;
    parser.model.score_by_arc(prepared, parser.weights, candidates.arcs, given.labels, wanted, space, scores);
    std::optional<ByGraph> graph;
    if (parser.higher.is_active()) graph.emplace(parser, prepared, candidates.arcs, options);
    laps.end(&StageTimes::features);
    TreeRef tree{result.heads, nullptr, 0};
    if (sums) {
        fill_table(candidates, scores.sums, table);
        marginals.resize(table.size());
        if (graph)
            graph->find_marginals(scores.sums, marginals);
        else
            find_marginals({table.data(), n, 0}, options.kind, false, marginals.data());
    }
    if (least_risk) {
        result.upper_bound = INFINITY;
        gains.assign(table.size(), impossible);
        for (std::size_t a = 0; a < candidates.arcs.size(); ++a) {
            if (scores.sums[a] == impossible) continue;
            const std::size_t cell = candidates.cell(a);
            gains[cell] = marginals[cell];
            if (!parser.model.has_labeler()) gains[cell] *= std::exp(scores.best[a] - scores.sums[a]);
        }
        find_best({gains.data(), n, 0}, options.kind, tree);
    } else if (graph) {
        graph->find_best(scores.learned, candidates, result);
    } else {
        fill_table(candidates, scores.best, gains);
        find_best({gains.data(), n, 0}, options.kind, tree);
    }
    if (options.probabilities) {
        if (result.head_table) std::copy(marginals.begin(), marginals.end(), result.head_table);
        for (int m = 1; m <= n; ++m)
            result.head_probabilities[m] = marginals[static_cast<std::size_t>(result.heads[m]) * width + m];
        if (graph) {
            result.log_probability = graph->log_probability(result.heads);
        } else {
            result.log_probability = -find_log_partition({table.data(), n, 0}, options.kind);
            for (int m = 1; m <= n; ++m)
                result.log_probability += table[static_cast<std::size_t>(result.heads[m]) * width + m];
        }
    }
    if (graph && result.tags) graph->read_tags(prepared, result);
    laps.end(&StageTimes::inference);
    if (!parser.model.has_labeler()) {
        result.log_probability +=
            label_jointly(parser.model, candidates, space, scores, given, options.probabilities, result);
    } else {
        prepared.set_tree(parser.templates, encoded, sentence, result.heads);
        result.log_probability += label_in_second_stage(parser, prepared, space, given, options.probabilities, result);
    }
    laps.end(&StageTimes::labels);
}

}  // namespace

void parse(const Parser& parser, const Encoded& encoded, std::size_t sentence, Given given, const ParseOptions& options,
           ParseRef& result) {
    result.log_probability = result.value = result.upper_bound = 0;
    const int n = encoded.length(sentence);
    if (n == 0) return;
    with_implied(given, parser.model, n,
                 [&](Given given) { parse_given(parser, encoded, sentence, given, options, result); });
}

}  // namespace arbora
