// Ten thousand random graphs of the real factors, with scores that hurt, through every solver of the core: whatever
// comes out has no nan, and the sanitizers see every step.
#include <cmath>

#include "check.hpp"
#include "factors/cardinality.hpp"
#include "factors/child_sequences.hpp"
#include "factors/logic.hpp"
#include "factors/pairs.hpp"
#include "factors/projective_tree.hpp"
#include "factors/table.hpp"
#include "factors/tag_chain.hpp"
#include "factors/tag_link.hpp"
#include "factors/tree.hpp"
#include "solvers/belief_propagation.hpp"
#include "solvers/branch_and_bound.hpp"
#include "solvers/dual_decomposition.hpp"
#include "solvers/max_product.hpp"
#include "support/random.hpp"

using namespace arbora;

namespace {

class Drawing {
public:
    explicit Drawing(int seed) : random_(seed), words_(1 + count(3)), extreme_(seed % 3) {}

    FactorGraph graph() {
        FactorGraph result;
        for (int h = 0; h <= words_; ++h)
            for (int m = 1; m <= words_; ++m) {
                if (h == m) continue;
                heads_.push_back(h);
                modifiers_.push_back(m);
                result.add_binary(score());
            }
        const int arcs = static_cast<int>(heads_.size());
        for (int word = 0; word < words_; ++word) {
            const double scores[2] = {score(), score()};
            result.add_category(scores, 2);
        }
        if (random_.uniform() < 0.2) result.clamp(count(arcs), random_.uniform() < 0.5);
        if (random_.uniform() < 0.7) add_tree(result, arcs);
        if (random_.uniform() < 0.5) add_logic(result, arcs);
        if (random_.uniform() < 0.5) add_pairs(result, arcs);
        if (random_.uniform() < 0.5) add_sequences(result);
        if (random_.uniform() < 0.5) add_tags(result, arcs);
        return result;
    }

private:
    int count(int limit) { return static_cast<int>(random_.uniform() * limit); }

    double score() {
        const double drawn = 4 * random_.uniform() - 2;
        if (random_.uniform() < 0.1) return -INFINITY;
        if (extreme_ == 0) return std::floor(drawn);
        return extreme_ == 1 ? drawn * std::pow(10.0, 6 * random_.uniform()) : drawn;
    }
    std::vector<double> scores(std::size_t size) {
        std::vector<double> result(size);
        for (double& one : result) one = score();
        return result;
    }
    Input input(int variable) { return {variable, random_.uniform() < 0.2}; }

    void add_tree(FactorGraph& graph, int arcs) {
        std::vector<Input> inputs;
        for (int arc = 0; arc < arcs; ++arc) inputs.push_back({arc, false});
        Wiring wiring;
        wiring.add_factor(graph.variables(), inputs);
        CandidateArcs candidates(words_, heads_, modifiers_, random_.uniform() < 0.5);
        if (random_.uniform() < 0.5)
            graph.add(std::make_shared<TreeFactor>(std::move(wiring), std::move(candidates)));
        else
            graph.add(std::make_shared<ProjectiveTreeFactor>(std::move(wiring), std::move(candidates)));
    }

    void add_logic(FactorGraph& graph, int arcs) {
        Wiring wiring;
        const int factors = 1 + count(3);
        for (int f = 0; f < factors; ++f) {
            std::vector<Input> inputs;
            for (int arc = 0; arc < arcs; ++arc)
                if (inputs.empty() || random_.uniform() < 0.4) inputs.push_back(input(arc));
            wiring.add_factor(graph.variables(), inputs);
        }
        switch (count(5)) {
            case 0: return graph.add(std::make_shared<OneOfFactor>("ExactlyOne", wiring, false));
            case 1: return graph.add(std::make_shared<OneOfFactor>("AtMostOne", wiring, true));
            case 2: return graph.add(std::make_shared<OrFactor>("Or", wiring));
            case 3: return graph.add(std::make_shared<OrWithOutputFactor>("OrWithOutput", wiring));
            default:
                return graph.add(
                    std::make_shared<AtMostFactor>("AtMost", wiring, std::vector<int>(factors, 1 + count(2))));
        }
    }

    void add_pairs(FactorGraph& graph, int arcs) {
        Wiring wiring;
        for (int a = 0; a < arcs; ++a)
            for (int b = 0; b < a; ++b)
                if (random_.uniform() < 0.4) {
                    const Input both[2] = {input(a), input(b)};
                    wiring.add_factor(graph.variables(), both);
                }
        std::vector<double> drawn = scores(wiring.factors());
        graph.add(std::make_shared<Pairs>(wiring, std::move(drawn)));
    }

