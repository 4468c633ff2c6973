#include "parsing/pieces.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string>
#include <utility>

#include "parsing/inference.hpp"
#include "parsing/planar_forest.hpp"
#include "trees/feasibility.hpp"

namespace arbora {
namespace {

// Tables of arcs and charts of so many words have some hundred megabytes.
constexpr int most_words = 5000, most_projective_words = 2000;

// Some words of a sentence, parsed as a sentence of their own. Numbers of words are local: 1 is the first of `words`.
struct Excerpt {
    std::vector<int> words;  // as the sentence counts them
    // What is given, with a place for the root.
    std::vector<int> given_heads, given_labels;
    std::vector<char> not_root;
    bool has_outer = false;     // some have heads elsewhere: then no other word hangs from the root
    bool is_top_level = false;  // the root is that of the sentence
    // What is found.
    std::vector<int> heads, labels, tags;
    std::vector<double> head_probabilities, label_probabilities, tag_probabilities, head_table, label_table;
    double log_probability = 0;

    explicit Excerpt(std::vector<int> chosen)
        : words(std::move(chosen)), given_heads(width(), -1), given_labels(width(), -1), not_root(width(), 0) {}
    std::size_t width() const { return words.size() + 1; }
    int word_at(int place) const { return place ? words[place - 1] : 0; }
};

std::vector<int> range(int begin, int end) {
    std::vector<int> result(end - begin);
    std::iota(result.begin(), result.end(), begin);
    return result;
}

// How many arcs between words cross the gap before each word.
std::vector<int> count_crossings(const int* heads, int n) {
    std::vector<int> result(n + 2, 0);
    for (int m = 1; m <= n; ++m) {
        if (heads[m] <= 0) continue;
        ++result[std::min(m, heads[m]) + 1];
        --result[std::max(m, heads[m]) + 1];
    }
    std::partial_sum(result.begin(), result.end(), result.begin());
    return result;
}

// The trees of pieces prove nothing about the whole: nothing is spent on certificates.
ParseOptions without_certificates(ParseOptions options) {
    if (!options.graph.certify) return options;
    options.certificates = options.graph.certify = false;
    options.graph.nodes = 0;
    options.graph.iterations = std::min(options.graph.iterations, GraphOptions{}.iterations);
    return options;
}

// How many words are looked at to find the end of a piece: half as many where solvers come near to the best tree step by step,
// which takes several times as long for pieces of twice the length.
int window_for(const Scorer& scorer, std::size_t sentence, const ParseOptions& options) {
    const int whole = std::max(8, options.exact_length / 4);
    const ScoreKinds kinds = scorer.kinds();
    if (!kinds.parts || scorer.length(sentence) < whole) return whole;
    const auto first = scorer.excerpt(sentence, range(1, whole + 1));
    const auto own = first->begin(0);
    Candidates candidates;
    candidates.n = whole;
    candidates.arcs = own->choose({}, options.kind, nullptr);
    own->score(nullptr, candidates);
    SentenceParts parts;
    own->score_parts(candidates.arcs, parts);
    const bool is_exact = inference_for(kinds, options.graph).is_exact(parts, options.kind, options.graph);
    return is_exact ? whole : std::max(8, whole / 2);
}

class PieceByPiece {
public:
    PieceByPiece(const Scorer& scorer, std::size_t sentence, Given given, const ParseOptions& options, ParseRef& result)
        : scorer_(scorer),
          sentence_(sentence),
          n_(scorer.length(sentence)),
          labels_(scorer.kinds().labels),
          given_(given),
          options_(without_certificates(options)),
          result_(result),
          window_(window_for(scorer, sentence, options)) {
        heads_.assign(n_ + 1, -1);
        if (result.head_table) top_of_.assign(n_ + 1, 0);
        if (given.heads) std::copy(given.heads + 1, given.heads + n_ + 1, heads_.begin() + 1);
        crossings_ = count_crossings(heads_.data(), n_);
    }

