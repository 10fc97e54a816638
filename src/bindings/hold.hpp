// The lock of a model.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>

namespace nb = nanobind;

namespace thresher::bindings {

using Owner = std::atomic<const char*>;  // a mark of the thread inside, or null

/// One thread at a time. The interpreter is let go while waiting, or the thread inside, which may
/// need it, would never come out. The same thread may come in again: a signal handler, or a
/// user's rule, may look at the model.
class Hold {
public:
    explicit Hold(Owner& owner) : owner_(owner) {
        static thread_local char mark;
        const char* free = nullptr;
        if (owner_.compare_exchange_strong(free, &mark, std::memory_order_acquire)) return;
        if (free == &mark) {
            inner_ = true;
            return;
        }
        nb::gil_scoped_release release;
        while (free = nullptr, !owner_.compare_exchange_strong(free, &mark)) owner_.wait(free);
    }
    ~Hold() {
        if (inner_) return;
        owner_.store(nullptr, std::memory_order_release);
        owner_.notify_one();
    }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

private:
    Owner& owner_;
    bool inner_ = false;
};

}  // namespace thresher::bindings
