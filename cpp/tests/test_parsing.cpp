// From columns to trees in the core, where the sanitizers see it. Agreement with enumeration is tested from Python;
// here results are tested against each other, and tables have exactly the size they must have.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "check.hpp"
#include "parsing/gold_features.hpp"
#include "parsing/parse.hpp"
#include "parsing/stream.hpp"
#include "parsing/training.hpp"
#include "support/random.hpp"

using namespace arbora;

namespace {

constexpr int bits = 10;

// Templates with every atom on some side, neighbours, relatives, words between, and all companies.
Templates all_templates() {
    Templates result;
    std::uint64_t seed = 1;
    for (int a = 0; a <= single_atoms; ++a) {
        const Reference own{0, static_cast<Atom>(a)}, before{-1, static_cast<Atom>(a)}, far{9, static_cast<Atom>(a)};
        const bool alone = a % 2, direction = a % 3 == 0 || !alone, distance = a % 4 == 0;
        for (Section section : {Section::pruner, Section::arcs, Section::labels, Section::labeler, Section::roles, Section::tags,
                                Section::tag_links, Section::tag_bigrams, Section::tag_trigrams}) {
            result.add(section, {++seed, {own}, {}, {}, {}, {}, {}, alone, direction, distance});
            result.add(section, {++seed, {}, {before}, {}, {}, {}, {}, alone, direction, distance});
            result.add(section, {++seed, {before}, {far}, {}, {}, {}, {static_cast<ArcAtom>(a % 5)}, alone, direction,
                                 distance});
        }
        for (Section section : {Section::pruner, Section::arcs})
            result.add(section, {++seed, {{0, Atom::upos}}, {}, {own}, {}, {}, {}, true, true, false});
        result.add(Section::labeler,
                   {++seed, {{parent, own.atom}}, {{first_child, own.atom}}, {}, {}, {}, {}, true, true, false});
        result.add(Section::labeler, {++seed, {}, {{last_child, own.atom}}, {}, {}, {}, {}, false, true, true});
        result.add(Section::siblings, {++seed, {own}, {}, {}, {}, {}, {}, true, false, false});
        if (a == single_atoms) continue;  // parts take no sets
        for (int s = static_cast<int>(first_part_section); s < section_count; ++s) {
            const auto section = static_cast<Section>(s);
            const bool has_fourth = section == Section::grand_siblings && a % 2;
            result.add(section, {++seed, {own}, {before}, {}, {far}, {}, {}, alone, direction, distance});
            result.add(section, {++seed, {}, {}, {}, {own}, has_fourth ? std::vector{before} : std::vector<Reference>{},
                                 {}, true, !alone, true});
        }
    }
    return result;
}

Templates without(const Templates& all, std::vector<Section> left_out) {
    Templates result;
    for (int s = 0; s < section_count; ++s) {
        const auto section = static_cast<Section>(s);
        if (std::find(left_out.begin(), left_out.end(), section) != left_out.end()) continue;
        for (const Template& t : all.of(section)) {
            const auto side = [&](int at) { return at < 0 ? std::vector<Reference>{} : all.sides()[at].references; };
            const auto arc = t.arc < 0 ? std::vector<ArcAtom>{} : all.arcs()[t.arc];
            result.add(section, {t.seed, side(t.head), side(t.modifier), side(t.between), side(t.third), side(t.fourth),
                                 arc, t.alone, t.direction, t.distance});
        }
    }
    return result;
}

// Sentences of 0, 1, 2, ... words; columns are missing in some words, or altogether.
Encoded draw_sentences(int count, Random& random) {
    const std::string forms[]{"The", "dog", "(", ")", "\"", "\u00e4\u00f6", "_", "a-very-long-word-indeed", ""};
    const std::string tags[]{"NOUN", "VERB", "PUNCT", "ADP", "CCONJ", "_", "XY"};
    const std::string feats[]{"_", "A=1", "A=1|B=2|C=3", "|", "B=2"};
    const auto any = [&](const auto& from) -> const std::string& {
        return from[static_cast<std::size_t>(random.uniform() * std::size(from))];
    };
    Encoded encoded;
    for (int n = 0; n < count; ++n) {
        encoded.begin_sentence();
        const int missing = static_cast<int>(random.uniform() * 8);  // 5 and more: none
        for (int i = 0; i < n; ++i) {
            std::string columns[]{any(forms), any(forms), any(tags), any(tags), any(feats)};
            if (missing < 5) columns[missing] = "_";
            encoded.add_word({columns[0], columns[1], columns[2], columns[3], columns[4]});
            const int tags = static_cast<int>(random.uniform() * 3);  // 0: any
            for (int t = 0; t < tags; ++t) encoded.add_tag({1 - t, -0.5 * t});
        }
        encoded.end_sentence();
    }
    return encoded;
}

// Multiples of 1/256, whose sums are exact, and which need no rounding.
std::vector<float> draw_weights(std::size_t padding, Random& random) {
    std::vector<float> weights((std::size_t{1} << bits) + padding);
    for (float& weight : weights) weight = static_cast<float>(std::floor(random.uniform() * 64) - 32) / 256;
    return weights;
}

struct Rounded {
    std::vector<std::int16_t> values;
    float step;

