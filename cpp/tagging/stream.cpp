#include "tagging/stream.hpp"

namespace arbora {
namespace {

using treebank::Block;
using treebank::Rewriting;
using treebank::Row;

constexpr std::array<std::string_view, stage_count> probability_names{"UposProbability", "MorphProbability",
                                                                      "LemmaProbability"};

// MISC of a word, with what is wanted of it as its last items.
void append_misc(std::string& text, std::string_view misc, const TagNames& names, const Tagged& found, std::size_t word,
                 const TagWishes& wishes) {
    std::vector<std::string_view> dropped;
    if (wishes.probabilities) dropped.assign(probability_names.begin(), probability_names.end());
    if (wishes.candidates) dropped.push_back(treebank::candidates_key);
    treebank::append_items(text, misc, dropped);
    for (int s = 0; wishes.probabilities && s < stage_count; ++s) {
        text.append(probability_names[s]).append("=");
        treebank::append_fixed(text, found.probabilities[s][word], 4);
        text.append("|");
    }
    if (wishes.candidates)
        text.append(treebank::candidates_key).append("=").append(candidates_text(found.candidates[word], names));
    else
        text.pop_back();  // the last bar
}

std::string render(std::string_view sentence, const Block& block, const TagNames& names,
                   const std::vector<EditScript>& scripts, const Tagged& found, const TagWishes& wishes) {
    thread_local std::string lemma;
    std::string text;
    text.reserve(sentence.size() + block.words.size() * (wishes.probabilities ? 96 : 32));
    const char* copied = sentence.data();  // what is before this place is in the text
    for (std::size_t i = 0; i < block.words.size(); ++i) {
        const Row& row = block.words[i];
        const int upos = found.labels[upos_stage][i], morph = found.labels[morph_stage][i];
        make_lemma(scripts[found.labels[lemma_stage][i]], row[1], lemma);
        treebank::append_between(text, copied, row[2].data());
        text.append(lemma).append("\t").append(names.upos[upos]).append("\t");
        text.append(names.xpos[morph]).append("\t").append(names.feats[morph]);
        copied = row[5].data() + row[5].size();
        if (!wishes.probabilities && !wishes.candidates) continue;
        treebank::append_between(text, copied, row[9].data());
        append_misc(text, row[9], names, found, i, wishes);
        copied = row[9].data() + row[9].size();
    }
    treebank::append_between(text, copied, sentence.data() + sentence.size());
    return text;
}

}  // namespace

std::string candidates_text(const std::vector<TagChance>& candidates, const TagNames& names) {
    std::string text;
    for (const TagChance& each : candidates) {
        text.append(text.empty() ? "" : ";").append(names.upos[each.tag]).append(":");
        treebank::append_fixed(text, each.probability, 4);
    }
    return text;
}

treebank::RewrittenText tag_conllu(const Tagger& tagger, const TagNames& names, std::string_view text, bool final,
                                   const TagWishes& wishes, int threads) {
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
        tag(tagger, words, forms, wishes, found);
        task.result = render(task.sentence, block, names, scripts, found, wishes);
        return true;
    });
}

}  // namespace arbora
