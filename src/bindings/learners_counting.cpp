#include "core/moments/lda.hpp"
#include "core/moments/least_squares.hpp"
#include "core/naive_bayes.hpp"
#include "core/snow/snow.hpp"
#include "learners.hpp"

namespace thresher::bindings {

std::unique_ptr<Learner> counting_learner(const std::string& geometry, OptionReader& o) {
    if (geometry == "naive-bayes") return std::make_unique<NaiveBayes>(o.read<NaiveBayesOptions>());
    if (geometry == "lda") return std::make_unique<LDA>(o.read<LDAOptions>());
    if (geometry == "least-squares")
        return std::make_unique<LeastSquares>(o.read<LeastSquaresOptions>());
    if (geometry == "snow") return std::make_unique<snow::Snow>(o.read<snow::Options>());
    return nullptr;
}

}  // namespace thresher::bindings
