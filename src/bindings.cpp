// The border between Python and the core: the only file that knows both.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <charconv>
#include <optional>

#include "core/encode.hpp"
#include "core/geometry/additive.hpp"
#include "core/geometry/balanced.hpp"
#include "core/geometry/multiplicative.hpp"
#include "core/geometry/negations.hpp"
#include "core/learner.hpp"
#include "core/rules/aggressive.hpp"
#include "core/rules/custom.hpp"
#include "core/rules/lms.hpp"
#include "core/rules/passive_aggressive.hpp"
#include "core/rules/perceptron.hpp"
#include "core/rules/winnow.hpp"
#include "core/vocabulary.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using thresher::Fault;

namespace {

template <class T>
using Array1 = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

[[noreturn]] void raise(const char* type, const std::string& message) {
    nb::object error = nb::module_::import_("thresher.errors").attr(type);
    PyErr_SetObject(error.ptr(), nb::cast(message).ptr());
    throw nb::python_error();
}

std::string number(double v) {
    if (std::isnan(v)) return "NaN";
    return nb::cast<std::string>(nb::repr(nb::float_(v)));
}

// ---- options ------------------------------------------------------------------------------------

/// The settled options of a learner, as the Python class hands them over.
class Options {
public:
    explicit Options(nb::dict d) : dict_(std::move(d)) {}

