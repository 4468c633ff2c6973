#include "parsing/judging.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "parsing/stages.hpp"

namespace arbora {
namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

// A parse with all its probabilities.
struct FullParse {
    std::vector<int> heads, labels;
    std::vector<double> head_probabilities, label_probabilities, table;
    double asked_log_probability = not_known;

    FullParse(const Scorer& scorer, std::size_t sentence, Given given, const ParseOptions& options,
              const int* asked_tree) {
        const std::size_t width = scorer.length(sentence) + 1;
        heads.assign(width, -1);
        labels = heads;
        head_probabilities.assign(width, 0);
        label_probabilities = head_probabilities;
        table.assign(width * width, 0);
        ParseRef ref{heads.data(), labels.data(), head_probabilities.data(), label_probabilities.data(), 0};
        ref.head_table = table.data();
        ref.asked_tree = asked_tree;
        parse(scorer, sentence, given, options, ref);
        asked_log_probability = ref.asked_log_probability;
    }
};

void sort(std::vector<Choice>& choices) {
    std::stable_sort(choices.begin(), choices.end(),
                     [](const Choice& a, const Choice& b) { return a.probability > b.probability; });
}

class Judge {
public:
    Judge(const Scorer& scorer, std::size_t sentence, const int* heads, const int* labels, const ParseOptions& options,
          double least)
        : scorer_(scorer),
          kinds_(scorer.kinds()),
          sentence_(sentence),
          n_(scorer.length(sentence)),
          heads_(heads),
          labels_(labels),
          options_(options),
          least_(least) {
        options_.probabilities = true;
        is_whole_ = std::none_of(heads + 1, heads + n_ + 1, [](int head) { return head < 0; });
    }

    Judgement run() {
        const std::size_t width = n_ + 1;
        result_.head_probabilities.assign(width, not_known);
        result_.label_probabilities.assign(width, not_known);
        result_.best_probabilities.assign(width, 0);
        result_.best_heads.assign(width, -1);
        result_.best_labels.assign(width, -1);
        result_.heads.resize(width);
        result_.labels.resize(width);
        if (n_ == 0) return std::move(result_);
        complete();
        judge_heads(parse_freely());
        if (kinds_.labels) judge_labels();
        return std::move(result_);
    }

private:
    // The tree with the best heads where none are known: of the trees that the parser may find, or else of any.
    void complete() {
        tree_.assign(heads_, heads_ + n_ + 1);
        if (is_whole_) return;
        for (const TreeKind kind : {options_.kind, TreeKind{false, false}}) {
            ParseOptions options = options_;
            options.kind = kind;
            try {
                Given given;
                given.heads = heads_;
                tree_ = FullParse(scorer_, sentence_, given, options, nullptr).heads;
                return;
            } catch (const Infeasible&) {  // by what the scores rule out
            }
        }
    }

    bool is_completed() const {
        return std::none_of(tree_.begin() + 1, tree_.end(), [](int head) { return head < 0; });
    }

    FullParse parse_freely() const {
        const int* asked = is_whole_ ? heads_ : nullptr;
        if (is_completed()) {
            Given given;
            given.kept = tree_.data();
            try {
                return FullParse(scorer_, sentence_, given, options_, asked);
            } catch (const Infeasible&) {  // its arcs are impossible by the scores
            }
        }
        return FullParse(scorer_, sentence_, {}, options_, asked);
    }

    void judge_heads(FullParse found) {
        const std::size_t width = n_ + 1;
        result_.log_probability = found.asked_log_probability;
        for (int m = 1; m <= n_; ++m) {
            if (tree_[m] < 0) tree_[m] = found.heads[m];
            if (heads_[m] >= 0) result_.head_probabilities[m] = found.table[heads_[m] * width + m];
            result_.best_probabilities[m] =
                found.head_probabilities[m] * (kinds_.labels ? found.label_probabilities[m] : 1);
            for (int h = 0; h <= n_; ++h)
                if (const double p = found.table[h * width + m]; p > 0 && p >= least_)
                    result_.heads[m].push_back({h, p});
            sort(result_.heads[m]);
        }
        result_.best_heads = std::move(found.heads);
        result_.best_labels = std::move(found.labels);
    }

    void judge_labels() {
        const auto own = scorer_.begin(sentence_);
        if (kinds_.labels_follow)
            judge_chains(*own);
        else
            judge_by_arc(*own);
    }

    // Labels after the tree, along the words below each head.
    void judge_chains(SentenceScorer& own) {
        std::vector<double> alone, bound, probabilities;
        own.set_tree(tree_.data());
        for (const Family& family : families_of(tree_.data(), n_)) {
            const LabelChain chain = shorten(own.score_labels(family, nullptr), alone);
            probabilities.resize(static_cast<std::size_t>(chain.count) * chain.labels);
            const double total = sum_chain(chain, probabilities.data(), nullptr);
            for (int i = 0; i < chain.count; ++i)
                judge_label(family.modifiers[i], probabilities.data() + static_cast<std::size_t>(i) * chain.labels);
            result_.log_probability += sum_known(chain, family, bound) - total;
        }
    }

    // The sum over the labels of a chain that go with those that are known.
    double sum_known(const LabelChain& chain, const Family& family, std::vector<double>& bound) const {
        const std::size_t labels = chain.labels;
        bound.assign(chain.unary, chain.unary + chain.count * labels);
        for (int i = 0; i < chain.count; ++i) {
            const int known = labels_[family.modifiers[i]];
            if (known == -1) continue;
            if (known < 0 || chain.unary_at(i, known) == impossible) return impossible;
            for (std::size_t l = 0; l < labels; ++l)
                if (static_cast<int>(l) != known) bound[i * labels + l] = impossible;
        }
        std::vector<double> unused(bound.size());
        return sum_chain({bound.data(), chain.siblings, chain.count, chain.labels}, unused.data(), nullptr);
    }

    void judge_by_arc(SentenceScorer& own) {
        Candidates tree;
        tree.n = n_;
        for (int m = 1; m <= n_; ++m) tree.arcs.push_back({tree_[m], m});
        ArcTotals totals;
        own.score_arcs(tree.arcs, nullptr, ArcTotal::sums, totals);
        std::vector<double> row(kinds_.labels);
        for (int m = 1; m <= n_; ++m) {
            if (totals.sums[m - 1] == impossible)
                std::fill(row.begin(), row.end(), 0.0);
            else
                own.label_probabilities(m - 1, row.data());
            judge_label(m, row.data());
            if (labels_[m] != -1) result_.log_probability += std::log(result_.label_probabilities[m]);
        }
    }

    void judge_label(int word, const double* probabilities) {
        if (labels_[word] != -1)
            result_.label_probabilities[word] = labels_[word] < 0 ? 0 : probabilities[labels_[word]];
        for (int l = 0; l < kinds_.labels; ++l)
            if (probabilities[l] > 0 && probabilities[l] >= least_)
                result_.labels[word].push_back({l, probabilities[l]});
        sort(result_.labels[word]);
    }

    const Scorer& scorer_;
    const ScoreKinds kinds_;
    std::size_t sentence_;
    int n_;
    const int *heads_, *labels_;
    ParseOptions options_;
    double least_;
    bool is_whole_;
    std::vector<int> tree_;  // that is judged, completed
    Judgement result_;
};

}  // namespace

Judgement judge(const Scorer& scorer, std::size_t sentence, const int* heads, const int* labels,
                const ParseOptions& options, double least) {
    return Judge(scorer, sentence, heads, labels, options, least).run();
}

}  // namespace arbora
