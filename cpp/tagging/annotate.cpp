#include "tagging/annotate.hpp"

#include <utility>

#include "support/parallel.hpp"

namespace arbora {
namespace {

using treebank::AnnotatedSentence;
using treebank::Row;

constexpr std::array<std::string_view, stage_count> probability_names{"UposProbability", "MorphProbability",
                                                                      "LemmaProbability"};

void set_columns(const Tagger& tagger, const TagNames& names, const Tagged& found, bool keep, bool lemmas_alone,
                 AnnotatedSentence& sentence) {
    const std::vector<EditScript>& scripts = tagger.stages[lemma_stage].stage->scripts;
    thread_local std::string lemma;
    for (std::size_t word = 0; word < sentence.words(); ++word) {
        Row& row = sentence.block.words[word];
        const auto set = [&](int column, std::string_view value) {
            if (!keep || row[column] == "_") row[column] = value;
        };
        const int upos = found.labels[upos_stage][word], morph = found.labels[morph_stage][word];
        if (!keep || row[2] == "_") {
            make_lemma(scripts[found.labels[lemma_stage][word]], row[1], lemma);
            row[2] = lemma == row[1] ? row[1] : sentence.texts->add(lemma);
        }
        if (lemmas_alone) continue;
        set(3, names.upos[upos]);
        set(4, names.xpos[morph]);
        set(5, names.feats[morph]);
    }
}

// What was given is certain.
void add_probabilities(const Tagged& found, bool keep, AnnotatedSentence& sentence) {
    static constexpr std::array<std::array<int, 2>, stage_count> columns{{{3, 3}, {4, 5}, {2, 2}}};
    for (int s = 0; s < stage_count; ++s) {
        std::vector<double> values = found.probabilities[s];
        for (std::size_t word = 0; keep && word < values.size(); ++word) {
            const Row& row = sentence.block.words[word];
            if (row[columns[s][0]] != "_" && row[columns[s][1]] != "_") values[word] = 1;
        }
        sentence.add_numbers(probability_names[s], std::move(values));
    }
}

void add_candidates(const TagNames& names, const Tagged& found, bool keep, AnnotatedSentence& sentence) {
    sentence.tag_candidates.assign(sentence.words(), {});
    for (std::size_t word = 0; word < sentence.words(); ++word) {
        const std::string_view own = sentence.block.words[word][3];
        if (keep && own != "_") {
            sentence.tag_candidates[word].push_back({own, 1});
            continue;
        }
        for (const TagProbability& each : found.candidates[word])
            sentence.tag_candidates[word].push_back({names.upos[each.tag], each.probability});
    }
    sentence.shows_candidates = true;  // unless a parser chooses among them
}

}  // namespace

void annotate(const Tagger& tagger, std::shared_ptr<const TagNames> names, const TaggingOptions& options, bool keep,
              bool lemmas_alone, int threads, treebank::Batch& batch) {
    parallel_for(batch.sentences.size(), threads, [&](std::size_t i) {
        thread_local std::vector<std::string_view> forms;
        thread_local std::vector<GivenTags> given;
        thread_local Words words;
        thread_local Tagged found;
        AnnotatedSentence& sentence = batch.sentences[i];
        if (!sentence.words()) return;
        forms.clear();
        given.clear();
        for (const Row& row : sentence.block.words) {
            forms.push_back(row[1]);
            if (keep || lemmas_alone) given.push_back({row[3], row[4], row[5]});
        }
        words.set(forms);
        tag(tagger, words, forms, given, options, found);
        // These look at what was given, so it is their turn before the columns are filled.
        if (options.probabilities) add_probabilities(found, keep, sentence);
        if (options.candidates) add_candidates(*names, found, keep, sentence);
        set_columns(tagger, *names, found, keep, lemmas_alone, sentence);
    });
    batch.owners.push_back(std::move(names));
}

}  // namespace arbora
