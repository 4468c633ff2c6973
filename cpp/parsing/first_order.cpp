#include "parsing/first_order.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "support/lanes.hpp"
#include "support/vectorise.hpp"

namespace arbora {
namespace {

std::vector<float> bars_of(const std::vector<char>& possible, int stride) {
    std::vector<float> result(stride, -INFINITY);
    for (std::size_t l = 0; l < possible.size(); ++l)
        if (possible[l]) result[l] = 0;
    return result;
}

// Bars labels that are not possible; returns the highest score.
ARBORA_VECTORISED float bar(const float* barred, int stride, float* scores) {
    Lanes8 top = load_eight(barred) + load_eight(scores);
    for (int l = 0; l < stride; l += 8) {
        const Lanes8 next = load_eight(barred + l) + load_eight(scores + l);
        std::memcpy(scores + l, &next, sizeof next);
        top = next > top ? next : top;
    }
    float result = top[0];
    for (int lane = 1; lane < 8; ++lane) result = std::max(result, top[lane]);
    return result;
}

// The sum of exp(scale * (score - top)).
ARBORA_VECTORISED double sum_of_exponentials(const float* scores, int stride, double scale, float top) {
    Lanes total{};
    for (int l = 0; l < stride; l += lane_count) {
        const Lanes four{scores[l], scores[l + 1], scores[l + 2], scores[l + 3]};
        total += exp_bounded((four - top) * scale);
    }
    return sum_of_lanes(total);
}

}  // namespace

FirstOrder::FirstOrder(const Templates& templates, std::vector<char> at_root, std::vector<char> below_words,
                       Scales scales, int roles)
    : arcs_(templates.of(Section::arcs)),
      joint_labels_(templates.of(Section::labels), {}, static_cast<int>(at_root.size())),
      labeler_(templates.of(Section::labeler), templates.of(Section::siblings), static_cast<int>(at_root.size())),
      roles_(templates.of(Section::roles), {}, roles),
      is_joint_(!templates.of(Section::labels).empty()),
      has_labeler_(!templates.of(Section::labeler).empty()),
      at_root_(std::move(at_root)),
      below_words_(std::move(below_words)),
      barred_at_root_(has_roles() ? bars_of(std::vector<char>(roles, 1), roles_.stride())
                                  : bars_of(at_root_, joint_labels_.stride())),
      barred_below_words_(has_roles() ? barred_at_root_ : bars_of(below_words_, joint_labels_.stride())),
      scales_(scales) {}

template <class Number>
void FirstOrder::score(const Prepared& sentence, WeightTable<Number> weights, Workspace& space,
                       Candidates& candidates) const {
    const std::size_t count = candidates.arcs.size();
    const LabelFeatures* rows = this->rows();
    candidates.labels = rows ? rows->labels() : 0;
    space.arc_scores.resize(count);
    arcs_.score(sentence, weights, candidates.arcs, space.arc_scores.data());
    if (!rows) {
        candidates.scores.resize(count);
        for (std::size_t a = 0; a < count; ++a) candidates.scores[a] = scales_.trees * space.arc_scores[a];
        return;
    }
    const int stride = rows->stride(), labels = rows->labels();
    const double scale = scales_.joint != 0 ? scales_.joint : scales_.trees;
    space.label_scores.resize(count * stride);
    rows->score(sentence, weights, candidates.arcs, space.label_scores.data());
    candidates.scores.resize(count * labels);
    for (std::size_t a = 0; a < count; ++a) {
        const float* bars = barred(candidates.arcs[a].head);
        const float* from = space.label_scores.data() + a * stride;
        double* to = candidates.scores.data() + a * labels;
        for (int l = 0; l < labels; ++l)
            to[l] = bars[l] == 0 ? scale * (static_cast<double>(space.arc_scores[a]) + from[l]) : impossible;
    }
    if (scale != scales_.trees) rescale(candidates);
}

template void FirstOrder::score(const Prepared&, Weights, Workspace&, Candidates&) const;
template void FirstOrder::score(const Prepared&, ShortWeights, Workspace&, Candidates&) const;

// With the scales as in `rescale`, label by label: best = max j s + (t/j - 1) log sum exp(j s). With roles, all that
// counts is t/j log sum exp(j s).
template <class Number>
void FirstOrder::score_by_arc(const Prepared& sentence, WeightTable<Number> weights, const std::vector<Arc>& arcs,
                              const int* known, ArcTotal asked, Workspace& space, ArcTotals& result) const {
    const bool with_sums = asked == ArcTotal::sums, with_best = with_sums || asked == ArcTotal::best;
    space.arc_scores.resize(arcs.size());
    arcs_.score(sentence, weights, arcs, space.arc_scores.data());
    result.best.resize(with_best ? arcs.size() : 0);
    result.sums.resize(with_sums ? arcs.size() : 0);
    const LabelFeatures* rows = this->rows();
    if (!rows) {
        result.learned.resize(arcs.size());
        for (std::size_t a = 0; a < arcs.size(); ++a) result.learned[a] = scales_.trees * space.arc_scores[a];
        if (with_best) result.best = result.learned;
        if (with_sums) result.sums = result.learned;
        return;
    }
    if (has_roles()) known = nullptr;  // it is of labels
    const int stride = rows->stride();
    const double scale = scales_.joint != 0 ? scales_.joint : scales_.trees,
                 change = scales_.joint != 0 ? scales_.trees / scales_.joint - 1 : 0;
    space.label_scores.resize(arcs.size() * stride);
    rows->score(sentence, weights, arcs, space.label_scores.data());
    result.learned.resize(arcs.size());
    for (std::size_t a = 0; a < arcs.size(); ++a) {
        float* row = space.label_scores.data() + a * stride;
        const double of_arc = space.arc_scores[a];
        const float top = bar(barred(arcs[a].head), stride, row);
        double best = scale * (of_arc + top), sum = best;
        if (top != -INFINITY && (with_sums || (with_best && change != 0) || has_roles())) {
            sum += std::log(sum_of_exponentials(row, stride, scale, top));
            best += change * sum;
        }
        if (has_roles()) {
            result.learned[a] = sum + change * sum;
            if (with_best) result.best[a] = result.learned[a];
            if (with_sums) result.sums[a] = result.learned[a];
            continue;
        }
        const int label = known ? known[arcs[a].modifier] : -1;
        if (label >= 0) best = row[label] == -INFINITY ? 0 : best + scale * (static_cast<double>(row[label]) - top);
        if (with_best) result.best[a] = best;
        const float own = label < 0 ? top : row[label];
        result.learned[a] = label >= 0 && own == -INFINITY ? 0 : scales_.trees * (of_arc + own);
        if (with_sums) result.sums[a] = label >= 0 ? best : sum + change * sum;
    }
}

template void FirstOrder::score_by_arc(const Prepared&, Weights, const std::vector<Arc>&, const int*, ArcTotal,
                                       Workspace&, ArcTotals&) const;
template void FirstOrder::score_by_arc(const Prepared&, ShortWeights, const std::vector<Arc>&, const int*, ArcTotal,
                                       Workspace&, ArcTotals&) const;

int FirstOrder::best_label(const Workspace& space, std::size_t arc) const {
    const float* row = space.label_scores.data() + arc * joint_labels_.stride();
    return static_cast<int>(std::max_element(row, row + labels()) - row);
}

void FirstOrder::label_probabilities(const Workspace& space, std::size_t arc, double* result) const {
    const float* row = space.label_scores.data() + arc * joint_labels_.stride();
    const double scale = scales_.joint != 0 ? scales_.joint : scales_.trees;
    const float top = *std::max_element(row, row + labels());
    double sum = 0;
    for (int l = 0; l < labels(); ++l) sum += result[l] = std::exp(scale * (static_cast<double>(row[l]) - top));
    for (int l = 0; l < labels(); ++l) result[l] /= sum;
}

// With t = scale of trees, j = scale of labels: arc = t/j log sum exp(j s), label given the arc = j s - log sum exp(j s).
void FirstOrder::rescale(Candidates& candidates) const {
    std::vector<double> sums;
    collapse(candidates, Collapse::sum, sums);
    const double change = scales_.trees / scales_.joint - 1;
    for (std::size_t a = 0; a < sums.size(); ++a)
        for (int l = 0; l < candidates.labels; ++l)
            if (sums[a] != impossible) candidates.scores[a * candidates.labels + l] += change * sums[a];
}

template <class Number>
void FirstOrder::score_modifiers(const Prepared& sentence, WeightTable<Number> weights, Workspace& space,
                                 const Family& family, std::vector<double>& unary) const {
    const int stride = labeler_.stride();
    space.arcs.clear();
    for (int modifier : family.modifiers) space.arcs.push_back({family.head, modifier});
    space.label_scores.resize(space.arcs.size() * stride);
    labeler_.score(sentence, weights, space.arcs, space.label_scores.data());
    unary.resize(space.arcs.size() * labels());
    for (std::size_t i = 0; i < space.arcs.size(); ++i)
        for (int l = 0; l < labels(); ++l)
            unary[i * labels() + l] =
                may_have_label(family.head, l) ? scales_.labels * space.label_scores[i * stride + l] : impossible;
}

template void FirstOrder::score_modifiers(const Prepared&, Weights, Workspace&, const Family&,
                                          std::vector<double>&) const;
template void FirstOrder::score_modifiers(const Prepared&, ShortWeights, Workspace&, const Family&,
                                          std::vector<double>&) const;

template <class Number>
void FirstOrder::score_siblings(const Prepared& sentence, WeightTable<Number> weights, Workspace& space, int head,
                                std::vector<double>& siblings) const {
    siblings.clear();
    if (!labeler_.has_siblings()) return;
    const std::size_t count = static_cast<std::size_t>(labeler_.states()) * labeler_.states();
    space.label_scores.resize(count);
    labeler_.score_siblings(sentence, weights, head, space.label_scores.data());
    for (std::size_t s = 0; s < count; ++s) siblings.push_back(scales_.labels * space.label_scores[s]);
}

template void FirstOrder::score_siblings(const Prepared&, Weights, Workspace&, int, std::vector<double>&) const;
template void FirstOrder::score_siblings(const Prepared&, ShortWeights, Workspace&, int, std::vector<double>&) const;

}  // namespace arbora