    template <class T>
    T get(const char* key) const {
        if (!dict_.contains(key)) throw nb::key_error(key);
        return nb::cast<T>(dict_[key]);
    }
    double real(const char* key) const { return get<double>(key); }
    bool flag(const char* key) const { return get<bool>(key); }
    std::string word(const char* key) const { return get<std::string>(key); }
    nb::object object(const char* key) const { return get<nb::object>(key); }

private:
    nb::dict dict_;
};

std::function<double(double)> rate_of(const Options& o, bool& calls_python) {
    nb::object rate = o.object("learning_rate");
    if (nb::isinstance<nb::str>(rate)) {
        const auto word = nb::cast<std::string>(rate);
        if (word == "1/t") return thresher::rules::inverse_rate();
        if (word == "1/sqrt(t)") return thresher::rules::inverse_root_rate();
        throw nb::value_error("unknown learning rate");
    }
    if (!PyCallable_Check(rate.ptr()))
        return thresher::rules::constant_rate(nb::cast<double>(rate));
    calls_python = true;
    return [rate](double t) {
        const nb::object eta = rate(static_cast<std::uint64_t>(t));
        const double value = PyFloat_AsDouble(eta.ptr());
        if (value == -1.0 && PyErr_Occurred()) {
            PyErr_Clear();
            raise("InvalidInput", "learning_rate returned " + nb::cast<std::string>(nb::repr(eta)) +
                                      "; expected a number.");
        }
        return value;
    };
}

thresher::rules::Slack slack_of(const Options& o) {
    const std::string variant = o.word("variant");
    if (variant == "PA") return thresher::rules::Slack::none;
    if (variant == "PA-I") return thresher::rules::Slack::linear;
    if (variant == "PA-II") return thresher::rules::Slack::squared;
    throw nb::value_error("unknown variant");
}

std::unique_ptr<thresher::Rule> rule_of(const Options& o, bool& calls_python) {
    using namespace thresher::rules;
    using thresher::make_rule;
    const std::string rule = o.word("rule");
    if (rule == "perceptron")
        return make_rule(Perceptron{o.real("margin"), rate_of(o, calls_python)});
    if (rule == "aggressive") return make_rule(Aggressive{o.real("margin")});
    if (rule == "passive_aggressive")
        return make_rule(PassiveAggressive{slack_of(o), o.real("C"), o.real("margin")});
    if (rule == "passive_aggressive_regression")
        return make_rule(PassiveAggressiveRegression{slack_of(o), o.real("C"), o.real("epsilon")});
    if (rule == "winnow") return make_rule(Winnow{o.real("margin")});
    if (rule == "lms") return make_rule(LMS{o.real("eta"), o.flag("normalized")});
    if (rule == "compiled")
        return make_rule(
            compiled_rule(reinterpret_cast<CompiledRule>(o.get<std::uintptr_t>("address"))));
    if (rule == "python") {
        calls_python = true;
        nb::object step = o.object("step");
        return make_rule(Custom{[step](const thresher::View& v) {
            return nb::cast<double>(step(v.margin(), v.sqnorm, v.y, v.score, v.t, v.weight));
        }});
    }
    throw nb::value_error("unknown rule");
}

std::unique_ptr<thresher::Learner> learner_of(const Options& o, bool& calls_python) {
    using namespace thresher;
    MachineOptions m;
    m.rule = rule_of(o, calls_python);
    m.average = o.flag("average");
    m.burn_in = o.real("burn_in");
    m.calibrate = o.flag("calibrate");
    m.estimate_curvature = o.flag("estimate_curvature");
    m.one_vs_rest = o.flag("one_vs_rest");
    m.bias = o.flag("fit_intercept") ? o.real("intercept_scaling") : 0.0;
    if (o.flag("all_constraints"))
        m.all_constraints = rules::AllConstraints{o.real("C"), o.real("margin")};
    const bool regressor = o.flag("regressor");
    const std::string geometry = o.word("geometry");
    if (geometry == "additive")
        return std::make_unique<LearnerOf<Additive>>(Additive::Options{m.bias}, m, regressor);
    if (geometry == "balanced")
        return std::make_unique<LearnerOf<Balanced>>(
            Balanced::Options{o.real("alpha"), o.real("theta"), m.bias != 0.0}, m, regressor);
    const WinnowOptions w{o.real("alpha"), o.real("theta"), o.flag("eliminate"), o.real("floor")};
    if (geometry == "multiplicative")
        return std::make_unique<LearnerOf<Multiplicative>>(w, m, regressor);
    if (geometry == "negations") return std::make_unique<LearnerOf<Negations>>(w, m, regressor);
    throw nb::value_error("unknown geometry");
}

// ---- batches ------------------------------------------------------------------------------------

/// The numbers of an array, each where the processor wants it.
template <class Array>
auto numbers_of(const Array& a) {
    const auto* p = a.data();
    if (reinterpret_cast<std::uintptr_t>(p) % alignof(decltype(*p)) != 0)
        throw nb::value_error("the array is not aligned");
    return p;
}

/// Rows of a batch, and the arrays they look into.
struct Batch {
    std::vector<nb::object> keep;
    std::optional<thresher::Rows> rows;
    std::size_t size = 0, cols = 0, block = 1;
};

template <class Values>
thresher::SparseRows<Values> sparse_rows(const Array1<std::int64_t>& start,
                                         const Array1<std::int32_t>& index, Values value,
                                         std::size_t cols) {
    return {numbers_of(start), numbers_of(index), value, start.shape(0) - 1, cols, index.shape(0)};
}

/// A dense array, or a tuple (row starts, column numbers, values or None, number of columns).
Batch batch_of(nb::handle x) {
    Batch batch;
    if (nb::isinstance<nb::tuple>(x)) {
        nb::tuple parts = nb::borrow<nb::tuple>(x);
        if (parts.size() != 4) throw nb::value_error("expected four parts");
        const auto start = nb::cast<Array1<std::int64_t>>(parts[0]);
        const auto index = nb::cast<Array1<std::int32_t>>(parts[1]);
        if (start.shape(0) == 0) throw nb::value_error("row starts are empty");
        batch.cols = nb::cast<std::size_t>(parts[3]);
        if (parts[2].is_none()) {
            batch.rows = sparse_rows(start, index, thresher::kernels::Ones{}, batch.cols);
        } else if (Array1<float> f; nb::try_cast(parts[2], f, false)) {
            if (f.shape(0) != index.shape(0)) throw nb::value_error("values and indices differ");
            batch.rows = sparse_rows(start, index, numbers_of(f), batch.cols);
        } else {
            const auto d = nb::cast<Array1<double>>(parts[2]);
            if (d.shape(0) != index.shape(0)) throw nb::value_error("values and indices differ");
            batch.rows = sparse_rows(start, index, numbers_of(d), batch.cols);
        }
        batch.keep.push_back(std::move(parts));
        batch.size = start.shape(0) - 1;
        batch.block = 16384;
    } else {
        if (Array2<float> f; nb::try_cast(x, f, false)) {
            batch.cols = f.shape(1);
            batch.size = f.shape(0);
            batch.rows = thresher::DenseRows<float>{numbers_of(f), batch.size, batch.cols};
        } else {
            const auto d = nb::cast<Array2<double>>(x);
            batch.cols = d.shape(1);
            batch.size = d.shape(0);
            batch.rows = thresher::DenseRows<double>{numbers_of(d), batch.size, batch.cols};
        }
        batch.keep.push_back(nb::borrow(x));
        batch.block = std::max<std::size_t>(1, (std::size_t{1} << 21) / (batch.cols + 1));
    }
    return batch;
}

template <class T>
const T* data_or_null(const nb::object& o, std::size_t size, std::optional<Array1<T>>& keep) {
    if (o.is_none()) return nullptr;
    keep = nb::cast<Array1<T>>(o);
    if (keep->shape(0) != size) throw nb::value_error("arrays of different lengths");
    return numbers_of(*keep);
}

// ---- labels -------------------------------------------------------------------------------------

nb::ndarray<nb::numpy, std::int32_t> owned_codes(std::unique_ptr<std::int32_t[]> data,
                                                 std::size_t n) {
    std::int32_t* p = data.release();
    nb::capsule owner(p, [](void* q) noexcept { delete[] static_cast<std::int32_t*>(q); });
    return nb::ndarray<nb::numpy, std::int32_t>(p, {n}, owner);
}

/// Codes of numeric labels, and all labels by code: the known ones, then those that are new.
template <class T>
nb::tuple encode(const Array1<T>& y, std::vector<T> known) {
    auto codes = std::make_unique<std::int32_t[]>(y.shape(0));
    thresher::encode(numbers_of(y), y.shape(0), known, codes.get());
    return nb::make_tuple(owned_codes(std::move(codes), y.shape(0)), nb::cast(known));
}

// ---- names --------------------------------------------------------------------------------------

/// Ids of the names that came as Python strings of late, found by the interpreter's own hash: about
/// ten times faster than reading the text, which the vocabulary does for all the others. Bounded.
class RecentNames {
public:
    RecentNames() = default;
    RecentNames(const RecentNames&) = delete;
    RecentNames& operator=(const RecentNames&) = delete;
    ~RecentNames() { clear(); }

    std::uint32_t find(PyObject* name) const {
        if (groups_.empty()) return thresher::Vocabulary::none;
        const Py_hash_t hash = hash_of(name);
        const Slot* slot = group(hash).slots;
        // Which of the four it is cannot be predicted, so it is computed without a branch.
        const std::size_t at =
            1 * (slot[1].name == name) + 2 * (slot[2].name == name) + 3 * (slot[3].name == name);
        if (slot[at].name == name) return slot[at].id;
        for (unsigned i = 0; i < ways; ++i)
            if (slot[i].hash == tag(hash) && slot[i].name &&
                PyUnicode_Compare(slot[i].name, name) == 0)
                return slot[i].id;
        return thresher::Vocabulary::none;
    }

