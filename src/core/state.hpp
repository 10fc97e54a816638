// A learner's state as named numbers and arrays, saved and loaded. Each part lists its fields once, in
// `describe(archive)`; the same list saves and loads, so the two cannot drift apart. Both refuse the same:
// what could not be loaded is not saved either.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "huge_pages.hpp"

namespace thresher {

struct State {
    std::map<std::string, std::vector<double>> arrays;
    std::map<std::string, double> reals;
    std::map<std::string, std::uint64_t> counts;
};

/// Adds a state to another, its names after a prefix.
inline void merge(State& to, const State& from, const std::string& prefix) {
    for (const auto& [name, v] : from.arrays) to.arrays[prefix + name] = v;
    for (const auto& [name, v] : from.reals) to.reals[prefix + name] = v;
    for (const auto& [name, v] : from.counts) to.counts[prefix + name] = v;
}

/// What `merge` added with this prefix.
inline State part_of(const State& state, const std::string& prefix) {
    State part;
    const auto take = [&](const auto& from, auto& to) {
        for (auto at = from.lower_bound(prefix); at != from.end() && at->first.starts_with(prefix);
             ++at)
            to.emplace(at->first.substr(prefix.size()), at->second);
    };
    take(state.arrays, part.arrays);
    take(state.reals, part.reals);
    take(state.counts, part.counts);
    return part;
}

/// Says what is missing from a state or does not fit in it.
struct BadState : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// What a state has to satisfy, in both directions.
class CheckedArchive {
public:
    explicit CheckedArchive(std::string prefix) : prefix_(std::move(prefix)) {}

    void require(bool holds, const char* what) const {
        if (!holds) throw BadState(prefix_ + ": " + what + " do not fit together");
    }

protected:
    void check_real(const std::string& name, double v) const {
        if (!std::isfinite(v))
            throw BadState(prefix_ + name + " is " + std::to_string(v) +
                           "; expected a finite number");
    }
    void check_cells(const std::string& name, const std::vector<double>& cells, std::size_t rows,
                     std::size_t stride) const {
        // Compared by division: the declared sizes may be anything, and their product may overflow.
        if (stride == 0 || cells.size() % stride != 0 || cells.size() / stride != rows)
            throw BadState(prefix_ + name + " has " + std::to_string(cells.size()) +
                           " numbers, not " + std::to_string(rows) + " × " +
                           std::to_string(stride));
        for (const double c : cells)
            if (!std::isfinite(c)) throw BadState(prefix_ + name + " holds a NaN or an infinity");
    }

    const std::string prefix_;
};

class Saver : public CheckedArchive {
public:
    static constexpr bool loading = false;
    explicit Saver(State& s, std::string prefix = "")
        : CheckedArchive(std::move(prefix)), state_(s) {}

    /// Whether a number has to be there: all that is listed is saved.
    bool has(const std::string&) const { return true; }

    template <class Count>
    void count(const std::string& name, Count& v) {
        state_.counts[prefix_ + name] = static_cast<std::uint64_t>(v);
    }
    void real(const std::string& name, double& v) {
        check_real(name, v);
        state_.reals[prefix_ + name] = v;
    }
    /// Only if it is not 0.
    void real_or_zero(const std::string& name, double& v) {
        if (v != 0.0) real(name, v);
    }
    void cells(const std::string& name, std::vector<double>& v, std::size_t rows,
               std::size_t stride) {
        check_cells(name, v, rows, stride);
        std::vector<double>& copy = state_.arrays[prefix_ + name];
        copy.reserve(v.size());
        prefer_huge_pages(copy.data(), v.size() * sizeof(double));
        copy.assign(v.begin(), v.end());
    }
    template <class Part>
    void nested(const std::string& name, Part& part) {
        Saver inner(state_, prefix_ + name + ".");
        part.describe(inner);
    }

private:
    State& state_;
};

class Loader : public CheckedArchive {
public:
    static constexpr bool loading = true;
    explicit Loader(const State& s, std::string prefix = "")
        : CheckedArchive(std::move(prefix)), state_(s) {}

    /// Whether there is such a number: a file from before it existed has none.
    bool has(const std::string& name) const {
        return state_.reals.contains(prefix_ + name) || state_.counts.contains(prefix_ + name);
    }

    template <class Count>
    void count(const std::string& name, Count& v) {
        v = static_cast<Count>(find(state_.counts, name));
    }
    void real(const std::string& name, double& v) {
        v = find(state_.reals, name);
        check_real(name, v);
    }
    void real_or_zero(const std::string& name, double& v) {
        v = 0.0;
        if (state_.reals.contains(prefix_ + name)) real(name, v);
    }
    void cells(const std::string& name, std::vector<double>& v, std::size_t rows,
               std::size_t stride) {
        const std::vector<double>& cells = find(state_.arrays, name);
        check_cells(name, cells, rows, stride);
        v = cells;
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
};

}  // namespace thresher
