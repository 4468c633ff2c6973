#include <algorithm>
#include <cmath>

#include "parsing/stages.hpp"

namespace arbora {
namespace {

// How many trees are ranked anew for each that is wanted, if parts of several arcs count, and how many at least.
constexpr int ranked_for_each = 4, ranked_at_least = 64;

bool is_better(const ChainLabels& a, const ChainLabels& b) { return a.score > b.score; }

// All k best labellings of a tree, one group of words after the other.
class Labellings {
public:
    Labellings(int n, int k, double score) : k_(k), found_{{std::vector<int>(n + 1, -1), score}} {}

    // Labels of some words, with their scores.
    void join(const std::vector<int>& words, const std::vector<ChainLabels>& ways) {
        std::vector<ChainLabels> joined;
        for (const ChainLabels& way : ways)
            for (const ChainLabels& before : found_) {
                joined.push_back({before.labels, before.score + way.score});
                for (std::size_t i = 0; i < words.size(); ++i) joined.back().labels[words[i]] = way.labels[i];
            }
        std::stable_sort(joined.begin(), joined.end(), is_better);
        if (static_cast<int>(joined.size()) > k_) joined.resize(k_);
        found_ = std::move(joined);
    }

    std::vector<ChainLabels>& found() { return found_; }

private:
    int k_;
    std::vector<ChainLabels> found_;
};

class KBest {
public:
    KBest(const Parser& parser, const Encoded& encoded, std::size_t sentence, Given given, const ParseOptions& options,
          int k)
        : parser_(parser), encoded_(encoded), sentence_(sentence), given_(given), options_(options), k_(k) {
        score_candidates(parser, encoded, sentence, given, options.kind, prepared_, space_, candidates_);
        collapse(candidates_, Collapse::sum, arcs_);
        fill_table(candidates_, arcs_, table_);
    }

    std::vector<LabelledTree> run() {
        if (!parser_.higher.is_active()) {
            if (!parser_.model.has_labeler()) return jointly();
            const double total = find_log_partition(table(table_, 0), options_.kind);
            return in_two_stages(total, [&](int k) { return find_kbest(table(table_, 0), options_.kind, k); });
        }
        ByGraph graph(parser_, prepared_, candidates_.arcs, options_);
        if (!graph.sums_exactly()) return by_beliefs(graph);
        std::vector<double> beliefs;
        graph.find_marginals(arcs_, beliefs);
        return in_two_stages(graph.log_partition(), [&](int k) { return graph.best_trees(k); });
    }

private:
    SentenceScores table(const std::vector<double>& scores, int labels) const {
        return {scores.data(), candidates_.n, labels};
    }

    // A first-order model with joint labels: exactly.
    std::vector<LabelledTree> jointly() {
        const double total = find_log_partition(table(table_, 0), options_.kind);
        std::vector<double> labelled(table_.size() * candidates_.labels, impossible);
        for (std::size_t a = 0; a < candidates_.arcs.size(); ++a)
            std::copy_n(candidates_.scores.data() + a * candidates_.labels, candidates_.labels,
                        labelled.data() + candidates_.cell(a) * candidates_.labels);
        std::vector<LabelledTree> trees = find_kbest(table(labelled, candidates_.labels), options_.kind, k_);
        for (LabelledTree& tree : trees) tree.score -= total;
        return trees;
    }

    // Trees come in the order of their own probability, which bounds that of their labellings: once the k-th labelled
    // tree is at least as probable as the next tree, no tree to come can matter. Where labels are far less sure than
    // trees that may take exponentially many trees, so there is an end to them.
    template <class FindTrees>
    std::vector<LabelledTree> in_two_stages(double total, FindTrees find_trees) {
        const int most_trees = std::max(256, 16 * std::min(k_, 1 << 26));
        std::size_t seen = 0;
        for (int wanted = k_;; wanted = std::min(2 * wanted, most_trees)) {
            const std::vector<LabelledTree> trees = find_trees(wanted);
            for (; seen < trees.size(); ++seen) {
                const double own = trees[seen].score - total;
                if (static_cast<int>(found_.size()) == k_ && found_.back().score >= own) return std::move(found_);
                add_tree(trees[seen].heads, own);
            }
            if (static_cast<int>(trees.size()) < wanted || wanted >= most_trees) return std::move(found_);
        }
    }

