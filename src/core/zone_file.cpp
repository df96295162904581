// Reading of TZif files (RFC 9636, versions 1 to 4): a header with six numbers, a block of that many transitions, types and
// names with times of 32 bits, and from version 2 on the same with 64 bits and a rule for the time after.
#include <errand/error.hpp>

#include "core/json_quote.hpp"
#include "core/time_zone.hpp"

#include <utility>

namespace errand {

class zone_file_reader {
public:
    zone_file_reader(std::string name, std::string_view bytes) : left_{bytes} {
        zone_.name_ = std::move(name);
    }

    time_zone read() {
        auto head = header();
        if (head.version == '\0') {
            block(head, 4);
            return std::move(zone_);
        }
        take(size(head, 4));
        head = header();
        block(head, 8);
        footer();
        return std::move(zone_);
    }

private:
    struct counts {
        char version = '\0';
        std::uint64_t utc_marks = 0, standard_marks = 0, leaps = 0, transitions = 0, types = 0,
                      characters = 0;
    };

    [[noreturn]] void refuse(std::string_view why) const {
        throw usage_error{"timezone = " + detail::quoted_extract(zone_.name_) + ": " + std::string{why}};
    }
    [[noreturn]] void broken(std::string_view how) const {
        refuse("its file is broken: " + std::string{how});
    }

    std::string_view take(std::uint64_t n) {
        if (n > left_.size()) broken("it ends too early");
        const auto taken = left_.substr(0, static_cast<std::size_t>(n));
        left_.remove_prefix(taken.size());
        return taken;
    }

    static std::uint64_t big_endian(std::string_view bytes) {
        std::uint64_t value = 0;
        for (const char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
        return value;
    }

    counts header() {
        if (take(4) != "TZif") refuse("its file is not one of a time zone");
        counts counted{.version = take(1).front()};
        take(15);
        for (auto* one : {&counted.utc_marks, &counted.standard_marks, &counted.leaps, &counted.transitions,
                          &counted.types, &counted.characters})
            *one = big_endian(take(4));
        return counted;
    }

    static std::uint64_t size(const counts& counted, std::uint64_t width) {
        return counted.transitions * (width + 1) + counted.types * 6 + counted.characters +
               counted.leaps * (width + 4) + counted.standard_marks + counted.utc_marks;
    }

    void block(const counts& counted, std::uint64_t width) {
        if (counted.types == 0) broken("it has no local time");
        if (counted.leaps != 0) {
            refuse(
                "it counts leap seconds, which clocks of computers and the store do not: take the zone of the same "
                "name without \"right/\"");
        }
        const auto body = take(size(counted, width));
        const auto rest = std::exchange(left_, body);
        const auto times = take(counted.transitions * width), kinds = take(counted.transitions);
        const auto types = take(counted.types * 6), characters = take(counted.characters);
        left_ = rest;
        read_types(types, characters);
        read_transitions(times, kinds, width);
    }

    void read_types(std::string_view types, std::string_view characters) {
        zone_.types_.clear();
        for (; !types.empty(); types.remove_prefix(6)) {
            const auto offset = static_cast<std::int32_t>(big_endian(types.substr(0, 4)));
            if (offset <= -25 * 3600 || offset >= 26 * 3600) broken("a local time is more than 26 hours off");
            const auto dst = static_cast<unsigned char>(types[4]);
            if (dst > 1) broken("a local time is neither standard nor daylight saving time");
            const auto at = static_cast<unsigned char>(types[5]);
            const auto end = characters.find('\0', at);
            if (end == characters.npos) broken("a local time has no name");
            zone_.types_.push_back({.offset = std::chrono::seconds{offset},
                                    .dst = dst == 1,
                                    .abbreviation = std::string{characters.substr(at, end - at)}});
        }
    }

    void read_transitions(std::string_view times, std::string_view kinds, std::uint64_t width) {
        // Older writers begin with one at the beginning of time, which this is.
        constexpr std::int64_t farthest = std::int64_t{1} << 59;
        for (const char kind : kinds) {
            const auto raw = big_endian(times.substr(0, width));
            times.remove_prefix(width);
            const auto when =
                width == 4 ? std::int64_t{static_cast<std::int32_t>(raw)} : static_cast<std::int64_t>(raw);
            if (when < -farthest || when > farthest) broken("a transition lies beyond time");
            const std::chrono::sys_seconds at{std::chrono::seconds{when}};
            if (!zone_.transitions_.empty() && at <= zone_.transitions_.back())
                broken("its transitions do not follow each other");
            const auto type = static_cast<unsigned char>(kind);
            if (type >= zone_.types_.size()) broken("a transition leads to no local time");
            zone_.transitions_.push_back(at);
            zone_.type_from_.push_back(type);
        }
    }

    void footer() {
        if (take(1) != "\n") broken("its last line does not begin");
        const auto end = left_.find('\n');
        if (end == left_.npos) broken("its last line does not end");
        const auto text = left_.substr(0, end);
        if (text.empty()) return;
        try {
            zone_.rule_ = zone_rule::parse(text);
        } catch (const bad_data& why) {
            broken(why.what());
        }
    }

    time_zone zone_;
    std::string_view left_;
};

time_zone time_zone::read(std::string name, std::string_view bytes) {
    return zone_file_reader{std::move(name), bytes}.read();
}

}  // namespace errand
