#include "parsing/scorer.hpp"

namespace arbora {

std::vector<Family> families_of(const int* heads, int n) {
    std::vector<int> place(n + 1, -1);
    std::vector<Family> result;
    for (int m = 1; m <= n; ++m) {
        int& at = place[heads[m]];
        if (at < 0) {
            at = static_cast<int>(result.size());
            result.push_back({heads[m], {}});
        }
        result[at].modifiers.push_back(m);
    }
    return result;
}

}  // namespace arbora
