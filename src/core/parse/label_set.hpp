// A set of labels as every format holds it:  a,b,c
// Each label once; blanks around one are ignored. An empty text is the empty set.
#pragma once

#include <algorithm>
#include <unordered_set>

#include "problem.hpp"

namespace thresher::parse {

class CheckSet {
public:
    /// Throws a Problem if s is not a set of labels.
    void operator()(std::string_view s) {
        if (stripped(s).empty()) return;
        seen_.clear();
        for (std::size_t begin = 0, end; begin <= s.size(); begin = end + 1) {
            end = std::min(s.find(',', begin), s.size());
            const std::string_view label = stripped(s.substr(begin, end - begin));
            if (label.empty())
                throw Problem{s.data() + begin, "found an empty label in the set " + quoted(s) +
                                                    "; expected one before and behind each comma"};
            if (!seen_.insert(label).second)
                throw Problem{label.data(), "found " + quoted(label) + " twice in the set " +
                                                quoted(s) + "; expected each label once"};
        }
    }

private:
    static std::string_view stripped(std::string_view s) {
        constexpr std::string_view blanks = " \t";
        const std::size_t first = s.find_first_not_of(blanks);
        if (first == s.npos) return {};
        return s.substr(first, s.find_last_not_of(blanks) - first + 1);
    }

    std::unordered_set<std::string_view> seen_;
};

}  // namespace thresher::parse
