#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>

#include "core/state.hpp"
#include "errors.hpp"
#include "model.hpp"

namespace thresher::bindings {

namespace {

template <class T>
nb::bytes bytes_of(const T* p, std::size_t n) {
    return nb::bytes(reinterpret_cast<const char*>(p), n * sizeof(T));
}

/// Numbers as they were in memory, of this machine's byte order.
template <class T>
std::vector<T> numbers_from(const nb::handle& bytes, const char* what) {
    const auto b = nb::cast<nb::bytes>(bytes);
    if (b.size() % sizeof(T) != 0)
        raise("ModelFileError", std::string(what) + " is not a whole number of cells");
    std::vector<T> out(b.size() / sizeof(T));
    if (!out.empty()) std::memcpy(out.data(), b.c_str(), b.size());
    return out;
}

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
    for (const auto& [name, cells] : state.arrays)
        arrays[name.c_str()] = bytes_of(cells.data(), cells.size());
    nb::dict reals, counts;
    for (const auto& [name, v] : state.reals) reals[name.c_str()] = v;
    for (const auto& [name, v] : state.counts) counts[name.c_str()] = v;
    out["arrays"] = arrays;
    out["reals"] = reals;
    out["counts"] = counts;
    // Names that were met but not learned from yet have no weights and are left out.
    const std::size_t n = std::min(names_.size(), learner_->features());
    out["names"] = nb::bytes(names_.text().data(), n == 0 ? 0 : names_.ends()[n - 1]);
    out["name_ends"] = bytes_of(names_.ends().data(), n);
    out["name_counts"] = bytes_of(lexicon_->counts().data(), lexicon_->counts().size());
    return out;
}

void Model::set_state(nb::dict from) {
    const Hold hold(owner_);
    State state;
    for (auto [name, cells] : nb::cast<nb::dict>(from["arrays"])) {
        const auto key = nb::cast<std::string>(name);
        state.arrays[key] = numbers_from<double>(cells, key.c_str());
    }
    for (auto [name, v] : nb::cast<nb::dict>(from["reals"]))
        state.reals[nb::cast<std::string>(name)] = nb::cast<double>(v);
    for (auto [name, v] : nb::cast<nb::dict>(from["counts"]))
        state.counts[nb::cast<std::string>(name)] = nb::cast<std::uint64_t>(v);
    Vocabulary names = names_from(nb::cast<nb::bytes>(from["names"]),
                                  numbers_from<std::uint64_t>(from["name_ends"], "name_ends"));
    auto counts = numbers_from<std::uint8_t>(from["name_counts"], "name_counts");
    if (counts.size() != lexicon_->counts().size())
        raise("ModelFileError", "the counts of names do not fit min_count");
    try {
        learner_->load(state);
    } catch (const BadState& bad) {
        raise("ModelFileError", bad.what());
    }
    if (names.size() > learner_->features())
        raise("ModelFileError", "there are more feature names than weights");
    if (lexicon_->hashed() && (names.size() > 0 || learner_->features() > lexicon_->size()))
        raise("ModelFileError", "a model with hashed features has no names");
    lexicon_->replace_names(std::move(names));
    lexicon_->counts() = std::move(counts);
    example_.forget_names();
}

}  // namespace thresher::bindings