    explicit Rounded(const std::vector<float>& weights) : values(weights.size()) {
        step = round_weights(weights.data(), weights.size(), values.data());
        for (std::size_t i = 0; i < weights.size(); ++i) CHECK(weights[i] == step * values[i]);
    }
    ShortWeights table() const { return {values.data(), (1u << bits) - 1, step}; }
};

bool is_tree(const std::vector<int>& heads, bool single_root) {
    const int n = static_cast<int>(heads.size()) - 1;
    int roots = 0;
    for (int m = 1; m <= n; ++m) {
        roots += heads[m] == 0;
        int at = m;
        for (int step = 0; step <= n && at; ++step) at = heads[at];
        if (at) return false;
    }
    return !single_root || n == 0 || roots == 1;
}

struct Model {
    Templates templates;
    Pruner pruner;
    FirstOrder model;
    HigherOrder higher;
    std::vector<float> weights;
    Rounded rounded, pruner_weights;

    Model(Templates all, int labels, Random& random, int roles = 0, int tags = 0)
        : templates(std::move(all)),
          pruner(templates, 0.05, 3),
          model(templates, std::vector<char>(labels, 1), std::vector<char>(labels, 1), {0.5, 0.5}, roles),
          higher(templates, tags),
          weights(draw_weights(padding(), random)),
          rounded(weights),
          pruner_weights(draw_weights(0, random)) {}

    int padding() const { return std::max(model.padding(), higher.tags().padding()); }
    // Whether tags are a chain, and so observed when it learns.
    bool observes_tags() const {
        return higher.tags().tags() && (higher.tags().labels(Section::tag_bigrams) || higher.tags().labels(Section::tag_trigrams));
    }
    Weights table() const { return {weights.data(), (1u << bits) - 1}; }
    Parser parser() const { return {templates, pruner, pruner_weights.table(), model, higher, rounded.table()}; }
};

std::vector<Model> all_models(int labels, Random& random) {
    const Templates all = all_templates();
    std::vector<Model> models;
    std::vector<Section> parts;
    for (int s = static_cast<int>(first_part_section); s < section_count; ++s) parts.push_back(static_cast<Section>(s));
    const Templates first_order = without(all, parts);
    models.emplace_back(without(first_order, {Section::labeler, Section::siblings}), labels, random);
    models.emplace_back(without(first_order, {Section::pruner, Section::labels}), labels, random);
    models.emplace_back(first_order, labels, random);
    models.emplace_back(without(all, {Section::labeler, Section::siblings, Section::grand_siblings}), labels, random);
    models.emplace_back(all, labels, random);
    models.emplace_back(without(first_order, {Section::labels}), labels, random, 12);
    models.emplace_back(without(all, {Section::labels, Section::siblings}), labels, random, 2);
    const Templates no_chain = without(all, {Section::tag_bigrams, Section::tag_trigrams});  // hidden tags have none
    std::vector<Section> left_out = parts;
    left_out.push_back(Section::labels);
    models.emplace_back(without(no_chain, left_out), labels, random, 2, 3);
    models.emplace_back(without(no_chain, {Section::labeler, Section::siblings, Section::grand_siblings}), labels, random, 0, 2);
    models.emplace_back(first_order, labels, random, 0, 2);
    models.emplace_back(without(all, {Section::tag_bigrams, Section::grand_siblings}), labels, random, 0, 3);
    return models;
}

}  // namespace

