#include "solvers/chart_parts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace arbora {

void refuse_for_chart(const std::string& what) {
    throw std::invalid_argument(
        "it solves one ProjectiveTree with ChildSequences, GrandSiblings or pairs of grandparents over the same arcs, "
        "but " +
        what);
}

ChartArcs::ChartArcs(const FactorGraph& graph, const ProjectiveTreeFactor& tree)
    : words(tree.arcs().words()),
      single_root(tree.arcs().single_root()),
      port_of_slot(graph.slots(), -1),
      arc_of_slot(graph.slots(), -1),
      all(&tree.arcs()) {
    const Wiring& wiring = tree.wiring();
    std::vector<int> certain(words + 1, 0), ports;
    const auto is_certain = [&](int port) { return graph.evidence(wiring.variable(port)) == 1; };
    for (int port = 0; port < all->count(); ++port) {
        const int slot = wiring.slot(port);
        if (wiring.is_negated(port)) refuse_for_chart("an arc is negated");
        if (port_of_slot[slot] >= 0) refuse_for_chart("a variable is two arcs");
        port_of_slot[slot] = port;
        certain[all->modifier(port)] += is_certain(port);
    }
    for (int port = 0; port < all->count(); ++port) {
        const double unary = graph.unary(wiring.slot(port));
        const int others = certain[all->modifier(port)] - is_certain(port);
        if (unary != -INFINITY && others == 0) ports.push_back(port);
    }
    std::sort(ports.begin(), ports.end(), [this](int a, int b) {
        return all->modifier(a) != all->modifier(b) ? all->modifier(a) < all->modifier(b) : all->head(a) < all->head(b);
    });
    for (int port : ports) {
        arc_of_slot[wiring.slot(port)] = static_cast<int>(slots.size());
        slots.push_back(wiring.slot(port));
        heads.push_back(all->head(port));
        modifiers.push_back(all->modifier(port));
        scores.push_back(graph.score(wiring.slot(port)));
    }
}

ChartParts::ChartParts(const FactorGroup& group, const ChartArcs& arcs, const SiblingChart& chart)
    : group_(group), arcs_(arcs), chart_(chart) {
    if (group.wiring().has_negations()) refuse_for_chart(std::string(group.kind()) + " sees a negated arc");
    if (const auto* sequences = dynamic_cast<const ChildSequences*>(&group)) {
        read(*sequences);
    } else if (const auto* siblings = dynamic_cast<const GrandSiblings*>(&group)) {
        read(*siblings);
    } else if (const auto* pairs = dynamic_cast<const Pairs*>(&group)) {
        read(*pairs);
    } else {
        refuse_for_chart(std::string("there is ") + group.kind());
    }
}

double ChartParts::add_scores(double* parts) const {
    const std::vector<double>& scores = group_.part_scores();
    for (const Link& link : links_) parts[link.chart_part] += scores[link.part];
    double total = 0;
    for (int part : always_) total += scores[part];
    return total;
}

std::vector<double> ChartParts::probabilities(const double* parts) const {
    std::vector<double> result(group_.part_scores().size(), 0.0);
    for (const Link& link : links_) result[link.part] += parts[link.chart_part];
    for (int part : always_) result[part] = 1;
    for (double& probability : result) probability = std::min(probability, 1.0);
    return result;
}

// The tree's port behind one of the group's.
int ChartParts::port(std::size_t port) const {
    const int found = arcs_.port_of_slot[group_.wiring().slot(port)];
    if (found < 0) refuse_for_chart(std::string(group_.kind()) + " sees what is no arc of the tree");
    return found;
}

// The ports from `begin` to `end` must be arcs from that head to that side (if the head is -1, the first says which),
// going outwards, and all that are possible.
ChartParts::Path ChartParts::path(std::size_t begin, std::size_t end, int head, int side) const {
    if (begin < end && head < 0) {
        const int first = port(begin);
        head = arcs_.all->head(first);
        side = arcs_.all->modifier(first) > head ? SiblingChart::right : SiblingChart::left;
    }
    Path path{head, side, {0}};
    int seen = 0;
    for (std::size_t p = begin; p < end; ++p) {
        const int h = arcs_.all->head(port(p)), m = arcs_.all->modifier(port(p));
        const bool is_next = p == begin || std::abs(m - h) > std::abs(arcs_.all->modifier(port(p - 1)) - h);
        if (h != head || (m > h) != (side == SiblingChart::right) || !is_next)
            refuse_for_chart(std::string(group_.kind()) + " sees arcs that do not go outwards on one side of a head");
        const int arc = arcs_.arc_of_slot[group_.wiring().slot(p)];
        path.positions.push_back(arc < 0 ? -1 : chart_.position(arc));
        seen += arc >= 0;
    }
    const int possible = static_cast<int>(chart_.arcs_of(head, side).size());
    if (seen != possible) refuse_for_chart(std::string(group_.kind()) + " does not see all arcs of a side");
    path.positions.push_back(possible + 1);
    return path;
}

