// A function that is inlined wherever it is called. The attribute stands where all compilers accept others beside it.
#pragma once

#if defined(__GNUC__)
#define THRESHER_INLINE inline __attribute__((always_inline))
#else
#define THRESHER_INLINE inline
#endif
