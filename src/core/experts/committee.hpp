// Several learners that see the same stream, each as if it were alone, and one answer from all of them, by the
// weights of `FixedShare`.
//   labels    a vote: the class whose voters have the largest weight
//   numbers   the weighted mean of predictions, clipped to the range of the targets seen
// Two baselines that learn next to nothing (`Standings`) have a vote, too, so that the answer is never much worse
// than theirs. The members never see each other's answers, so a block of examples is learned by each member in turn, or by
// several at once, and what the committee would have answered is computed afterwards, example by example.
// A member that cannot use an example leaves; one that is surely worse than the leader is dropped.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <deque>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "../elementary.hpp"
#include "../learner.hpp"
#include "../prepare/prepared.hpp"
#include "fixed_share.hpp"
#include "member_figures.hpp"
#include "standings.hpp"

namespace thresher {

struct CommitteeOptions {
    FixedShareOptions weights;
    bool keep_all = false;    // drop none that is worse
    bool baselines = true;    // have a vote, too
    bool figures = false;     // of each member are counted
    std::size_t threads = 1;  // how many members learn at once; the result does not depend on it

    template <class Archive>
    void describe(Archive& a) {
        weights.describe(a);
        a.flag("keep_all", keep_all);
        a.flag("baselines", baselines);
        a.flag("figures", figures);
        a.count("threads", threads);
    }
};

/// On which data a member is worth its time; it is decided after the first examples.
struct MemberOptions {
    bool dense = false;             // only if most features of a row are not 0
    bool sparse = false;            // only if nearly all of them are
    std::size_t most_features = 0;  // it leaves where there are more; 0: any number

    template <class Archive>
    void describe(Archive& a) {
        a.flag("dense", dense);
        a.flag("sparse", sparse);
        a.count("most_features", most_features);
    }
};

class Committee final : public Learner, Fading {
public:
    enum class Left : std::uint8_t { no, worse, unsuitable, failed, dear };

    struct Member {
        std::unique_ptr<Learner> learner;  // null: it left
        MemberOptions options;
        Left left = Left::no;
        std::uint64_t left_at = 0;  // after this many examples of the committee
        std::optional<Fault> fault;
        double error = 0.0;     // its mean loss when it left
        double loss = 0.0;      // as the committee counts it: of clipped predictions
        double seconds = 0.0;   // of learning; not saved
        MemberFigures figures;  // if they are counted
    };

    Committee(CommitteeOptions options, bool regressor,
              std::vector<std::pair<std::unique_ptr<Learner>, MemberOptions>> members)
        : options_(options),
          regressor_(regressor),
          weights_(options.weights,
                   members.size() + (options.baselines ? Standings::baselines : 0)),
          standings_(members.size(), regressor, 1),
          allowed_(regressor ? 0.0 : fixed::log(static_cast<double>(weights_.size()))) {
        for (auto& [learner, on] : members) {
            members_.emplace_back();
            members_.back().learner = std::move(learner);
            members_.back().options = on;
        }
    }

    // -- what is known about the members

    std::size_t size() const { return members_.size(); }
    const Member& member(std::size_t i) const { return members_[i]; }
    double weight_of(std::size_t i) const { return weights_.weight(i); }
    /// Of a baseline: its weight in the vote, and its loss as that of a member.
    double weight_of(Standings::Baseline b) const {
        return voters() > size() ? weights_.weight(size() + b) : 0.0;
    }
    double loss_of(Standings::Baseline b) const { return baseline_losses_[b]; }
    /// All that have or had a vote: members, then baselines.
    std::size_t voters() const { return weights_.size(); }
    const Standings& standings() const { return standings_; }
    std::size_t row_of_committee() const { return standings_.row_of(Standings::baselines); }

    /// What the theorem allows beyond the loss of the best member (docs/theory): in units of η·loss.
    double allowed() const { return allowed_; }
    /// What its mistakes cost: Σ ln(2/(1 + e^(−η·w))) over them.
    double charged() const { return charged_; }
    double loss() const { return loss_; }
    double heaviest() const { return heaviest_; }
    /// Of the targets, rounded up to a power of two.
    double span() const { return span_; }
    /// The loss on the first example, before which nothing is known about the targets.
    double first_loss() const { return first_; }

    // -- Learner

    Facets facets() override { return {.fading = this, .committee = this}; }

    bool settles() const override {
        return std::any_of(members_.begin(), members_.end(), [](const Member& m) {
            const Fading* fading = m.learner ? m.learner->facets().fading : nullptr;
            return fading && fading->settles();
        });
    }
    /// The members forget; who answers is a matter of their losses.
    void forget() override {
        for (auto& m : members_)
            if (Fading* fading = m.learner ? m.learner->facets().fading : nullptr) fading->forget();
    }

