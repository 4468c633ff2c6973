#include "parts/part_graph.hpp"

#include <algorithm>
#include <cmath>

#include "factors/logic.hpp"
#include "factors/pairs.hpp"
#include "factors/projective_tree.hpp"
#include "factors/tag_chain.hpp"
#include "factors/tag_link.hpp"
#include "factors/tree.hpp"
#include "parts/grand_siblings.hpp"

namespace arbora {
namespace {

constexpr int kind_of(Section section) { return static_cast<int>(section) - static_cast<int>(first_part_section); }
constexpr int consecutive = kind_of(Section::consecutive_siblings), grand = kind_of(Section::grandparents),
              grand_sibling = kind_of(Section::grand_siblings);

// Where joined parts stand among those of the three kinds: body(joined, sibling, grandparent, count) for `count` of them
// in a row, all bigrams to one modifier; siblings are in a row too, the grandparent is one. -1 if there is none; for the
// grandparent `in_circle` if it is the modifier itself. Parts of grand-siblings have the joined order themselves.
constexpr int in_circle = -2;

template <class Body>
void for_joined(const ArcIndex& arcs, Body body) {
    // Of every arc, where its grandparents begin, and which of the arcs to its head would close a circle with it.
    thread_local std::vector<int> grandparents, circles;
    grandparents.assign(arcs.count(), 0);
    circles.assign(arcs.count(), -1);
    int next = 0;
    for (int a = 0; a < arcs.count(); ++a) {
        const auto [head, modifier] = arcs.arc(a);
        grandparents[a] = next;
        circles[a] = head ? arcs.find(modifier, head) : -1;
        next += head ? arcs.heads_end(head) - arcs.heads_begin(head) - (circles[a] >= 0) : 0;
    }
    int joined = 0, of_siblings = 0;
    for (int head = 0; head <= arcs.n(); ++head) {
        const int begin = head ? arcs.heads_begin(head) : -1, end = head ? arcs.heads_end(head) : 0;
        int sibling = of_siblings;
        for (int above = begin; above < end; ++above) {
            sibling = of_siblings;
            for (const bool is_right : {false, true}) {
                const auto side = is_right ? arcs.right(head) : arcs.left(head);
                const bool has_siblings = head || is_right;  // nothing is on the left of the root
                for (int to = 1; to <= static_cast<int>(side.size()) + 1; ++to) {
                    const int a = above >= 0 && to <= static_cast<int>(side.size()) ? side[to - 1] : -1;
                    int grandparent = a >= 0 && above == circles[a] ? in_circle : -1;
                    if (a >= 0 && above != circles[a])
                        grandparent = grandparents[a] + above - begin - (circles[a] >= 0 && circles[a] < above);
                    body(joined, has_siblings ? sibling : -1, grandparent, to);
                    joined += to;
                    sibling += has_siblings ? to : 0;
                }
            }
        }
        of_siblings = sibling;
    }
}

}  // namespace

bool is_in_automata(int k) { return k == consecutive || k == grand || k == grand_sibling; }

void SentenceParts::set(const std::vector<Arc>& candidates, int n, const std::array<bool, part_kind_count>& wanted) {
    arcs.set(candidates, n);
    tags = {};
    for (int k = 0; k < part_kind_count; ++k) {
        parts[k].clear();
        if (wanted[k]) part_kind(k).list(arcs, parts[k]);
        scores[k].assign(parts[k].size(), 0.0);
    }
}

PartGraph::PartGraph(const SentenceParts& parts, const std::vector<double>& arc_scores, const GraphShape& shape,
                     TreeKind kind, double scale)
    : parts_(parts), kind_(kind), scale_(scale) {
    for (double score : arc_scores) graph_.add_binary(score);
    for (int k = 0; k < part_kind_count; ++k)
        if (has(k) && part_kind(k).sees_descents()) descents_ = Descents(parts.arcs);
    if (!shape.without_constraint) add_constraint(shape);
    descents_.add_to(graph_, !shape.without_constraint, shape.constraint <= TreeConstraint::at_most_one);
    first_group_ = graph_.groups().size();
    const bool joins = shape.joined && (!parts.parts[grand_sibling].empty() || !parts.parts[grand].empty());
    if (joins) add_joined(scale, shape.forbids_circles);
    for (int k = 0; k < part_kind_count; ++k) {
        if (!has(k) || (joins && is_in_automata(k))) continue;
        std::vector<double> scores = parts.scores[k];
        for (double& score : scores) score *= scale;
        graph_.add(part_kind(k).make_factors(graph_.variables(), parts.arcs, descents_, std::move(scores)));
        kinds_.push_back(k);
        if (part_kind(k).sees_descents()) descent_group_ = graph_.groups().back().get();
    }
    if (!parts.tags.empty()) link_tags();
}

void PartGraph::link_tags() {
    const TagNumbers& tags = parts_.tags;
    tagged_ = graph_;
    const auto scaled = [&](auto begin, auto end) {
        std::vector<double> result(begin, end);
        for (double& score : result) score *= scale_;
        return result;
    };
    const int first = graph_.variables().count() - 1;  // the tag of word m is first + m
    for (int word = 1; word <= parts_.arcs.n(); ++word)
        tagged_.add_category(scaled(tags.of_word(word), tags.of_word(word) + tags.count(word)).data(),
                             tags.count(word));
    Wiring wiring;
    std::vector<double> scores;
    for (int a = 0; a < parts_.arcs.count(); ++a) {
        const auto [head, modifier] = parts_.arcs.arc(a);
        if (head == 0) continue;
        if (has_one_pair(a)) {
            tagged_.set_score(a, graph_.score(a) + scale_ * *tags.of_link(a));
            continue;
        }
        const Input inputs[] = {{a}, {first + head}, {first + modifier}};
        wiring.add_factor(tagged_.variables(), inputs);
        for (std::size_t i = tags.link_begins[a]; i < tags.link_begins[a + 1]; ++i)
            scores.push_back(scale_ * tags.links[i]);
    }
    if (wiring.factors()) {
        link_group_ = tagged_.groups().size();
        tagged_.add(std::make_shared<TagLink>(wiring, std::move(scores)));
    }
    if (!tags.has_chain()) return;
    std::vector<Input> row;
    for (int word = 1; word <= parts_.arcs.n(); ++word) row.push_back({first + word});
    Wiring in_a_row;
    in_a_row.add_factor(tagged_.variables(), row);
    chain_group_ = tagged_.groups().size();
    tagged_.add(std::make_shared<TagChain>(in_a_row, scaled(tags.bigrams.begin(), tags.bigrams.end()),
                                           scaled(tags.trigrams.begin(), tags.trigrams.end())));
}

bool PartGraph::has_one_pair(int arc) const {
    return parts_.tags.link_begins[arc + 1] - parts_.tags.link_begins[arc] == 1;
}

void PartGraph::add_tags(const std::vector<double>& beliefs, const std::vector<std::vector<double>>& by_group,
                         TagNumbers& result) const {
    for (std::size_t i = 0; i < result.words.size(); ++i) result.words[i] += beliefs[graph_.slots() + i];
    std::size_t next = 0;
    for (int a = 0; a < parts_.arcs.count(); ++a) {
        if (parts_.arcs.arc(a).head == 0) continue;
        if (has_one_pair(a))
            *result.of_link(a) += beliefs[a];
        else
            for (std::size_t i = result.link_begins[a]; i < result.link_begins[a + 1]; ++i)
                result.links[i] += by_group[link_group_][next++];
    }
    if (!chain_group_) return;
    const double* chain = by_group[chain_group_].data();
    for (std::vector<double>* parts : {&result.bigrams, &result.trigrams})
        for (double& part : *parts) part += *chain++;
}

bool PartGraph::has(int k) const {
    return !parts_.parts[k].empty() && !(kind_.projective && part_kind(k).sees_descents());
}

void PartGraph::add_constraint(const GraphShape& shape) {
    const ArcIndex& arcs = parts_.arcs;
    Wiring wiring;
    std::vector<Input> inputs;
    if (shape.constraint == TreeConstraint::tree) {
        std::vector<int> heads, modifiers;
        for (int a = 0; a < arcs.count(); ++a) {
            inputs.push_back({a});
            heads.push_back(arcs.arc(a).head);
            modifiers.push_back(arcs.arc(a).modifier);
        }
        wiring.add_factor(graph_.variables(), inputs);
        CandidateArcs candidates(arcs.n(), std::move(heads), std::move(modifiers), kind_.single_root);
        if (kind_.projective)
            graph_.add(std::make_shared<ProjectiveTreeFactor>(std::move(wiring), std::move(candidates)));
        else
            graph_.add(std::make_shared<TreeFactor>(std::move(wiring), std::move(candidates)));
        return;
    }
    const auto forbid = [&](int first, int second) {
        const Input both[] = {{first, true}, {second, true}};
        wiring.add_factor(graph_.variables(), both);
    };
    if (shape.constraint == TreeConstraint::not2) {
        for (int m = 1; m <= arcs.n(); ++m)
            for (int a = arcs.heads_begin(m); a < arcs.heads_end(m); ++a)
                for (int b = a + 1; b < arcs.heads_end(m); ++b) forbid(a, b);
        graph_.add(std::make_shared<OrFactor>("Nand", std::move(wiring)));
        return;
    }
    for (int m = 1; m <= arcs.n(); ++m) {
        inputs.clear();
        for (int a = arcs.heads_begin(m); a < arcs.heads_end(m); ++a) inputs.push_back({a});
        wiring.add_factor(graph_.variables(), inputs);
    }
    const bool or_none = shape.constraint == TreeConstraint::at_most_one;
    graph_.add(std::make_shared<OneOfFactor>(or_none ? "AtMostOne" : "ExactlyOne", std::move(wiring), or_none));
    if (shape.constraint != TreeConstraint::exactly_one_no_2cycle) return;
    wiring = Wiring();
    for (int a = 0; a < arcs.count(); ++a) {
        const auto [head, modifier] = arcs.arc(a);
        const int back = head && head < modifier ? arcs.find(modifier, head) : -1;
        if (back >= 0) forbid(a, back);
    }
    graph_.add(std::make_shared<OrFactor>("Nand", std::move(wiring)));
}

void PartGraph::add_joined(double scale, bool forbids_circles) {
    const auto &siblings = parts_.scores[consecutive], &grandparents = parts_.scores[grand],
               &grand_siblings = parts_.scores[grand_sibling];
    std::vector<double> scores = grand_siblings;
    if (scores.empty()) {
        std::size_t count = 0;
        for_joined(parts_.arcs, [&](int, int, int, int row) { count += row; });
        scores.assign(count, 0.0);
    }
    for_joined(parts_.arcs, [&](int joined, int sibling, int grandparent, int count) {
        double of_pair = grandparent >= 0 && !grandparents.empty() ? grandparents[grandparent] : 0;
        if (forbids_circles && grandparent == in_circle) of_pair = -INFINITY;  // no tree has it
        double* row = scores.data() + joined;
        const double* own = sibling >= 0 && !siblings.empty() ? siblings.data() + sibling : nullptr;
        for (int i = 0; i < count; ++i) row[i] = scale * (row[i] + of_pair + (own ? own[i] : 0));
    });
    graph_.add(make_grand_sibling_factors(graph_.variables(), parts_.arcs, std::move(scores)));
    kinds_.push_back(joined_group);
}

void PartGraph::add_parts(const std::vector<std::vector<double>>& by_group, double weight,
                          PartNumbers<double>& result) const {
    for (int k = 0; k < part_kind_count; ++k) result[k].resize(parts_.parts[k].size(), 0.0);
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
        const std::vector<double>& own = by_group[first_group_ + i];
        if (kinds_[i] != joined_group) {
            for (std::size_t p = 0; p < own.size(); ++p) result[kinds_[i]][p] += weight * own[p];
            continue;
        }
        auto &siblings = result[consecutive], &grandparents = result[grand], &grand_siblings = result[grand_sibling];
        for_joined(parts_.arcs, [&](int joined, int sibling, int grandparent, int count) {
            for (int i = 0; i < count; ++i) {
                const double value = weight * own[joined + i];
                if (value == 0) continue;
                if (!grand_siblings.empty()) grand_siblings[joined + i] += value;
                if (sibling >= 0 && !siblings.empty()) siblings[sibling + i] += value;
                if (grandparent >= 0 && !grandparents.empty()) grandparents[grandparent] += value;
            }
        });
    }
}

