// MIRA with all constraints (Crammer & Singer 2003): the smallest change of all prototypes that ranks
// the right class above every other by the margin m, solved exactly.
//   min ½Σ_r‖w'_r − w_r‖² + C·ξ    s.t.  (w'_y − w'_r)·x ≥ m − ξ  for all r ≠ y,  ξ ≥ 0
// With ℓ_r the violations and q_r = ℓ_r/‖x‖², the dual optimum is τ_r = max(0, q_r − ν), where ν = Στ
// as long as that stays within C, and otherwise ν is what makes Στ = C.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace thresher::rules {

struct AllConstraints {
    double C = 1.0;
    double margin = 1.0;

    template <class Archive>
    void describe(Archive& a) {
        a.real("C", C);
        a.real("margin", margin);
    }

    /// steps[r] = −τ_r for r ≠ y, steps[y] = Στ, for w_r += steps[r]·x. False: nothing to do.
    bool solve(const double* scores, std::size_t k, std::size_t y, double sqnorm, double weight,
               std::vector<double>& steps) const {
        steps.assign(k, 0.0);
        if (sqnorm == 0.0) return false;
        std::vector<double> q;
        for (std::size_t r = 0; r < k; ++r) {
            const double loss = margin - (scores[y] - scores[r]);
            if (r != y && loss > 0.0) q.push_back(loss / sqnorm);
        }
        if (q.empty()) return false;
        std::sort(q.begin(), q.end(), std::greater<>());
        const double cap = C * weight;
        double nu = threshold(q, 1.0, 0.0);
        if (nu > cap) nu = threshold(q, 0.0, cap);
        double sum = 0.0;
        for (std::size_t r = 0; r < k; ++r) {
            if (r == y) continue;
            const double tau = (margin - (scores[y] - scores[r])) / sqnorm - nu;
            if (tau <= 0.0) continue;
            steps[r] = -tau;
            sum += tau;
        }
        steps[y] = sum;
        return sum > 0.0;
    }

private:
    /// ν with Σ max(0, q_r − ν) = own·ν + cap, for q in falling order.
    static double threshold(const std::vector<double>& q, double own, double cap) {
        double sum = 0.0, nu = 0.0;
        for (std::size_t i = 0; i < q.size(); ++i) {
            sum += q[i];
            const double candidate = (sum - cap) / (static_cast<double>(i) + 1.0 + own);
            if (q[i] <= candidate) break;
            nu = candidate;
        }
        return nu;
    }
};

}  // namespace thresher::rules
