// Collects the examples that a parser finds into a batch. Every format makes the same few calls to it:
// a label, a weight, features by name or number, the end of a row. A bad line leaves nothing behind.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../elementary.hpp"
#include "../merge.hpp"
#include "batch.hpp"
#include "dates.hpp"
#include "label_set.hpp"
#include "name_table.hpp"
#include "number.hpp"
#include "problem.hpp"
#include "utf8.hpp"

namespace thresher::parse {

/// How features are derived from those of a line; part of a model, so that all its examples, from
/// whatever source, are read the same way.
struct Recipe {
    /// What a word that stands c times in an example is worth.
    enum class Weighting { count, binary, log };  // c, 1, 1 + ln c

    std::size_t ngrams = 1;                                 // of neighbouring words
    std::size_t least_characters = 0, most_characters = 0;  // of the runs within a word; 0: none
    Weighting weighting = Weighting::count;
    std::vector<std::vector<std::string>> cross;  // groups whose features are multiplied

    /// What a value that is said to be missing is worth: nothing, a feature of its own, or a number.
    enum class Missing { zero, indicator, mean };
    Missing missing = Missing::zero;
    std::map<std::string, double, std::less<>> means;

    /// Older models lower only ASCII letters, and take true and false of a table for texts.
    bool ascii_only = false;

    bool weighs() const { return weighting != Weighting::count; }
    /// Whether names without a value mean more than a feature of value 1 each.
    bool reads_words() const { return ngrams > 1 || most_characters > 0 || weighs(); }
};

/// What the reader of a batch needs.
struct Wishes {
    bool targets = false;     // labels are numbers to predict
    bool need_labels = true;  // a line without one is bad
    bool sets = false;        // a label is a set of labels, separated by commas; it may be empty
    bool keep_zeros = false;  // features of value 0 stay in the rows
    bool unit = false;        // values outside [0, 1] are bad …
    bool clip = false;        // … or moved to its ends
    bool once = false;        // a name that comes again in a row counts once, not twice
    bool keep_bad = false;    // bad lines are kept whole
    std::size_t keep = 0;     // how many texts of each row are kept

    /// The value of a name that comes twice: the sum; with `once` the larger in size, or the first.
    double together(double a, double b) const {
        if (!once) return a + b;
        return std::abs(b) > std::abs(a) ? b : a;
    }
};

class Builder {
public:
    Builder(Recipe recipe, Wishes wishes) : recipe_(std::move(recipe)), wishes_(wishes) {}

    const Wishes& wishes() const { return wishes_; }
    bool reads_words() const { return recipe_.reads_words(); }
    bool ascii_only() const { return recipe_.ascii_only; }

    /// Collect into `batch`, whose text begins at `text`.
    void begin(Batch& batch, const char* text) {
        batch_ = &batch;
        text_ = text;
        batch.unit = wishes_.unit;
        known_ = batch.known.get();
        names_.begin(batch.names);
        labels_.begin(batch.labels);
        last_label_ = -1;
        waiting_ = 0;  // an exception may have left some
        forget_words();
        largest_known_ = 0;
        next_row();
    }

    // -- one row: any of these in any order, then `end_row`; `abandon_row` takes everything back

    /// At most n calls of `number` will follow in this row.
    void expect(std::size_t n) {
        look_up();
        batch_->index.reserve_more(n);
        if (!batch_->plain) batch_->value.reserve_more(n);
    }
    void number(std::uint64_t n, double v) {
        in_order_ &= static_cast<std::int64_t>(n) > last_number_;
        last_number_ = static_cast<std::int64_t>(n);
        if (batch_->numbered && n >= largest_number) leave_numbers();
        if (v == 0.0 && !wishes_.keep_zeros) return zero(n);
        if (batch_->plain && v != 1.0) leave_ones();
        batch_->index.push_unchecked(batch_->numbered ? static_cast<std::int32_t>(n)
                                                      : coded(names_.number(n)));
        if (!batch_->plain) batch_->value.push_unchecked(v);
    }

