// Label chains, sparse sums, online learners and hashes in the core, where the sanitizers see them. Agreement with
// enumeration is tested from Python; here results are tested against each other.
#include <cmath>
#include <map>
#include <set>

#include "check.hpp"
#include "linear/atoms.hpp"
#include "linear/hashing.hpp"
#include "linear/label_chains.hpp"
#include "linear/learner.hpp"
#include "linear/templates.hpp"
#include "support/random.hpp"
#include "trees/scores.hpp"

using namespace arbora;

namespace {

bool close(double a, double b, double by = 1e-9) { return std::abs(a - b) <= by; }

struct Drawn {
    std::vector<double> unary, siblings;
    int count, labels;

    LabelChain chain() const { return {unary.data(), siblings.data(), count, labels}; }
};

// Siblings fill exactly (labels+1)^2 places, so that the sanitizer sees a step beyond them.
Drawn draw_chain(int count, int labels, double spread, double forbidden, Random& random) {
    Drawn drawn{std::vector<double>(count * labels), std::vector<double>((labels + 1) * (labels + 1)), count, labels};
    for (double& score : drawn.siblings) score = spread * (2 * random.uniform() - 1);
    for (int i = 0; i < count * labels; ++i) {
        const bool may_go = i % labels != 0;
        drawn.unary[i] = may_go && random.uniform() < forbidden ? impossible : spread * (2 * random.uniform() - 1);
    }
    return drawn;
}

void check_chain(const LabelChain& chain) {
    const int count = chain.count, labels = chain.labels, states = chain.states();
    std::vector<int> best(count);
    const double top = best_chain(chain, best.data());
    CHECK(top == chain_score(chain, best.data()));

    const auto ranked = best_chains(chain, 5);
    CHECK(!ranked.empty() && ranked.size() <= 5 && ranked[0].score == top);
    std::set<std::vector<int>> different;
    for (std::size_t r = 0; r < ranked.size(); ++r) {
        different.insert(ranked[r].labels);
        CHECK(ranked[r].score > impossible && (r == 0 || ranked[r].score <= ranked[r - 1].score));
        CHECK(ranked[r].score == chain_score(chain, ranked[r].labels.data()));
    }
    CHECK(different.size() == ranked.size());

    std::vector<double> probabilities(count * labels), pairs(states * states);
    const double total = sum_chain(chain, probabilities.data(), pairs.data());
    CHECK(total >= top - 1e-9);
    double ways = 0;
    for (const auto& found : ranked) ways += std::exp(found.score - total);
    CHECK(ways <= 1 + 1e-9);
    for (int i = 0; i < count; ++i) {
        double sum = 0;
        for (int l = 0; l < labels; ++l) sum += probabilities[i * labels + l];
        CHECK(close(sum, 1));
    }
    double neighbours = 0;
    for (double expected : pairs) neighbours += expected;
    CHECK(close(neighbours, count ? count + 1 : 0));
}

}  // namespace

TEST(label_chains_agree_with_themselves) {
    Random random(1, 0);
    for (double spread : {1.0, 100.0, 1000.0, 1e5})  // from the second on, some need logarithms
        for (double forbidden : {0.0, 0.5})
            for (int count : {0, 1, 2, 5, 12})
                for (int labels : {1, 2, 5, 9}) {
                    const Drawn drawn = draw_chain(count, labels, spread, forbidden, random);
                    check_chain(drawn.chain());
                    LabelChain alone = drawn.chain();
                    alone.siblings = nullptr;
                    check_chain(alone);
                }
}

TEST(one_long_label_chain_sums_to_the_same_in_both_ways) {
    Random random(2, 0);
    Drawn drawn = draw_chain(60, 7, 5, 0.3, random);
    std::vector<double> near(60 * 7), far(60 * 7), near_pairs(64), far_pairs(64);
    const double total = sum_chain(drawn.chain(), near.data(), near_pairs.data());
    for (double& score : drawn.siblings) score += 1000;  // 61 neighbours, and out of the range of exponentials
    CHECK(close(sum_chain(drawn.chain(), far.data(), far_pairs.data()), total + 61000));
    for (int i = 0; i < 60 * 7; ++i) CHECK(close(near[i], far[i]));
    for (int i = 0; i < 64; ++i) CHECK(close(near_pairs[i], far_pairs[i]));
}

TEST(impossible_label_chains_say_so) {
    const std::vector<double> unary{0, 0, impossible, impossible}, zeros(9);
    for (const double* siblings : {zeros.data(), static_cast<const double*>(nullptr)}) {
        const LabelChain chain{unary.data(), siblings, 2, 2};
        std::vector<double> probabilities(4), pairs(9);
        std::vector<int> labels(2);
        CHECK(best_chain(chain, labels.data()) == impossible);
        CHECK(best_chains(chain, 3).empty());
        CHECK(sum_chain(chain, probabilities.data(), nullptr) == impossible);
        CHECK(sum_chain(chain, probabilities.data(), pairs.data()) == impossible);
    }
}

