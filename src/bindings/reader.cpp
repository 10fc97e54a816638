// Files: bytes in, batches of parsed examples out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "arrays.hpp"
#include "core/read/pipeline.hpp"
#include "core/resolve.hpp"
#include "errors.hpp"
#include "module.hpp"
#include "names.hpp"
#include "reading.hpp"

using namespace nb::literals;

namespace thresher::bindings {

namespace {

nb::bytes bytes_of(std::string_view s) { return nb::bytes(s.data(), s.size()); }

parse::FormatOptions format_options(const nb::dict& d) {
    parse::FormatOptions o;
    o.format = value_of<std::string>(d, "format", o.format);
    const auto delimiter = value_of<std::string>(d, "delimiter", ",");
    if (delimiter.size() != 1) throw nb::value_error("the delimiter is one character");
    o.delimiter = delimiter[0];
    o.decimal_comma = value_of(d, "decimal_comma", o.decimal_comma);
    o.columns = words_of(d, "columns");
    o.label = value_of<std::string>(d, "label", "");
    o.weight = value_of<std::string>(d, "weight", "");
    o.text = words_of(d, "text");
    o.categorical = words_of(d, "categorical");
    o.date = words_of(d, "date");
    o.ignore = words_of(d, "ignore");
    o.keep = words_of(d, "keep");
    o.blank_lines = value_of(d, "blank_lines", o.blank_lines);
    return o;
}

parse::Wishes wishes_of(const nb::dict& d) {
    parse::Wishes w;
    w.targets = value_of(d, "targets", w.targets);
    w.need_labels = value_of(d, "need_labels", w.need_labels);
    w.sets = value_of(d, "sets", w.sets);
    w.keep_zeros = value_of(d, "keep_zeros", w.keep_zeros);
    w.unit = value_of(d, "unit", w.unit);
    w.clip = value_of(d, "clip", w.clip);
    w.once = value_of(d, "once", w.once);
    w.keep_bad = value_of(d, "keep_bad", w.keep_bad);
    w.keep = value_of(d, "keep", w.keep);
    return w;
}

template <class T>
nb::object array_or_none(const std::vector<T>& v) {
    return v.empty() ? nb::none() : nb::cast(array_of(v));
}

nb::list bad_lines(const parse::Batch& b) {
    nb::list out;
    for (const parse::BadLine& bad : b.bad) {
        nb::dict d;
        d["line"] = bad.line;
        d["column"] = bad.column;
        d["before"] = bad.before;
        d["excerpt"] = bytes_of(bad.excerpt);
        d["excerpt_column"] = bad.excerpt_column;
        d["whole"] = bytes_of(bad.whole);
        d["problem"] = text(bad.problem);
        out.append(d);
    }
    return out;
}

nb::list spelled(const parse::Names& names) {
    nb::list out;
    for (std::size_t i = 0; i < names.size(); ++i) out.append(bytes_of(names.spelled(i)));
    return out;
}

nb::object values_of(const parse::Batch& b) {
    if (!b.plain) return nb::cast(array_of(b.value));
    auto ones = std::make_unique<double[]>(b.index.size());
    std::fill_n(ones.get(), b.index.size(), 1.0);
    return nb::cast(owned(std::move(ones), {b.index.size()}));
}

/// The cells as arrays: row starts, names by their number in the batch, values.
nb::tuple cells(parse::Batch& b) {
    b.spell_out();
    return nb::make_tuple(array_of(b.start), array_of(b.index), values_of(b));
}

/// The cells with ids instead of names, for a batch whose names are all numbers below 2^31.
nb::tuple numbered_cells(parse::Batch& b) {
    if (b.numbered) return nb::make_tuple(array_of(b.start), array_of(b.index), values_of(b));
    b.spell_out();
    std::vector<std::int32_t> id(b.names.size());
    for (std::size_t i = 0; i < id.size(); ++i) {
        if (!b.names.is_number(i) || b.names.number(i) >= 0x7fffffffu)
            raise("InvalidInput", "feature id " + b.names.spelled(i) +
                                      "; expected a whole number below 2^31 − 1 in a matrix.");
        id[i] = static_cast<std::int32_t>(b.names.number(i));
    }
    auto index = std::make_unique<std::int32_t[]>(b.index.size());
    for (std::size_t j = 0; j < b.index.size(); ++j)
        index[j] = id[static_cast<std::size_t>(b.index[j])];
    return nb::make_tuple(array_of(b.start), owned(std::move(index), {b.index.size()}),
                          values_of(b));
}

/// Its threads do not survive a fork: in a child it can only be closed.
class Reader {
public:
    Reader(nb::dict recipe, nb::dict wishes, unsigned threads, std::size_t chunk)
        : pipeline_(std::make_unique<read::Pipeline>(recipe_of(recipe), wishes_of(wishes),
                                                     std::max(1u, threads),
                                                     std::max<std::size_t>(1, chunk))) {}
    ~Reader() {
        if (!is_here()) (void)pipeline_.release();  // there are no threads to wait for
    }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    void begin_file(std::size_t file, nb::dict options, std::uint64_t offset) {
        here().begin_file(file, format_options(options), offset);
    }

