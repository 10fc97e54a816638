// From bytes to batches, in parallel and in order. One producer supplies bytes, or a file that the workers
// read themselves, one after the other; workers parse chunks of whole records; one consumer takes the batches
// in the order of the input. The number of chunks in flight is bounded: memory does not grow with the input,
// and nothing depends on which thread is faster.
//
// Who waits for what: the consumer for the next batch (`ready_`), workers for a chunk or for their turn to
// read one (`work_`), the producer for room in the queue or for the end of its file (`room_`).
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "../parse/format.hpp"

namespace thresher::read {

/// Memory for text, with a margin that parsers may read (but never use) beyond its end.
class Text {
public:
    char* data() { return data_.get(); }
    std::size_t size = 0;
    std::size_t room() const { return room_; }

    void widen(std::size_t room) {
        if (room <= room_) return;
        std::unique_ptr<char[]> wider(new char[room + parse::slack]);
        if (size > 0) std::memcpy(wider.get(), data_.get(), size);
        data_ = std::move(wider);
        room_ = room;
    }
    std::string_view view() {
        std::memset(data_.get() + size, '\n', parse::slack);
        return {data_.get(), size};
    }

private:
    std::unique_ptr<char[]> data_;
    std::size_t room_ = 0;
};

/// Used batches, whose memory is reused. Outlives the pipeline while batches are in use.
class Spare {
public:
    Spare() { batches_.reserve(most); }

    std::unique_ptr<parse::Batch> take() {
        const std::lock_guard lock(mutex_);
        if (batches_.empty()) return std::make_unique<parse::Batch>();
        std::unique_ptr<parse::Batch> batch = std::move(batches_.back());
        batches_.pop_back();
        return batch;
    }
    /// It never waits: in a forked process the thread that had the lock may be gone.
    void give(parse::Batch* used) {
        std::unique_ptr<parse::Batch> batch(used);
        batch->clear();
        const std::unique_lock lock(mutex_, std::try_to_lock);
        const bool usual = batch->index.bytes() < largest;  // a line of 100 MB is not
        if (lock && usual && batches_.size() < most) batches_.push_back(std::move(batch));
    }

private:
    static constexpr std::size_t most = 2, largest = std::size_t{1} << 24;
    std::mutex mutex_;
    std::vector<std::unique_ptr<parse::Batch>> batches_;
};

class Pipeline {
public:
    static constexpr std::uint64_t no_end = std::numeric_limits<std::int64_t>::max();

    Pipeline(parse::Recipe recipe, parse::Wishes wishes, unsigned threads, std::size_t chunk)
        : recipe_(std::move(recipe)),
          wishes_(wishes),
          chunk_(chunk),
          most_(threads + 2),
          done_(most_) {
        spare_texts_.reserve(most_);
        workers_.reserve(threads);
        try {
            for (unsigned i = 0; i < threads; ++i) workers_.emplace_back([this] { work(); });
        } catch (...) {
            end();
            throw;
        }
    }
    ~Pipeline() { end(); }
    Pipeline(const Pipeline&) = delete;
    Pipeline& operator=(const Pipeline&) = delete;

    // -- the producer

    /// What follows belongs to this file, from this byte and in this format.
    void begin_file(std::size_t file, parse::FormatOptions options, std::uint64_t offset) {
        file_ = file;
        offset_ = offset;
        options_ = std::make_shared<const parse::FormatOptions>(std::move(options));
        format_ = parse::format_of(*options_);
        text_.size = 0;
    }

    /// False once the consumer wants no more.
    bool feed(const char* bytes, std::size_t n) {
        while (n > 0) {
            const std::size_t part = std::min(n, room_for_more());
            std::memcpy(text_.data() + text_.size, bytes, part);
            if (!fed(part)) return false;
            bytes += part;
            n -= part;
        }
        return true;
    }

    /// Where to put up to `room_for_more()` bytes, for a producer that can write there directly; then `fed`.
    std::size_t room_for_more() {
        text_.widen(std::max(chunk_, text_.size + 1));  // the rest of a chunk may fill all of it
        return text_.room() - text_.size;
    }
    char* place() { return text_.data() + text_.size; }
    bool fed(std::size_t n) {
        text_.size += n;
        if (text_.size < text_.room()) return true;
        const std::size_t whole = parse::whole_records(format_, {text_.data(), text_.size});
        if (whole > 0) return send(whole);
        if (text_.size >= longest_record) throw std::length_error(too_long);
        text_.widen(std::min(2 * text_.size, longest_record));
        return true;
    }

    /// Sends the whole records so far to the workers: more may be long in coming, or never come.
    bool flush() {
        const std::size_t whole = parse::whole_records(format_, {text_.data(), text_.size});
        return whole == 0 || send(whole);
    }

