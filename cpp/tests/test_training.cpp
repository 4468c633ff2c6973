// Scores, gradients and training of parsers in the core, against each other; agreement with slow twins is tested from Python.
#include "parsing/gold_features.hpp"
#include "parsing/training.hpp"
#include "small_parsers.hpp"

using namespace arbora;

TEST(parsing_scores_of_a_list_are_those_of_all_arcs) {
    Random random(1);
    const Model model(all_templates(), 3, random);
    const Encoded encoded = draw_sentences(9, random);
    for (std::size_t s = 0; s < encoded.sentences(); ++s) {
        Prepared prepared;
        prepared.set(model.templates, encoded, s, ~0u);
        const int n = prepared.n(), width = n + 1;
        std::vector<float> all(width * width);
        model.first_order.arcs().score(prepared, model.table(), all.data());
        std::vector<Arc> arcs;
        for (int m = 1; m <= n; ++m)
            for (int h = 0; h <= n; ++h)
                if (h != m) arcs.push_back({h, m});
        std::vector<float> listed(arcs.size());
        model.first_order.arcs().score(prepared, model.table(), arcs, listed.data());
        for (std::size_t a = 0; a < arcs.size(); ++a) CHECK(listed[a] == all[arcs[a].head * width + arcs[a].modifier]);
        std::vector<float> by_short(arcs.size());
        model.first_order.arcs().score(prepared, model.rounded.table(), arcs, by_short.data());
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
        sum.for_each(
            [&](std::uint32_t index, float value) { total += static_cast<double>(model.weights[index]) * value; });
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
            model.first_order.arcs().score(prepared, model.table(), {{h, m}}, &arc);
            model.first_order.arcs().add_gradient(prepared, model.table().mask, {{h, m, 1.0f}}, sum);
            CHECK(product() == arc);
            const LabelFeatures& labeler = model.first_order.labeler();
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
            break_symmetry(model, learner, encoded, {heads.data(), nullptr}, 7);
            support(model, learner, encoded, {heads.data(), labels.data()}, batch);
            for (int epoch = 0; epoch < 2; ++epoch) {
                const BatchReport report =
                    train_parser(model, learner, encoded,
                                 {heads.data(), labels.data(), model.observes_tags() ? tags.data() : nullptr}, arcs,
                                 batch, {{1, 1}, {true, false}, threads});
                CHECK(report.words == heads.size() && report.infeasible == 0 && report.arc_loss > 0);
            }
            learned.emplace_back(learner.current().begin(), learner.current().end());
        }
        CHECK(learned[0] == learned[1]);
    }
}
