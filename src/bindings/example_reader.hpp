// One example with named features (a dict, a list or a set) as a row that the core reads.
#pragma once

#include <nanobind/nanobind.h>

#include <cfloat>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "by_recipe.hpp"
#include "core/learner.hpp"
#include "given.hpp"
#include "hashed_names.hpp"

namespace nb = nanobind;

namespace thresher::bindings {

class ExampleReader {
public:
    /// Of the wishes: values outside [0, 1] are refused (`unit`), or clipped (`clip` too), and a name
    /// that comes twice counts once (`once`).
    ExampleReader(Lexicon& lexicon, const parse::Wishes& wishes, const nb::dict& recipe)
        : lexicon_(lexicon), names_(lexicon.names()), recipe_(recipe), wishes_(wishes) {
        if (ByRecipe::is_needed(recipe, lexicon)) by_recipe_.emplace(recipe, wishes);
    }

    /// New names are added, or set aside as unseen. An example that cannot be used leaves nothing,
    /// not even its names. Where there are `columns` but no names, keys are column numbers.
    /// It runs no user code: false if it would have to; then the example must be made plain first.
    /// `was_read_last`: it is the one that was read last, and nothing has happened to it since.
    bool read(const Given& given, bool add_names, std::size_t columns, bool was_read_last = false);

    /// Names whose number is not below `features` are set aside as unseen: a pass over a file has
    /// read them, but not learned from them yet.
    void leave_out_from(std::size_t features);

    Rows rows() const {
        if (plain_) return OneRow<loops::Ones>{{index_.data(), {}, count_}};
        return OneRow<const double*>{{index_.data(), value_.data(), count_}};
    }
    std::size_t size() const { return count_; }
    std::size_t feature(std::size_t j) const { return static_cast<std::size_t>(index_[j]); }
    double value(std::size_t j) const { return value_[j]; }

    const std::vector<std::pair<std::string, double>>& unseen() const { return unseen_; }

    /// The vocabulary was replaced.
    void forget_names() {
        hashed_.clear();
        version_ = 0;
    }

private:
    struct Item {
        PyObject *key, *value;  // no value: a name in a list or a set
    };

    nb::object gather(const Given& given);  // keeps the items alive; invalid: not plain
    void gather_dict(PyObject* x);
    void gather_names(PyObject* list, std::size_t n);
    void gather_plain(const Given& given);
    void make_room(std::size_t n);
    std::uint32_t find_by_hash(PyObject* key) const;
    void look_up();
    bool read_items();
    bool read_new_name(std::size_t j);
    std::size_t read_usual_items(std::size_t j);

    void begin(bool add_names, std::size_t columns);
    bool read_by_recipe(const Given& given, bool learning, std::size_t columns);
    void read_json(const JsonText& json, bool learning);
    void take(const ByRecipe& reader);
    void take_back_names(std::size_t known);

    void put_item(nb::handle key, nb::handle value);
    void put_key(nb::handle key, double v);
    void put_name(std::string_view name, double v);
    void put_column(nb::handle key, double v);
    void put(std::uint32_t id, double v);
    void append(std::uint32_t id, double v) {
        index_[count_] = static_cast<std::int32_t>(id);
        value_[count_] = v;
        count_ += v != 0.0;
        plain_ &= v == 1.0;
    }
    std::string_view key_text(nb::handle key);

    /// The values that are taken as they are.
    struct Range {
        double least, most;
        bool has(double v) const { return v >= least && v <= most; }
    };
    Range usual() const { return wishes_.unit ? Range{0.0, 1.0} : Range{-DBL_MAX, DBL_MAX}; }
    template <class Name>
    double usable(double v, Name name) const;
    [[noreturn]] void refuse_value(nb::handle name, double v, Fault::Kind kind) const;

    void merge_repeats();
    void merge_unseen();

    Lexicon& lexicon_;
    Vocabulary& names_;
    nb::dict recipe_;
    std::optional<ByRecipe> by_recipe_;  // if it does anything that ordinary reading does not
    std::optional<ByRecipe> by_json_;    // of examples that come as text, from the first on
    HashedNames hashed_;
    parse::Wishes wishes_;

    std::vector<Item> items_;         // of the example being read; its owner keeps them alive
    std::vector<std::uint32_t> ids_;  // of their names, as far as `look_up` found them
    std::uint64_t version_ =
        0;                   // of the dict that was read last, when its content can be told by it
    std::size_t known_ = 0;  // names in the vocabulary when it was read
    std::size_t n_ = 0;      // how many items there are
    std::size_t count_ = 0;  // how many of index_ and value_ are in use
    std::vector<std::int32_t> index_;
    std::vector<double> value_;
    std::vector<std::pair<std::string, double>> unseen_;
    RowTable in_row_;
    std::string key_;
    std::size_t columns_ = 0;
    bool plain_ = true, may_repeat_ = false, add_names_ = false, by_column_ = false;
};

}  // namespace thresher::bindings
