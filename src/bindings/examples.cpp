// Names to numbers: the lexicon, and the examples of a batch as a model reads them.
#include "core/resolve.hpp"

#include <nanobind/nanobind.h>

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>

#include "arrays.hpp"
#include "core/cache.hpp"
#include "hold.hpp"
#include "module.hpp"
#include "names.hpp"
#include "resolved.hpp"
#include "values.hpp"

using namespace nb::literals;

namespace thresher::bindings {

namespace {

void set_figures(Figures& figures, const nb::tuple& state) {
    Figures t;
    t.on = nb::cast<bool>(state[0]);
    t.weight = nb::cast<double>(state[1]);
    t.log_loss = nb::cast<double>(state[2]);
    t.log_loss_squares = nb::cast<double>(state[3]);
    t.right = from_python<std::vector<double>>(state[4]);
    t.truth = from_python<std::vector<double>>(state[5]);
    t.said = from_python<std::vector<double>>(state[6]);
    t.mass = from_python<std::vector<double>>(state[7]);
    if (!t.mass.empty() && t.mass.size() != 2 * ScoreBins::size)
        throw nb::value_error("no such bins");
    new (&figures) Figures(std::move(t));
}

nb::tuple state_of(const Score& s) {
    return nb::make_tuple(s.examples, s.weight, s.loss, s.weight_squares, s.loss_squares);
}
Score score_of(nb::handle from) {
    return {nb::cast<std::uint64_t>(from[0]), nb::cast<double>(from[1]), nb::cast<double>(from[2]),
            nb::cast<double>(from[3]), nb::cast<double>(from[4])};
}

void set_progress(Progress& progress, const nb::tuple& from) {
    Progress p;
    p.learned = score_of(from[0]);
    p.held_out = score_of(from[1]);
    p.unlabelled = nb::cast<std::uint64_t>(from[2]);
    p.hold_out_every = nb::cast<std::uint64_t>(from[3]);
    p.position = nb::cast<std::uint64_t>(from[4]);
    p.keeps_outcomes = nb::cast<bool>(from[5]);
    p.figures = nb::cast<Figures>(from[6]);
    new (&progress) Progress(std::move(p));
}

nb::tuple outcomes_of(const Progress& p) {
    std::vector<char> held;
    std::vector<double> weights, losses, truths;
    for (const Outcome& one : p.outcomes) {
        held.push_back(one.held_out ? 1 : 0);
        weights.push_back(one.weight);
        losses.push_back(one.loss);
        truths.push_back(one.truth);
    }
    const auto bytes = [](const auto& of) {
        return nb::bytes(of.data(), of.size() * sizeof of[0]);
    };
    return nb::make_tuple(bytes(held), bytes(weights), bytes(losses), bytes(truths));
}

void set_outcomes(Progress& p, nb::bytes held, nb::bytes weights, nb::bytes losses,
                  nb::bytes truths) {
    const std::size_t n = held.size();
    for (const nb::bytes& of : {weights, losses, truths})
        if (of.size() != n * sizeof(double)) throw nb::value_error("outcomes of other examples");
    const auto at = [](const nb::bytes& of, std::size_t i) {
        double value;
        std::memcpy(&value, of.c_str() + i * sizeof value, sizeof value);
        return value;
    };
    p.begin_pass(0);
    p.outcomes.reserve(n);
    for (std::size_t i = 0; i < n; ++i)
        p.outcomes.push_back({held.c_str()[i] != 0, at(weights, i), at(losses, i), at(truths, i)});
}

/// Used examples, whose memory is reused.
class SpareExamples {
public:
    SpareExamples() { examples_.reserve(most); }

    std::shared_ptr<Examples> take() {
        std::unique_ptr<Examples> used;
        {
            const std::lock_guard lock(mutex_);
            if (!examples_.empty()) {
                used = std::move(examples_.back());
                examples_.pop_back();
            }
        }
        if (!used) used = std::make_unique<Examples>();
        return {used.release(), [](Examples* e) { spare().give(e); }};
    }
    static SpareExamples& spare() {
        static auto* const kept =
            new SpareExamples;  // never destroyed: examples may outlive everything
        return *kept;
    }

private:
    void give(Examples* used) {
        std::unique_ptr<Examples> examples(used);
        const std::lock_guard lock(mutex_);
        const bool usual = examples->index.bytes() < largest;  // a line of 100 MB is not
        if (usual && examples_.size() < most) examples_.push_back(std::move(examples));
    }

