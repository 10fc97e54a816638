// From bytes to batches, in parallel and in order. One producer supplies bytes; workers parse chunks
// of whole records; one consumer takes the batches in the order of the input. The number of chunks in
// flight is bounded: memory does not grow with the input, and nothing depends on which thread is faster.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
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
        const bool usual = batch->value.bytes() < largest;  // a line of 100 MB is not
        if (lock && usual && batches_.size() < most) batches_.push_back(std::move(batch));
    }

private:
    static constexpr std::size_t most = 2, largest = std::size_t{1} << 24;
    std::mutex mutex_;
    std::vector<std::unique_ptr<parse::Batch>> batches_;
};

class Pipeline {
public:
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
        if (text_.size >= longest_record) throw std::length_error("a record longer than 256 MB");
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

    /// No more input.
    void finish() {
        const std::lock_guard lock(mutex_);
        finished_ = true;
        changed_.notify_all();
    }

    // -- the consumer

    /// Whether `next` has a result, after waiting for a limited time.
    bool wait(std::chrono::milliseconds time) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, time, [&] { return answer_is_known(); });
    }

    /// The next batch in order; null at the end.
    std::shared_ptr<parse::Batch> next() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return answer_is_known(); });
        if (failure_) std::rethrow_exception(failure_);
        if (!is_done(next_out_)) return nullptr;
        Done done = std::exchange(done_[next_out_ % most_], {});
        ++next_out_;
        failure_ = done.failure;
        changed_.notify_all();
        if (failure_) std::rethrow_exception(failure_);
        return {done.batch.release(), [spare = spare_](parse::Batch* b) { spare->give(b); }};
    }

    /// All threads end; what is in flight is dropped.
    void stop() {
        const std::lock_guard lock(mutex_);
        stopped_ = true;
        changed_.notify_all();
    }

private:
    static constexpr std::size_t longest_record = std::size_t{1} << 28;

    struct Chunk {
        std::uint64_t place;
        Text text;
        std::size_t file;
        std::uint64_t offset;
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

    bool wait_for_room(std::unique_lock<std::mutex>& lock) {
        changed_.wait(lock, [&] { return stopped_ || failure_ || next_in_ - next_out_ < most_; });
        return !stopped_ && !failure_;
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
        changed_.notify_all();
        return true;
    }

    /// A worker that cannot continue, for lack of memory, ends the reading: at its chunk, if it has one.
    void work() {
        try {
            parse_chunks();
        } catch (...) {
            const std::lock_guard lock(mutex_);
            failure_ = std::current_exception();
            changed_.notify_all();
        }
    }
    void parse_chunks() {
        parse::Builder builder(recipe_, wishes_);
        parse::Format format = parse::format_of({});
        std::shared_ptr<const parse::FormatOptions> known;
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [&] { return stopped_ || !queue_.empty(); });
            if (stopped_) return;
            Chunk chunk = std::move(queue_.front());
            queue_.pop_front();
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
            changed_.notify_all();
            if (failed) return;
        }
    }

    const parse::Recipe recipe_;
    const parse::Wishes wishes_;
    const std::size_t chunk_, most_;

    // Only for the producer.
    std::size_t file_ = 0;
    std::uint64_t offset_ = 0;
    std::shared_ptr<const parse::FormatOptions> options_;
    parse::Format format_ = parse::format_of({});
    Text text_;

    // Shared by all, under the mutex.
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Chunk> queue_;
    std::vector<Done> done_;  // by place; no more are in flight than there is room for
    std::exception_ptr failure_;
    std::uint64_t next_in_ = 0, next_out_ = 0;
    bool finished_ = false, stopped_ = false;
    std::vector<Text> spare_texts_;
    std::shared_ptr<Spare> spare_ = std::make_shared<Spare>();

    std::vector<std::thread> workers_;
};

}  // namespace thresher::read
