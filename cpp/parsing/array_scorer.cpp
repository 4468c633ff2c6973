#include "parsing/array_scorer.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <utility>

namespace arbora {
namespace {

// More words than the name of a part has room for.
constexpr int most_words_of_parts = 1 << 14;

std::string root_label_reason(int token) {
    return "the label of token " + std::to_string(token) + " is impossible: `root` is the label of arcs from the root";
}

std::uint64_t name_of(const int* words, int code) {
    std::uint64_t result = static_cast<std::uint64_t>(code);
    for (int w = 0; w < 4; ++w) result = result << 14 | static_cast<std::uint64_t>(words[w]);
    return result;
}

// Where the parts of a list stand, by their names.
class PartPlaces {
public:
    static constexpr std::size_t nowhere = ~std::size_t{0};

    explicit PartPlaces(const PartList& list) {
        places_.reserve(list.count);
        for (std::size_t i = 0; i < list.count; ++i)
            if (!places_.emplace(name_of(list.words + 4 * i, list.codes[i]), i).second)
                throw InvalidScores("a part is listed twice");
    }
    std::size_t find(int kind, const Part& part) const {
        const int words[] = {part.head, part.modifier, part.third, part.fourth};
        const auto found = places_.find(name_of(words, part_kind(kind).code(part)));
        return found == places_.end() ? nowhere : found->second;
    }

private:
    std::unordered_map<std::uint64_t, std::size_t> places_;
};

double log_sum(const double* row, int count) {
    const double top = *std::max_element(row, row + count);
    if (top == impossible) return top;
    double sum = 0;
    for (int l = 0; l < count; ++l) sum += std::exp(row[l] - top);
    return top + std::log(sum);
}

class SentenceArrays final : public SentenceScorer {
public:
    SentenceArrays(const ArrayShape& shape, const ScoreKinds& kinds, const ArraySentence& sentence,
                   const ScoreArrays<double>& gradient)
        : shape_(shape), kinds_(kinds), own_(sentence), gradient_(gradient) {
        for (int k = 0; k < part_kind_count; ++k) places_.emplace_back(sentence.parts[k]);
        list_tags();
    }

    std::vector<Arc> choose(Given given, TreeKind kind, const int* also) override {
        const int n = own_.n, width = n + 1;
        std::vector<double> table(static_cast<std::size_t>(width) * width, impossible);
        for (int m = 1; m <= n; ++m)
            for (int h = 0; h <= n; ++h)
                if (h != m && given.allows(h, m))
                    table[static_cast<std::size_t>(h) * width + m] = total_of(h, m, label_of(given.labels, m)).sum;
        for (int m = 1; also && m <= n; ++m)
            if (also[m] >= 0 && table[static_cast<std::size_t>(also[m]) * width + m] == impossible)
                throw Infeasible("an arc of the tree is impossible: its score is -inf");
        if (shape_.threshold > 0 || shape_.most_heads > 0)
            return prune(table, n, kind, shape_.threshold, shape_.most_heads > 0 ? shape_.most_heads : n, also);
        if (kinds_.parts) check_trees(table, kind);
        std::vector<Arc> arcs;
        for (int m = 1; m <= n; ++m)
            for (int h = 0; h <= n; ++h)
                if (table[static_cast<std::size_t>(h) * width + m] != impossible) arcs.push_back({h, m});
        return arcs;
    }

    void score(const int* known_labels, Candidates& candidates) override {
        candidates.labels = shape_.arcs_have_labels ? shape_.labels : 0;
        const int per_arc = candidates.per_arc();
        candidates.scores.resize(candidates.arcs.size() * per_arc);
        for (std::size_t a = 0; a < candidates.arcs.size(); ++a) {
            const auto [head, modifier] = candidates.arcs[a];
            const double* row = candidates.labels ? labelled_row(head, modifier) : arc_row(head, modifier);
            copy_row(row, per_arc, candidates.labels ? label_of(known_labels, modifier) : -1,
                     candidates.scores.data() + a * per_arc);
        }
    }

