#pragma once
#include <algorithm>
#include <deque>
#include <string>
#include <string_view>

namespace arbora {

// Texts that are made on the way, and stay where they are as long as the arena does: views may look at them.
class TextArena {
public:
    std::string_view add(std::string_view text) {
        if (chunks_.empty() || chunks_.back().capacity() - chunks_.back().size() < text.size()) {
            chunks_.emplace_back();
            chunks_.back().reserve(std::max(text.size(), chunk_size));
        }
        std::string& chunk = chunks_.back();  // never grows beyond what it has reserved
        const std::size_t at = chunk.size();
        chunk.append(text);
        return std::string_view(chunk).substr(at);
    }

private:
    static constexpr std::size_t chunk_size = 512;

    std::deque<std::string> chunks_;
};

}  // namespace arbora
