// Methods of the Python classes whose usual call never enters Python code: `learn_one`, `predict_one` and
// `predict_learn_one` of a learner that has seen the label. Every other call goes to the Python function.
#include <nanobind/nanobind.h>
#include <structmember.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>

#include "interpreter.hpp"
#include "model.hpp"
#include "module.hpp"
#include "values.hpp"

namespace thresher::bindings {

namespace {

struct Method {
    PyObject_HEAD vectorcallfunc call;
    PyObject* function;  // the method in Python
    PyObject* dict;      // its name, its documentation
};

Method* method_of(PyObject* o) { return reinterpret_cast<Method*>(o); }

PyObject* call_python(PyObject* self, PyObject* const* args, std::size_t flags, PyObject* names) {
    return PyObject_Vectorcall(method_of(self)->function, args, flags, names);
}

/// The model of a learner, if it has one.
nb::object model_of(PyObject* learner) {
    static PyObject* const name = PyUnicode_InternFromString("_model");
    static PyObject* const type = nb::type<Model>().ptr();
    // Of the learner that was called last: as long as nothing in its `__dict__` changes, that holds the model.
    static constinit struct {
        std::uint64_t version = 0;
        PyObject* model = nullptr;
    } last;
    PyObject* const attributes = interpreter::attributes_with_version(learner);
    const std::uint64_t version = attributes ? interpreter::version_of(attributes) : 0;
    if (version != 0 && version == last.version) return nb::borrow(last.model);

    nb::object model = nb::steal(PyObject_GetAttr(learner, name));
    if (!model.is_valid())
        PyErr_Clear();
    else if (reinterpret_cast<PyObject*>(Py_TYPE(model.ptr())) != type || !nb::inst_ready(model))
        model.reset();
    else if (version != 0 && attributes == interpreter::attributes_with_version(learner) &&
             PyDict_GetItemWithError(attributes, name) == model.ptr())
        last = {version, model.ptr()};
    return model;
}

/// `native` handles the usual call; if it returns no object, the Python method does.
template <std::size_t arguments, class Native>
PyObject* call(PyObject* self, PyObject* const* args, std::size_t flags, PyObject* names,
               Native native) {
    if (PyVectorcall_NARGS(flags) != arguments + 1 || names)
        return call_python(self, args, flags, names);
    try {
        if (const nb::object model = model_of(args[0]); model.is_valid())
            if (nb::object answer = native(*nb::inst_ptr<Model>(model), args + 1);
                answer.is_valid())
                return answer.release().ptr();
    } catch (nb::python_error& error) {
        error.restore();
        return nullptr;
    } catch (const std::bad_alloc&) {
        return PyErr_NoMemory();
    } catch (const std::exception& error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
        return nullptr;
    }
    return call_python(self, args, flags, names);
}

bool is_common_label(PyObject* y) {
    return PyUnicode_CheckExact(y) || PyBool_Check(y) || PyLong_CheckExact(y);
}

PyObject* predict_label(PyObject* self, PyObject* const* args, std::size_t flags, PyObject* names) {
    return call<1>(self, args, flags, names, [](Model& model, PyObject* const* given) {
        return given[0] == Py_None ? nb::object() : model.predict_one(given[0]);
    });
}

PyObject* learn_label(PyObject* self, PyObject* const* args, std::size_t flags, PyObject* names) {
    return call<2>(self, args, flags, names, [](Model& model, PyObject* const* given) {
        const bool learned = given[0] != Py_None && is_common_label(given[1]) &&
                             model.learn_one(given[0], given[1], 1.0);
        return learned ? nb::none() : nb::object();
    });
}

PyObject* predict_learn_label(PyObject* self, PyObject* const* args, std::size_t flags,
                              PyObject* names) {
    return call<2>(self, args, flags, names, [](Model& model, PyObject* const* given) {
        if (given[0] == Py_None || !is_common_label(given[1])) return nb::object();
        return model.predict_learn_one(given[0], given[1], 1.0);
    });
}

PyObject* predict_learn_number(PyObject* self, PyObject* const* args, std::size_t flags,
                               PyObject* names) {
    return call<2>(self, args, flags, names, [](Model& model, PyObject* const* given) {
        if (given[0] == Py_None || !PyFloat_CheckExact(given[1])) return nb::object();
        return model.predict_learn_one_target(given[0], interpreter::value_of(given[1]), 1.0);
    });
}

PyObject* predict_number(PyObject* self, PyObject* const* args, std::size_t flags,
                         PyObject* names) {
    return call<1>(self, args, flags, names, [](Model& model, PyObject* const* given) {
        return given[0] == Py_None ? nb::object() : model.score_one(given[0]);
    });
}

PyObject* learn_number(PyObject* self, PyObject* const* args, std::size_t flags, PyObject* names) {
    return call<2>(self, args, flags, names, [](Model& model, PyObject* const* given) {
        if (given[0] == Py_None || !PyFloat_CheckExact(given[1])) return nb::object();
        model.learn_one_target(given[0], interpreter::value_of(given[1]), 1.0);
        return nb::object(nb::none());
    });
}

vectorcallfunc native(const std::string& kind) {
    if (kind == "predict_label") return predict_label;
    if (kind == "learn_label") return learn_label;
    if (kind == "predict_number") return predict_number;
    if (kind == "learn_number") return learn_number;
    if (kind == "predict_learn_label") return predict_learn_label;
    if (kind == "predict_learn_number") return predict_learn_number;
    throw nb::value_error("unknown kind of method");
}

// -- the type of such a method: like a Python function, it binds to its object, and has a __dict__

PyObject* bound(PyObject* self, PyObject* object, PyObject*) {
    if (!object) return Py_NewRef(self);
    return interpreter::bound_method(self, object);
}

int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(method_of(self)->function);
    Py_VISIT(method_of(self)->dict);
    return 0;
}

int clear(PyObject* self) {
    Py_CLEAR(method_of(self)->function);
    Py_CLEAR(method_of(self)->dict);
    return 0;
}

void deallocate(PyObject* self) {
    PyTypeObject* type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    clear(self);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

template <auto f>
void* slot() {
    return reinterpret_cast<void*>(f);
}

nb::object method_type() {
    static PyMemberDef members[] = {
        {"__vectorcalloffset__", T_PYSSIZET, offsetof(Method, call), READONLY, nullptr},
        {"__dictoffset__", T_PYSSIZET, offsetof(Method, dict), READONLY, nullptr},
        {}};
    static PyGetSetDef attributes[] = {
        {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr}, {}};
    static PyType_Slot slots[] = {{Py_tp_call, slot<PyVectorcall_Call>()},
                                  {Py_tp_descr_get, slot<bound>()},
                                  {Py_tp_traverse, slot<traverse>()},
                                  {Py_tp_clear, slot<clear>()},
                                  {Py_tp_dealloc, slot<deallocate>()},
                                  {Py_tp_members, members},
                                  {Py_tp_getset, attributes},
                                  {}};
    static PyType_Spec spec = {"thresher._core.Method", sizeof(Method), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                                   Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR |
                                   Py_TPFLAGS_DISALLOW_INSTANTIATION,
                               slots};
    nb::object type = nb::steal(PyType_FromSpec(&spec));
    if (!type.is_valid()) throw nb::python_error();
    return type;
}

}  // namespace

void bind_methods(nb::module_& m) {
    m.def(
        "native_method",
        [type = method_type()](nb::handle function, nb::str kind) {
            const vectorcallfunc call = native(from_python<std::string>(kind));
            auto* self = PyObject_GC_New(Method, reinterpret_cast<PyTypeObject*>(type.ptr()));
            if (!self) throw nb::python_error();
            self->call = call;
            self->function = Py_NewRef(function.ptr());
            self->dict = nullptr;
            PyObject_GC_Track(self);
            return nb::steal(reinterpret_cast<PyObject*>(self));
        },
        nb::sig("def native_method(function: typing.Any, kind: str, /) -> typing.Any"));
}

}  // namespace thresher::bindings
