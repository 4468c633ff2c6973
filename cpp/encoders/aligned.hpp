#pragma once
#include <cstddef>
#include <new>
#include <vector>

namespace arbora::encoders {

// An allocator of memory that begins with a cache line: vectors as wide as one are read from one.
template <class T>
struct CacheLines {
    using value_type = T;
    static constexpr std::align_val_t line{64};

    CacheLines() = default;
    template <class U>
    CacheLines(const CacheLines<U>&) {}

    T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), line)); }
    void deallocate(T* memory, std::size_t) { ::operator delete(memory, line); }

    friend bool operator==(const CacheLines&, const CacheLines&) { return true; }
};

template <class T>
using AlignedVector = std::vector<T, CacheLines<T>>;

}  // namespace arbora::encoders
