#include "core/settings_record.hpp"

#include <errand/error.hpp>

#include "core/bytes.hpp"
#include "core/settings_text.hpp"

#include <array>
#include <utility>

namespace errand {
namespace {

constexpr std::uint8_t settings_format = 1;

// Each member that is set stands as its number and its bytes.
enum class settings_field : std::uint8_t {
    max_retry = 1,
    timeout = 2,
    backoff = 3,
    priority = 4,
    retention = 5,
    expires_after = 6,
    max_running = 7,
    rate = 8,
    batch = 9,
    interval = 10,
    paused = 11,
};

std::vector<std::pair<settings_field, std::string>> set_fields(const handler_settings& values) {
    std::vector<std::pair<settings_field, std::string>> fields;
    const auto add = [&](settings_field what, std::string bytes) {
        fields.emplace_back(what, std::move(bytes));
    };
    if (values.max_retry) add(settings_field::max_retry, packed_number(*values.max_retry));
    if (values.timeout) add(settings_field::timeout, packed_number(values.timeout->count()));
    if (values.backoff) add(settings_field::backoff, values.backoff->text());
    if (values.priority) add(settings_field::priority, packed_number(*values.priority));
    if (values.retention) add(settings_field::retention, packed_number(values.retention->count()));
    if (values.expires_after)
        add(settings_field::expires_after, packed_number(values.expires_after->count()));
    if (values.max_running) add(settings_field::max_running, packed_number(*values.max_running));
    if (values.rate) {
        add(settings_field::rate, packed_number(values.rate->count) +
                                      packed_number(values.rate->per.count()) +
                                      packed_number(values.rate->burst));
    }
    if (values.batch) add(settings_field::batch, packed_number(*values.batch));
    if (values.interval) add(settings_field::interval, packed_number(values.interval->count()));
    if (values.paused) add(settings_field::paused, packed_number(1));
    return fields;
}

void read_field(handler_settings& values, settings_field what, std::string_view bytes) {
    byte_reader in{bytes, "settings"};
    const auto length = [&] { return duration{in.signed_number()}; };
    switch (what) {
    case settings_field::max_retry: values.max_retry = static_cast<int>(in.signed_number()); break;
    case settings_field::timeout: values.timeout = length(); break;
    case settings_field::backoff: values.backoff = find_backoff(bytes); break;
    case settings_field::priority: values.priority = static_cast<int>(in.signed_number()); break;
    case settings_field::retention: values.retention = length(); break;
    case settings_field::expires_after: values.expires_after = length(); break;
    case settings_field::max_running: values.max_running = static_cast<int>(in.signed_number()); break;
    case settings_field::rate: {
        rate_limit rate;
        rate.count = static_cast<int>(in.signed_number());
        rate.per = length();
        rate.burst = static_cast<int>(in.signed_number());
        values.rate = rate;
        break;
    }
    case settings_field::batch: values.batch = static_cast<int>(in.signed_number()); break;
    case settings_field::interval: values.interval = length(); break;
    case settings_field::paused: values.paused = in.signed_number() != 0; break;
    }
}

}  // namespace

std::string encode(const settings_record& record) {
    std::string bytes;
    byte_writer out{bytes};
    out.fixed(record.stamp, 8);
    out.u8(settings_format);
    out.signed_number(record.version);
    out.text(record.by);
    out.signed_number(record.at.time_since_epoch().count());
    const auto fields = set_fields(record.values);
    out.number(fields.size());
    for (const auto& [what, value] : fields) {
        out.u8(static_cast<std::uint8_t>(what));
        out.text(value);
    }
    return bytes;
}

settings_record decode_settings(std::string_view bytes) {
    byte_reader in{bytes, "settings"};
    settings_record record;
    record.stamp = in.fixed(8);
    if (in.u8() != settings_format) in.fail("has a format that this version of errand does not know");
    record.version = in.signed_number();
    record.by = in.text();
    record.at = time_point{duration{in.signed_number()}};
    for (auto left = in.number(); left > 0; --left) {
        const auto what = static_cast<settings_field>(in.u8());
        read_field(record.values, what, in.text());
    }
    return record;
}

bool is_nothing(const handler_settings& values) noexcept {
    return !values.max_retry && !values.timeout && !values.backoff && !values.priority && !values.retention &&
           !values.expires_after && !values.max_running && !values.rate && !values.batch &&
           !values.interval && !values.paused;
}

task_id place_of_settings(std::string_view handler) { return derive_task_id(handler, "errand.settings"); }

}  // namespace errand