    void grow(std::size_t features) override {
        const std::size_t before = this->features();
        try {
            for (auto& m : members_)
                if (m.learner && !is_too_wide(m, features)) m.learner->grow(features);
        } catch (...) {
            take_back(before);
            throw;
        }
    }
    void take_back(std::size_t features) override {
        for (auto& m : members_)
            if (m.learner) m.learner->take_back(features);
    }

    void learn(const Rows& rows, const Lesson& lesson, std::size_t begin,
               std::size_t end) override {
        std::size_t last = 0;
        for (std::size_t i = begin; i < end; ++i) last = std::max(last, row_of(lesson, i));
        const std::vector<std::size_t> needed(last + 1, 0);  // there is room for all
        Progress progress;
        learn_progressively(rows, lesson, needed.data(), begin, end, progress);
    }

    void learn_progressively(const Rows& rows, const Lesson& lesson, const std::size_t* needed,
                             std::size_t begin, std::size_t end, Progress& progress) override {
        if (progress.is_delayed()) return learn_late(rows, lesson, needed, begin, end, progress);
        late_.clear();
        double* const answers = progress.answers;
        const std::size_t most = progress.watch ? 1 : block;  // it may end the pass at any example
        progress.begin_pass(end - begin);
        for (std::size_t i = begin; i < end && progress.ended_at == 0;) {
            progress.answers = answers ? answers + (i - begin) : nullptr;
            i = learn_some(rows, lesson, needed, i, std::min(end, i + most), progress);
        }
        progress.answers = answers;
    }

    void predict(const Rows& rows, std::size_t begin, std::size_t end, double* out) override {
        predict_with(rows, begin, end, nullptr, nullptr, out);
    }
    /// A member that cannot answer a row, and would leave if it had to learn it, does not vote; the others
    /// keep their proportions.
    void predict_with(const Rows& rows, std::size_t begin, std::size_t end, const double* sums,
                      const std::size_t* counts, double* out) override {
        const std::size_t k = columns(), n = end - begin;
        std::fill(out, out + n * k, 0.0);
        std::vector<double> scores(n * k), voted(n, 0.0);  // the weights of those who did
        std::vector<bool> answered(n, false);
        std::vector<std::optional<Fault>> faults(n);
        const auto vote = [&](std::size_t m, std::size_t from, std::size_t to) {
            members_[m].learner->predict_with(rows, begin + from, begin + to,
                                              sums ? sums + from : nullptr,
                                              counts ? counts + from : nullptr, scores.data());
            for (std::size_t i = from; i < to; ++i) {
                add_vote(m, &scores[(i - from) * k], out + i * k);
                voted[i] += weights_.weight(m);
                answered[i] = true;
            }
        };
        for (std::size_t m = 0; m < members_.size(); ++m) {
            Learner* learner = members_[m].learner.get();
            if (!learner || learner->features() < features()) continue;  // it is about to leave
            try {
                vote(m, 0, n);
            } catch (const Fault&) {
                for (std::size_t i = 0; i < n; ++i) {
                    try {
                        vote(m, i, i + 1);
                    } catch (const Fault& why) {
                        faults[i] = why;
                    }
                }
            }
        }
        for (std::size_t i = 0; i < n; ++i) {
            if (faults[i] && !answered[i]) throw *faults[i];
            for (std::size_t v = size(); v < voters(); ++v) {
                add_vote_of_baseline(v, out + i * k);
                voted[i] += weights_.weight(v);
            }
            if (faults[i] && voted[i] > 0.0)
                for (std::size_t c = 0; c < k; ++c) out[i * k + c] /= voted[i];
        }
    }
    double unseen(double, std::size_t, std::size_t) const override { return 0.0; }
    /// The shares of the vote.
    void calibrate(double* scores, std::size_t rows) const override {
        if (columns() > 1) return;
        for (std::size_t i = 0; i < rows; ++i) scores[i] = 0.5 * (1.0 + scores[i]);
    }

    const Classes& classes() const override { return any().classes(); }
    void announce(std::vector<std::size_t> rank, std::vector<bool> looks_negative) override {
        for (auto& m : members_)
            if (m.learner) m.learner->announce(rank, looks_negative);
    }
    void number_by_order() override {
        standings_.renumber(classes().order());
        for (auto& answers : late_)
            for (double& answer : answers) answer = code_by_order(answer);
        for (auto& m : members_) m.figures.renumber(classes().order());
        for (auto& m : members_)
            if (m.learner) m.learner->number_by_order();
    }

    std::size_t features() const override {
        std::size_t most = 0;
        for (const auto& m : members_)
            if (m.learner) most = std::max(most, m.learner->features());
        return most;
    }
    /// The leader's.
    double weight(std::size_t feature, std::size_t column) const override {
        return leading().weight(feature, column);
    }
    double constant(std::size_t column) const override { return leading().constant(column); }
    const std::vector<double>& hypothesis() const override { return leading().hypothesis(); }
    Counts counts() const override {
        Counts counts = leading().counts();
        counts.examples = standings_.learned();
        counts.mistakes = mistakes_;
        return counts;
    }