PartGraph::Automata PartGraph::automata() const {
    for (std::size_t i = 0; i < kinds_.size(); ++i)
        if (kinds_[i] == joined_group || kinds_[i] == consecutive)
            return {&graph_.groups()[first_group_ + i]->part_scores(), kinds_[i] == joined_group, kinds_.size() == 1,
                    first_group_ + i};
    return {nullptr, false, kinds_.empty(), 0};
}

double PartGraph::value_of(const Assignment& assignment) const {
    Arena arena;
    return graph_.value(assignment, arena);
}

Assignment PartGraph::assignment_of(const int* heads) const {
    Assignment result(parts_.arcs.count(), 0);
    for (int m = 1; m <= parts_.arcs.n(); ++m) {
        const int a = parts_.arcs.find(heads[m], m);
        if (a >= 0) result[a] = 1;
    }
    descents_.complete(heads, result);
    return result;
}

void PartGraph::complete(Assignment& assignment) const {
    if (descents_.empty()) return;
    std::vector<int> heads(parts_.arcs.n() + 1);
    read_heads(assignment, heads.data());
    descents_.complete(heads.data(), assignment);
}

void PartGraph::add_parts_of_tree(const int* heads, double weight, PartNumbers<double>& result, Arena& arena) const {
    add_parts_of(assignment_of(heads), weight, result, arena);
}

