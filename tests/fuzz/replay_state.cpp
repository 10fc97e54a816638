#include "fuzz_state.cpp"
#include "replay.hpp"
