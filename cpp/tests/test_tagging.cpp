// Lattices, letters, edit scripts, stages and taggers in the core, where the sanitizers see them. Agreement with
// enumeration is tested from Python; here results are tested against each other.
#include <cmath>
#include <numeric>

#include "check.hpp"
#include "support/letters.hpp"
#include "support/random.hpp"
#include "tagging/annotate.hpp"
#include "tagging/training.hpp"
#include "treebank/rendering.hpp"

using namespace arbora;

namespace {

Lattice draw_lattice(int count, int most, bool chain, Random& random) {
    Lattice lattice;
    for (int i = 0; i < count; ++i) {
        const int size = 1 + static_cast<int>(random.uniform() * most);
        for (int c = 0; c < size; ++c) {
            lattice.labels.push_back(c);
            lattice.local.push_back(c && random.uniform() < 0.1 ? -INFINITY : 4 * random.uniform() - 2);
        }
        lattice.starts.push_back(static_cast<int>(lattice.labels.size()));
    }
    if (chain) lattice.make_chain();
    for (double& score : lattice.triples) score = 4 * random.uniform() - 2;
    return lattice;
}

std::u32string letters_of(std::string_view text) {
    std::u32string letters;
    decode_utf8(text, letters);
    return letters;
}

// A tagger of two tags, four morphs and three scripts, with random weights.
struct SmallTagger {
    std::vector<std::uint64_t> no_keys;
    std::vector<std::uint32_t> no_starts{0};
    std::vector<std::uint16_t> no_lists;
    Dictionary nothing{no_keys, no_starts, no_lists, 8};
    std::vector<Stage> stages;
    std::vector<std::vector<std::int16_t>> weights;
    Tagger tagger;
    std::shared_ptr<const TagNames> names = std::make_shared<const TagNames>(
        TagNames{{"A", "B"}, {"a", "b", "c", "d"}, {"_", "N=1", "N=2", "N=1|M=2"}, {0, 0, 1, 1}});
    LabelsByName by_name{*names};

    explicit SmallTagger(Random& random) {
        const WordTemplate suffix(1, {{0, atom_named("suffix1")}}), before(2, {{-3, atoms::form}, {3, atoms::upos}});
        const WordTemplate alone(3, {});
        const LayerTemplates chain{{suffix, before}, {alone, suffix}, {alone}, {}},
            single{{suffix, alone}, {}, {}, {suffix}};
        stages.push_back({Layer(chain, {{0}, {1}}, 2, nothing, {0, 1}, 2), {}});
        stages.push_back({Layer(chain, {{0, 4}, {1, 5}, {2, 5}, {3, 4}}, 6, nothing, {0, 1, 2, 3}, 3), {}});
        stages.push_back({Layer(single, {{0}, {1}, {2}}, 3, nothing, {0, 1, 2}, 3),
                          {EditScript("k0,0,0,0:"), EditScript("l0,0,1,0:s"), EditScript("=be")}});
        tagger.classes = &nothing;
        tagger.label_atoms = {{{1, 2}, {3, 4, 5, 6}}};
        tagger.names = names.get();
        tagger.by_name = &by_name;
        weights.resize(stages.size());
        for (int s = 0; s < stage_count; ++s) {
            weights[s].resize(16 + stages[s].layer.padding());
            for (std::int16_t& weight : weights[s]) weight = static_cast<std::int16_t>(2000 * random.uniform() - 1000);
            tagger.stages[s] = {&stages[s], {weights[s].data(), 15, 0.001f}, 1.5};
        }
    }
};

}  // namespace

TEST(lattices_agree_with_themselves) {
    Random random(5);
    for (int round = 0; round < 60; ++round) {
        const Lattice lattice = draw_lattice(round % 7, 4, round % 3 != 0, random);
        std::vector<int> path(lattice.count());
        const double best = best_path(lattice, path.data());
        CHECK(std::abs(best - path_score(lattice, path.data())) < 1e-12);
        const auto ranked = best_paths(lattice, 4);
        CHECK(!ranked.empty() && std::abs(ranked[0].score - best) < 1e-12);
        std::vector<double> candidates, triples;
        const double total = sum_paths(lattice, candidates, &triples);
        CHECK(total >= best - 1e-12);
        for (int i = 0; i < lattice.count(); ++i) {
            const auto begin = candidates.begin() + lattice.starts[i];
            CHECK(std::abs(std::accumulate(begin, begin + lattice.size(i), 0.0) - 1) < 1e-12);
        }
        if (lattice.is_chain())
            CHECK(std::abs(std::accumulate(triples.begin(), triples.end(), 0.0) - lattice.count()) < 1e-9);
        CHECK(std::abs(path_loss(lattice, path.data(), 1, 0, candidates, triples) - (total - best)) < 1e-9);
    }
}

