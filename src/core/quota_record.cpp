#include "core/quota_record.hpp"

#include <errand/error.hpp>

#include "core/bytes.hpp"

#include <utility>
#include <vector>

namespace errand {
namespace {

constexpr std::uint8_t quota_format = 1;

// Each member that is set stands as its number and its bytes.
enum class quota_field : std::uint8_t {
    max_queued = 1,
    submit_rate = 2,
    max_running = 3,
    max_schedules = 4,
    max_payload = 5,
};

std::string packed_rate(const rate_limit& rate) {
    return packed_number(rate.count) + packed_number(rate.per.count()) + packed_number(rate.burst);
}

void read_quota_field(quota& rules, quota_field what, std::string_view bytes) {
    byte_reader in{bytes, "quota"};
    switch (what) {
    case quota_field::max_queued: rules.max_queued = in.signed_number(); break;
    case quota_field::submit_rate: {
        rate_limit rate;
        rate.count = static_cast<int>(in.signed_number());
        rate.per = duration{in.signed_number()};
        rate.burst = static_cast<int>(in.signed_number());
        rules.submit_rate = rate;
        break;
    }
    case quota_field::max_running: rules.max_running = static_cast<int>(in.signed_number()); break;
    case quota_field::max_schedules: rules.max_schedules = in.signed_number(); break;
    case quota_field::max_payload: rules.max_payload = in.signed_number(); break;
    }
}

}  // namespace

std::string encode(const quota_record& record) {
    std::vector<std::pair<quota_field, std::string>> fields;
    const auto& rules = record.rules;
    const auto add = [&](quota_field what, const auto& value) {
        if (value) fields.emplace_back(what, packed_number(*value));
    };
    add(quota_field::max_queued, rules.max_queued);
    if (rules.submit_rate) fields.emplace_back(quota_field::submit_rate, packed_rate(*rules.submit_rate));
    add(quota_field::max_running, rules.max_running);
    add(quota_field::max_schedules, rules.max_schedules);
    add(quota_field::max_payload, rules.max_payload);
    std::string bytes;
    byte_writer out{bytes};
    out.fixed(record.stamp, 8);
    out.u8(quota_format);
    out.signed_number(record.version);
    out.text(record.by);
    out.signed_number(record.at.time_since_epoch().count());
    out.number(fields.size());
    for (const auto& [what, value] : fields) {
        out.u8(static_cast<std::uint8_t>(what));
        out.text(value);
    }
    return bytes;
}

quota_record decode_quota(std::string_view bytes) {
    byte_reader in{bytes, "quota"};
    quota_record record;
    record.stamp = in.fixed(8);
    if (in.u8() != quota_format) in.fail("has a format that this version of errand does not know");
    record.version = in.signed_number();
    record.by = in.text();
    record.at = time_point{duration{in.signed_number()}};
    for (auto left = in.number(); left > 0; --left) {
        const auto what = static_cast<quota_field>(in.u8());
        read_quota_field(record.rules, what, in.text());
    }
    return record;
}

}  // namespace errand
