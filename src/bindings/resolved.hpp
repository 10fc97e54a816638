// Names to numbers: the examples of a batch as a model reads them.
#pragma once

#include <cstdint>
#include <optional>

#include "arrays.hpp"
#include "core/resolve.hpp"
#include "values.hpp"

namespace thresher::bindings {

/// Some rows of a batch, whose labels have these codes. The interpreter is released; the owner of the
/// lexicon ensures that no other code uses it meanwhile.
nb::typed<nb::object, Examples> resolved(Lexicon& lexicon, parse::Batch& batch,
                                         ListOf<std::int32_t> codes, bool learning,
                                         std::size_t begin, std::size_t end,
                                         ListOf<std::int64_t> starts);

/// The lesson of some examples, in an order if one is given; its array is kept.
inline Lesson lesson_of(const Examples& examples, const nb::object& order, std::size_t begin,
                        std::size_t end, std::optional<Array1<std::int64_t>>& keep) {
    Lesson lesson = examples.lesson();
    const std::size_t rows =
        order.is_none() ? examples.size() : nb::cast<Array1<std::int64_t>>(order).shape(0);
    lesson.order = data_or_null(order, rows, keep);
    if (begin > end || end > rows) throw nb::index_error("no such rows");
    for (std::size_t i = begin; lesson.order && i < end; ++i)
        if (lesson.order[i] < 0 || static_cast<std::size_t>(lesson.order[i]) >= examples.size())
            throw nb::index_error("no such row");
    return lesson;
}

}  // namespace thresher::bindings
