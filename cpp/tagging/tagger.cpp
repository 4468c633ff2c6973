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

// The labels that agree with what is given, at a stage before which these UPOS tags were found.
void find_wanted(const Tagger& tagger, int stage, std::span<const GivenTags> given, const std::vector<int>& upos,
                 WantedLabels& wanted) {
    thread_local std::vector<std::uint16_t> labels;
    wanted.clear();
    for (std::size_t word = 0; word < given.size(); ++word) {
        labels.clear();
        if (stage == upos_stage) tagger.by_name->find_upos(given[word], labels);
        if (stage == morph_stage) tagger.by_name->find_morph(given[word], upos[word], labels);
        wanted.add_word(labels);
    }
}

// What later stages see of a word that has given tags: those, and what was found for the others.
std::uint64_t atom_of_given(const TagNames& names, int stage, const GivenTags& given, const Tagged& found,
                            std::size_t at) {
    thread_local WordView word;
    const auto known = [](std::string_view own, std::string_view other) { return own == "_" ? other : own; };
    WordColumns columns;
    columns.upos = known(given.upos, names.upos[static_cast<std::size_t>(found.labels[upos_stage][at])]);
    if (stage == morph_stage) {
        const auto morph = static_cast<std::size_t>(found.labels[morph_stage][at]);
        columns.xpos = known(given.xpos, names.xpos[morph]);
        columns.feats = known(given.feats, names.feats[morph]);
    }
    word.set(columns);
    return value_of(found_atoms[static_cast<std::size_t>(stage)], word);
}

}  // namespace

void set_classes(const Dictionary& classes, Words& words) {
    for (int word = 0; word < words.count(); ++word) {
        const auto found = classes.find(words.atom(word, atoms::lower));
        words.set_atom(word, atoms::known_tags, number_value(atoms::known_tags, found.empty() ? 0 : found[0] + 1));
    }
}

void choose_labels(const Stage& stage, ShortWeights weights, const Words& words,
                   std::span<const std::string_view> forms, Lattice& lattice, std::vector<int>& labels,
                   const WantedLabels* wanted) {
    thread_local std::vector<int> path;
    stage.fill(words, weights, nullptr, [&](int word) { return forms[word]; }, lattice, wanted);
    path.resize(lattice.count());
    best_path(lattice, path.data());
    labels.resize(forms.size());
    for (std::size_t word = 0; word < forms.size(); ++word)
        labels[word] = lattice.labels[lattice.starts[word] + path[word]];
}

void tag(const Tagger& tagger, Words& words, std::span<const std::string_view> forms, std::span<const GivenTags> given,
         const TaggingOptions& options, Tagged& found) {
    thread_local Lattice lattice;
    thread_local WantedLabels wanted;
    thread_local std::vector<double> candidates;
    set_classes(*tagger.classes, words);
    for (int s = 0; s < stage_count; ++s) {
        const TrainedStage& trained = tagger.stages[s];
        std::vector<int>& labels = found.labels[s];
        find_wanted(tagger, s, given, found.labels[upos_stage], wanted);
        choose_labels(*trained.stage, trained.weights, words, forms, lattice, labels,
                      given.empty() ? nullptr : &wanted);
        for (std::size_t word = 0; s < lemma_stage && word < forms.size(); ++word)
            words.set_atom(static_cast<int>(word), found_atoms[s],
                           given.empty() ? tagger.label_atoms[s][labels[word]]
                                         : atom_of_given(*tagger.names, s, given[word], found, word));
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

void fill_tags(const Tagger& tagger, Words& words, std::span<const std::string_view> forms,
               std::span<const GivenTags> given, Lattice& lattice) {
    thread_local WantedLabels wanted;
    set_classes(*tagger.classes, words);
    find_wanted(tagger, upos_stage, given, {}, wanted);
    const TrainedStage& trained = tagger.stages[upos_stage];
    trained.stage->fill(
        words, trained.weights, nullptr, [&](int word) { return forms[word]; }, lattice,
        given.empty() ? nullptr : &wanted);
    lattice.multiply(trained.scale);
}

}  // namespace arbora