    void score_arcs(const std::vector<Arc>& arcs, const int* known_labels, ArcTotal asked, ArcTotals& result) override {
        arcs_ = arcs;
        result.learned.resize(arcs.size());
        result.best.resize(asked == ArcTotal::learned ? 0 : arcs.size());
        result.sums.resize(asked == ArcTotal::sums ? arcs.size() : 0);
        for (std::size_t a = 0; a < arcs.size(); ++a) {
            const Total total = total_of(arcs[a].head, arcs[a].modifier, label_of(known_labels, arcs[a].modifier));
            result.learned[a] = total.best;
            if (asked != ArcTotal::learned) result.best[a] = total.best;
            if (asked == ArcTotal::sums) result.sums[a] = total.sum;
        }
    }

    int best_label(std::size_t arc) const override {
        const double* row = labelled_row(arcs_[arc].head, arcs_[arc].modifier);
        return static_cast<int>(std::max_element(row, row + shape_.labels) - row);
    }

    void label_probabilities(std::size_t arc, double* result) const override {
        const double* row = labelled_row(arcs_[arc].head, arcs_[arc].modifier);
        const double sum = log_sum(row, shape_.labels);
        for (int l = 0; l < shape_.labels; ++l) result[l] = std::exp(row[l] - sum);
    }

    void score_parts(const std::vector<Arc>& arcs, SentenceParts& parts) override {
        parts.set(arcs, own_.n, shape_.parts);
        for (int k = 0; k < part_kind_count; ++k)
            for (std::size_t i = 0; i < parts.parts[k].size(); ++i)
                if (const std::size_t at = places_[k].find(k, parts.parts[k][i]); at != PartPlaces::nowhere)
                    parts.scores[k][i] = own_.scores.parts[k][at];
        if (shape_.tags) score_tags(arcs, parts.tags);
    }

    int tag_at(int word, int place) const override { return tags_[word][place]; }

    void set_tree(const int*) override {}

    LabelChain score_labels(const Family& family, const int* known_labels) override {
        const int labels = shape_.labels, count = static_cast<int>(family.modifiers.size());
        unary_.resize(static_cast<std::size_t>(count) * labels);
        for (int i = 0; i < count; ++i) {
            const int word = family.modifiers[i], known = label_of(known_labels, word);
            if (known >= 0 && !shape_.may_have_label(family.head, known)) throw Infeasible(root_label_reason(word));
            const double* row = barred(family.head, own_.scores.labels + cell(family.head, word) * labels);
            copy_row(row, labels, known, unary_.data() + static_cast<std::size_t>(i) * labels);
        }
        return {unary_.data(), nullptr, count, labels};
    }

    void add_gradient(const Candidates& candidates, const SentenceParts& parts,
                      const ScoreGradient& gradient) override {
        const int per_arc = candidates.per_arc();
        for (std::size_t a = 0; gradient_.arcs && a < candidates.arcs.size(); ++a) {
            double* row = gradient_.arcs + cell(candidates.arcs[a].head, candidates.arcs[a].modifier) * per_arc;
            for (int l = 0; l < per_arc; ++l) row[l] += gradient.arcs[a * per_arc + l];
        }
        for (int k = 0; k < part_kind_count; ++k)
            for (std::size_t i = 0; gradient_.parts[k] && i < parts.parts[k].size(); ++i)
                if (const std::size_t at = places_[k].find(k, parts.parts[k][i]); at != PartPlaces::nowhere)
                    gradient_.parts[k][at] += gradient.parts[k][i];
        if (shape_.tags) add_tag_gradient(candidates.arcs, gradient.tags);
    }

    void add_label_gradient(const Family& family, const std::vector<double>& unary,
                            const std::vector<double>&) override {
        if (!gradient_.labels) return;
        const int labels = shape_.labels;
        for (std::size_t i = 0; i < family.modifiers.size(); ++i)
            for (int l = 0; l < labels; ++l)
                gradient_.labels[cell(family.head, family.modifiers[i]) * labels + l] += unary[i * labels + l];
    }

private:
    struct Total {
        double best, sum;
    };

