// The options of a learner, as the Python class passes them, and the learner made from them.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <initializer_list>
#include <memory>
#include <set>
#include <string>

#include "core/learner.hpp"
#include "core/lexicon.hpp"
#include "core/prepare/steps.hpp"
#include "values.hpp"

namespace nb = nanobind;

namespace thresher::bindings {

/// Fills a plain struct from options of the same names: the struct lists them in `describe`, as parts
/// of a learner list their state. An option that is missing is an error, and so is one that was never
/// read: `finish` says which.
class OptionReader {
public:
    explicit OptionReader(nb::dict d) : dict_(std::move(d)) {}

    template <class Part>
    Part read() {
        Part part;
        part.describe(*this);
        return part;
    }

    template <class Part>
    void part(Part& to) {
        to.describe(*this);
    }

    bool has(const char* name) const { return dict_.contains(name); }

    template <class T>
    T get(const char* name) {
        read_.insert(name);
        if (!has(name)) throw nb::key_error(name);
        return from_python<T>(nb::object(dict_[name]));
    }
    void real(const char* name, double& to) { to = get<double>(name); }
    /// None leaves the default.
    void real_or_none(const char* name, double& to) {
        if (nb::object value = get<nb::object>(name); !value.is_none())
            to = nb::cast<double>(value);
    }
    void flag(const char* name, bool& to) { to = get<bool>(name); }
    template <class Count>
    void count(const char* name, Count& to) {
        to = get<Count>(name);
    }
    template <class Count>
    void count_or_none(const char* name, Count& to) {
        if (nb::object value = get<nb::object>(name); !value.is_none()) to = nb::cast<Count>(value);
    }
    /// One of these words, which stand in the order of the values of an enumeration.
    template <class Enum>
    void word(const char* name, Enum& to, std::initializer_list<const char*> words) {
        const auto found = get<std::string>(name);
        int place = 0;
        for (const char* word : words) {
            if (found == word) {
                to = static_cast<Enum>(place);
                return;
            }
            ++place;
        }
        throw nb::value_error(("unknown " + std::string(name) + ": " + found).c_str());
    }
    /// True or False, "tail", or the β of a mean that fades.
    void averaging(const char* name, Averaging& to);
    /// η(t): a number, the name of a schedule, or a Python function.
    void rate(const char* name, std::function<double(double)>& to);
    /// A Python function of the scalars of a step.
    void step(const char* name, std::function<double(const View&)>& to);

    /// Whether a step of the learner runs the user's Python code.
    bool calls_python() const { return calls_python_; }
    void finish() const;

private:
    nb::dict dict_;
    std::set<std::string> read_;
    bool calls_python_ = false;
};

/// The learner that the options describe, around which rows are prepared where they say so.
std::unique_ptr<Learner> learner_of(OptionReader& o, const std::shared_ptr<Lexicon>& lexicon);

/// How the classes are weighed.
ClassWeights class_weights_of(OptionReader& o);
Threshold threshold_of(OptionReader& o);

/// The steps of a list of (name, size, γ, seed).
std::vector<prepare::Written> steps_of(const nb::handle& written);

}  // namespace thresher::bindings
