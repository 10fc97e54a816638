// The reader's pipeline, under ThreadSanitizer: a producer, workers and a consumer, who stops in the middle,
// keeps batches beyond the end of the pipeline, or reads all; and who gives names their numbers while the
// workers look names up. What is read must not depend on threads or chunks. Prints how many batches there were.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/read/pipeline.hpp"
#include "core/resolve.hpp"

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

/// Names of all sizes, known and new, some of them twice in a row; now and then a line that is bad after some
/// names were read.
std::string named_lines(std::size_t rows) {
    std::string text;
    std::uint64_t drawn = 7;
    const auto draw = [&](std::size_t n) {
        drawn = drawn * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::size_t>(drawn >> 33) % n;
    };
    for (std::size_t row = 0; row < rows; ++row) {
        text += row % 2 ? "1 |" : "-1 |";
        const std::size_t words = draw(12);
        for (std::size_t i = 0; i < words; ++i) {
            const std::size_t word = draw(10 + row);
            text += " w" + std::to_string(word) + std::string(word % 20, 'x');
            if (word % 11 == 0) text += " " + std::to_string(word);  // a name that is a number
            if (word % 7 == 0) text += " w" + std::to_string(word) + std::string(word % 20, 'x');
            if (word % 13 == 0) text += ":0.5";
            if (word % 17 == 0) text += " zero" + std::to_string(word) + ":0";
        }
        if (draw(40) == 0) text += " bad:1.5x";
        text += '\n';
    }
    return text;
}

/// What was learned: cells by final number, and the names in the order of their numbers.
struct Read {
    std::vector<std::int32_t> index;
    std::vector<double> value;
    std::vector<std::string> names;
    bool operator==(const Read&) const = default;
};

/// `forget_at`: after so many batches half of the names are forgotten, as after an example that was refused,
/// and come again, in the same order, while batches that were parsed before are still on their way.
Read names_of(const std::string& path, unsigned threads, std::size_t chunk, bool from_file,
              std::size_t forget_at) {
    Read out;
    Lexicon lexicon;
    Resolver resolver;
    Examples examples;
    read::Pipeline pipeline({}, {}, threads, chunk);
    std::thread producer([&] {
        parse::FormatOptions options;
        options.format = "vw";
        pipeline.begin_file(0, options, 0);
        const int fd = ::open(path.c_str(), O_RDONLY);
        if (from_file) {
            pipeline.read_file(fd);
        } else {
            char bytes[100];
            while (const ssize_t n = ::read(fd, bytes, sizeof bytes))
                if (!pipeline.feed(bytes, static_cast<std::size_t>(n))) break;
        }
        ::close(fd);
        if (pipeline.end_file()) pipeline.finish();
    });
    for (std::size_t batches = 0; const auto batch = pipeline.next(); ++batches) {
        const std::size_t known = lexicon.size();
        const LabelCodes codes{std::vector<std::int32_t>(batch->labels.size(), 0), {}};
        if (batches == forget_at) {
            lexicon.shrink(known / 2);
            for (std::size_t i = known / 2; i < known; ++i) lexicon.meet(out.names[i]);
        }
        resolver.resolve(*batch, codes, lexicon, true, examples);
        for (std::size_t i = known; i < lexicon.size(); ++i)
            out.names.emplace_back(lexicon.names().name(i));
        for (std::size_t j = 0; j < examples.index.size(); ++j) {
            out.index.push_back(examples.index[j]);
            out.value.push_back(examples.plain ? 1.0 : examples.value[j]);
        }
        for (std::size_t row = 0; row < examples.size(); ++row)
            for (std::int64_t j = examples.start[row]; j < examples.start[row + 1]; ++j)
                check(static_cast<std::size_t>(examples.index[static_cast<std::size_t>(j)]) <
                          examples.needed[row],
                      "a row needs room for its names");
    }
    producer.join();
    return out;
}

void check_names() {
    const std::string path = "named_lines." + std::to_string(::getpid());
    const std::string text = named_lines(1500);
    std::FILE* file = std::fopen(path.c_str(), "wb");
    check(file && std::fwrite(text.data(), 1, text.size(), file) == text.size(), "a file to read");
    std::fclose(file);
    constexpr std::size_t never = ~std::size_t{0};
    const Read alone = names_of(path, 1, text.size(), false, never);
    check(alone.names.size() > 500, "there are names");
    for (const unsigned threads : {1u, 2u, 5u})
        for (const std::size_t chunk : {std::size_t{300}, std::size_t{2000}, std::size_t{20000}})
            for (const bool from_file : {false, true})
                for (const std::size_t forget_at : {never, std::size_t{3}})
                    check(names_of(path, threads, chunk, from_file, forget_at) == alone,
                          "the same is read whatever the threads and chunks");
    ::unlink(path.c_str());
}

}  // namespace

int main() {
    check_names();
    std::size_t batches = 0;
    for (std::size_t round = 0; round < 40; ++round) {
        const std::size_t rows = 20 + 10 * round;
        const bool all = round % 2 == 0;
        batches += batches_of(lines(rows), 1 + round % 4, rows, all ? 10000 : round);
    }
    std::printf("%zu batches\n", batches);
}