    void remember(PyObject* name, std::uint32_t id, std::size_t vocabulary) {
        if (groups_.size() < most && groups_.size() * ways < vocabulary + vocabulary / 4) widen();
        Py_INCREF(name);
        put(name, hash_of(name), id);
    }

    void clear() {
        for (Group& g : groups_)
            for (Slot& slot : g.slots) Py_XDECREF(slot.name);
        groups_.clear();
    }

private:
    static constexpr unsigned ways = 4;
    static constexpr std::size_t least = 64, most = 16384;

    struct Slot {
        PyObject* name = nullptr;
        std::uint32_t hash = 0, id = thresher::Vocabulary::none;
    };
    struct alignas(64) Group {  // one cache line
        Slot slots[ways];
    };

    /// A string that has been a key of a dict knows its hash already.
    static Py_hash_t hash_of(PyObject* name) {
        const Py_hash_t known = reinterpret_cast<PyASCIIObject*>(name)->hash;
        return known != -1 ? known : PyObject_Hash(name);
    }
    static std::uint32_t tag(Py_hash_t hash) { return static_cast<std::uint32_t>(hash >> 32); }
    const Group& group(Py_hash_t hash) const {
        return groups_[static_cast<std::size_t>(hash) & (groups_.size() - 1)];
    }

    /// Into a free slot, or in place of another name.
    void put(PyObject* name, Py_hash_t hash, std::uint32_t id) {
        Slot* slot = const_cast<Group&>(group(hash)).slots;
        unsigned i = 0;
        while (i + 1 < ways && slot[i].name) ++i;
        if (slot[i].name) i = tag(hash) & (ways - 1);
        Py_XDECREF(slot[i].name);
        slot[i] = {name, tag(hash), id};
    }

    void widen() {
        std::vector<Group> before(std::max(least, groups_.size() * 2));
        std::swap(before, groups_);
        for (const Group& g : before)
            for (const Slot& slot : g.slots)
                if (slot.name) put(slot.name, hash_of(slot.name), slot.id);
    }

    std::vector<Group> groups_;
};

// ---- the model ----------------------------------------------------------------------------------

class Model {
public:
    explicit Model(nb::dict options)
        : clip_(Options(options).flag("clip")),
          unit_(Options(options).flag("unit")),
          learner_(learner_of(Options(options), calls_python_)) {}

    // -- features

    void grow(std::size_t features) {
        const Hold hold(*this);
        check_width(features);
        learner_->grow(features);
    }

    /// The feature numbers of names, each of which is added when it is new.
    std::vector<std::uint32_t> ids(nb::list names) {
        const Hold hold(*this);
        for (nb::handle name : names) text_of(name);  // all must be usable before any is added
        std::vector<std::uint32_t> out;
        for (nb::handle name : names) out.push_back(vocabulary_.find_or_add(text_of(name)));
        learner_->grow(vocabulary_.size());
        return out;
    }
    bool knows(nb::list names) {
        const Hold hold(*this);
        for (nb::handle name : names)
            if (vocabulary_.find(text_of(name)) == thresher::Vocabulary::none) return false;
        return true;
    }

    std::size_t features() {
        const Hold hold(*this);
        return learner_->features();
    }
    bool named() {
        const Hold hold(*this);
        return vocabulary_.size() > 0;
    }
    nb::list names() {
        const Hold hold(*this);
        nb::list out;
        for (std::size_t i = 0; i < learner_->features(); ++i) out.append(name_of(i));
        return out;
    }

    // -- labels

    /// Labels by code, the place of each in sorted order, and whether it looks like a negative one.
    void set_labels(nb::list labels, const std::vector<std::size_t>& rank,
                    const std::vector<bool>& looks_negative) {
        const Hold hold(*this);
        if (labels.size() != rank.size() || labels.size() != looks_negative.size())
            throw nb::value_error("labels and ranks differ");
        nb::dict codes;
        for (std::size_t i = 0; i < labels.size(); ++i) codes[labels[i]] = i;
        labels_ = std::move(labels);
        codes_ = std::move(codes);
        learner_->rank = rank;
        learner_->looks_negative = looks_negative;
    }

    std::vector<std::size_t> order() {
        const Hold hold(*this);
        return learner_->order();
    }
    std::size_t positive() {
        const Hold hold(*this);
        return learner_->positive();
    }

    // -- batches

    void learn(nb::object x, nb::object codes, nb::object targets, nb::object weights,
               nb::object order) {
        const Batch batch = batch_of(x);
        std::optional<Array1<std::int32_t>> c;
        std::optional<Array1<double>> t, w;
        std::optional<Array1<std::int64_t>> o;
        thresher::Lesson lesson;
        lesson.codes = data_or_null(codes, batch.size, c);
        lesson.targets = data_or_null(targets, batch.size, t);
        lesson.weights = data_or_null(weights, batch.size, w);
        const std::size_t rows =
            order.is_none() ? batch.size : nb::cast<Array1<std::int64_t>>(order).shape(0);
        lesson.order = data_or_null(order, rows, o);
        if (!lesson.codes && !lesson.targets) throw nb::value_error("neither labels nor targets");
        const Hold hold(*this);
        check_batch(batch);
        in_blocks(rows, batch.block, calls_python_, [&](std::size_t begin, std::size_t end) {
            learner_->learn(*batch.rows, lesson, begin, end);
        });
    }

