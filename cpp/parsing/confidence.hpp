#pragma once
#include <cmath>

namespace arbora {

// Beta calibration (Kull et al. 2017): log-odds right log p - wrong log (1 - p) + shift of a head that a tree has, if
// propagation believes in it by p. Loopy propagation counts evidence more than once, so that its beliefs are too sure, and
// that a tree has a head says something besides. As it stands here it changes nothing.
struct Confidence {
    double right = 1, wrong = 1, shift = 0;

    bool is_identity() const { return right == 1 && wrong == 1 && shift == 0; }
    double operator()(double p) const {
        return 1 / (1 + std::exp(wrong * std::log1p(-p) - right * std::log(p) - shift));
    }
};

}  // namespace arbora
