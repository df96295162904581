// Handlers that the tests of transactions submit.
#pragma once

#include <errand/errand.hpp>

#include "support/database_fixture.hpp"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace committed {

// Where the handlers write; each test sets its own.
struct place {
    errand::database* db = nullptr;
    std::atomic<int> fail_after_commit = 0;  // so many attempts

    // How often each of those that are counted ran, and how many did before their time.
    std::mutex guard{};
    std::map<std::int64_t, int> runs{};
    int early = 0;
};

struct receipt {
    errand::awaitable<std::int64_t> perform(std::int64_t order) { co_return order; }
};

struct named {
    errand::awaitable<std::string> perform(std::string key) { co_return key; }
    static std::string biz_id(const std::string& key) { return key; }
};

// Where there is a shelf: after a second, and never.
struct soon_shelved {
    errand::awaitable<std::int64_t> perform(std::int64_t order) { co_return order; }
};
struct unshelved {
    errand::awaitable<std::int64_t> perform(std::int64_t order) { co_return order; }
};

// Its id is free again as soon as it has ended.
struct soon_free {
    errand::awaitable<std::int64_t> perform(std::int64_t order) { co_return order; }
};

// Nobody but who has the key is to read its text.
struct confided {
    errand::awaitable<std::string> perform(std::string text) { co_return text; }
};

// Counts its runs. Nothing is kept of one that has ended: what is submitted once more runs once more.
struct counted {
    explicit counted(place& in) : in_{in} {}
    errand::awaitable<void> perform(std::int64_t number, std::int64_t due);

private:
    place& in_;
};
struct counted_by_name : counted {
    using counted::counted;
    static std::string biz_id(std::int64_t number, std::int64_t) { return std::to_string(number); }
    errand::awaitable<void> perform(std::int64_t number, std::int64_t due) {
        return counted::perform(number, due);
    }
};

// Writes its note once, however often it runs.
struct write_once {
    explicit write_once(place& in) : in_{in} {}
    errand::awaitable<bool> perform(std::int64_t id);

private:
    place& in_;
};

}  // namespace committed

ERRAND_DECLARE_HANDLER(committed::receipt, .queue = "receipts")
ERRAND_DECLARE_HANDLER(committed::named, .queue = "named")
ERRAND_DECLARE_HANDLER(committed::soon_shelved, .shelve_after = std::chrono::seconds{1})
ERRAND_DECLARE_HANDLER(committed::unshelved, .shelve_after = std::chrono::seconds{0})
ERRAND_DECLARE_HANDLER(committed::soon_free, .unique_for = std::chrono::seconds{0})
ERRAND_DECLARE_HANDLER(committed::confided, .queue = "confided")
ERRAND_DECLARE_HANDLER(committed::counted, .queue = "counted", .retention = std::chrono::seconds{0})
ERRAND_DECLARE_HANDLER(committed::counted_by_name, .queue = "counted", .unique_for = std::chrono::seconds{0},
                       .retention = std::chrono::seconds{0})
ERRAND_DECLARE_HANDLER(committed::write_once,
                       .backoff = errand::backoff::uniform(std::chrono::milliseconds{1}))
