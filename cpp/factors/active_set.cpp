// The projection for any factor that has `best`. Over distributions mu on configurations y with active ports A_y:
//
//     maximise  sum_y mu_y inner_y - penalty |sum_y mu_y A_y - a|^2 / 2
//
// An active-set method (Nocedal & Wright 2006, 16.4; Martins et al. 2015, section 6.2): few configurations have weight
// at a time; where they are optimal among themselves, `best` names the configuration that gains most or proves that
// none does. The gain of y is the derivative in mu_y, inner_y + penalty A_y (a - z) with z = sum_y mu_y A_y; at an
// optimum the configurations with weight have all the same gain, and no other has a higher one.
#include <algorithm>
#include <cmath>

#include "factors/factor_group.hpp"
#include "factors/triangle.hpp"
#include "support/interruption.hpp"

namespace arbora {

namespace {

constexpr double tolerance = 1e-13;  // of a gain, relative to what it is the sum of
constexpr double dependence = 1e-9;  // of a pivot, relative to the diagonal entry that it is left of

// Works on the configurations of a cache, whose `factor` is the Cholesky factor L of M = L L', row after row of its
// lower triangle, where M_ij = 1 + |A_i and A_j|: the inner products of the configurations with a constant 1 appended.
// The configurations are kept such that these are linearly independent. Ports that are fixed are counted too: as all
// configurations agree there, that adds a constant to all of M, which no weights that sum to one can feel.
class Projection {
public:
    Projection(const FactorGroup& group, std::size_t factor, const double* a, double penalty, double* z,
               ActiveSet& cache, Arena& arena)
        : group_(group),
          factor_(factor),
          ports_(group.wiring().port_count(factor)),
          penalty_(penalty),
          z_(z),
          set_(cache),
          arena_(arena),
          a_(arena.take<double>(ports_)),
          in_(arena.take<double>(ports_)),
          is_found_(arena.take<char>(ports_)) {
        std::copy_n(a, ports_, a_);
        std::fill_n(is_found_, ports_, 0);
    }

    bool run() {
        if (!fix_categories() || !begin()) return false;
        // With exact numbers it would end by itself: the objective rises with every round, and no set comes twice.
        for (int rounds = 100 + 10 * ports_; rounds > 0; --rounds) {
            Interruption::heed();
            const bool has_settled = optimise_weights();
            find_point();
            if (!has_settled || !improve()) break;
        }
        for (int port = 0; port < ports_; ++port) z_[port] = std::clamp(z_[port], 0.0, 1.0);
        return true;
    }

private:
    std::size_t size() const { return set_.configurations.size(); }
    double* row(std::size_t i) { return set_.factor.data() + i * (i + 1) / 2; }

    // `best` knows no "always" for a category's value: it is told that the others are impossible.
    bool fix_categories() {
        const Wiring& wiring = group_.wiring();
        const std::size_t begin = wiring.port_begin(factor_);
        for (std::size_t input = wiring.input_begin(factor_); input < wiring.input_end(factor_); ++input) {
            if (!wiring.is_category(input)) continue;
            double* first = a_ + (wiring.input_port(input) - begin);
            double* last = first + wiring.input_size(input);
            double* certain = std::find(first, last, INFINITY);
            if (certain == last) continue;
            if (std::find(certain + 1, last, INFINITY) != last) return false;
            std::fill(first, last, -INFINITY);
            *certain = 0;
        }
        return true;
    }

    // What is left of the cache, or else the best configuration alone. False if there is none.
    bool begin() {
        if (set_.factor.size() != size() * (size() + 1) / 2 || set_.weights.size() != size()) rebuild();
        for (std::size_t i = size(); i-- > 0;)
            if (contradicts(set_.configurations[i])) remove(i);
        double total = 0;
        for (double weight : set_.weights) total += weight;
        if (size() > 0 && total > 0) {
            for (double& weight : set_.weights) weight /= total;
            reduce_sides();
            return true;
        }
        set_.configurations.clear();
        set_.weights.clear();
        set_.factor.clear();
        ones_.clear();
        sides_.clear();
        // |A - a|^2 is linear in A, as its entries are 0 and 1.
        for (int port = 0; port < ports_; ++port) in_[port] = penalty_ * (a_[port] - 0.5);
        if (group_.best(factor_, in_, found_, arena_) == -INFINITY) return false;
        append(1);
        return true;
    }

