// A parsed batch → rows that a learner can read: its names get the numbers that the lexicon gives them,
// in order of appearance, so the result does not depend on how the input was cut into batches.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "learner.hpp"
#include "lexicon.hpp"
#include "parse/batch.hpp"
#include "rows.hpp"

namespace thresher {

/// Examples whose features have their final numbers.
struct Examples {
    std::vector<std::int64_t> start{0};
    parse::Column<std::int32_t> index;
    parse::Column<double> value;
    bool plain = true;
    std::vector<std::size_t> needed;  // features that a learner must have room for, row by row
    // What a row has that the lexicon does not know, when nothing is to be added to it.
    std::vector<double> unseen_sum;
    std::vector<std::size_t> unseen_count;
    std::vector<std::int32_t> codes;  // of the labels; −1: none
    std::vector<double> targets;
    std::vector<double> weights;  // empty: all 1

    std::size_t size() const { return start.size() - 1; }
    Rows rows() const {
        if (plain) return CollectedRows<kernels::Ones>{start.data(), index.data(), {}, size()};
        return CollectedRows<const double*>{start.data(), index.data(), value.data(), size()};
    }
    Lesson lesson() const {
        Lesson lesson;
        if (!targets.empty())
            lesson.targets = targets.data();
        else
            lesson.codes = codes.data();
        if (!weights.empty()) lesson.weights = weights.data();
        return lesson;
    }

    /// More examples at the end: some rows of others.
    void append(const Examples& from, std::size_t begin, std::size_t end) {
        const std::size_t before = size();
        const auto a = static_cast<std::size_t>(from.start[begin]);
        const std::size_t n = static_cast<std::size_t>(from.start[end]) - a;
        index.append(from.index.data() + a, n);
        value.append(from.value.data() + a, n);
        plain &= from.plain;
        const std::int64_t shift = start.back() - from.start[begin];
        for (std::size_t i = begin; i < end; ++i) start.push_back(from.start[i + 1] + shift);
        append_some(needed, from.needed, begin, end);
        append_some(codes, from.codes, begin, end);
        append_some(targets, from.targets, begin, end);
        if (!from.weights.empty() && weights.empty()) weights.assign(before, 1.0);
        if (!from.weights.empty())
            append_some(weights, from.weights, begin, end);
        else if (!weights.empty())
            weights.resize(size(), 1.0);
    }

private:
    template <class T>
    static void append_some(std::vector<T>& to, const std::vector<T>& from, std::size_t begin,
                            std::size_t end) {
        if (from.empty()) return;
        to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(begin),
                  from.begin() + static_cast<std::ptrdiff_t>(end));
    }
};

class Resolver {
public:
    /// With `learning`, names are met and may get new numbers; else they are only looked up.
    /// `codes` says which class each of the batch's labels is. Of the rows, those from `begin` to
    /// before `end`: a name that is counted must not be met before its row is learned from.
    void resolve(const parse::Batch& batch, const std::vector<std::int32_t>& codes,
                 Lexicon& lexicon, bool learning, std::size_t begin, std::size_t end,
                 Examples& out) {
        if (codes.size() < batch.labels.size()) throw std::invalid_argument("labels without codes");
        if (begin > end || end > batch.rows()) throw std::out_of_range("no such rows");
        start_on(batch, out);
        out.targets = some(batch.target, begin, end);
        out.weights = some(batch.weight, begin, end);
        for (const std::int32_t label : some(batch.label, begin, end))
            out.codes.push_back(label < 0 ? -1 : codes[static_cast<std::size_t>(label)]);
        // The names of a row that is not learned from have not come.
        const bool counting = lexicon.options().min_count > 1;
        const bool one_by_one = learning && (counting || !all_teach(out, end - begin));
        number_names(batch.names, lexicon, learning && !one_by_one);
        std::size_t named = begin == 0 ? 0 : batch.names_after[begin - 1];
        for (std::size_t row = begin; row < end; ++row) {
            std::int64_t largest = -1;
            double unseen_sum = 0.0;
            std::size_t unseen = 0;
            const bool meets = one_by_one && teaches(out, row - begin);
            const auto meet = [&](std::size_t name) {
                if (meets && id_[name] == Lexicon::none)
                    id_[name] = number(batch.names, name, lexicon, true);
                if (id_[name] != Lexicon::none)
                    largest = std::max(largest, static_cast<std::int64_t>(id_[name]));
            };
            for (std::int64_t j = batch.start[row]; j < batch.start[row + 1]; ++j) {
                const auto cell = static_cast<std::size_t>(j);
                const auto name = static_cast<std::size_t>(batch.index[cell]);
                // In order of appearance; those of value 0 come without a cell, and do not count.
                if (!counting)
                    for (; named < name; ++named) meet(named);
                meet(name);
                if (id_[name] == Lexicon::none) {
                    unseen_sum += batch.value[cell];
                    ++unseen;
                    continue;
                }
                const auto id = static_cast<std::int32_t>(id_[name]);
                out.index.push_unchecked(id);
                out.value.push_unchecked(batch.value[cell]);
            }
            for (; named < batch.names_after[row]; ++named)
                if (!counting) meet(named);
            if (lexicon.hashed()) merge_repeats(out, lexicon.size(), batch.unit);
            out.start.push_back(static_cast<std::int64_t>(out.index.size()));
            out.needed.push_back(lexicon.hashed() ? lexicon.size()
                                                  : static_cast<std::size_t>(largest + 1));
            if (!learning) {
                out.unseen_sum.push_back(unseen_sum);
                out.unseen_count.push_back(unseen);
            }
        }
    }

private:
    template <class T>
    static std::vector<T> some(const std::vector<T>& from, std::size_t begin, std::size_t end) {
        if (from.empty()) return {};
        return {from.begin() + static_cast<std::ptrdiff_t>(begin),
                from.begin() + static_cast<std::ptrdiff_t>(end)};
    }

