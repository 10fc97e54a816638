#include "errors.hpp"

#include "names.hpp"
#include "values.hpp"

using namespace nb::literals;

namespace thresher::bindings {

namespace {

[[noreturn]] void raise(const nb::object& error) {
    PyErr_SetObject(error.type().ptr(), error.ptr());
    throw nb::python_error();
}

}  // namespace

void raise(const char* type, const std::string& message) {
    raise(nb::module_::import_("thresher.errors").attr(type)(text(message)));
}

void raise_about(nb::handle feature, const std::string& found, const std::string& expected) {
    const nb::module_ errors = nb::module_::import_("thresher.errors");
    raise(errors.attr("InvalidInput")(text(found), "expected"_a = text(expected),
                                      "where"_a = errors.attr("Where")("feature"_a = feature)));
}

std::string shown(nb::handle h) { return from_python<std::string>(nb::repr(h)); }

std::string type_name_of(nb::handle h) {
    return from_python<std::string>(nb::object(nb::handle(h.type()).attr("__name__")));
}

void raise_fault(const Fault& fault, const char* counted, nb::object feature) {
    nb::dict where;
    if (counted) where[counted] = fault.row;
    if (!feature.is_none()) where["feature"] = feature;
    raise(nb::module_::import_("thresher.faults")
              .attr("error_of")(fault.word(), fault.value, fault.limit, fault.weight,
                                fault.what_grows, where));
}

void raise_fault(const Fault& fault, const char* counted, const Vocabulary& names) {
    nb::object feature = nb::none();
    if (fault.feature >= 0 && fault.kind != Fault::Kind::bad_index)
        feature = name_of(names, static_cast<std::size_t>(fault.feature));
    raise_fault(fault, counted, feature);
}

}  // namespace thresher::bindings