    State save() override {
        State state;
        Saver saver(state);
        describe(saver);
        for (std::size_t i = 0; i < members_.size(); ++i)
            if (members_[i].learner) merge(state, members_[i].learner->save(), prefix(i));
        return state;
    }
    void load(const State& state) override {
        Loader loader(state);
        describe(loader);
        Classes met;
        met.describe(loader);
        for (std::size_t i = 0; i < members_.size(); ++i) {
            Member& m = members_[i];
            if (m.left != Left::no) {
                m.learner.reset();
                standings_.leave(i);
            } else {
                m.learner->load(part_of(state, prefix(i)));
            }
        }
        for (const auto& m : members_)
            if (m.learner &&
                ((m.learner->features() != features() && !is_too_wide(m, features())) ||
                 m.learner->classes().order() != met.order()))
                throw BadState("the members of the committee do not fit together");
    }

private:
    static constexpr std::size_t block = 1024;
    static constexpr std::uint64_t enough = Standings::enough;
    static constexpr std::size_t few = 64;       // columns
    static constexpr std::size_t few_rows = 64;  // too few for another thread
    static constexpr double fastest = 0x1p60;    // rate

    static std::string prefix(std::size_t i) { return "member" + std::to_string(i) + "."; }

    double code_by_order(double code) const {
        const auto& order = classes().order();
        const auto at = std::find(order.begin(), order.end(), static_cast<std::size_t>(code));
        return code < 0.0 || at == order.end() ? -1.0 : static_cast<double>(at - order.begin());
    }
    const Learner& any() const {
        for (const auto& m : members_)
            if (m.learner) return *m.learner;
        throw std::logic_error("a committee without members");
    }
    const Learner& leading() const { return *members_[standings_.leader()].learner; }

    template <class Archive>
    void describe(Archive& a) {
        Classes met = classes();
        met.describe(a);
        a.count("mistakes", mistakes_);
        standings_.describe(a);
        a.require(standings_.learned() <= standings_.next_look(), "the examples");
        for (std::size_t i = 0; i < members_.size(); ++i) {
            Member& m = members_[i];
            a.count(prefix(i) + "left", m.left);
            a.count(prefix(i) + "left_at", m.left_at);
            a.real(prefix(i) + "loss", m.loss);
            a.real(prefix(i) + "error", m.error);
            a.require(m.left <= Left::dear, "those that left");
        }
        std::size_t baselines = voters() - size();  // a file from before they voted has none
        if (a.has("baselines"))
            a.count("baselines", baselines);
        else
            baselines = 0;
        a.require(baselines == 0 || baselines == Standings::baselines, "the baselines");
        if (voters() != size() + baselines)
            weights_ = FixedShare(options_.weights, size() + baselines);
        for (std::size_t b = 0; b < baselines; ++b)
            a.real("baseline" + std::to_string(b) + ".loss", baseline_losses_[b]);
        for (std::size_t i = 0; options_.figures && i < members_.size(); ++i) {
            if (!a.has(prefix(i) + "figures.weight")) continue;
            a.nested(prefix(i) + "figures", members_[i].figures);
        }
        describe_late(a);
        a.nested("share", weights_);
        for (std::size_t v = size(); v < voters(); ++v)
            a.require(weights_.weight(v) > 0.0, "the baselines");
        for (std::size_t i = 0; i < members_.size(); ++i)
            a.require((members_[i].left == Left::no) == (weights_.weight(i) > 0.0),
                      "those that left");
        a.real("loss", loss_);
        a.real("charged", charged_);
        a.real("allowed", allowed_);
        a.real("heaviest", heaviest_);
        a.real("low", low_);
        a.real("high", high_);
        a.real("span", span_);
        if (regressor_ && a.has("rate")) {
            a.real("rate", rate_);
            a.real("gap", gap_);
        } else if (regressor_) {
            rate_ = weights_.options().eta;  // a file from before it was found on the way
        }
        a.require(rate_ >= 0.0 && rate_ <= fastest && gap_ >= 0.0, "the rate");
        a.real("first", first_);
        a.require(low_ <= high_ && span_ >= 0.0, "the targets");
        const std::size_t codes = standings_.of_code().size();
        for (const std::size_t code : met.order()) a.require(code < codes, "the classes");
    }

    /// The answers to examples that wait for their labels.
    template <class Archive>
    void describe_late(Archive& a) {
        if (Archive::loading && !a.has("late")) return late_.clear();
        std::size_t late = late_.size();
        if (!Archive::loading && late == 0) return;
        a.count("late", late);
        a.require(late < (std::size_t{1} << 40) / voters(), "the answers that wait");
        std::vector<double> cells;
        for (const auto& answers : late_) cells.insert(cells.end(), answers.begin(), answers.end());
        a.cells("late.answers", cells, late, voters());
        late_.clear();
        for (std::size_t i = 0; i < late; ++i)
            late_.emplace_back(cells.begin() + static_cast<std::ptrdiff_t>(i * voters()),
                               cells.begin() + static_cast<std::ptrdiff_t>((i + 1) * voters()));
        const auto codes = static_cast<double>(standings_.of_code().size());
        for (const auto& answers : late_)
            for (const double answer : answers)
                a.require(regressor_ ||
                              (answer >= -1.0 && answer < codes && answer == std::floor(answer)),
                          "the answers that wait");
    }

