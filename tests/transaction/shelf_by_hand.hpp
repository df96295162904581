// A desk's namespace as one program more sees it: a store with a shelf that is put together by hand, so that something can stand
// between its parts.
#pragma once

#include "app/open_store.hpp"
#include "shelf/shelved_store.hpp"
#include "shelf_desk.hpp"
#include "sql/known_drivers.hpp"
#include "sql/sqlite/driver.hpp"
#include "support/await.hpp"

#include <boost/asio/io_context.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace committed {

// What stands before each of them; empty: nothing.
struct put_between {
    std::function<std::unique_ptr<errand::store>(std::unique_ptr<errand::store>)> store{}, carrier{};
    std::function<std::unique_ptr<errand::sql::driver>(std::unique_ptr<errand::sql::driver>)> database{};
};

struct shelf_by_hand {
    explicit shelf_by_hand(shelf_desk& of, put_between what = {}, errand::shelf::bringing_times times = {})
        : between{std::move(what)},
          rows{std::make_shared<errand::shelf::board>(driver_of(of.url), of.plain.name_space)} {
        static std::atomic<int> programs{0};
        const auto number = std::to_string(++programs);
        const auto open = [this, &of, number](const char* name) {
            errand::store_settings with;
            with.name = name + number;
            with.url = of.t.app.settings().store;
            with.name_space = of.plain.name_space;
            with.shards = static_cast<unsigned>(of.t.app.settings().shards);
            with.home = errand::detail::core_of(of.t.app).memory;
            return errand::open_store(io, std::move(with));
        };
        on = std::make_unique<errand::shelf::shelved_store>(
            io.get_executor(), behind(between.store, open("by-hand")), rows, std::chrono::hours{20 * 24},
            [this, open] { return behind(between.carrier, open("by-hand-shelf")); }, [](std::string_view) {},
            times);
        errand::test::await(io, on->open());
    }
    ~shelf_by_hand() {
        on->close();
        // Nor does it wait until what it has brought may be forgotten.
        CHECK(errand::test::run_until(io, [this] { return io.stopped(); }, std::chrono::seconds{30}));
        on.reset();
    }
    shelf_by_hand(const shelf_by_hand&) = delete;
    shelf_by_hand& operator=(const shelf_by_hand&) = delete;

    put_between between;
    boost::asio::io_context io{1};
    std::shared_ptr<errand::shelf::board> rows;
    std::unique_ptr<errand::shelf::shelved_store> on;

private:
    template <class Part>
    static Part behind(const std::function<Part(Part)>& what, Part part) {
        return what ? what(std::move(part)) : std::move(part);
    }
    std::unique_ptr<errand::sql::driver> driver_of(const std::string& url) const {
        std::unique_ptr<errand::sql::driver> plain;
        if (url.starts_with("sqlite:")) {
            plain = std::make_unique<errand::sqlite::driver>(url, std::chrono::seconds{2}, nullptr);
        } else {
            plain = errand::sql::driver_by_url(url);
        }
        return behind(between.database, std::move(plain));
    }
};

}  // namespace committed
