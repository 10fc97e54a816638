// Steps from a row to a row, one after the other: scaling, products, random Fourier features.
// Learning an example first updates the statistics, then maps it; a prediction only maps.
#pragma once

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../lexicon.hpp"
#include "../state.hpp"
#include "fourier.hpp"
#include "products.hpp"
#include "scale.hpp"

namespace thresher::prepare {

using Step = std::variant<Scaler<Standard>, Scaler<MinMax>, Scaler<MaxAbs>, Scaler<Idf>, Unit,
                          Products, Fourier>;

/// A step as it is written: its name, and its numbers where it has any.
struct Written {
    std::string kind;
    std::size_t size = 0;  // degree, or components
    double gamma = 0.0;
    std::uint64_t seed = 0;

    bool operator==(const Written&) const = default;
};

inline Step step_of(const Written& w) {
    if (w.kind == "standard") return Scaler<Standard>{};
    if (w.kind == "minmax") return Scaler<MinMax>{};
    if (w.kind == "maxabs") return Scaler<MaxAbs>{};
    if (w.kind == "idf") return Scaler<Idf>{};
    if (w.kind == "unit") return Unit{};
    if (w.size == 0 || w.size > (w.kind == "fourier" ? std::size_t{1} << 20 : 64))
        throw std::invalid_argument("a degree from 1 to 64, or components from 1 to 2^20");
    const auto degree = static_cast<unsigned>(w.size);
    if (w.kind == "conjunctions") return Products(degree, false);
    if (w.kind == "polynomial") return Products(degree, true);
    if (w.kind == "fourier") return Fourier(w.size, w.gamma, w.seed);
    throw std::invalid_argument("no step " + w.kind);
}

/// The names of features as everywhere: their own, or x0, x1, … if they have none.
inline Names names_in(std::shared_ptr<const Lexicon> lexicon) {
    return [lexicon = std::move(lexicon)](std::size_t i) {
        const Vocabulary& names = lexicon->names();
        if (i < names.size()) return std::string(names.name(i));
        return std::string("x").append(std::to_string(i));
    };
}

class Steps {
public:
    /// With `unit` every value of the result lies in [0, 1], for values that can be mapped there.
    Steps(const std::vector<Written>& written, bool unit) : unit_(unit) {
        for (const Written& w : written) steps_.push_back(step_of(w));
    }

    std::size_t inputs() const { return inputs_; }
    std::size_t outputs() const {
        if (steps_.empty()) return inputs_;
        return std::visit([](const auto& step) { return step.outputs(); }, steps_.back());
    }
    void grow(std::size_t inputs) {
        inputs_ = std::max(inputs_, inputs);
        std::size_t n = inputs_;
        for (Step& step : steps_)
            std::visit(
                [&](auto& s) {
                    s.grow(n);
                    n = s.outputs();
                },
                step);
    }
    /// Takes back the inputs added last, before anything was learned about them.
    void shrink(std::size_t inputs) {
        inputs_ = std::min(inputs_, inputs);
        std::size_t n = inputs_;
        for (Step& step : steps_)
            std::visit(
                [&](auto& s) {
                    s.shrink(n);
                    n = s.outputs();
                },
                step);
    }
    /// Whether the mapping of a row depends on the rows before it.
    bool has_statistics() const {
        bool any = false;
        for (const Step& step : steps_)
            any |= std::visit([](const auto& s) { return s.has_statistics; }, step);
        return any;
    }
    /// Every product of the inputs gets its number now.
    void meet_all() {
        for (Step& step : steps_)
            if (auto* products = std::get_if<Products>(&step)) products->meet_all();
        grow(inputs_);
    }

    /// Learns x and maps it; an x that is refused leaves nothing.
    const Cells& learn(const Cells& x, const Names& names) {
        std::size_t learned = 0;
        try {
            return through(x, names, learned_, [&](Step& step, const Cells& in) {
                std::visit([&](auto& s) { s.learn(in); }, step);
                ++learned;
                grow(inputs_);
            });
        } catch (...) {
            undo(learned);
            throw;
        }
    }
    /// Takes back what was learned last.
    void undo() { undo(steps_.size()); }

    /// The last learned row is final.
    const Cells& map(const Cells& x, const Names& names) {
        return through(x, names, mapped_, [](Step&, const Cells&) {});
    }
    /// The part of the last row that has no number: products never seen, if they are the last step.
    const Unseen& unseen() const { return unseen_; }

    std::string name(std::size_t output, const Names& names) const {
        return name_after(steps_.size(), output, names);
    }

    /// Where a feature is only shifted and scaled.
    bool is_affine() const { return steps_.size() == 1 && steps_[0].index() < 4; }
    Affine affine(std::size_t i) const {
        if (const auto* s = std::get_if<Scaler<Standard>>(&steps_[0])) return s->affine(i);
        if (const auto* s = std::get_if<Scaler<MinMax>>(&steps_[0])) return s->affine(i);
        if (const auto* s = std::get_if<Scaler<MaxAbs>>(&steps_[0])) return s->affine(i);
        return std::get<Scaler<Idf>>(steps_[0]).affine(i);
    }

    template <class Archive>
    void describe(Archive& a) {
        a.count("features", inputs_);
        a.require(inputs_ < 0x7fffffffu, "the prepared features");
        std::size_t n = inputs_;
        for (std::size_t k = 0; k < steps_.size(); ++k) {
            Described part{steps_[k], n};
            a.nested("step" + std::to_string(k), part);
            n = std::visit([](const auto& s) { return s.outputs(); }, steps_[k]);
        }
    }

private:
    struct Described {
        Step& step;
        std::size_t inputs;

        template <class Archive>
        void describe(Archive& a) {
            std::visit([&](auto& s) { s.describe(a, inputs); }, step);
        }
    };

    using TwoRows = std::array<Cells, 2>;

    template <class Before>
    const Cells& through(const Cells& x, const Names& names, TwoRows& rows, Before before) {
        const Cells* in = &x;
        for (std::size_t k = 0; k < steps_.size(); ++k) {
            Cells& out = rows[k % 2];
            unseen_ = {};
            try {
                before(steps_[k], *in);
                out.clear();
                const Names inputs = [&](std::size_t i) { return name_after(k, i, names); };
                std::visit([&](auto& s) { s.map(*in, unit_, out, unseen_, inputs); }, steps_[k]);
            } catch (Fault& fault) {
                if (k > 0) fault.feature = -1;  // it is not one of the example's features
                throw;
            }
            in = &out;
        }
        return *in;
    }

    std::string name_after(std::size_t steps, std::size_t i, const Names& names) const {
        if (steps == 0) return names(i);
        const Names inputs = [&](std::size_t j) { return name_after(steps - 1, j, names); };
        return std::visit([&](const auto& s) { return s.name(i, inputs); }, steps_[steps - 1]);
    }

    void undo(std::size_t learned) {
        for (std::size_t k = 0; k < learned; ++k) std::visit([](auto& s) { s.undo(); }, steps_[k]);
        shrink(inputs_);  // new products are dropped, and what was grown for them
    }

    bool unit_;
    std::size_t inputs_ = 0;
    std::vector<Step> steps_;
    TwoRows learned_, mapped_;
    Unseen unseen_;
};

}  // namespace thresher::prepare
