#include "check.hpp"

#include <cstdlib>

// All tests, or those of one part: `arbora_core_tests part parts` runs every parts-th test from that one on.
int main(int count, char** words) {
    const std::size_t part = count == 3 ? std::strtoul(words[1], nullptr, 10) : 0;
    const std::size_t parts = count == 3 ? std::strtoul(words[2], nullptr, 10) : 1;
    int run = 0, failed = 0;
    for (std::size_t number = part; parts && number < all_tests().size(); number += parts) {
        const Test& test = all_tests()[number];
        const int before = failures();
        test.body();
        ++run;
        if (failures() > before) {
            ++failed;
            std::printf("FAILED %s\n", test.name.c_str());
        }
    }
    std::printf("%d passed, %d failed\n", run - failed, failed);
    return failed || !run ? 1 : 0;
}
