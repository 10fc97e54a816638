// What can be wrong with an example, and where. The caller turns it into a message.
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
        unkept,          // a step after which some number would be too large to be kept
        bad_step,        // a rule returned NaN or infinity
        diverged,        // a regressor's predictions diverge
        bad_target,      // a target that is not finite
        bad_weight,      // a sample weight that is negative or not finite
        below_zero,      // a value below 0 to be scaled into [0, 1] by its size
        many_products,   // of the features of one example
        cap_too_small,   // more targets than a sparse network may have links
        too_wide,        // more features than a learner of second moments can keep
        no_memory,       // for a member of a committee
    };

    Fault(Kind k, std::int64_t f, double v, double most = 0.0)
        : kind(k), feature(f), value(v), limit(most) {}
    /// Learning a value with this importance would make something too large.
    Fault(std::int64_t f, double v, double w, const char* grows)
        : kind(Kind::unkept), feature(f), value(v), weight(w), what_grows(grows) {}
    const char* what() const noexcept override { return "thresher: bad example"; }
    /// The kind as a word, by which Python finds the message.
    const char* word() const {
        constexpr const char* words[] = {
            "not_finite",     "outside_unit",  "negative",   "bad_index",
            "bad_row_bounds", "overflow",      "unkept",     "bad_step",
            "diverged",       "bad_target",    "bad_weight", "below_zero",
            "many_products",  "cap_too_small", "too_wide",   "no_memory"};
        return words[static_cast<int>(kind)];
    }

    Kind kind;
    std::int64_t feature;  // −1 when no single feature is to blame
    double value;
    double limit = 0.0;           // how many there may be, where there are too many
    double weight = 1.0;          // of an example that makes some number too large,
    const char* what_grows = "";  // and which
    std::size_t row = 0;          // filled in by the loop
};

/// No number that a model keeps is larger. So a model that was saved can be loaded, and the sum of two
/// such numbers is still finite.
inline constexpr double largest_kept = 1e300;

/// For sums of importance weights.
inline double checked_sum(double sum, double weight) {
    if (!(sum + weight <= largest_kept))
        throw Fault(-1, 0.0, weight, "the sum of the sample weights");
    return sum + weight;
}

}  // namespace thresher
