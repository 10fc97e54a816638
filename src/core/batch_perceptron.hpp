// Batch perceptron: one step down the mean gradient of the perceptron criterion, over all examples.
//   δ = −(1/N)·Σ_{y·s ≤ 0} y·x        w −= η·δ        until ‖δ‖ < ε
// With many classes an example counts when its class does not lead, and moves it and its rival.
#pragma once

#include <cmath>

#include "geometry/additive.hpp"

namespace thresher {

struct BatchEpoch {
    std::uint64_t mistakes = 0;
    double norm = 0.0;  // ‖δ‖
};

class BatchPerceptron {
public:
    explicit BatchPerceptron(Additive& w) : w_(w), delta_(w), scores_(w.columns()) {
        delta_.raw().cells().assign(w.raw().size(), 0.0);
    }

    template <class Row>
    void see_sign(const Row& x, double y, double weight) {
        w_.scores(x, scores_.data());
        require_finite(x);
        if (y * scores_[0] > 0.0) return;
        gather(x, 0, weight * y);
        ++epoch_.mistakes;
    }

    template <class Row>
    void see_class(const Row& x, std::size_t y, double weight) {
        w_.scores(x, scores_.data());
        require_finite(x);
        std::size_t rival = y == 0 ? 1 : 0;
        for (std::size_t r = 0; r < scores_.size(); ++r)
            if (r != y && scores_[r] > scores_[rival]) rival = r;
        if (scores_[y] > scores_[rival]) return;
        gather(x, y, weight);
        gather(x, rival, -weight);
        ++epoch_.mistakes;
    }

    /// w += η·(Σ over the mistakes)/divide, and the length of that mean.
    BatchEpoch step(double eta, double divide) {
        double square = 0.0;
        auto& w = w_.raw().cells();
        const auto& delta = delta_.raw().cells();
        for (std::size_t i = 0; i < w.size(); ++i) {
            const double d = delta[i] / divide;
            square += d * d;
            if (!(std::abs(w[i] + eta * d) <= largest_kept)) throw Fault(-1, 0.0, 1.0, "a weight");
        }
        for (std::size_t i = 0; i < w.size(); ++i) w[i] += eta * (delta[i] / divide);
        epoch_.norm = std::sqrt(square);
        return epoch_;
    }

private:
    template <class Row>
    void gather(const Row& x, std::size_t k, double step) {
        Unwatched nobody;
        delta_.update(x, k, step, nobody);
    }
    template <class Row>
    void require_finite(const Row& x) const {
        for (const double s : scores_)
            if (!std::isfinite(s)) blame(x);
    }

    Additive& w_;
    Additive delta_;
    std::vector<double> scores_;
    BatchEpoch epoch_;
};

}  // namespace thresher