    static constexpr std::size_t most = 2, largest = std::size_t{1} << 24;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Examples>> examples_;
};

[[noreturn]] void raise_errno() {
    PyErr_SetFromErrno(PyExc_OSError);
    throw nb::python_error();
}

void write(const Examples& examples, int fd, std::size_t rows) {
    if (rows > examples.size()) throw nb::index_error("no such rows");
    const std::string bytes = to_bytes(examples, rows);
    for (std::size_t at = 0; at < bytes.size();) {
        const ssize_t n = ::write(fd, bytes.data() + at, bytes.size() - at);
        if (n < 0 && errno != EINTR) raise_errno();
        if (n > 0) at += static_cast<std::size_t>(n);
    }
}

/// All n bytes, or nothing at the end of the file.
bool read_all(int fd, char* to, std::size_t n) {
    std::size_t at = 0;
    while (at < n) {
        const ssize_t got = ::read(fd, to + at, n - at);
        if (got == 0 && at == 0) return false;
        if (got == 0) throw nb::value_error("the cache ends too early");
        if (got < 0 && errno != EINTR) raise_errno();
        if (got > 0) at += static_cast<std::size_t>(got);
    }
    return true;
}

nb::tuple arrays(const Examples& examples) {
    const std::vector<double> ones(examples.weights.empty() ? examples.size() : 0, 1.0);
    const std::vector<double>& weights = ones.empty() ? examples.weights : ones;
    std::vector<double> values(examples.index.size(), 1.0);
    if (!examples.plain) std::copy_n(examples.value.data(), values.size(), values.begin());
    return nb::make_tuple(array_of(examples.start), array_of(examples.index), array_of(values),
                          array_of(examples.codes), array_of(weights));
}

nb::object read(int fd) {
    std::uint64_t size = 0;
    if (!read_all(fd, reinterpret_cast<char*>(&size), sizeof size)) return nb::none();
    if (size > (std::uint64_t{1} << 40)) throw nb::value_error("the cache is damaged");
    std::string bytes(static_cast<std::size_t>(size), '\0');
    read_all(fd, bytes.data(), bytes.size());
    auto out = std::make_shared<Examples>();
    from_bytes(bytes, *out);
    return shared_with_python(std::move(out));
}

}  // namespace

nb::typed<nb::object, Examples> resolved(Lexicon& lexicon, parse::Batch& batch,
                                         ListOf<std::int32_t> codes, bool learning,
                                         std::size_t begin, std::size_t end,
                                         ListOf<std::int64_t> starts) {
    end = std::min(end, batch.rows());
    if (begin > end) throw nb::index_error("no such rows");
    LabelCodes labels{from_python<std::vector<std::int32_t>>(codes),
                      from_python<std::vector<std::int64_t>>(starts)};
    auto out = SpareExamples::spare().take();
    {
        const Apart apart;
        lexicon.mark();
        static thread_local Resolver resolver;
        resolver.resolve(batch, std::move(labels), lexicon, learning, *out, begin, end);
    }
    return shared_with_python(std::move(out));
}

void bind_examples(nb::module_& m) {
    nb::class_<Lexicon>(m, "Lexicon", "Names of features and their numbers.")
        .def(
            "__init__",
            [](Lexicon* self, unsigned hash_bits, unsigned min_count, std::size_t max_features) {
                new (self) Lexicon({hash_bits, min_count, max_features});
            },
            "hash_bits"_a = 0, "min_count"_a = 1, "max_features"_a = 0)
        .def("__len__", &Lexicon::size)
        .def_prop_ro("memory", &Lexicon::bytes)
        .def_prop_ro("hash_bits", [](const Lexicon& x) { return x.options().hash_bits; })
        .def_prop_ro("counts", &Lexicon::counts_names)
        .def_prop_ro("min_count", [](const Lexicon& x) { return x.options().min_count; })
        .def(
            "names",
            [](const Lexicon& self, const Array1<std::int32_t>& ids) {
                nb::list out;
                for (std::size_t i = 0; i < ids.shape(0); ++i)
                    out.append(name_of(self.names(), static_cast<std::size_t>(ids(i))));
                return out;
            },
            "ids"_a,
            nb::sig("def names(self, ids: numpy.typing.NDArray[numpy.int32]) -> list[str]"))
        .def("resolve", &resolved, "batch"_a, "codes"_a, "learning"_a, "begin"_a = 0,
             "end"_a = std::numeric_limits<std::size_t>::max(), "starts"_a = nb::tuple(),
             "For models that share it: no other code may use them meanwhile. "
             "Some rows of a batch (by default all), the label texts of which have these codes; "
             "where they are sets, `starts` says where the codes of each begin.");
    nb::class_<Examples>(m, "Examples", "Examples whose features have their final numbers.")
        .def(nb::init<>())
        .def("__len__", &Examples::size)
        .def(
            "append",
            [](Examples& self, const Examples& from, std::size_t begin, std::size_t end) {
                if (begin > end || end > from.size()) throw nb::index_error("no such rows");
                self.append(from, begin, end);
            },
            "examples"_a, "begin"_a, "end"_a)
        .def("arrays", &arrays,
             nb::sig("def arrays(self) -> tuple[numpy.typing.NDArray[typing.Any], ...]"),
             "Copies: where rows start, numbers of features, values, codes of labels, weights.")
        .def("write", &write, "fd"_a, "rows"_a, "Append the first rows to a private file.")
        .def_static("read", &read, "fd"_a, nb::sig("def read(fd: int) -> Examples | None"),
                    "The next examples that `write` wrote, or None.");
    nb::class_<Score>(m, "Score", "How examples were predicted before they were learned.")
        .def_rw("examples", &Score::examples)
        .def_rw("weight", &Score::weight)
        .def_rw("loss", &Score::loss)
        .def_rw("weight_squares", &Score::weight_squares)
        .def_rw("loss_squares", &Score::loss_squares)
        .def("add", &Score::add, "weight"_a, "loss"_a);
    nb::class_<Figures>(m, "Figures",
                        "Log-loss, answers by label code, and scores by class, in bins.")
        .def(nb::init<>())
        .def("__getstate__",
             [](const Figures& t) {
                 return nb::make_tuple(t.on, t.weight, t.log_loss, t.log_loss_squares,
                                       list_of(t.right), list_of(t.truth), list_of(t.said),
                                       list_of(t.mass));
             })
        .def("__setstate__", &set_figures)
        .def_rw("on", &Figures::on)
        .def_ro("weight", &Figures::weight)
        .def_ro("log_loss", &Figures::log_loss)
        .def_ro("log_loss_squares", &Figures::log_loss_squares)
        .def_prop_ro("right", [](const Figures& t) { return list_of(t.right); })
        .def_prop_ro("truth", [](const Figures& t) { return list_of(t.truth); })
        .def_prop_ro("said", [](const Figures& t) { return list_of(t.said); })
        .def_prop_ro("mass", [](const Figures& t) { return list_of(t.mass); });
    nb::class_<Progress>(m, "Progress", "Progressive validation: predict, then learn.")
        .def(nb::init<>())
        .def("__getstate__",
             [](const Progress& p) {
                 return nb::make_tuple(state_of(p.learned), state_of(p.held_out), p.unlabelled,
                                       p.hold_out_every, p.position, p.keeps_outcomes, p.figures);
             })
        .def("__setstate__", &set_progress)
        .def_ro("learned", &Progress::learned)
        .def_ro("held_out", &Progress::held_out)
        .def_rw("figures", &Progress::figures)
        .def_rw("unlabelled", &Progress::unlabelled)
        .def_rw("hold_out_every", &Progress::hold_out_every)
        .def_rw("position", &Progress::position)
        .def_rw("keeps_outcomes", &Progress::keeps_outcomes)
        .def_prop_ro("outcomes", &outcomes_of,
                     nb::sig("def outcomes(self) -> tuple[bytes, bytes, bytes, bytes]"),
                     "Of each example of the last pass, if they are kept: whether it was held out, "
                     "its weight, loss and truth.")
        .def("set_outcomes", &set_outcomes, "held_out"_a, "weights"_a, "losses"_a, "truths"_a,
             nb::sig("def set_outcomes(self, held_out: bytes, weights: bytes, losses: bytes, "
                     "truths: bytes) -> None"),
             "The outcomes of a pass that was made elsewhere.")
        .def(
            "note",
            [](Progress& p, bool held_out, double weight, double loss, double truth) {
                p.begin_pass(1);
                p.keep({held_out, weight, loss, truth});
                (held_out ? p.held_out : p.learned).add(weight, loss);
            },
            "held_out"_a, "weight"_a, "loss"_a, "truth"_a, "An example that was a pass by itself.")
        .def(
            "show", [](Progress& p, drift::Watch& watch) { p.watch = &watch; }, "watch"_a,
            nb::keep_alive<1, 2>(), "Show the loss of each example that is learned to a watch.")
        .def_rw("delay", &Progress::delay)
        .def_rw("waiting", &Progress::waiting)
        .def_ro("taught", &Progress::taught)
        .def(
            "let_wait",
            [](Progress& p, ListOf<std::uint64_t> rows) {
                p.may_wait = from_python<std::vector<std::uint64_t>>(rows);
            },
            "rows"_a,
            "How many may still wait when each of the rows that are new is predicted; none: "
            "`delay` "
            "decides.")
        .def_prop_ro(
            "label_order",
            [](const Progress& p) { return nb::make_tuple(p.order.changes, p.order.expected()); },
            nb::sig("def label_order(self) -> tuple[int, float]"),
            "How often the label changed from one example to the next, and the mean of that in a "
            "random order of the same labels.")
        .def_prop_ro(
            "label_counts", [](const Progress& p) { return list_of(p.order.counts); },
            nb::sig("def label_counts(self) -> list[int]"),
            "How often each label came, by its code.")
        .def_ro("ended_at", &Progress::ended_at,
                "Where the watch ended the last pass, for the caller to react; 0: nowhere.");
}

}  // namespace thresher::bindings