    void add_sequences(FactorGraph& graph) {
        Wiring wiring;
        std::size_t parts = 0;
        for (int head = 0; head <= words_; ++head) {
            std::vector<Input> inputs;
            for (std::size_t arc = 0; arc < heads_.size(); ++arc)
                if (heads_[arc] == head && modifiers_[arc] > head) inputs.push_back(input(static_cast<int>(arc)));
            wiring.add_factor(graph.variables(), inputs);
            parts += (inputs.size() + 1) * (inputs.size() + 2) / 2;
        }
        graph.add(std::make_shared<ChildSequences>(std::move(wiring), scores(parts)));
    }

    void add_tags(FactorGraph& graph, int arcs) {
        std::vector<Input> chain;
        for (int word = 0; word < words_; ++word) chain.push_back({arcs + word, false});
        Wiring along, links, table;
        along.add_factor(graph.variables(), chain);
        graph.add(std::make_shared<TagChain>(along, scores(4 * (words_ - 1)),
                                             scores(random_.uniform() < 0.5 && words_ > 2 ? 8 * (words_ - 2) : 0)));
        for (int arc = 0; arc < arcs; ++arc) {
            if (heads_[arc] == 0) continue;
            const Input three[3] = {input(arc), chain[heads_[arc] - 1], chain[modifiers_[arc] - 1]};
            links.add_factor(graph.variables(), three);
        }
        graph.add(std::make_shared<TagLink>(links, scores(4 * links.factors())));
        const Input two[2] = {input(count(arcs)), chain[count(words_)]};
        table.add_factor(graph.variables(), two);
        graph.add(std::make_shared<Table>(table, scores(4)));
    }

    Random random_;
    int words_, extreme_;
    std::vector<int> heads_, modifiers_;
};

void check_sound(const FactorGraph& graph, const Outcome& found, bool has_sums) {
    CHECK(found.beliefs.size() == static_cast<std::size_t>(graph.slots()));
    for (double belief : found.beliefs) CHECK(belief >= -1e-9 && belief <= 1 + 1e-9);
    for (const auto& group : found.parts)
        for (double part : group) CHECK(!std::isnan(part));
    for (double residual : found.residuals) CHECK(!std::isnan(residual));
    for (double value : found.values) CHECK(!std::isnan(value));
    CHECK(!std::isnan(found.value) && !std::isnan(found.upper_bound));
    if (has_sums && !found.infeasible) CHECK(!std::isnan(found.log_partition));
    CHECK(found.assignment.empty() == (found.value == -INFINITY));
    Arena arena;
    if (!found.assignment.empty()) CHECK(graph.value(found.assignment, arena) == found.value);
    if (std::isfinite(found.value)) CHECK(found.value <= found.upper_bound + 1e-6 * (1 + std::abs(found.value)));
}

// Every solver on the graphs of these seeds.
void check_survival(int first, int last) {
    constexpr Schedule schedules[] = {Schedule::flooding, Schedule::serial, Schedule::residual};
    for (int seed = first; seed < last; ++seed) {
        const FactorGraph graph = Drawing(seed).graph();
        PropagationOptions options;
        options.iterations = 4;
        options.schedule = schedules[seed % 3];
        options.damping = seed % 2 ? 0.0 : 0.5;
        check_sound(graph, belief_propagation(graph, options), true);
        check_sound(graph, max_product(graph, options), false);
        check_sound(graph, anneal(graph, {2, 0.2, options}), false);
        check_sound(graph, dual_decomposition(graph, {.iterations = 10}), false);
        check_sound(graph, ad3(graph, {.iterations = 10}), false);
        const BoundingSolver solve = [](const FactorGraph& node, double cutoff, Multipliers& multipliers) {
            return ad3(node, {.iterations = 10, .cutoff = cutoff}, &multipliers);
        };
        check_sound(graph, branch_and_bound(graph, solve, 3), false);
    }
}

}  // namespace

// In parts, which can run at once.
TEST(any_graph_of_any_scores_survives_every_solver_1) { check_survival(0, 2500); }
TEST(any_graph_of_any_scores_survives_every_solver_2) { check_survival(2500, 5000); }
TEST(any_graph_of_any_scores_survives_every_solver_3) { check_survival(5000, 7500); }
TEST(any_graph_of_any_scores_survives_every_solver_4) { check_survival(7500, 10000); }