    void name(std::string_view s, double v) {
        in_order_ = false;
        leave_numbers();
        if (s.size() <= NameKey::longest && !begins_with_digit(s)) return wait(NameKey::of(s), v);
        look_up();
        put(number_of(s), v);
    }
    /// The same, for a name that is likely the one that `guess` was last used for: then it is found by
    /// one comparison instead of a search.
    void name(std::string_view s, double v, std::int32_t& guess) {
        look_up();
        leave_numbers();
        if (is_named(guess, s)) {
            in_order_ = false;
            if (batch_->is_known(guess)) met(static_cast<std::uint32_t>(guess));
            return put(guess, v);
        }
        name(s, v);
        look_up();
        guess = last_name_;
    }
    /// Many names of value 1 that are in the text of the batch, short and no numbers: `next(p, n)` finds
    /// the next, of n bytes at p, until it returns false.
    template <class Next>
    void names_in_text(Next next) {
        const char* p;
        std::size_t n;
        bool more = next(p, n);
        if (!more) return;
        look_up();
        in_order_ = false;
        leave_numbers();
        while (more) {
            std::size_t waiting = 0;
            do {
                const NameKey key = NameKey::at(p, n);
                names_waiting_[waiting++] = {key, prefetched(Vocabulary::hash(key)), 1.0};
                more = next(p, n);
            } while (more && waiting < most_waiting);
            waiting_ = waiting;
            look_up();
        }
    }

    /// A word of a running text; `group` is the common prefix of its names ("text="). Neighbours make
    /// n-grams until `end_words`.
    void word(std::string_view group, std::string_view s) {
        if (recipe_.ngrams > 1) words_.push_back({remember(s), s.size()});
        counted(joined(group, s));
        if (recipe_.most_characters > 0) add_characters(group, s);
    }
    /// A word that was given a value: neither its characters nor how often it occurs matter.
    void word(std::string_view group, std::string_view s, double v) {
        if (recipe_.ngrams > 1) words_.push_back({remember(s), s.size()});
        name(joined(group, s), v);
    }
    void end_words(std::string_view group) {
        for (std::size_t i = 0; i < words_.size(); ++i) {
            std::string run(group);
            for (std::size_t n = 0; n < recipe_.ngrams && i + n < words_.size(); ++n) {
                if (n > 0) run += ' ';
                run.append(word_text_, words_[i + n].first, words_[i + n].second);
                if (n > 0) counted(run);
            }
        }
        forget_words();
    }

    /// A value of this column is said to be missing.
    void missing(std::string_view column) {
        ++row_missing_;
        if (recipe_.missing == Recipe::Missing::indicator) {
            name(std::string(column) + "=missing", 1.0);
        } else if (recipe_.missing == Recipe::Missing::mean) {
            const auto mean = recipe_.means.find(column);
            if (mean != recipe_.means.end()) name(column, mean->second);
        }
    }

    /// A date (dates.hpp): its years since 2000, and its month, weekday and hour as names.
    void date(std::string_view column, std::string_view s, const char* at) {
        const std::optional<Date> date = read_date(s);
        if (!date)
            throw Problem{at, "found " + quoted(s) + " in the column of dates " + quoted(column) +
                                  "; expected a date such as 2024-05-17, perhaps with a time such "
                                  "as 13:30:00"};
        std::string part(column);
        const std::size_t size = part.size();
        name(part, date->years);
        name(part.append(".month=").append(std::to_string(date->month)), 1.0);
        part.resize(size);
        name(part.append(".weekday=").append(weekdays[date->weekday]), 1.0);
        part.resize(size);
        if (date->hour >= 0) name(part.append(".hour=").append(std::to_string(date->hour)), 1.0);
    }

