#include "tagging/layer.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace arbora {
namespace {

// What the gradient would change by less is left out of it.
constexpr double negligible = 1e-3;

std::uint64_t after(std::uint64_t hash, int label) {
    return join_hashes(hash, static_cast<std::uint64_t>(label) * 0xd6e8feb86659fd93 + 1);
}

}  // namespace

Layer::Layer(LayerTemplates templates, std::vector<std::vector<int>> pieces, int piece_count, Dictionary dictionary,
             std::vector<int> open, int most)
    : templates_(std::move(templates)),
      pieces_(std::move(pieces)),
      dictionary_(std::move(dictionary)),
      open_(open.begin(), open.end()),
      most_(most),
      padding_(std::max(piece_count, static_cast<int>(pieces_.size()) + 2)) {
    if (open.empty() || most < 1 || pieces_.size() >= 0xfffe) throw std::invalid_argument("a layer needs labels");
    for (int label : open)
        if (label < 0 || label >= labels()) throw std::invalid_argument("an open label that there is not");
    for (const auto& list : pieces_)
        for (int piece : list)
            if (piece < 0 || piece >= piece_count) throw std::invalid_argument("a piece that there is not");
}

std::span<const std::uint16_t> Layer::candidates(const Words& words, int word) const {
    for (const WordTemplate& key : templates_.candidates)
        if (const auto found = dictionary_.find(key.hash(words, word)); !found.empty()) return found;
    return open_;
}

void Layer::finish_candidates(int gold, Lattice& lattice) const {
    const auto begin = lattice.labels.begin() + lattice.starts.back();
    if (gold >= 0 && std::find(begin, lattice.labels.end(), gold) == lattice.labels.end())
        lattice.labels.push_back(gold);
    else if (begin == lattice.labels.end())
        lattice.labels.push_back(open_[0]);
    lattice.starts.push_back(static_cast<int>(lattice.labels.size()));
    lattice.local.resize(lattice.labels.size());
}

template <class Number>
void Layer::score_labels(const Words& words, WeightTable<Number> weights, int word, int gold, Lattice& lattice) const {
    const int begin = lattice.starts[word], count = lattice.size(word);
    if (count == 1) return;
    thread_local std::vector<const Number*> rows;
    thread_local std::vector<int> wanted;
    thread_local std::vector<double> scores;
    rows.clear();
    for (const WordTemplate& feature : templates_.labels) {
        rows.push_back(weights.data + (feature.hash(words, word) & weights.mask));
        __builtin_prefetch(rows.back() + pieces_[lattice.labels[begin]].front());
    }
    // Pieces that candidates share are summed once.
    wanted.clear();
    for (int c = begin; c < begin + count; ++c)
        for (int piece : pieces_[lattice.labels[c]]) wanted.push_back(piece);
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    scores.resize(padding_);
    for (int piece : wanted) {
        double total = 0;
        for (const Number* row : rows) total += row[piece];
        scores[piece] = weights.step * total;
    }
    for (int c = begin; c < begin + count; ++c)
        for (int piece : pieces_[lattice.labels[c]]) lattice.local[c] += scores[piece];
    if (count <= most_) return;
    // The best ones stay, in the order that they had; the gold label among them.
    thread_local std::vector<int> order;
    order.resize(count);
    std::iota(order.begin(), order.end(), begin);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        const bool first = lattice.labels[a] == gold, second = lattice.labels[b] == gold;
        return first != second ? first : lattice.local[a] > lattice.local[b];
    });
    std::sort(order.begin(), order.begin() + most_);
    for (int k = 0; k < most_; ++k) {
        lattice.labels[begin + k] = lattice.labels[order[k]];
        lattice.local[begin + k] = lattice.local[order[k]];
    }
    lattice.labels.resize(begin + most_);
    lattice.local.resize(begin + most_);
    lattice.starts.back() = begin + most_;
}

