#include "parsing/parse.hpp"

#include <algorithm>
#include <cmath>

#include "parsing/inference.hpp"
#include "parsing/pieces.hpp"
#include "parsing/stages.hpp"
#include "treebank/heads.hpp"
#include "trees/mst.hpp"

namespace arbora {
namespace {

// One sentence on its way to a tree.
class SentenceParse {
public:
    SentenceParse(const ScoreKinds& kinds, SentenceScorer& scorer, int n, Given given, const ParseOptions& options,
                  ParseRef& result)
        : kinds_(kinds), scorer_(scorer), n_(n), given_(given), options_(options), result_(result) {}

    void run(StageTimer& timer) {
        // With tags no tree is the best: what a tree scores hangs on them.
        const bool least_risk = options_.decoder == Decoder::least_risk || kinds_.tags > 0;
        const bool sums = options_.probabilities || least_risk;
        candidates_.n = n_;
        candidates_.arcs = scorer_.choose(given_, options_.kind, given_.kept);
        timer.end(&StageTimes::pruning);
        const Inference& inference = inference_for(kinds_, options_.graph);
        const ArcTotal for_best = inference.total_for_best();
        scorer_.score_arcs(candidates_.arcs, given_.labels, sums ? ArcTotal::sums : for_best, totals_);
        const auto search = inference.begin(scorer_, kinds_, candidates_, options_);
        timer.end(&StageTimes::features);
        if (sums) {
            search->sum(totals_.sums);
            search->find_marginals(marginals_);
        }
        if (least_risk)
            find_least_risk();
        else
            search->find_best(for_best == ArcTotal::best ? totals_.best : totals_.learned, result_);
        if (options_.probabilities) read_probabilities(*search);
        if (result_.tags) search->read_tags(scorer_, result_);
        timer.end(&StageTimes::inference);
        if (kinds_.labels) result_.log_probability += kinds_.labels_follow ? label_in_chains() : label_by_arc();
        timer.end(&StageTimes::labels);
    }

private:
    // The most expected right arcs; with labels, unless those follow.
    void find_least_risk() {
        result_.upper_bound = INFINITY;
        gains_.assign(marginals_.size(), impossible);
        for (std::size_t a = 0; a < candidates_.arcs.size(); ++a) {
            if (totals_.sums[a] == impossible) continue;
            const std::size_t cell = candidates_.cell(a);
            gains_[cell] = marginals_[cell];
            if (!kinds_.labels_follow) gains_[cell] *= std::exp(totals_.best[a] - totals_.sums[a]);
        }
        TreeRef tree{result_.heads, nullptr, 0};
        find_best({gains_.data(), n_, 0}, options_.kind, tree);
    }

    void read_probabilities(TreeSearch& search) {
        const bool is_exact = search.is_exact();
        if (!kinds_.confidence.heads.is_identity() && !is_exact) apply_confidence();
        distrusts_labels_ = !kinds_.confidence.labels.is_identity() && !is_exact;
        if (result_.head_table) std::copy(marginals_.begin(), marginals_.end(), result_.head_table);
        for (int m = 1; m <= n_; ++m)
            result_.head_probabilities[m] = marginals_[static_cast<std::size_t>(result_.heads[m]) * (n_ + 1) + m];
        result_.log_probability = search.log_probability(result_.heads);
        if (result_.asked_tree)
            result_.asked_log_probability =
                is_possible(result_.asked_tree) ? search.log_probability(result_.asked_tree) : -INFINITY;
    }

    // Whether it is one of the trees that count.
    bool is_possible(const int* heads) const {
        for (int m = 1; m <= n_; ++m)
            if (heads[m] < 0 || candidates_.find(heads[m], m) == candidates_.arcs.size()) return false;
        std::vector<int> mark(n_ + 1);
        if (!is_tree(heads, n_, options_.kind.single_root, mark.data())) return false;
        return !options_.kind.projective ||
               treebank::nonprojective_words({heads + 1, static_cast<std::size_t>(n_)}).empty();
    }

    // What the tree's heads get, the others of the word lose, each its share. A head that has no others stays certain.
    void apply_confidence() {
        const int width = n_ + 1;
        for (int m = 1; m <= n_; ++m) {
            double others = 0;
            for (int h = 0; h <= n_; ++h)
                if (h != result_.heads[m]) others += marginals_[static_cast<std::size_t>(h) * width + m];
            double& own = marginals_[static_cast<std::size_t>(result_.heads[m]) * width + m];
            if (!(others > 0) || !(own > 0)) continue;
            const double total = own + others;
            const double found = total * kinds_.confidence.heads(own / total);
            for (int h = 0; h <= n_; ++h)
                if (h != result_.heads[m])
                    marginals_[static_cast<std::size_t>(h) * width + m] *= (total - found) / others;
            own = found;
        }
    }

