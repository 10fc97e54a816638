// Rows prepared once for several models that have seen the same stream.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/prepare/prepared.hpp"
#include "hold.hpp"
#include "values.hpp"

namespace thresher::bindings {

class SharedPreparation {
public:
    SharedPreparation(Preparation start, prepare::Names names)
        : preparation_(std::make_shared<Preparation>(std::move(start))), names_(std::move(names)) {}

    /// `counted` is what a row is called in errors.
    nb::object prepare(const Rows& rows, const Lesson& lesson,
                       const std::vector<std::size_t>& needed, std::size_t begin, std::size_t end,
                       const Progress& progress, const char* counted) {
        const Hold hold(lock_, For::passing);
        std::shared_ptr<PreparedRows> out;
        {
            const Apart apart;
            std::visit(
                [&](const auto& batch) {
                    out = std::make_shared<PreparedRows>(preparation_, names_, batch, lesson,
                                                         needed.data(), begin, end, progress);
                },
                rows);
        }
        out->counted = counted;
        return shared_with_python(std::move(out));
    }

private:
    Lock lock_;
    std::shared_ptr<Preparation> preparation_;
    prepare::Names names_;
};

}  // namespace thresher::bindings