    void run() {
        result_.pieces = 0;
        for (int begin = 1; begin <= n_; ++result_.pieces) {
            const int end = find_end(begin);
            is_tied_ |= crossings_[begin] > 0;
            add_piece(begin, end);
            begin = end;
        }
        if (options_.kind.single_root && !tops_.empty()) join_tops();
        if (is_tied_ && options_.kind.projective) make_projective();
        std::copy(heads_.begin() + 1, heads_.end(), result_.heads + 1);
        label_elsewhere();
        result_.upper_bound = INFINITY;
    }

private:
    // Where the piece ends that begins with a word: between the half and three quarters of the words that are looked at,
    // where the fewest arcs cross of the best tree by arcs alone.
    int find_end(int begin) const {
        if (n_ - begin + 1 <= window_) return n_ + 1;
        const std::vector<int> heads = skeleton(range(begin, begin + window_));
        const std::vector<int> crossings = count_crossings(heads.data(), window_);
        const auto cost = [&](int place) { return std::pair(crossings_[begin + place - 1], crossings[place]); };
        int best = window_ / 2 + 1;
        for (int place = best; place <= window_ * 3 / 4; ++place)
            if (cost(place) <= cost(best)) best = place;
        return begin + best - 1;
    }

    // The heads of the best tree over some words by the scores of arcs alone; what could be sentences may have roots of their
    // own.
    std::vector<int> skeleton(const std::vector<int>& words) const {
        const auto scorer = scorer_.excerpt(sentence_, words);
        const auto own = scorer->begin(0);
        ParseOptions options = options_;
        options.kind.single_root = false;
        Candidates candidates;
        ArcTotals totals;
        candidates.n = window_;
        candidates.arcs = own->choose({}, options.kind, nullptr);
        own->score_arcs(candidates.arcs, nullptr, ArcTotal::best, totals);
        std::vector<int> heads(window_ + 1, -1);
        ParseRef found{heads.data(), nullptr, nullptr, nullptr, 0};
        table_inference().begin(*own, scorer->kinds(), candidates, options)->find_best(totals.best, found);
        return heads;
    }

    Excerpt make_piece(int begin, int end) const {
        Excerpt piece(range(begin, end));
        for (int m = begin; m < end; ++m) {
            if (heads_[m] < 0) continue;
            // Arcs that stand for others would cross where those do not: what cannot stay is found out at the end.
            const bool is_inner = begin <= heads_[m] && heads_[m] < end;
            const int above = is_inner ? heads_[m] : options_.kind.projective ? 0 : nearest_above(m, begin, end);
            piece.given_heads[m - begin + 1] = above ? above - begin + 1 : 0;
            piece.has_outer |= !above && options_.kind.single_root;
        }
        set_labels(piece);
        for (std::size_t place = 1; piece.has_outer && place < piece.width(); ++place)
            piece.not_root[place] = piece.given_heads[place] != 0;
        return piece;
    }

    std::string because() const {
        return "in pieces, as sentences of more than " + std::to_string(options_.exact_length) + " words are parsed";
    }

    // The nearest word above one that has a head, among those from `begin` up to `end`; 0 if there is none as far as heads
    // are known.
    int nearest_above(int word, int begin, int end) const {
        int above = heads_[word], steps = 0;
        while (above > 0 && !(begin <= above && above < end) && ++steps <= n_) above = heads_[above];
        if (above == word || steps > n_)
            throw InfeasibleToken(word, "the heads that are given have a cycle above token " + std::to_string(word));
        return std::max(above, 0);
    }

    void set_labels(Excerpt& excerpt) const {
        for (std::size_t place = 1; given_.labels && place < excerpt.width(); ++place)
            excerpt.given_labels[place] = given_.labels[excerpt.words[place - 1]];
    }

