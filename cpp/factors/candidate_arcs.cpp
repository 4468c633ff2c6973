#include "factors/candidate_arcs.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "trees/mst.hpp"

namespace arbora {

CandidateArcs::CandidateArcs(int words, std::vector<int> heads, std::vector<int> modifiers, bool single_root)
    : words_(words), single_root_(single_root), heads_(std::move(heads)), modifiers_(std::move(modifiers)) {
    if (words < 1) throw std::invalid_argument("there must be at least one word");
    if (heads_.size() != modifiers_.size()) throw std::invalid_argument("every arc needs a head and a modifier");
    ports_.assign(static_cast<std::size_t>(words + 1) * (words + 1), -1);
    for (std::size_t i = 0; i < heads_.size(); ++i) {
        const int h = heads_[i], m = modifiers_[i];
        const std::string name = std::to_string(h) + " -> " + std::to_string(m);
        if (h < 0 || h > words || m < 1 || m > words || h == m) throw std::invalid_argument(name + " is no arc");
        if (is_candidate(h, m)) throw std::invalid_argument("the arc " + name + " is listed twice");
        ports_[cell(h, m)] = static_cast<int>(i);
        cells_.push_back(cell(h, m));
    }
}

bool CandidateArcs::fill_scores(const double* in, double* scores, ScoreRange& range) const {
    const int width = words_ + 1;
    std::fill_n(scores, static_cast<std::size_t>(width) * width, impossible);
    for (int port = 0; port < count(); ++port) scores[cells_[port]] = in[port];
    range = find_range(in, count());
    if (count() < words_ * words_) range.lowest = impossible;
    if (range.highest != INFINITY) return true;
    for (int port = 0; port < count(); ++port) {
        if (in[port] != INFINITY) continue;
        double* column = scores + modifiers_[port];
        for (int h = 0; h < width; ++h) {
            if (h != heads_[port] && column[h * width] == INFINITY) return false;
            column[h * width] = h == heads_[port] ? 0 : impossible;
        }
    }
    range = {impossible, INFINITY};
    return true;
}

void CandidateArcs::read_odds(const double* odds, double* beliefs) const {
    for (int port = 0; port < count(); ++port) beliefs[port] = odds[cells_[port]];
}

void CandidateArcs::active_ports(const int* heads, std::vector<int>& active) const {
    active.clear();
    for (int m = 1; m <= words_; ++m) active.push_back(port(heads[m], m));
    std::sort(active.begin(), active.end());
}

bool CandidateArcs::heads_of(std::span<const int> active, int* heads) const {
    if (static_cast<int>(active.size()) != words_) return false;
    std::fill_n(heads, words_ + 1, -1);
    for (int port : active) {
        if (heads[modifiers_[port]] >= 0) return false;
        heads[modifiers_[port]] = heads_[port];
    }
    return true;
}

}  // namespace arbora
