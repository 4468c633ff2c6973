#include "factors/tag_link.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "factors/log_odds.hpp"
#include "semirings/log.hpp"
#include "semirings/max.hpp"

namespace arbora {
namespace {

std::vector<std::size_t> table_begins(const Wiring& wiring) {
    std::vector<std::size_t> begins{0};
    for (std::size_t factor = 0; factor < wiring.factors(); ++factor) {
        const std::size_t input = wiring.input_begin(factor);
        if (wiring.input_count(factor) != 3 || wiring.is_category(input) || !wiring.is_category(input + 1) ||
            !wiring.is_category(input + 2))
            throw std::invalid_argument("it must have a binary variable and two categories");
        begins.push_back(begins.back() + static_cast<std::size_t>(wiring.input_size(input + 1)) *
                                             static_cast<std::size_t>(wiring.input_size(input + 2)));
    }
    return begins;
}

int index_of_largest(const double* values, int count) {
    return static_cast<int>(std::max_element(values, values + count) - values);
}

}  // namespace

TagLink::TagLink(const Wiring& wiring, std::vector<double> scores)
    : FactorGroup(wiring, std::move(scores), table_begins(wiring)), transposed_(part_scores().size()) {
    if (part_scores().size() != (size() ? part_begin(size() - 1) + part_count(size() - 1) : 0))
        throw std::invalid_argument("there must be one score for each pair of tags");
    for (std::size_t factor = 0; factor < size(); ++factor) {
        const int first = tags(factor, 0), second = tags(factor, 1);
        double* transposed = transposed_.data() + part_begin(factor);
        for (int a = 0; a < first; ++a)
            for (int b = 0; b < second; ++b) transposed[b * first + a] = table(factor)[a * second + b];
    }
}

template <class S>
double TagLink::beliefs_of(std::size_t factor, const double* in, double* beliefs, Arena& arena) const {
    const Arena::Frame frame(arena);
    const int count[2] = {tags(factor, 0), tags(factor, 1)};
    const double* given[2] = {in + 1, in + 1 + count[0]};
    const double* tables[2] = {table(factor), transposed_.data() + part_begin(factor)};
    double* result[2] = {beliefs + 1, beliefs + 1 + count[0]};
    const double* zeros = arena.take<double>(std::max(count[0], count[1]), 0.0);
    const double linked = if_true(in[0]), apart = if_false(in[0]);

    // Of each word, all its tags together; of each tag, all tags of the other word that it is linked with.
    double all[2], *partners[2];
    for (int w = 0; w < 2; ++w) {
        all[w] = S::dot(given[w], zeros, count[w]);
        partners[w] = arena.take<double>(count[w]);
        for (int tag = 0; tag < count[w]; ++tag)
            partners[w][tag] =
                S::dot(tables[w] + static_cast<std::size_t>(tag) * count[1 - w], given[1 - w], count[1 - w]);
    }
    const double if_linked = linked + S::dot(given[0], partners[0], count[0]);
    const double if_apart = apart + all[0] + all[1];
    const double value = S::plus(if_linked, if_apart);
    if (value == -INFINITY) {
        std::fill_n(beliefs, wiring().port_count(factor), 0.0);
        return value;
    }
    beliefs[0] = if_linked - if_apart;
    for (int w = 0; w < 2; ++w)
        for (int tag = 0; tag < count[w]; ++tag)
            result[w][tag] = given[w][tag] + S::plus(linked + partners[w][tag], apart + all[1 - w]) - value;
    return value;
}

double TagLink::sum(std::size_t factor, const double* in, double* beliefs, double* parts, Arena& arena) const {
    const double value = beliefs_of<LogSemiring>(factor, in, beliefs, arena);
    if (!parts) return value;
    const int first = tags(factor, 0), second = tags(factor, 1);
    for (int a = 0; a < first; ++a)
        for (int b = 0; b < second; ++b, ++parts) {
            const double total = if_true(in[0]) + in[1 + a] + in[1 + first + b] + table(factor)[a * second + b];
            *parts = value == -INFINITY ? 0 : std::exp(total - value);
        }
    return value;
}

double TagLink::max(std::size_t factor, const double* in, double* beliefs, Arena& arena) const {
    return beliefs_of<MaxSemiring>(factor, in, beliefs, arena);
}

double TagLink::best(std::size_t factor, const double* in, Configuration& found, Arena&) const {
    const int first = tags(factor, 0), second = tags(factor, 1);
    const double *in_first = in + 1, *in_second = in_first + first;
    int a = index_of_largest(in_first, first), b = index_of_largest(in_second, second);
    double value = if_false(in[0]) + in_first[a] + in_second[b];
    bool is_linked = false;
    for (int i = 0; i < first; ++i)
        for (int j = 0; j < second; ++j) {
            const double total = if_true(in[0]) + in_first[i] + in_second[j] + table(factor)[i * second + j];
            if (total > value) {
                value = total;
                is_linked = true;
                a = i;
                b = j;
            }
        }
    found.active.clear();
    found.inner = 0;
    if (value == -INFINITY) return value;
    if (is_linked) {
        found.active.push_back(0);
        found.inner = table(factor)[a * second + b];
    }
    found.active.push_back(1 + a);
    found.active.push_back(1 + first + b);
    return value;
}

// A weight for every possible pair of linked tags. They sum to the link; those with a tag are no more than the tag, and
// what they leave of the tags can be paired in any way, which is the case of no link.
void TagLink::polytope(std::size_t factor, TreeRows, Polytope& rows) const {
    const int first = tags(factor, 0), second = tags(factor, 1);
    std::vector<std::vector<Polytope::Term>> of_tag(first + second);
    std::vector<Polytope::Term> of_link{{0, -1}}, one_first, one_second;
    for (int i = 0; i < first + second; ++i) {
        of_tag[i].emplace_back(1 + i, -1);
        (i < first ? one_first : one_second).emplace_back(1 + i, 1);
    }
    for (int a = 0; a < first; ++a)
        for (int b = 0; b < second; ++b) {
            const double score = table(factor)[a * second + b];
            if (score == -INFINITY) continue;
            const int column = rows.new_column(score);
            of_link.emplace_back(column, 1);
            of_tag[a].emplace_back(column, 1);
            of_tag[first + b].emplace_back(column, 1);
        }
    rows.add_row(0, 0, of_link);
    rows.add_row(1, 1, one_first);
    rows.add_row(1, 1, one_second);
    for (const auto& terms : of_tag) rows.add_row(-Polytope::unbounded, 0, terms);
}

double TagLink::score(std::size_t factor, std::span<const int> active, Arena&) const {
    int values[3];
    if (!wiring().find_values(factor, active, values)) return -INFINITY;
    return values[0] ? table(factor)[values[1] * tags(factor, 1) + values[2]] : 0;
}

void TagLink::add_parts(std::size_t factor, std::span<const int> active, double weight, double* parts, Arena&) const {
    int values[3];
    if (wiring().find_values(factor, active, values) && values[0])
        parts[values[1] * tags(factor, 1) + values[2]] += weight;
}

std::shared_ptr<const FactorGroup> TagLink::scaled(double multiplier) const {
    return std::make_shared<TagLink>(wiring(), scaled_scores(multiplier));
}

}  // namespace arbora
