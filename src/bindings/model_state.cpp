#include "core/state.hpp"
#include "model.hpp"
#include "state_bytes.hpp"

namespace thresher::bindings {

nb::dict Model::state() {
    const Hold hold(owner_);
    State state = learner_->save();
    Saver saver(state, "class_weights.");
    class_weights_.describe(saver);
    nb::dict out = dict_of(state);
    // Names that were met but not learned from yet have no weights and are left out.
    put_names(out, names_, std::min(names_.size(), learner_->features()));
    out["name_counts"] = bytes_of(lexicon_->counts().data(), lexicon_->counts().size());
    return out;
}

void Model::set_state(nb::dict from) {
    const Hold hold(owner_);
    const State state = state_from(from);
    Vocabulary names = names_from(from);
    auto counts = numbers_from<std::uint8_t>(from["name_counts"], "name_counts");
    if (counts.size() != lexicon_->counts().size())
        raise("ModelFileError", "the counts of names do not fit min_count");
    ClassWeights class_weights = class_weights_;
    try {
        Loader loader(state, "class_weights.");
        class_weights.describe(loader);
        learner_->load(state);
    } catch (const BadState& bad) {
        raise("ModelFileError", bad.what());
    }
    if (names.size() > learner_->features())
        raise("ModelFileError", "there are more feature names than weights");
    if (lexicon_->hashed() && (names.size() > 0 || learner_->features() > lexicon_->size()))
        raise("ModelFileError", "a model with hashed features has no names");
    class_weights_ = std::move(class_weights);
    lexicon_->replace_names(std::move(names));
    lexicon_->counts() = std::move(counts);
    example_.forget_names();
}

}  // namespace thresher::bindings