    static int label_of(const int* known_labels, int word) { return known_labels ? known_labels[word] : -1; }
    std::size_t cell(int head, int modifier) const { return static_cast<std::size_t>(head) * own_.width + modifier; }
    const double* arc_row(int head, int modifier) const {
        return own_.scores.arcs + cell(head, modifier) * (shape_.arcs_have_labels ? shape_.labels : 1);
    }

    const double* labelled_row(int head, int modifier) const { return barred(head, arc_row(head, modifier)); }

    // The scores of labels without those that arcs from this head cannot have; valid until the next call.
    const double* barred(int head, const double* row) const {
        if (shape_.root_label < 0) return row;
        barred_.assign(row, row + shape_.labels);
        for (int l = 0; l < shape_.labels; ++l)
            if (!shape_.may_have_label(head, l)) barred_[l] = impossible;
        return barred_.data();
    }

    // Of an arc, whose label may be known.
    Total total_of(int head, int modifier, int known) const {
        if (!shape_.arcs_have_labels) return {*arc_row(head, modifier), *arc_row(head, modifier)};
        const double* row = labelled_row(head, modifier);
        if (known >= 0) return {row[known], row[known]};
        return {*std::max_element(row, row + shape_.labels), log_sum(row, shape_.labels)};
    }

    static void copy_row(const double* from, int count, int known, double* to) {
        if (known < 0) {
            std::copy(from, from + count, to);
            return;
        }
        std::fill(to, to + count, impossible);
        to[known] = from[known];
    }

    // A graph of arcs that make no tree is not worth making.
    void check_trees(const std::vector<double>& table, TreeKind kind) const {
        std::vector<int> heads(own_.n + 1);
        TreeRef tree{heads.data(), nullptr, 0};
        find_best({table.data(), own_.n, 0}, kind, tree);
    }

    // Words may have the tags that are not impossible.
    void list_tags() {
        if (!shape_.tags) return;
        tags_.resize(own_.n + 1);
        for (int word = 1; word <= own_.n; ++word) {
            for (int tag = 0; tag < shape_.tags; ++tag)
                if (own_.scores.tags[static_cast<std::size_t>(word) * shape_.tags + tag] != impossible)
                    tags_[word].push_back(tag);
            if (tags_[word].empty()) throw Infeasible("token " + std::to_string(word) + " has no possible tag");
        }
    }

    // each(numbers of TagNumbers, place of the array's number) for all tags, links, bigrams and trigrams, in the order of
    // TagNumbers; `end_arc` after the links of each arc.
    template <class Each, class EndArc>
    void for_tags(const std::vector<Arc>& arcs, Each each, EndArc end_arc) const {
        const auto count = static_cast<std::size_t>(shape_.tags);
        for (int word = 1; word <= own_.n; ++word)
            for (int t : tags_[word]) each(&TagNumbers::words, own_.scores.tags, gradient_.tags, word * count + t);
        for (const Arc& arc : arcs) {
            if (arc.head)
                for (int t : tags_[arc.head])
                    for (int u : tags_[arc.modifier])
                        each(&TagNumbers::links, own_.scores.tag_links, gradient_.tag_links,
                             (cell(arc.head, arc.modifier) * count + t) * count + u);
            end_arc();
        }
        const bool has_trigrams = own_.scores.tag_trigrams, has_chain = has_trigrams || own_.scores.tag_bigrams;
        for (int word = 2; has_chain && word <= own_.n; ++word)
            for (int t : tags_[word - 1])
                for (int u : tags_[word])
                    each(&TagNumbers::bigrams, own_.scores.tag_bigrams, gradient_.tag_bigrams,
                         (word * count + t) * count + u);
        for (int word = 3; has_trigrams && word <= own_.n; ++word)
            for (int s : tags_[word - 2])
                for (int t : tags_[word - 1])
                    for (int u : tags_[word])
                        each(&TagNumbers::trigrams, own_.scores.tag_trigrams, gradient_.tag_trigrams,
                             ((word * count + s) * count + t) * count + u);
    }

