#include "parts/descents.hpp"

#include <algorithm>

#include "factors/choice.hpp"

namespace arbora {
namespace {

constexpr int unused = -1;

// Which words can be reached from one along the arcs, without another.
std::vector<char> reach(const ArcIndex& arcs, int from, int without) {
    std::vector<char> reached(arcs.n() + 1, 0);
    std::vector<int> waiting{from};
    reached[from] = 1;
    while (!waiting.empty()) {
        const int head = waiting.back();
        waiting.pop_back();
        for (const auto& side : {arcs.left(head), arcs.right(head)})
            for (int a : side) {
                const int word = arcs.arc(a).modifier;
                if (reached[word] || word == without) continue;
                reached[word] = 1;
                waiting.push_back(word);
            }
    }
    return reached;
}

}  // namespace

Descents::Descents(const ArcIndex& arcs)
    : arcs_(&arcs), cells_(static_cast<std::size_t>(arcs.n() + 1) * (arcs.n() + 1), Input{unused}) {
    std::vector<Known> known;
    for (int head = 1; head <= arcs.n(); ++head) {
        bool is_found = false;
        for (const auto& side : {arcs.left(head), arcs.right(head)})
            for (int a : side) {
                const Arc& arc = arcs.arc(a);
                if (!spans_words(arc)) continue;
                if (!is_found) find_known(head, known);
                is_found = has_certain_ = true;
                const auto [first, last] = std::minmax(arc.head, arc.modifier);
                for (int word = first + 1; word < last; ++word) need(head, word, known);
            }
    }
}

Input Descents::at(int head, int word) const {
    return cells_[static_cast<std::size_t>(head) * (arcs_->n() + 1) + word];
}

// A word never descends from a head that no path of candidates leads from, and always does if without the head no path
// leads from the root.
void Descents::find_known(int head, std::vector<Known>& known) const {
    const std::vector<char> below = reach(*arcs_, head, 0), beside = reach(*arcs_, 0, head);
    known.assign(arcs_->n() + 1, Known::no);
    for (int word = 0; word <= arcs_->n(); ++word)
        known[word] = !below[word] ? Known::never : !beside[word] ? Known::always : Known::no;
}

// If what is known of all heads of a word but one is the same, and of that one the opposite, its arc decides.
Input Descents::decided_by_arc(int word, const std::vector<Known>& known) const {
    int always = 0, never = 0, last_always = unused, last_never = unused;
    for (int a = arcs_->heads_begin(word); a < arcs_->heads_end(word); ++a) {
        const Known own = known[arcs_->arc(a).head];
        if (own == Known::no) return {unused};
        if (own == Known::always)
            ++always, last_always = a;
        else
            ++never, last_never = a;
    }
    if (always == 1) return {last_always};
    return never == 1 ? Input{last_never, true} : Input{unused};
}

// A word with one head only is where that is; such words never stand in a circle, as the root reaches them.
Input Descents::need(int head, int word, const std::vector<Known>& known) {
    Input& own = cell(head, word);
    if (own.variable != unused) return own;
    const int begin = arcs_->heads_begin(word), end = arcs_->heads_end(word);
    if (known[word] != Known::no) return own = {certain().variable, known[word] == Known::never};
    own = decided_by_arc(word, known);
    if (own.variable != unused) return own;
    if (end - begin == 1) return own = need(head, arcs_->arc(begin).head, known);
    pairs_.push_back({head, word});
    own = {arcs_->count() + static_cast<int>(pairs_.size())};
    for (int a = begin; a < end; ++a) need(head, arcs_->arc(a).head, known);
    return own;
}

void Descents::add_to(FactorGraph& graph, bool with_factors, bool or_none) const {
    if (empty()) return;
    graph.clamp(graph.add_binary(0), 1);
    for (std::size_t i = 0; i < pairs_.size(); ++i) graph.add_binary(0);
    if (!with_factors || pairs_.empty()) return;
    Wiring wiring;
    std::vector<Input> inputs;
    for (const auto& [head, word] : pairs_) {
        inputs.clear();
        for (int a = arcs_->heads_begin(word); a < arcs_->heads_end(word); ++a) inputs.push_back({a});
        for (int a = arcs_->heads_begin(word); a < arcs_->heads_end(word); ++a)
            inputs.push_back(at(head, arcs_->arc(a).head));
        inputs.push_back(at(head, word));
        wiring.add_factor(graph.variables(), inputs);
    }
    graph.add(std::make_shared<ChoiceFactor>("Choice", std::move(wiring), or_none));
}

void Descents::complete(const int* heads, Assignment& assignment) const {
    if (empty()) return;
    assignment.resize(arcs_->count() + 1 + pairs_.size());
    assignment[arcs_->count()] = 1;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
        int above = pairs_[i].word;
        for (int step = 0; step < arcs_->n() && above > 0 && above != pairs_[i].head; ++step) above = heads[above];
        assignment[arcs_->count() + 1 + i] = above == pairs_[i].head;
    }
}

}  // namespace arbora
