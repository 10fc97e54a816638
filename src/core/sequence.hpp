// The structured perceptron over sequences (Collins 2002): tags chosen together, the best sequence found
// by Viterbi's algorithm.
//   score(x, y) = Σ_t ( w[y_t]·x_t + v[y_{t−1}, y_t] )        y_0 = start
//   ŷ = argmax score(x, ·);  if ŷ ≠ y:  (w, v) += Φ(x, y) − Φ(x, ŷ)
// On a tie the sequence whose tags appeared first wins, from the last position backwards. Averages are
// over sequences, updated lazily.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "average.hpp"
#include "fault.hpp"
#include "loops.hpp"
#include "matrix.hpp"
#include "rows.hpp"

namespace thresher {

/// A sequence of examples: those of position t are the cells from start[t] to before start[t + 1].
struct Positions {
    std::span<const std::size_t> start;
    std::span<const std::int32_t> index;
    std::span<const double> value;
    std::size_t size() const { return start.size() - 1; }
};

class SequenceModel {
public:
    explicit SequenceModel(bool average)
        : word_average_(Averaging{.on = average}), pair_average_(Averaging{.on = average}) {}

    std::size_t tags() const { return tags_; }
    std::size_t features() const { return words_.features(); }

    void grow(std::size_t features) {
        words_.grow(features);
        word_average_.grow(features);
    }
    /// Takes back the features added last, before anything was learned about them.
    void shrink(std::size_t features) {
        words_.shrink(features);
        word_average_.shrink(features);
    }
    void add_tag() {
        if (++tags_ > 1) {
            for (Matrix* m : {&words_, &pairs_}) m->add_column();
            for (Average* a : {&word_average_, &pair_average_}) a->add_column();
        }
        pairs_.grow(tags_);
        pair_average_.grow(tags_);
    }

    /// Predict with the current weights, then learn. Returns whether all tags were right.
    bool learn(const Positions& x, std::span<const std::uint32_t> tags) {
        check(x);
        if (tags.size() != x.size()) throw std::invalid_argument("as many tags as positions");
        for (const std::uint32_t tag : tags)
            if (tag >= tags_) throw std::out_of_range("a tag that was never announced");
        decode(x, false, best_);
        std::uint64_t wrong = 0;
        for (std::size_t t = 0; t < tags.size(); ++t) wrong += best_[t] != tags[t];
        if (wrong > 0) {
            const double far = check_numbers(x);
            follow(x, tags, +1.0);
            follow(x, best_, -1.0);
            largest_ += far;
            largest_past_ += word_average_.clock() * far;
        }
        ++sequences_;
        tokens_ += tags.size();
        mistakes_ += wrong > 0;
        token_mistakes_ += wrong;
        for (Average* a : {&word_average_, &pair_average_})
            a->tick(static_cast<double>(sequences_), 1.0);
        return wrong == 0;
    }

    /// The best sequence of tags, by the averaged weights if an average is kept.
    void predict(const Positions& x, std::vector<std::uint32_t>& out) {
        check(x);
        if (tags_ == 0 && x.size() > 0) throw std::logic_error("no tags yet");
        decode(x, word_average_.on(), out);
    }

    double word(std::size_t feature, std::size_t tag) const {
        return value(words_, word_average_, (feature + 1) * words_.stride() + tag);
    }
    /// From a tag, or from the start (none), to a tag.
    double pair(std::size_t from, std::size_t to) const {
        return value(pairs_, pair_average_, from * pairs_.stride() + to);
    }

    std::uint64_t sequences() const { return sequences_; }
    std::uint64_t tokens() const { return tokens_; }
    std::uint64_t mistakes() const { return mistakes_; }
    std::uint64_t token_mistakes() const { return token_mistakes_; }

    template <class Archive>
    void describe(Archive& a) {
        a.count("tags", tags_);
        a.count("sequences", sequences_);
        a.count("tokens", tokens_);
        a.count("mistakes", mistakes_);
        a.count("token_mistakes", token_mistakes_);
        a.nested("words", words_);
        a.nested("pairs", pairs_);
        a.nested("word_average", word_average_);
        a.nested("pair_average", pair_average_);
        const std::size_t columns = std::max<std::size_t>(1, tags_);
        a.require(words_.columns() == columns && pairs_.columns() == columns &&
                      pairs_.features() == tags_ && word_average_.fits(words_) &&
                      pair_average_.fits(pairs_),
                  "the tags and their weights");
        if constexpr (Archive::loading) measure();
    }

private:
    void check(const Positions& x) const {
        if (x.start.empty() || x.start.back() != x.index.size() ||
            x.index.size() != x.value.size() || !std::is_sorted(x.start.begin(), x.start.end()))
            throw std::invalid_argument("positions that do not fit their cells");
        for (std::size_t j = 0; j < x.index.size(); ++j) {
            if (x.index[j] < 0 || static_cast<std::size_t>(x.index[j]) >= features())
                throw Fault(Fault::Kind::bad_index, x.index[j], static_cast<double>(x.index[j]));
            if (!std::isfinite(x.value[j]))
                throw Fault(Fault::Kind::not_finite, x.index[j], x.value[j]);
        }
    }

    // As in machine.hpp: bounds on all weights, and on the sums of their averages.

