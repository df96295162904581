// Two tenants, and a worker that serves both.
#pragma once

#include "worker/handlers.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace worker_test {

// Two tenants with a program each that submits, and the program whose worker serves both. Its own namespace is a third one.
struct tenancy {
    explicit tenancy(int weight_of_first = 1, int weight_of_second = 1,
                     const errand::config& of_worker = errand::test::fresh_settings())
        : first{named(of_worker, "-first")},
          second{named(of_worker, "-second")},
          server{
              serving(of_worker, {{name_of(first), weight_of_first}, {name_of(second), weight_of_second}})} {
        server.app.on_event([this](const errand::event& what) {
            const std::lock_guard lock{guard_};
            heard_.push_back(what);
        });
    }

    static const std::string& name_of(const bench& of) { return of.app.settings().name_space; }

    // The namespaces of what was heard of this kind, in order.
    std::vector<std::string> heard(errand::event_kind kind) {
        const std::lock_guard lock{guard_};
        std::vector<std::string> names;
        for (const auto& what : heard_) {
            if (what.kind == kind) names.push_back(what.name_space);
        }
        return names;
    }
    std::optional<errand::event> heard_of(errand::event_kind kind, const std::string& task) {
        const std::lock_guard lock{guard_};
        const auto is_it = [&](const errand::event& what) { return what.kind == kind && what.task == task; };
        const auto at = std::ranges::find_if(heard_, is_it);
        return at == heard_.end() ? std::nullopt : std::optional{*at};
    }

private:
    static errand::config named(errand::config settings, const std::string& more) {
        settings.name_space += more;
        settings.name_spaces.clear();
        return settings;
    }
    static errand::config serving(errand::config settings, std::map<std::string, int> names) {
        settings.name_spaces = std::move(names);
        return settings;
    }

    std::mutex guard_;
    std::vector<errand::event> heard_;

public:
    bench first, second, server;  // the worker stops before what it tells is gone
};

// Waits for the end of a task by looking at it.
inline errand::state end_in(bench& of, const std::string& id) {
    auto now = errand::state::ready;
    errand::test::eventually([&] {
        const auto found = of.run(of.app.find(id));
        if (found) now = found->state;
        return errand::is_end(now);
    });
    return now;
}

}  // namespace worker_test
