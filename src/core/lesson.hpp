// What is to be learned from the rows of a batch: labels or targets, and how much each row counts.
#pragma once

#include <cmath>
#include <cstdint>

#include "class_weights.hpp"
#include "fault.hpp"
#include "inlined.hpp"
#include "threshold.hpp"

namespace thresher {

/// Labels, targets and weights of the rows of a batch. A null pointer means: not given.
struct Lesson {
    const std::int64_t* order = nullptr;  // which rows, in which order
    const std::int32_t* codes = nullptr;  // class numbers (classifiers)
    const double* targets = nullptr;      // (regressors)
    const double* weights = nullptr;
    /// Several labels per row: those of row i are codes[starts[i]] to codes[starts[i + 1] − 1].
    const std::int64_t* starts = nullptr;
    /// The weights of the classes; counts what is learned.
    ClassWeights* class_weights = nullptr;
    /// Where scores are cut; learns from what is learned.
    Threshold* threshold = nullptr;
};

inline std::size_t row_of(const Lesson& lesson, std::size_t i) {
    return lesson.order ? static_cast<std::size_t>(lesson.order[i]) : i;
}

THRESHER_INLINE double checked_weight(const Lesson& lesson, std::size_t row) {
    const double weight = lesson.weights ? lesson.weights[row] : 1.0;
    if (!(weight >= 0.0) || !std::isfinite(weight))
        throw Fault(Fault::Kind::bad_weight, -1, weight);
    return weight;
}

/// The weight with which a row is learned: its own, times that of its class.
THRESHER_INLINE double learning_weight(const Lesson& lesson, std::size_t row) {
    double weight = checked_weight(lesson, row);
    if (lesson.class_weights && weight > 0.0) [[unlikely]] {
        const auto code = static_cast<std::size_t>(lesson.codes[row]);
        weight *= lesson.class_weights->of(code, weight);
        if (!std::isfinite(weight)) throw Fault(Fault::Kind::bad_weight, -1, weight);
    }
    return weight;
}

/// A row was learned: it counts in the class weights of the next ones.
inline void keep_class(const Lesson& lesson, std::size_t row) {
    const double weight = checked_weight(lesson, row);
    const auto code = static_cast<std::size_t>(lesson.codes[row]);
    if (weight > 0.0) lesson.class_weights->keep(code, weight);
}

/// Adds the row to a fault.
template <class F>
THRESHER_INLINE void at_row(std::size_t row, F f) {
    try {
        f();
    } catch (Fault& fault) {
        fault.row = row;
        throw;
    }
}

}  // namespace thresher
