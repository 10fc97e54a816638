// What each file adds to the module; module.cpp calls them all.
#pragma once

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace thresher::bindings {

void bind_by_rows(nb::module_& m);
void bind_drift(nb::module_& m);
void bind_elementary(nb::module_& m);
void bind_examples(nb::module_& m);
void bind_frames(nb::module_& m);
void bind_gram(nb::module_& m);
void bind_labels(nb::module_& m);
void bind_methods(nb::module_& m);
void bind_mixing(nb::module_& m);
void bind_model(nb::module_& m);
void bind_named_cells(nb::module_& m);
void bind_prepared_rows(nb::module_& m);
void bind_preparer(nb::module_& m);
void bind_reader(nb::module_& m);
void bind_sequence(nb::module_& m);
void bind_standings(nb::module_& m);
void bind_version_space(nb::module_& m);

}  // namespace thresher::bindings