    bool contradicts(const Configuration& configuration) const {
        const std::vector<int>& active = configuration.active;
        if (std::any_of(active.begin(), active.end(), [&](int port) { return a_[port] == -INFINITY; })) return true;
        const auto certain = std::count(a_, a_ + ports_, INFINITY);
        return std::count_if(active.begin(), active.end(), [&](int port) { return a_[port] == INFINITY; }) != certain;
    }

    // The weights that are optimal for the configurations at hand; those that want to be negative leave. False if that
    // is at once the one that has just come: only rounding spoke for it then.
    bool optimise_weights() {
        for (bool is_first = true;; is_first = false) {
            const Arena::Frame frame(arena_);
            const std::size_t count = size();
            double* wanted = arena_.take<double>(count);
            solve(wanted);
            double step = 1;
            std::size_t leaving = count;
            for (std::size_t i = 0; i < count; ++i) {
                if (wanted[i] > 0) continue;
                const double limit = set_.weights[i] > 0 ? set_.weights[i] / (set_.weights[i] - wanted[i]) : 0;
                if (leaving < count && limit >= step) continue;
                step = limit;
                leaving = i;
            }
            if (leaving == count) {
                std::copy_n(wanted, count, set_.weights.data());
                return true;
            }
            if (is_first && leaving + 1 == count && step == 0) {
                remove(leaving);
                return false;
            }
            for (std::size_t i = 0; i < count; ++i)
                set_.weights[i] = std::max(0.0, set_.weights[i] + step * (wanted[i] - set_.weights[i]));
            remove(leaving);
        }
    }

    // The equality-constrained optimum, sum_j A_i A_j mu_j + tau = b_i and sum mu = 1, where b_i = inner_i /
    // penalty + A_i a: with M instead of the inner products and some s for tau, mu = M^-1 (b + s 1). Half of that, L^-1 b
    // and L^-1 1, is known from the sets before.
    void solve(double* mu) const {
        const double *ones = ones_.data(), *sides = sides_.data();
        const double s = (1 - inner_product(ones, sides, size())) / inner_product(ones, ones, size());
        for (std::size_t i = 0; i < size(); ++i) mu[i] = sides_[i] + s * ones_[i];
        solve_transposed(set_.factor.data(), static_cast<int>(size()), mu);
    }

    // L^-1 1 and L^-1 b for all configurations. A constant in b is for s to find, without rounding.
    void reduce_sides() {
        ones_.clear();
        sides_.clear();
        shift_ = 0;
        for (const Configuration& configuration : set_.configurations) sides_.push_back(side(configuration));
        shift_ = *std::max_element(sides_.begin(), sides_.end());
        for (std::size_t i = 0; i < size(); ++i) {
            const double* l = row(i);
            ones_.push_back((1 - inner_product(l, ones_.data(), i)) / l[i]);
            sides_[i] = (sides_[i] - shift_ - inner_product(l, sides_.data(), i)) / l[i];
        }
    }
    double side(const Configuration& configuration) const {
        return configuration.inner / penalty_ + along(configuration, a_) - shift_;
    }

    // A configuration enters that would gain. False if none would.
    bool improve() {
        for (int port = 0; port < ports_; ++port) in_[port] = penalty_ * (a_[port] - z_[port]);
        const double reached = mean_gain();
        if (group_.best(factor_, in_, found_, arena_) == -INFINITY) return false;
        double magnitude = 1 + std::abs(found_.inner);
        for (int port : found_.active)
            if (!std::isinf(in_[port])) magnitude += std::abs(in_[port]);
        if (gain(found_) - reached <= tolerance * magnitude) return false;
        for (const Configuration& known : set_.configurations)
            if (known.active == found_.active) return false;  // only rounding speaks for it
        return append(0) || exchange();
    }

    void find_point() {
        std::fill_n(z_, ports_, 0.0);
        for (std::size_t i = 0; i < size(); ++i) {
            const double weight = set_.weights[i];
            for (int port : set_.configurations[i].active) z_[port] += weight;
        }
        for (int port = 0; port < ports_; ++port)
            if (std::isinf(a_[port])) z_[port] = a_[port] > 0;
    }

    // Of the configurations with weight.
    double mean_gain() const {
        double inner = 0, outer = 0;
        for (std::size_t i = 0; i < size(); ++i) inner += set_.weights[i] * set_.configurations[i].inner;
        for (int port = 0; port < ports_; ++port) outer += std::isinf(in_[port]) ? 0 : in_[port] * z_[port];
        return inner + outer;
    }