    auto decision(nb::object x) {
        const Batch batch = batch_of(x);
        const Hold hold(*this);
        check_batch(batch);
        const std::size_t k = learner_->columns();
        auto out = std::make_unique<double[]>(batch.size * k);
        in_blocks(batch.size, batch.block, false, [&](std::size_t begin, std::size_t end) {
            learner_->predict(*batch.rows, begin, end, out.get() + begin * k);
        });
        return owned(std::move(out), {batch.size, k});
    }

    auto probability(nb::object x) {
        const Hold hold(*this);
        auto scores = decision(std::move(x));
        learner_->calibrate(static_cast<double*>(scores.data()), scores.shape(0));
        return scores;
    }

    nb::tuple batch_epoch(nb::object x, nb::object codes, nb::object weights, double eta,
                          double divide) {
        const Batch batch = batch_of(x);
        std::optional<Array1<std::int32_t>> c;
        std::optional<Array1<double>> w;
        thresher::Lesson lesson;
        lesson.codes = data_or_null(codes, batch.size, c);
        lesson.weights = data_or_null(weights, batch.size, w);
        if (!lesson.codes) throw nb::value_error("no labels");
        const Hold hold(*this);
        check_batch(batch);
        thresher::BatchEpoch epoch;
        in_blocks(1, 1, false, [&](std::size_t, std::size_t) {
            epoch = learner_->batch_epoch(*batch.rows, lesson, eta, divide);
        });
        return nb::make_tuple(epoch.mistakes, epoch.norm);
    }

    // -- one example

    /// False: the label is not known yet; set_labels first, then again.
    bool learn_one(nb::handle x, nb::handle y, double weight) {
        const Hold hold(*this);
        PyObject* code = PyDict_GetItemWithError(codes_.ptr(), y.ptr());
        if (!code) {
            if (PyErr_Occurred()) throw nb::python_error();
            return false;
        }
        const std::int32_t c = nb::cast<std::int32_t>(nb::handle(code));
        learn_example(x, weight, &c, nullptr);
        return true;
    }

    void learn_one_target(nb::handle x, double y, double weight) {
        const Hold hold(*this);
        learn_example(x, weight, nullptr, &y);
    }

    nb::object score_one(nb::handle x) {
        const Hold hold(*this);
        const double* s = scores_of(x);
        if (learner_->columns() == 1) return nb::float_(s[0]);
        nb::list out;
        for (std::size_t k = 0; k < learner_->columns(); ++k) out.append(s[k]);
        return out;
    }

    nb::object predict_one(nb::handle x) {
        const Hold hold(*this);
        const auto& order = learner_->order();
        if (order.empty()) return nb::none();
        const double* s = scores_of(x);
        if (order.size() == 1) return labels_[order[0]];
        std::size_t best = 0;
        if (order.size() == 2) {
            best = s[0] >= 0.0 ? learner_->positive() : 1 - learner_->positive();
        } else {
            for (std::size_t k = 1; k < order.size(); ++k)
                if (s[k] > s[best] ||
                    (s[k] == s[best] && learner_->rank[order[k]] < learner_->rank[order[best]]))
                    best = k;
        }
        return labels_[order[best]];
    }

    std::vector<double> probability_one(nb::handle x) {
        const Hold hold(*this);
        const double* s = scores_of(x);
        std::vector<double> p(s, s + learner_->columns());
        learner_->calibrate(p.data(), 1);
        return p;
    }

    /// (name, contribution) of each feature of x to the score of one column.
    nb::list contributions(nb::handle x, std::size_t column) {
        const Hold hold(*this);
        check_column(column);
        collect(x, false);
        nb::list out;
        for (std::size_t j = 0; j < count_; ++j) {
            const auto i = static_cast<std::size_t>(index_[j]);
            out.append(nb::make_tuple(name_of(i), learner_->weight(i, column) * value_[j]));
        }
        for (const auto& [name, value] : unseen_)
            out.append(nb::make_tuple(text(name), learner_->unseen(value, 0, column)));
        return out;
    }

    // -- what was learned

    auto weights() {
        const Hold hold(*this);
        const std::size_t k = learner_->columns(), n = learner_->features();
        auto out = std::make_unique<double[]>(k * n);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t c = 0; c < k; ++c) out[c * n + i] = learner_->weight(i, c);
        return owned(std::move(out), {k, n});
    }
    std::vector<double> constants() {
        const Hold hold(*this);
        std::vector<double> out;
        for (std::size_t c = 0; c < learner_->columns(); ++c) out.push_back(learner_->constant(c));
        return out;
    }
    /// The online hypothesis, never averaged, as bytes to compare.
    nb::bytes hypothesis() {
        const Hold hold(*this);
        std::vector<double> cells = learner_->hypothesis();
        for (double& c : cells) c += 0.0;  // −0 becomes 0: they behave alike
        return nb::bytes(reinterpret_cast<const char*>(cells.data()),
                         cells.size() * sizeof(double));
    }

    nb::dict counters() {
        const Hold hold(*this);
        nb::dict out;
        out["examples"] = learner_->examples();
        out["mistakes"] = learner_->mistakes();
        out["updates"] = learner_->updates();
        out["clamped"] = learner_->clamped();
        return out;
    }

    // -- state