    bool feed(nb::bytes block) {
        read::Pipeline& pipeline = here();
        nb::gil_scoped_release release;
        return pipeline.feed(static_cast<const char*>(block.data()), block.size());
    }

    /// The rest of a seekable file, or of it the bytes before `end`.
    bool read(int fd, std::uint64_t end) {
        read::Pipeline& pipeline = here();
        try {
            nb::gil_scoped_release release;
            return pipeline.read_file(fd, end);
        } catch (const std::system_error& error) {
            errno = error.code().value();
        }
        PyErr_SetFromErrno(PyExc_OSError);
        throw nb::python_error();
    }

    bool flush() {
        read::Pipeline& pipeline = here();
        nb::gil_scoped_release release;
        return pipeline.flush();
    }

    bool end_file() {
        read::Pipeline& pipeline = here();
        nb::gil_scoped_release release;
        return pipeline.end_file();
    }

    void finish() {
        if (is_here()) pipeline_->finish();
    }
    void stop() {
        if (is_here()) pipeline_->stop();
    }

    /// Signals are checked while waiting: a pipe may be silent for hours.
    nb::object next() {
        read::Pipeline& pipeline = here();
        std::shared_ptr<parse::Batch> batch;
        for (bool known = false; !known;) {
            {
                nb::gil_scoped_release release;
                known = pipeline.wait(std::chrono::milliseconds(100));
            }
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
        }
        {
            nb::gil_scoped_release release;
            batch = pipeline.next();
        }
        if (!batch) return nb::none();
        return shared_with_python(std::move(batch));
    }

private:
    bool is_here() const { return ::getpid() == process_; }
    read::Pipeline& here() const {
        if (!is_here())
            raise("ForkError",
                  "this reader was opened before the process forked, and its threads are not here; "
                  "open the files again in the child.");
        return *pipeline_;
    }

    std::unique_ptr<read::Pipeline> pipeline_;
    const pid_t process_ = ::getpid();
};

/// Many texts, each parsed at once in the caller's thread, by a parser that is made once.
class TextParser {
public:
    TextParser(nb::dict format, nb::dict recipe, nb::dict wishes)
        : parser_(parse::format_of(format_options(format))),
          builder_(recipe_of(recipe), wishes_of(wishes)) {}

