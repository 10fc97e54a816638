// Tables of many megabytes, read at random places: in pages of 4 KB nearly every access would also miss the
// processor's table of pages.
#pragma once

#include <cstddef>
#include <cstdint>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace thresher {

/// Asks for huge pages for memory that has not been touched yet. It is a hint, which cannot fail.
inline void prefer_huge_pages(void* p, std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
    constexpr std::uintptr_t page = std::uintptr_t{1} << 21;
    const auto at = reinterpret_cast<std::uintptr_t>(p);
    const std::uintptr_t begin = (at + page - 1) & ~(page - 1), end = (at + bytes) & ~(page - 1);
    if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#else
    (void)p;
    (void)bytes;
#endif
}

}  // namespace thresher
