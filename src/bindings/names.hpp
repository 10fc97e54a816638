// Names of features: Python's strings to and from the vocabulary's bytes.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

#include "core/vocabulary.hpp"

namespace nb = nanobind;

namespace thresher::bindings {

nb::object text(std::string_view s);

/// The bytes of a Python string, which must outlive them.
std::string_view text_of(nb::handle name);

/// A key of an example as a name: text as it is, an integer (also NumPy's, but no boolean) as its digits, the
/// words of a tuple joined by spaces, which is how n-grams of files are spelled.
std::string spelled(nb::handle key);
bool is_whole(nb::handle key);

/// The name of feature i: as it was given, or x0, x1, … for columns without names.
nb::object name_of(const Vocabulary& names, std::size_t i);

}  // namespace thresher::bindings
