#pragma once
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

// The smallest test frame that does: TEST(name) { CHECK(condition); } registers itself; main.cpp runs them all.

struct Test {
    std::string name;
    std::function<void()> body;
};

inline std::vector<Test>& all_tests() {
    static std::vector<Test> tests;
    return tests;
}

inline int& failures() {
    static int count = 0;
    return count;
}

#define TEST(name)                                                                             \
    static void test_##name();                                                                 \
    static const bool registered_##name = (all_tests().push_back({#name, test_##name}), true); \
    static void test_##name()

#define CHECK(condition)                                                              \
    do {                                                                              \
        if (!(condition)) {                                                           \
            std::printf("%s:%d: CHECK(%s) failed\n", __FILE__, __LINE__, #condition); \
            ++failures();                                                             \
        }                                                                             \
    } while (false)