TEST(parsing_scores_of_a_list_are_those_of_all_arcs) {
    Random random(1);
    const Model model(all_templates(), 3, random);
    const Encoded encoded = draw_sentences(9, random);
    for (std::size_t s = 0; s < encoded.sentences(); ++s) {
        Prepared prepared;
        prepared.set(model.templates, encoded, s, ~0u);
        const int n = prepared.n(), width = n + 1;
        std::vector<float> all(width * width);
        model.model.arcs().score(prepared, model.table(), all.data());
        std::vector<Arc> arcs;
        for (int m = 1; m <= n; ++m)
            for (int h = 0; h <= n; ++h)
                if (h != m) arcs.push_back({h, m});
        std::vector<float> listed(arcs.size());
        model.model.arcs().score(prepared, model.table(), arcs, listed.data());
        for (std::size_t a = 0; a < arcs.size(); ++a) CHECK(listed[a] == all[arcs[a].head * width + arcs[a].modifier]);
        std::vector<float> by_short(arcs.size());
        model.model.arcs().score(prepared, model.rounded.table(), arcs, by_short.data());
        CHECK(by_short == listed);
    }
}

// A score is linear: the sum of weight times gradient.
TEST(parsing_gradients_are_features) {
    Random random(2);
    const int labels = 3;
    const Model model(all_templates(), labels, random);
    const Encoded encoded = draw_sentences(7, random);
    SparseSum sum;
    const auto product = [&] {
        double total = 0;
        sum.for_each([&](std::uint32_t index, float value) { total += static_cast<double>(model.weights[index]) * value; });
        sum.clear();
        return total;
    };
    for (std::size_t s = 1; s < encoded.sentences(); ++s) {
        Prepared prepared;
        prepared.set(model.templates, encoded, s, ~0u);
        const int n = prepared.n();
        std::vector<int> heads(n + 1);
        for (int m = 1; m <= n; ++m) heads[m] = m - 1;  // a chain to the right
        prepared.set_tree(model.templates, encoded, s, heads.data());
        for (int m = 1; m <= n; ++m) {
            const int h = heads[m];
            float arc = 0;
            model.model.arcs().score(prepared, model.table(), {{h, m}}, &arc);
            model.model.arcs().add_gradient(prepared, model.table().mask, {{h, m, 1.0f}}, sum);
            CHECK(product() == arc);
            const LabelFeatures& labeler = model.model.labeler();
            std::vector<float> scores(labeler.stride());
            labeler.score(prepared, model.table(), {{h, m}}, scores.data());
            for (int l = 0; l < labels; ++l) {
                std::vector<float> gradient(labels);
                gradient[l] = 1;
                labeler.add_gradient(prepared, model.table().mask, {{h, m}}, gradient.data(), sum);
                CHECK(product() == scores[l]);
            }
            std::vector<float> siblings(labeler.states() * labeler.states());
            labeler.score_siblings(prepared, model.table(), h, siblings.data());
            std::vector<float> gradient(siblings.size());
            gradient[labels] = 1;
            labeler.add_sibling_gradient(prepared, model.table().mask, h, gradient.data(), sum);
            CHECK(product() == siblings[labels]);
        }
    }
}

