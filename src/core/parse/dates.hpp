// A date as ISO 8601 writes it: 2024-05-17, with a time or without (T or a blank, 13:30, 13:30:00, 13:30:00.5).
// A time zone (Z, +02:00) may follow and changes nothing: month, weekday and hour are those of the clock on
// the wall.
#pragma once

#include <optional>
#include <string_view>

namespace thresher::parse {

inline constexpr std::string_view weekdays[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};

struct Date {
    double years;              // since the beginning of 2000, each of 365.2425 days
    int month, weekday, hour;  // of weekdays; an hour of −1: none was given
};

/// Days from 2000-01-01 in the Gregorian calendar.
inline int days_since_2000(int year, int month, int day) {
    const int y = year - (month <= 2);  // years begin in March: a leap day is their last
    const int leaps = y / 4 - y / 100 + y / 400;
    return 365 * y + leaps + (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1 - 730425;
}

inline std::optional<Date> read_date(std::string_view s) {
    std::size_t at = 0;
    const auto digits = [&](std::size_t n, int least, int most, int& value) {
        value = 0;
        for (const std::size_t end = at + n; at < end; ++at) {
            if (at >= s.size() || s[at] < '0' || s[at] > '9') return false;
            value = 10 * value + (s[at] - '0');
        }
        return value >= least && value <= most;
    };
    const auto sign = [&](char c) { return at < s.size() && s[at] == c && ++at > 0; };
    int year, month, day, hour = -1, minute = 0, second = 0;
    if (!digits(4, 1, 9999, year) || !sign('-') || !digits(2, 1, 12, month) || !sign('-') ||
        !digits(2, 1, 31, day))
        return {};
    const int days = days_since_2000(year, month, day);
    const bool december = month == 12;
    if (days >= days_since_2000(year + december, december ? 1 : month + 1, 1)) return {};
    if (sign('T') || sign(' ')) {
        if (!digits(2, 0, 23, hour) || !sign(':') || !digits(2, 0, 59, minute)) return {};
        if (sign(':')) {
            if (!digits(2, 0, 60, second)) return {};
            if (sign('.')) {
                const std::size_t from = at;
                while (at < s.size() && s[at] >= '0' && s[at] <= '9') ++at;
                if (at == from) return {};
            }
        }
        int hours, minutes = 0;
        if (sign('+') || sign('-')) {
            if (!digits(2, 0, 23, hours)) return {};
            if (sign(':') || at < s.size())
                if (!digits(2, 0, 59, minutes)) return {};
        } else if (!sign('Z') && s.substr(at) == " UTC") {
            at += 4;
        }
    }
    if (at != s.size()) return {};
    const int seconds = 3600 * (hour < 0 ? 0 : hour) + 60 * minute + second;
    Date date;
    date.years = (days + seconds / 86400.0) / 365.2425;
    date.month = month;
    date.weekday = ((days + 5) % 7 + 7) % 7;  // 2000-01-01 was a Saturday
    date.hour = hour;
    return date;
}

}  // namespace thresher::parse