// A triple scores the bigrams of its last two labels, whatever the first, and its trigrams.
template <class Number>
void Layer::score_chain(const Words& words, WeightTable<Number> weights, Lattice& lattice) const {
    lattice.labels.push_back(end_label());
    lattice.local.push_back(0);
    lattice.starts.push_back(static_cast<int>(lattice.labels.size()));
    lattice.make_chain();
    const auto label = [&](int place, int candidate) {
        return place < 0 ? start_label() : lattice.labels[lattice.starts[place] + candidate];
    };
    thread_local std::vector<double> bigrams;
    for (int i = 0; i < lattice.count(); ++i) {
        const int before = lattice.size(i - 2), shared = lattice.size(i - 1), count = lattice.size(i);
        if (before * shared * count == 1) continue;  // it scores the same whatever the labels
        const int* labels = lattice.labels.data() + lattice.starts[i];
        bigrams.assign(static_cast<std::size_t>(shared) * count, 0);
        for (const WordTemplate& feature : templates_.bigrams) {
            const std::uint64_t hash = feature.hash(words, i);
            for (int u = 0; u < shared; ++u) {
                const Number* row = weights.data + (after(hash, label(i - 1, u)) & weights.mask);
                for (int v = 0; v < count; ++v) bigrams[static_cast<std::size_t>(u) * count + v] += row[labels[v]];
            }
        }
        double* to = lattice.triples.data() + lattice.triple_starts[i];
        for (int uv = 0; uv < shared * count; ++uv)
            for (int s = 0; s < before; ++s) to[static_cast<std::size_t>(uv) * before + s] = weights.step * bigrams[uv];
        for (const WordTemplate& feature : templates_.trigrams) {
            const std::uint64_t hash = feature.hash(words, i);
            for (int s = 0; s < before; ++s) {
                const std::uint64_t first = after(hash, label(i - 2, s));
                for (int u = 0; u < shared; ++u) {
                    const Number* row = weights.data + (after(first, label(i - 1, u)) & weights.mask);
                    for (int v = 0; v < count; ++v)
                        to[(static_cast<std::size_t>(u) * count + v) * before + s] += weights.step * row[labels[v]];
                }
            }
        }
    }
}

void Layer::add_gradient(const Words& words, std::uint32_t mask, const Lattice& lattice,
                         const std::vector<double>& candidates, const std::vector<double>& triples,
                         SparseSum& sum) const {
    thread_local std::vector<std::pair<int, double>> changed;
    thread_local std::vector<double> by_piece;
    by_piece.resize(padding_);
    for (int word = 0; word < words.count(); ++word) {
        if (lattice.size(word) == 1) continue;
        changed.clear();
        for (int c = lattice.starts[word]; c < lattice.starts[word + 1]; ++c)
            for (int piece : pieces_[lattice.labels[c]]) by_piece[piece] += candidates[c];
        for (int c = lattice.starts[word]; c < lattice.starts[word + 1]; ++c)
            for (int piece : pieces_[lattice.labels[c]]) {
                if (std::abs(by_piece[piece]) >= negligible) changed.emplace_back(piece, by_piece[piece]);
                by_piece[piece] = 0;
            }
        if (changed.empty()) continue;
        for (const WordTemplate& feature : templates_.labels) {
            const auto row = static_cast<std::uint32_t>(feature.hash(words, word) & mask);
            for (const auto& [piece, value] : changed) sum.add(row + piece, static_cast<float>(value));
        }
    }
    if (!is_chain()) return;
    const auto label = [&](int place, int candidate) {
        return place < 0 ? start_label() : lattice.labels[lattice.starts[place] + candidate];
    };
    for (int i = 0; i < lattice.count(); ++i) {
        const int before = lattice.size(i - 2), shared = lattice.size(i - 1), count = lattice.size(i);
        if (before * shared * count == 1) continue;
        const double* values = triples.data() + lattice.triple_starts[i];
        for (int u = 0; u < shared; ++u)
            for (int v = 0; v < count; ++v, values += before) {
                const double pair = std::accumulate(values, values + before, 0.0);
                if (std::abs(pair) >= negligible)
                    for (const WordTemplate& feature : templates_.bigrams)
                        sum.add(static_cast<std::uint32_t>(after(feature.hash(words, i), label(i - 1, u)) & mask) +
                                    label(i, v),
                                static_cast<float>(pair));
                for (int s = 0; s < before; ++s)
                    if (std::abs(values[s]) >= negligible)
                        for (const WordTemplate& feature : templates_.trigrams)
                            sum.add(static_cast<std::uint32_t>(
                                        after(after(feature.hash(words, i), label(i - 2, s)), label(i - 1, u)) & mask) +
                                        label(i, v),
                                    static_cast<float>(values[s]));
            }
    }
}

template void Layer::score_labels(const Words&, WeightTable<float>, int, int, Lattice&) const;
template void Layer::score_labels(const Words&, WeightTable<std::int16_t>, int, int, Lattice&) const;
template void Layer::score_chain(const Words&, WeightTable<float>, Lattice&) const;
template void Layer::score_chain(const Words&, WeightTable<std::int16_t>, Lattice&) const;

}  // namespace arbora
