// Detectors of drift, as `thresher.drift` uses them.
#include <nanobind/stl/string.h>

#include "core/drift/adwin.hpp"
#include "core/drift/ddm.hpp"
#include "core/drift/page_hinkley.hpp"
#include "module.hpp"
#include "options.hpp"
#include "state_bytes.hpp"

using namespace nb::literals;

namespace thresher::bindings {

namespace {

template <class Kind>
std::unique_ptr<drift::Detector> detector(OptionReader& o) {
    return std::make_unique<drift::DetectorOf<Kind>>(o.read<typename Kind::Options>());
}

std::unique_ptr<drift::Detector> detector_of(const std::string& kind, nb::dict options) {
    OptionReader o(std::move(options));
    std::unique_ptr<drift::Detector> made;
    if (kind == "adwin") made = detector<drift::Adwin>(o);
    if (kind == "ddm") made = detector<drift::Ddm>(o);
    if (kind == "page-hinkley") made = detector<drift::PageHinkley>(o);
    if (!made) throw nb::value_error("unknown detector");
    o.finish();
    return made;
}

/// Numbers by name, as JSON can hold them.
nb::dict plain(const State& state) {
    nb::dict out;
    for (const auto& [name, cells] : state.arrays) {
        nb::list list;
        for (const double cell : cells) list.append(cell);
        out[name.c_str()] = list;
    }
    for (const auto& [name, value] : state.reals) out[name.c_str()] = value;
    for (const auto& [name, value] : state.counts) out[name.c_str()] = value;
    return out;
}

/// A list is an array, a float a number, an int a count: as `plain` gives them.
State from_plain(const nb::dict& from) {
    State state;
    for (const auto& [key, value] : from) {
        const auto name = nb::cast<std::string>(key);
        if (nb::isinstance<nb::list>(value)) {
            auto& cells = state.arrays[name];
            for (nb::handle cell : nb::cast<nb::list>(value))
                cells.push_back(nb::cast<double>(cell));
        } else if (nb::isinstance<nb::float_>(value)) {
            state.reals[name] = nb::cast<double>(value);
        } else {
            state.counts[name] = nb::cast<std::uint64_t>(value);
        }
    }
    return state;
}

void set_state(drift::Detector& self, const nb::dict& from) {
    try {
        self.load(from_plain(from));
    } catch (const BadState& bad) {
        raise("ModelFileError", std::string("a detector of drift: ") + bad.what());
    } catch (const nb::cast_error&) {
        raise("ModelFileError", "a detector of drift: its state is not made of numbers");
    }
}

}  // namespace

void bind_drift(nb::module_& m) {
    nb::class_<drift::Evidence>(m, "Evidence", "What a detector compared when it found a change.")
        .def_ro("older_mean", &drift::Evidence::older_mean)
        .def_ro("newer_mean", &drift::Evidence::newer_mean)
        .def_ro("older_size", &drift::Evidence::older_size)
        .def_ro("newer_size", &drift::Evidence::newer_size)
        .def_ro("statistic", &drift::Evidence::statistic)
        .def_ro("threshold", &drift::Evidence::threshold);
    nb::class_<drift::Detector>(m, "Detector", "A detector of drift: one number at a time.")
        .def("update", &drift::Detector::update, "value"_a)
        .def("reset", &drift::Detector::reset)
        .def_prop_ro("found", [](const drift::Detector& d) { return drift::Evidence(d.found()); })
        .def_prop_ro("width", &drift::Detector::width)
        .def_prop_ro("mean", &drift::Detector::mean)
        .def_prop_ro("warns", &drift::Detector::warns)
        .def(
            "state", [](drift::Detector& d) { return plain(d.save()); },
            nb::sig("def state(self) -> dict[str, float | int | list[float]]"))
        .def("set_state", &set_state, "state"_a);
    m.def(
        "detector",
        [](const std::string& kind, nb::dict options) {
            return detector_of(kind, std::move(options)).release();
        },
        "kind"_a, "options"_a, nb::rv_policy::take_ownership,
        nb::sig("def detector(kind: str, options: dict[str, object]) -> Detector"));
    nb::class_<drift::Watch>(m, "Watch", "What a run shows a detector: the loss of each example.")
        .def(nb::init<drift::Detector&, bool>(), "detector"_a, "numbers"_a, nb::keep_alive<1, 2>())
        .def("sees", &drift::Watch::sees, "loss"_a)
        .def_rw("total", &drift::Watch::total)
        .def_rw("count", &drift::Watch::count);
}

}  // namespace thresher::bindings