    /// The last record of a file may lack its newline.
    bool end_file() { return text_.size == 0 || send(text_.size); }

    /// A file from the current offset up to `end`, which the workers read: what a worker parses is in its
    /// own cache. It must be seekable; its position follows what was read. False once the consumer wants no
    /// more.
    bool read_file(int fd, std::uint64_t end = no_end) {
        std::unique_lock lock(mutex_);
        source_ = fd;
        source_end_ = end;
        source_failure_ = nullptr;
        work_.notify_all();
        room_.wait(lock, [&] { return (source_ < 0 && !claiming_) || has_ended(); });
        source_ = -1;
        // The descriptor is the caller's again, and may be closed.
        room_.wait(lock, [&] { return !claiming_; });
        if (source_failure_) std::rethrow_exception(source_failure_);
        return !has_ended();
    }

    /// No more input.
    void finish() {
        const std::lock_guard lock(mutex_);
        finished_ = true;
        ready_.notify_all();
    }

    // -- the consumer

    /// Whether `next` has a result, after waiting for a limited time.
    bool wait(std::chrono::milliseconds time) {
        std::unique_lock lock(mutex_);
        return ready_.wait_for(lock, time, [&] { return answer_is_known(); });
    }

    /// The next batch in order; null at the end.
    std::shared_ptr<parse::Batch> next() {
        std::unique_lock lock(mutex_);
        ready_.wait(lock, [&] { return answer_is_known(); });
        if (failure_) std::rethrow_exception(failure_);
        if (!is_done(next_out_)) return nullptr;
        Done done = std::exchange(done_[next_out_ % most_], {});
        ++next_out_;
        failure_ = done.failure;
        if (failure_) {
            wake_all();
            std::rethrow_exception(failure_);
        }
        if (source_ >= 0)
            work_.notify_one();
        else
            room_.notify_one();
        return {done.batch.release(), [spare = spare_](parse::Batch* b) { spare->give(b); }};
    }

    /// All threads end; what is in flight is dropped.
    void stop() {
        const std::lock_guard lock(mutex_);
        stopped_ = true;
        wake_all();
    }

private:
    static constexpr std::size_t longest_record = std::size_t{1} << 28;
    static constexpr const char* too_long = "a record longer than 256 MB";

    struct Chunk {
        std::uint64_t place = 0;
        Text text;
        std::size_t file = 0;
        std::uint64_t offset = 0;
        std::shared_ptr<const parse::FormatOptions> options;
    };
    struct Done {
        std::unique_ptr<parse::Batch> batch;
        std::exception_ptr failure;
    };

    void end() {
        stop();
        for (auto& worker : workers_) worker.join();
    }

    bool is_done(std::uint64_t place) const {
        const Done& done = done_[place % most_];
        return done.batch || done.failure;
    }
    bool answer_is_known() const {
        return stopped_ || failure_ || is_done(next_out_) || (finished_ && next_out_ == next_in_);
    }

    bool has_ended() const { return stopped_ || failure_; }
    bool has_room() const { return next_in_ - next_out_ < most_; }
    bool may_claim() const { return source_ >= 0 && !claiming_ && has_room(); }
    void wake_all() {
        ready_.notify_all();
        work_.notify_all();
        room_.notify_all();
    }

    bool wait_for_room(std::unique_lock<std::mutex>& lock) {
        room_.wait(lock, [&] { return has_ended() || has_room(); });
        return !has_ended();
    }

    /// The first `size` bytes of the text go to the workers, the rest begins the next chunk.
    bool send(std::size_t size) {
        Chunk chunk{0, {}, file_, offset_, options_};
        std::unique_lock lock(mutex_);
        if (!wait_for_room(lock)) return false;
        if (!spare_texts_.empty()) {
            chunk.text = std::move(spare_texts_.back());
            spare_texts_.pop_back();
        }
        lock.unlock();
        chunk.text.widen(std::max(chunk_, 2 * (text_.size - size)));  // with room for more
        chunk.text.size = text_.size - size;
        std::memcpy(chunk.text.data(), text_.data() + size, chunk.text.size);
        text_.size = size;
        offset_ += size;
        std::swap(chunk.text, text_);
        lock.lock();
        chunk.place = next_in_;
        queue_.push_back(std::move(chunk));
        ++next_in_;
        work_.notify_one();
        return true;
    }

