// The bytes of the record of a limit's shares.
#include "core/bytes.hpp"
#include "core/limit_shares.hpp"

namespace errand {
namespace {

constexpr std::uint8_t shares_format = 1;

void write(byte_writer& to, const std::optional<limit_rule>& rule) {
    const int has = rule ? 1 + (rule->max_running ? 2 : 0) + (rule->rate ? 4 : 0) : 0;
    to.u8(static_cast<std::uint8_t>(has));
    if (rule && rule->max_running) to.number(static_cast<std::uint64_t>(*rule->max_running));
    if (!rule || !rule->rate) return;
    to.number(static_cast<std::uint64_t>(rule->rate->count));
    to.number(static_cast<std::uint64_t>(rule->rate->per.count()));
    to.number(static_cast<std::uint64_t>(rule->rate->burst));
}

std::optional<limit_rule> read_rule(byte_reader& in) {
    const auto has = in.u8();
    if (has == 0) return std::nullopt;
    limit_rule rule;
    if ((has & 2U) != 0) rule.max_running = static_cast<int>(in.number());
    if ((has & 4U) == 0) return rule;
    rate_limit rate;
    rate.count = static_cast<int>(in.number());
    rate.per = duration{static_cast<std::int64_t>(in.number())};
    rate.burst = static_cast<int>(in.number());
    rule.rate = rate;
    return rule;
}

void write(byte_writer& to, const share_part& part) {
    to.number(static_cast<std::uint64_t>(part.told));
    to.number(static_cast<std::uint64_t>(part.out));
}

share_part read_part(byte_reader& in) {
    share_part part;
    part.told = static_cast<int>(in.number());
    part.out = static_cast<int>(in.number());
    return part;
}

}  // namespace

std::string encode(const limit_shares& record) {
    std::string bytes;
    byte_writer out{bytes};
    out.fixed(record.stamp, 8);
    out.u8(shares_format);
    out.number(record.version);
    out.text(record.name);
    write(out, record.rule);
    out.number(record.of.size());
    for (const auto& one : record.of) {
        out.number(one.since);
        write(out, one.running);
        write(out, one.starts);
        out.signed_number(one.starts_end);
    }
    return bytes;
}

limit_shares decode_limit_shares(std::string_view bytes) {
    byte_reader in{bytes, "shares of a limit"};
    limit_shares record;
    record.stamp = in.fixed(8);
    if (in.u8() != shares_format) in.fail("have a format that this version of errand does not know");
    record.version = in.number();
    record.name = in.text();
    record.rule = read_rule(in);
    for (auto left = in.number(); left > 0; --left) {
        shard_share one;
        one.since = in.number();
        one.running = read_part(in);
        one.starts = read_part(in);
        one.starts_end = in.signed_number();
        record.of.push_back(one);
    }
    return record;
}

}  // namespace errand
