// The bindings between Python and the core: only this folder knows both.
#include "module.hpp"

NB_MODULE(_core, m) {
    m.doc() = "The compiled core of Thresher.";
    nb::set_leak_warnings(false);
    thresher::bindings::bind_by_rows(m);
    thresher::bindings::bind_labels(m);
    thresher::bindings::bind_reader(m);
    thresher::bindings::bind_drift(m);
    thresher::bindings::bind_elementary(m);
    thresher::bindings::bind_examples(m);
    thresher::bindings::bind_frames(m);
    thresher::bindings::bind_gram(m);
    thresher::bindings::bind_model(m);
    thresher::bindings::bind_methods(m);
    thresher::bindings::bind_mixing(m);
    thresher::bindings::bind_named_cells(m);
    thresher::bindings::bind_prepared_rows(m);
    thresher::bindings::bind_preparer(m);
    thresher::bindings::bind_sequence(m);
    thresher::bindings::bind_standings(m);
    thresher::bindings::bind_version_space(m);
}
