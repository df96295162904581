// The submitter's half: walks, submits, awaits, writes.
#include "submit.hpp"

#include "../shared_store.hpp"
#include "checksum_file.hpp"
#include "digest.hpp"
#include "names.hpp"
#include "progress.hpp"
#include "sha256.hpp"
#include "walk.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <stdexcept>

namespace asio = boost::asio;
using namespace asio::experimental::awaitable_operators;
using namespace std::chrono_literals;

std::string digest_file::biz_id(const listed_file& file) {
    // A biz_id has a limit that the longest names would cross.
    const std::string name = file.name.size() < 4096 ? file.name : "sha256:" + sha256_of(file.name);
    return fmt::format("{} {} {}", name, file.size, file.modified_ns);
}

namespace {

struct outcome {
    std::string digest;
    std::string unreadable;  // why there is none
    std::string lost;        // the same, but nobody has looked at the file
};

// Without the task's id: a line names the file.
std::string end_of(const errand::task_failed& task) {
    return errand::task_failed{task.state(), task.attempts(), task.text()}.what();
}

// Tasks in the store at once are lanes * slice: enough to keep many workers busy, little memory for any tree.
constexpr std::size_t slice = 250;
constexpr int lanes = 8;
// The store has been repeating for its own store_timeout each time before it says that it is away.
constexpr int most_failures = 30;

class submission {
public:
    submission(errand::app& app, const walked_tree& tree)
        : files_{app.handler<digest_file>()},
          tree_{tree},
          outcomes_(tree.files.size()),
          progress_{tree.files.size(), tree.bytes},
          here_{std::filesystem::current_path().string()} {}

    errand::awaitable<std::vector<outcome>> run() {
        std::exception_ptr failure;
        co_await (all_lanes_until(failure) || watch());
        progress_.close();
        if (failure) std::rethrow_exception(failure);
        co_return std::move(outcomes_);
    }

private:
    // `a || b` goes on with b when a throws: the failure takes another way.
    errand::awaitable<void> all_lanes_until(std::exception_ptr& failure) {
        try {
            co_await all_lanes(lanes);
        } catch (...) {
            failure = std::current_exception();
        }
    }

    errand::awaitable<void> all_lanes(int count) {
        if (count > 1) {
            co_await (lane() && all_lanes(count - 1));
        } else {
            co_await lane();
        }
    }

    errand::awaitable<void> lane() {
        while (next_ < tree_.files.size()) {
            const std::size_t first = next_;
            const std::size_t count = std::min(slice, tree_.files.size() - first);
            next_ += count;
            co_await digest(first, count);
        }
    }

    // A slice, and again what of it met an outage: the biz_id makes a second submission harmless.
    errand::awaitable<void> digest(std::size_t first, std::size_t count) {
        std::vector<std::size_t> left(count);
        for (std::size_t i = 0; i < count; ++i) left[i] = first + i;
        for (int failures = 0;;) {
            std::string why;
            try {
                left = co_await attempt(left, why);
            } catch (const errand::store_error& e) {
                why = e.what();
            } catch (const errand::bulk_error& e) {
                why = e.what();
            }
            if (left.empty()) co_return;
            if (++failures == most_failures) throw errand::store_error{why};
            fmt::print(stderr, "\ndigest: trying again: {}\n", why);
            co_await pause(500ms);
        }
    }

    // Submits these files and awaits them. Returns those whose result the store could not give.
    errand::awaitable<std::vector<std::size_t>> attempt(const std::vector<std::size_t>& these,
                                                        std::string& why) {
        std::vector<listed_file> items;
        items.reserve(these.size());
        for (const std::size_t i : these) items.push_back(listed(tree_.files[i]));
        const auto handles = co_await files_.perform_bulk(items);
        std::vector<std::size_t> left;
        for (std::size_t i = 0; i < these.size(); ++i) {
            if (!co_await settle(these[i], handles[i], why)) left.push_back(these[i]);
        }
        co_return left;
    }

    errand::awaitable<bool> settle(std::size_t file, errand::handle<std::string> task, std::string& why) {
        try {
            outcomes_[file].digest = co_await task;
        } catch (const errand::task_failed& e) {
            // Cancelled, say: then it is not the file that is at fault.
            (e.state() == errand::state::dead ? outcomes_[file].unreadable : outcomes_[file].lost) =
                end_of(e);
        } catch (const errand::result_gone& e) {
            why = e.what();
            co_return false;
        } catch (const errand::store_error& e) {
            why = e.what();
            co_return false;
        }
        progress_.finished(std::max<std::int64_t>(0, tree_.files[file].size));
        co_return true;
    }

    // Workers may have another current directory.
    listed_file listed(const walked_file& file) const {
        const bool absolute = file.name.starts_with('/');
        return {encode_name(absolute ? file.name : here_ + '/' + file.name), file.size, file.modified_ns};
    }

    static errand::awaitable<void> pause(std::chrono::milliseconds time) {
        asio::steady_timer timer{co_await asio::this_coro::executor, time};
        co_await timer.async_wait(asio::use_awaitable);
    }

    errand::awaitable<void> watch() {
        for (;;) {
            progress_.show();
            co_await pause(100ms);
        }
    }

    errand::proxy<digest_file> files_;
    const walked_tree& tree_;
    std::vector<outcome> outcomes_;
    std::size_t next_ = 0;
    progress progress_;
    const std::string here_;
};

struct totals {
    std::size_t digested = 0;
    std::size_t unreadable = 0;
};

// Says what has no digest, and why; puts the others into the checksum file.
totals take_stock(const walked_tree& tree, std::span<const outcome> outcomes, checksum_file& sums) {
    totals all;
    for (const auto& directory : tree.unreadable) fmt::print("not listed: {}\n", directory);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        const auto& [digest, unreadable, lost] = outcomes[i];
        const std::string& name = tree.files[i].name;
        if (!digest.empty()) {
            sums.add(digest, name);
            ++all.digested;
        } else if (!unreadable.empty()) {
            fmt::print("unreadable: {}: {}\n", printable(name), unreadable);
            ++all.unreadable;
        } else {
            fmt::print("lost: {}: {}\n", printable(name), lost);
        }
    }
    return all;
}

}  // namespace

int submit(const submit_options& what) {
    errand::app app{shared_store()};
    checksum_file sums{what.output};
    const walked_tree tree = walk(what.directory, what.output);
    if (!what.after_walk.empty() && std::system(what.after_walk.c_str()) != 0) {
        throw std::runtime_error{"the command given to --after-walk failed"};
    }
    submission all{app, tree};
    const auto outcomes = app.block_on(all.run());
    const auto [digested, unreadable] = take_stock(tree, outcomes, sums);
    sums.write();
    const std::size_t lost = outcomes.size() - digested - unreadable;
    fmt::print("digest: {} files, {} digested, {} unreadable, {} lost\n", outcomes.size(), digested,
               unreadable, lost);
    return lost == 0 ? 0 : 1;
}
