// Reading of a cron line. Every refusal is one sentence: the line, the field and its value, what is allowed.
#include <errand/error.hpp>

#include "core/cron_line.hpp"
#include "core/json_quote.hpp"
#include "core/sha256.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace errand {
namespace {

using names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 12> month_names{"JAN", "FEB", "MAR", "APR", "MAY", "JUN",
                                                       "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
constexpr std::array<std::string_view, 7> weekday_names{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"};

struct cron_field {
    std::string_view name;
    int least, most;  // as it may be written; Sunday is also 7
    int count;        // of different values
    int most_drawn;   // by H: every month has 28 days
    names words;
    std::string_view allowed;
};

constexpr cron_field second_field{"second", 0, 59, 60, 59, {}, "0..59"};
constexpr cron_field minute_field{"minute", 0, 59, 60, 59, {}, "0..59"};
constexpr cron_field hour_field{"hour", 0, 23, 24, 23, {}, "0..23"};
constexpr cron_field day_field{"day of month", 1, 31, 31, 28, {}, "1..31, L, L-n, LW or nW"};
constexpr cron_field month_field{"month", 1, 12, 12, 12, month_names, "1..12 or JAN..DEC"};
constexpr cron_field weekday_field{
    "day of week", 0, 7, 7, 6, weekday_names, "0..7 (0 and 7 are Sunday), SUN..SAT, nL or n#k"};

struct cron_macro {
    std::string_view name, line;
};
constexpr std::array<cron_macro, 6> macros{{{"@yearly", "0 0 1 1 *"},
                                            {"@monthly", "0 0 1 * *"},
                                            {"@weekly", "0 0 * * 0"},
                                            {"@daily", "0 0 * * *"},
                                            {"@midnight", "0 0 * * *"},
                                            {"@hourly", "0 * * * *"}}};

// Longer than any list of all values.
constexpr std::size_t max_cron_length = 1024;

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    while (true) {
        text.remove_prefix(static_cast<std::size_t>(std::ranges::find_if_not(text, is_blank) - text.begin()));
        if (text.empty()) return words;
        const auto size = static_cast<std::size_t>(std::ranges::find_if(text, is_blank) - text.begin());
        words.push_back(text.substr(0, size));
        text.remove_prefix(size);
    }
}

bool begins_with_star(std::string_view field) { return field.starts_with('*') || field.starts_with('?'); }

}  // namespace

class cron_reader {
public:
    cron_reader(std::string_view text, const cron_seed& seed) : seed_{seed} { line_.text_ = text; }

    cron_line read() {
        if (line_.text_.size() > max_cron_length)
            refuse("is longer than " + std::to_string(max_cron_length) + " bytes");
        if (line_.text_.starts_with("TZ=") || line_.text_.starts_with("CRON_TZ="))
            refuse("the zone is not part of the line: give it as timezone");
        const auto plain = without_macro();
        auto fields = words_of(plain);
        check_number_of(fields);
        if (fields.size() == 6) {
            line_.seconds_ = plain_set(second_field, fields.front());
            fields.erase(fields.begin());
        }
        line_.minutes_ = plain_set(minute_field, fields[0]);
        line_.hours_ = static_cast<std::uint32_t>(plain_set(hour_field, fields[1]));
        read_days_of_month(fields[2]);
        line_.months_ = static_cast<std::uint32_t>(plain_set(month_field, fields[3]));
        read_days_of_week(fields[4]);
        line_.days_.both = begins_with_star(fields[2]) || begins_with_star(fields[4]);
        line_.follows_elapsed_time_ = fields[0].starts_with('*') || fields[1].starts_with('*');
        check_that_it_comes(fields);
        return std::move(line_);
    }

private:
    [[noreturn]] void refuse(const std::string& rule) const {
        throw usage_error{"cron = " + detail::quoted_extract(line_.text_) + ": " + rule};
    }
    [[noreturn]] void refuse(const cron_field& field, std::string_view value, const std::string& rule) const {
        refuse(std::string{field.name} + " = " + detail::quoted_extract(value) + ": " + rule);
    }
    [[noreturn]] void not_allowed(const cron_field& field, std::string_view value) const {
        refuse(field, value, "must be " + std::string{field.allowed});
    }

