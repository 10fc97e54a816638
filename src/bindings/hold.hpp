// The lock of a model: one thread at a time; what happens when a thread re-enters, and at fork.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace nb = nanobind;

namespace thresher::bindings {

/// A thread, by a number that is unique in this process and those forked from it. 0: none.
using Thread = std::uint64_t;
Thread next_thread();
inline constinit thread_local Thread this_thread_number = 0;
inline Thread this_thread() {
    if (this_thread_number == 0) this_thread_number = next_thread();
    return this_thread_number;
}
/// Whether a fork left it behind in the parent.
bool is_gone(Thread thread);

/// A stretch of work without the interpreter. A fork waits for its end, so that a child never finds
/// memory that a thread of its parent was just writing.
class Apart {
public:
    Apart();
    ~Apart();
    Apart(const Apart&) = delete;
    Apart& operator=(const Apart&) = delete;

private:
    nb::gil_scoped_release release_;
};

struct Lock {
    std::atomic<Thread> owner = 0;
    std::size_t depth = 0;    // how many times the owner has entered
    bool whole = true;        // if the owner is gone, the model can be used as it is
    std::size_t waiting = 0;  // threads that wait for it, counted with the interpreter held
};

enum class For {
    reading,
    changing,  // the interpreter is kept, and user code may run in the middle of an example
    passing,   // changing, but only in stretches of whole examples, without the interpreter
};

/// Raises ModelInUse where this thread holds the lock.
void refuse_own_thread(const Lock& lock);

/// Holds the lock of a model. The interpreter is released while waiting: the thread inside may need it,
/// and would otherwise never leave.
///
/// A thread that is inside may enter again: from a user's rule, a signal handler, or code that garbage
/// collection runs. It may read the model but not change it, which raises ModelInUse. A model
/// whose owner is gone is taken over, unless the owner was in the middle of an example: ForkError.
class Hold {
public:
    Hold(Lock& lock, For what) : lock_(lock) {
        Thread free = 0;
        if (!lock_.owner.compare_exchange_strong(free, this_thread(), std::memory_order_acquire))
            come_in(free, what);
        if (lock_.depth++ == 0) lock_.whole = what != For::changing;
    }
    ~Hold() {
        if (--lock_.depth > 0) return;
        lock_.whole = true;
        lock_.owner.store(0, std::memory_order_release);
        if (lock_.waiting > 0) [[unlikely]]
            lock_.owner.notify_one();
    }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

    /// How many times this thread was inside already.
    std::size_t depth() const { return lock_.depth - 1; }

private:
    void come_in(Thread owner, For what);

    Lock& lock_;
};

}  // namespace thresher::bindings
