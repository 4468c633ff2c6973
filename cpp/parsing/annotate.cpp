#include "parsing/annotate.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "parsing/candidate_tags.hpp"
#include "parsing/linear_scorer.hpp"
#include "support/interruption.hpp"
#include "support/parallel.hpp"
#include "treebank/forbidden.hpp"
#include "treebank/rendering.hpp"
#include "trees/feasibility.hpp"

namespace arbora {
namespace {

using treebank::AnnotatedSentence;
using treebank::Batch;
using treebank::NoteKind;
using treebank::Row;

constexpr std::string_view head_probability = "HeadProbability", label_probability = "LabelProbability",
                           tag_probability = "UposProbability", tree_log_probability = "tree_log_probability",
                           certificate = "certificate", pieces = "parsed_in_pieces";

void encode(const AnnotatedSentence& sentence, const Names& tags, Encoded& encoded) {
    thread_local std::vector<WordTag> own;
    encoded.clear();
    encoded.begin_sentence();
    for (std::size_t word = 0; word < sentence.words(); ++word) {
        const Row& row = sentence.block.words[word];
        own.clear();
        std::string_view upos = row[3];
        if (tags.count() && !sentence.tag_candidates.empty())
            upos = take_candidates(tags, row[3], sentence.tag_candidates[word], own);
        else if (tags.count())
            upos = read_candidates(tags, row[3], row[9], own);
        encoded.add_word({row[1], row[2], upos, row[4], row[5]});
        for (const WordTag& tag : own) encoded.add_tag(tag);
    }
    encoded.end_sentence();
}

// Where the words of each sentence begin, if those of all are counted.
std::vector<std::size_t> word_starts(const Batch& batch) {
    std::vector<std::size_t> starts{0};
    for (const AnnotatedSentence& sentence : batch.sentences) starts.push_back(starts.back() + sentence.words());
    return starts;
}

// The label of arcs from the root, which no others have. Where a parser knows no other for those, as one of Universal
// Dependencies does not, they all have it.
class RootLabel {
public:
    static constexpr std::string_view name = "root";

    RootLabel(const Names& labels, const Scorer& scorer) {
        const int own = labels.number(name), count = std::min(labels.count(), scorer.kinds().labels);
        is_alone_ = 0 <= own && own < count && count > 1;
        for (int l = 0; is_alone_ && l < count; ++l) is_alone_ = l == own || !scorer.may_have_label(0, l);
    }
    bool allows(int head, std::string_view label) const { return head ? label != name : !is_alone_ || label == name; }

    // Throws Infeasible if a tree is not so: what is given can leave no other.
    template <class LabelOf>
    void check(const int* heads, int n, const LabelOf& label_of) const {
        for (int m = 1; m <= n; ++m) {
            const std::string_view label = label_of(m);
            if (allows(heads[m], label)) continue;
            const std::string token = "token " + std::to_string(m);
            throw InfeasibleToken(m, heads[m] ? "`root` is the label of arcs from the root, and what is given leaves " +
                                                    token + " no such arc"
                                              : "arcs from the root are labelled `root`, and what is given leaves " +
                                                    token + " such an arc and the label `" + std::string(label) + "`");
        }
    }

private:
    bool is_alone_;
};

// What is known beforehand of one sentence, for words 1..n (-1: not known), and which of them do not hang from the root.
struct GivenTree {
    std::vector<int> heads, labels;
    std::vector<char> not_root;
    ForbiddenArcs forbidden;
};

// What is known beforehand of the sentences of a batch.
class GivenTrees {
public:
    GivenTrees(const ParserNames& names, const AnnotationOptions& options, const Batch& batch)
        : names_(names), options_(options), batch_(batch), starts_(word_starts(batch)) {}

