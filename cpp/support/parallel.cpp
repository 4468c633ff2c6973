#include "support/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace arbora {

namespace {

// What the threads that share the tasks know of each other.
class Team {
public:
    Team(std::size_t count, const std::function<void(std::size_t)>& task) : count_(count), task_(task) {}

    void work() {
        guarded([&] {
            for (std::size_t i; (i = next_.fetch_add(1)) < count_;) {
                Interruption::heed();
                task_(i);
            }
        });
    }
    // On a thread of its own.
    void help() {
        const Interruption interruption(over_);
        work();
        const std::lock_guard lock(mutex_);
        if (--helpers_ == 0) idle_.notify_one();
    }
    void expect_helper() {
        const std::lock_guard lock(mutex_);
        ++helpers_;
    }
    // Meanwhile whoever asks the calling thread to end is heard.
    void wait_for_helpers() {
        std::unique_lock lock(mutex_);
        while (!idle_.wait_for(lock, Interruption::pause, [&] { return helpers_ == 0; })) {
            lock.unlock();
            guarded(Interruption::heed);
            lock.lock();
        }
    }
    void rethrow() const {
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    template <class Call>
    void guarded(const Call& call) {
        try {
            call();
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!failure_) failure_ = std::current_exception();
            next_ = count_;
            over_ = true;
        }
    }

    std::size_t count_;
    const std::function<void(std::size_t)>& task_;
    std::atomic<std::size_t> next_{0};
    std::atomic<bool> over_{false};
    std::mutex mutex_;
    std::condition_variable idle_;
    std::size_t helpers_ = 0;
    std::exception_ptr failure_;
};

}  // namespace

void run_in_parallel(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& task) {
    Team team(count, task);
    std::vector<std::thread> helpers;
    for (std::size_t t = 1; t < std::min(threads, count); ++t) {
        team.expect_helper();
        helpers.emplace_back([&] { team.help(); });
    }
    team.work();
    team.wait_for_helpers();
    for (auto& helper : helpers) helper.join();
    team.rethrow();
}

}  // namespace arbora
