#include "store/redis/tallies.hpp"

#include <errand/error.hpp>

#include "core/digits.hpp"
#include "store/redis/keys.hpp"

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <functional>
#include <unordered_map>

namespace errand::redis {
namespace {

std::int64_t queue_totals::* member_of(char letter) {
    switch (letter) {
    case 's': return &queue_totals::success;
    case 'd': return &queue_totals::dead;
    case 'c': return &queue_totals::cancelled;
    case 'x': return &queue_totals::expired;
    case 'f': return &queue_totals::failed;
    default: return nullptr;
    }
}

// `name`: a queue, or a history list of one, as they stand in keys; the queue.
std::string_view queue_of_count(std::string_view name) { return name.substr(0, name.find(':')); }

// Adds up counters, of which a queue has several: it is looked for by its name as that stands in them.
class sum_of_counts {
public:
    // The field lives as long as this.
    void add(std::string_view field, std::int64_t value) {
        if (field.size() < 3 || field[1] != ':') return;
        if (const auto member = member_of(field[0]))
            by_name_[queue_of_count(field.substr(2))].*member += value;
    }
    totals all() const {
        totals sums;
        for (const auto& [name, one] : by_name_) sums.emplace(unescaped(name), one);
        return sums;
    }

private:
    std::unordered_map<std::string_view, queue_totals> by_name_;
};

totals totals_of(std::string_view json) {
    std::error_code wrong;
    // Read once, then dropped whole: of thousands of queues it is half a megabyte.
    boost::json::monotonic_resource memory{json.size()};
    const auto parsed = boost::json::parse(json, wrong, &memory);
    if (wrong || !parsed.is_object()) return {};
    sum_of_counts sums;
    for (const auto& [field, value] : parsed.get_object()) {
        if (value.is_string()) sums.add(field, number_in(value.get_string()));
    }
    return sums.all();
}

}  // namespace

std::vector<std::pair<std::string, std::string>> read_pairs(const reply& from) {
    std::vector<std::pair<std::string, std::string>> pairs;
    reply_reader in{from};
    // A map announces pairs, an array their elements.
    for (in.array(); !in.done();) {
        std::string field{in.text()};
        std::string value{in.text()};
        if (!field.starts_with("~~")) pairs.emplace_back(std::move(field), std::move(value));
    }
    return pairs;
}

std::string add_page(pairs& to, const reply& from) {
    reply_reader in{from};
    in.array();
    std::string next{in.text()};
    for (in.array(); !in.done();) {
        std::string field{in.text()};
        std::string value{in.text()};
        // A page may tell once more what another one has told.
        if (!field.starts_with("~~")) to.insert_or_assign(std::move(field), std::move(value));
    }
    return next;
}

std::vector<std::pair<std::string, std::int64_t>> read_scores(const reply& from) {
    std::vector<std::pair<std::string, std::int64_t>> pairs;
    reply_reader in{from};
    for (auto left = in.array(); left > 0; --left) {
        in.array();  // member and score
        std::string member{in.text()};
        pairs.emplace_back(std::move(member), number_in(in.text()));
    }
    return pairs;
}

known_counts read_counts(const pairs& from) {
    known_counts known;
    sum_of_counts sums;
    for (const auto& [field, value] : from) {
        if (field.starts_with("q:")) {
            known.queues.push_back(value);
            continue;
        }
        sums.add(field, number_in(value));
        // Successes of a history list, and those that left one.
        if (field.size() < 3 || field.find(':', 2) == std::string::npos) continue;
        if (field[0] == 's')
            known.kept[unescaped(queue_of_count(std::string_view{field}.substr(2)))] += number_in(value);
        if (field[0] == '-')
            known.kept[unescaped(queue_of_count(std::string_view{field}.substr(2)))] -= number_in(value);
    }
    known.so_far = sums.all();
    std::ranges::sort(known.queues);
    return known;
}

std::string minute_field(std::int64_t minute) { return 'm' + std::to_string(minute % 60); }

std::vector<std::string> day_fields(std::int64_t newest, std::int64_t count) {
    std::vector<std::string> fields;
    for (auto day = newest; day > newest - count; --day) fields.push_back('d' + std::to_string(day));
    return fields;
}

void add_tallies(totals_answer& to, const std::vector<std::string>& fields, const reply& texts,
                 std::int64_t minute) {
    reply_reader in{texts};
    in.array();
    for (const auto& field : fields) {
        const auto text = in.text();
        if (text.empty()) continue;
        if (field.starts_with('d')) {
            to.at_day[number_in(std::string_view{field}.substr(1))] = totals_of(text);
        } else if (const auto blank = text.find(' '); blank != text.npos && number_in(text) == minute) {
            to.at_minute[minute] = totals_of(text.substr(blank + 1));
        }
    }
}

}  // namespace errand::redis
