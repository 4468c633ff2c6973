#include "factors/factor_group.hpp"

namespace arbora {

bool project_by_active_set(const FactorGroup&, std::size_t, const double*, double, double*, ActiveSet&, Arena&) {
    return false;
}

}  // namespace arbora