    nb::typed<nb::object, parse::Batch> parse(nb::bytes bytes) {
        auto batch = std::make_shared<parse::Batch>();
        {
            // To give the interpreter away and get it back costs more than to parse a short text.
            std::optional<nb::gil_scoped_release> release;
            if (bytes.size() > brief) release.emplace();
            const std::lock_guard lock(mutex_);
            text_.assign(bytes.c_str(), bytes.size());
            text_.append(parse::slack, '\n');
            parse::parse({text_.data(), bytes.size()}, parser_, builder_, *batch);
            if (text_.capacity() > largest) text_ = {};
        }
        return shared_with_python(std::move(batch));
    }

private:
    static constexpr std::size_t brief = std::size_t{1} << 14, largest = std::size_t{1} << 20;
    std::mutex mutex_;
    parse::Format parser_;
    parse::Builder builder_;
    std::string text_;
};

std::size_t whole_records(nb::bytes bytes, nb::dict format) {
    return parse::whole_records(parse::format_of(format_options(format)),
                                {bytes.c_str(), bytes.size()});
}

/// glibc gives each thread its own heap, whose freed memory no other thread reuses. A process that only
/// reads and learns is smaller, and no slower, with one heap for all.
void share_one_heap() {
#if defined(__GLIBC__)
    mallopt(M_ARENA_MAX, 1);
#endif
}

}  // namespace

void bind_reader(nb::module_& m) {
    nb::class_<parse::Batch>(m, "ParsedBatch",
                             "Parsed examples whose names have no final numbers yet.")
        .def("__len__", &parse::Batch::rows)
        .def_ro("file", &parse::Batch::file)
        .def_ro("offset", &parse::Batch::offset)
        .def_ro("length", &parse::Batch::bytes)
        .def_ro("lines", &parse::Batch::lines)
        .def_prop_ro("bad", &bad_lines, nb::sig("def bad(self) -> list[dict[str, typing.Any]]"))
        .def_prop_ro(
            "names",
            [](parse::Batch& b) {
                b.spell_out();
                return spelled(b.names);
            },
            nb::sig("def names(self) -> list[bytes]"))
        .def_prop_ro(
            "label_texts", [](const parse::Batch& b) { return spelled(b.labels); },
            nb::sig("def label_texts(self) -> list[bytes]"))
        .def_prop_ro(
            "repeated",
            [](const parse::Batch& b) -> nb::object {
                return b.repeated ? nb::object(nb::int_(*b.repeated)) : nb::none();
            },
            nb::sig("def repeated(self) -> int | None"))
        .def_prop_ro(
            "labels", [](const parse::Batch& b) { return array_or_none(b.label); },
            nb::sig("def labels(self) -> typing.Any"))
        .def_prop_ro(
            "targets", [](const parse::Batch& b) { return array_or_none(b.target); },
            nb::sig("def targets(self) -> typing.Any"))
        .def_prop_ro(
            "weights", [](const parse::Batch& b) { return array_or_none(b.weight); },
            nb::sig("def weights(self) -> typing.Any"))
        .def_prop_ro(
            "queries", [](const parse::Batch& b) { return array_or_none(b.query); },
            nb::sig("def queries(self) -> typing.Any"))
        .def_prop_ro(
            "tags",
            [](const parse::Batch& b) {
                nb::list out;
                for (const auto& tag : b.tag) out.append(bytes_of(tag));
                return out;
            },
            nb::sig("def tags(self) -> list[bytes]"))
        .def_prop_ro(
            "kept",
            [](const parse::Batch& b) {
                nb::list out;
                for (const auto& text : b.kept) out.append(bytes_of(text));
                return out;
            },
            nb::sig("def kept(self) -> list[bytes]"))
        .def_ro("missing", &parse::Batch::missing)
        .def_prop_ro("plain", [](const parse::Batch& b) { return b.plain; })
        .def("cells", &cells)
        .def("numbered_cells", &numbered_cells)
        .def(
            "end_of", [](const parse::Batch& b, std::size_t row) { return b.end.at(row); }, "row"_a)
        .def(
            "line_of", [](const parse::Batch& b, std::size_t row) { return b.line.at(row); },
            "row"_a)
        .def(
            "line_after",
            [](const parse::Batch& b, std::size_t row) {
                return b.next_line.empty() ? b.line.at(row) + 1 : b.next_line.at(row);
            },
            "row"_a);
    nb::class_<Reader>(m, "Reader", "Bytes to batches: parsed in parallel, given in order.")
        .def(nb::init<nb::dict, nb::dict, unsigned, std::size_t>(), "recipe"_a, "wishes"_a,
             "threads"_a, "chunk"_a)
        .def("begin_file", &Reader::begin_file, "file"_a, "options"_a, "offset"_a)
        .def("feed", &Reader::feed, "block"_a)
        .def("read", &Reader::read, "fd"_a, "end"_a = read::Pipeline::no_end)
        .def("flush", &Reader::flush)
        .def("end_file", &Reader::end_file)
        .def("finish", &Reader::finish)
        .def("stop", &Reader::stop)
        .def("next", &Reader::next, nb::sig("def next(self) -> ParsedBatch | None"));
    nb::class_<TextParser>(m, "TextParser",
                           "Many texts, each parsed at once in the caller's thread.")
        .def(nb::init<nb::dict, nb::dict, nb::dict>(), "format"_a, "recipe"_a, "wishes"_a)
        .def("parse", &TextParser::parse, "text"_a);
    m.def("share_one_heap", &share_one_heap);
    m.def("whole_records", &whole_records, "text"_a, "format"_a);
}

}  // namespace thresher::bindings
