#include "treebank/heads.hpp"

#include <algorithm>

namespace arbora::treebank {

std::vector<std::vector<std::int32_t>> cycles(std::span<const std::int32_t> heads) {
    const auto n = static_cast<std::int32_t>(heads.size());
    std::vector<std::vector<std::int32_t>> found;
    std::vector<std::int32_t> seen_from(heads.size() + 1, 0);  // the word whose walk came here first; 0 for none
    for (std::int32_t start = 1; start <= n; ++start) {
        std::int32_t at = start;
        while (at > 0 && seen_from[at] == 0) {
            seen_from[at] = start;
            at = heads[at - 1];
        }
        if (at <= 0 || seen_from[at] != start) continue;  // ran into the root, the unknown, or an older walk
        std::vector<std::int32_t> cycle;
        const std::int32_t entry = at;
        do {
            cycle.push_back(at);
            at = heads[at - 1];
        } while (at != entry);
        std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
        found.push_back(std::move(cycle));
    }
    return found;
}

namespace {

// A depth-first numbering: word w descends from h if opened[h] <= opened[w] < closed[h].
struct Numbering {
    std::vector<std::int32_t> opened, closed;
    std::vector<std::int32_t> top;  // the root (0), or the word of unknown head above (or at) this one

    explicit Numbering(std::span<const std::int32_t> heads)
        : opened(heads.size() + 1), closed(heads.size() + 1), top(heads.size() + 1) {
        const auto n = static_cast<std::int32_t>(heads.size());
        std::vector<std::int32_t> first_child(heads.size() + 1, 0), next_sibling(heads.size() + 1, 0);
        for (std::int32_t word = n; word >= 1; --word) {
            const std::int32_t head = heads[word - 1];
            if (head < 0) continue;
            next_sibling[word] = first_child[head];
            first_child[head] = word;
        }
        std::int32_t clock = 0;
        number(0, first_child, next_sibling, clock);
        for (std::int32_t word = 1; word <= n; ++word) {
            if (heads[word - 1] < 0) number(word, first_child, next_sibling, clock);
        }
    }

    bool descends(std::int32_t word, std::int32_t from) const {
        return opened[from] <= opened[word] && opened[word] < closed[from];
    }

private:
    void number(std::int32_t root, std::vector<std::int32_t>& next_child, const std::vector<std::int32_t>& next_sibling,
                std::int32_t& clock) {
        std::vector<std::int32_t> path{root};
        opened[root] = clock++;
        top[root] = root;
        while (!path.empty()) {
            const std::int32_t at = path.back();
            const std::int32_t child = next_child[at];
            if (child == 0) {
                closed[at] = clock;
                path.pop_back();
                continue;
            }
            next_child[at] = next_sibling[child];
            opened[child] = clock++;
            top[child] = root;
            path.push_back(child);
        }
    }
};

}  // namespace

std::vector<std::int32_t> nonprojective_words(std::span<const std::int32_t> heads) {
    const Numbering tree(heads);
    std::vector<std::int32_t> found;
    for (std::int32_t word = 1; word <= static_cast<std::int32_t>(heads.size()); ++word) {
        const std::int32_t head = heads[word - 1];
        if (head <= 0) continue;  // every word descends from the root
        const auto [low, high] = std::minmax(head, word);
        for (std::int32_t between = low + 1; between < high; ++between) {
            const std::int32_t top = tree.top[between];
            const bool settled = top == 0 || top < low || top > high;
            if (settled && !tree.descends(between, head)) {
                found.push_back(word);
                break;
            }
        }
    }
    return found;
}

}  // namespace arbora::treebank
