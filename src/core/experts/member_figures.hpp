// What is counted about a member besides its errors, saved with the committee.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "../figures.hpp"

namespace thresher {

struct MemberFigures {
    Figures of;

    /// Labels have new codes, in this order of the old ones.
    void renumber(const std::vector<std::size_t>& order) {
        for (std::vector<double>* by_code : {&of.right, &of.truth, &of.said}) {
            std::vector<double> now;
            for (const std::size_t code : order)
                now.push_back(code < by_code->size() ? (*by_code)[code] : 0.0);
            *by_code = std::move(now);
        }
    }

    template <class Archive>
    void describe(Archive& a) {
        a.real("weight", of.weight);
        a.real("log_loss", of.log_loss);
        a.real("log_loss_squares", of.log_loss_squares);
        const auto cells = [&](const char* name, std::vector<double>& v) {
            std::size_t size = v.size();
            a.count(std::string(name) + ".size", size);
            a.cells(name, v, size, 1);
            for (const double mass : v) a.require(mass >= 0.0, "the figures");
        };
        cells("right", of.right);
        cells("truth", of.truth);
        cells("said", of.said);
        cells("mass", of.mass);
        a.require(of.weight >= 0.0 && (of.mass.empty() || of.mass.size() == 2 * ScoreBins::size),
                  "the figures");
    }
};

}  // namespace thresher
