// Loaded before all else (LD_PRELOAD): the n-th allocation by `operator new` from now on fails, once,
// whichever thread makes it.
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> left = 0;  // allocations until the one that fails; 0: none does
std::atomic<bool> failed = false;

void* allocated(std::size_t size, std::size_t alignment) {
    if (left.load() > 0 && left.fetch_sub(1) == 1) {
        failed = true;
        throw std::bad_alloc();
    }
    void* p = alignment > alignof(std::max_align_t)
                  ? std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment)
                  : std::malloc(size == 0 ? 1 : size);
    if (!p) throw std::bad_alloc();
    return p;
}

}  // namespace

extern "C" void fail_at(long n) {
    failed = false;
    left = n;
}
extern "C" bool has_failed() {
    left = 0;
    return failed;
}

void* operator new(std::size_t n) { return allocated(n, 1); }
void* operator new[](std::size_t n) { return allocated(n, 1); }
void* operator new(std::size_t n, std::align_val_t a) {
    return allocated(n, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t n, std::align_val_t a) {
    return allocated(n, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
