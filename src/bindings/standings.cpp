// Who leads in a race, and who is surely worse.
#include "standings.hpp"

#include <optional>

#include "arrays.hpp"
#include "core/experts/standings.hpp"
#include "module.hpp"
#include "resolved.hpp"
#include "state_bytes.hpp"

using namespace nb::literals;

namespace thresher::bindings {

namespace {

void add(Standings& self, nb::list passes) {
    std::vector<const Progress*> of;
    for (nb::handle one : passes)
        of.push_back(one.is_none() ? nullptr : nb::cast<const Progress*>(one));
    if (of.size() != self.size()) throw nb::value_error("other predictors");
    self.add(of);
}

void see_examples(Standings& self, const Examples& examples, std::size_t begin, std::size_t end,
                  nb::object order) {
    std::optional<Array1<std::int64_t>> kept;
    const Lesson lesson = lesson_of(examples, order, begin, end, kept);
    for (std::size_t i = begin; i < end; ++i)
        self.see(width_of(examples.rows(), row_of(lesson, i)));
}

void see_rows(Standings& self, nb::object x, std::size_t end) {
    const ArrayRows batch = array_rows(x);
    for (std::size_t i = 0; i < std::min(end, batch.size); ++i) self.see(width_of(*batch.rows, i));
}

nb::list look(Standings& self, std::size_t examples) {
    nb::list worse;
    const std::optional<double> errors = self.looks(examples);
    if (!errors) return worse;
    const std::size_t leader = self.leader();
    for (std::size_t p = 0; p < self.size(); ++p)
        if (self.is_here(p) && self.history().is_worse(p, leader, *errors)) worse.append(p);
    return worse;
}

nb::tuple state(Standings& self) {
    nb::list here;
    for (std::size_t p = 0; p < self.size(); ++p) here.append(self.is_here(p));
    return nb::make_tuple(here, self.is_regressor(), saved(self, "a race"));
}

void set_state(Standings& self, nb::tuple from) {
    const nb::list here = nb::cast<nb::list>(from[0]);
    new (&self) Standings(here.size(), nb::cast<bool>(from[1]));
    for (std::size_t p = 0; p < here.size(); ++p)
        if (!nb::cast<bool>(here[p])) self.leave(p);
    restore(self, nb::cast<nb::dict>(from[2]));
}

}  // namespace

void bind_standings(nb::module_& m) {
    nb::class_<Standings>(m, "Standings", "Who leads in a race, and who is surely worse.")
        .def(nb::init<std::size_t, bool>(), "predictors"_a, "regressor"_a)
        .def_ro_static("first", &Standings::enough,
                       "The number of examples that show what the data is like.")
        .def("add", &add, "passes"_a,
             nb::sig("def add(self, passes: list[Progress | None]) -> None"),
             "The last pass of each predictor that is here, None for others.")
        .def("see_examples", &see_examples, "examples"_a, "begin"_a, "end"_a,
             "order"_a = nb::none(), "Some of the first examples.")
        .def("see_rows", &see_rows, "x"_a, "end"_a, "The first rows of an array.")
        .def("see", &Standings::see, "width"_a)
        .def("leave", &Standings::leave, "predictor"_a)
        .def("look", &look, "examples"_a, nb::sig("def look(self, examples: int) -> list[int]"),
             "Those that are worse than the leader, where it is time to ask.")
        .def_prop_ro("next_look", &Standings::next_look)
        .def_prop_ro("width", &Standings::width,
                     "Features of a row that are not 0, on average over the first examples.")
        .def_prop_ro("leader", &Standings::leader)
        .def_prop_ro(
            "best", [](const Standings& self) { return self.best(Stretch::whole); },
            "The one with the least error over all examples.")
        .def(
            "row",
            [](const Standings& self, std::size_t p) { return errors_of(self.history(), p); },
            "predictor"_a, nb::sig("def row(self, predictor: int) -> dict[str, typing.Any]"))
        .def("distance", &Standings::distance, "predictor"_a,
             "The mean absolute error of a predictor of numbers.")
        .def_prop_ro("usual", [](const Standings& s) { return s.row_of(Standings::usual); })
        .def_prop_ro("last", [](const Standings& s) { return s.row_of(Standings::last); })
        .def_prop_ro("examples", [](const Standings& s) { return s.history().examples(); })
        .def_prop_ro("recent_examples", [](const Standings& s) { return s.history().recent(); })
        .def("__getstate__", &state)
        .def("__setstate__", &set_state);
}

}  // namespace thresher::bindings