    void parse_excerpt(Excerpt& own, ParseOptions options, bool has_tables) const {
        const auto scorer = scorer_.excerpt(sentence_, own.words);
        if (own.has_outer) options.kind.single_root = false;
        own.heads.assign(own.width(), -1);
        own.labels = own.tags = own.heads;
        own.head_probabilities.assign(own.width(), 0);
        own.label_probabilities = own.tag_probabilities = own.head_probabilities;
        ParseRef ref{own.heads.data(), own.labels.data(), own.head_probabilities.data(), own.label_probabilities.data(),
                     0};
        if (has_tables) {
            own.head_table.assign(own.width() * own.width(), 0);
            ref.head_table = own.head_table.data();
            own.label_table.assign(own.width() * labels_, 0);
            ref.label_table = result_.label_table ? own.label_table.data() : nullptr;
        }
        if (result_.tags) ref.tags = own.tags.data();
        if (result_.tags && options.probabilities) ref.tag_probabilities = own.tag_probabilities.data();
        // The root of a piece stands for heads elsewhere, unless trees may have several roots.
        ForbiddenArcs forbidden;
        if (given_.forbidden)
            forbidden = given_.forbidden->among(own.words, own.is_top_level || !options_.kind.single_root);
        const Given given{own.given_heads.data(), given_.labels ? own.given_labels.data() : nullptr,
                          own.has_outer ? own.not_root.data() : nullptr, given_.forbidden ? &forbidden : nullptr};
        try {
            // Many tops are no better than a long sentence, and less like one.
            if (static_cast<int>(own.words.size()) > window_)
                parse_in_pieces(*scorer, 0, given, options, ref);
            else
                parse(*scorer, 0, given, options, ref);
        } catch (const Infeasible&) {
            throw Infeasible("no tree goes with what is given for tokens " + std::to_string(own.words.front()) +
                             " to " + std::to_string(own.words.back()) + ", " + because());
        }
        own.log_probability = ref.log_probability;
    }

    void add_piece(int begin, int end) {
        Excerpt piece = make_piece(begin, end);
        try {
            parse_excerpt(piece, options_, result_.head_table);
        } catch (const Infeasible&) {
            if (!is_tied_ || !options_.kind.projective) throw;
            piece = Excerpt(range(begin, end));
            parse_excerpt(piece, options_, result_.head_table);
        }
        result_.log_probability += piece.log_probability;
        int top = 0;
        for (int m = begin; m < end; ++m) {
            const int place = m - begin + 1, head = piece.word_at(piece.heads[place]);
            keep_label(piece, place);
            if (options_.probabilities) result_.head_probabilities[m] = piece.head_probabilities[place];
            if (result_.tags) result_.tags[m] = piece.tags[place];
            if (result_.tag_probabilities) result_.tag_probabilities[m] = piece.tag_probabilities[place];
            if (heads_[m] > 0 && heads_[m] != head) elsewhere_.push_back(m);
            if (heads_[m] < 0 && (head || !options_.kind.single_root)) heads_[m] = head;
            if (heads_[m] <= 0 && options_.kind.single_root) tops_.push_back(top = m);
        }
        if (result_.head_table) fill_heads(piece, top);
    }

    // The label of a word, with probabilities.
    void keep_label(const Excerpt& from, int place) {
        const int word = from.words[place - 1];
        result_.labels[word] = from.labels[place];
        if (!options_.probabilities) return;
        result_.label_probabilities[word] = from.label_probabilities[place];
        if (result_.label_table)
            std::copy_n(from.label_table.data() + static_cast<std::size_t>(place) * labels_, labels_,
                        result_.label_table + static_cast<std::size_t>(word) * labels_);
    }

    // Columns of the table of heads; if the piece has a top, row 0 is shared among the heads of tops later.
    void fill_heads(const Excerpt& piece, int top) {
        for (std::size_t place = 1; place < piece.width(); ++place) {
            const int word = piece.words[place - 1];
            top_of_[word] = top;
            if (given_.heads && given_.heads[word] >= 0) {
                cell(given_.heads[word], word) = 1;
                continue;
            }
            for (std::size_t head = 0; head < piece.width(); ++head)
                cell(piece.word_at(static_cast<int>(head)), word) = piece.head_table[head * piece.width() + place];
        }
    }

    void join_tops() {
        Excerpt tops(tops_);
        tops.is_top_level = true;
        for (std::size_t place = 1; place < tops.width(); ++place) tops.given_heads[place] = heads_[tops_[place - 1]];
        set_labels(tops);
        parse_excerpt(tops, options_, result_.head_table);
        result_.log_probability += tops.log_probability;
        for (std::size_t place = 1; place < tops.width(); ++place) {
            const int word = tops_[place - 1];
            heads_[word] = tops.word_at(tops.heads[place]);
            keep_label(tops, static_cast<int>(place));
            if (options_.probabilities) result_.head_probabilities[word] *= tops.head_probabilities[place];
        }
        for (int word = 1; result_.head_table && word <= n_; ++word) {
            share_chance_of_top(tops, word);
            if (given_.forbidden && !given_.forbidden->empty()) take_from_forbidden(word);
        }
    }