    /// The next chunk of the file: some whole records, or what is left. An error ends the file. Called by a
    /// worker that holds the lock; it is released while the worker reads.
    Chunk claim(std::unique_lock<std::mutex>& lock) {
        claiming_ = true;
        Chunk chunk{next_in_, {}, file_, offset_, options_};
        if (!spare_texts_.empty()) {
            chunk.text = std::move(spare_texts_.back());
            spare_texts_.pop_back();
        }
        const int fd = source_;
        lock.unlock();
        bool end = false;
        std::exception_ptr failure;
        try {
            end = read_chunk(fd, chunk);
        } catch (...) {
            failure = std::current_exception();
            chunk.text.size = 0;
        }
        lock.lock();
        claiming_ = false;
        offset_ += chunk.text.size;
        if (chunk.text.size > 0) ++next_in_;
        if (end || failure) {
            source_ = -1;
            source_failure_ = failure;
        }
        if (source_ < 0 || has_ended())
            room_.notify_one();
        else if (may_claim())
            work_.notify_one();
        return chunk;
    }
    /// Returns whether the file has ended.
    bool read_chunk(int fd, Chunk& chunk) const {
        Text& text = chunk.text;
        text.size = 0;
        text.widen(chunk_);
        for (;;) {
            const std::uint64_t place = chunk.offset + text.size;
            const std::uint64_t left = source_end_ - std::min(place, source_end_);
            const std::size_t room = std::min<std::uint64_t>(text.room() - text.size, left);
            const auto at = static_cast<off_t>(place);
            const ssize_t n = ::pread(fd, text.data() + text.size, room, at);
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) throw std::system_error(errno, std::generic_category());
            ::lseek(fd, at + n, SEEK_SET);
            if (n == 0) return true;
            text.size += static_cast<std::size_t>(n);
            if (text.size < text.room()) continue;
            const std::size_t whole = parse::whole_records(format_, {text.data(), text.size});
            if (whole > 0) {
                text.size = whole;
                return false;
            }
            if (text.size >= longest_record) throw std::length_error(too_long);
            text.widen(std::min(2 * text.size, longest_record));
        }
    }

    /// A worker that cannot continue, for lack of memory, ends the reading: at its chunk, if it has one.
    void work() {
        try {
            parse_chunks();
        } catch (...) {
            const std::lock_guard lock(mutex_);
            failure_ = std::current_exception();
            wake_all();
        }
    }
    void parse_chunks() {
        parse::Builder builder(recipe_, wishes_);
        parse::Format format = parse::format_of({});
        std::shared_ptr<const parse::FormatOptions> known;
        std::unique_lock lock(mutex_);
        for (;;) {
            work_.wait(lock, [&] { return stopped_ || !queue_.empty() || may_claim(); });
            if (stopped_) return;
            Chunk chunk;
            if (!queue_.empty()) {
                chunk = std::move(queue_.front());
                queue_.pop_front();
            } else if (chunk = claim(lock); chunk.text.size == 0) {
                continue;
            }
            lock.unlock();
            Done done;
            try {
                std::unique_ptr<parse::Batch> batch = spare_->take();
                if (known != chunk.options) {
                    known = chunk.options;
                    format = parse::format_of(*known);
                }
                batch->file = chunk.file;
                batch->offset = chunk.offset;
                batch->knows = known_names_;
                batch->known = known_names_->take();
                parse::parse(chunk.text.view(), format, builder, *batch);
                done.batch = std::move(batch);
            } catch (...) {
                done.failure = std::current_exception();
            }
            lock.lock();
            if (spare_texts_.size() < most_ && chunk.text.room() <= 2 * chunk_)
                spare_texts_.push_back(std::move(chunk.text));
            const bool failed = done.failure != nullptr;  // its parser is in an undefined state
            done_[chunk.place % most_] = std::move(done);
            if (chunk.place == next_out_) ready_.notify_all();
            if (failed) return;
        }
    }

    const parse::Recipe recipe_;
    const parse::Wishes wishes_;
    const std::size_t chunk_, most_;

    // Only for the producer; while the workers read its file, for the one whose turn it is.
    std::size_t file_ = 0;
    std::uint64_t offset_ = 0;
    std::shared_ptr<const parse::FormatOptions> options_;
    parse::Format format_ = parse::format_of({});
    Text text_;

    // Shared by all, under the mutex.
    std::mutex mutex_;
    std::condition_variable ready_, work_, room_;
    int source_ = -1;  // the file that the workers read
    std::uint64_t source_end_ = no_end;
    bool claiming_ = false;  // one of them reads
    std::exception_ptr source_failure_;
    std::deque<Chunk> queue_;
    std::vector<Done> done_;  // by place; no more are in flight than there is room for
    std::exception_ptr failure_;
    std::uint64_t next_in_ = 0, next_out_ = 0;
    bool finished_ = false, stopped_ = false;
    std::vector<Text> spare_texts_;
    std::shared_ptr<Spare> spare_ = std::make_shared<Spare>();
    const std::shared_ptr<parse::KnownNames> known_names_ = std::make_shared<parse::KnownNames>();

    std::vector<std::thread> workers_;
};

}  // namespace thresher::read
