// One example given by names, a dict, a list or a set, as a row that the core reads.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/learner.hpp"
#include "core/vocabulary.hpp"
#include "recent_names.hpp"

namespace nb = nanobind;

namespace thresher::bindings {

class Example {
public:
    /// Values outside [0, 1] are refused (`unit`), or clipped (`clip` too).
    Example(Vocabulary& names, bool unit, bool clip) : names_(names), unit_(unit), clip_(clip) {}

    /// Names not met are added, or set aside as unseen. Of an example that cannot be used nothing
    /// stays, not even its names. Where there are `columns` but no names, keys are column numbers.
    void read(nb::handle x, bool add_names, std::size_t columns);

    Rows rows() const {
        if (plain_) return OneRow<kernels::Ones>{{index_.data(), {}, count_}};
        return OneRow<const double*>{{index_.data(), value_.data(), count_}};
    }
    std::size_t size() const { return count_; }
    std::size_t feature(std::size_t j) const { return static_cast<std::size_t>(index_[j]); }
    double value(std::size_t j) const { return value_[j]; }

    const std::vector<std::pair<std::string, double>>& unseen() const { return unseen_; }

    /// The vocabulary has become another one.
    void forget_names() { recent_.clear(); }

private:
    void read_any(nb::handle x);
    void read_items(nb::handle items);
    void put_item(nb::handle key, nb::handle value);
    void put_key(nb::handle key, double v);
    std::uint32_t put_name(std::string_view name, double v);
    void put_column(nb::handle key, double v);
    void put(std::uint32_t id, double v);
    void append(std::uint32_t id, double v);
    std::string_view key_text(nb::handle key);

    template <class Name>
    double usable(double v, Name name) const;
    [[noreturn]] void refuse_value(nb::handle name, double v, Fault::Kind kind) const;

    void merge_repeats();
    void merge_unseen();

    Vocabulary& names_;
    RecentNames recent_;
    bool unit_, clip_;

    std::size_t count_ = 0;  // how many of index_ and value_ are in use
    std::vector<std::int32_t> index_;
    std::vector<double> value_;
    std::vector<std::pair<std::string, double>> unseen_;
    std::vector<std::uint32_t> mark_;
    std::string key_;
    std::size_t columns_ = 0;
    bool plain_ = true, may_repeat_ = false, add_names_ = false, by_column_ = false;
};

}  // namespace thresher::bindings