    // The chance of a word to be the top of its piece, shared among the heads that the top may have.
    void share_chance_of_top(const Excerpt& tops, int word) {
        const double chance = std::exchange(cell(0, word), 0.0);
        if (chance == 0) return;
        const std::size_t place = std::lower_bound(tops_.begin(), tops_.end(), top_of_[word]) - tops_.begin() + 1;
        for (std::size_t head = 0; head < tops.width(); ++head)
            cell(tops.word_at(static_cast<int>(head)), word) += chance * tops.head_table[head * tops.width() + place];
    }

    // What forbidden heads have of it, the others of the word get, each its share.
    void take_from_forbidden(int word) {
        double total = 0;
        for (int head = 0; head <= n_; ++head) {
            if (given_.forbidden->has(head, word)) cell(head, word) = 0;
            total += cell(head, word);
        }
        for (int head = 0; total > 0 && head <= n_; ++head) cell(head, word) /= total;
    }

    // Heads that are given may cross those that pieces have found: the former stay, and of the latter those that go with
    // them, the nearest first. Words that lose their heads get others, which have no probability.
    void make_projective() {
        PlanarForest forest(n_);
        for (int m = 1; m <= n_; ++m)
            if (given_.heads[m] >= 0 && !forest.add(given_.heads[m], m))
                throw InfeasibleToken(m, "the heads that are given leave no projective tree: that of token " +
                                             std::to_string(m) + " does not go with others");
        std::vector<int> order = range(1, n_ + 1);
        // The root first: it has none but itself to take its place.
        const auto distance = [&](int m) { return heads_[m] ? std::abs(heads_[m] - m) : 0; };
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return distance(a) < distance(b); });
        for (int m : order) forest.add(heads_[m], m);
        forest.complete();
        for (int m = 1; m <= n_; ++m) {
            if (heads_[m] == forest.heads()[m]) continue;
            heads_[m] = forest.heads()[m];
            elsewhere_.push_back(m);
            if (options_.probabilities) result_.head_probabilities[m] = 0;
        }
    }

    // Labels of arcs that are in no piece: by the two words alone.
    void label_elsewhere() {
        for (int word : elsewhere_) {
            const int head = heads_[word];
            Excerpt both(head ? std::vector<int>{std::min(head, word), std::max(head, word)} : std::vector<int>{word});
            both.given_heads[head && word < head ? 2 : 1] = 0;
            if (head) both.given_heads[word < head ? 1 : 2] = word < head ? 2 : 1;
            set_labels(both);
            parse_excerpt(both, options_, result_.label_table);
            keep_label(both, head && head < word ? 2 : 1);
        }
    }

    double& cell(int head, int modifier) {
        return result_.head_table[static_cast<std::size_t>(head) * (n_ + 1) + modifier];
    }

    const Scorer& scorer_;
    std::size_t sentence_;
    int n_, labels_;
    Given given_;
    const ParseOptions options_;
    ParseRef& result_;
    int window_;                      // how many words are looked at to find the end of a piece
    std::vector<int> heads_;          // that are given, and those found so far; -1: not yet
    std::vector<int> crossings_;      // how many arcs that are given cross the gap before each word
    std::vector<int> tops_, top_of_;  // words without a head in their piece, and those of words' pieces
    std::vector<int> elsewhere_;      // words whose heads are not those that pieces have found
    bool is_tied_ = false;            // arcs that are given cross from piece to piece
};

std::string words_text(int n) { return std::to_string(n) + " words"; }

}  // namespace

bool parse_in_pieces(const Scorer& scorer, std::size_t sentence, Given given, const ParseOptions& options,
                     ParseRef& result) {
    const std::vector<int> one{1};
    if (!scorer.excerpt(sentence, one)) return false;
    PieceByPiece(scorer, sentence, given, options, result).run();
    return true;
}

void check_exact_length(int n, TreeKind kind) {
    const int most = kind.projective ? most_projective_words : most_words;
    if (n > most)
        throw TooLong("it has " + words_text(n) + ", and at most " + words_text(most) +
                      " can be parsed by these scores");
}

void check_kbest_length(int n, const ParseOptions& options) {
    if (n > options.exact_length)
        throw TooLong("it has " + words_text(n) + ", and k best trees are found for at most " +
                      words_text(options.exact_length) + " (exact_length)");
}

}  // namespace arbora