    /// The text of a row that is to be kept, by its number among those.
    void kept(std::size_t i, std::string_view s) {
        if (i < kept_.size()) kept_[i].assign(s);
    }

    void label(std::string_view s) {
        if (wishes_.targets) {
            const std::string terminated(s);  // digits may follow directly after s
            const char* p = terminated.c_str();
            if (s.empty() || read_any_real(p, p + s.size(), target_) != p + s.size() ||
                !std::isfinite(target_))
                throw Problem{s.data(), "found " + quoted(s) +
                                            " as the label; expected a finite number, since a "
                                            "regressor is to learn it"};
        } else if (last_label_ < 0 || last_text_ != s) {
            if (wishes_.sets) check_set_(s);
            last_label_ = labels_.text(s);
            last_text_ = s;
        }
        labelled_ = true;
    }

    /// The line has no label, and may lack one even where labels are needed: it is not an example to
    /// learn from.
    void unlabelled() { may_lack_label_ = true; }

    void weight(double w) { weight_ = w; }
    void query(std::int64_t id) {
        has_query_ = true;
        query_ = id;
    }
    void tag(std::string_view s) { tag_ = s; }
    std::string_view tag() const { return tag_; }

    void end_row(std::uint32_t line, const char* line_end, const char* next) {
        if (!labelled_ && !may_lack_label_ && wishes_.need_labels)
            throw Problem{line_end, "found no label; expected one"};
        if (!words_.empty()) end_words({});
        look_up();
        if (!is_word_.empty()) weigh_words();
        if (!recipe_.cross.empty()) add_crosses(line_end);
        look_up();
        Batch& b = *batch_;
        const std::size_t given = b.index.size();
        if (!in_order_) {
            leave_numbers();
            merge_repeats(line_end);
        }
        if (wishes_.unit) check_unit(line_end);
        if (b.index.size() < given && !b.repeated) b.repeated = b.rows();
        const std::size_t row = b.rows();
        if (wishes_.targets)
            b.target.push_back(labelled_ ? target_ : std::nan(""));
        else
            b.label.push_back(labelled_ ? last_label_ : -1);
        if (weight_ != 1.0 && b.weight.empty()) b.weight.assign(row, 1.0);
        if (weight_ != 1.0 || !b.weight.empty()) b.weight.push_back(weight_);
        if (has_query_ && b.query.empty()) b.query.assign(row, 0);
        if (has_query_ || !b.query.empty()) b.query.push_back(query_);
        if (!tag_.empty() && b.tag.empty()) b.tag.assign(row, "");
        if (!tag_.empty() || !b.tag.empty()) b.tag.emplace_back(tag_);
        b.kept.insert(b.kept.end(), kept_.begin(), kept_.end());
        b.missing += row_missing_;
        b.end.push_back(static_cast<std::uint64_t>(next - text_));
        b.line.push_back(line);
        b.names_after.push_back(static_cast<std::uint32_t>(b.names.size()));
        if (known_) b.known_after.push_back(largest_known_);
        b.start.push_back(static_cast<std::int64_t>(b.index.size()));
        next_row();
    }

    void abandon_row() {
        Batch& b = *batch_;
        waiting_ = 0;
        largest_known_ = b.known_after.empty() ? 0 : b.known_after.back();
        b.index.shrink(static_cast<std::size_t>(b.start.back()));
        if (plain_before_ && !b.plain) {
            b.plain = true;
            b.value.clear();
        }
        if (!b.plain) b.value.shrink(b.index.size());
        while (!b.zeros.empty() && b.zeros.back().row == b.rows()) b.zeros.pop_back();
        names_.shrink(names_before_);
        labels_.shrink(labels_before_);
        last_label_ = -1;
        forget_words();
        next_row();
    }

