// Products of features: conjunctions(d), of up to d different ones; polynomial(d), of up to d with repeats,
// such as a^2*b. The features themselves are the products of one. A product gets its number when it first
// has a value that is not 0, so there are no more than occur in the stream.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../matrix.hpp"
#include "cells.hpp"

namespace thresher::prepare {

class Products {
public:
    static constexpr bool has_statistics = false;

    Products(unsigned degree, bool repeats) : degree_(degree), repeats_(repeats) {}

    void grow(std::size_t inputs) { inputs_ = std::max(inputs_, inputs); }
    void shrink(std::size_t inputs) { inputs_ = std::min(inputs_, inputs); }
    std::size_t outputs() const { return parts_.size() / 2; }

    void learn(const Cells& x) {
        known_before_ = outputs();
        check_number(static_cast<double>(x.size()));
        try {
            meet(x, 0, 1.0, root, 0);
        } catch (...) {
            undo();
            throw;
        }
    }
    void undo() {
        parts_.resize(2 * known_before_);
        fill(table_.size());
    }

    /// All products of the inputs, by size and then by their parts: a layout for arrays.
    void meet_all() {
        check_number(static_cast<double>(inputs_));
        for (std::size_t i = 0; i < inputs_; ++i) find_or_add(root, i);
        std::size_t begin = 0;
        for (unsigned size = 2; size <= degree_; ++size) {
            const std::size_t end = outputs();
            for (std::size_t parent = begin; parent < end; ++parent)
                for (std::size_t i = last_of(parent) + !repeats_; i < inputs_; ++i)
                    find_or_add(parent + 1, i);
            begin = end;
        }
    }

    void map(const Cells& x, bool, Cells& out, Unseen& unseen, const Names&) {
        check_number(static_cast<double>(x.size()));
        found_.clear();
        collect(x, 0, 1.0, root, 0, unseen);
        std::sort(found_.begin(), found_.end());
        for (const auto& [i, v] : found_) out.push(i, v);
    }

    /// a, a*b, a^2*b
    std::string name(std::size_t product, const Names& inputs) const {
        std::vector<std::size_t> parts;
        for (std::uint64_t at = product + 1; at != root; at = parent_of(at - 1))
            parts.push_back(last_of(at - 1));
        std::string text;
        for (std::size_t j = parts.size(); j > 0;) {
            const std::size_t part = parts[j - 1];
            std::size_t power = 0;
            for (; j > 0 && parts[j - 1] == part; --j) ++power;
            if (!text.empty()) text += '*';
            text += inputs(part);
            if (power > 1) text += '^' + std::to_string(power);
        }
        return text;
    }

    template <class Archive>
    void describe(Archive& a, std::size_t inputs) {
        inputs_ = inputs;
        std::size_t products = outputs();
        std::vector<double> cells(parts_.begin(), parts_.end());
        a.count("products", products);
        a.cells("parts", cells, products, 2);
        if constexpr (Archive::loading) {
            parts_.clear();
            table_.clear();
            std::vector<unsigned> sizes;
            for (std::size_t i = 0; i < products; ++i) {
                const double parent = cells[2 * i], part = cells[2 * i + 1];
                a.require(is_number_below(parent, i + 1) && is_number_below(part, inputs),
                          "the parts of a product");
                const auto up = static_cast<std::size_t>(parent),
                           in = static_cast<std::size_t>(part);
                sizes.push_back(up == root ? 1 : sizes[up - 1] + 1);
                a.require(sizes[i] <= degree_ &&
                              (up == root || last_of(up - 1) + !repeats_ <= in) &&
                              find_or_add(up, in) == i,
                          "the parts of a product");
            }
        }
    }

private:
    // A product is its last part and the product of the others: root, or a product's number + 1.
    static constexpr std::uint32_t root = 0, unknown = 0xffffffffu;
    static constexpr double most = 1e7;

    std::size_t parent_of(std::size_t product) const { return parts_[2 * product]; }
    std::size_t last_of(std::size_t product) const { return parts_[2 * product + 1]; }
    static bool is_number_below(double v, std::size_t end) {
        return v >= 0.0 && v == std::floor(v) && v < static_cast<double>(end);
    }

    /// Σ over sizes of the products that n features make.
    void check_number(double n) const {
        double sum = 0.0, of_size = 1.0;
        for (unsigned k = 1; k <= degree_; ++k) {
            of_size *= (repeats_ ? n + k - 1 : std::max(0.0, n - k + 1)) / k;
            sum += of_size;
            if (sum > most) throw Fault(Fault::Kind::many_products, -1, n);
        }
    }

    void meet(const Cells& x, std::size_t from, double product, std::uint64_t parent,
              unsigned size) {
        for (std::size_t j = from; j < x.size(); ++j) {
            const double v = product * x.value[j];
            if (v == 0.0) continue;  // too small for a double
            const std::uint32_t id = find_or_add(parent, static_cast<std::size_t>(x.index[j]));
            if (size + 1 < degree_) meet(x, j + !repeats_, v, id + 1, size + 1);
        }
    }

    void collect(const Cells& x, std::size_t from, double product, std::uint64_t parent,
                 unsigned size, Unseen& unseen) {
        for (std::size_t j = from; j < x.size(); ++j) {
            const double v = product * x.value[j];
            if (v == 0.0) continue;
            const std::uint64_t id = parent == unknown ? unknown : find(parent, x.index[j]);
            if (id == unknown) {
                unseen.sum += v;
                ++unseen.count;
            } else {
                found_.emplace_back(id, v);
            }
            if (size + 1 < degree_)
                collect(x, j + !repeats_, v, id == unknown ? unknown : id + 1, size + 1, unseen);
        }
    }

    std::size_t place(std::uint64_t parent, std::uint64_t part) const {
        std::uint64_t h = (parent << 32 | part) * 0x9e3779b97f4a7c15ull;
        h = (h ^ h >> 32) * 0xd6e8feb86659fd93ull;
        const std::size_t mask = table_.size() - 1;
        std::size_t at = static_cast<std::size_t>(h ^ h >> 29) & mask;
        while (table_[at] != unknown &&
               (parent_of(table_[at]) != parent || last_of(table_[at]) != part))
            at = (at + 1) & mask;
        return at;
    }
    std::uint64_t find(std::uint64_t parent, std::int32_t part) const {
        return table_.empty() ? unknown : table_[place(parent, static_cast<std::uint64_t>(part))];
    }
    std::uint32_t find_or_add(std::uint64_t parent, std::size_t part) {
        if ((outputs() + 1) * 4 > table_.size() * 3) fill(table_.empty() ? 64 : 2 * table_.size());
        std::uint32_t& slot = table_[place(parent, part)];
        if (slot == unknown) {
            if (outputs() >= 0x7ffffffeu) throw std::length_error("more than 2^31 products");
            make_room(parts_, parts_.size() + 2);
            slot = static_cast<std::uint32_t>(outputs());
            parts_.push_back(static_cast<std::uint32_t>(parent));
            parts_.push_back(static_cast<std::uint32_t>(part));
        }
        return slot;
    }
    void fill(std::size_t slots) {
        table_.assign(slots, unknown);
        for (std::size_t i = 0; i < outputs(); ++i)
            table_[place(parent_of(i), last_of(i))] = static_cast<std::uint32_t>(i);
    }

    unsigned degree_;
    bool repeats_;
    std::size_t inputs_ = 0, known_before_ = 0;
    std::vector<std::uint32_t> parts_;  // two for each product
    std::vector<std::uint32_t> table_;
    std::vector<std::pair<std::size_t, double>> found_;
};

}  // namespace thresher::prepare
