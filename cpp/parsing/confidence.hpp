#pragma once
#include <algorithm>
#include <cmath>

namespace arbora {

// What is known of how often a head, or a label, of a found tree is right if it is believed in by p: beta calibration
// (Kull et al. 2017), log-odds right log p - wrong log (1 - p) + shift, but never more than `most`. Loopy propagation counts
// evidence more than once, so that its beliefs are too sure; that a tree has a head says something besides; and however
// sure beliefs are, the right head may be none of the candidates. As it stands here it changes nothing.
struct Confidence {
    double right = 1, wrong = 1, shift = 0, most = 1;

    bool is_identity() const { return right == 1 && wrong == 1 && shift == 0 && most == 1; }
    double operator()(double p) const {
        constexpr double least = 1e-6;  // as in fit_confidence: what is nearer to 0 and 1 says nothing more
        p = std::clamp(p, least, 1 - least);
        return most / (1 + std::exp(wrong * std::log1p(-p) - right * std::log(p) - shift));
    }
};

// Where sums over trees are approximate: of heads, and of labels given a tree.
struct Confidences {
    Confidence heads = {}, labels = {};
};

}  // namespace arbora
