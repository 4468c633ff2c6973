#include "tagging/annotate.hpp"

#include <utility>

#include "support/parallel.hpp"

namespace arbora {
namespace {

using treebank::AnnotatedSentence;
using treebank::Row;

constexpr std::array<std::string_view, stage_count> probability_names{"UposProbability", "MorphProbability",
                                                                      "LemmaProbability"};

void set_columns(const Tagger& tagger, const TagNames& names, const Tagged& found, AnnotatedSentence& sentence) {
    const std::vector<EditScript>& scripts = tagger.stages[lemma_stage].stage->scripts;
    thread_local std::string lemma;
    for (std::size_t word = 0; word < sentence.words(); ++word) {
        Row& row = sentence.block.words[word];
        const int upos = found.labels[upos_stage][word], morph = found.labels[morph_stage][word];
        make_lemma(scripts[found.labels[lemma_stage][word]], row[1], lemma);
        row[2] = lemma == row[1] ? row[1] : sentence.texts->add(lemma);
        row[3] = names.upos[upos];
        row[4] = names.xpos[morph];
        row[5] = names.feats[morph];
    }
}

void add_candidates(const TagNames& names, const Tagged& found, AnnotatedSentence& sentence) {
    sentence.tag_candidates.assign(sentence.words(), {});
    for (std::size_t word = 0; word < sentence.words(); ++word)
        for (const TagProbability& each : found.candidates[word])
            sentence.tag_candidates[word].push_back({names.upos[each.tag], each.probability});
    sentence.shows_candidates = true;  // unless a parser chooses among them
}

}  // namespace

void annotate(const Tagger& tagger, std::shared_ptr<const TagNames> names, const TaggingOptions& options, int threads,
              treebank::Batch& batch) {
    parallel_for(batch.sentences.size(), threads, [&](std::size_t i) {
        thread_local std::vector<std::string_view> forms;
        thread_local Words words;
        thread_local Tagged found;
        AnnotatedSentence& sentence = batch.sentences[i];
        if (!sentence.words()) return;
        forms.clear();
        for (const Row& row : sentence.block.words) forms.push_back(row[1]);
        words.set(forms);
        tag(tagger, words, forms, options, found);
        set_columns(tagger, *names, found, sentence);
        for (int s = 0; options.probabilities && s < stage_count; ++s)
            sentence.add_numbers(probability_names[s], found.probabilities[s]);
        if (options.candidates) add_candidates(*names, found, sentence);
    });
    batch.owners.push_back(std::move(names));
}

}  // namespace arbora
