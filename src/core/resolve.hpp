// A parsed batch → rows that a learner can read: its names get the numbers that the lexicon gives them,
// in order of appearance, so the result does not depend on how the input was cut into batches.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "learner.hpp"
#include "lexicon.hpp"
#include "merge.hpp"
#include "parse/batch.hpp"
#include "rows.hpp"

namespace thresher {

/// Which classes the labels of a batch are: a code for each, or several if they are sets: label i has
/// codes[start[i]] to codes[start[i + 1] − 1]. A single −1 is no label.
struct LabelCodes {
    std::vector<std::int32_t> codes;
    std::vector<std::int64_t> start;  // empty: one code each

    void check(std::size_t labels) const {
        if (start.empty() ? codes.size() < labels
                          : start.size() <= labels || start[0] != 0 ||
                                !std::is_sorted(start.begin(), start.end()) ||
                                start.back() > static_cast<std::int64_t>(codes.size()))
            throw std::invalid_argument("labels without codes");
    }
};

/// Examples whose features have their final numbers.
struct Examples {
    std::vector<std::int64_t> start{0};
    parse::NumberVector<std::int32_t> index;
    parse::NumberVector<double> value;  // empty while all are 1
    bool plain = true;                  // all values are 1
    std::vector<std::size_t> needed;    // features that a learner must have room for, row by row
    // The features of a row that the lexicon does not know, when nothing is to be added to it.
    std::vector<double> unseen_sum;
    std::vector<std::size_t> unseen_count;
    std::vector<std::int32_t> codes;  // of the labels; −1: none
    /// Sets of labels: those of row i are codes[label_start[i]] to codes[label_start[i + 1] − 1].
    std::vector<std::int64_t> label_start;
    std::vector<double> targets;
    std::vector<double> weights;  // empty: all 1

    std::size_t size() const { return start.size() - 1; }
    Rows rows() const {
        if (plain) return CollectedRows<loops::Ones>{start.data(), index.data(), {}, size()};
        return CollectedRows<const double*>{start.data(), index.data(), value.data(), size()};
    }
    Lesson lesson() const {
        Lesson lesson;
        if (!targets.empty())
            lesson.targets = targets.data();
        else
            lesson.codes = codes.data();
        if (!label_start.empty()) lesson.starts = label_start.data();
        if (!weights.empty()) lesson.weights = weights.data();
        return lesson;
    }

    /// From here on `value` has all values, even if they are 1.
    void fill_values() {
        if (!plain) return;
        value.clear();
        value.append_copies(1.0, index.size());
        plain = false;
    }

    /// Appends some rows of other examples.
    void append(const Examples& from, std::size_t begin, std::size_t end) {
        const std::size_t before = size();
        const auto a = static_cast<std::size_t>(from.start[begin]);
        const std::size_t n = static_cast<std::size_t>(from.start[end]) - a;
        if (!from.plain) fill_values();
        index.append(from.index.data() + a, n);
        if (!from.plain)
            value.append(from.value.data() + a, n);
        else if (!plain)
            value.append_copies(1.0, n);
        const std::int64_t shift = start.back() - from.start[begin];
        for (std::size_t i = begin; i < end; ++i) start.push_back(from.start[i + 1] + shift);
        // In a different order, rows need only what they have themselves.
        for (std::size_t i = begin; i < end; ++i) {
            std::int32_t largest = -1;
            for (std::int64_t j = from.start[i]; j < from.start[i + 1]; ++j)
                largest = std::max(largest, from.index[static_cast<std::size_t>(j)]);
            needed.push_back(static_cast<std::size_t>(largest + 1));
        }
        append_labels(from, begin, end, before);
        append_some(targets, from.targets, begin, end);
        if (!from.weights.empty() && weights.empty()) weights.assign(before, 1.0);
        if (!from.weights.empty())
            append_some(weights, from.weights, begin, end);
        else if (!weights.empty())
            weights.resize(size(), 1.0);
    }