    void bad_record(std::uint64_t line, const char* begin, const char* end,
                    const Problem& problem) {
        abandon_row();
        constexpr std::size_t around = 60;
        const char* at = std::clamp(problem.at, begin, end);
        const char* from = static_cast<std::size_t>(at - begin) > around ? at - around : begin;
        const char* to = static_cast<std::size_t>(end - at) > around ? at + around : end;
        const auto cuts_character = [](const char* p) { return (*p & 0xC0) == 0x80; };
        while (from != begin && from != at && cuts_character(from)) ++from;
        while (to != end && to != at && cuts_character(to)) --to;
        BadLine bad;
        bad.line = line;
        bad.column = static_cast<std::uint64_t>(at - begin);
        bad.begin = static_cast<std::uint64_t>(begin - text_);
        bad.before = batch_->rows();
        bad.excerpt.assign(from, to);
        bad.excerpt_column = static_cast<std::size_t>(at - from);
        if (wishes_.keep_bad) bad.whole.assign(begin, end);
        bad.problem = problem.what;
        batch_->bad.push_back(std::move(bad));
    }

private:
    static constexpr std::uint64_t largest_number = std::uint64_t{1} << 22;
    static constexpr std::size_t most_text = std::size_t{1} << 30;  // of the names of a batch

    void next_row() {
        in_order_ = true;
        last_number_ = -1;
        is_word_.clear();
        labelled_ = may_lack_label_ = false;
        weight_ = 1.0;
        has_query_ = false;
        query_ = 0;
        tag_ = {};
        row_missing_ = 0;
        kept_.assign(wishes_.keep, {});
        names_before_ = batch_->names.size();
        labels_before_ = batch_->labels.size();
        plain_before_ = batch_->plain;
    }

    void put(std::int32_t cell, double v) {
        if (v == 0.0 && !wishes_.keep_zeros) return;
        if (batch_->plain && v != 1.0) leave_ones();
        batch_->index.push_back(cell);
        if (!batch_->plain) batch_->value.push_back(v);
    }
    /// From here on the values of this batch are kept: one is not 1.
    void leave_ones() {
        batch_->fill_values();
        batch_->value.reserve_more(batch_->index.room());
    }

    // -- names

    static bool begins_with_digit(std::string_view s) {
        return !s.empty() && s[0] >= '0' && s[0] <= '9';
    }
    /// A name by its number in the batch, as a cell shows it.
    std::int32_t coded(std::int32_t local) const { return known_ ? ~local : local; }

    /// A short name that is no number: it is looked up soon, together with others, so that the memory of
    /// all of them is fetched at once.
    void wait(const NameKey& key, double v) {
        names_waiting_[waiting_++] = {key, prefetched(Vocabulary::hash(key)), v};
        if (waiting_ == most_waiting) look_up();
    }
    std::uint64_t prefetched(std::uint64_t hash) const {
        if (known_)
            known_->prefetch(hash);
        else
            names_.prefetch(hash);
        return hash;
    }
    void look_up() {
        if (waiting_ == 0) return;
        const std::size_t n = std::exchange(waiting_, 0);
        std::array<std::int32_t, most_waiting> cells;
        if (known_)
            find_known(n, cells.data());
        else
            for (std::size_t i = 0; i < n; ++i)
                cells[i] = names_.short_text(names_waiting_[i].key, names_waiting_[i].hash);
        last_name_ = cells[n - 1];
        bool ones = batch_->plain;
        for (std::size_t i = 0; i < n; ++i) ones &= names_waiting_[i].value == 1.0;
        if (ones) return batch_->index.append(cells.data(), n);
        for (std::size_t i = 0; i < n; ++i) put(cells[i], names_waiting_[i].value);
    }
    /// The memory of all slots was requested before; that of all records is, before one is read.
    void find_known(std::size_t n, std::int32_t* cells) {
        Vocabulary::Snapshot::Candidate candidates[most_waiting];
        for (std::size_t i = 0; i < n; ++i)
            candidates[i] = known_->candidate(names_waiting_[i].hash);
        std::uint32_t most = largest_known_;
        for (std::size_t i = 0; i < n; ++i) {
            const Waiting& name = names_waiting_[i];
            const std::uint32_t id = known_->find(name.key, name.hash, candidates[i]);
            if (id == Vocabulary::none) {
                cells[i] = coded(names_.short_text(name.key, name.hash));
                continue;
            }
            most = std::max(most, id + 1);
            cells[i] = static_cast<std::int32_t>(id);
        }
        largest_known_ = most;
    }
    std::int32_t met(std::uint32_t id) {
        largest_known_ = std::max(largest_known_, id + 1);
        return static_cast<std::int32_t>(id);
    }

