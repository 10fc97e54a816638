// Perceptron (Rosenblatt 1958), with a margin (thick separator) and a learning rate.
//   update when y·s ≤ γ:   w += η(t)·y·x
#pragma once

#include <cmath>
#include <functional>

#include "../view.hpp"

namespace thresher::rules {

struct Perceptron {
    static constexpr bool uses_sqnorm = false;
    // Two prototypes that start at 0 and move by ±x stay mirror images: each is ±w itself.
    static constexpr double split = 1.0;

    double margin = 0.0;
    std::function<double(double)> rate;  // η(t)

    template <class Archive>
    void describe(Archive& a) {
        a.real("margin", margin);
        a.rate("learning_rate", rate);
    }

    double rests_above() const { return margin; }
    double step(const View& v) const {
        return v.margin() <= margin ? v.y * rate(v.t) * v.weight : 0.0;
    }
};

inline std::function<double(double)> constant_rate(double eta) {
    return [eta](double) { return eta; };
}
inline std::function<double(double)> inverse_rate() {
    return [](double t) { return 1.0 / t; };
}
inline std::function<double(double)> inverse_root_rate() {
    return [](double t) { return 1.0 / std::sqrt(t); };
}

}  // namespace thresher::rules