    double gain(const Configuration& configuration) const { return configuration.inner + along(configuration, in_); }
    static double along(const Configuration& configuration, const double* values) {
        double sum = 0;
        for (int port : configuration.active)
            if (!std::isinf(values[port])) sum += values[port];
        return sum;
    }

    // L^-1 times the column of M for what was found, and what is left for the diagonal. It is 0 if the configuration
    // depends on the others.
    double reduce(double* l) {
        const double diagonal = 1.0 + static_cast<double>(found_.active.size());
        double left = diagonal;
        for (int port : found_.active) is_found_[port] = 1;
        for (std::size_t i = 0; i < size(); ++i) {
            const double* known = row(i);
            int common = 0;
            for (int port : set_.configurations[i].active) common += is_found_[port];
            l[i] = (1 + common - inner_product(known, l, i)) / known[i];
            left -= l[i] * l[i];
        }
        for (int port : found_.active) is_found_[port] = 0;
        return left > dependence * diagonal ? left : 0;
    }

    // What was found joins the others, unless it depends on them.
    bool append(double weight) {
        const Arena::Frame frame(arena_);
        double* l = arena_.take<double>(size() + 1);
        const double left = reduce(l);
        if (left == 0) return false;
        const double last = l[size()] = std::sqrt(left);
        if (size() == 0) shift_ += side(found_);
        ones_.push_back((1 - inner_product(l, ones_.data(), size())) / last);
        sides_.push_back((side(found_) - inner_product(l, sides_.data(), size())) / last);
        set_.factor.insert(set_.factor.end(), l, l + size() + 1);
        set_.configurations.push_back(found_);
        set_.weights.push_back(weight);
        return true;
    }

    // What was found is, with a constant 1 appended, the sum of lambda_i times the others. Giving it weight at their
    // cost, by lambda, leaves z where it is and raises the objective steadily, until one of them has no weight left.
    bool exchange() {
        const Arena::Frame frame(arena_);
        const int count = static_cast<int>(size());
        double* lambda = arena_.take<double>(count);
        reduce(lambda);
        solve_transposed(set_.factor.data(), count, lambda);
        double step = INFINITY;
        int leaving = -1;
        for (int i = 0; i < count; ++i) {
            if (lambda[i] <= dependence) continue;
            const double limit = set_.weights[i] / lambda[i];
            if (limit < step || (limit == step && lambda[i] > lambda[leaving])) {
                step = limit;
                leaving = i;
            }
        }
        if (leaving < 0) return false;
        for (int i = 0; i < count; ++i) set_.weights[i] = std::max(0.0, set_.weights[i] - step * lambda[i]);
        remove(leaving);
        return append(step);
    }

    // Takes a configuration out.
    void remove(std::size_t index) {
        const bool are_reduced = !ones_.empty();
        remove_row(set_.factor, index, size(), arena_, [&](std::size_t i, double cosine, double sine) {
            if (!are_reduced) return;
            rotate(ones_[i], ones_[i + 1], cosine, sine);
            rotate(sides_[i], sides_[i + 1], cosine, sine);
        });
        if (are_reduced) {
            ones_.pop_back();
            sides_.pop_back();
        }
        set_.configurations.erase(set_.configurations.begin() + static_cast<std::ptrdiff_t>(index));
        set_.weights.erase(set_.weights.begin() + static_cast<std::ptrdiff_t>(index));
    }

    // The factor anew, for a cache that somebody else filled; configurations that depend on others are left out.
    void rebuild() {
        ActiveSet given;
        std::swap(given, set_);
        given.weights.resize(given.configurations.size());
        for (std::size_t i = 0; i < given.configurations.size(); ++i) {
            found_ = std::move(given.configurations[i]);
            append(given.weights[i]);
        }
    }

    const FactorGroup& group_;
    std::size_t factor_;
    int ports_;
    double penalty_;
    double* z_;
    ActiveSet& set_;
    Arena& arena_;
    double *a_, *in_;
    char* is_found_;                    // by port: it is among the active ones of found_, for a while
    std::vector<double> ones_, sides_;  // L^-1 1 and L^-1 (b - shift_): empty until begin() is through with the cache
    double shift_ = 0;
    Configuration found_;
};

}  // namespace

bool project_by_active_set(const FactorGroup& group, std::size_t factor, const double* a, double penalty, double* z,
                           ActiveSet& cache, Arena& arena) {
    const Arena::Frame frame(arena);
    return Projection(group, factor, a, penalty, z, cache, arena).run();
}

}  // namespace arbora
