// Submissions held back until a commit, in memory. What a transaction holds is found by the ambient of the executor or
// given by a guard; branches of one transaction may add to it at once, on several threads.
#pragma once

#include "client/prepared.hpp"
#include "client/registration.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace errand::detail {

// One submission held back; its handle looks here for what became of it.
struct held_task {
    enum class fate : std::uint8_t { held, submitted, dropped };

    prepared what;
    std::string handler;
    std::optional<std::string> biz_id;
    // Written before `now` leaves `held`.
    incarnation life = 0;
    bool duplicate = false;
    std::atomic<fate> now{fate::held};
};

class open_transaction {
public:
    // A transaction inside another joins it: what it holds goes to the outer one when it ends well.
    explicit open_transaction(app_core& app, std::shared_ptr<open_transaction> outer = nullptr);
    ~open_transaction();

    app_core& app() const noexcept { return app_; }

    // usage_error when the transaction has ended.
    task_ref hold(prepared one);

    // Ends it: submits all in one batch (or hands it to the outer transaction). Throws what the first refused one
    // means, with nothing submitted.
    awaitable<void> commit();
    // Ends it: drops all. Nothing happens when it has ended.
    void drop() noexcept;

private:
    using held_list = std::vector<std::shared_ptr<held_task>>;

    held_list end();
    void take_over(held_list list);
    awaitable<void> submit_all(held_list list);
    static task_names names_of(const held_list& list);

    app_core& app_;
    std::shared_ptr<open_transaction> outer_;
    std::mutex guard_;  // of what follows
    held_list held_;
    bool ended_ = false;
};

}  // namespace errand::detail