TEST(parsing_trees_and_candidates) {
    Random random(3);
    GraphOptions few;  // sentences of random scores are seldom proved, however long one looks
    few.iterations = 15;
    for (int labels : {1, 3, 8})
        for (const Model& model : all_models(labels, random)) {
            const Encoded encoded = draw_sentences(12, random);
            for (std::size_t s = 0; s < encoded.sentences(); ++s)
                for (const TreeKind kind : {TreeKind{true, false}, TreeKind{false, false}, TreeKind{true, true}}) {
                    const int n = encoded.length(s);
                    std::vector<int> heads(n + 1, -1), found(n + 1, -1);
                    std::vector<double> of_heads(n + 1), of_labels(n + 1);
                    ParseRef result{heads.data(), found.data(), of_heads.data(), of_labels.data(), 0};
                    std::vector<int> tags(n + 1, -1);
                    std::vector<double> of_tags(n + 1);
                    result.tag_probabilities = of_tags.data();
                    if (model.higher.tags().tags()) result.tags = tags.data();
                    for (Decoder decoder : {Decoder::best, Decoder::least_risk}) {
                        parse(model.parser(), encoded, s, {}, {kind, decoder, true, few}, result);
                        CHECK(is_tree(heads, kind.single_root));
                        CHECK(model.higher.is_active() || result.log_probability <= 1e-9);
                        for (int m = 1; m <= n; ++m) {
                            CHECK(found[m] >= 0 && found[m] < labels);
                            CHECK(of_heads[m] > 0 && of_heads[m] <= 1 + 1e-9);
                            CHECK(of_labels[m] > 0 && of_labels[m] <= 1 + 1e-9);
                            CHECK(!result.tags || (tags[m] >= 0 && tags[m] < model.higher.tags().tags()));
                            CHECK(!result.tags || (of_tags[m] > 0 && of_tags[m] <= 1 + 1e-9));
                        }
                    }
                    const auto ranked = parse_kbest(model.parser(), encoded, s, {}, {kind, Decoder::best, true, few}, 4);
                    CHECK(!ranked.empty() && ranked.size() <= 4);
                    for (std::size_t t = 1; t < ranked.size(); ++t) CHECK(ranked[t].score <= ranked[t - 1].score);
                    if (n == 0) continue;
                    Prepared prepared;
                    prepared.set(model.templates, encoded, s, ~0u);
                    std::vector<int> also(n + 1);
                    for (int m = 1; m <= n; ++m) also[m] = m - 1;
                    Candidates candidates;
                    candidates.arcs = model.pruner.choose(prepared, model.pruner_weights.table(), {}, kind, also.data());
                    for (int m = 1; m <= n; ++m) CHECK(candidates.find(m - 1, m) < candidates.arcs.size());
                }
        }
}

TEST(parsing_keeps_what_is_given) {
    Random random(4);
    for (const Model& model : all_models(2, random)) {
        const Encoded encoded = draw_sentences(8, random);
        for (std::size_t s = 1; s < encoded.sentences(); ++s) {
            const int n = encoded.length(s);
            std::vector<int> given(n + 1, -1), labels(n + 1, -1), heads(n + 1), found(n + 1);
            given[1] = n > 1 ? 2 : 0;
            labels[n] = 1;
            ParseRef result{heads.data(), found.data(), nullptr, nullptr, 0};
            parse(model.parser(), encoded, s, {given.data(), labels.data()}, {{true, false}, Decoder::best}, result);
            CHECK(heads[1] == given[1] && found[n] == 1 && is_tree(heads, true));
            if (n < 2) continue;
            given[2] = 1;  // a cycle
            bool thrown = false;
            try {
                parse(model.parser(), encoded, s, {given.data(), nullptr}, {{true, false}, Decoder::best}, result);
            } catch (const Infeasible&) {
                thrown = true;
            }
            CHECK(thrown);
        }
    }
}

TEST(parsing_from_text_to_text) {
    Random random(6);
    const auto row = [](const std::string& id, const std::string& tree) {
        return id + "\tdog\tdog\tNOUN\t_\t_\t" + tree + "\t1:x\tA=1|HeadProbability=9\n";
    };
    const std::string some =
        "# c\n" + row("1-2", "_\t_") + row("1", "2\tx") + row("2", "_\tb") + row("2.1", "_\t_") + "\n";
    const std::string none = "# no words\r\n\r\n", cycle = row("1", "2\tx") + row("2", "1\tx") + "\n";
    const std::string two_roots = row("1", "0\ta") + row("2", "0\ta") + "\n";
    const Names labels({"a", "b"});
    const auto joined = [](const treebank::RewrittenText& parsed) {
        std::string all;
        for (const std::string& sentence : parsed.sentences) all += sentence;
        return all;
    };
    for (const Model& model : all_models(2, random)) {
        const auto run = [&](const std::string& text, bool final, bool constraints, int threads) {
            const std::vector<char> exact(text.begin(), text.end());
            return parse_conllu(model.parser(), labels, Names({}), {exact.data(), exact.size()}, final,
                                {{{true, false}, Decoder::best, constraints}, constraints, threads});
        };
        for (int threads : {1, 3}) {
            const treebank::RewrittenText whole = run(some + none + some, true, false, threads);
            CHECK(whole.sentences.size() == 3 && whole.words == 4 && whole.lines == 14 && !whole.stopped);
            CHECK(whole.bytes == 2 * some.size() + none.size());
            CHECK(whole.sentences[0] == whole.sentences[2] && whole.sentences[1] == none);
            CHECK(run(some + none + some, false, false, threads).sentences.size() == 2);
            for (const std::string& bad : {cycle, two_roots}) {
                const treebank::RewrittenText part = run(some + bad + cycle, true, true, threads);
                CHECK(part.stopped && part.bytes == some.size() && part.lines == 6 && part.sentences.size() == 1);
                CHECK(part.refused_because.empty() == (bad == cycle));
                CHECK(joined(part).find("\t2\tx\t_\tA=1|HeadProbability=") != std::string::npos);
                CHECK(joined(part).find("# c\n# tree_log_probability = ") == 0);
            }
        }
        CHECK(run("", true, true, 2).sentences.empty());
    }
}