    /// The number of any name, as a cell shows it. A name that is a number in digits has only a number in
    /// the batch: it may come as a number as well, and must be recognised as the same.
    std::int32_t number_of(std::string_view s) {
        // A long group before many short words makes a lot of text from little.
        if (batch_->names.text_size() + s.size() > most_text)
            throw Problem{text_, "found names of more than 1 GiB in all; expected shorter ones"};
        std::uint64_t n;
        std::uint32_t id = Vocabulary::none;
        if (known_ && !NameTable::is_plain_number(s, n)) id = known_->find(s, Vocabulary::hash(s));
        return last_name_ = id != Vocabulary::none ? met(id) : coded(names_.text(s));
    }
    bool is_named(std::int32_t cell, std::string_view s) const {
        const auto id = static_cast<std::size_t>(cell);
        if (known_ && cell >= 0)  // a number has none of the known ids: see `number_of`
            return !begins_with_digit(s) && id < known_->size() && known_->name(id) == s;
        const std::size_t local = batch_->local(cell);
        const Names& names = batch_->names;
        return local < names.size() && !names.is_number(local) && names.text(local) == s;
    }

    std::string_view joined(std::string_view group, std::string_view s) {
        if (group.empty()) return s;
        const std::size_t n = group.size() + s.size();
        joined_.clear();
        joined_.reserve_more(n + 16);
        char* to = joined_.data();
        if (std::endian::native == std::endian::little && group.size() < 8 && s.size() <= 8) {
            // In a register: bytes stored one by one would be slow to load for the hash.
            const std::uint64_t end = NameKey::few_bytes(s.data(), s.size());
            const std::size_t shift = 8 * group.size();
            const std::uint64_t words[] = {
                NameKey::few_bytes(group.data(), group.size()) | end << shift, end >> (64 - shift)};
            std::memcpy(to, words, 16);
        } else {
            std::memcpy(to, group.data(), group.size());
            std::memcpy(to + group.size(), s.data(), s.size());
        }
        return {to, n};
    }
    std::size_t remember(std::string_view s) {
        word_text_.append(s);
        return word_text_.size() - s.size();
    }

    void forget_words() {
        words_.clear();
        word_text_.clear();
    }

    // -- words

    /// One more of a name whose value is how often it occurs, or what that is worth.
    void counted(std::string_view s) {
        name(s, 1.0);
        if (!recipe_.weighs()) return;
        look_up();
        is_word_.resize(batch_->index.size() - static_cast<std::size_t>(batch_->start.back()), 0);
        is_word_.back() = 1;
    }

    /// The runs of neighbouring characters of a word with a blank on either side. A byte that is part
    /// of no character counts as one; a blank alone is left out.
    void add_characters(std::string_view group, std::string_view s) {
        spaced_.assign(1, ' ').append(s).append(1, ' ');
        starts_.clear();
        const char *const begin = spaced_.data(), *const end = begin + spaced_.size();
        for (const char* p = begin; p < end;) {
            starts_.push_back(static_cast<std::size_t>(p - begin));
            const bool ascii = static_cast<unsigned char>(*p) < 0x80;
            p += ascii ? 1 : std::max<std::size_t>(1, character_size(p, end));
        }
        starts_.push_back(spaced_.size());
        run_.assign(group).append(1, '~');
        const std::size_t head = run_.size();
        for (std::size_t i = 0; i + 1 < starts_.size(); ++i)
            for (std::size_t n = recipe_.least_characters;
                 n <= recipe_.most_characters && i + n < starts_.size(); ++n) {
                run_.resize(head);
                run_.append(spaced_, starts_[i], starts_[i + n] - starts_[i]);
                if (n > 1 || spaced_[starts_[i]] != ' ') counted(run_);
            }
    }