TEST(letters_survive_any_bytes) {
    Random random(6);
    for (int round = 0; round < 300; ++round) {
        std::string bytes(round % 9, ' ');
        for (char& byte : bytes) byte = static_cast<char>(256 * random.uniform());
        std::string again;
        for (char32_t letter : letters_of(bytes)) append_utf8(letter, again);
        CHECK(again == bytes);
        const std::string script = find_script(bytes, "lemma" + bytes);
        std::string lemma;
        CHECK(EditScript(script).apply(FormLetters(bytes), lemma) && lemma == "lemma" + bytes);
    }
}

TEST(taggers_do_not_depend_on_threads_or_pieces) {
    Random random(7);
    const SmallTagger small(random);
    const std::string sentence =
        "# text\n1-2\tdogs\t_\t_\t_\t_\t_\t_\t_\t_\n1\tDogs\tx\ty\tz\t_\t0\tr\t_\tK=1\n"
        "2\tis\t_\t_\t_\t_\t1\tr\t_\t_\n2.1\tnull\t_\t_\t_\t_\t_\t_\t_\t_\n\n";
    std::string text = "# only a comment\n\n";
    for (int i = 0; i < 5; ++i) text += sentence;
    const auto tagged = [&](int threads, bool keep = false) {
        treebank::ReadBatch read = treebank::read_conllu(text, nullptr, {.threads = threads});
        CHECK(read.broken.empty() && read.bytes == text.size() && read.batch.words() == 10);
        annotate(small.tagger, small.names, {true, 2, 0.01}, keep, false, threads, read.batch);
        std::vector<std::string> result;
        for (const auto& each : read.batch.sentences) treebank::append_conllu(each, result.emplace_back());
        return result;
    };
    const std::vector<std::string> whole = tagged(1);
    CHECK(whole.size() == 6 && whole[0] == "# only a comment\n\n");
    CHECK(whole[1].find("K=1|UposProbability=") != std::string::npos);
    CHECK(whole[1].find("1-2\tdogs\t_\t_\t_\t_\t") != std::string::npos);
    CHECK(tagged(3) == whole);
    const std::string bad = sentence + "1\tbad\n\n" + sentence;
    const std::vector<std::string> kept = tagged(2, true);
    CHECK(kept[1].find("1\tDogs\tx\ty\tz\t") != std::string::npos);
    CHECK(kept[1].find("UposProbability=1.0000") != std::string::npos);
    CHECK(kept[1].find("UposCandidates=y:1.0000") != std::string::npos);
    for (const bool skip : {false, true}) {
        const treebank::ReadBatch broken = treebank::read_conllu(bad, nullptr, {.skip = skip, .threads = 2});
        CHECK(broken.broken.size() == 1 && broken.batch.sentences.size() == (skip ? 2 : 1));
        CHECK(broken.bytes == (skip ? bad.size() : sentence.size()));
        CHECK(broken.broken[0].place.line == 7 && broken.broken[0].place.number == 2);
        CHECK(broken.batch.sentences.back().place.line == (skip ? 9 : 1));
    }
}

TEST(stages_learn_what_they_are_shown) {
    Random random(8);
    const SmallTagger small(random);
    TagText text;
    const std::vector<std::string_view> forms{"dogs", "bark", "a", "\xff", "is"}, few{"is"}, none;
    text.add_sentence(forms);
    text.add_sentence(none);
    text.add_sentence(few);
    const std::vector<int> gold{1, 0, 0, 1, 1, 1};
    for (int s = 0; s < 2; ++s) {
        OnlineLearner learner(8, small.stages[s].layer.padding(), StepRule::adagrad, 0.2);
        double first = 0, last = 0;
        for (int round = 0; round < 30; ++round) {
            last = train_stage(small.stages[s], learner, text, gold.data(), {0, 1, 2}, {1, 1}, 2);
            if (round == 0) first = last;
        }
        CHECK(last < 0.5 * first);
    }
}