TEST(sparse_sums_are_sums) {
    Random random(3, 0);
    SparseSum sum;
    for (int round = 0; round < 3; ++round) {  // emptied and filled again, larger than at first
        std::map<std::uint32_t, float> expected;
        for (int i = 0; i < 20000; ++i) {
            const auto index = static_cast<std::uint32_t>(random.uniform() * 9000) * 477211u;
            const float value = static_cast<float>(i % 7) - 3;  // whole numbers, whose sums are exact
            sum.add(index, value);
            expected[index] += value;
        }
        CHECK(sum.size() == expected.size());
        sum.for_each([&](std::uint32_t index, float value) { CHECK(expected.at(index) == value); });
        sum.clear();
        CHECK(sum.size() == 0);
    }
}

TEST(online_learners_do_not_depend_on_threads) {
    for (StepRule rule : {StepRule::aggressive, StepRule::sgd, StepRule::adagrad}) {
        std::vector<std::vector<float>> results;
        for (int threads : {1, 3}) {
            Random random(4, 0);
            OnlineLearner learner(10, 5, rule, 0.1);
            SparseSum sum;
            for (int batch = 0; batch < 10; ++batch) {
                std::vector<SparseGradient> gradients(4);
                std::vector<const SparseGradient*> all;
                for (SparseGradient& gradient : gradients) {
                    for (int i = 0; i < 200; ++i)
                        sum.add(static_cast<std::uint32_t>(random.uniform() * (1024 + 5)),
                                static_cast<float>(random.uniform() - 0.5));
                    learner.collect(sum, random.uniform(), gradient);
                    CHECK(sum.size() == 0 && gradient.starts.back() == gradient.index.size());
                    all.push_back(&gradient);
                }
                learner.apply(all, threads);
            }
            CHECK(learner.steps() == 10);
            results.emplace_back(learner.current().begin(), learner.current().end());
            std::vector<float> average(learner.current().size());
            learner.average(average.data());
            results.push_back(average);
        }
        CHECK(results[0] == results[2] && results[1] == results[3]);
    }
}

TEST(online_learners_change_only_what_is_allowed) {
    OnlineLearner learner(3, 1, StepRule::aggressive, 1);
    SparseSum sum;
    SparseGradient gradient;
    sum.add(2, 1);
    sum.add(8, 1);
    learner.allow(sum);
    for (std::uint32_t index = 0; index < 9; ++index) sum.add(index, 1);
    learner.collect(sum, 0.5, gradient);
    CHECK(gradient.step == 0.25);  // the norm is of the two that may change
    learner.apply({&gradient}, 1);
    for (int index = 0; index < 9; ++index) CHECK(learner.current()[index] == (index == 2 || index == 8 ? -0.25f : 0));
}

TEST(hashes_tell_texts_and_seeds_apart) {
    std::set<std::uint64_t> seen;
    std::string text;
    int count = 0;
    for (int length = 0; length < 40; ++length) {  // zeros too: the length must count
        for (std::uint64_t seed : {0, 1, 77}) {
            seen.insert(hash_text(text, seed));
            seen.insert(hash_text(text + "ä", seed));
            seen.insert(combine(hash_text(text, seed), 3));
            count += 3;
        }
        text.push_back('\0');
    }
    CHECK(seen.size() == static_cast<std::size_t>(count));
    CHECK(!seen.contains(0));
    CHECK(hash_text("tree", 1) == hash_text(std::string("tree"), 1));
}

TEST(seeds_are_names) {
    std::set<std::uint64_t> seeds;
    std::set<std::string_view> names;
    for (int a = 0; a < atom_count; ++a) {
        const auto atom = static_cast<Atom>(a);
        CHECK(seed_of(atom) == name_seed(entry_of(atom).name) && atom_named(entry_of(atom).name) == atom);
        seeds.insert(seed_of(atom));
        names.insert(entry_of(atom).name);
    }
    for (std::size_t a = 0; a < arc_atom_names.size(); ++a) {
        CHECK(seed_of(static_cast<ArcAtom>(a)) == name_seed(arc_atom_names[a]));
        seeds.insert(name_seed(arc_atom_names[a]));
        names.insert(arc_atom_names[a]);
    }
    CHECK(seeds.size() == names.size() && names.size() == atom_count + arc_atom_names.size());
    CHECK(std::set<std::string_view>(section_names.begin(), section_names.end()).size() == section_names.size());
    CHECK(name_seed("form") == 0xa6e43faf64f1dbb9);  // of a saved model: it never changes
}

TEST(only_the_atoms_that_are_wanted_are_made) {
    Encoded all, few;
    few.set_atoms(bit_of(atoms::upos) | bit_of(atom_named("opener")));
    for (Encoded* encoded : {&all, &few}) {
        encoded->begin_sentence();
        encoded->add_word({"Of", "of", "ADP", "IN", "A=1|B=2"});
        encoded->add_word({"it", "_", "PRON", "_", "_"});
        encoded->end_sentence();
    }
    for (std::size_t word = 0; word < 2; ++word)
        for (int a = 0; a < atom_count; ++a) {
            const auto atom = static_cast<Atom>(a);
            const bool wanted = atom == atoms::upos || entry_of(atom).name == "opener";
            CHECK(few.atom(word, atom) == (wanted ? all.atom(word, atom) : 0));
        }
    CHECK(all.feat_count(0) == 2 && few.feat_count(0) == 0 && all.atom(1, atom_named("lemma")) == 0);
}