    // -- learning

    /// A block of them; returns where the next one begins.
    std::size_t learn_some(const Rows& rows, const Lesson& lesson, const std::size_t* needed,
                           std::size_t begin, std::size_t end, Progress& progress) {
        end = std::min(end, begin + to_next_look());
        end = before_too_wide(lesson, needed, begin, end);
        end = before_too_heavy(lesson, begin, end, progress);
        learn_block(rows, lesson, needed, begin, end, progress);
        look();
        return end;
    }

    /// Labels that come late: the members are weighed by the answers that they gave before.
    void learn_late(const Rows& rows, const Lesson& lesson, const std::size_t* needed,
                    std::size_t begin, std::size_t end, Progress& progress) {
        if (lesson.order) throw std::invalid_argument("late labels, in the order of time");
        if (progress.waiting == 0) late_.clear();
        with_delay(
            *this, lesson, needed, begin, end, progress,
            [&](std::size_t row) {
                const bool held = progress.holds_out(progress.position);
                prepare_codes(lesson, row, row + 1, progress);
                std::vector<double> answers = answers_now(rows, lesson, row);
                const auto answer = [&](std::size_t v) { return answers[v]; };
                const double chosen = regressor_ ? mean_of(answer) : plurality(answer);
                if (!held) late_.push_back(std::move(answers));
                return Judged{chosen, standings_.loss_of(chosen, truth_of(lesson, row))};
            },
            [&](std::size_t row, bool) {
                Progress alone;
                given_ = late_.empty() ? nullptr : &late_.front();
                try {
                    learn_some(rows, lesson, needed, row, row + 1, alone);
                } catch (...) {
                    given_ = nullptr;
                    throw;
                }
                given_ = nullptr;
                if (!late_.empty()) late_.pop_front();
            });
    }
    /// What all that vote answer to a row: −1 or 0 for those that cannot, which leave when they are to
    /// learn it.
    std::vector<double> answers_now(const Rows& rows, const Lesson& lesson, std::size_t row) {
        std::vector<double> answers(voters(), regressor_ ? 0.0 : -1.0), scores(columns());
        std::optional<Fault> fault;
        bool any = false;
        for (std::size_t m = 0; m < size(); ++m) {
            Learner* learner = members_[m].learner.get();
            if (!learner || learner->features() < features()) continue;
            try {
                learner->predict(rows, row, row + 1, scores.data());
                answers[m] = judged(learner->classes(), scores.data(), lesson, row).answer;
                any = true;
            } catch (const Fault& why) {
                fault = why;
            }
        }
        if (fault && !any) throw *fault;
        for (std::size_t v = size(); v < voters(); ++v) answers[v] = answer_of_baseline(v);
        return answers;
    }

