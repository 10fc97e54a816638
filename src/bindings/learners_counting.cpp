#include "core/moments/lda.hpp"
#include "core/moments/least_squares.hpp"
#include "core/naive_bayes.hpp"
#include "core/snow/snow.hpp"
#include "learners.hpp"

namespace thresher::bindings {

namespace {

std::unique_ptr<Learner> snow_of(const Options& o) {
    snow::Options s;
    s.kind = static_cast<snow::Kind>(o.get<unsigned>("kind") % snow::kinds);
    s.uses_bayes = o.flag("uses_bayes");
    s.uses_norm = o.flag("uses_norm");
    s.unit = o.flag("unit");
    s.alpha = o.real("alpha");
    s.beta = o.real("beta");
    s.theta = o.real("theta");
    s.initial_weight = o.real("initial_weight");
    s.margin = o.real("margin");
    s.eta = o.real("eta");
    s.C = o.real("C");
    s.smoothing = o.real("smoothing");
    s.bias = o.flag("fit_intercept") ? 1.0 : 0.0;
    s.eligibility = o.get<std::uint32_t>("eligibility");
    s.prune = o.real("prune");
    s.max_links = o.get<std::size_t>("max_links");
    s.one_vs_rest = o.flag("one_vs_rest");
    s.multi_label = o.flag("multi_label");
    s.sigmoid = o.flag("sigmoid");
    s.average = o.flag("average");
    s.burn_in = o.real("burn_in");
    s.calibrate = o.flag("calibrate");
    return std::make_unique<snow::Snow>(s);
}

}  // namespace

std::unique_ptr<Learner> counting_learner(const std::string& geometry, const Options& o) {
    if (geometry == "naive_bayes")
        return std::make_unique<NaiveBayes>(
            NaiveBayesOptions{o.flag("bernoulli"), o.real("alpha"), o.flag("fit_prior")});
    if (geometry == "least_squares")
        return std::make_unique<LeastSquares>(
            LeastSquaresOptions{o.real("l2"), o.real("forgetting"), o.flag("fit_intercept")});
    if (geometry == "lda")
        return std::make_unique<LDA>(LDAOptions{o.real("shrinkage"), o.flag("fit_prior")});
    if (geometry == "snow") return snow_of(o);
    return nullptr;
}

}  // namespace thresher::bindings
