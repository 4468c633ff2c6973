#pragma once
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace arbora {

// Things that are dear to make, or that remember something, for threads to lease one at a time; there are never more than
// were out at once. What was given back last goes out first. They go when the pool goes, which must outlive all leases.
template <class Thing>
class Pool {
    struct State {
        std::mutex mutex;
        std::vector<std::unique_ptr<Thing>> free;
    };

public:
    class Lease {
    public:
        Lease(State& state, std::unique_ptr<Thing> thing) : state_(&state), thing_(std::move(thing)) {}
        Lease(Lease&&) noexcept = default;
        Lease& operator=(Lease&&) = delete;
        ~Lease() {
            if (!thing_) return;
            const std::lock_guard lock(state_->mutex);
            state_->free.push_back(std::move(thing_));
        }
        Thing& operator*() const { return *thing_; }
        Thing* operator->() const { return thing_.get(); }

    private:
        State* state_;
        std::unique_ptr<Thing> thing_;
    };

    Lease lease() {
        {
            const std::lock_guard lock(state_->mutex);
            if (!state_->free.empty()) {
                auto thing = std::move(state_->free.back());
                state_->free.pop_back();
                return {*state_, std::move(thing)};
            }
        }
        return {*state_, std::make_unique<Thing>()};
    }

private:
    std::unique_ptr<State> state_ = std::make_unique<State>();
};

}  // namespace arbora