    // The probability of a label that a word has; in the row, if there is one, the others share what is left as before. What
    // is certain stays so.
    void set_label_probability(int m, double p, double* row) {
        const double found = p < 1 && distrusts_labels_ ? kinds_.confidence.labels(p) : p;
        result_.label_probabilities[m] = found;
        if (!row || found == p) return;
        const int own = result_.labels[m];
        double others = 0;
        for (int l = 0; l < kinds_.labels; ++l) others += l == own ? 0 : row[l];
        for (int l = 0; l < kinds_.labels && others > 0; ++l) row[l] = row[l] / others * (1 - found);
        row[own] = found;
    }

    // Labels after the tree; returns the log-probability of the labels given the heads, if it is asked for.
    double label_in_chains() {
        thread_local std::vector<double> alone, probabilities;
        thread_local std::vector<int> found;
        double log_probability = 0;
        scorer_.set_tree(result_.heads);
        for (const Family& family : families_of(result_.heads, n_)) {
            const LabelChain chain = shorten(scorer_.score_labels(family, given_.labels), alone);
            found.resize(chain.count);
            log_probability += best_chain(chain, found.data());
            for (int i = 0; i < chain.count; ++i) result_.labels[family.modifiers[i]] = found[i];
            if (!options_.probabilities) continue;
            probabilities.resize(static_cast<std::size_t>(chain.count) * chain.labels);
            log_probability -= sum_chain(chain, probabilities.data(), nullptr);
            for (int i = 0; i < chain.count; ++i) {
                const double* row = probabilities.data() + static_cast<std::size_t>(i) * chain.labels;
                double* own = label_row(family.modifiers[i]);
                if (own) std::copy(row, row + chain.labels, own);
                set_label_probability(family.modifiers[i], row[found[i]], own);
            }
        }
        return log_probability;
    }

    // The best label of each arc; returns the log-probability of the labels given the heads, if there are sums to
    // divide by.
    double label_by_arc() {
        double log_probability = 0;
        for (int m = 1; m <= n_; ++m) {
            const std::size_t a = candidates_.find(result_.heads[m], m);
            const int known = given_.labels ? given_.labels[m] : -1;
            result_.labels[m] = known >= 0 ? known : scorer_.best_label(a);
            if (!options_.probabilities) continue;
            const double log_of_label = totals_.best[a] - totals_.sums[a];
            double* row = label_row(m);
            if (row && known < 0) scorer_.label_probabilities(a, row);
            if (row && known >= 0) row[known] = 1;
            set_label_probability(m, std::exp(log_of_label), row);
            log_probability += log_of_label;
        }
        return log_probability;
    }

    // Of the table of all labels; null if nobody asked for it.
    double* label_row(int m) const {
        return result_.label_table ? result_.label_table + static_cast<std::size_t>(m) * kinds_.labels : nullptr;
    }

    const ScoreKinds& kinds_;
    SentenceScorer& scorer_;
    int n_;
    Given given_;
    const ParseOptions& options_;
    ParseRef& result_;
    Candidates candidates_;
    ArcTotals totals_;
    std::vector<double> marginals_, gains_;
    bool distrusts_labels_ = false;
};

// In pieces, if the scorer has scores for such. What is forbidden may leave a piece no tree, or a word no head but one that
// is no top of a piece, though the sentence has trees: then it is parsed at once, however long that takes.
bool parse_long(const Scorer& scorer, std::size_t sentence, Given given, const ParseOptions& options,
                ParseRef& result) {
    if (!given.forbidden || given.forbidden->empty()) return parse_in_pieces(scorer, sentence, given, options, result);
    ParseRef own = result;
    try {
        if (!parse_in_pieces(scorer, sentence, given, options, own)) return false;
        if (given.forbidden->allows(own.heads)) {
            result = own;
            return true;
        }
    } catch (const Infeasible&) {
    }
    if (result.label_table)
        std::fill_n(result.label_table, (scorer.length(sentence) + 1) * static_cast<std::size_t>(scorer.kinds().labels),
                    0.0);
    return false;
}

}  // namespace

void parse(const Scorer& scorer, std::size_t sentence, Given given, const ParseOptions& options, ParseRef& result) {
    result.log_probability = result.value = result.upper_bound = 0;
    const int n = scorer.length(sentence);
    if (n == 0) return;
    if (n > options.exact_length && parse_long(scorer, sentence, given, options, result)) return;
    check_exact_length(n, options.kind);
    StageTimer timer(options.times);
    const ScoreKinds kinds = scorer.kinds();
    const auto own = scorer.begin(sentence);
    with_implied(given, scorer, n,
                 [&](Given known) { SentenceParse(kinds, *own, n, known, options, result).run(timer); });
}

}  // namespace arbora
