// A namespace with a shelf, and what is done with it by hand.
#pragma once

#include "core/random.hpp"
#include "core/record.hpp"
#include "core/shelf_rules.hpp"
#include "handlers.hpp"
#include "runtime/app_core.hpp"
#include "runtime/loop.hpp"
#include "runtime/on_loop.hpp"
#include "store/shelf_store.hpp"
#include "support/database_fixture.hpp"
#include "support/test_app.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace committed {

using errand::test::test_app;

inline errand::config with_shelf(errand::config settings, const std::string& url) {
    settings.shelf = url;
    settings.shelf_ahead = std::chrono::seconds{1};
    return settings;
}

// A namespace with a shelf, and the same one as programs see it that bring all that is due within days, or know of no shelf.
struct shelf_desk {
    explicit shelf_desk(std::string shelf = errand::test::fresh_database_url(),
                        errand::config of = errand::test::fresh_settings())
        : url{std::move(shelf)}, plain{std::move(of)}, t{with_shelf(plain, url)} {
        t.app.provide<place>();
    }

    errand::config eager() const {
        auto settings = with_shelf(plain, url);
        settings.shelf_ahead = std::chrono::hours{20 * 24};
        return settings;
    }

    template <class Handler, class Arg>
    auto far(const Arg& arg, errand::options how = {}) {
        how.delay = std::chrono::hours{5 * 24};
        return t.run(t.app.handler<Handler>().with(how).perform_async(arg));
    }
    // A namespace has tables of its own for its days: here it is the first one of the database.
    static std::string table_of(std::int64_t day) { return errand::shelf_table(1, day); }
    std::size_t on_shelf() { return t.run(t.app.inspect().shelf())->tasks; }
    bool in_store(const std::string& id) {
        test_app blind{plain};
        return blind.run(blind.app.find(id)).has_value();
    }

    std::string url;
    errand::config plain;
    test_app t;
};

// What will be due soon, as a worker fetches it.
inline std::size_t fetch_all(test_app& by) {
    auto& core = errand::detail::core_of(by.app);
    const auto of = std::make_shared<errand::shelf_pass>();
    std::size_t all = 0;
    while (!of->over) {
        all += by.run(errand::on_loop(core.background(),
                                      [of](errand::loop& there) { return there.tasks().fetch_shelved(of); }));
    }
    return all;
}

// As the client submits it under an id that others use as well.
inline errand::submission_item item_under(const errand::task_id& id, errand::on_conflict rule,
                                          errand::duration delay) {
    errand::task_body body;
    body.queue = "default";
    body.handler = "committed::soon_free";
    body.args = "[1]";
    // A life begins with when it was submitted: not so long ago that it is forgotten.
    constexpr auto late = errand::incarnation{1} << 63U;
    body.life = errand::random_bits() | late;
    errand::submission_item item;
    item.id = id;
    item.body = errand::encode(body);
    item.queue = body.queue;
    item.delay = delay;
    item.conflict = rule;
    item.shelve_after = std::chrono::hours{1};
    return item;
}

inline errand::submit_verdict submit(test_app& by, errand::submission_item item) {
    auto& core = errand::detail::core_of(by.app);
    return by
        .run(errand::on_loop(core.background(),
                             [&](errand::loop& there) {
                                 return there.submissions().submit(std::move(item));
                             }))
        .verdict;
}

inline std::string words_of(const std::function<void()>& what) {
    try {
        what();
    } catch (const errand::error& e) {
        return e.what();
    }
    return "accepted";
}

}  // namespace committed
