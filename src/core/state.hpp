// A learner's state as named numbers and arrays, out and in again. Each part lists its fields once, in
// `describe(archive)`; the same list saves and loads, so the two cannot drift apart.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace thresher {

struct State {
    std::map<std::string, std::vector<double>> arrays;
    std::map<std::string, double> reals;
    std::map<std::string, std::uint64_t> counts;
};

/// Says what is missing from a state or does not fit in it.
struct BadState : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Saver {
public:
    static constexpr bool loading = false;
    explicit Saver(State& s, std::string prefix = "") : state_(s), prefix_(std::move(prefix)) {}

    template <class Count>
    void count(const std::string& name, Count& v) {
        state_.counts[prefix_ + name] = static_cast<std::uint64_t>(v);
    }
    void real(const std::string& name, double& v) { state_.reals[prefix_ + name] = v; }
    void cells(const std::string& name, std::vector<double>& v, std::size_t, std::size_t) {
        state_.arrays[prefix_ + name] = v;
    }
    void require(bool, const char*) {}
    template <class Part>
    void nested(const std::string& name, Part& part) {
        Saver inner(state_, prefix_ + name + ".");
        part.describe(inner);
    }

private:
    State& state_;
    std::string prefix_;
};

class Loader {
public:
    static constexpr bool loading = true;
    explicit Loader(const State& s, std::string prefix = "")
        : state_(s), prefix_(std::move(prefix)) {}

    template <class Count>
    void count(const std::string& name, Count& v) {
        v = static_cast<Count>(find(state_.counts, name));
    }
    void real(const std::string& name, double& v) { v = find(state_.reals, name); }
    void cells(const std::string& name, std::vector<double>& v, std::size_t rows,
               std::size_t stride) {
        const std::vector<double>& cells = find(state_.arrays, name);
        // Compared by division: the declared sizes may be anything, and their product may overflow.
        if (stride == 0 || cells.size() % stride != 0 || cells.size() / stride != rows)
            throw BadState(prefix_ + name + " has " + std::to_string(cells.size()) +
                           " numbers, not " + std::to_string(rows) + " × " +
                           std::to_string(stride));
        for (const double c : cells)
            if (!std::isfinite(c)) throw BadState(prefix_ + name + " holds a NaN or an infinity");
        v = cells;
    }
    void require(bool holds, const char* what) {
        if (!holds) throw BadState(prefix_ + ": " + what + " do not fit together");
    }
    template <class Part>
    void nested(const std::string& name, Part& part) {
        Loader inner(state_, prefix_ + name + ".");
        part.describe(inner);
    }

private:
    template <class T>
    const T& find(const std::map<std::string, T>& from, const std::string& name) const {
        const auto at = from.find(prefix_ + name);
        if (at == from.end()) throw BadState(prefix_ + name + " is missing");
        return at->second;
    }

    const State& state_;
    std::string prefix_;
};

}  // namespace thresher
