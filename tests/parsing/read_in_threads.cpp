// The reader's pipeline, under ThreadSanitizer: a producer, workers and a consumer, who stops in the middle,
// keeps batches beyond the end of the pipeline, or reads all. Prints how many batches there were.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/read/pipeline.hpp"

using namespace thresher;

namespace {

void check(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "broken: %s\n", what);
    std::exit(1);
}

std::string lines(std::size_t rows) {
    std::string text;
    for (std::size_t i = 0; i < rows; ++i)
        text += std::to_string(i % 3) + " 1:0.5 " + std::to_string(2 + i % 50) + ":2\n";
    return text;
}

/// Reads until so many batches have come, and says how many. Every third one outlives the pipeline; the
/// others go back to it.
std::size_t batches_of(const std::string& text, unsigned threads, std::size_t rows,
                       std::size_t most) {
    std::vector<std::shared_ptr<parse::Batch>> kept;
    read::Pipeline pipeline({}, {}, threads, 256);
    std::thread producer([&] {
        for (std::size_t file = 0; file < 2; ++file) {
            parse::FormatOptions options;
            options.format = "svmlight";
            pipeline.begin_file(file, options, 0);
            for (std::size_t at = 0; at < text.size(); at += 100)
                if (!pipeline.feed(text.data() + at, std::min<std::size_t>(100, text.size() - at)))
                    return;
            if (!pipeline.end_file()) return;
        }
        pipeline.finish();
    });
    std::size_t batches = 0, found = 0, file = 0;
    std::uint64_t end = 0;
    for (; batches < most; ++batches) {
        while (!pipeline.wait(std::chrono::milliseconds(1))) {
        }
        std::shared_ptr<parse::Batch> batch = pipeline.next();
        if (!batch) break;
        check(batch->offset == (batch->file == file ? end : 0), "batches come in order");
        file = batch->file;
        end = batch->offset + batch->bytes;
        found += batch->rows();
        if (batches % 3 == 0) kept.push_back(std::move(batch));
    }
    pipeline.stop();
    producer.join();
    check(batches == most || found == 2 * rows, "every line comes");
    return batches;
}

}  // namespace

int main() {
    std::size_t batches = 0;
    for (std::size_t round = 0; round < 40; ++round) {
        const std::size_t rows = 20 + 10 * round;
        const bool all = round % 2 == 0;
        batches += batches_of(lines(rows), 1 + round % 4, rows, all ? 10000 : round);
    }
    std::printf("%zu batches\n", batches);
}
