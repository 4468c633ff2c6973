#include "factors/tag_chain.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "semirings/log.hpp"
#include "semirings/max.hpp"
#include "support/exponential.hpp"
#include "support/vectorise.hpp"

namespace arbora {
namespace {

std::vector<double> joined(std::vector<double> first, const std::vector<double>& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

// result[v] = exp(shift + scores[v] + rest[v]), which is at most 1.
ARBORA_VECTORISED void set_probabilities(double shift, const double* scores, const double* rest, int count,
                                         double* result) {
    for (int v = 0; v < count; ++v) result[v] = exp_bounded(shift + scores[v] + rest[v]);
}

}  // namespace

TagChain::TagChain(const Wiring& wiring, const std::vector<double>& bigrams, const std::vector<double>& trigrams)
    : FactorGroup(wiring, joined(bigrams, trigrams), {0, bigrams.size() + trigrams.size()}),
      has_trigrams_(!trigrams.empty()) {
    if (words() == 0) throw std::invalid_argument("it must have at least one word");
    for (int word = 0; word < words(); ++word)
        if (!wiring.is_category(word)) throw std::invalid_argument("the tags must be categories");

    std::size_t part = 0;
    for (int word = 0; word + 1 < words(); ++word) {
        bigrams_.push_back(part);
        part += static_cast<std::size_t>(tags(word)) * tags(word + 1);
    }
    if (part != bigrams.size())
        throw std::invalid_argument("there must be a score for the tags of every two neighbours");
    for (int word = 0; has_trigrams_ && word + 2 < words(); ++word) {
        trigrams_.push_back(part);
        part += static_cast<std::size_t>(tags(word)) * tags(word + 1) * tags(word + 2);
    }
    if (part != part_scores().size())
        throw std::invalid_argument("there must be a score for the tags of every three neighbours");

    std::size_t begin = 0;
    for (int word = 0; word + has_trigrams_ < words(); ++word) {
        layers_.push_back({has_trigrams_ ? tags(word) * tags(word + 1) : tags(word), begin});
        begin += layers_.back().states;
    }
    std::size_t transposed = 0;
    for (std::size_t k = 0; k + 1 < layers_.size(); ++k) {
        const int word = static_cast<int>(k);
        if (has_trigrams_)
            steps_.push_back({tags(word), tags(word + 1), tags(word + 2), trigrams_[k], transposed});
        else
            steps_.push_back({tags(word), 1, tags(word + 1), bigrams_[k], transposed});
        const auto& [before, shared, after, first, place] = steps_.back();
        transposed_.resize(transposed += static_cast<std::size_t>(before) * shared * after);
        for (int s = 0; s < before; ++s)
            for (int uv = 0; uv < shared * after; ++uv)
                transposed_[place + static_cast<std::size_t>(uv) * before + s] =
                    part_scores()[first + static_cast<std::size_t>(s) * shared * after + uv];
    }
}

void TagChain::fill_local(const double* in, double* local) const {
    const auto of_word = [&](std::size_t word) { return in + wiring().input_port(word); };
    for (std::size_t k = 0; k < layers_.size(); ++k) {
        double* here = local + layers_[k].begin;
        if (!has_trigrams_) {
            std::copy_n(of_word(k), layers_[k].states, here);
            continue;
        }
        const double* scores = part_scores().data() + bigrams_[k];
        for (int u = 0; u < rows(k); ++u) {
            const double first = k == 0 ? of_word(0)[u] : 0;
            for (int v = 0; v < columns(k); ++v) *here++ = first + of_word(k + 1)[v] + *scores++;
        }
    }
}

// forward(u, v) = local(u, v) * (sum over s of forward(s, u) * step(s, u, v)), in the semiring.
template <class S>
double TagChain::go_forward(const double* in, Passes& passes, Arena& arena) const {
    const Layer& last = layers_.back();
    passes.local = arena.take<double>(last.begin + last.states);
    passes.forward = arena.take<double>(last.begin + last.states);
    fill_local(in, passes.local);
    for (int u = 0; u < rows(0); ++u)
        for (int v = 0; v < columns(0); ++v) passes.forward[v * rows(0) + u] = passes.local[u * columns(0) + v];
    for (std::size_t k = 0; k < steps_.size(); ++k) {
        const Step& step = steps_[k];
        const double* from = passes.forward + layers_[k].begin;
        const double* local = passes.local + layers_[k + 1].begin;
        const double* scores = transposed_.data() + step.transposed;
        double* to = passes.forward + layers_[k + 1].begin;
        for (int u = 0; u < step.shared; ++u)
            for (int v = 0; v < step.after; ++v, scores += step.before)
                to[v * step.shared + u] =
                    *local++ + S::dot(from + static_cast<std::size_t>(u) * step.before, scores, step.before);
    }
    const Arena::Frame frame(arena);
    return S::dot(passes.forward + last.begin, arena.take<double>(last.states, S::one), last.states);
}

// backward(s, u) = sum over v of step(s, u, v) * local(u, v) * backward(u, v).
template <class S>
void TagChain::go_backward(Passes& passes, Arena& arena) const {
    const Layer& last = layers_.back();
    passes.backward = arena.take<double>(last.begin + last.states);
    std::fill_n(passes.backward + last.begin, last.states, S::one);
    for (std::size_t k = steps_.size(); k-- > 0;) {
        const Arena::Frame frame(arena);
        const Step& step = steps_[k];
        const Layer& next = layers_[k + 1];
        double* ahead = arena.take<double>(next.states);
        for (int i = 0; i < next.states; ++i) ahead[i] = passes.local[next.begin + i] + passes.backward[next.begin + i];
        const double* scores = part_scores().data() + step.part;
        double* to = passes.backward + layers_[k].begin;
        for (int s = 0; s < step.before; ++s)
            for (int u = 0; u < step.shared; ++u, scores += step.after)
                *to++ = S::dot(scores, ahead + static_cast<std::size_t>(u) * step.after, step.after);
    }
}

template <class S>
void TagChain::set_beliefs(const Passes& passes, double value, double* beliefs, Arena& arena) const {
    for (std::size_t k = 0; k < layers_.size(); ++k) {
        const double* forward = passes.forward + layers_[k].begin;
        const double* backward = passes.backward + layers_[k].begin;
        const int rows = this->rows(k), columns = this->columns(k);
        double* tags = beliefs + wiring().input_port(k);
        if (!has_trigrams_) {
            for (int v = 0; v < columns; ++v) tags[v] = forward[v] + backward[v] - value;
            continue;
        }
        const Arena::Frame frame(arena);
        double* column = arena.take<double>(columns);
        for (int u = 0; u < rows; ++u) {
            for (int v = 0; v < columns; ++v) column[v] = forward[v * rows + u];
            tags[u] = S::dot(column, backward + static_cast<std::size_t>(u) * columns, columns) - value;
        }
        if (k + 1 < layers_.size()) continue;
        const double* ones = arena.take<double>(rows, S::one);
        tags = beliefs + wiring().input_port(k + 1);
        for (int v = 0; v < columns; ++v)
            tags[v] = S::dot(forward + static_cast<std::size_t>(v) * rows, ones, rows) - value;
    }
}

template <class S>
double TagChain::run(const double* in, Passes& passes, double* beliefs, Arena& arena) const {
    const double value = go_forward<S>(in, passes, arena);
    if (value == -INFINITY) {
        std::fill_n(beliefs, wiring().ports(), 0.0);
        return value;
    }
    go_backward<S>(passes, arena);
    set_beliefs<S>(passes, value, beliefs, arena);
    return value;
}

void TagChain::set_parts(const Passes& passes, double value, double* parts, Arena& arena) const {
    for (std::size_t k = 0; has_trigrams_ && k < layers_.size(); ++k) {
        const double* forward = passes.forward + layers_[k].begin;
        const double* backward = passes.backward + layers_[k].begin;
        double* of_layer = parts + bigrams_[k];
        for (int u = 0; u < rows(k); ++u)
            for (int v = 0; v < columns(k); ++v)
                *of_layer++ = exp_bounded(forward[v * rows(k) + u] + *backward++ - value);
    }
    for (std::size_t k = 0; k < steps_.size(); ++k) {
        const Arena::Frame frame(arena);
        const Step& step = steps_[k];
        const Layer& next = layers_[k + 1];
        const double* forward = passes.forward + layers_[k].begin;
        double* ahead = arena.take<double>(next.states);
        for (int i = 0; i < next.states; ++i) ahead[i] = passes.local[next.begin + i] + passes.backward[next.begin + i];
        std::size_t part = step.part;
        for (int s = 0; s < step.before; ++s)
            for (int u = 0; u < step.shared; ++u, part += step.after)
                set_probabilities(forward[u * step.before + s] - value, part_scores().data() + part,
                                  ahead + static_cast<std::size_t>(u) * step.after, step.after, parts + part);
    }
}

double TagChain::sum(std::size_t, const double* in, double* beliefs, double* parts, Arena& arena) const {
    const Arena::Frame frame(arena);
    Passes passes{};
    const double value = run<LogSemiring>(in, passes, beliefs, arena);
    if (parts && value == -INFINITY)
        std::fill_n(parts, part_scores().size(), 0.0);
    else if (parts)
        set_parts(passes, value, parts, arena);
    return value;
}

double TagChain::max(std::size_t, const double* in, double* beliefs, Arena& arena) const {
    const Arena::Frame frame(arena);
    Passes passes{};
    return run<MaxSemiring>(in, passes, beliefs, arena);
}

double TagChain::best(std::size_t factor, const double* in, Configuration& found, Arena& arena) const {
    const Arena::Frame frame(arena);
    Passes passes{};
    const double value = go_forward<MaxSemiring>(in, passes, arena);
    found.active.clear();
    found.inner = 0;
    if (value == -INFINITY) return value;
    const Layer& last = layers_.back();
    const double* ends = passes.forward + last.begin;
    const int end = static_cast<int>(std::max_element(ends, ends + last.states) - ends);
    // The state (u, v) that the best row passes in a layer, from the last one back.
    int u = end % rows(layers_.size() - 1), v = end / rows(layers_.size() - 1), word = words() - 1;
    int* tags = arena.take<int>(words());
    tags[word--] = v;
    if (has_trigrams_) tags[word--] = u;
    for (std::size_t k = steps_.size(); k-- > 0;) {
        const Step& step = steps_[k];
        const double* from = passes.forward + layers_[k].begin + static_cast<std::size_t>(u) * step.before;
        const double* scores =
            transposed_.data() + step.transposed + (static_cast<std::size_t>(u) * step.after + v) * step.before;
        int s = 0;
        for (int i = 1; i < step.before; ++i)
            if (from[i] + scores[i] > from[s] + scores[s]) s = i;
        tags[word--] = s;
        v = has_trigrams_ ? u : s;
        u = has_trigrams_ ? s : 0;
    }
    for (int i = 0; i < words(); ++i) found.active.push_back(static_cast<int>(wiring().input_port(i)) + tags[i]);
    found.inner = score(factor, found.active, arena);
    return value;
}

// Flow through the layers: a weight for every possible step (and state, where it is no tag), as much into a state as
// out of it.
void TagChain::polytope(std::size_t, TreeRows, Polytope& rows) const {
    constexpr int none = -1;
    using Terms = std::vector<Polytope::Term>;
    const auto port = [&](int word, int tag) { return static_cast<int>(wiring().input_port(word)) + tag; };
    const auto add = [&](const Terms& terms) { rows.add_row(0, 0, terms); };

    Terms start;
    for (int tag = 0; tag < tags(0); ++tag) start.emplace_back(port(0, tag), 1);
    rows.add_row(1, 1, start);

    std::vector<std::vector<int>> states(layers_.size());  // the columns of all (u, v)
    for (std::size_t k = 0; k < layers_.size(); ++k) {
        const int word = static_cast<int>(k), last = words() - 1;
        if (!has_trigrams_) {
            for (int tag = 0; tag < tags(word); ++tag) states[k].push_back(port(word, tag));
            continue;
        }
        std::vector<Terms> firsts(tags(word)), seconds(tags(word + 1));
        for (int u = 0; u < tags(word); ++u) firsts[u].emplace_back(port(word, u), -1);
        for (int v = 0; v < tags(word + 1); ++v) seconds[v].emplace_back(port(word + 1, v), -1);
        for (int u = 0; u < tags(word); ++u)
            for (int v = 0; v < tags(word + 1); ++v) {
                const double score = part_scores()[bigrams_[k] + u * tags(word + 1) + v];
                states[k].push_back(score == -INFINITY ? none : rows.new_column(score));
                if (score == -INFINITY) continue;
                firsts[u].emplace_back(states[k].back(), 1);
                seconds[v].emplace_back(states[k].back(), 1);
            }
        std::for_each(firsts.begin(), firsts.end(), add);
        if (word + 1 == last) std::for_each(seconds.begin(), seconds.end(), add);
    }
    for (std::size_t k = 0; k < steps_.size(); ++k) {
        const Step& step = steps_[k];
        std::vector<Terms> out(states[k].size()), into(states[k + 1].size());
        for (int s = 0; s < step.before; ++s)
            for (int u = 0; u < step.shared; ++u)
                for (int v = 0; v < step.after; ++v) {
                    const int from = s * step.shared + u, to = u * step.after + v;
                    const double score = part_scores()[step.part + static_cast<std::size_t>(from) * step.after + v];
                    if (score == -INFINITY || states[k][from] == none || states[k + 1][to] == none) continue;
                    const int column = rows.new_column(score);
                    out[from].emplace_back(column, 1);
                    into[to].emplace_back(column, 1);
                }
        for (auto [ends, columns] : {std::pair{&out, &states[k]}, std::pair{&into, &states[k + 1]}})
            for (std::size_t i = 0; i < ends->size(); ++i) {
                if ((*columns)[i] == none) continue;
                (*ends)[i].emplace_back((*columns)[i], -1);
                add((*ends)[i]);
            }
    }
}

template <class Each>
void TagChain::for_parts(const int* tags, Each each) const {
    for (int i = 0; i + 1 < words(); ++i)
        each(bigrams_[i] + static_cast<std::size_t>(tags[i]) * this->tags(i + 1) + tags[i + 1]);
    for (int i = 0; has_trigrams_ && i + 2 < words(); ++i)
        each(trigrams_[i] + (static_cast<std::size_t>(tags[i]) * this->tags(i + 1) + tags[i + 1]) * this->tags(i + 2) +
             tags[i + 2]);
}

double TagChain::score(std::size_t factor, std::span<const int> active, Arena& arena) const {
    const Arena::Frame frame(arena);
    int* tags = arena.take<int>(words());
    if (!wiring().find_values(factor, active, tags)) return -INFINITY;
    double total = 0;
    for_parts(tags, [&](std::size_t part) { total += part_scores()[part]; });
    return total;
}

void TagChain::add_parts(std::size_t factor, std::span<const int> active, double weight, double* parts,
                         Arena& arena) const {
    const Arena::Frame frame(arena);
    int* tags = arena.take<int>(words());
    if (!wiring().find_values(factor, active, tags)) return;
    for_parts(tags, [&](std::size_t part) { parts[part] += weight; });
}

std::shared_ptr<const FactorGroup> TagChain::scaled(double multiplier) const {
    const std::vector<double> scores = scaled_scores(multiplier);
    const auto middle = scores.begin() + static_cast<std::ptrdiff_t>(trigrams_.empty() ? scores.size() : trigrams_[0]);
    return std::make_shared<TagChain>(wiring(), std::vector(scores.begin(), middle), std::vector(middle, scores.end()));
}

}  // namespace arbora
