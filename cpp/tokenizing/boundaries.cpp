#include "tokenizing/boundaries.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linear/hashing.hpp"
#include "support/interruption.hpp"
#include "support/parallel.hpp"
#include "support/random.hpp"

namespace arbora::tokenizing {

namespace {

constexpr std::size_t block = 4096;          // symbols whose columns fit into the cache
constexpr std::size_t training_block = 512;  // blocks that are learned from in random order
constexpr std::size_t batch = 8;             // gaps whose gradients make one step

// The last join leaves the best bits above; those below are wanted.
std::uint32_t place(std::uint64_t hash, std::uint32_t mask) {
    return static_cast<std::uint32_t>(hash ^ hash >> 29) & mask;
}

// Calls body(k, place) for gap after gap: the atoms of a template are few, and known outside the loop.
template <class Body>
void for_each_place(const GapColumns& columns, const Gaps& gaps, const GapTemplate& each, std::uint32_t mask,
                    std::vector<std::uint64_t>& keys, Body body) {
    const std::size_t count = gaps.size();
    keys.assign(count, mix_bits(each.seed));
    for (const GapAtom atom : each.atoms) {
        const std::uint64_t* values = columns.values(atom);
        const std::uint32_t* at = atom.right ? gaps.right.data() : gaps.left.data();
        for (std::size_t k = 0; k < count; ++k) keys[k] = join_hashes(keys[k], values[at[k]]);
    }
    for (std::size_t k = 0; k < count; ++k) body(k, place(keys[k], mask));
}

// Sums of weights are whole numbers, so that their order does not matter.
void score_gaps(const GapColumns& columns, const Gaps& gaps, const GapTemplates& templates, const ShortWeights& weights,
                std::vector<std::uint64_t>& keys, std::vector<std::int32_t>& sums) {
    sums.assign(gaps.size(), 0);
    for (std::size_t t = 0; t < templates.size(); ++t)
        for_each_place(columns, gaps, templates[t], weights.mask, keys,
                       [&](std::size_t k, std::uint32_t at) { sums[k] += weights.data[at]; });
}

// What a thread needs to decide a block.
struct Workspace {
    GapColumns columns;
    Gaps gaps;
    std::vector<std::uint64_t> keys;
    std::vector<std::int32_t> sums;
};

void decide_block(const BoundaryModel& model, const Symbols& symbols, std::size_t begin, std::size_t end,
                  Workspace& work, Decisions& result) {
    work.columns.read(symbols, begin, end);
    work.gaps.clear();
    for (std::size_t i = begin; i < end; ++i) {
        if (is_gap(symbols.code[i])) continue;
        if (is_open(symbols, i, model.spaces_in_tokens))
            work.gaps.add(i, after_gap(symbols, i));
        else
            result.boundary[i] = token_end;
    }
    score_gaps(work.columns, work.gaps, model.token_templates, model.token_weights, work.keys, work.sums);
    for (std::size_t k = 0; k < work.gaps.size(); ++k)
        result.boundary[work.gaps.left[k]] = work.sums[k] > 0 ? token_end : inside;
    work.gaps.clear();
    for (std::size_t i = begin; i < end; ++i)
        if (!is_gap(symbols.code[i]) && result.boundary[i] == token_end) work.gaps.add(i, after_gap(symbols, i));
    score_gaps(work.columns, work.gaps, model.sentence_templates, model.sentence_weights, work.keys, work.sums);
    for (std::size_t k = 0; k < work.gaps.size(); ++k) {
        const std::size_t i = work.gaps.left[k];
        const float score = static_cast<float>(work.sums[k]) * model.sentence_weights.step;
        result.score[i] = score;
        const bool ends = score > model.sentence_threshold || symbols.code[i + 1] == gap_paragraph;
        if (ends) result.boundary[i] = sentence_end;
    }
}

}  // namespace

void gap_features(const GapColumns& columns, const Gaps& gaps, const GapTemplates& templates, std::uint32_t mask,
                  std::vector<std::uint32_t>& result) {
    result.resize(templates.size() * gaps.size());
    std::vector<std::uint64_t> keys;
    for (std::size_t t = 0; t < templates.size(); ++t)
        for_each_place(columns, gaps, templates[t], mask, keys,
                       [&](std::size_t k, std::uint32_t at) { result[t * gaps.size() + k] = at; });
}

void decide(const BoundaryModel& model, const Symbols& symbols, std::size_t begin, std::size_t end, int threads,
            Decisions& result) {
    result.boundary.assign(symbols.size(), inside);
    result.score.assign(symbols.size(), 0);
    const std::size_t blocks = (end - begin + block - 1) / block;
    parallel_for(blocks, threads, [&](std::size_t b) {
        thread_local Workspace work;
        const std::size_t first = begin + b * block;
        decide_block(model, symbols, first, std::min(end, first + block), work, result);
    });
}

namespace {

// One pass of logistic regression over the gaps that `choose(i)` wants, where `is_end(i)` is to be learned.
template <class Choose, class IsEnd>
double train_pass(const Symbols& symbols, const GapTemplates& templates, std::uint64_t seed, OnlineLearner& learner,
                  Choose choose, IsEnd is_end) {
    std::vector<std::size_t> order((symbols.size() + training_block - 1) / training_block);
    std::iota(order.begin(), order.end(), 0);
    Random random(seed);
    for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[random.bits() % k]);
    GapColumns columns;
    Gaps gaps;
    std::vector<std::uint32_t> features;
    SparseSum sum;
    SparseGradient gradient;
    double total = 0, loss = 0;
    std::size_t waiting = 0;
    const auto step = [&] {
        learner.collect(sum, loss, gradient);
        learner.apply({&gradient}, 1);
        total += loss;
        loss = 0;
        waiting = 0;
    };
    for (const std::size_t b : order) {
        Interruption::heed();
        const std::size_t begin = b * training_block, end = std::min(symbols.size(), begin + training_block);
        gaps.clear();
        for (std::size_t i = begin; i < end; ++i)
            if (!is_gap(symbols.code[i]) && choose(i)) gaps.add(i, after_gap(symbols, i));
        columns.read(symbols, begin, end);
        gap_features(columns, gaps, templates, learner.mask(), features);
        for (std::size_t k = 0; k < gaps.size(); ++k) {
            const float* weights = learner.weights().data;
            double score = 0;
            for (std::size_t t = 0; t < templates.size(); ++t) score += weights[features[t * gaps.size() + k]];
            const bool gold = is_end(gaps.left[k]);
            // loss = log(1 + exp(-score)) for an end, log(1 + exp(score)) for none.
            const double against = gold ? -score : score;
            loss += against > 0 ? against + std::log1p(std::exp(-against)) : std::log1p(std::exp(against));
            const double slope = 1 / (1 + std::exp(-score)) - (gold ? 1 : 0);
            for (std::size_t t = 0; t < templates.size(); ++t)
                sum.add(features[t * gaps.size() + k], static_cast<float>(slope));
            if (++waiting == batch) step();
        }
    }
    if (waiting) step();
    return total;
}

}  // namespace

double train_token_ends(const TrainingText& text, const GapTemplates& templates, const ClassPairs& spaces_in_tokens,
                        std::uint64_t seed, OnlineLearner& learner) {
    const Symbols& symbols = text.symbols;
    return train_pass(
        symbols, templates, seed, learner, [&](std::size_t i) { return is_open(symbols, i, spaces_in_tokens); },
        [&](std::size_t i) { return text.boundary[symbols.character[i]] != inside; });
}

// A blank line is an end without being asked.
double train_sentence_ends(const TrainingText& text, const GapTemplates& templates, std::uint64_t seed,
                           OnlineLearner& learner) {
    const Symbols& symbols = text.symbols;
    return train_pass(
        symbols, templates, seed, learner,
        [&](std::size_t i) {
            return text.boundary[symbols.character[i]] != inside && symbols.code[i + 1] != gap_paragraph;
        },
        [&](std::size_t i) { return text.boundary[symbols.character[i]] == sentence_end; });
}

}  // namespace arbora::tokenizing