    void learn_block(const Rows& rows, const Lesson& lesson, const std::size_t* needed,
                     std::size_t begin, std::size_t end, Progress& progress) {
        const std::size_t n = end - begin;
        answers_.assign(members_.size() * n, 0.0);
        done_.assign(members_.size(), 0);
        prepare_codes(lesson, begin, end, progress);
        measure_widths(rows, lesson, begin, end);
        ClassWeights weighed = lesson.class_weights ? *lesson.class_weights : ClassWeights();
        std::vector<ClassWeights> own(members_.size(), weighed);
        std::vector<std::optional<Fault>> faults(members_.size());
        std::vector<std::exception_ptr> others(members_.size());
        std::vector<std::size_t> running;
        for (std::size_t m = 0; m < members_.size(); ++m)
            if (members_[m].learner) running.push_back(m);
        std::vector<Alike*> prepared(members_.size(), nullptr);
        auto groups = alike(n, prepared);
        // Those whose rows are to be prepared wait for that: one of each group begins with it, the others
        // come last. Else the slowest first, so that at the end no thread waits long for another.
        const auto turn = [&](std::size_t m) {
            return !prepared[m] ? 1 : prepared[m]->first == m ? 0 : 2;
        };
        std::sort(running.begin(), running.end(), [&](std::size_t a, std::size_t b) {
            return turn(a) != turn(b) ? turn(a) < turn(b)
                                      : members_[a].seconds > members_[b].seconds;
        });

        Progress start;
        start.hold_out_every = progress.hold_out_every;
        start.position = progress.position;
        const auto prepare = [&](Alike& group) {
            std::call_once(group.once, [&] {
                group.rows = prepared_for(group.first, rows, lesson, needed, begin, end, start);
            });
        };
        std::atomic<std::size_t> next{0};
        const auto work = [&] {
            for (std::size_t k; (k = next.fetch_add(1)) < running.size();) {
                const std::size_t m = running[k];
                const auto began = std::chrono::steady_clock::now();
                Progress alone = start;
                alone.answers = &answers_[m * n];
                std::swap(alone.figures, members_[m].figures.of);
                alone.figures.on = options_.figures && !regressor_;
                Lesson its = lesson;
                if (its.class_weights) its.class_weights = &own[m];
                try {
                    if (prepared[m]) {
                        prepare(*prepared[m]);
                        prepared_of(m)->learn_prepared(*prepared[m]->rows, its, alone);
                    } else
                        members_[m].learner->learn_progressively(rows, its, needed, begin, end,
                                                                 alone);
                } catch (const Fault& fault) {
                    faults[m] = fault;
                } catch (const std::bad_alloc&) {
                    faults[m] = Fault(Fault::Kind::no_memory, -1, 0.0);
                } catch (...) {
                    others[m] = std::current_exception();
                }
                std::swap(alone.figures, members_[m].figures.of);
                done_[m] = alone.learned.examples + alone.held_out.examples + alone.unlabelled;
                members_[m].seconds +=
                    std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
            }
        };
        run_at_once(work, n < few_rows ? 1 : std::min(options_.threads, running.size()));

        std::sort(running.begin(), running.end());  // time must not decide about anything below
        for (const auto& other : others)
            if (other) std::rethrow_exception(other);
        std::size_t farthest = 0;
        for (const std::size_t m : running) farthest = std::max(farthest, done_[m]);
        for (std::size_t i = 0; i < farthest; ++i) {
            for (const std::size_t m : running)
                if (faults[m] && done_[m] == i) leave(m, Left::failed, faults[m]);
            count_row(lesson, begin + i, i, n, progress);
        }
        for (const std::size_t m : running)
            if (done_[m] == farthest && lesson.class_weights) *lesson.class_weights = own[m];
        if (farthest == n) return;
        for (const std::size_t m : running)  // those that could not finish what was prepared
            if (members_[m].learner && prepared[m] && prepared[m]->rows &&
                !prepared[m]->rows->fault)
                prepared_of(m)->share(
                    prepared_for(m, rows, lesson, needed, begin, begin + farthest, start)
                        ->preparation());
        for (const std::size_t m : running)
            if (done_[m] == farthest) throw *faults[m];
    }

    /// Members that prepare rows alike, for which that is done once, by the first of them that gets there.
    struct Alike {
        std::size_t first;
        std::once_flag once;
        std::shared_ptr<const PreparedRows> rows;
    };

    /// As this member prepares them; it does not change.
    std::shared_ptr<const PreparedRows> prepared_for(std::size_t m, const Rows& rows,
                                                     const Lesson& lesson,
                                                     const std::size_t* needed, std::size_t begin,
                                                     std::size_t end,
                                                     const Progress& progress) const {
        const Prepared& learner = *prepared_of(m);
        return std::visit(
            [&](const auto& batch) {
                return std::make_shared<const PreparedRows>(
                    std::make_shared<Preparation>(*learner.shared()), learner.names(), batch,
                    lesson, needed, begin, end, progress);
            },
            rows);
    }
    Prepared* prepared_of(std::size_t m) const {
        return members_[m].learner ? members_[m].learner->facets().prepared : nullptr;
    }
    /// The groups of members that prepare rows alike, and for each member its group, null for others.
    std::deque<Alike> alike(std::size_t rows, std::vector<Alike*>& of_member) const {
        std::deque<Alike> groups;
        for (std::size_t m = 0; rows >= few_rows && m < members_.size(); ++m) {
            const Prepared* first = of_member[m] ? nullptr : prepared_of(m);
            if (!first) continue;
            std::vector<std::size_t> same;
            for (std::size_t other = m; other < members_.size(); ++other)
                if (const Prepared* p = prepared_of(other);
                    p && p->shared()->same_steps(*first->shared()))
                    same.push_back(other);
            if (same.size() < 2) continue;
            groups.emplace_back();
            groups.back().first = m;
            for (const std::size_t other : same) of_member[other] = &groups.back();
        }
        return groups;
    }

    template <class Work>
    static void run_at_once(Work work, std::size_t threads) {
        std::vector<std::thread> others;
        try {
            others.reserve(threads);
            while (others.size() + 1 < threads) others.emplace_back(work);
        } catch (const std::exception&) {  // no more threads: those that there are do the work
        }
        work();
        for (auto& other : others) other.join();
    }