    // The tree that a single parse finds and those that the probabilities of arcs put first, in the order of what the
    // graph gives for them as a whole.
    std::vector<LabelledTree> by_beliefs(ByGraph& graph) {
        std::vector<double> beliefs;
        graph.find_marginals(arcs_, beliefs);
        for (std::size_t c = 0; c < beliefs.size(); ++c)
            if (table_[c] != impossible) table_[c] = std::log(std::max(beliefs[c], 1e-300));
        const int wanted = std::max(ranked_at_least, ranked_for_each * std::min(k_, 1 << 26));
        const Heads best = find_best(graph);
        add_tree(best, graph.log_probability(best.data()));
        for (const LabelledTree& tree : find_kbest(table(table_, 0), options_.kind, wanted))
            if (tree.heads != best) add_tree(tree.heads, graph.log_probability(tree.heads.data()));
        return std::move(found_);
    }

    Heads find_best(ByGraph& graph) {
        FirstOrder::ByArc scores;
        parser_.model.score_by_arc(prepared_, parser_.weights, candidates_.arcs, given_.labels,
                                   FirstOrder::Wanted::learned, space_, scores);
        Heads heads(candidates_.n + 1, -1);
        ParseRef result{heads.data(), nullptr, nullptr, nullptr, 0};
        graph.find_best(scores.learned, candidates_, result);
        return heads;
    }

    void add_tree(const Heads& heads, double score) {
        Labellings labellings(candidates_.n, k_, score);
        if (parser_.model.has_labeler())
            label_in_second_stage(heads, labellings);
        else
            label_jointly(heads, labellings);
        for (ChainLabels& labels : labellings.found())
            found_.push_back({heads, std::move(labels.labels), labels.score});
        std::stable_sort(found_.begin(), found_.end(),
                         [](const LabelledTree& a, const LabelledTree& b) { return a.score > b.score; });
        if (static_cast<int>(found_.size()) > k_) found_.resize(k_);
    }

    void label_in_second_stage(const Heads& heads, Labellings& labellings) {
        prepared_.set_tree(parser_.templates, encoded_, sentence_, heads.data());
        for (const auto& family : FirstOrder::families(heads.data(), candidates_.n)) {
            const LabelChain chain = chains_.set(parser_, prepared_, space_, family, given_);
            chains_.probabilities.resize(chains_.unary.size());
            const double total = sum_chain(chain, chains_.probabilities.data(), nullptr);
            std::vector<ChainLabels> ways = best_chains(chain, k_);
            for (ChainLabels& way : ways) way.score -= total;
            labellings.join(family.modifiers, ways);
        }
    }

    void label_jointly(const Heads& heads, Labellings& labellings) {
        for (int m = 1; m <= candidates_.n; ++m) {
            const std::size_t a = candidates_.find(heads[m], m);
            const double* row = candidates_.scores.data() + a * candidates_.labels;
            std::vector<ChainLabels> ways;
            for (int l = 0; l < candidates_.labels; ++l)
                if (row[l] != impossible) ways.push_back({{l}, row[l] - arcs_[a]});
            std::stable_sort(ways.begin(), ways.end(), is_better);
            if (static_cast<int>(ways.size()) > k_) ways.resize(k_);
            labellings.join({m}, ways);
        }
    }

    const Parser& parser_;
    const Encoded& encoded_;
    std::size_t sentence_;
    Given given_;
    const ParseOptions& options_;
    int k_;
    Prepared prepared_;
    FirstOrder::Workspace space_;
    Candidates candidates_;
    Chains chains_;
    std::vector<double> arcs_, table_;
    std::vector<LabelledTree> found_;
};

}  // namespace

std::vector<LabelledTree> parse_kbest(const Parser& parser, const Encoded& encoded, std::size_t sentence, Given given,
                                      const ParseOptions& options, int k) {
    const int n = encoded.length(sentence);
    if (n == 0) return {{Heads{-1}, {-1}, 0.0}};
    return with_implied(given, parser.model, n,
                        [&](Given known) { return KBest(parser, encoded, sentence, known, options, k).run(); });
}

}  // namespace arbora
