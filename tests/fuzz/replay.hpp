// Runs a fuzz target without libFuzzer:
//   replay FILE…                          on these inputs
//   replay --search SECONDS SEED FILE…    on changes of these inputs, each kept in ./input while it runs
// Built with g++ -fsanitize-coverage=trace-pc, a search goes on from the inputs that reach new code.
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

/// Of a sanitizer's runtime, where there is one.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*)());

namespace replay {

bool reached[1 << 20];   // by address of the code
std::size_t places = 0;  // how many there are
std::size_t runs = 0, kept = 0;

void say_how_many() {
    std::cout << runs << " inputs, " << kept << " kept, " << places << " places of the code reached"
              << std::endl;
}
/// A search that fails says how far it came, too.
void say_it_at_the_end_too() {
    if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(say_how_many);
    std::signal(SIGABRT, [](int) { say_how_many(); });  // then the process ends as it would
}

std::string content(const char* file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void run(const std::string& input) {
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

class Search {
public:
    Search(std::vector<std::string> inputs, unsigned seed)
        : inputs_(std::move(inputs)), random_(seed) {}

    void run_for(double seconds) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
        say_it_at_the_end_too();
        for (kept = inputs_.size(); std::chrono::steady_clock::now() < end; ++runs) {
            std::string input = changed(inputs_[below(inputs_.size())]);
            std::ofstream("input", std::ios::binary) << input;
            const std::size_t before = places;
            run(input);
            if (places > before) inputs_.push_back(std::move(input));
            kept = inputs_.size();
        }
        say_how_many();
    }

private:
    std::size_t below(std::size_t n) { return random_() % n; }
    char byte() { return static_cast<char>(below(2) ? below(256) : below(16)); }

    std::string changed(std::string s) {
        for (std::size_t times = 1 + below(4); times > 0; --times) {
            const std::size_t at = below(s.size() + 1);
            const std::string& other = inputs_[below(inputs_.size())];
            switch (below(5)) {
                case 0: s.insert(at, 1, byte()); break;
                case 1: s.erase(at, 1 + below(4)); break;
                case 2: s = s.substr(0, at) + other.substr(below(other.size() + 1)); break;
                default:
                    if (at < s.size()) s[at] = byte();
            }
        }
        return s.substr(0, longest);
    }

    static constexpr std::size_t longest = 200;
    std::vector<std::string> inputs_;
    std::mt19937 random_;
};

}  // namespace replay

// It calls nothing that would call it.
extern "C" __attribute__((no_sanitize_coverage)) void __sanitizer_cov_trace_pc() {
    const auto at = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
    bool& place = replay::reached[(at ^ at >> 20) % sizeof replay::reached];
    replay::places += !place;
    place = true;
}

int main(int count, char** arguments) {
    const bool search = count > 4 && std::string(arguments[1]) == "--search";
    std::vector<std::string> inputs;
    for (int i = search ? 4 : 1; i < count; ++i) {
        std::cerr << arguments[i] << std::endl;  // the last one shown is the one that failed
        inputs.push_back(replay::content(arguments[i]));
        replay::run(inputs.back());
    }
    if (search)
        replay::Search(inputs, static_cast<unsigned>(std::atoi(arguments[3])))
            .run_for(std::atof(arguments[2]));
}
