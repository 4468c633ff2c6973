#include "check.hpp"

int main() {
    int failed = 0;
    for (const Test& test : all_tests()) {
        const int before = failures();
        test.body();
        if (failures() > before) {
            ++failed;
            std::printf("FAILED %s\n", test.name.c_str());
        }
    }
    std::printf("%zu passed, %d failed\n", all_tests().size() - failed, failed);
    return failed ? 1 : 0;
}
