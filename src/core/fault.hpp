// What can be wrong with an example, and where. The caller turns it into words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>

namespace thresher {

struct Fault : std::exception {
    enum class Kind {
        not_finite,      // a NaN or infinite feature value
        outside_unit,    // a value outside [0, 1] given to Winnow
        negative,        // a value below 0 where counts are expected
        bad_index,       // a column number that does not exist
        bad_row_bounds,  // row pointers that do not fit the arrays
        overflow,        // finite input whose score is not a finite number
        bad_step,        // a rule returned NaN or infinity
        diverged,        // a regressor's predictions run away
        bad_target,      // a target that is not finite
        bad_weight,      // a sample weight that is negative or not finite
        cap_too_small,   // more targets than a sparse network may have links
        too_wide,        // more features than a learner of second moments can keep
    };

    Fault(Kind k, std::int64_t f, double v) : kind(k), feature(f), value(v) {}
    const char* what() const noexcept override { return "thresher: bad example"; }

    Kind kind;
    std::int64_t feature;  // −1 when no single feature is to blame
    double value;
    std::size_t row = 0;  // filled in by the loop
};

}  // namespace thresher
