#include "isbn/configuration.hpp"

#include <algorithm>
#include <stdexcept>

namespace arbora::isbn {

int Derivations::push(int node, int below) {
    cells_.push_back({node, below});
    return static_cast<int>(cells_.size()) - 1;
}

int Derivations::add(const Node& node) {
    nodes_.push_back(node);
    return static_cast<int>(nodes_.size()) - 1;
}

Configuration Derivations::start() {
    nodes_.clear();
    cells_.clear();
    Node root;
    root.symbol = shape_.root_symbol();
    return {push(add(root), -1), 0, 0};
}

Configuration Derivations::apply(const Configuration& from, const Decision& decision, int state) {
    const auto [number, below] = cells_[from.stack];
    Node top = nodes_[number];
    top.state = state;
    Configuration next = from;
    next.last_decision = 1 + (decision.action == project ? action_count + decision.label : decision.action);
    switch (decision.action) {
        case shift: {
            Node leaf;
            leaf.symbol = shape_.tag_symbol(decision.tag);
            leaf.word = leaf.first_word = leaf.last_word = decision.word;
            leaf.begin = from.next_word;
            next.stack = push(add(leaf), push(add(top), below));
            ++next.next_word;
            break;
        }
        case project: {
            Node parent;
            parent.symbol = decision.label;
            parent.first_word = top.first_word;
            parent.last_word = top.last_word;
            parent.leftmost = parent.last = add(top);
            parent.chain = top.chain + 1;
            parent.begin = top.begin;
            next.stack = push(add(parent), below);
            break;
        }
        case attach: {
            const auto [parent_number, under] = cells_[below];
            Node parent = nodes_[parent_number];
            parent.last = add(top);
            if (parent.leftmost < 0) parent.leftmost = parent.last;
            if (parent.first_word < 0) parent.first_word = top.first_word;
            parent.last_word = top.last_word;
            parent.chain = 0;
            next.stack = push(add(parent), under);
            break;
        }
        default: next.stack = push(add(top), below);
    }
    return next;
}

unsigned Derivations::legal_actions(const Configuration& configuration) const {
    const Node& node = top(configuration);
    if (node.symbol == shape_.root_symbol()) {
        if (node.last < 0) return 1u << shift;
        return 1u << end | (shape_.root_takes_many ? 1u << shift : 0u);
    }
    // One constituent more than a chain may have can only be the parent of others, too.
    if (node.chain > shape_.longest_chain) return 1u << shift;
    return 1u << attach | 1u << project | (node.word < 0 ? 1u << shift : 0u);
}

int Derivations::at(const Configuration& configuration, Place place) const {
    const auto node_of = [this](int cell) { return cell < 0 ? -1 : cells_[cell].node; };
    const int below = cells_[configuration.stack].below;
    switch (place) {
        case Place::top: return node_of(configuration.stack);
        case Place::below: return node_of(below);
        case Place::second_below: return below < 0 ? -1 : node_of(cells_[below].below);
        case Place::leftmost: return nodes_[node_of(configuration.stack)].leftmost;
        case Place::last: return nodes_[node_of(configuration.stack)].last;
        case Place::below_leftmost: return below < 0 ? -1 : nodes_[node_of(below)].leftmost;
        case Place::below_last: return below < 0 ? -1 : nodes_[node_of(below)].last;
    }
    return -1;
}

int Derivations::related_state(const Configuration& configuration, Place place) const {
    const int found = at(configuration, place);
    return found < 0 ? -1 : nodes_[found].state;
}

int Derivations::input(const Configuration& configuration, InputRelation relation) const {
    if (relation.attribute == Attribute::decision) return configuration.last_decision;
    const int found = at(configuration, relation.place);
    if (found < 0) return 0;
    const Node& node = nodes_[found];
    switch (relation.attribute) {
        case Attribute::label: return 1 + node.symbol;
        case Attribute::word: return 1 + node.word;
        case Attribute::first_word: return 1 + node.first_word;
        default: return 1 + node.last_word;
    }
}

namespace {

// The children of a constituent are decided from left to right, itself between the first and the second.
struct OpenSpan {
    Span span;
    bool is_projected;
};

}  // namespace

std::vector<Decision> decisions_of(const std::vector<Span>& spans, const std::vector<int>& tags,
                                   const std::vector<int>& words) {
    const int n = static_cast<int>(tags.size());
    std::vector<Decision> result;
    std::vector<OpenSpan> path;  // open constituents, the root not among them
    // What was completed last gets its parent: it is the leftmost child, or one more.
    const auto hand_up = [&] {
        if (path.empty() || path.back().is_projected) {
            result.push_back({attach});
        } else {
            result.push_back({project, path.back().span.label});
            path.back().is_projected = true;
        }
    };
    std::size_t next = 0;
    for (int word = 0; word < n; ++word) {
        for (; next < spans.size() && spans[next].begin == word; ++next) {
            const Span& span = spans[next];
            if (span.end <= span.begin || span.end > (path.empty() ? n : path.back().span.end))
                throw std::invalid_argument("constituents cross");
            path.push_back({span, false});
        }
        result.push_back({shift, -1, tags[word], words[word]});
        hand_up();
        while (!path.empty() && path.back().span.end == word + 1) {
            path.pop_back();
            hand_up();
        }
    }
    if (next < spans.size() || !path.empty()) throw std::invalid_argument("constituents are not in order");
    result.push_back({end});
    return result;
}

std::vector<Span> spans_of(const std::vector<Decision>& decisions) {
    // Constituents as they are completed, and on the stack; then in the order of parents first.
    struct Built {
        Span span;
        std::vector<int> children;  // constituents alone
    };
    std::vector<Built> built{{{-1, 0, 0}, {}}};
    std::vector<int> stack{0};
    int word = 0;
    for (const Decision& decision : decisions) {
        const auto need = [&](bool sound) {
            if (!sound) throw std::invalid_argument("decisions make no tree");
        };
        switch (decision.action) {
            case shift:
                built.push_back({{-1, word, word + 1}, {}});
                stack.push_back(static_cast<int>(built.size()) - 1);
                ++word;
                break;
            case project: {
                need(stack.size() > 1);
                const int child = stack.back();
                built.push_back({{decision.label, built[child].span.begin, word}, {child}});
                stack.back() = static_cast<int>(built.size()) - 1;
                break;
            }
            case attach: {
                need(stack.size() > 1);
                const int child = stack.back();
                built[child].span.end = word;
                stack.pop_back();
                need(stack.size() == 1 || built[stack.back()].span.label >= 0);
                built[stack.back()].children.push_back(child);
                break;
            }
            default: need(stack.size() == 1 && !built[0].children.empty());
        }
        if (decision.action == project) built[built[stack.back()].children[0]].span.end = word;
    }
    if (stack.size() != 1) throw std::invalid_argument("decisions make no tree");
    std::vector<Span> result;
    std::vector<int> pending(built[0].children.rbegin(), built[0].children.rend());
    while (!pending.empty()) {
        const Built& node = built[pending.back()];
        pending.pop_back();
        if (node.span.label < 0) continue;
        result.push_back(node.span);
        pending.insert(pending.end(), node.children.rbegin(), node.children.rend());
    }
    return result;
}

}  // namespace arbora::isbn