TEST(parsing_trains_the_same_with_any_threads) {
    Random random(5);
    for (const Model& model : all_models(3, random)) {
        const Encoded encoded = draw_sentences(8, random);
        std::vector<int> heads, labels;
        std::vector<std::vector<Arc>> arcs(encoded.sentences());
        std::vector<std::size_t> batch;
        for (std::size_t s = 1; s < encoded.sentences(); ++s) {
            for (int m = 1; m <= encoded.length(s); ++m) {
                heads.push_back(m - 1);
                labels.push_back(m % 3);
                for (int h = 0; h <= encoded.length(s); ++h)
                    if (h != m) arcs[s].push_back({h, m});
            }
            batch.push_back(s);
        }
        const std::vector<int> tags(heads.size(), 0);  // the first that each word may have
        std::vector<std::vector<float>> learned;
        for (int threads : {1, 3}) {
            OnlineLearner learner(bits, model.padding(), StepRule::aggressive, 0.1);
            break_symmetry({model.templates, model.model, model.higher}, learner, encoded, {heads.data(), nullptr}, 7);
            support({model.templates, model.model, model.higher}, learner, encoded, {heads.data(), labels.data()}, batch);
            for (int epoch = 0; epoch < 2; ++epoch) {
                const BatchReport report =
                    train_parser({model.templates, model.model, model.higher}, learner, encoded,
                                 {heads.data(), labels.data(), model.observes_tags() ? tags.data() : nullptr}, arcs,
                                 batch, {{1, 1}, {true, false}, threads});
                CHECK(report.words == heads.size() && report.infeasible == 0 && report.arc_loss > 0);
            }
            learned.emplace_back(learner.current().begin(), learner.current().end());
        }
        CHECK(learned[0] == learned[1]);
    }
}

TEST(parsing_chooses_tags_from_text_to_text) {
    Random random(8);
    const Names labels({"a", "b"}), tags({"A", "B"});
    const auto word = [](const std::string& id, const std::string& misc) {
        return id + "\tdog\tdog\tX\t_\t_\t_\t_\t_\t" + misc + "\n";
    };
    const std::string text = word("1", "UposCandidates=B:1") + word("2-3", "K=1|UposCandidates=B:1") +
                             word("2", "K=1|UposCandidates=A:0.5|L") + word("3", "K=1|UposCandidates=;B:x") + "\n";
    for (const Model& model : all_models(2, random)) {
        if (model.higher.tags().tags() != tags.count()) continue;
        for (bool probabilities : {false, true}) {
            const auto found = parse_conllu(model.parser(), labels, tags, text, true,
                                            {{{true, false}, Decoder::best, probabilities}, false, 2});
            CHECK(found.sentences.size() == 1 && found.words == 3);
            const std::string& own = found.sentences[0];
            CHECK(own.find("1\tdog\tdog\tB\t_") != own.npos && own.find("2\tdog\tdog\tA\t_") != own.npos);
            CHECK(own.find("2-3\tdog\tdog\tX\t_\t_\t_\t_\t_\tK=1|UposCandidates=B:1\n") != own.npos);
            CHECK(own.find("3\tdog\tdog\tX\t_\t_\t_\t") == own.rfind("3\tdog\tdog\tX"));  // the range only
            const std::string misc = probabilities ? "|UposProbability=1.0000|HeadProbability=" : "\n";
            CHECK(own.find("\tK=1|L" + misc) != own.npos);
            CHECK(probabilities || own.find("\t_\n2-3") != own.npos);
        }
    }
}
