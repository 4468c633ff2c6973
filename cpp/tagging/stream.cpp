#include "tagging/stream.hpp"

namespace arbora {
namespace {

using treebank::Block;
using treebank::Rewriting;
using treebank::Row;

constexpr std::array<std::string_view, stage_count> probability_names{"UposProbability", "MorphProbability",
                                                                      "LemmaProbability"};

std::string render(std::string_view sentence, const Block& block, const TagNames& names,
                   const std::vector<EditScript>& scripts, const Tagged& found, bool probabilities) {
    thread_local std::string lemma;
    std::string text;
    text.reserve(sentence.size() + block.words.size() * (probabilities ? 96 : 32));
    const char* copied = sentence.data();  // what is before this place is in the text
    for (std::size_t i = 0; i < block.words.size(); ++i) {
        const Row& row = block.words[i];
        const int upos = found.labels[upos_stage][i], morph = found.labels[morph_stage][i];
        make_lemma(scripts[found.labels[lemma_stage][i]], row[1], lemma);
        treebank::append_between(text, copied, row[2].data());
        text.append(lemma).append("\t").append(names.upos[upos]).append("\t");
        text.append(names.xpos[morph]).append("\t").append(names.feats[morph]);
        copied = row[5].data() + row[5].size();
        if (!probabilities) continue;
        treebank::append_between(text, copied, row[9].data());
        treebank::append_items(text, row[9], probability_names);
        for (int s = 0; s < stage_count; ++s) {
            text.append(s ? "|" : "").append(probability_names[s]).append("=");
            treebank::append_fixed(text, found.probabilities[s][i], 4);
        }
        copied = row[9].data() + row[9].size();
    }
    treebank::append_between(text, copied, sentence.data() + sentence.size());
    return text;
}

}  // namespace

treebank::RewrittenText tag_conllu(const Tagger& tagger, const TagNames& names, std::string_view text, bool final,
                                   bool probabilities, int threads) {
    const std::vector<EditScript>& scripts = tagger.stages[lemma_stage].stage->scripts;
    return treebank::rewrite_sentences(text, final, threads, [&](Rewriting& task) {
        thread_local Block block;
        thread_local std::vector<std::string_view> forms;
        thread_local Words words;
        thread_local Tagged found;
        treebank::scan(task.sentence, true, {.single_root = false}, block);
        if (!block.problems.empty()) return false;
        task.words = block.words.size();
        forms.clear();
        for (const Row& row : block.words) forms.push_back(row[1]);
        words.set(forms);
        tag(tagger, words, forms, probabilities, found);
        task.result = render(task.sentence, block, names, scripts, found, probabilities);
        return true;
    });
}

}  // namespace arbora
