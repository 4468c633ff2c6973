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
    for (std::size_t i = 0; i < order.size(); ++i) order.insert(order.end(), below[order[i]].begin(), below[order[i]].end());
    return order;
}

}  // namespace

void TagNumbers::clear(int count, int n, int arcs) {
    tags = count;
    words.assign(static_cast<std::size_t>(n) * count, 0.0);
    links.assign(static_cast<std::size_t>(arcs) * count * count, 0.0);
}

// inside(m, t) = s(m, t) + sum over modifiers c of up(c, t), up(c, t) = log sum over t' of exp(s(link, t, t') + inside(c, t')).
double sum_tags(const ArcIndex& arcs, const TagNumbers& scores, double scale, const int* heads, TagNumbers* beliefs) {
    const int n = arcs.n(), tags = scores.tags;
    TagNumbers inside, up;  // `words` only
    inside.clear(tags, n, 0);
    up.clear(tags, n, 0);
    for (std::size_t i = 0; i < scores.words.size(); ++i) inside.words[i] = scale * scores.words[i];
    const std::vector<int> order = from_the_root(heads, n);
    std::vector<double> row(tags);
    double total = 0;
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
        const int word = *at, head = heads[word];
        const double* own = inside.of_word(word);
        if (head == 0) {
            total += log_sum({own, own + tags});
            continue;
        }
        const double* link = scores.of_link(arcs.find(head, word));
        for (int t = 0; t < tags; ++t) {
            for (int other = 0; other < tags; ++other) row[other] = scale * link[t * tags + other] + own[other];
            up.of_word(word)[t] = log_sum(row);
            inside.of_word(head)[t] += up.of_word(word)[t];
        }
    }
    if (!beliefs || total == -INFINITY) return total;
    TagNumbers chances;  // of words' tags
    chances.clear(tags, n, 0);
    for (int word : order) {
        const int head = heads[word];
        const double* own = inside.of_word(word);
        double* chance = chances.of_word(word);
        if (head == 0) {
            const double sum = log_sum({own, own + tags});
            for (int t = 0; t < tags; ++t) chance[t] = std::exp(own[t] - sum);
        } else {
            const int arc = arcs.find(head, word);
            const double* link = scores.of_link(arc);
            for (int t = 0; t < tags; ++t) {
                const double above = chances.of_word(head)[t];
                for (int other = 0; other < tags && above > 0; ++other) {
                    const double both =
                        above * std::exp(scale * link[t * tags + other] + own[other] - up.of_word(word)[t]);
                    chance[other] += both;
                    beliefs->of_link(arc)[t * tags + other] -= both;
                }
            }
        }
        for (int t = 0; t < tags; ++t) beliefs->of_word(word)[t] -= chance[t];
    }
    return total;
}

}  // namespace arbora
