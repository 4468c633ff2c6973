#pragma once
#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace arbora {

// An allocator for tables that are looked up at random. Tables of many megabytes lie on pages of two, where the system has
// such: with the usual pages, most look-ups would first have to find out where their page is.
template <class T>
struct LargePages {
    using value_type = T;
    static constexpr std::size_t page = std::size_t{1} << 21;

    LargePages() = default;
    template <class U>
    LargePages(const LargePages<U>&) {}

    T* allocate(std::size_t count) {
        const std::size_t bytes = count * sizeof(T), whole = (bytes + page - 1) / page * page;
        void* memory = bytes < page ? std::malloc(bytes ? bytes : 1) : std::aligned_alloc(page, whole);
        if (!memory) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
        if (bytes >= page) madvise(memory, whole, MADV_HUGEPAGE);  // a wish: if it is not granted, nothing is lost
#endif
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t) { std::free(memory); }

    friend bool operator==(const LargePages&, const LargePages&) { return true; }
};

template <class T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace arbora