    void score_tags(const std::vector<Arc>& arcs, TagNumbers& scores) const {
        scores = {};
        scores.begins.assign(1, 0);
        for (int word = 1; word <= own_.n; ++word)
            scores.begins.push_back(scores.begins.back() + static_cast<int>(tags_[word].size()));
        scores.link_begins.assign(1, 0);
        for_tags(
            arcs,
            [&](std::vector<double> TagNumbers::* numbers, const double* from, double*, std::size_t at) {
                (scores.*numbers).push_back(from ? from[at] : 0);
            },
            [&] { scores.link_begins.push_back(scores.links.size()); });
    }

    void add_tag_gradient(const std::vector<Arc>& arcs, const TagNumbers& gradient) const {
        std::size_t next[4] = {};
        for_tags(
            arcs,
            [&](std::vector<double> TagNumbers::* numbers, const double*, double* to, std::size_t at) {
                const int which = numbers == &TagNumbers::words     ? 0
                                  : numbers == &TagNumbers::links   ? 1
                                  : numbers == &TagNumbers::bigrams ? 2
                                                                    : 3;
                const double value = (gradient.*numbers)[next[which]++];
                if (to) to[at] += value;
            },
            [] {});
    }

    const ArrayShape& shape_;
    const ScoreKinds& kinds_;
    const ArraySentence& own_;
    ScoreArrays<double> gradient_;
    std::vector<PartPlaces> places_;      // by kind
    std::vector<std::vector<int>> tags_;  // that words may have
    std::vector<Arc> arcs_;               // of score_arcs
    std::vector<double> unary_;
    mutable std::vector<double> barred_;
};

}  // namespace

ArrayScorer::ArrayScorer(ArrayShape shape, std::vector<ArraySentence> sentences)
    : shape_(shape), sentences_(std::move(sentences)) {
    const bool has_parts = std::any_of(shape.parts.begin(), shape.parts.end(), [](bool used) { return used; });
    for (const ArraySentence& each : sentences_)
        if (has_parts && each.n >= most_words_of_parts)
            throw InvalidScores("parts are for sentences of at most 16383 words");
    kinds_ = {shape.labels, false, shape.labels_follow, has_parts || shape.tags > 0, shape.tags, 1};
}

std::unique_ptr<SentenceScorer> ArrayScorer::begin(std::size_t sentence, const ScoreArrays<double>& gradient) const {
    return std::make_unique<SentenceArrays>(shape_, kinds_, sentences_[sentence], gradient);
}

const int* ArrayScorer::check_gold(std::size_t sentence, GoldTree gold, std::vector<int>& places) const {
    const ArraySentence& own = sentences_[sentence];
    for (int m = 1; gold.labels && m <= own.n; ++m) {
        if (gold.labels[m] < 0 || gold.heads[m] < 0) continue;
        if (shape_.labels && !shape_.may_have_label(gold.heads[m], gold.labels[m]))
            throw Infeasible(root_label_reason(m));
        const std::size_t at =
            (static_cast<std::size_t>(gold.heads[m]) * own.width + m) * shape_.labels + gold.labels[m];
        if ((shape_.arcs_have_labels && own.scores.arcs[at] == impossible) ||
            (shape_.labels_follow && own.scores.labels[at] == impossible))
            throw Infeasible("the label of token " + std::to_string(m) + " is impossible: its score is -inf");
    }
    if (!gold.tags) return nullptr;
    places.assign(own.n + 1, -1);
    for (int word = 1; word <= own.n; ++word) {
        const double* row = own.scores.tags + static_cast<std::size_t>(word) * shape_.tags;
        if (row[gold.tags[word]] == impossible)
            throw Infeasible("the tag of token " + std::to_string(word) + " is impossible: its score is -inf");
        places[word] = static_cast<int>(
            std::count_if(row, row + gold.tags[word], [](double score) { return score != impossible; }));
    }
    return places.data();
}

}  // namespace arbora