    /// Whether the row has a label, or a set of them, which may be empty.
    bool labelled(std::size_t row) const {
        if (!targets.empty()) return !std::isnan(targets[row]);
        if (label_start.empty()) return codes[row] >= 0;
        const auto first = static_cast<std::size_t>(label_start[row]);
        return label_start[row] == label_start[row + 1] || codes[first] >= 0;
    }

private:
    void append_labels(const Examples& from, std::size_t begin, std::size_t end,
                       std::size_t before) {
        if (before > 0 && label_start.empty() != from.label_start.empty())
            throw std::invalid_argument("labels and sets of labels together");
        if (from.label_start.empty()) return append_some(codes, from.codes, begin, end);
        if (label_start.empty()) label_start.assign(1, 0);
        const std::int64_t shift = label_start.back() - from.label_start[begin];
        append_some(codes, from.codes, static_cast<std::size_t>(from.label_start[begin]),
                    static_cast<std::size_t>(from.label_start[end]));
        for (std::size_t i = begin; i < end; ++i)
            label_start.push_back(from.label_start[i + 1] + shift);
    }

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
    /// With `learning`, names are counted and may get new numbers; else they are only looked up.
    /// `codes` says which class each of the batch's labels is. Only rows from `begin` to before `end`: a
    /// name must not be counted before its row is learned from.
    /// The cells are moved out of the batch if only their numbers change.
    void resolve(parse::Batch& batch, const LabelCodes& codes, Lexicon& lexicon, bool learning,
                 Examples& out, std::size_t begin = 0,
                 std::size_t end = std::numeric_limits<std::size_t>::max()) {
        codes.check(batch.labels.size());
        if (batch.known && !batch.numbered && !batch.known->holds_for(lexicon.names()))
            batch.spell_out();
        end = std::min(end, batch.rows());
        start_on(batch, out);
        const bool counting = lexicon.counts_names() && !lexicon.hashed();
        if (learning && !counting && !lexicon.hashed()) {
            goes_with(batch, codes, 0, batch.rows(), out);
            if (all_teach(out, batch.rows())) {
                number_names(batch.names, lexicon, true);
                take_cells(batch, out);
                if (batch.numbered)
                    renumber(batch.zeros, lexicon, out);
                else
                    renumber(batch, out);
                return share_names(batch, lexicon);
            }
        }
        goes_with(batch, codes, begin, end, out);
        const bool one_by_one = learning && !lexicon.hashed();
        if (one_by_one && batch.numbered) batch.name_numbers();
        number_names(batch.names, lexicon, learning && !one_by_one);
        out.index.reserve_more(batch.index.size());
        if (!out.plain) out.value.reserve_more(batch.index.size());
        std::size_t named = begin == 0 || batch.numbered ? 0 : batch.names_after[begin - 1];
        for (std::size_t row = begin; row < end; ++row) {
            std::int64_t largest = -1;
            double unseen_sum = 0.0;
            std::size_t unseen = 0;
            // The names of a row that is not learned from do not count.
            const bool meets = one_by_one && teaches(out, row - begin);
            if (counting && learning) lexicon.begin_row();
            const auto meet = [&](std::size_t name) {
                if (meets && id_[name] == Lexicon::none)
                    id_[name] = number(batch.names, name, lexicon, true);
                if (id_[name] != Lexicon::none)
                    largest = std::max(largest, static_cast<std::int64_t>(id_[name]));
                return id_[name];
            };
            for (std::int64_t j = batch.start[row]; j < batch.start[row + 1]; ++j) {
                const auto cell = static_cast<std::size_t>(j);
                std::uint32_t id;
                if (batch.numbered) {
                    id = lexicon.find(static_cast<std::uint64_t>(batch.index[cell]));
                } else if (batch.is_known(batch.index[cell])) {
                    id = static_cast<std::uint32_t>(batch.index[cell]);
                } else {
                    const std::size_t name = batch.local(batch.index[cell]);
                    // In order of appearance; those of value 0 have no cell, and do not count.
                    for (; !counting && named < name; ++named) meet(named);
                    id = meet(name);
                }
                if (id == Lexicon::none) {
                    unseen_sum += batch.value_of(cell);
                    ++unseen;
                    continue;
                }
                largest = std::max(largest, static_cast<std::int64_t>(id));
                out.index.push_unchecked(static_cast<std::int32_t>(id));
                if (!out.plain) out.value.push_unchecked(batch.value_of(cell));
            }
            for (; !batch.numbered && named < batch.names_after[row]; ++named)
                if (!counting) meet(named);
            if (lexicon.hashed()) merge_repeats(batch, out);
            out.start.push_back(static_cast<std::int64_t>(out.index.size()));
            out.needed.push_back(lexicon.hashed() ? lexicon.size()
                                                  : static_cast<std::size_t>(largest + 1));
            if (!learning) {
                out.unseen_sum.push_back(unseen_sum);
                out.unseen_count.push_back(unseen);
            }
        }
        if (!counting && !lexicon.hashed()) share_names(batch, lexicon);
    }

private:
    /// The parsers of later batches may look up what is known now.
    static void share_names(const parse::Batch& batch, Lexicon& lexicon) {
        if (batch.knows && !batch.numbered) batch.knows->give(lexicon.names());
    }

    template <class T>
    static std::vector<T> some(const std::vector<T>& all, std::size_t begin, std::size_t end) {
        if (all.empty()) return {};
        return {all.begin() + static_cast<std::ptrdiff_t>(begin),
                all.begin() + static_cast<std::ptrdiff_t>(end)};
    }

    /// Whether a row is learned from: it has a label and a weight that is not 0.
    static bool teaches(const Examples& e, std::size_t row) {
        return e.labelled(row) && (e.weights.empty() || e.weights[row] != 0.0);
    }
    static bool all_teach(const Examples& e, std::size_t rows) {
        for (std::size_t row = 0; row < rows; ++row)
            if (!teaches(e, row)) return false;
        return true;
    }

