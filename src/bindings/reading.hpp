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
    r.cross = value_of<std::vector<std::vector<std::string>>>(d, "cross", {});
    for (const auto& groups : r.cross)
        if (groups.empty()) throw nb::value_error("a cross names columns");
    const auto missing = value_of<std::string>(d, "missing", "zero");
    if (missing == "indicator") r.missing = parse::Recipe::Missing::indicator;
    if (missing == "mean") r.missing = parse::Recipe::Missing::mean;
    for (auto& [column, mean] :
         value_of<std::vector<std::pair<std::string, double>>>(d, "means", {}))
        r.means.emplace(std::move(column), mean);
    r.ascii_only = value_of<int>(d, "rules", 2) < 2;
    return r;
}

}  // namespace thresher::bindings