    // Labels tell what hangs from the root, even those that the scorer does not know.
    Given of(std::size_t sentence, const Scorer& scorer, GivenTree& result) const {
        const AnnotatedSentence& own = batch_.sentences[sentence];
        const bool from_columns = options_.constraints;
        auto& [heads, labels, not_root, forbidden] = result;
        heads.assign(own.words() + 1, -1);
        labels.assign(own.words() + 1, -1);
        not_root.assign(own.words() + 1, 0);
        if (from_columns) forbidden.set(static_cast<int>(own.words()), own.forbidden);
        const RootLabel root(names_.labels, scorer);
        for (std::size_t word = 0; word < own.words(); ++word) {
            const std::size_t at = starts_[sentence] + word;
            heads[word + 1] = !options_.given_heads.empty() ? options_.given_heads[at]
                              : from_columns                ? own.block.heads[word]
                                                            : -1;
            labels[word + 1] = !options_.given_labels.empty() ? options_.given_labels[at]
                               : from_columns                 ? names_.labels.number(own.block.words[word][7])
                                                              : -1;
            const std::string_view label = from_columns ? own.block.words[word][7] : "_";
            if (label == "_" || heads[word + 1] >= 0) continue;
            if (!root.allows(1, label)) heads[word + 1] = 0;
            not_root[word + 1] = !root.allows(0, label);
        }
        const bool has_heads = from_columns || !options_.given_heads.empty();
        const bool has_labels = from_columns || !options_.given_labels.empty();
        return {has_heads ? heads.data() : nullptr, has_labels ? labels.data() : nullptr,
                from_columns ? not_root.data() : nullptr, from_columns ? &forbidden : nullptr};
    }

private:
    const ParserNames& names_;
    const AnnotationOptions& options_;
    const Batch& batch_;
    std::vector<std::size_t> starts_;
};

// Where the scores of a batch come from: call(scorer, sentence, given) for a sentence of the batch, by its number.
struct LinearSource {
    const LinearParser& parser;
    const Names& tags;

    template <class Call>
    void with_scorer(const Batch& batch, std::size_t i, const Call& call) const {
        thread_local Encoded encoded;
        encoded.set_atoms(parser.model.templates.atoms());
        encode(batch.sentences[i], tags, encoded);
        call(LinearScorer(parser, encoded), 0);
    }
};
struct ScorerSource {
    const Scorer& scorer;