    /// Example i of a block of n: what the committee answers, and what follows for the weights.
    void count_row(const Lesson& lesson, std::size_t at, std::size_t i, std::size_t n,
                   Progress& progress) {
        const std::size_t row = row_of(lesson, at);
        const bool held =
            progress.hold_out_every > 0 && (progress.position + 1) % progress.hold_out_every == 0;
        if (progress.hold_out_every > 0) ++progress.position;
        if (!labelled(lesson, row)) {
            ++progress.unlabelled;
            return;
        }
        progress.order.add(lesson, row);
        const double weight = checked_weight(lesson, row);
        const auto answer = [&](std::size_t v) {
            if (given_) return (*given_)[v];
            return v < size() ? answers_[v * n + i] : answer_of_baseline(v);
        };
        const double truth = truth_of(lesson, row);
        const double chosen = regressor_ ? mean_of(answer) : plurality(answer);
        if (progress.answers) progress.answers[i] = chosen;
        const auto loss_of = [&](double a) { return standings_.loss_of(a, truth); };
        const double loss = loss_of(chosen);
        (held ? progress.held_out : progress.learned).add(weight, loss);
        progress.keep({held, weight, loss, truth});
        if (held == (progress.hold_out_every > 0))
            standings_.judge(
                weight, truth,
                [&](std::size_t p) { return p == row_of_committee() ? loss : loss_of(answer(p)); },
                trivial_answers());
        if (held || weight == 0.0) return;
        if (progress.watch && progress.watch->sees(loss)) progress.ended_at = at + 1;
        if (!regressor_) mistakes_ += chosen != truth;
        loss_ = std::min(loss_ + weight * loss, largest_kept);
        heaviest_ = std::max(heaviest_, weight);
        if (regressor_)
            share_by_squares(answer, truth, chosen, weight);
        else
            share_by_mistakes(answer, truth, chosen, weight);
        if (standings_.learned() < enough) standings_.see(widths_[i]);
        standings_.learn(weight, truth);
    }

    // -- labels

    /// Room for the codes of a block, before anything is learned.
    void prepare_codes(const Lesson& lesson, std::size_t begin, std::size_t end,
                       Progress& progress) {
        if (regressor_) return;
        std::size_t most = standings_.of_code().size();
        for (std::size_t i = begin; i < end; ++i)
            most = std::max(most, static_cast<std::size_t>(lesson.codes[row_of(lesson, i)] + 1));
        standings_.make_room(most);
        progress.order.make_room(most);
        votes_.assign(most, 0.0);
        codes_.reserve(most);
    }

