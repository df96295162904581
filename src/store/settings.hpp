// What a store object is opened with.
#pragma once

#include <errand/time.hpp>

#include "core/sealing.hpp"
#include "store/store_observer.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace errand {

// What the stores of one app share in memory, for as long as the app lives.
struct store_home {
    std::mutex guard;
    std::shared_ptr<void> kept;  // whatever the store keeps there; null when nothing was opened
};

struct store_settings {
    std::string url;
    std::string name_space = "default";
    std::string name;     // see store::name()
    unsigned shard = 0;   // of a store that keeps one shard: which
    unsigned shards = 1;  // of the namespace
    std::optional<duration> patience{
        10'000};                         // how long a call is repeated before store_error; nullopt: for ever
    std::shared_ptr<store_home> home{};  // of a store in memory; null: shared with nobody
    // The clock of an embedded store, callable from any thread; empty: the machine's.
    std::function<time_point()> clock{};
    // Of a store in memory: it has no thread, and a call is done by the time it was made. Two threads may still use it.
    bool threadless = false;
    std::function<void(std::string_view)>
        trouble;                         // told in words when the connection is lost, refused, back
    store_observer* observer = nullptr;  // null: nobody measures
    // With which the content of tasks is encrypted (store/sealed.hpp); null: with none. The stores themselves do not look at it.
    std::shared_ptr<const sealing> seals{};
    // Where tasks wait that are due far from now: a database's URL; empty: none. As with `seals`. What the stores of an app share of it
    // is kept in `shelf_home`.
    std::string shelf{};
    duration shelf_ahead = std::chrono::minutes{10};
    std::shared_ptr<store_home> shelf_home{};
    // Also where the URL has no `wait`, a change is given a moment to reach one replica, if the server had any when this was opened:
    // for who deletes elsewhere what was accepted here.
    bool waits_for_replica = false;
};

}  // namespace errand