    void measure() {
        largest_ = std::max(words_.largest(), pairs_.largest());
        largest_past_ = std::max(word_average_.largest(), pair_average_.largest());
    }
    bool fits(double far, double most) const {
        return largest_ + far <= most && largest_past_ + word_average_.clock() * far <= most;
    }
    /// Checks that the weights after this sequence can be kept. A bound on how far one moves: if all
    /// features were the same, and both times in the same direction.
    double check_numbers(const Positions& x) {
        double far = 2.0 * static_cast<double>(x.size());
        for (const double v : x.value) far += 2.0 * std::abs(v);
        if (!fits(far, 1e-10 * largest_kept)) {
            measure();
            const Feature most = largest_of(
                SparseRow<const double*>{x.index.data(), x.value.data(), x.index.size()});
            if (!fits(far, largest_kept)) throw Fault(most.index, most.value, 1.0, "a weight");
        }
        return far;
    }

    static double value(const Matrix& m, const Average& average, std::size_t cell) {
        const double now = m.cells()[cell];
        if (!average.on() || average.clock() == 0.0) return now;
        return now - average.past().cells()[cell] / average.clock();
    }

    /// w[k]·x_t for all tags k.
    void emit(const Positions& x, std::size_t t, bool averaged, double* out) {
        const std::size_t k = tags_;
        std::fill(out, out + k, 0.0);
        for (std::size_t j = x.start[t]; j < x.start[t + 1]; ++j)
            loops::axpy(out, words_.feature(static_cast<std::size_t>(x.index[j])), k, x.value[j]);
        if (!averaged || word_average_.clock() == 0.0) return;
        std::fill(room_.begin(), room_.end(), 0.0);
        const Matrix& past = word_average_.past();
        for (std::size_t j = x.start[t]; j < x.start[t + 1]; ++j)
            loops::axpy(room_.data(), past.feature(static_cast<std::size_t>(x.index[j])), k,
                        x.value[j]);
        for (std::size_t i = 0; i < k; ++i) out[i] -= room_[i] / word_average_.clock();
    }

    void decode(const Positions& x, bool averaged, std::vector<std::uint32_t>& out) {
        const std::size_t n = x.size(), k = tags_;
        out.resize(n);
        if (n == 0) return;
        room_.resize(k);
        here_.resize(k);
        before_.resize(k);
        from_.resize(n * k);
        between_.resize((k + 1) * k);
        for (std::size_t i = 0; i <= k; ++i)
            for (std::size_t j = 0; j < k; ++j)
                between_[i * k + j] =
                    averaged ? pair(i, j) : pairs_.cells()[i * pairs_.stride() + j];
        for (std::size_t t = 0; t < n; ++t) {
            emit(x, t, averaged, here_.data());
            if (t == 0) {
                for (std::size_t j = 0; j < k; ++j) here_[j] += between_[j];
            } else {
                step(t);
            }
            std::swap(here_, before_);
        }
        for (const double s : before_)
            if (!std::isfinite(s)) throw Fault(Fault::Kind::overflow, -1, s);
        std::size_t best = 0;
        for (std::size_t j = 1; j < k; ++j)
            if (before_[j] > before_[best]) best = j;
        for (std::size_t t = n; t-- > 0;) {
            out[t] = static_cast<std::uint32_t>(best);
            if (t > 0) best = from_[t * k + best];
        }
    }

    /// The best path to each tag at position t; the outer loop is over the previous tag, so that the inner
    /// one runs over neighbours in memory.
    void step(std::size_t t) {
        const std::size_t k = tags_;
        std::uint32_t* from = from_.data() + t * k;
        way_.assign(k, 0.0);
        for (std::size_t j = 0; j < k; ++j) way_[j] = before_[0] + between_[k + j];
        std::fill(from, from + k, 0u);
        for (std::size_t i = 1; i < k; ++i) {
            const double* row = between_.data() + (i + 1) * k;
            for (std::size_t j = 0; j < k; ++j) {
                const double way = before_[i] + row[j];
                from[j] = way > way_[j] ? static_cast<std::uint32_t>(i) : from[j];
                way_[j] = std::max(way_[j], way);
            }
        }
        for (std::size_t j = 0; j < k; ++j) here_[j] += way_[j];
    }

    /// (w, v) += sign·Φ(x, tags).
    void follow(const Positions& x, std::span<const std::uint32_t> tags, double sign) {
        const auto move = [](Matrix& m, Average& average, std::size_t cell, double delta) {
            m.cells()[cell] += delta;
            if (average.on()) average.changed(cell, delta);
        };
        for (std::size_t t = 0; t < tags.size(); ++t) {
            for (std::size_t j = x.start[t]; j < x.start[t + 1]; ++j)
                move(words_, word_average_,
                     (static_cast<std::size_t>(x.index[j]) + 1) * words_.stride() + tags[t],
                     sign * x.value[j]);
            const std::size_t from = t == 0 ? 0 : tags[t - 1] + 1;
            move(pairs_, pair_average_, from * pairs_.stride() + tags[t], sign);
        }
    }

    std::size_t tags_ = 0;
    std::uint64_t sequences_ = 0, tokens_ = 0, mistakes_ = 0, token_mistakes_ = 0;
    Matrix words_{0.0};  // a row per feature, a column per tag
    Matrix pairs_{0.0};  // a row per previous tag (the bias row is the start), a column per tag
    Average word_average_, pair_average_;
    double largest_ = 0.0, largest_past_ = 0.0;
    std::vector<double> here_, before_, way_, room_, between_;
    std::vector<std::uint32_t> from_, best_;
};

}  // namespace thresher
