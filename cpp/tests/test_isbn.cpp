// Sigmoid belief networks, where the sanitizers see them; agreement with slow twins is tested from Python.
#include <cmath>
#include <stdexcept>

#include "check.hpp"
#include "isbn/beam.hpp"
#include "isbn/learner.hpp"
#include "support/random.hpp"

namespace {

using namespace arbora;
using namespace arbora::isbn;

Shape small_shape(bool root_takes_many) {
    Shape shape;
    shape.width = 5;
    shape.labels = 3;
    shape.tags = 2;
    shape.word_begins = {0, 2, 5};
    shape.longest_chain = 2;
    shape.root_takes_many = root_takes_many;
    shape.state_relations = {Place::top, Place::below, Place::leftmost, Place::last};
    for (Place place : {Place::top, Place::below, Place::second_below, Place::below_leftmost, Place::below_last})
        for (Attribute attribute : {Attribute::label, Attribute::word, Attribute::first_word, Attribute::last_word})
            shape.input_relations.push_back({place, attribute});
    shape.input_relations.push_back({Place::top, Attribute::decision});
    shape.lay_out();
    return shape;
}

// S over everything, then a chain over the first word, then what is right of it.
std::vector<Span> small_tree(int n) {
    std::vector<Span> spans{{0, 0, n}, {1, 0, 1}, {2, 0, 1}};
    for (int i = 1; i + 1 < n; ++i) spans.push_back({1, i, n});
    return spans;
}

template <class Body>
bool is_refused(Body body) {
    try {
        body();
    } catch (const std::invalid_argument&) {
        return true;
    }
    return false;
}

}  // namespace

TEST(isbn_decisions_of_a_tree_and_back) {
    for (int n : {2, 3, 7}) {
        const std::vector<int> tags(n, 1), words(n, 3);
        const std::vector<Span> tree = small_tree(n), back = spans_of(decisions_of(tree, tags, words));
        CHECK(back.size() == tree.size());
        for (std::size_t i = 0; i < tree.size(); ++i)
            CHECK(back[i].label == tree[i].label && back[i].begin == tree[i].begin && back[i].end == tree[i].end);
    }
    CHECK(is_refused([] { decisions_of({{0, 0, 2}, {1, 1, 3}}, {0, 0, 0}, {0, 0, 0}); }));
    CHECK(is_refused([] { spans_of({{attach}}); }));
}

TEST(isbn_gradient_is_that_of_the_log_probability) {
    for (Inference inference : {Inference::feed_forward, Inference::mean_field}) {
        const Shape shape = small_shape(true);
        std::vector<double> weights = initial_weights(shape, 3, 0.7);
        const std::vector<Decision> decisions = decisions_of(small_tree(4), {0, 1, 1, 0}, {1, 2, 4, 0});
        DerivationPass pass(shape);
        const Network network{shape, weights.data(), inference};
        pass.run_forward(network, decisions);
        std::vector<double> gradient(weights.size());
        pass.add_gradient(network, 2, gradient.data());
        Random random(1);
        for (int trial = 0; trial < 60; ++trial) {
            const std::size_t i = random.bits() % weights.size();
            const double before = weights[i], step = 1e-5;
            weights[i] = before + step;
            const double above = pass.run_forward(network, decisions);
            weights[i] = before - step;
            const double below = pass.run_forward(network, decisions);
            weights[i] = before;
            CHECK(std::fabs(gradient[i] - (above - below) / step) <= 1e-6);
        }
    }
}

TEST(isbn_beam_gives_legal_derivations_with_their_probabilities) {
    for (bool many : {false, true})
        for (Inference inference : {Inference::feed_forward, Inference::mean_field}) {
            const Shape shape = small_shape(many);
            const std::vector<double> weights = initial_weights(shape, 5, 1.0);
            const Network network{shape, weights.data(), inference};
            for (int n : {1, 2, 9}) {
                const std::vector<int> tags(n, 1), words(n, 4);
                BeamOptions options;
                options.beam = 4;
                const std::vector<BeamParse> found = parse_by_beam(network, tags, words, options);
                CHECK(!found.empty() && found.size() <= 4);
                for (const BeamParse& parse : found) {
                    DerivationPass pass(shape);
                    CHECK(std::fabs(pass.run_forward(network, parse.decisions) - parse.log_probability) <= 1e-9);
                    spans_of(parse.decisions);
                }
            }
        }
}

TEST(isbn_learning_makes_derivations_more_probable) {
    const Shape shape = small_shape(true);
    Learner learner(initial_weights(shape, 1, 0.1));
    const std::vector<std::vector<Decision>> corpus{decisions_of(small_tree(3), {0, 1, 1}, {0, 3, 4}),
                                                    decisions_of(small_tree(2), {1, 0}, {2, 1})};
    const std::vector<int> order{1, 0};
    LearningOptions options;
    options.rate = 0.02;
    const double before = learner.train(shape, Inference::mean_field, corpus, order, options, 2);
    double after = before;
    for (int epoch = 0; epoch < 20; ++epoch)
        after = learner.train(shape, Inference::mean_field, corpus, order, options, 2);
    CHECK(after > before + 5);
}