    nb::dict state() {
        const Hold hold(*this);
        const thresher::State state = learner_->save();
        nb::dict arrays, out;
        for (const auto& [name, cells] : state.arrays) {
            auto copy = std::make_unique<double[]>(cells.size());
            std::copy(cells.begin(), cells.end(), copy.get());
            arrays[name.c_str()] = owned(std::move(copy), {cells.size()});
        }
        nb::dict reals, counts;
        for (const auto& [name, v] : state.reals) reals[name.c_str()] = v;
        for (const auto& [name, v] : state.counts) counts[name.c_str()] = v;
        out["arrays"] = arrays;
        out["reals"] = reals;
        out["counts"] = counts;
        out["names"] = nb::bytes(vocabulary_.text().data(), vocabulary_.text().size());
        out["name_ends"] = vocabulary_.ends();
        return out;
    }

    void set_state(nb::dict from) {
        const Hold hold(*this);
        thresher::State state;
        for (auto [name, cells] : nb::cast<nb::dict>(from["arrays"])) {
            const auto a = nb::cast<Array1<double>>(cells);
            state.arrays[nb::cast<std::string>(name)].assign(a.data(), a.data() + a.shape(0));
        }
        for (auto [name, v] : nb::cast<nb::dict>(from["reals"]))
            state.reals[nb::cast<std::string>(name)] = nb::cast<double>(v);
        for (auto [name, v] : nb::cast<nb::dict>(from["counts"]))
            state.counts[nb::cast<std::string>(name)] = nb::cast<std::uint64_t>(v);
        thresher::Vocabulary vocabulary =
            vocabulary_from(nb::cast<nb::bytes>(from["names"]),
                            nb::cast<std::vector<std::uint64_t>>(from["name_ends"]));
        try {
            learner_->load(state);
        } catch (const thresher::BadState& bad) {
            raise("ModelFileError", bad.what());
        }
        if (vocabulary.size() > learner_->features())
            raise("ModelFileError", "there are more feature names than weights");
        vocabulary_ = std::move(vocabulary);
        recent_.clear();
    }

private:
    /// One thread at a time. The interpreter is let go while waiting, or the thread inside, which may
    /// need it, would never come out. The same thread may come in again: a signal handler, or a
    /// user's rule, may look at the model.
    class Hold {
    public:
        explicit Hold(Model& m) : owner_(m.owner_) {
            static thread_local char mark;
            const char* free = nullptr;
            if (owner_.compare_exchange_strong(free, &mark, std::memory_order_acquire)) return;
            if (free == &mark) {
                inner_ = true;
                return;
            }
            nb::gil_scoped_release release;
            while (free = nullptr, !owner_.compare_exchange_strong(free, &mark)) owner_.wait(free);
        }
        ~Hold() {
            if (inner_) return;
            owner_.store(nullptr, std::memory_order_release);
            owner_.notify_one();
        }
        Hold(const Hold&) = delete;
        Hold& operator=(const Hold&) = delete;

    private:
        std::atomic<const char*>& owner_;
        bool inner_ = false;
    };

    static nb::ndarray<nb::numpy, double> owned(std::unique_ptr<double[]> data,
                                                std::initializer_list<std::size_t> shape) {
        double* p = data.release();
        nb::capsule owner(p, [](void* q) noexcept { delete[] static_cast<double*>(q); });
        return nb::ndarray<nb::numpy, double>(p, shape, owner);
    }

    static nb::object text(std::string_view s) {
        return nb::steal(
            PyUnicode_DecodeUTF8(s.data(), static_cast<Py_ssize_t>(s.size()), "surrogateescape"));
    }

    /// The whole pass in blocks: the interpreter is free meanwhile, and Ctrl-C is heard in between.
    template <class F>
    void in_blocks(std::size_t rows, std::size_t block, bool keep_gil, F f) {
        try {
            for (std::size_t begin = 0; begin < rows; begin += block) {
                const std::size_t end = std::min(rows, begin + block);
                if (keep_gil) {
                    f(begin, end);
                } else {
                    nb::gil_scoped_release release;
                    f(begin, end);
                }
                if (PyErr_CheckSignals() != 0) throw nb::python_error();
            }
        } catch (const Fault& fault) {
            raise_fault(fault, "row " + std::to_string(fault.row) + ", ");
        }
    }

    /// The words for a fault: where, what was found, what was expected, what to do.
    [[noreturn]] void raise_fault(const Fault& fault, std::string where) const {
        if (fault.feature >= 0 && fault.kind != Fault::Kind::bad_index) {
            const auto i = static_cast<std::size_t>(fault.feature);
            where += "feature " + nb::cast<std::string>(nb::repr(name_of(i))) + ": ";
        }
        const std::string found = "found " + number(fault.value);
        switch (fault.kind) {
            case Fault::Kind::not_finite:
                raise("InvalidInput", where + found +
                                          "; expected a finite number (no NaN, no inf). Drop or "
                                          "impute such values first.");
            case Fault::Kind::outside_unit:
                raise("InvalidInput",
                      where + found + (fault.value < 0 ? " (Negative values in data)" : "") +
                          "; Winnow takes values in [0, 1]. Scale or binarise the data, pass "
                          "clip=True, or use BalancedWinnow, which takes any real value.");
            case Fault::Kind::bad_index:
                raise("InvalidInput", where + "column number " + std::to_string(fault.feature) +
                                          " does not exist in this matrix.");
            case Fault::Kind::bad_row_bounds:
                raise("InvalidInput", where +
                                          "the row pointers of the sparse matrix do not fit "
                                          "its arrays.");
            case Fault::Kind::overflow:
                raise("InvalidInput", where +
                                          "the score or the norm overflows a double (inf): "
                                          "values this large need scaling.");
            case Fault::Kind::bad_step:
                raise("InvalidInput", where + "the update rule returned " + number(fault.value) +
                                          "; expected a finite step.");
            case Fault::Kind::diverged:
                raise("DivergenceError",
                      where + "the weights diverge: the residual grew to " + number(fault.value) +
                          ". The weights before this example are kept. Use a smaller learning rate "
                          "(lms_stability(X).eta_max is the largest stable one), "
                          "learning_rate='auto', or normalized=True.");
            case Fault::Kind::bad_target:
                raise("InvalidInput", where + "target y is " + number(fault.value) +
                                          "; expected a finite number (no NaN, no inf).");
            case Fault::Kind::bad_weight:
                raise("InvalidInput", where + "sample_weight is " + number(fault.value) +
                                          "; expected a finite number ≥ 0.");
        }
        throw nb::value_error("unknown fault");
    }

