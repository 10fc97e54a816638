#include "hold.hpp"

#include <pthread.h>

#include "errors.hpp"

namespace thresher::bindings {

namespace {

// Thread numbers: the number of forks that led to this process, then a counter.
std::atomic<std::uint32_t> forks = 0, threads = 0;
std::atomic<Thread> forker = 0;  // the thread that continued in the child
std::atomic<int> apart = 0;      // stretches of work without the interpreter
std::atomic<int> forking = 0;    // calls of fork that wait for those to end, or are running

void before_fork() {
    ++forking;
    for (int n = apart; n > 0; n = apart) apart.wait(n);
}
void after_fork() {
    --forking;
    forking.notify_all();
}
void after_fork_in_child() {
    ++forks;
    forker = this_thread_number;
    forking = 0;
}

const int handlers = pthread_atfork(before_fork, after_fork, after_fork_in_child);

}  // namespace

Thread next_thread() { return Thread{forks} << 32 | ++threads; }

bool is_gone(Thread thread) { return thread != forker && thread >> 32 < forks; }

Apart::Apart() {
    for (;;) {
        ++apart;
        if (forking == 0) return;
        --apart;
        apart.notify_all();
        for (int n = forking; n > 0; n = forking) forking.wait(n);
    }
}

Apart::~Apart() {
    if (--apart == 0 && forking > 0) apart.notify_all();
}

void Hold::come_in(Thread owner, For what) {
    const Thread me = this_thread();
    if (owner != me && is_gone(owner)) {
        if (!lock_.whole)
            raise(
                "ForkError",
                "another thread was in the middle of an example when this process forked: what is "
                "left of the model here cannot be used. Load it from a file, or fork while no "
                "thread learns.");
        // If several threads find it so, one takes it over; the others wait for that one.
        if (lock_.owner.compare_exchange_strong(owner, me, std::memory_order_acquire)) {
            lock_.depth = 0;
            return;
        }
    }
    if (owner != me) {
        ++lock_.waiting;
        {
            nb::gil_scoped_release release;
            while (owner = 0, !lock_.owner.compare_exchange_strong(owner, me))
                lock_.owner.wait(owner);
        }
        --lock_.waiting;
    } else if (what != For::reading) {
        refuse_own_thread(lock_);
    }
}

void refuse_own_thread(const Lock& lock) {
    if (lock.owner == this_thread())
        raise("ModelInUse",
              "this model is at work, and something that it called (a rule, a learning rate, a "
              "signal handler) wants to change it. That code may ask the model (predict_one, "
              "score_one, coef_), but not let it learn, set its options or replace it.");
}

}  // namespace thresher::bindings
