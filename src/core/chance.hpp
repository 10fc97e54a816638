// A number from 0 to 1, below 1, for each example of a stream: it depends on the seed and on which example
// it is, so not on how the stream is cut into calls, nor on where a run was resumed (SplitMix64 of Steele,
// Lea & Flood 2014, of a counter).
#pragma once

#include <cstdint>

namespace thresher {

inline std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

inline double chance(std::uint64_t seed, std::uint64_t example) {
    constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;
    return static_cast<double>(mixed(mixed(seed + golden) + example * golden) >> 11) * 0x1p-53;
}

}  // namespace thresher