    std::string_view without_macro() const {
        const std::string_view text = line_.text_;
        if (!text.starts_with('@')) return text;
        const auto found = std::ranges::find(macros, text, &cron_macro::name);
        if (found != macros.end()) return found->line;
        if (text.starts_with("@every"))
            refuse("@every is not a time of the calendar: declare the schedule with every()");
        if (text == "@reboot") refuse("@reboot is not a time: submit the task when the program starts");
        refuse("must be @yearly, @monthly, @weekly, @daily, @midnight or @hourly, or have fields");
    }

    void check_number_of(const std::vector<std::string_view>& fields) const {
        if (fields.size() == 5 || fields.size() == 6) return;
        if (fields.size() == 7) refuse("has a seventh field: a year cannot be given (see begin and end)");
        refuse("has " + std::to_string(fields.size()) + (fields.size() == 1 ? " field" : " fields") +
               ": must have 5 (minute, hour, day of month, month, day of week), or 6 with seconds first");
    }

    // Of each item of a list, in capitals; `one` takes what it is.
    template <class Take>
    void each_item(const cron_field& field, std::string_view list, Take take) const {
        for (auto left = list;;) {
            const auto comma = left.find(',');
            std::string item{left.substr(0, comma)};
            if (item.empty()) refuse(field, list, "an item of its list is empty");
            std::ranges::transform(item, item.begin(), upper);
            take(std::string_view{item});
            if (comma == left.npos) return;
            left.remove_prefix(comma + 1);
        }
    }

    std::uint64_t plain_set(const cron_field& field, std::string_view list) const {
        std::uint64_t set = 0;
        each_item(field, list, [&](std::string_view item) { set |= values(field, item); });
        return set;
    }

    void read_days_of_month(std::string_view list) {
        auto& to = line_.days_;
        each_item(day_field, list, [&](std::string_view item) {
            if (item == "L") {
                to.before_last |= 1;
            } else if (item == "LW") {
                to.last_weekday = true;
            } else if (item.starts_with("L-")) {
                to.before_last |= 1U << counted(day_field, item, item.substr(2), 0, 30);
            } else if (item.ends_with('W')) {
                to.nearest |= 1U << counted(day_field, item, item.substr(0, item.size() - 1), 1, 31);
            } else {
                to.of_month |= static_cast<std::uint32_t>(values(day_field, item));
            }
        });
    }

    void read_days_of_week(std::string_view list) {
        auto& to = line_.days_;
        each_item(weekday_field, list, [&](std::string_view item) {
            if (const auto mark = item.find('#'); mark != item.npos) {
                const auto day = value(weekday_field, item, item.substr(0, mark)) % 7;
                const auto bit = 1U << counted(weekday_field, item, item.substr(mark + 1), 1, 5);
                to.nth[static_cast<std::size_t>(day)] |= static_cast<std::uint8_t>(bit);
            } else if (item.ends_with('L')) {
                const auto day = value(weekday_field, item, item.substr(0, item.size() - 1)) % 7;
                to.last_of_week |= static_cast<std::uint8_t>(1U << day);
            } else {
                to.of_week |= static_cast<std::uint8_t>(values(weekday_field, item));
            }
        });
    }

