#include "service/stored_tokens.hpp"

#include <errand/error.hpp>
#include <errand/proxy.hpp>

#include "core/bytes.hpp"
#include "core/random.hpp"
#include "runtime/app_core.hpp"
#include "runtime/caller_loop.hpp"
#include "runtime/loop.hpp"
#include "service/token_list.hpp"

#include <utility>

namespace errand::web {
namespace {

constexpr std::size_t stamp_bytes = 8;
constexpr std::uint8_t record_format = 1;

awaitable<std::string> record_in(loop& there) {
    co_return co_await there.tasks().find_settings(std::string{token_record_name});
}

awaitable<std::string> list_on(loop& there) {
    const auto bytes = co_await record_in(there);
    co_return decode_token_record(bytes).list;
}

// Also those lines that this version cannot read.
std::size_t size_of(const std::string& list) {
    std::vector<unread_line> passed_over;
    return read_token_list(list, passed_over).size() + passed_over.size();
}

// Throws usage_error when there is none for all of them.
void make_room(std::string& list) {
    const auto now = std::chrono::floor<duration>(std::chrono::system_clock::now());
    take_out_expired(list, now - kept_after_their_end);
    if (size_of(list) <= most_stored_tokens) return;
    take_out_expired(list, now);
    if (size_of(list) <= most_stored_tokens) return;
    throw usage_error{"the store keeps " + std::to_string(most_stored_tokens) +
                      " tokens of a namespace at most: revoke those that nobody uses"};
}

awaitable<void> change_on(loop& there, std::function<bool(std::string&)> alter) {
    for (;;) {
        const auto bytes = co_await record_in(there);
        auto record = decode_token_record(bytes);
        const auto seen = record.stamp;
        if (!alter(record.list)) co_return;
        make_room(record.list);
        record.stamp = random_bits() | 1U;
        settings_step step{
            .handler = std::string{token_record_name}, .seen = seen, .record = encode_token_record(record)};
        if (co_await there.tasks().set_settings(std::move(step))) break;
    }
    // What this program is asked next is judged by it.
    co_await there.learn_settings();
}

}  // namespace

std::string encode_token_record(const token_record& of) {
    std::string bytes;
    if (of.list.empty()) return bytes;
    byte_writer out{bytes};
    out.fixed(of.stamp, stamp_bytes);
    out.u8(record_format);
    out.rest(of.list);
    return bytes;
}

token_record decode_token_record(std::string_view bytes) {
    token_record record;
    if (bytes.empty()) return record;
    byte_reader in{bytes, "tokens of the service"};
    record.stamp = in.fixed(stamp_bytes);
    if (in.u8() != record_format) in.fail("have a format that this version of errand does not know");
    record.list = in.rest();
    return record;
}

awaitable<std::string> stored_tokens(app& of) {
    co_return co_await on_caller_loop(&detail::core_of(of), [](loop& there) { return list_on(there); });
}

awaitable<void> change_stored_tokens(app& of, std::function<bool(std::string& list)> alter) {
    co_await on_caller_loop(&detail::core_of(of),
                            [alter = std::move(alter)](loop& there) { return change_on(there, alter); });
}

}  // namespace errand::web
