#include <optional>

#include "errors.hpp"
#include "model.hpp"
#include "resolved.hpp"

namespace thresher::bindings {

void Model::learn_examples(const Examples& examples, std::size_t begin, std::size_t end,
                           Progress& progress, nb::object order, nb::object answers) {
    using Answers = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    std::optional<Answers> told;  // of this call alone, however it ends
    const struct Forgets {
        Progress& progress;
        ~Forgets() { progress.answers = nullptr; }
    } forgets{progress};
    if (!answers.is_none()) {
        told = nb::cast<Answers>(answers, false);
        if (begin > end || told->shape(0) < end - begin)
            throw nb::index_error("no room for answers");
        progress.answers = told->data();
    }
    std::optional<Array1<std::int64_t>> kept;
    Lesson lesson = lesson_of(examples, order, begin, end, kept);
    const Hold hold(lock_, for_pass());
    if (lesson.starts) check_takes_sets();
    take_part(lesson);
    learn_progressively(examples.rows(), lesson, examples.needed, begin, end, progress, "example");
}

void Model::learn_progressively(const Rows& rows, const Lesson& lesson,
                                const std::vector<std::size_t>& needed, std::size_t begin,
                                std::size_t end, Progress& progress, const char* counted) {
    progress.ended_at = progress.taught = 0;
    if (progress.waiting > end - begin) throw nb::index_error("fewer rows than are waiting");
    telling(counted, names_, [&] {
        std::optional<Apart> apart;
        if (!calls_python_) apart.emplace();
        learner_->learn_progressively(rows, lesson, needed.data(), begin, end, progress);
    });
}

void Model::learn_rows(nb::object x, nb::object codes, nb::object targets, nb::object weights,
                       std::size_t begin, std::size_t end, Progress& progress) {
    const ArrayRows batch = array_rows(x);
    LessonArrays arrays(batch.size, codes, targets, weights);
    if (begin > end || end > batch.size) throw nb::index_error("no such rows");
    const Hold hold(lock_, for_pass());
    take_part(arrays.lesson);
    check_rows(batch);
    const std::vector<std::size_t> needed(batch.size, 0);  // there is room for all columns
    learn_progressively(*batch.rows, arrays.lesson, needed, begin, end, progress, "row");
}

nb::typed<nb::object, Examples> Model::resolve(parse::Batch& batch, ListOf<std::int32_t> codes,
                                               bool learning, std::size_t begin, std::size_t end,
                                               ListOf<std::int64_t> starts) {
    const Hold hold(lock_, learning ? For::passing : For::reading);
    return resolved(*lexicon_, batch, std::move(codes), learning, begin, end, std::move(starts));
}

Model::Doubles Model::scores(const Examples& examples, bool targets) {
    const Hold hold(lock_, For::reading);
    const std::size_t n = examples.size();
    const std::size_t k = targets ? learner_->classes().size() : learner_->columns();
    for (const std::size_t needed : examples.needed)
        if (needed > learner_->features()) throw nb::value_error("more features than weights");
    auto out = std::make_unique<double[]>(n * k);
    telling("example", names_, [&] {
        const Apart apart;
        const bool unseen = examples.unseen_count.size() == n;
        if (!targets) {
            learner_->predict_with(examples.rows(), 0, n,
                                   unseen ? examples.unseen_sum.data() : nullptr,
                                   unseen ? examples.unseen_count.data() : nullptr, out.get());
        } else {
            Targets& of = required(learner_->facets().targets);
            of.predict_targets(examples.rows(), 0, n, out.get());
            for (std::size_t i = 0; unseen && i < n; ++i)
                for (std::size_t c = 0; c < k && examples.unseen_count[i] > 0; ++c)
                    out[i * k + c] += of.unseen_target(examples.unseen_sum[i], c);
        }
    });
    return owned(std::move(out), {n, k});
}

nb::ndarray<nb::numpy, std::int32_t> Model::decisions(const Array2<double>& scores) {
    const Hold hold(lock_, For::reading);
    const Classes& classes = learner_->classes();
    if (scores.shape(1) != classes.columns() || classes.empty())
        throw nb::value_error("scores of another model");
    auto out = std::make_unique<std::int32_t[]>(scores.shape(0));
    for (std::size_t i = 0; i < scores.shape(0); ++i)
        out[i] = static_cast<std::int32_t>(
            classes.code(classes.decide(scores.data() + i * scores.shape(1))));
    return owned(std::move(out), {scores.shape(0)});
}

nb::tuple Model::predict(nb::object x) {
    const Hold hold(lock_, For::reading);
    const Doubles scores = decision(std::move(x), false);
    const Classes& classes = learner_->classes();
    const std::size_t n = scores.shape(0), k = scores.shape(1);
    auto out = std::make_unique<std::int32_t[]>(n);
    for (std::size_t i = 0; i < n && !classes.empty(); ++i)
        out[i] = static_cast<std::int32_t>(classes.decide(scores.data() + i * k));
    nb::list met;
    for (const std::size_t code : classes.order()) met.append(label(code));
    return nb::make_tuple(owned(std::move(out), {n}), met);
}

Model::Doubles Model::probabilities(const Array2<double>& scores, bool targets) {
    const Hold hold(lock_, For::reading);
    const std::size_t n = scores.shape(0), k = scores.shape(1);
    if (k != (targets ? learner_->classes().size() : learner_->columns()))
        throw nb::value_error("scores of another model");
    auto out = std::make_unique<double[]>(n * k);
    std::copy(scores.data(), scores.data() + n * k, out.get());
    if (targets)
        required(learner_->facets().targets).calibrate_targets(out.get(), n);
    else
        learner_->calibrate(out.get(), n);
    return owned(std::move(out), {n, k});
}

void Model::forget_unlearned() {
    const Hold hold(lock_, For::changing);
    lexicon_->mark();
    take_back_names(learner_->features());
}

void Model::take_back_resolved(std::size_t learned) {
    const Hold hold(lock_, For::changing);
    take_back_names(learner_->features(), learned);
}

}  // namespace thresher::bindings
