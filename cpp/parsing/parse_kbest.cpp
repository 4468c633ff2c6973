#include <algorithm>
#include <cmath>
#include <queue>
#include <tuple>

#include "parsing/inference.hpp"
#include "parsing/pieces.hpp"
#include "parsing/stages.hpp"
#include "support/interruption.hpp"

namespace arbora {
namespace {

// How many trees are ranked anew for each that is asked for, if parts of several arcs count, and how many at least.
constexpr int ranked_for_each = 4, ranked_at_least = 64;

bool is_better(const ChainLabels& a, const ChainLabels& b) { return a.score > b.score; }

// All k best labellings of a tree, one group of words after the other, but for those that are below `least`: as labels are
// added, scores only fall.
class Labellings {
public:
    Labellings(int n, int k, double score, double least)
        : k_(static_cast<std::size_t>(k)), least_(least), found_{{std::vector<int>(n + 1, -1), score}} {}

    // Labels of some words, with their scores, the best first. Of equal sums, those of the earlier way come first.
    void join(const std::vector<int>& words, const std::vector<ChainLabels>& ways) {
        std::vector<ChainLabels> joined;
        std::priority_queue<Pair> next;
        const auto propose = [&](std::size_t way, std::size_t before) {
            if (way >= ways.size() || before >= found_.size()) return;
            const double score = found_[before].score + ways[way].score;
            if (score >= least_) next.push({score, way, before});
        };
        propose(0, 0);
        while (!next.empty() && joined.size() < k_) {
            const Pair best = next.top();
            next.pop();
            propose(best.way, best.before + 1);
            if (best.before == 0) propose(best.way + 1, 0);
            joined.push_back({found_[best.before].labels, best.score});
            for (std::size_t i = 0; i < words.size(); ++i) joined.back().labels[words[i]] = ways[best.way].labels[i];
        }
        found_ = std::move(joined);
    }

    std::vector<ChainLabels>& found() { return found_; }
    // How low what is joined may be, if it is to matter.
    double room() const { return found_.empty() ? 0 : least_ - found_.front().score; }

private:
    struct Pair {
        double score;
        std::size_t way, before;
        bool operator<(const Pair& other) const {
            return std::tie(score, other.way, other.before) < std::tie(other.score, way, before);
        }
    };

    std::size_t k_;
    double least_;
    std::vector<ChainLabels> found_;
};

class KBest {
public:
    KBest(const ScoreKinds& kinds, SentenceScorer& scorer, int n, Given given, const ParseOptions& options, int k)
        : kinds_(kinds), scorer_(scorer), given_(given), options_(options), k_(k) {
        candidates_.n = n;
        candidates_.arcs = scorer.choose(given, options.kind, nullptr);
        scorer.score(given.labels, candidates_);
        collapse(candidates_, Collapse::sum, arcs_);
        if (kinds.hidden_labels) {
            candidates_.labels = 0;
            candidates_.scores = arcs_;
        }
    }

    std::vector<LabelledTree> run() {
        const auto search = inference_for(kinds_, options_.graph).begin(scorer_, kinds_, candidates_, options_);
        search->sum(arcs_);
        if (!search->is_exact()) return by_beliefs(*search);
        const double total = search->log_partition();
        if (!kinds_.labels_follow)
            if (auto trees = search->best_labelled_trees(k_)) {
                for (LabelledTree& tree : *trees) tree.score -= total;
                return std::move(*trees);
            }
        return in_two_stages(total, *search);
    }

private:
    // Trees come in the order of their own probability, which bounds that of their labellings: once the k-th labelled
    // tree is at least as probable as the next tree, no tree to come can matter. Where labels are far less sure than
    // trees that may take exponentially many trees, so there is an end to them.
    std::vector<LabelledTree> in_two_stages(double total, TreeSearch& search) {
        const int most_trees = std::max(256, 16 * std::min(k_, 1 << 26));
        std::size_t seen = 0;
        for (int count = k_;; count = std::min(2 * count, most_trees)) {
            const std::vector<LabelledTree> trees = search.best_trees(count);
            for (; seen < trees.size(); ++seen) {
                const double own = trees[seen].score - total;
                if (static_cast<int>(found_.size()) == k_ && found_.back().score >= own) return std::move(found_);
                add_tree(trees[seen].heads, own);
            }
            if (static_cast<int>(trees.size()) < count || count >= most_trees) return std::move(found_);
        }
    }

