// Names that already have ids, handed from the consumer of batches to the parsers of later ones.
#pragma once

#include <memory>
#include <mutex>

#include "../vocabulary.hpp"

namespace thresher::parse {

class KnownNames {
public:
    /// Called by whoever resolves batches, holding the lock of the vocabulary. The first vocabulary stays:
    /// if several resolve the same batches, the others are served without. It never waits: in a
    /// forked process the thread that had the lock may be gone.
    void give(Vocabulary& names) {
        const std::unique_lock lock(mutex_, std::try_to_lock);
        if (!lock || (owner_ && owner_ != &names)) return;
        owner_ = &names;
        if (!known_ || known_->size() != names.size() || !known_->holds_for(names))
            known_ = names.snapshot();
    }

    std::shared_ptr<const Vocabulary::Snapshot> take() {
        const std::lock_guard lock(mutex_);
        return known_;
    }

private:
    std::mutex mutex_;
    const void* owner_ = nullptr;
    std::shared_ptr<const Vocabulary::Snapshot> known_;
};

}  // namespace thresher::parse
