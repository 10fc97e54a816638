#include "core/state.hpp"
#include "model.hpp"
#include "state_bytes.hpp"

namespace thresher::bindings {

State Model::saved() {
    try {
        State state = learner_->save();
        Saver saver(state, "class_weights.");
        class_weights_.describe(saver);
        Saver of_threshold(state, "threshold.");
        threshold_.describe(of_threshold);
        return state;
    } catch (const BadState& bad) {
        raise("ModelFileError", std::string("this model cannot be saved: ") + bad.what());
    }
}

nb::dict Model::state() {
    const Hold hold(lock_, For::reading);
    return with_names(dict_of(saved()));
}

nb::dict Model::with_names(nb::dict out) {
    // Names that were read but not learned from yet have no weights and are left out.
    put_names(out, names_, std::min(names_.size(), learner_->features()));
    out["name_counts"] = bytes_of(lexicon_->counts().data(), lexicon_->counts().size());
    return out;
}

nb::tuple Model::snapshot(bool views) {
    const Hold hold(lock_, For::reading);
    return nb::make_tuple(with_names(dict_of(saved(), views)), known_labels_);
}

void Model::set_state(nb::dict from) {
    const Hold hold(lock_, For::changing);
    const State state = state_from(from);
    Vocabulary names = names_from(from);
    auto counts = numbers_from<std::uint8_t>(from["name_counts"], "name_counts");
    if (counts.size() != lexicon_->counts().size())
        raise("ModelFileError", "the counts of names do not fit min_count");
    Made now = loaded(options_, state);
    const Learner* learner = now.learner.get();
    if (names.size() > learner->features())
        raise("ModelFileError", "there are more feature names than weights");
    if (lexicon_->hashed() && (names.size() > 0 || learner->features() > lexicon_->size()))
        raise("ModelFileError", "a model with hashed features has no names");
    for (const std::size_t code : learner->classes().order())
        if (labels_.size() > 0 && code >= labels_.size())
            raise("ModelFileError", "the labels do not fit the classes");
    take(std::move(now));
    lexicon_->replace_names(std::move(names));
    lexicon_->counts() = std::move(counts);
    forget_names();
}

}  // namespace thresher::bindings
