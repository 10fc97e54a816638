// Rows prepared once for several models that have seen the same stream.
#include "prepared_rows.hpp"

#include <optional>
#include <utility>

#include "errors.hpp"
#include "model.hpp"
#include "module.hpp"
#include "resolved.hpp"

using namespace nb::literals;

namespace thresher::bindings {

nb::object Model::preparation() {
    const Hold hold(lock_, For::reading);
    const Prepared* prepared = learner_->facets().prepared;
    if (!prepared) return nb::none();
    return shared_with_python(
        std::make_shared<SharedPreparation>(*prepared->shared(), prepared->names()));
}

void Model::learn_prepared(const PreparedRows& rows, Progress& progress) {
    const Hold hold(lock_, for_pass());
    Prepared& prepared = required(learner_->facets().prepared);
    telling(rows.counted, names_, [&] {
        std::optional<Apart> apart;
        if (!calls_python_) apart.emplace();
        Lesson with;
        take_part(with);
        prepared.learn_prepared(rows, with, progress);
    });
}

namespace {

nb::object prepare_examples(SharedPreparation& self, const Examples& examples, std::size_t begin,
                            std::size_t end, const Progress& progress, nb::object order) {
    std::optional<Array1<std::int64_t>> kept;
    const Lesson lesson = lesson_of(examples, order, begin, end, kept);
    if (lesson.starts) throw nb::value_error("sets of labels");
    return self.prepare(examples.rows(), lesson, examples.needed, begin, end, progress, "example");
}

nb::object prepare_rows(SharedPreparation& self, nb::object x, nb::object codes, nb::object targets,
                        nb::object weights, std::size_t begin, std::size_t end,
                        const Progress& progress) {
    const ArrayRows batch = array_rows(x);
    LessonArrays arrays(batch.size, codes, targets, weights);
    if (begin > end || end > batch.size) throw nb::index_error("no such rows");
    const std::vector<std::size_t> needed(batch.size, batch.cols);
    return self.prepare(*batch.rows, arrays.lesson, needed, begin, end, progress, "row");
}

}  // namespace

void bind_prepared_rows(nb::module_& m) {
    nb::class_<PreparedRows>(m, "PreparedRows", "Rows prepared for several models.")
        .def("__len__", &PreparedRows::size);
    nb::class_<SharedPreparation>(m, "SharedPreparation",
                                  "Prepares rows for models that have seen the same stream. No "
                                  "other thread may use these models meanwhile.")
        .def("prepare", &prepare_examples, "examples"_a, "begin"_a, "end"_a, "progress"_a,
             "order"_a = nb::none(),
             nb::sig("def prepare(self, examples: Examples, begin: int, end: int, progress: "
                     "Progress, order: object | None = None) -> PreparedRows"))
        .def("prepare_rows", &prepare_rows, "x"_a, "codes"_a.none(), "targets"_a.none(),
             "weights"_a.none(), "begin"_a, "end"_a, "progress"_a,
             nb::sig("def prepare_rows(self, x: object, codes: object | None, targets: object | "
                     "None, weights: object | None, begin: int, end: int, progress: Progress) -> "
                     "PreparedRows"));
}

}  // namespace thresher::bindings
