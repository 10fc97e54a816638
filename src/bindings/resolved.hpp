// Names to numbers: the examples of a batch as a model reads them.
#pragma once

#include <cstdint>

#include "core/resolve.hpp"
#include "values.hpp"

namespace thresher::bindings {

/// Some rows of a batch, whose labels have these codes. The interpreter is released; the owner of the
/// lexicon ensures that no other code uses it meanwhile.
nb::typed<nb::object, Examples> resolved(Lexicon& lexicon, parse::Batch& batch,
                                         ListOf<std::int32_t> codes, bool learning,
                                         std::size_t begin, std::size_t end,
                                         ListOf<std::int64_t> starts);

}  // namespace thresher::bindings
