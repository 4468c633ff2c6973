#include "tagging/tagger.hpp"

#include <algorithm>

namespace arbora {
namespace {

constexpr std::array<Atom, 2> found_atoms{atoms::upos, atoms::morph};

void list_candidates(const Lattice& lattice, const std::vector<double>& probabilities, const std::vector<int>& best,
                     const TaggingOptions& options, std::vector<std::vector<TagProbability>>& found) {
    found.resize(best.size());
    for (std::size_t word = 0; word < best.size(); ++word) {
        std::vector<TagProbability>& own = found[word];
        own.clear();
        for (int c = lattice.starts[word]; c < lattice.starts[word + 1]; ++c)
            if (lattice.labels[c] == best[word] || (probabilities[c] > 0 && probabilities[c] >= options.least))
                own.push_back({lattice.labels[c], probabilities[c]});
        std::stable_sort(own.begin(), own.end(), [&](const TagProbability& a, const TagProbability& b) {
            if ((a.tag == best[word]) != (b.tag == best[word])) return a.tag == best[word];
            return a.probability > b.probability;
        });
        if (static_cast<int>(own.size()) > options.candidates) own.resize(options.candidates);
    }
}

}  // namespace

void set_classes(const Dictionary& classes, Words& words) {
    for (int word = 0; word < words.count(); ++word) {
        const auto found = classes.find(words.atom(word, atoms::lower));
        words.set_atom(word, atoms::known_tags, number_value(atoms::known_tags, found.empty() ? 0 : found[0] + 1));
    }
}

void choose_labels(const Stage& stage, ShortWeights weights, const Words& words,
                   std::span<const std::string_view> forms, Lattice& lattice, std::vector<int>& labels) {
    thread_local std::vector<int> path;
    stage.fill(words, weights, nullptr, [&](int word) { return forms[word]; }, lattice);
    path.resize(lattice.count());
    best_path(lattice, path.data());
    labels.resize(forms.size());
    for (std::size_t word = 0; word < forms.size(); ++word)
        labels[word] = lattice.labels[lattice.starts[word] + path[word]];
}

void tag(const Tagger& tagger, Words& words, std::span<const std::string_view> forms, const TaggingOptions& options,
         Tagged& found) {
    thread_local Lattice lattice;
    thread_local std::vector<double> candidates;
    set_classes(*tagger.classes, words);
    for (int s = 0; s < stage_count; ++s) {
        const TrainedStage& trained = tagger.stages[s];
        std::vector<int>& labels = found.labels[s];
        choose_labels(*trained.stage, trained.weights, words, forms, lattice, labels);
        if (s < lemma_stage)
            for (std::size_t word = 0; word < forms.size(); ++word)
                words.set_atom(static_cast<int>(word), found_atoms[s], tagger.label_atoms[s][labels[word]]);
        const bool lists = s == upos_stage && options.candidates > 0;
        if (!options.probabilities && !lists) continue;
        lattice.multiply(trained.scale);
        sum_paths(lattice, candidates, nullptr);
        if (lists) list_candidates(lattice, candidates, labels, options, found.candidates);
        found.probabilities[s].resize(forms.size());
        for (std::size_t word = 0; word < forms.size(); ++word)
            for (int c = lattice.starts[word]; c < lattice.starts[word + 1]; ++c)
                if (lattice.labels[c] == labels[word]) found.probabilities[s][word] = candidates[c];
    }
}

void make_lemma(const EditScript& script, std::string_view form, std::string& lemma) {
    thread_local FormLetters letters;
    letters.set(form);
    if (!script.apply(letters, lemma)) lemma = form;
}

void fill_tags(const Tagger& tagger, Words& words, std::span<const std::string_view> forms, Lattice& lattice) {
    set_classes(*tagger.classes, words);
    const TrainedStage& trained = tagger.stages[upos_stage];
    trained.stage->fill(words, trained.weights, nullptr, [&](int word) { return forms[word]; }, lattice);
    lattice.multiply(trained.scale);
}

}  // namespace arbora
