// Errors in the words of Python: where, what was found, what was expected, what to do.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "core/fault.hpp"
#include "core/vocabulary.hpp"

namespace nb = nanobind;

namespace thresher::bindings {

/// Raise one of the errors of thresher.errors.
[[noreturn]] void raise(const char* type, const std::string& message);

/// The words for a fault; `where` comes before them, and the feature's name where there is one.
[[noreturn]] void raise_fault(const Fault& fault, std::string where, const Vocabulary& names);

std::string shown(nb::handle h);
std::string type_name_of(nb::handle h);

}  // namespace thresher::bindings
