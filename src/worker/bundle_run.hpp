// A run over collected items: how an item comes into its bundle, what the handler is given, and what is said of each.
#pragma once

#include <errand/quota.hpp>

#include "core/attempt_rules.hpp"
#include "core/bundles.hpp"
#include "core/sealing.hpp"
#include "runtime/handlers.hpp"
#include "runtime/loop.hpp"
#include "store/store.hpp"

#include <boost/json/array.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace errand {

// Whether a claimed task of this handler waits for others to be run with.
bool is_item(const known_handler& handler, const task_id& id) noexcept;

struct claimed_item {
    const known_handler& handler;
    const handler_settings* set;
    const claimed_task& task;
    const task_body& body;
    std::size_t shards;            // of its namespace
    const quota* rules = nullptr;  // what that has
};
// `args`: the item's arguments. Throws bad_data, usage_error, and what the handler's collect_key throws.
joining joining_of(const claimed_item& item, const boost::json::array& args, time_point now);

class bundle_run {
public:
    struct item {
        task_id id;
        std::int64_t place = 0;
        task_body body;
        task_notes notes;
    };

    // All that wait for this carrier, in the order in which they came. On the loop.
    static awaitable<std::unique_ptr<bundle_run>> read(store& in, task_id carrier);

    const std::vector<item>& items() const noexcept { return items_; }
    // As `perform` takes them: an array that holds one array. Throws key_missing when one is encrypted with a key that is not there.
    boost::json::array args(const boost::json::storage_ptr& storage, const sealing* keys) const;

    void fail(std::size_t index, std::string why);

    // What is reported; `result`: of `perform`. Throws bad_data when there is not a result for each.
    std::vector<item_end> ends(const known_handler& handler, const handler_settings* set,
                               std::string_view result, time_point now) const;

private:
    std::vector<item> items_;
    std::map<std::size_t, std::string> failed_;
};

// What an item's notes say when the run says that it has failed, ...
task_notes failed_in_bundle(task_notes before, std::string why, time_point now);
// ... and when the run is dead after so many attempts; `of_run`: its notes.
task_notes died_in_bundle(task_notes before, int attempts, const task_notes& of_run);

}  // namespace errand