    /// Every word gets what its occurrences are worth, at the position of the first. Other features of
    /// the same name are not among them.
    void weigh_words() {
        Batch& b = *batch_;
        const auto begin = static_cast<std::size_t>(b.start.back());
        is_word_.resize(b.index.size() - begin, 0);
        b.fill_values();
        const RowTable::Row row = in_row_.begin(b.index.size() - begin);
        std::size_t kept = begin;
        for (std::size_t j = begin; j < b.index.size(); ++j) {
            const char word = is_word_[j - begin];
            if (word) {
                if (const std::size_t at = row.first(b.index[j], kept); at < kept) {
                    if (!wishes_.once) b.value[at] += 1.0;
                    continue;
                }
            }
            b.index[kept] = b.index[j];
            b.value[kept] = b.value[j];
            is_word_[kept - begin] = word;
            ++kept;
        }
        b.index.shrink(kept);
        b.value.shrink(kept);
        for (std::size_t j = begin; j < kept; ++j) {
            if (!is_word_[j - begin]) continue;
            double& v = b.value[j];
            v = recipe_.weighting == Recipe::Weighting::binary ? 1.0 : 1.0 + fixed::log(v);
        }
    }

    /// A name given twice counts twice: its values add up, at the position of its first occurrence. Or
    /// (once) it is there or not, and the larger value in size counts.
    void merge_repeats(const char* line_end) {
        Batch& b = *batch_;
        const auto begin = static_cast<std::size_t>(b.start.back());
        bool finite = true;
        const std::size_t kept = thresher::merge_repeats(
            b.index, begin, b.index.size(), in_row_,
            [&](std::size_t to, std::size_t from) {
                if (!b.plain) b.value[to] = b.value[from];
            },
            [&](std::size_t at, std::size_t j) {
                const double merged = wishes_.together(b.value_of(at), b.value_of(j));
                if (b.plain && merged == 1.0) return;
                b.fill_values();
                b.value[at] = merged;
                finite &= std::isfinite(merged);
            });
        b.index.shrink(kept);
        if (!b.plain) b.value.shrink(kept);
        for (std::size_t j = begin; !finite && j < kept; ++j)
            if (!std::isfinite(b.value[j])) too_large(j, line_end);
    }

    /// A value of 0 names a feature, but has no cell.
    void zero(std::uint64_t n) {
        if (batch_->numbered)
            batch_->zeros.push_back({batch_->rows(), batch_->index.size(), n});
        else
            names_.number(n);
    }

    /// From here on features of this batch are names, not numbers.
    void leave_numbers() {
        if (!batch_->numbered) return;
        batch_->name_numbers([&](std::uint64_t n) { return coded(names_.number(n)); });
        // The row being collected is not final yet.
        names_before_ = batch_->names_after.empty() ? 0 : batch_->names_after.back();
    }

    [[noreturn]] void too_large(std::size_t cell, const char* line_end) const {
        throw Problem{line_end, "found values of feature " + quoted(batch_->spelled(cell)) +
                                    " that are too large together; expected a finite number"};
    }

