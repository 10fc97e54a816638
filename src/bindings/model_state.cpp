#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "core/state.hpp"
#include "errors.hpp"
#include "model.hpp"

namespace thresher::bindings {

namespace {

Vocabulary names_from(const nb::bytes& text, const std::vector<std::uint64_t>& ends) {
    Vocabulary v;
    std::uint64_t begin = 0;
    for (const std::uint64_t end : ends) {
        if (end < begin || end > text.size())
            raise("ModelFileError", "the table of feature names does not fit its text");
        v.find_or_add({text.c_str() + begin, static_cast<std::size_t>(end - begin)});
        begin = end;
    }
    if (begin != text.size() || v.size() != ends.size())
        raise("ModelFileError", "the table of feature names is damaged");
    return v;
}

}  // namespace

nb::dict Model::state() {
    const Hold hold(owner_);
    const State state = learner_->save();
    nb::dict arrays, out;
    for (const auto& [name, cells] : state.arrays) {
        auto copy = std::make_unique<double[]>(cells.size());
        std::copy(cells.begin(), cells.end(), copy.get());
        arrays[name.c_str()] = owned(std::move(copy), {cells.size()});
    }
    nb::dict reals, counts;
    for (const auto& [name, v] : state.reals) reals[name.c_str()] = v;
    for (const auto& [name, v] : state.counts) counts[name.c_str()] = v;
    out["arrays"] = arrays;
    out["reals"] = reals;
    out["counts"] = counts;
    // Names that were met but not learned from yet have no weights and are left out.
    const std::size_t n = std::min(names_.size(), learner_->features());
    const std::vector<std::uint64_t> ends(names_.ends().begin(),
                                          names_.ends().begin() + static_cast<std::ptrdiff_t>(n));
    out["names"] = nb::bytes(names_.text().data(), n == 0 ? 0 : ends.back());
    out["name_ends"] = ends;
    return out;
}

void Model::set_state(nb::dict from) {
    const Hold hold(owner_);
    State state;
    for (auto [name, cells] : nb::cast<nb::dict>(from["arrays"])) {
        const auto a = nb::cast<Array1<double>>(cells);
        state.arrays[nb::cast<std::string>(name)].assign(a.data(), a.data() + a.shape(0));
    }
    for (auto [name, v] : nb::cast<nb::dict>(from["reals"]))
        state.reals[nb::cast<std::string>(name)] = nb::cast<double>(v);
    for (auto [name, v] : nb::cast<nb::dict>(from["counts"]))
        state.counts[nb::cast<std::string>(name)] = nb::cast<std::uint64_t>(v);
    Vocabulary names = names_from(nb::cast<nb::bytes>(from["names"]),
                                  nb::cast<std::vector<std::uint64_t>>(from["name_ends"]));
    try {
        learner_->load(state);
    } catch (const BadState& bad) {
        raise("ModelFileError", bad.what());
    }
    if (names.size() > learner_->features())
        raise("ModelFileError", "there are more feature names than weights");
    lexicon_->replace_names(std::move(names));
    example_.forget_names();
}

}  // namespace thresher::bindings
