// Whatever Redis answers, decoding it ends with a value or with an errand::error. The first byte says what the rest is
// taken for; what is decoded is encoded and decoded again, and must be the same.
#include <errand/error.hpp>

#include "core/record.hpp"
#include "core/stage_record.hpp"
#include "fuzz/require.hpp"
#include "store/redis/replies.hpp"

#include <cstdint>

using namespace errand;

namespace {

// Encoding cuts what is too long and sorts nothing anew, so from the second time on it must stay as it is.
template <class Decode>
void round_trip(std::string_view bytes, Decode decode) {
    const auto once = encode(decode(bytes));
    require(encode(decode(once)) == once);
}

void take_for(std::uint8_t what, std::string_view bytes) {
    switch (what % 7) {
    case 0: return round_trip(bytes, decode_body);
    case 1: return round_trip(bytes, decode_notes);
    case 2: return round_trip(bytes, decode_outcome);
    case 3: {
        const auto parts = split_end(bytes);
        decode_outcome(parts.outcome);
        decode_body(parts.body);
        return;
    }
    case 4: decode_stages(bytes, 1); return;
    case 5: redis::read_told(bytes); return;
    default: redis::read_ids(bytes); return;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view bytes{reinterpret_cast<const char*>(data) + 1, size - 1};
    try {
        take_for(data[0], bytes);
    } catch (const error&) {
        // Refused with words.
    }
    return 0;
}