    // The tree that a single parse finds and those that the probabilities of arcs put first, in the order of what the
    // graph gives for them as a whole.
    std::vector<LabelledTree> by_beliefs(TreeSearch& search) {
        std::vector<double> beliefs, table;
        search.find_marginals(beliefs);
        fill_table(candidates_, arcs_, table);
        for (std::size_t c = 0; c < beliefs.size(); ++c)
            if (table[c] != impossible) table[c] = std::log(std::max(beliefs[c], 1e-300));
        const int count = std::max(ranked_at_least, ranked_for_each * std::min(k_, 1 << 26));
        const Heads best = find_best(search);
        add_tree(best, search.log_probability(best.data()));
        for (const LabelledTree& tree : find_kbest({table.data(), candidates_.n, 0}, options_.kind, count))
            if (tree.heads != best) add_tree(tree.heads, search.log_probability(tree.heads.data()));
        return std::move(found_);
    }

    Heads find_best(TreeSearch& search) {
        ArcTotals totals;
        scorer_.score_arcs(candidates_.arcs, given_.labels, ArcTotal::learned, totals);
        Heads heads(candidates_.n + 1, -1);
        ParseRef result{heads.data(), nullptr, nullptr, nullptr, 0};
        search.find_best(totals.learned, result);
        return heads;
    }

    void add_tree(const Heads& heads, double score) {
        Interruption::heed();
        // What is worse than the k best so far does not matter; sums of equal worth may differ in their last digits.
        const bool is_full = static_cast<int>(found_.size()) == k_;
        Labellings labellings(candidates_.n, k_, score, is_full ? found_.back().score - 1e-9 : impossible);
        if (kinds_.labels_follow)
            label_in_chains(heads, labellings);
        else if (kinds_.labels)
            label_by_arc(heads, labellings);
        const auto before = static_cast<std::ptrdiff_t>(found_.size());
        for (ChainLabels& labels : labellings.found())
            found_.push_back({heads, std::move(labels.labels), labels.score});
        std::inplace_merge(found_.begin(), found_.begin() + before, found_.end(),
                           [](const LabelledTree& a, const LabelledTree& b) { return a.score > b.score; });
        if (static_cast<int>(found_.size()) > k_) found_.resize(k_);
    }

    void label_in_chains(const Heads& heads, Labellings& labellings) {
        scorer_.set_tree(heads.data());
        std::vector<double> alone, probabilities;
        for (const Family& family : families_of(heads.data(), candidates_.n)) {
            const LabelChain chain = shorten(scorer_.score_labels(family, given_.labels), alone);
            probabilities.resize(static_cast<std::size_t>(chain.count) * chain.labels);
            const double total = sum_chain(chain, probabilities.data(), nullptr);
            std::vector<ChainLabels> ways = best_chains(chain, k_, total + labellings.room());
            for (ChainLabels& way : ways) way.score -= total;
            labellings.join(family.modifiers, ways);
            if (labellings.found().empty()) return;
        }
    }

    void label_by_arc(const Heads& heads, Labellings& labellings) {
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

    const ScoreKinds& kinds_;
    SentenceScorer& scorer_;
    Given given_;
    const ParseOptions& options_;
    int k_;
    Candidates candidates_;
    std::vector<double> arcs_;
    std::vector<LabelledTree> found_;
};

}  // namespace

std::vector<LabelledTree> parse_kbest(const Scorer& scorer, std::size_t sentence, Given given,
                                      const ParseOptions& options, int k) {
    const int n = scorer.length(sentence);
    if (n == 0) return {{Heads{-1}, {-1}, 0.0}};
    check_kbest_length(n, options);
    const ScoreKinds kinds = scorer.kinds();
    const auto own = scorer.begin(sentence);
    return with_implied(given, scorer, n, [&](Given known) { return KBest(kinds, *own, n, known, options, k).run(); });
}

}  // namespace arbora