    template <class Call>
    void with_scorer(const Batch&, std::size_t i, const Call& call) const {
        call(scorer, i);
    }
};

// call(sentence number, a scorer, the sentence's number there, what is given of it) for all sentences that have words, in
// parallel.
template <class Source, class Call>
void for_scored(const Source& source, const ParserNames& names, const AnnotationOptions& options, const Batch& batch,
                const Call& call) {
    const GivenTrees all_given(names, options, batch);
    parallel_for(batch.sentences.size(), options.threads, [&](std::size_t i) {
        thread_local GivenTree known;
        if (!batch.sentences[i].words() || batch.sentences[i].refusal.code) return;
        source.with_scorer(batch, i, [&](const Scorer& scorer, std::size_t own) {
            call(i, scorer, own, all_given.of(i, scorer, known));
        });
    });
}

// A given label stays, even one that the model does not know.
std::string_view label_of(const Row& row, int found, const Names& names, bool constraints) {
    return constraints && row[7] != "_" ? row[7] : names.name(found);
}

// Throws Infeasible if what is given leaves a label that is not one of such an arc.
void check_labels(const int* heads, const int* labels, const Names& names, bool constraints, const Scorer& scorer,
                  const AnnotatedSentence& sentence) {
    if (!names.count() || !constraints) return;
    RootLabel(names, scorer).check(heads, static_cast<int>(sentence.words()), [&](int m) {
        return label_of(sentence.block.words[m - 1], labels[m], names, constraints);
    });
}

// What a file says of how sure its tree is, which is not that of another tree.
void forget_findings(AnnotatedSentence& sentence) {
    const auto says_it = [](const Row& row) { return row[9].find("Probability=") != std::string_view::npos; };
    if (std::any_of(sentence.block.words.begin(), sentence.block.words.end(), says_it))
        sentence.erased.insert(sentence.erased.end(), {head_probability, label_probability});
    for (const std::string_view comment : sentence.block.comments)
        for (const std::string_view key : {tree_log_probability, certificate, pieces})
            if (treebank::is_note(comment, key)) sentence.erased.push_back(key);
}

// Heads and labels of words 1..n. DEPS stays where the head is the one that was there.
void set_tree(const int* heads, const int* labels, const Names& names, bool constraints, AnnotatedSentence& sentence) {
    forget_findings(sentence);
    for (std::size_t word = 0; word < sentence.words(); ++word) {
        Row& row = sentence.block.words[word];
        if (sentence.block.heads[word] != heads[word + 1]) row[8] = "_";
        sentence.block.heads[word] = heads[word + 1];
        row[7] = label_of(row, labels[word + 1], names, constraints);
    }
}

// The only tag that a word may have stays, even one that the parser does not know.
void set_tags(const int* tags, const Names& names, AnnotatedSentence& sentence) {
    const auto& listed = sentence.tag_candidates;
    for (std::size_t word = 0; word < sentence.words(); ++word)
        sentence.block.words[word][3] =
            !listed.empty() && listed[word].size() == 1 ? listed[word][0].tag : names.name(tags[word + 1]);
    sentence.tag_candidates.clear();
    sentence.shows_candidates = false;
    sentence.erased.push_back(treebank::candidates_key);
}

void add_numbers(std::string_view name, const std::vector<double>& all, const Parses& parses, std::size_t i,
                 AnnotatedSentence& sentence) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(parses.starts[i]) + 1;
    sentence.add_numbers(name, {begin, begin + parses.length(i)});
}

void add_findings(const Parses& parses, std::size_t i, bool certificates, AnnotatedSentence& sentence) {
    if (!parses.tag_probabilities.empty()) add_numbers(tag_probability, parses.tag_probabilities, parses, i, sentence);
    if (!parses.head_probabilities.empty()) {
        add_numbers(head_probability, parses.head_probabilities, parses, i, sentence);
        for (double& probability : sentence.numbers.back().values) probability *= sentence.certainty;
        add_numbers(label_probability, parses.label_probabilities, parses, i, sentence);
        sentence.add_note({tree_log_probability, NoteKind::measure, parses.log_probabilities[i]});
    }
    if (certificates) sentence.add_note({certificate, NoteKind::certificate, parses.gap(i)});
    if (parses.pieces[i] > 1) sentence.add_note({pieces, NoteKind::count, static_cast<double>(parses.pieces[i])});
}

// The k best labelled trees of a sentence, in order; and why it has none, if it is refused.
struct RankedTrees {
    std::vector<LabelledTree> trees;
    treebank::Refusal refusal;
};

template <class Source>
std::vector<RankedTrees> find_kbest_trees(const Source& source, const ParserNames& names,
                                          const AnnotationOptions& options, int k, const Batch& batch) {
    std::vector<RankedTrees> result(batch.sentences.size());
    for_scored(source, names, options, batch, [&](std::size_t i, const Scorer& scorer, std::size_t own, Given given) {
        const ParseError error = fault_of(scorer.length(own), [&] {
            std::vector<LabelledTree> trees = parse_kbest(scorer, own, given, options.parse, k);
            for (const LabelledTree& tree : trees)
                check_labels(tree.heads.data(), tree.labels.data(), names.labels, options.constraints, scorer,
                             batch.sentences[i]);
            result[i].trees = std::move(trees);
        });
        if (!error.reason.empty()) result[i].refusal = {code_of(error.fault), error.reason, error.token};
    });
    return result;
}

// What is asked of the parser, and what it says.
template <class Source>
Parses parse_batch(const Source& source, const ParserNames& names, const AnnotationOptions& options,
                   const Batch& batch) {
    std::vector<int> lengths;
    for (const AnnotatedSentence& sentence : batch.sentences) lengths.push_back(static_cast<int>(sentence.words()));
    Parses parses(lengths, {options.parse.probabilities, names.tags.count() > 0});
    for_scored(source, names, options, batch, [&](std::size_t i, const Scorer& scorer, std::size_t own, Given given) {
        parses.run(i, [&](ParseRef& ref) {
            parse(scorer, own, given, options.parse, ref);
            check_labels(ref.heads, ref.labels, names.labels, options.constraints, scorer, batch.sentences[i]);
        });
    });
    return parses;
}

// What MISC forbids binds with the columns; a sentence in which it makes no sense is refused.
void read_forbidden(const AnnotationOptions& options, Batch& batch) {
    for (std::size_t i = 0; options.constraints && i < batch.sentences.size(); ++i)
        treebank::read_forbidden(batch.sentences[i]);
}

template <class Source>
void annotate_from(const Source& source, std::shared_ptr<const ParserNames> names, const AnnotationOptions& options,
                   Batch& batch) {
    read_forbidden(options, batch);
    const Parses parses = parse_batch(source, *names, options, batch);
    parallel_for(batch.sentences.size(), options.threads, [&](std::size_t i) {
        AnnotatedSentence& sentence = batch.sentences[i];
        if (!sentence.words() || sentence.refusal.code) return;
        if (!parses.has_tree(i)) {
            const ParseError& error = parses.errors[i];
            sentence.refusal = {code_of(error.fault), error.reason, error.token};
            return;
        }
        const std::size_t at = parses.starts[i];
        set_tree(parses.heads.data() + at, parses.labels.data() + at, names->labels, options.constraints, sentence);
        if (!parses.tags.empty()) set_tags(parses.tags.data() + at, names->tags, sentence);
        add_findings(parses, i, options.parse.certificates, sentence);
    });
    batch.owners.push_back(std::move(names));
}

template <class Source>
Batch annotate_kbest_from(const Source& source, std::shared_ptr<const ParserNames> names,
                          const AnnotationOptions& options, int k, Batch& batch) {
    read_forbidden(options, batch);
    const std::vector<RankedTrees> found = find_kbest_trees(source, *names, options, k, batch);
    Batch result;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (found[i].trees.empty()) {
            result.sentences.push_back(batch.sentences[i].copy());
            if (found[i].refusal.code) result.sentences.back().refusal = found[i].refusal;
        }
        int rank = 0;
        for (const LabelledTree& tree : found[i].trees) {
            Interruption::heed();
            AnnotatedSentence& copy = result.sentences.emplace_back(batch.sentences[i].copy());
            set_tree(tree.heads.data(), tree.labels.data(), names->labels, options.constraints, copy);
            copy.add_note({treebank::kbest_rank_note, NoteKind::count, static_cast<double>(++rank)});
            copy.add_note({tree_log_probability, NoteKind::measure, tree.score});
        }
    }
    result.owners = batch.owners;
    result.owners.push_back(std::move(names));
    return result;
}

}  // namespace

void annotate(const LinearParser& parser, std::shared_ptr<const ParserNames> names, const AnnotationOptions& options,
              Batch& batch) {
    const LinearSource source{parser, names->tags};
    annotate_from(source, std::move(names), options, batch);
}

void annotate(const Scorer& scorer, std::shared_ptr<const ParserNames> names, const AnnotationOptions& options,
              Batch& batch) {
    annotate_from(ScorerSource{scorer}, std::move(names), options, batch);
}

Batch annotate_kbest(const LinearParser& parser, std::shared_ptr<const ParserNames> names,
                     const AnnotationOptions& options, int k, Batch& batch) {
    const LinearSource source{parser, names->tags};
    return annotate_kbest_from(source, std::move(names), options, k, batch);
}

Batch annotate_kbest(const Scorer& scorer, std::shared_ptr<const ParserNames> names, const AnnotationOptions& options,
                     int k, Batch& batch) {
    return annotate_kbest_from(ScorerSource{scorer}, std::move(names), options, k, batch);
}

}  // namespace arbora
