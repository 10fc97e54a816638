// A hint that memory will be read soon.
#pragma once

#include "inlined.hpp"

namespace thresher {

/// GCC takes a function that only prefetches for one without effects, and drops the calls of it; it does not if there
/// is assembly in it, though it be empty.
THRESHER_INLINE void prefetch(const void* p) {
#if defined(__GNUC__)
    __builtin_prefetch(p);
    asm volatile("");
#else
    (void)p;
#endif
}

}  // namespace thresher
