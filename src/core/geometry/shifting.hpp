// Shifting geometry (Cavallanti, Cesa-Bianchi & Gentile 2007): what is old fades, so that a target that
// moves is followed. On the k-th update of a class
//   w ← (1 − λ_k)·w + λ_k·step·x,   λ_k = λ/(λ + k)
// w is kept as scale·v, so an update costs O(nonzeros of x): scale ← (1 − λ_k)·scale, v += λ_k/scale·step·x.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "additive.hpp"

namespace thresher {

class Shifting : public Additive {
public:
    struct Options {
        double bias = 1.0;
        double lambda = 1.0;

        template <class Archive>
        void describe(Archive& a) {
            a.real("lambda_", lambda);
        }
    };

    explicit Shifting(Options o) : Additive(Additive::Options{o.bias}), shifting_(o) {}

    template <class Row>
    void scores(const Row& x, double* out) const {
        Additive::scores(x, out);
        for (std::size_t k = 0; k < columns(); ++k) out[k] *= memory_[k].scale;
    }

    template <class Row>
    double plan(const Row& x, std::size_t k, const Move& move) {
        return Additive::plan(x, k, in_v(move, k));
    }
    /// By the class whose v moves farthest.
    template <class Row>
    double farthest(const Row& x, const Move& move) const {
        double far = 0.0;
        for (std::size_t k = 0; k < columns(); ++k)
            far = std::max(far, Additive::farthest(x, in_v(move, k)));
        return far;
    }

    template <class Row, class Watch>
    void update(const Row& x, std::size_t k, double step, Watch& watch) {
        const double grown = in_v({step}, k).step;
        memory_[k] = after(memory_[k]);
        Additive::update(x, k, grown, watch);
        if (memory_[k].scale < 1e-50) write_out(k);
    }

    /// Half of the updates, which make λ_k small.
    static bool settles() { return true; }
    void forget() {
        for (Memory& memory : memory_) memory.updates /= 2;
    }

    /// Of two classes each has had the updates of both; a third is new.
    void split(std::size_t positive, double factor, Average& average) {
        Additive::split(positive, factor, average);
        memory_.push_back(memory_[0]);
        memory_.emplace_back();
    }
    void add_column(Average& average) {
        Additive::add_column(average);
        memory_.emplace_back();
    }
    void take_back_column(std::size_t columns, Average& average) {
        Additive::take_back_column(columns, average);
        if (memory_.size() > columns) memory_.pop_back();
    }

    double weight(std::size_t i, std::size_t k) const {
        return memory_[k].scale * Additive::weight(i, k);
    }
    double constant(std::size_t k) const { return memory_[k].scale * Additive::constant(k); }

    template <class Archive>
    void describe(Archive& a) {
        Additive::describe(a);
        memory_.resize(columns());
        for (std::size_t k = 0; k < columns(); ++k) {
            const std::string name = "memory" + std::to_string(k);
            a.real(name + ".scale", memory_[k].scale);
            a.count(name + ".updates", memory_[k].updates);
            a.require(memory_[k].scale > 0.0 && memory_[k].scale <= 1.0,
                      "the scale of the weights");
        }
    }

private:
    /// Of a class: w = scale·v, and how often it was updated.
    struct Memory {
        double scale = 1.0;
        std::uint64_t updates = 0;
    };

    double lambda_of(std::uint64_t k) const {
        return shifting_.lambda / (shifting_.lambda + static_cast<double>(k));
    }
    /// After one update more; 1 − λ_k = k/(λ + k).
    Memory after(const Memory& m) const {
        const double k = static_cast<double>(m.updates + 1);
        return {m.scale * (k / (shifting_.lambda + k)), m.updates + 1};
    }
    /// How far v moves in this step.
    Move in_v(Move move, std::size_t k) const {
        const Memory next = after(memory_[k]);
        move.step *= lambda_of(next.updates) / next.scale;
        return move;
    }
    /// The scale has become small: it is written into v.
    void write_out(std::size_t k) {
        w_.copy_column(k, k, memory_[k].scale);
        memory_[k].scale = 1.0;
    }

    Options shifting_;
    std::vector<Memory> memory_ = std::vector<Memory>(1);
};

}  // namespace thresher