    // `*`, `a`, `a-b`, `H`, `H(a-b)`, each with `/n`.
    std::uint64_t values(const cron_field& field, std::string_view item) const {
        const auto slash = item.find('/');
        const auto range = item.substr(0, slash);
        int step = 1;
        if (slash != item.npos) step = step_of(field, item, item.substr(slash + 1));
        if (range.starts_with('H')) return drawn(field, item, range, slash == item.npos ? 0 : step);
        if (range == "*") return stepped(field, field.least, field.least + field.count - 1, step);
        if (range == "?") {
            if (&field == &day_field || &field == &weekday_field)
                return stepped(field, field.least, field.least + field.count - 1, step);
            refuse(field, item, "? is for day of month and day of week alone; write *");
        }
        const auto dash = range.find('-');
        auto first = value(field, item, range.substr(0, dash));
        if (dash == range.npos) {
            if (slash == item.npos) return stepped(field, first, first, 1);
            first = field.least + (first - field.least) % field.count;
            return stepped(field, first, field.least + field.count - 1, step);
        }
        auto last = value(field, item, range.substr(dash + 1));
        if (first > last) first = field.least + (first - field.least) % field.count;  // a Sunday that was 7
        if (first > last) last += field.count;                                        // over the end and on
        return stepped(field, first, last, step);
    }

    static std::uint64_t stepped(const cron_field& field, int first, int last, int step) {
        std::uint64_t set = 0;
        for (int at = first; at <= last; at += step)
            set |= std::uint64_t{1} << (field.least + (at - field.least) % field.count);
        return set;
    }

    // step 0: one value; else every so many, from a value that is drawn.
    std::uint64_t drawn(const cron_field& field, std::string_view item, std::string_view range,
                        int step) const {
        int first = field.least, last = field.most_drawn;
        if (range != "H") {
            const auto dash = range.find('-');
            if (!range.starts_with("H(") || !range.ends_with(')') || dash == range.npos)
                refuse(field, item, "must be H, H/n, H(a-b) or H(a-b)/n");
            first = value(field, item, range.substr(2, dash - 2));
            last = value(field, item, range.substr(dash + 1, range.size() - dash - 2));
            if (first > last) refuse(field, item, "the range of H must not end before it begins");
        }
        const auto number =
            drawn_number(with_length(seed_.handler) + with_length(seed_.key) + with_length(field.name));
        const auto choices = static_cast<std::uint64_t>(last - first + 1);
        if (step == 0) {
            const auto only = first + static_cast<int>(number % choices);
            return stepped(field, only, only, 1);
        }
        const auto start = number % std::min(static_cast<std::uint64_t>(step), choices);
        return stepped(field, first + static_cast<int>(start), last, step);
    }

    int step_of(const cron_field& field, std::string_view item, std::string_view digits) const {
        const auto step = number_in(digits);
        if (step < 1 || step > field.count)
            refuse(field, item, "the step must be 1.." + std::to_string(field.count));
        return step;
    }

    int counted(const cron_field& field, std::string_view item, std::string_view digits, int least,
                int most) const {
        const auto n = number_in(digits);
        if (n < least || n > most) not_allowed(field, item);
        return n;
    }

    int value(const cron_field& field, std::string_view item, std::string_view word) const {
        const auto name = std::ranges::find(field.words, word);
        if (name != field.words.end()) return field.least + static_cast<int>(name - field.words.begin());
        return counted(field, item, word, field.least, field.most);
    }

    // -1: none.
    static int number_in(std::string_view digits) {
        if (digits.empty() || digits.size() > 4) return -1;
        int n = 0;
        for (const char c : digits) {
            if (c < '0' || c > '9') return -1;
            n = n * 10 + (c - '0');
        }
        return n;
    }

    void check_that_it_comes(const std::vector<std::string_view>& fields) const {
        // The calendar begins anew after 400 years.
        for (std::chrono::year_month month{std::chrono::year{2000}, std::chrono::January};
             month.year() < std::chrono::year{2400}; month += std::chrono::months{1}) {
            if (line_.days_in(month) != 0) return;
        }
        refuse("never comes: no month has such a day (day of month = " + detail::quoted_extract(fields[2]) +
               ", month = " + detail::quoted_extract(fields[3]) +
               ", day of week = " + detail::quoted_extract(fields[4]) + ")");
    }

    cron_line line_;
    const cron_seed& seed_;
};

cron_line cron_line::parse(std::string_view text, const cron_seed& seed) {
    return cron_reader{text, seed}.read();
}

}  // namespace errand