    /// Labels and weights of some rows.
    static void goes_with(const parse::Batch& batch, const LabelCodes& codes, std::size_t begin,
                          std::size_t end, Examples& out) {
        out.targets = some(batch.target, begin, end);
        out.weights = some(batch.weight, begin, end);
        out.codes = some(batch.label, begin, end);
        if (codes.start.empty()) {
            for (std::int32_t& code : out.codes)
                code = code < 0 ? -1 : codes.codes[static_cast<std::size_t>(code)];
            return;
        }
        out.codes.clear();
        out.label_start.assign(1, 0);
        for (std::size_t row = begin; row < end; ++row) {
            if (const std::int32_t label = batch.label[row]; label < 0)
                out.codes.push_back(-1);
            else
                out.codes.insert(out.codes.end(), codes.codes.begin() + codes.start[label],
                                 codes.codes.begin() + codes.start[label + 1]);
            out.label_start.push_back(static_cast<std::int64_t>(out.codes.size()));
        }
    }

    static void start_on(const parse::Batch& batch, Examples& out) {
        out.start.assign(1, 0);
        out.index.clear();
        out.value.clear();
        out.plain = batch.plain;
        out.needed.clear();
        out.codes.clear();
        out.label_start.clear();
        out.unseen_sum.clear();
        out.unseen_count.clear();
    }

    static void take_cells(parse::Batch& batch, Examples& out) {
        std::swap(out.start, batch.start);
        std::swap(out.index, batch.index);
        std::swap(out.value, batch.value);
        batch.start.assign(1, 0);
        batch.index.clear();
        batch.value.clear();
    }

    /// Every name has its number, so the cells stay as they are. A row needs room for the names up to
    /// it: later ones have larger numbers.
    void renumber(const parse::Batch& batch, Examples& out) const {
        std::int32_t* index = out.index.data();
        const std::size_t cells = out.index.size();
        for (std::size_t j = 0; j < cells && !id_.empty(); ++j)
            if (!batch.is_known(index[j]))
                index[j] = static_cast<std::int32_t>(id_[batch.local(index[j])]);
        std::size_t named = 0, needed = 0;
        for (std::size_t row = 0; row < out.size(); ++row) {
            for (; named < batch.names_after[row]; ++named)
                needed = std::max<std::size_t>(needed, id_[named] + 1);
            if (batch.known) needed = std::max<std::size_t>(needed, batch.known_after[row]);
            out.needed.push_back(needed);
        }
    }

    /// The same where the cells hold numbers instead of names.
    static void renumber(const std::vector<parse::Zero>& zeros, Lexicon& lexicon, Examples& out) {
        std::int32_t* index = out.index.data();
        std::uint32_t needed = 0;
        auto zero = zeros.begin();
        for (std::size_t row = 0; row < out.size(); ++row) {
            const auto end = static_cast<std::size_t>(out.start[row + 1]);
            auto j = static_cast<std::size_t>(out.start[row]);
            const auto up_to = [&](std::size_t stop) {
                for (; j < stop; ++j) {
                    const std::uint32_t id = lexicon.meet(static_cast<std::uint64_t>(index[j]));
                    needed = std::max(needed, id + 1);
                    index[j] = static_cast<std::int32_t>(id);
                }
            };
            for (; zero != zeros.end() && zero->row == row; ++zero) {
                up_to(zero->cell);
                needed = std::max(needed, lexicon.meet(zero->number) + 1);
            }
            up_to(end);
            out.needed.push_back(needed);
        }
    }

    static std::uint32_t number(const parse::Names& names, std::size_t i, Lexicon& lexicon,
                                bool learning) {
        if (names.is_number(i))
            return learning ? lexicon.meet(names.number(i)) : lexicon.find(names.number(i));
        return learning ? lexicon.meet(names.text(i), names[i].hash) : lexicon.find(names.text(i));
    }

    void number_names(const parse::Names& names, Lexicon& lexicon, bool learning) {
        constexpr std::size_t ahead = 24;
        id_.resize(names.size());
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (i + ahead < names.size() && !names.is_number(i + ahead))
                lexicon.names().prefetch(names[i + ahead].hash);
            id_[i] = number(names, i, lexicon, learning);
        }
    }

    /// Two names of one row may have the same hash: their values add up, to no more than 1 where
    /// values are in [0, 1].
    void merge_repeats(const parse::Batch& batch, Examples& out) {
        const auto begin = static_cast<std::size_t>(out.start.back());
        const std::size_t kept = thresher::merge_repeats(
            out.index, begin, out.index.size(), in_row_,
            [&](std::size_t to, std::size_t from) {
                if (!out.plain) out.value[to] = out.value[from];
            },
            [&](std::size_t at, std::size_t j) {
                if (out.plain) {
                    out.fill_values();
                    out.value.reserve_more(batch.index.size());
                }
                const double sum = out.value[at] + out.value[j];
                out.value[at] = batch.unit ? std::min(1.0, sum) : sum;
            });
        out.index.shrink(kept);
        if (!out.plain) out.value.shrink(kept);
    }

    std::vector<std::uint32_t> id_;
    RowTable in_row_;
};

}  // namespace thresher