    static void check_width(std::size_t features) {
        if (features >= 0x7fffffffu)
            raise("InvalidInput", "X has " + std::to_string(features) +
                                      " columns; expected fewer than 2^31 - 1. Use feature names "
                                      "(learn_one with dicts) for an unbounded feature space.");
    }

    void check_batch(const Batch& batch) const {
        if (batch.cols > learner_->features())
            throw nb::value_error("more columns than the model has features");
    }
    void check_column(std::size_t column) const {
        if (column >= learner_->columns()) throw nb::index_error("no such column");
    }

    nb::object name_of(std::size_t i) const {
        if (i < vocabulary_.size()) return text(vocabulary_.name(i));
        return nb::cast("x" + std::to_string(i));
    }

    static std::string_view text_of(nb::handle name) {
        Py_ssize_t n = 0;
        const char* p = PyUnicode_AsUTF8AndSize(name.ptr(), &n);
        if (!p) {
            PyErr_Clear();
            if (PyUnicode_Check(name.ptr()))
                raise("InvalidInput",
                      "feature name " +
                          nb::cast<std::string>(nb::steal(PyObject_ASCII(name.ptr()))) +
                          " is not valid text (a lone surrogate cannot be written as UTF-8).");
            raise("InvalidInput", "feature names are strings; found " +
                                      nb::cast<std::string>(nb::repr(name)) + " of type " +
                                      type_name(name) + ".");
        }
        return {p, static_cast<std::size_t>(n)};
    }
    static std::string type_name(nb::handle h) {
        return nb::cast<std::string>(nb::handle(h.type()).attr("__name__"));
    }

    // -- an example given by name

    void learn_example(nb::handle x, double weight, const std::int32_t* code,
                       const double* target) {
        collect(x, weight != 0.0);
        learner_->grow(vocabulary_.size());
        const thresher::Lesson lesson{nullptr, code, target, &weight};
        try {
            learner_->learn(collected(), lesson, 0, 1);
        } catch (const Fault& fault) {
            raise_fault(fault, "");
        }
    }

    const double* scores_of(nb::handle x) {
        collect(x, false);
        scores_.resize(learner_->columns());
        try {
            learner_->predict(collected(), 0, 1, scores_.data());
        } catch (const Fault& fault) {
            raise_fault(fault, "");
        }
        if (!unseen_.empty()) {
            double sum = 0.0;
            for (const auto& entry : unseen_) sum += entry.second;
            for (std::size_t k = 0; k < scores_.size(); ++k)
                scores_[k] += learner_->unseen(sum, unseen_.size(), k);
        }
        return scores_.data();
    }

    thresher::Rows collected() const {
        if (plain_) return thresher::OneRow<thresher::kernels::Ones>{{index_.data(), {}, count_}};
        return thresher::OneRow<const double*>{{index_.data(), value_.data(), count_}};
    }

    /// Python's example → index_ and value_; names not met are added, or set aside in unseen_.
    /// Of an example that cannot be used nothing stays, not even its names.
    void collect(nb::handle x, bool add_names) {
        count_ = 0;
        unseen_.clear();
        plain_ = true;
        may_repeat_ = false;
        add_names_ = add_names;
        const std::size_t known = vocabulary_.size();
        by_column_ = known == 0 && learner_->features() > 0;
        try {
            collect_any(x);
            if (may_repeat_) merge_repeats();
        } catch (...) {
            if (vocabulary_.size() > known) {
                vocabulary_.shrink(known);
                recent_.clear();
            }
            throw;
        }
    }

    void collect_any(nb::handle x) {
        if (PyDict_Check(x.ptr())) {
            collect_items(x);
        } else if (PyList_Check(x.ptr()) || PyTuple_Check(x.ptr()) || PyAnySet_Check(x.ptr())) {
            may_repeat_ = !PyAnySet_Check(x.ptr());
            for (nb::handle name : nb::borrow<nb::iterable>(x)) put_key(name, 1.0);
        } else if (nb::hasattr(x, "items") && nb::hasattr(x, "keys")) {
            nb::dict items = nb::cast<nb::dict>(nb::module_::import_("builtins").attr("dict")(x));
            collect_items(items);
        } else {
            raise("InvalidInput",
                  "an example is a dict of named features, or a list or set of names; found " +
                      type_name(x) +
                      (PyUnicode_Check(x.ptr()) ? " (split the text into words first)." : "."));
        }
    }

