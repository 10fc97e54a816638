// Names to numbers: the examples of a batch as a model reads them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/examples.hpp"

namespace thresher::bindings {

/// Some rows of a batch, whose labels have these codes. The interpreter is let go; whoever has the
/// lexicon sees to it that nobody else uses it meanwhile.
std::shared_ptr<Examples> resolved(Lexicon& lexicon, parse::Batch& batch,
                                   std::vector<std::int32_t> codes, bool learning,
                                   std::size_t begin, std::size_t end,
                                   std::vector<std::int64_t> starts);

}  // namespace thresher::bindings
