#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

namespace arbora {

// Scratch memory that is handed out and taken back like a stack: an oracle that runs a million times must not ask the
// system for memory each time. One arena serves one thread.
class Arena {
public:
    Arena() = default;
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    // Everything taken since the frame was made goes back when it ends.
    class Frame {
    public:
        explicit Frame(Arena& arena) : arena_(arena), block_(arena.block_), used_(arena.used_) {}
        Frame(const Frame&) = delete;
        Frame& operator=(const Frame&) = delete;
        ~Frame() {
            arena_.block_ = block_;
            arena_.used_ = used_;
        }

    private:
        Arena& arena_;
        std::size_t block_, used_;
    };

    // Room for `count` of T, not initialised.
    template <class T>
    T* take(std::size_t count) {
        static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
        return reinterpret_cast<T*>(take_bytes((count * sizeof(T) + alignment - 1) / alignment * alignment));
    }

    template <class T>
    T* take(std::size_t count, T value) {
        T* result = take<T>(count);
        std::fill_n(result, count, value);
        return result;
    }

private:
    static constexpr std::size_t alignment = 64, smallest = 1 << 16;
    struct alignas(alignment) Line {
        std::byte bytes[alignment];
    };
    struct Block {
        std::unique_ptr<Line[]> lines;
        std::size_t bytes;
    };

    std::byte* take_bytes(std::size_t bytes) {
        while (block_ < blocks_.size() && used_ + bytes > blocks_[block_].bytes) {
            ++block_;
            used_ = 0;
        }
        if (block_ == blocks_.size()) {
            const std::size_t last = blocks_.empty() ? 0 : blocks_.back().bytes;
            const std::size_t size = std::max({bytes, 2 * last, smallest});
            blocks_.push_back({std::unique_ptr<Line[]>(new Line[size / alignment + 1]), size});
            used_ = 0;
        }
        std::byte* result = blocks_[block_].lines[0].bytes + used_;
        used_ += bytes;
        return result;
    }

    std::vector<Block> blocks_;
    std::size_t block_ = 0, used_ = 0;
};

}  // namespace arbora