    void collect_items(nb::handle items) {
        PyObject *key, *value;
        Py_ssize_t at = 0;
        const bool any_number = !by_column_ && !unit_;
        while (PyDict_Next(items.ptr(), &at, &key, &value)) {
            // The common case in few instructions: a name met of late with an ordinary number.
            if (PyFloat_CheckExact(value) && PyUnicode_CheckExact(key) && any_number) {
                const double v = PyFloat_AS_DOUBLE(value);
                const std::uint32_t id = recent_.find(key);
                if (id != thresher::Vocabulary::none && std::isfinite(v)) {
                    append(id, v);
                    continue;
                }
            }
            put_item(key, value);
        }
    }

    void put_item(nb::handle key, nb::handle value) {
        if (value.is_none()) return;
        if (PyUnicode_Check(value.ptr())) {
            std::string name(key_text(key));
            name += '=';
            name += text_of(value);
            may_repeat_ = true;
            if (by_column_)
                put_column(text(name), 1.0);
            else
                put_name(name, 1.0);
            return;
        }
        // A __float__ written in Python may do anything, even empty the dict.
        const nb::object keep_key = nb::borrow(key), keep_value = nb::borrow(value);
        double v = PyFloat_AsDouble(value.ptr());
        if (v == -1.0 && PyErr_Occurred()) v = not_a_double(key, value);
        put_key(key, v);
    }

    /// What Python has just refused to make a double of.
    static double not_a_double(nb::handle key, nb::handle value) {
        const bool too_large = PyErr_ExceptionMatches(PyExc_OverflowError);
        if (!too_large && !PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
        PyErr_Clear();
        if (too_large) return HUGE_VAL;  // a whole number, perhaps too long even to print
        raise("InvalidInput", "feature " + nb::cast<std::string>(nb::repr(key)) + ": found " +
                                  nb::cast<std::string>(nb::repr(value)) + " of type " +
                                  type_name(value) +
                                  "; expected a number, a boolean, a string or None.");
    }

    /// A key as a name: text as it is, a whole number as its digits.
    std::string_view key_text(nb::handle key) {
        if (PyUnicode_Check(key.ptr())) return text_of(key);
        if (!is_whole(key)) text_of(key);  // raises
        may_repeat_ = true;
        key_ = nb::cast<std::string>(nb::str(key));
        return key_;
    }

    /// Also NumPy's integers, but no truth value.
    static bool is_whole(nb::handle h) { return PyIndex_Check(h.ptr()) && !PyBool_Check(h.ptr()); }

    void put_key(nb::handle key, double v) {
        if (by_column_) return put_column(key, v);
        if (!PyUnicode_CheckExact(key.ptr())) return void(put_name(key_text(key), v));
        std::uint32_t id = recent_.find(key.ptr());
        if (id != thresher::Vocabulary::none) return put(id, v);
        id = put_name(text_of(key), v);
        if (id != thresher::Vocabulary::none) recent_.remember(key.ptr(), id, vocabulary_.size());
    }

    std::uint32_t put_name(std::string_view name, double v) {
        const std::uint32_t id =
            add_names_ ? vocabulary_.find_or_add(name) : vocabulary_.find(name);
        if (id == thresher::Vocabulary::none)
            unseen_.emplace_back(std::string(name), usable(v, [&] { return text(name); }));
        else
            put(id, v);
        return id;
    }

    /// The model was trained on arrays without names: a column number, or its name x0, x1, …
    void put_column(nb::handle key, double v) {
        std::int64_t column = -1;
        if (is_whole(key)) {
            column = PyNumber_AsSsize_t(key.ptr(), nullptr);
            if (column == -1 && PyErr_Occurred()) PyErr_Clear();
        } else if (PyUnicode_Check(key.ptr())) {
            const std::string_view s = text_of(key);
            if (s.size() > 1 && s[0] == 'x') {
                const auto [end, error] =
                    std::from_chars(s.data() + 1, s.data() + s.size(), column);
                if (error != std::errc() || end != s.data() + s.size()) column = -1;
            }
        }
        const std::size_t n = learner_->features();
        if (column < 0 || static_cast<std::size_t>(column) >= n)
            raise("InvalidInput",
                  "feature " + nb::cast<std::string>(nb::repr(key)) +
                      ": this model was trained on arrays without names; expected a column number "
                      "0 to " +
                      std::to_string(n - 1) + " or a name x0 to x" + std::to_string(n - 1) + ".");
        may_repeat_ = true;
        put(static_cast<std::uint32_t>(column), v);
    }

    void put(std::uint32_t id, double v) {
        append(id, usable(v, [&] { return name_of(id); }));
    }

    void append(std::uint32_t id, double v) {
        if (count_ == index_.size()) {
            index_.resize(2 * count_ + 64);
            value_.resize(2 * count_ + 64);
        }
        index_[count_] = static_cast<std::int32_t>(id);
        value_[count_] = v;
        count_ += v != 0.0;
        plain_ &= v == 1.0;
    }

    template <class Name>
    double usable(double v, Name name) const {
        if (!std::isfinite(v)) refuse_value(name(), v, Fault::Kind::not_finite);
        if (!unit_ || (v >= 0.0 && v <= 1.0)) return v;
        if (!clip_) refuse_value(name(), v, Fault::Kind::outside_unit);
        return std::min(1.0, std::max(0.0, v));
    }

    [[noreturn]] void refuse_value(nb::handle name, double v, Fault::Kind kind) const {
        raise_fault(Fault(kind, -1, v), "feature " + nb::cast<std::string>(nb::repr(name)) + ": ");
    }

    /// A name given twice counts twice: its values add up, in the place where it came first.
    void merge_repeats() {
        mark_.resize(std::max(learner_->features(), vocabulary_.size()), 0);
        std::size_t kept = 0;
        for (std::size_t j = 0; j < count_; ++j) {
            std::uint32_t& mark = mark_[static_cast<std::size_t>(index_[j])];
            if (mark == 0) {
                index_[kept] = index_[j];
                value_[kept] = value_[j];
                mark = static_cast<std::uint32_t>(++kept);
            } else {
                value_[mark - 1] += value_[j];
                plain_ = false;
            }
        }
        count_ = kept;
        for (std::size_t j = 0; j < kept; ++j) mark_[static_cast<std::size_t>(index_[j])] = 0;
        if (unit_)
            for (std::size_t j = 0; j < kept; ++j)
                value_[j] =
                    usable(value_[j], [&] { return name_of(static_cast<std::size_t>(index_[j])); });
        if (!unseen_.empty()) merge_unseen();
    }

    void merge_unseen() {
        std::sort(unseen_.begin(), unseen_.end());
        std::size_t kept = 0;
        for (std::size_t j = 1; j < unseen_.size(); ++j) {
            if (unseen_[kept].first == unseen_[j].first)
                unseen_[kept].second += unseen_[j].second;
            else
                unseen_[++kept] = unseen_[j];
        }
        unseen_.resize(kept + 1);
        for (auto& [name, value] : unseen_) value = usable(value, [&] { return text(name); });
    }

    static thresher::Vocabulary vocabulary_from(const nb::bytes& text,
                                                const std::vector<std::uint64_t>& ends) {
        thresher::Vocabulary v;
        std::uint64_t begin = 0;
        for (const std::uint64_t end : ends) {
            if (end < begin || end > text.size())
                raise("ModelFileError", "the table of feature names does not fit its text");
            v.find_or_add({text.c_str() + begin, static_cast<std::size_t>(end - begin)});
            begin = end;
        }
        if (begin != text.size() || v.size() != ends.size())
            raise("ModelFileError", "the table of feature names is damaged");
        return v;
    }

    std::atomic<const char*> owner_ = nullptr;  // a mark of the thread inside
    bool clip_, unit_;  // values outside [0, 1] are clipped; there may be none
    bool calls_python_ = false;
    std::unique_ptr<thresher::Learner> learner_;
    thresher::Vocabulary vocabulary_;
    RecentNames recent_;
    nb::dict codes_;
    nb::list labels_;

    // The example being collected.
    std::size_t count_ = 0;  // how many of index_ and value_ are in use
    std::vector<std::int32_t> index_;
    std::vector<double> value_, scores_;
    std::vector<std::pair<std::string, double>> unseen_;
    std::vector<std::uint32_t> mark_;
    std::string key_;
    bool plain_ = true, may_repeat_ = false, add_names_ = false, by_column_ = false;
};

}  // namespace

