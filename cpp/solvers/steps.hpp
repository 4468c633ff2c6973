#pragma once
#include <algorithm>

namespace arbora {

enum class DualStepRule {
    level,       // by how far the dual is above a level that it may reach (Polyak 1969; Goffin & Kiwiel 1999)
    decreasing,  // delta / (1 + how often the dual went up) (Koo et al. 2010, appendix A)
};

// How far a subgradient method goes against its subgradient.
class Steps {
public:
    // delta: the first dual value minus the first primal one.
    Steps(DualStepRule rule, double delta, double dual) : rule_(rule), delta_(delta), reference_(dual), last_(dual) {}

    // After each dual value; `bound` is the lowest of them, `value` the highest primal one, `square` that of the
    // subgradient's length.
    double next(double dual, double bound, double value, double square) {
        rises_ += dual > last_;
        last_ = dual;
        if (rule_ == DualStepRule::decreasing) return delta_ / (1 + rises_);
        if (dual <= reference_ - delta_ / 2) {
            delta_ *= 1.5;
            reference_ = bound;
            since_ = 0;
        } else if (++since_ == patience) {
            delta_ /= 2;
            reference_ = bound;
            since_ = 0;
        }
        return overshoot * (dual - std::max(value, bound - delta_)) / (2 * square);
    }

    // How much lower than the bound the next dual values are hoped to be. If that is next to nothing, they will not be.
    bool has_hope(double least) const { return rule_ == DualStepRule::decreasing || delta_ > least; }

private:
    static constexpr int patience = 30;       // steps without half the descent hoped for, until hope is halved
    static constexpr double overshoot = 1.5;  // of what would do for a linear function; beyond 2 it would diverge

    DualStepRule rule_;
    double delta_, reference_, last_;
    int rises_ = 0, since_ = 0;
};

}  // namespace arbora
