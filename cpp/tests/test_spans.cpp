// The span parser in the core, where the sanitizers see it. Agreement with enumeration is tested from Python; here
// results are tested against each other.
#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "spans/training.hpp"

using namespace arbora;

namespace {

// Two labels with their pieces, a chain of both.
SpanGrammar small_grammar(bool grows_right) {
    return {{"", "S", "NP", "S NP", "@S", "@NP"}, {{}, {0}, {1}, {0, 1}, {0}, {1}}, 3, grows_right};
}

std::vector<SpanTemplate> small_templates(bool of_rules) {
    std::vector<SpanTemplate> made;
    made.push_back(make_template({1, {}, {}}));
    made.push_back(make_template({2, {{"first", -3, "lower"}, {"last", 3, "xpos"}}, {}}));
    made.push_back(make_template({3, {{"first", 0, "xpos"}}, {}}));
    made.push_back(make_template({4, {{"last", 0, "suffix3"}}, {}}));
    for (std::string_view atom : run_atom_names) made.push_back(make_template({5, {{"span", 0, atom}}, {}}));
    if (!of_rules) return made;
    made.push_back(make_template({6, {{"split", 0, "xpos"}, {"left", 0, "length"}, {"right", 0, "tags"}}, {}}));
    for (SpanTemplate& own : made) own.views = {RuleView::parent, RuleView::left, RuleView::right, RuleView::rule};
    return made;
}

SpanText small_text() {
    SpanText text;
    const std::vector<std::string_view> forms{"The", "dog", ",", "\xff", "barks"}, tags{"DT", "NN", ",", "_", "VBZ"};
    const std::vector<std::string_view> few{"Go"}, tag{"VB"};
    text.add_sentence(forms, tags);
    text.add_sentence(few, tag);
    return text;
}

// Of the tree (S (NP The dog) , (NP \xff) barks), which grows to the right, and of (S NP Go).
const std::vector<SpanNode> gold{{0, 5, 1}, {0, 2, 2}, {0, 1, 0}, {1, 2, 0}, {2, 5, 4},
                                 {2, 3, 0}, {3, 5, 4}, {3, 4, 2}, {4, 5, 0}, {0, 1, 3}};

}  // namespace

TEST(span_parsers_learn_what_they_are_shown) {
    const SpanText text = small_text();
    const CoarseModel coarse(small_grammar(true), small_templates(false));
    const SpanModel model(small_grammar(true), small_templates(false), small_templates(true));
    OnlineLearner small(10, coarse.padding(), StepRule::adagrad, 0.2);
    OnlineLearner learner(12, model.padding(), StepRule::adagrad, 0.2);
    for (int round = 0; round < 30; ++round) train_coarse(coarse, small, text, gold.data(), {0, 1}, 2);
    std::vector<std::int16_t> shorts(small.current().size()), others(learner.current().size());
    const auto rounded = [](OnlineLearner& from, std::vector<std::int16_t>& to) {
        const float step = round_weights(from.current().data(), to.size(), to.data());
        return ShortWeights{to.data(), from.mask(), step};
    };
    const ShortWeights coarse_weights = rounded(small, shorts);
    const Pruning pruning{1e-4, 30};
    CHECK(measure_pruning(coarse, coarse_weights, pruning, text, gold.data(), 2).lost == 0);
    std::vector<std::vector<SpanNode>> nodes(2);
    find_training_nodes(coarse, coarse_weights, pruning, text, gold.data(), {0, 1}, 2, nodes);
    double first = 0, last = 0;
    for (int round = 0; round < 30; ++round) {
        last = train_spans(model, learner, text, nodes, gold.data(), {0, 1}, {1, 1}, 2);
        if (round == 0) first = last;
    }
    CHECK(last < 0.5 * first);
    const SpanParser parser{&coarse, coarse_weights, pruning, &model, rounded(learner, others)};
    SpanForest forest;
    for (std::size_t s = 0; s < 2; ++s) {
        CHECK(forest.parse(parser, text.sentence(s), {}));
        const FoundTree best = forest.best();
        for (const SpanNode& node : best.nodes)
            CHECK(std::find(gold.begin() + text.first_node(s), gold.begin() + text.first_node(s + 1), node) !=
                  gold.begin() + text.first_node(s + 1));
        CHECK(forest.kbest(5)[0].nodes == best.nodes);
        CHECK(forest.minimum_risk().nodes == best.nodes);
    }
    CHECK(measure_tree_costs(parser, text, gold.data(), {0.5, 1}, 2)[0] >= 0);
}

TEST(spans_obey_constraints_or_have_no_tree) {
    const SpanText text = small_text();
    for (const bool grows_right : {true, false}) {
        const CoarseModel coarse(small_grammar(grows_right), small_templates(false));
        const SpanModel model(small_grammar(grows_right), small_templates(false), small_templates(true));
        const std::vector<std::int16_t> weights((1 << 10) + coarse.padding());
        const std::vector<std::int16_t> others((1 << 10) + model.padding());
        const SpanParser parser{&coarse, {weights.data(), 1023}, {0.9, 1}, &model, {others.data(), 1023}};
        const std::vector<std::uint8_t> constituents{0, 1, 1, 1, 0, 0}, rest{1, 0, 0, 0, 1, 1};
        SpanForest forest;
        const std::vector<SpanConstraint> possible{{1, 4, true, constituents}, {0, 5, false, constituents}};
        CHECK(forest.parse(parser, text.sentence(0), possible));
        Random random(1);
        for (int i = 0; i < 20; ++i) {
            const FoundTree tree = forest.sample(random);
            CHECK(std::any_of(tree.nodes.begin(), tree.nodes.end(),
                              [](const SpanNode& node) { return node.start == 1 && node.end == 4; }));
        }
        const std::vector<SpanConstraint> crossing{{0, 3, true, constituents}, {2, 5, true, constituents}};
        CHECK(!forest.parse(parser, text.sentence(0), crossing));
        const std::vector<SpanConstraint> nothing{{0, 5, false, rest}};
        CHECK(!forest.parse(parser, text.sentence(0), nothing));
    }
}