    void check_unit(const char* line_end) {
        Batch& b = *batch_;
        if (b.plain) return;
        for (auto j = static_cast<std::size_t>(b.start.back()); j < b.value.size(); ++j) {
            double& v = b.value[j];
            if (v >= 0.0 && v <= 1.0) continue;
            if (!wishes_.clip)
                throw Problem{line_end,
                              "feature " + quoted(b.spelled(j)) +
                                  " has a value outside [0, 1], which Winnow cannot use; scale the "
                                  "data, or set clip=true, or choose BalancedWinnow"};
            v = std::clamp(v, 0.0, 1.0);
        }
    }

    /// The prefix of a name that says where it comes from: `color` of `color=red`, `a` of `a^word`.
    static std::string_view group_of(std::string_view name) {
        return name.substr(0, name.find_first_of("=^"));
    }

    void add_crosses(const char* line_end) {
        constexpr std::size_t most = 1000000;
        leave_numbers();
        Batch& b = *batch_;
        const auto begin = static_cast<std::size_t>(b.start.back()), end = b.index.size();
        std::vector<std::string> spelled;
        for (std::size_t j = begin; j < end; ++j) spelled.push_back(b.spelled(j));
        std::size_t made = 0;
        // The features of the groups from g on, each multiplied with what is there of those before.
        const auto multiply = [&](const auto& self, const std::vector<std::string>& groups,
                                  std::size_t g, std::size_t last, const std::string& names,
                                  double product) -> void {
            // Of a group with itself each pair counts once.
            const bool again = g > 0 && groups[g] == groups[g - 1];
            for (std::size_t i = again ? last + 1 : begin; i < end; ++i) {
                if (group_of(spelled[i - begin]) != groups[g]) continue;
                const double value = g > 0 ? product * b.value_of(i) : b.value_of(i);
                if (!std::isfinite(value)) too_large(i, line_end);
                const std::string joint =
                    g > 0 ? names + "*" + spelled[i - begin] : spelled[i - begin];
                if (g + 1 < groups.size()) {
                    self(self, groups, g + 1, i, joint, value);
                    continue;
                }
                if (++made > most)
                    throw Problem{line_end, "crossing " + listed(groups) +
                                                " makes more than a million features of this "
                                                "line; expected fewer"};
                name(joint, value);
            }
        };
        for (const std::vector<std::string>& groups : recipe_.cross)
            multiply(multiply, groups, 0, begin, {}, 1.0);
    }
    static std::string listed(const std::vector<std::string>& groups) {
        std::string list;
        for (const std::string& group : groups) list += (list.empty() ? "" : " with ") + group;
        return list;
    }

    Recipe recipe_;
    Wishes wishes_;
    Batch* batch_ = nullptr;
    const char* text_ = nullptr;
    NameTable names_, labels_;
    RowTable in_row_;
    const Vocabulary::Snapshot* known_ = nullptr;  // of the batch
    std::uint32_t largest_known_ = 0;              // of its ids so far, + 1

    struct Waiting {
        NameKey key;
        std::uint64_t hash;
        double value;
    };
    static constexpr std::size_t most_waiting = 32;
    std::array<Waiting, most_waiting> names_waiting_;
    std::size_t waiting_ = 0;

    // The row being collected.
    bool in_order_ = true, plain_before_ = true, labelled_ = false, may_lack_label_ = false,
         has_query_ = false;
    std::int64_t last_number_ = -1, query_ = 0;
    std::int32_t last_label_ = -1, last_name_ = 0;
    std::string last_text_;
    CheckSet check_set_;
    double weight_ = 1.0, target_ = 0.0;
    std::string_view tag_;
    std::uint64_t row_missing_ = 0;
    std::vector<std::string> kept_;
    std::size_t names_before_ = 0, labels_before_ = 0;
    std::vector<std::pair<std::size_t, std::size_t>> words_;  // where in word_text_
    std::string word_text_;
    std::vector<char> is_word_;        // of the cells so far, where words are weighed
    std::string spaced_, run_;         // the characters of a word, and some of them
    std::vector<std::size_t> starts_;  // where each of its characters begins
    NumberVector<char> joined_;
};

}  // namespace thresher::parse
