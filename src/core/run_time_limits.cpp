#include "core/run_time_limits.hpp"

#include "core/bytes.hpp"
#include "core/gates.hpp"

#include <utility>

namespace errand {
namespace {

constexpr std::uint8_t limits_format = 1;

}  // namespace

void run_time_limits::add(std::string name) {
    auto number = limit_number(name);
    names.emplace(std::move(name), std::move(number));
}

std::string_view run_time_limits::number_of(std::string_view name) const noexcept {
    const auto at = names.find(name);
    return at == names.end() ? std::string_view{} : std::string_view{at->second};
}

std::string encode(const run_time_limits& record) {
    std::string bytes;
    byte_writer out{bytes};
    out.fixed(record.stamp, 8);
    out.u8(limits_format);
    out.number(record.names.size());
    for (const auto& [name, number] : record.names) out.text(name);
    return bytes;
}

run_time_limits decode_run_time_limits(std::string_view bytes) {
    byte_reader in{bytes, "limits set at run time"};
    run_time_limits record;
    record.stamp = in.fixed(8);
    if (in.u8() != limits_format) in.fail("have a format that this version of errand does not know");
    for (auto left = in.number(); left > 0; --left) record.add(std::string{in.text()});
    return record;
}

std::string limit_of_queue(std::string_view queue) { return std::string{"queue:"}.append(queue); }

}  // namespace errand
