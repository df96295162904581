#include "core/stage_record.hpp"

#include "core/bytes.hpp"

namespace errand {
namespace {

constexpr std::uint8_t stage_format = 1;
constexpr int length_size = 4;
constexpr int life_size = 8;

stage_record decode_one(std::string_view bytes) {
    byte_reader in{bytes, "stage"};
    if (in.u8() != stage_format) in.fail("has a format that this version of errand does not know");
    stage_record stage;
    stage.name = in.take(in.u8());
    stage.attempt = static_cast<int>(in.signed_number());
    stage.started_at = time_point{duration{in.signed_number()}};
    stage.length = duration{in.signed_number()};
    stage.result = in.rest();
    return stage;
}

}  // namespace

std::string encode(const stage_record& stage) {
    std::string content;
    byte_writer out{content};
    out.u8(stage_format);
    out.u8(static_cast<std::uint8_t>(stage.name.size()));
    out.rest(stage.name);
    out.signed_number(stage.attempt);
    out.signed_number(stage.started_at.time_since_epoch().count());
    out.signed_number(stage.length.count());
    out.rest(stage.result);

    std::string bytes;
    bytes.reserve(length_size + content.size());
    byte_writer{bytes}.fixed(content.size(), length_size);
    return bytes += content;
}

std::vector<stage_record> decode_stages(std::string_view bytes, incarnation life) {
    std::vector<stage_record> stages;
    byte_reader in{bytes, "list of stages"};
    if (in.at_end() || in.fixed(life_size) != life) return stages;
    while (!in.at_end()) stages.push_back(decode_one(in.take(in.fixed(length_size))));
    return stages;
}

}  // namespace errand
