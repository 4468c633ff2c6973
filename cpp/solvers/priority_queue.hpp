#pragma once
#include <utility>
#include <vector>

namespace arbora {

// A heap over the numbers 0..n-1, each with a priority that can rise while it waits. Of equals the one that came first
// in the order given is on top.
class PriorityQueue {
public:
    // All are in it, with this priority, in this order.
    PriorityQueue(std::vector<std::size_t> order, double priority)
        : heap_(std::move(order)), place_(heap_.size()), rank_(heap_.size()), priority_(heap_.size(), priority) {
        for (std::size_t i = 0; i < heap_.size(); ++i) place_[heap_[i]] = rank_[heap_[i]] = i;
    }

    bool empty() const { return heap_.empty(); }
    std::size_t top() const { return heap_[0]; }
    double priority(std::size_t item) const { return priority_[item]; }

    void raise(std::size_t item, double priority) {
        if (priority <= priority_[item]) return;
        priority_[item] = priority;
        std::size_t i = place_[item];
        while (i > 0 && is_before(item, heap_[(i - 1) / 2])) {
            put(i, heap_[(i - 1) / 2]);
            i = (i - 1) / 2;
        }
        put(i, item);
    }

    void lower_top(double priority) {
        const std::size_t item = heap_[0];
        priority_[item] = priority;
        std::size_t i = 0;
        for (std::size_t child = 1; child < heap_.size(); child = 2 * i + 1) {
            if (child + 1 < heap_.size() && is_before(heap_[child + 1], heap_[child])) ++child;
            if (!is_before(heap_[child], item)) break;
            put(i, heap_[child]);
            i = child;
        }
        put(i, item);
    }

private:
    bool is_before(std::size_t a, std::size_t b) const {
        return priority_[a] != priority_[b] ? priority_[a] > priority_[b] : rank_[a] < rank_[b];
    }
    void put(std::size_t i, std::size_t item) {
        heap_[i] = item;
        place_[item] = i;
    }

    std::vector<std::size_t> heap_, place_, rank_;
    std::vector<double> priority_;
};

}  // namespace arbora