    /// The code with the largest vote, −1 before any class was seen. The sums and ties are those of
    /// `add_vote` and `Classes::decide`, for the classes seen before this example.
    template <class Answer>
    double plurality(Answer answer) {
        codes_.clear();
        for (std::size_t code = 0; code < standings_.of_code().size(); ++code)
            if (standings_.of_code()[code] > 0.0) codes_.push_back(code);
        const auto& rank = any().classes().rank();
        const auto place = [&](std::size_t code) { return code < rank.size() ? rank[code] : code; };
        std::sort(codes_.begin(), codes_.end(),
                  [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
        if (codes_.empty()) return -1.0;
        if (codes_.size() == 2) {
            const auto positive = static_cast<double>(codes_[1]);
            double score = 0.0;
            for (std::size_t v = 0; v < voters(); ++v)
                if (votes(v))
                    score += answer(v) == positive ? weights_.weight(v) : -weights_.weight(v);
            return static_cast<double>(codes_[score >= 0.0]);
        }
        for (const std::size_t code : codes_) votes_[code] = 0.0;
        for (std::size_t v = 0; v < voters(); ++v)
            if (votes(v) && answer(v) >= 0.0)
                votes_[static_cast<std::size_t>(answer(v))] += weights_.weight(v);
        std::size_t best = codes_[0];
        for (const std::size_t code : codes_)
            if (votes_[code] > votes_[best]) best = code;
        return static_cast<double>(best);
    }

    template <class Answer>
    void share_by_mistakes(Answer answer, double truth, double chosen, double weight) {
        const double eta = weights_.options().eta;
        for (std::size_t v = 0; v < voters(); ++v)
            if (votes(v) && answer(v) != truth) add_loss(v, weight);
        if (chosen != truth) charged_ += fixed::log(2.0 / (1.0 + fixed::exp(-eta * weight)));
        allowed_ -= fixed::log1p(-weights_.options().share);
        weights_.update(eta, [&](std::size_t v) { return answer(v) == truth ? 0.0 : weight; });
    }

    // -- numbers

    double clipped(double v) const {
        return standings_.mass() > 0.0 ? std::clamp(v, low_, high_) : v;
    }

    template <class Answer>
    double mean_of(Answer answer) const {
        double sum = 0.0;
        for (std::size_t v = 0; v < voters(); ++v)
            if (votes(v)) sum += weights_.weight(v) * clipped(answer(v));
        return sum;
    }

    /// Losses are squares in units of a span of the targets, a power of two. How fast they take effect is
    /// found on the way: the rate is halved, and the weights start over, when what the answers lost beyond
    /// what the weights account for exceeds ln N/rate, which is what starting over may cost. At η ≤ 1/2
    /// nothing is lost, and the rate does not fall below η.
    template <class Answer>
    void share_by_squares(Answer answer, double truth, double chosen, double weight) {
        for (std::size_t v = 0; v < voters(); ++v) {
            if (!votes(v)) continue;
            const double error = clipped(answer(v)) - truth;
            add_loss(v, weight * error * error);
        }
        const bool first = standings_.mass() == 0.0;
        const double low = first ? truth : std::min(low_, truth);
        const double high = first ? truth : std::max(high_, truth);
        const double surprise = weight * (chosen - truth) * (chosen - truth);
        if (first) {
            first_ = std::min(surprise, largest_kept);
        } else if (high > low) {
            grow_span(high - low);
            const auto square = [&](double p) {
                const double error = (p - truth) / span_;
                return weight * error * error;
            };
            const auto loss = [&](std::size_t v) { return square(clipped(answer(v))); };
            if (rate_ == 0.0) begin_rate(loss);
            if (rate_ > 0.0) share_at_rate(loss, square(chosen));
        }
        low_ = low;
        high_ = high;
    }
    void grow_span(double width) {
        if (width <= span_) return;
        const double before = span_;
        span_ = std::min(fixed::power_of_two_from(width), largest_kept);
        const double times = before > 0.0 ? span_ / before : 1.0;
        rate_ = std::min(rate_ * times * times, fastest);
        gap_ = gap_ / times / times;
    }
    /// So that the first difference between losses counts a lot.
    template <class Loss>
    void begin_rate(Loss loss) {
        double least = std::numeric_limits<double>::infinity(), most = 0.0;
        for (std::size_t v = 0; v < voters(); ++v) {
            if (!votes(v)) continue;
            least = std::min(least, loss(v));
            most = std::max(most, loss(v));
        }
        if (!(most > least)) return;
        const double wanted = fixed::power_of_two_from(std::min(16.0 / (most - least), fastest));
        rate_ = std::max(weights_.options().eta, wanted);
        allow(cost_of_start());
    }
    template <class Loss>
    void share_at_rate(Loss loss, double lost) {
        const double gap = std::max(0.0, lost - weights_.update(rate_, loss));
        gap_ = std::min(gap_ + gap, largest_kept);
        allow(gap - fixed::log1p(-weights_.options().share) / rate_);
        const double slowest = weights_.options().eta;
        if (!(gap_ > cost_of_start()) || rate_ <= slowest) return;
        do rate_ = std::max(slowest, 0.5 * rate_);
        while (gap > cost_of_start() && rate_ > slowest);
        gap_ = 0.0;
        weights_.restart();
        allow(cost_of_start());
    }
    double cost_of_start() const {
        return fixed::log(static_cast<double>(weights_.left())) / rate_;
    }
    void allow(double more) {
        if (more > 0.0) allowed_ = std::min(allowed_ + span_ * span_ * more, largest_kept);
    }

    // -- predicting

    /// Whether it has not left. Of members, only those that are here have a weight.
    bool votes(std::size_t v) const { return weights_.weight(v) > 0.0; }
    double answer_of_baseline(std::size_t v) const {
        return standings_.answer(static_cast<Standings::Baseline>(v - size()));
    }
    /// Of the baselines, whether they vote or not.
    std::array<double, Standings::baselines> trivial_answers() const {
        if (given_ && voters() > size()) return {(*given_)[size()], (*given_)[size() + 1]};
        return {standings_.answer(Standings::usual), standings_.answer(Standings::last)};
    }
    void add_loss(std::size_t v, double loss) {
        double& of = v < size() ? members_[v].loss : baseline_losses_[v - size()];
        of = std::min(of + loss, largest_kept);
    }
    void add_vote_of_baseline(std::size_t v, double* out) const {
        const double weight = weights_.weight(v), answer = answer_of_baseline(v);
        if (regressor_)
            out[0] += weight * clipped(answer);
        else if (answer >= 0.0)
            add_vote(classes(), classes().place(static_cast<std::size_t>(answer)), weight, out);
    }
    void add_vote(std::size_t m, const double* scores, double* out) const {
        const double weight = weights_.weight(m);
        if (regressor_) {
            out[0] += weight * clipped(scores[0]);
            return;
        }
        const Classes& its = members_[m].learner->classes();
        add_vote(its, its.decide(scores), weight, out);
    }
    static void add_vote(const Classes& classes, std::size_t chosen, double weight, double* out) {
        if (classes.columns() > 1)
            out[chosen] += weight;
        else
            out[0] += chosen == classes.shown_positive() ? weight : -weight;
    }

    // -- who stays

    /// How many features of each row of a block are not 0, while that is of interest.
    void measure_widths(const Rows& rows, const Lesson& lesson, std::size_t begin,
                        std::size_t end) {
        widths_.assign(end - begin, 0.0);
        if (standings_.learned() >= enough) return;
        for (std::size_t i = begin; i < end; ++i)
            widths_[i - begin] = width_of(rows, row_of(lesson, i));
    }

    /// The end of the rows whose weights can be added up; if the first one's cannot, it is refused.
    static std::size_t before_too_heavy(const Lesson& lesson, std::size_t begin, std::size_t end,
                                        const Progress& progress) {
        if (!lesson.weights) return end;
        double sum = std::max(progress.learned.weight, progress.held_out.weight);
        for (std::size_t i = begin; i < end; ++i) {
            const std::size_t row = row_of(lesson, i);
            const double weight = lesson.weights[row];
            if (!(weight >= 0.0) || !std::isfinite(weight)) return std::max(i, begin + 1);
            if (sum + weight <= largest_kept)
                sum += weight;
            else if (i > begin)
                return i;
            else
                at_row(row, [&] { checked_sum(sum, weight); });
        }
        return end;
    }

    std::size_t to_next_look() const {
        const std::uint64_t learned = standings_.learned();
        return static_cast<std::size_t>((learned < enough ? enough : standings_.next_look()) -
                                        learned);
    }

    void look() {
        const std::uint64_t learned = standings_.learned();
        if (learned == enough) leave_unsuitable();
        if (learned < standings_.next_look()) return;
        const std::optional<double> errors = standings_.looks(learned);
        if (options_.keep_all) return;
        const std::size_t best = standings_.leader();
        for (std::size_t m = 0; errors && m < members_.size(); ++m)
            if (m != best && members_[m].learner && weights_.weight(m) < 0.01 &&
                standings_.history().is_worse(m, best, *errors))
                leave(m, Left::worse);
        for (const std::size_t m : standings_.worse_half()) leave(m, Left::dear);
    }

    std::size_t members_left() const {
        return static_cast<std::size_t>(
            std::count_if(members_.begin(), members_.end(),
                          [](const Member& m) { return m.learner != nullptr; }));
    }

    /// Whether so many features are sparse data.
    bool is_sparse(std::size_t features) const {
        return standings_.width() < 0.5 * static_cast<double>(features);
    }
    /// Whether they are as sparse as texts.
    bool is_very_sparse(std::size_t features) const {
        return standings_.width() < 0.1 * static_cast<double>(features);
    }
    /// Dense data is nothing for members that are for sparse data, nor the other way round; but those can
    /// afford few columns, some of which may stand for categories.
    void leave_unsuitable() {
        for (std::size_t m = 0; m < members_.size(); ++m)
            if (members_[m].learner && members_left() > 1 &&
                (is_too_wide(members_[m], features()) ||
                 (members_[m].options.sparse && !is_very_sparse(features()))))
                leave(m, Left::unsuitable);
    }

    /// One that is left alone has to try.
    bool is_too_wide(const Member& m, std::size_t features) const {
        const std::size_t most = m.options.most_features;
        const bool limited = most > 0 && features > most;
        const bool lost = m.options.dense && standings_.learned() >= enough && features > few &&
                          is_sparse(features);
        return (limited || lost) && members_left() > 1;
    }

    /// The end of the rows that are not too wide for any member; those for which the first one is leave.
    std::size_t before_too_wide(const Lesson& lesson, const std::size_t* needed, std::size_t begin,
                                std::size_t end) {
        const bool limited = std::any_of(members_.begin(), members_.end(), [](const Member& m) {
            return m.learner && (m.options.most_features > 0 || m.options.dense);
        });
        const std::size_t known = features();
        for (std::size_t i = begin; limited && i < end; ++i) {
            const std::size_t width = std::max(needed[row_of(lesson, i)], known);
            for (std::size_t m = 0; m < members_.size(); ++m) {
                if (!members_[m].learner || !is_too_wide(members_[m], width)) continue;
                if (i > begin) return i;
                leave(m, Left::unsuitable);
            }
        }
        return end;
    }

    void leave(std::size_t m, Left why, std::optional<Fault> fault = std::nullopt) {
        const History& history = standings_.history();
        members_[m].error = history.examples() > 0 ? history.error(m) : 0.0;
        standings_.leave(m);
        members_[m].learner.reset();
        members_[m].left = why;
        members_[m].left_at = standings_.learned();
        members_[m].fault = fault;
        weights_.drop(m);
    }

    CommitteeOptions options_;
    bool regressor_;
    std::vector<Member> members_;
    FixedShare weights_;
    Standings standings_;
    std::uint64_t mistakes_ = 0;
    double loss_ = 0.0, charged_ = 0.0, allowed_, heaviest_ = 0.0;
    std::array<double, Standings::baselines> baseline_losses_{};
    double low_ = 0.0, high_ = 0.0, span_ = 0.0;  // of the targets
    double rate_ = 0.0, gap_ = 0.0;  // 0: no difference yet; what was lost at this rate
    double first_ = 0.0;
    std::vector<double> votes_;
    std::vector<std::size_t> codes_;
    std::vector<double> answers_;  // of each member, for each example of a block
    std::vector<double> widths_;   // of the rows of a block
    std::vector<std::size_t> done_;
    /// What all answered to examples that wait for their labels; those of the one that is learned.
    std::deque<std::vector<double>> late_;
    const std::vector<double>* given_ = nullptr;
};

}  // namespace thresher
