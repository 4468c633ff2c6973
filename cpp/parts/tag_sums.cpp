#include "parts/tag_sums.hpp"

#include <algorithm>
#include <cmath>

namespace arbora {
namespace {

double log_sum(const std::vector<double>& values) {
    const double top = *std::max_element(values.begin(), values.end());
    if (top == -INFINITY) return top;
    double sum = 0;
    for (double value : values) sum += std::exp(value - top);
    return top + std::log(sum);
}

// Words below the root, every head before its modifiers.
std::vector<int> from_the_root(const int* heads, int n) {
    std::vector<std::vector<int>> below(n + 1);
    for (int m = 1; m <= n; ++m) below[heads[m]].push_back(m);
    std::vector<int> order = below[0];
    for (std::size_t i = 0; i < order.size(); ++i)
        order.insert(order.end(), below[order[i]].begin(), below[order[i]].end());
    return order;
}

}  // namespace

void TagNumbers::set_zeros(const TagNumbers& like) {
    *this = like;
    multiply(0);
}

void TagNumbers::multiply(double by) {
    for (std::vector<double>* all : {&words, &links, &bigrams, &trigrams})
        for (double& number : *all) number *= by;
}

// inside(m, t) = s(m, t) + sum over modifiers c of up(c, t), up(c, t) = log sum over t' of exp(s(link, t, t') + inside(c, t')).
double sum_tags(const ArcIndex& arcs, const TagNumbers& scores, double scale, const int* heads, TagNumbers* beliefs) {
    TagNumbers inside;  // `words` only
    inside.begins = scores.begins;
    for (double score : scores.words) inside.words.push_back(scale * score);
    std::vector<std::vector<double>> up(arcs.n() + 1);  // for every tag of the head
    const std::vector<int> order = from_the_root(heads, arcs.n());
    std::vector<double> row;
    double total = 0;
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
        const int word = *at, head = heads[word], tags = scores.count(word);
        const double* own = inside.of_word(word);
        if (head == 0) {
            total += log_sum({own, own + tags});
            continue;
        }
        const double* link = scores.of_link(arcs.find(head, word));
        row.resize(tags);
        for (int t = 0; t < scores.count(head); ++t) {
            for (int other = 0; other < tags; ++other) row[other] = scale * link[t * tags + other] + own[other];
            up[word].push_back(log_sum(row));
            inside.of_word(head)[t] += up[word].back();
        }
    }
    if (!beliefs || total == -INFINITY) return total;
    TagNumbers probabilities;  // of words' tags
    probabilities.begins = scores.begins;
    probabilities.words.assign(scores.words.size(), 0.0);
    for (int word : order) {
        const int head = heads[word], tags = scores.count(word);
        const double* own = inside.of_word(word);
        double* own_probabilities = probabilities.of_word(word);
        if (head == 0) {
            const double sum = log_sum({own, own + tags});
            for (int t = 0; t < tags; ++t) own_probabilities[t] = std::exp(own[t] - sum);
        } else {
            const int arc = arcs.find(head, word);
            const double* link = scores.of_link(arc);
            for (int t = 0; t < scores.count(head); ++t) {
                const double above = probabilities.of_word(head)[t];
                for (int other = 0; other < tags && above > 0; ++other) {
                    const double both = above * std::exp(scale * link[t * tags + other] + own[other] - up[word][t]);
                    own_probabilities[other] += both;
                    beliefs->of_link(arc)[t * tags + other] -= both;
                }
            }
        }
        for (int t = 0; t < tags; ++t) beliefs->of_word(word)[t] -= own_probabilities[t];
    }
    return total;
}

double score_tags(const ArcIndex& arcs, const TagNumbers& scores, const int* heads, const int* chosen,
                  TagNumbers& beliefs) {
    double total = 0;
    const auto count = [&](const std::vector<double>& from, std::vector<double>& to, std::size_t at) {
        total += from[at];
        to[at] -= 1;
    };
    std::size_t bigram = 0, trigram = 0;  // where those that begin at a word do
    for (int word = 1; word <= arcs.n(); ++word) {
        count(scores.words, beliefs.words, scores.begins[word - 1] + chosen[word]);
        if (const int head = heads[word]) {
            const std::size_t pair = static_cast<std::size_t>(chosen[head]) * scores.count(word) + chosen[word];
            count(scores.links, beliefs.links, scores.link_begins[arcs.find(head, word)] + pair);
        }
        if (!scores.has_chain() || word == arcs.n()) continue;
        const std::size_t next = scores.count(word + 1), pair = chosen[word] * next + chosen[word + 1];
        count(scores.bigrams, beliefs.bigrams, bigram + pair);
        bigram += scores.count(word) * next;
        if (scores.trigrams.empty() || word + 1 == arcs.n()) continue;
        const std::size_t third = scores.count(word + 2);
        count(scores.trigrams, beliefs.trigrams, trigram + pair * third + chosen[word + 2]);
        trigram += scores.count(word) * next * third;
    }
    return total;
}

}  // namespace arbora
