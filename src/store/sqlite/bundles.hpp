// Items that are run together: they join an open bundle, wait for the end of its carrier, and hear what that says of each.
#pragma once

#include "store/collect_store.hpp"
#include "store/sqlite/endings.hpp"
#include "store/sqlite/queues.hpp"

namespace errand {
struct joining;
}

namespace errand::sqlite {

class bundles {
public:
    bundles(transaction& of, task_rows& rows, queues& queues, edges& edges, endings& endings)
        : tx_{of}, sql_{of.sql}, rows_{rows}, queues_{queues}, edges_{edges}, endings_{endings} {}

    // False: the item is no longer this claim's.
    bool join(const report& one);
    // What waits for this carrier; nothing joins its bundle any more.
    bundle_page page(const task_id& carrier, const std::optional<task_id>& after);
    // The carrier has ended: with this outcome the item ends, or what core/bundles.hpp says becomes of it.
    void settle(const task_id& item, const task_id& carrier, const waiting_row& record,
                std::string_view outcome);

private:
    struct open_bundle {
        task_id carrier;
        task_row row{};
        std::int64_t begun = 0;
        std::int64_t joined = 0;
        std::int64_t bytes = 0;
    };
    std::optional<open_bundle> find_open(const joining& by);
    open_bundle begin(const joining& by, queue_row& queue);
    // The carrier's priority is the highest of its items.
    void raise(open_bundle& one, const joining& by);
    void make_ready(open_bundle& one);
    void put_off(open_bundle& one, std::int64_t due);

    transaction& tx_;
    statements& sql_;
    task_rows& rows_;
    queues& queues_;
    edges& edges_;
    endings& endings_;
};

}  // namespace errand::sqlite
