// Runs the fuzz target on files, without libFuzzer:  replay FILE…
#include <fstream>
#include <iostream>
#include <iterator>

#include "fuzz_parse.cpp"

int main(int count, char** files) {
    for (int i = 1; i < count; ++i) {
        std::ifstream in(files[i], std::ios::binary);
        const std::string text(std::istreambuf_iterator<char>(in), {});
        std::cerr << files[i] << std::endl;  // the last one shown is the one that failed
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    }
}
