// Options of reading from Python, in the form that the parsers take.
#pragma once

#include <nanobind/nanobind.h>

#include "core/parse/builder.hpp"
#include "values.hpp"

namespace nb = nanobind;

namespace thresher::bindings {

template <class T>
T value_of(const nb::dict& d, const char* key, T otherwise) {
    return d.contains(key) ? from_python<T>(nb::object(d[key])) : otherwise;
}

inline std::vector<std::string> words_of(const nb::dict& d, const char* key) {
    return value_of<std::vector<std::string>>(d, key, {});
}

inline parse::Recipe recipe_of(const nb::dict& d) {
    parse::Recipe r;
    r.ngrams = value_of<std::size_t>(d, "ngrams", 1);
    const auto characters = value_of<std::vector<std::size_t>>(d, "char_ngrams", {});
    if (characters.size() == 2) {
        r.least_characters = characters[0];
        r.most_characters = characters[1];
    }
    const auto weighting = value_of<std::string>(d, "weighting", "count");
    if (weighting == "binary") r.weighting = parse::Recipe::Weighting::binary;
    if (weighting == "log") r.weighting = parse::Recipe::Weighting::log;
    r.cross = value_of<std::vector<std::pair<std::string, std::string>>>(d, "cross", {});
    return r;
}

}  // namespace thresher::bindings
