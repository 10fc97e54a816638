// Frames of a server's log: written, skipped, and joined to texts.
#include "core/frames.hpp"

#include <nanobind/nanobind.h>

#include "module.hpp"

using namespace nb::literals;

namespace thresher::bindings {

namespace {

std::string_view view_of(const nb::bytes& b) { return {b.c_str(), b.size()}; }
nb::bytes bytes_of(std::string_view s) { return nb::bytes(s.data(), s.size()); }

nb::bytes packed_frame(unsigned char kind, std::uint32_t model, nb::bytes meta, nb::bytes raw,
                       std::uint64_t seq, std::uint64_t durable, std::uint64_t micros) {
    return bytes_of(frames::packed(kind, model, view_of(meta), view_of(raw), seq, durable, micros));
}

nb::tuple skip_frames(nb::bytes data, std::size_t place, std::uint64_t seq, std::uint64_t upto) {
    const auto text = view_of(data);
    {
        const nb::gil_scoped_release release;
        frames::Frame f;
        while (seq <= upto && frames::read(text, place, seq, f)) {
            place = f.end;
            ++seq;
        }
    }
    return nb::make_tuple(place, seq);
}

nb::tuple joined_frames(nb::bytes data, std::size_t place, std::uint64_t seq, std::uint64_t upto,
                        nb::bytes meta, std::size_t most) {
    const auto text = view_of(data), said = view_of(meta);
    frames::Run run;
    {
        const nb::gil_scoped_release release;
        run = frames::joined(text, place, seq, upto, said, most);
    }
    return nb::make_tuple(run.count, run.end, run.model, bytes_of(run.lines), run.micros);
}

}  // namespace

void bind_frames(nb::module_& m) {
    m.def("packed_frame", &packed_frame, "kind"_a, "model"_a, "meta"_a, "raw"_a, "seq"_a,
          "durable"_a, "micros"_a, "A frame of a server's log, with its checksum.");
    m.def(
        "skip_frames", &skip_frames, "data"_a, "place"_a, "seq"_a, "upto"_a,
        nb::sig("def skip_frames(data: bytes, place: int, seq: int, upto: int) -> tuple[int, int]"),
        "Where the whole frames in a row end that begin there with this seq, none of them after "
        "`upto`; and the seq "
        "that comes next.");
    m.def("joined_frames", &joined_frames, "data"_a, "place"_a, "seq"_a, "upto"_a, "meta"_a,
          "most"_a,
          nb::sig("def joined_frames(data: bytes, place: int, seq: int, upto: int, meta: bytes, "
                  "most: int) -> "
                  "tuple[int, int, int, bytes, int]"),
          "The events of frames in a row by which one model learned an event each, with this "
          "`meta`, up to about "
          "`most` bytes: how many, where they end, the model, the lines, the latest time.");
}

}  // namespace thresher::bindings