void PartGraph::add_parts_of(const Assignment& assignment, double weight, PartNumbers<double>& result,
                             Arena& arena) const {
    std::vector<std::vector<double>> by_group(graph_.groups().size());
    std::vector<int> active;
    for (std::size_t g = first_group_; g < by_group.size(); ++g) {
        const FactorGroup& group = *graph_.groups()[g];
        by_group[g].assign(group.part_scores().size(), 0.0);
        for (std::size_t factor = 0; factor < group.size(); ++factor) {
            FactorGraph::active_ports(group, factor, assignment, active);
            group.add_parts(factor, active, 1.0, by_group[g].data() + group.part_begin(factor), arena);
        }
    }
    add_parts(by_group, weight, result);
}

double PartGraph::value_of_tree(const int* heads, Arena& arena) const {
    for (int m = 1; m <= parts_.arcs.n(); ++m)
        if (parts_.arcs.find(heads[m], m) < 0) return -INFINITY;
    const double value = graph_.value(assignment_of(heads), arena);
    return parts_.tags.empty() ? value : value + sum_tags(parts_.arcs, parts_.tags, scale_, heads, nullptr);
}

void PartGraph::read_heads(const Assignment& assignment, int* heads) const {
    for (int m = 1; m <= parts_.arcs.n(); ++m) heads[m] = -1;
    for (int a = 0; a < parts_.arcs.count(); ++a)
        if (assignment[a]) heads[parts_.arcs.arc(a).modifier] = parts_.arcs.arc(a).head;
}

}  // namespace arbora
