// Where that is kept which is set of handlers at run time: few small records, changed by compare-and-set. What a record says
// is decided outside (core/settings_record.hpp).
#pragma once

#include <errand/awaitable.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace errand {

struct kept_settings {
    std::string handler;
    std::string record;  // its first eight bytes tell it from any other
};

// What each shard keeps; nullopt: it does not answer.
using settings_of_shards = std::vector<std::optional<std::vector<kept_settings>>>;

// It is made if the record is still the one that was seen; else nothing of it is.
struct settings_step {
    std::string handler;
    std::uint64_t seen = 0;  // the first bytes of the record; 0: there is none
    std::string record{};    // with others; empty: there is to be none
};

class settings_store {
public:
    // Whether anything is set, as far as the store has told by itself: with open(), with beat() or by a message. Whoever
    // hears settings_changed() asks what it is now.
    virtual bool any_settings() const = 0;
    virtual awaitable<settings_of_shards> settings() = 0;
    // The record; empty when there is none.
    virtual awaitable<std::string> find_settings(std::string handler) = 0;
    // False: the record is not the one that was seen. Everybody who has a connection is told of a change.
    virtual awaitable<bool> set_settings(settings_step step) = 0;

protected:
    ~settings_store() = default;
};

}  // namespace errand
