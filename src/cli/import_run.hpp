// One import, from where it was left to its end, batch by batch: read and checked on a thread of its own while the batch before is
// sent, then written down as done. The order is what makes each line count once: sent, rejects written, record, forgotten.
#pragma once

#include <errand/policy.hpp>

#include "cli/import_file.hpp"
#include "cli/import_rejects.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "client/import_tasks.hpp"
#include "core/import_lines.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace errand::cli {

struct import_order {
    std::string file;
    std::string name;
    bool csv = false;
    import_rules rules{};
    std::optional<rate_limit> rate{};
    std::optional<duration> spread{};
    std::optional<std::uint64_t> most_ready{};
    std::string rejects{};
};

class import_run {
public:
    // Throws usage_error and store_error.
    import_run(session& on, const import_order& order);

    // What has become of it so far; `complete`: all of it.
    const import_record& run();
    // Lines that were rejected and not said.
    std::uint64_t unsaid() const noexcept { return rejects_->unsaid(); }

private:
    struct line_kept {
        std::uint64_t line = 0;
        std::string text{};
        std::string reason{};  // why it is rejected; empty: it is not
    };
    struct batch {
        std::vector<import_item> tasks{};
        std::vector<line_kept> lines{};
        std::uint64_t offset = 0;  // behind it
        std::uint64_t last_line = 0;
        bool ends = false;
    };
    using clock = std::chrono::steady_clock;

    void begin();
    batch read_batch(std::uint64_t most);
    import_item item_of_record(const file_record& one, std::uint64_t from);
    bool wait_for_turn(std::size_t tasks);
    bool wait_for_rate(std::size_t tasks);
    bool wait_for_room(std::size_t tasks);
    bool pause(clock::duration length);
    void renew_stamp();
    bool send(batch& all);
    void send_part(batch& all, std::vector<import_item> part);
    void write_down(batch& all);
    void stop();
    void show(const std::string& words);

    session& on_;
    detail::app_core& core_;
    const import_order& order_;
    import_file file_;
    std::optional<csv_columns> columns_;
    std::optional<import_rejects> rejects_;
    std::uint64_t lines_at_once_;

    import_record record_;
    time_point spread_from_{};
    clock::time_point stamped_at_{};
    bool may_have_left_ =
        false;  // an earlier process may have sent some of the next lines, under `next_at` of the record
    std::vector<delivered_task> sent_;
    std::uint64_t accepted_ = 0, duplicates_ = 0;  // of the batch that is being sent

    clock::time_point turn_ = clock::now();
    std::uint64_t room_ = 0;
    const clock::time_point began_ = clock::now();
    std::uint64_t first_line_ = 0;
    interruptible stopped_;
    progress_bar bar_;
};

}  // namespace errand::cli
