#include "fuzz_parse.cpp"
#include "replay.hpp"