    /// Whether a row is learned from: it has a label and counts for something.
    static bool teaches(const Examples& e, std::size_t row) {
        const bool labelled = e.targets.empty() ? e.codes[row] >= 0 : !std::isnan(e.targets[row]);
        return labelled && (e.weights.empty() || e.weights[row] != 0.0);
    }
    static bool all_teach(const Examples& e, std::size_t rows) {
        for (std::size_t row = 0; row < rows; ++row)
            if (!teaches(e, row)) return false;
        return true;
    }

    static void start_on(const parse::Batch& batch, Examples& out) {
        out.start.assign(1, 0);
        out.index.clear();
        out.value.clear();
        out.index.reserve_more(batch.index.size());
        out.value.reserve_more(batch.index.size());
        out.plain = batch.plain;
        out.needed.clear();
        out.codes.clear();
        out.unseen_sum.clear();
        out.unseen_count.clear();
    }

    static std::uint32_t number(const parse::Names& names, std::size_t i, Lexicon& lexicon,
                                bool learning) {
        if (names.is_number(i))
            return learning ? lexicon.meet(names[i].key) : lexicon.find(names[i].key);
        return learning ? lexicon.meet(names.text(i), names[i].key) : lexicon.find(names.text(i));
    }

    void number_names(const parse::Names& names, Lexicon& lexicon, bool learning) {
        constexpr std::size_t ahead = 8;
        id_.resize(names.size());
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (i + ahead < names.size() && !names.is_number(i + ahead))
                lexicon.names().prefetch(names[i + ahead].key);
            id_[i] = number(names, i, lexicon, learning);
        }
    }

    /// Two names of one row may have the same hash: their values add up, to no more than 1 where
    /// values are in [0, 1].
    void merge_repeats(Examples& out, std::size_t features, bool unit) {
        const auto begin = static_cast<std::size_t>(out.start.back());
        stamp_.resize(features, 0);
        std::size_t kept = begin;
        for (std::size_t j = begin; j < out.index.size(); ++j) {
            std::uint32_t& stamp = stamp_[static_cast<std::size_t>(out.index[j])];
            if (stamp > 0) {
                double& sum = out.value[begin + stamp - 1];
                sum = unit ? std::min(1.0, sum + out.value[j]) : sum + out.value[j];
                out.plain = false;
            } else {
                out.index[kept] = out.index[j];
                out.value[kept] = out.value[j];
                stamp = static_cast<std::uint32_t>(++kept - begin);
            }
        }
        out.index.shrink(kept);
        out.value.shrink(kept);
        for (std::size_t j = begin; j < kept; ++j)
            stamp_[static_cast<std::size_t>(out.index[j])] = 0;
    }

    std::vector<std::uint32_t> id_;
    std::vector<std::uint32_t> stamp_;
};

}  // namespace thresher
