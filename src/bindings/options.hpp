// The settled options of a learner, as the Python class hands them over, and the learner they make.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <memory>

#include "core/learner.hpp"
#include "core/lexicon.hpp"
#include "core/prepare/steps.hpp"

namespace nb = nanobind;

namespace thresher::bindings {

class Options {
public:
    explicit Options(nb::dict d) : dict_(std::move(d)) {}

    template <class T>
    T get(const char* key) const {
        if (!dict_.contains(key)) throw nb::key_error(key);
        return nb::cast<T>(dict_[key]);
    }
    double real(const char* key) const { return get<double>(key); }
    bool flag(const char* key) const { return get<bool>(key); }
    std::string word(const char* key) const { return get<std::string>(key); }
    nb::object object(const char* key) const { return get<nb::object>(key); }

private:
    nb::dict dict_;
};

/// `calls_python` becomes true where a step of the learner runs the user's Python code.
std::unique_ptr<Learner> learner_of(const Options& o, bool& calls_python);

/// How the classes are weighed.
ClassWeights class_weights_of(const Options& o);

/// The steps of a list of (name, size, γ, seed).
std::vector<prepare::Written> steps_of(const nb::handle& written);

/// Wraps the learner where its options say that rows are prepared for it.
void prepare_by(const Options& o, const std::shared_ptr<Lexicon>& lexicon,
                std::unique_ptr<Learner>& learner);

}  // namespace thresher::bindings