// The bigrams of a path, in the order of their numbers, under some automata of the head.
void ChartParts::link_path(const Path& path, int first_part, int first_automaton, int last_automaton) {
    const int count = static_cast<int>(path.positions.size());
    for (int to = 1, part = first_part; to < count; ++to)
        for (int from = 0; from < to; ++from, ++part) {
            if (path.positions[from] < 0 || path.positions[to] < 0) continue;
            for (int automaton = first_automaton; automaton < last_automaton; ++automaton)
                links_.push_back(
                    {part, chart_.part(path.head, automaton, path.side, path.positions[from], path.positions[to])});
        }
}

// The same under all automata. A path without modifiers does not say whose it is, and is there always.
void ChartParts::link_path_alone(std::size_t begin, std::size_t end, int first_part) {
    if (begin == end) return always_.push_back(first_part);
    const Path path = this->path(begin, end, -1, 0);
    link_path(path, first_part, 0, chart_.automata(path.head));
}

void ChartParts::read(const ChildSequences& group) {
    const Wiring& wiring = group.wiring();
    for (std::size_t factor = 0; factor < group.size(); ++factor)
        link_path_alone(wiring.port_begin(factor), wiring.port_end(factor), static_cast<int>(group.part_begin(factor)));
}

void ChartParts::read(const GrandSiblings& group) {
    const Wiring& wiring = group.wiring();
    for (std::size_t factor = 0; factor < group.size(); ++factor) {
        const std::size_t begin = wiring.port_begin(factor), left = begin + group.grandparent_count(factor);
        const std::size_t right = left + group.left_count(factor), end = wiring.port_end(factor);
        const int left_parts = static_cast<int>(bigram_count(static_cast<int>(right - left)));
        const int right_parts = static_cast<int>(bigram_count(static_cast<int>(end - right)));
        int part = static_cast<int>(group.part_begin(factor));
        if (begin == left) {
            link_path_alone(left, right, part);
            link_path_alone(right, end, part + left_parts);
            continue;
        }
        const int head = arcs_.all->modifier(port(begin));
        const Path on_left = path(left, right, head, SiblingChart::left);
        const Path on_right = path(right, end, head, SiblingChart::right);
        int possible = 0;
        for (std::size_t p = begin; p < left; ++p, part += left_parts + right_parts) {
            if (arcs_.all->modifier(port(p)) != head) refuse_for_chart("GrandSiblings sees heads of several words");
            const int arc = arcs_.arc_of_slot[wiring.slot(p)];
            if (arc < 0) continue;
            ++possible;
            const int automaton = arc - chart_.first_arc(head);
            link_path(on_left, part, automaton, automaton + 1);
            link_path(on_right, part + left_parts, automaton, automaton + 1);
        }
        if (possible != chart_.first_arc(head + 1) - chart_.first_arc(head))
            refuse_for_chart("GrandSiblings does not see all heads of a word");
    }
}

// The pair g -> h -> m is there with each bigram that goes to m on its side of h under g.
void ChartParts::read(const Pairs& group) {
    const Wiring& wiring = group.wiring();
    for (std::size_t factor = 0; factor < group.size(); ++factor) {
        const std::size_t begin = wiring.port_begin(factor);
        if (wiring.slot(begin) == wiring.slot(begin + 1)) refuse_for_chart("Pairs pairs an arc with itself");
        port(begin), port(begin + 1);
        int above = arcs_.arc_of_slot[wiring.slot(begin)], below = arcs_.arc_of_slot[wiring.slot(begin + 1)];
        // No tree has both.
        if (above < 0 || below < 0 || chart_.modifier(above) == chart_.modifier(below)) continue;
        if (chart_.modifier(above) != chart_.head(below)) std::swap(above, below);
        const int h = chart_.modifier(above), m = chart_.modifier(below);
        if (chart_.head(below) != h) refuse_for_chart("Pairs has pairs that are no grandparents");
        if (chart_.head(above) == m) continue;
        const int side = m > h ? SiblingChart::right : SiblingChart::left;
        for (int from = 0; from < chart_.position(below); ++from)
            links_.push_back({static_cast<int>(group.part_begin(factor)),
                              chart_.part(h, above - chart_.first_arc(h), side, from, chart_.position(below))});
    }
}

}  // namespace arbora