NB_MODULE(_core, m) {
    m.doc() = "The compiled core of Thresher.";
    nb::set_leak_warnings(false);
    m.def("encode", &encode<std::int64_t>, "y"_a, "known"_a);
    m.def("encode", &encode<double>, "y"_a, "known"_a);
    nb::class_<Model>(m, "Model", "A linear learner and the names of its features.")
        .def(nb::init<nb::dict>(), "options"_a)
        .def("grow", &Model::grow, "features"_a)
        .def_prop_ro("features", &Model::features)
        .def_prop_ro("named", &Model::named)
        .def("names", &Model::names, nb::sig("def names(self) -> list[str]"))
        .def("ids", &Model::ids, "names"_a)
        .def("knows", &Model::knows, "names"_a)
        .def("set_labels", &Model::set_labels, "labels"_a, "rank"_a, "looks_negative"_a)
        .def("order", &Model::order)
        .def("positive", &Model::positive)
        .def("learn", &Model::learn, "x"_a, "codes"_a.none(), "targets"_a.none(),
             "weights"_a.none(), "order"_a.none())
        .def("decision", &Model::decision, "x"_a,
             nb::sig("def decision(self, x: object) -> numpy.typing.NDArray[numpy.float64]"))
        .def("probability", &Model::probability, "x"_a,
             nb::sig("def probability(self, x: object) -> numpy.typing.NDArray[numpy.float64]"))
        .def("batch_epoch", &Model::batch_epoch, "x"_a, "codes"_a, "weights"_a.none(), "eta"_a,
             "divide"_a)
        // Without names for their arguments calls are dispatched faster, and these are the hot ones.
        .def("learn_one", &Model::learn_one)
        .def("learn_one_target", &Model::learn_one_target)
        .def("score_one", &Model::score_one,
             nb::sig("def score_one(self, x: object, /) -> typing.Any"))
        .def("predict_one", &Model::predict_one,
             nb::sig("def predict_one(self, x: object, /) -> typing.Any"))
        .def("probability_one", &Model::probability_one)
        .def("contributions", &Model::contributions, "x"_a, "column"_a,
             nb::sig("def contributions(self, x: object, column: int) -> list[tuple[str, float]]"))
        .def("weights", &Model::weights,
             nb::sig("def weights(self) -> numpy.typing.NDArray[numpy.float64]"))
        .def("constants", &Model::constants)
        .def("hypothesis", &Model::hypothesis)
        .def("counters", &Model::counters, nb::sig("def counters(self) -> dict[str, int]"))
        .def("state", &Model::state, nb::sig("def state(self) -> dict[str, typing.Any]"))
        .def("set_state", &Model::set_state, "state"_a);
}
