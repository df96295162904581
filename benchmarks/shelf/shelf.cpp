#include "shelf.hpp"

#include <cstdlib>
#include <memory>
#include <string_view>

namespace shelved {

namespace {

std::string url() {
    const char* given = std::getenv("BENCH_DATABASE");
    if (given == nullptr) bench::fail("BENCH_DATABASE is not set: run this through scripts/bench --shelf");
    return given;
}

const errand::database_options as_it_is{.connections = 2, .install = false};

std::int64_t number(errand::app& app, errand::database& on, const std::string& query) {
    return app.block_on(on.query<std::int64_t>(query)).at(0);
}

std::int64_t bytes_in_postgres(errand::app& app) {
    errand::postgres::database on{app, url(), as_it_is};
    return number(app, on,
                  "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_catalog.pg_class c "
                  "WHERE c.relkind = 'r' AND c.relname LIKE 'errand\\_shelf%'");
}

// Its numbers of pages are counted anew when a table is analyzed.
std::int64_t bytes_in_mysql(errand::app& app) {
    errand::mysql::database on{app, url(), as_it_is};
    const std::string ours = "table_schema = database() AND table_name LIKE 'errand|_shelf%' ESCAPE '|'";
    for (const auto& table : app.block_on(
             on.query<std::string>("SELECT table_name FROM information_schema.tables WHERE " + ours)))
        app.block_on(on.query<std::vector<errand::sql::value>>("ANALYZE TABLE " + table));
    return number(app, on,
                  "SELECT CAST(coalesce(sum(data_length + index_length), 0) AS SIGNED) FROM "
                  "information_schema.tables WHERE " +
                      ours);
}

std::int64_t bytes_in_sqlite(errand::app& app) {
    errand::sqlite::database on{app, url(), as_it_is};
    return number(app, on, "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()");
}

template <class Handler>
errand::awaitable<void> put(errand::app& app, filling what) {
    const auto bulks = (what.tasks + load::in_a_bulk - 1) / load::in_a_bulk;
    co_await load::from_callers(what.callers, bulks, [&](std::int64_t number) -> errand::awaitable<void> {
        const auto before = static_cast<std::size_t>(number - 1);
        errand::options how;
        how.at = what.first + what.span * (number - 1) / static_cast<std::int64_t>(bulks);
        const auto items = load::next_items(before * load::in_a_bulk, what.tasks, load::in_a_bulk);
        const auto handles = co_await app.handler<Handler>().with(how).perform_bulk(items);
        if (handles.size() != items.size()) bench::fail("fewer handles than items");
    });
}

}  // namespace

errand::time_point now() { return std::chrono::floor<errand::duration>(std::chrono::system_clock::now()); }

errand::config settings(errand::duration ahead) {
    auto made = load::over_socket();
    made.shelf = url();
    made.shelf_ahead = ahead;
    return made;
}

std::int64_t bytes_on_disk(errand::app& app) {
    if (url().starts_with("postgres")) return bytes_in_postgres(app);
    if (url().starts_with("mysql")) return bytes_in_mysql(app);
    return bytes_in_sqlite(app);
}

errand::awaitable<void> fill(errand::app& app, filling what) {
    if (what.named) {
        co_await put<named_later>(app, what);
    } else {
        co_await put<later>(app, what);
    }
}

errand::awaitable<void> later::perform(load::item what) {
    load::executed(what.id);
    co_return;
}

errand::awaitable<void> named_later::perform(load::item what) {
    load::executed(what.id);
    co_return;
}

std::string named_later::biz_id(const load::item& what) {
    return "order-" + std::to_string(10'000'000'000 + what.id);
}

}  // namespace shelved

ERRAND_DEFINE_HANDLER(shelved::later)
ERRAND_DEFINE_HANDLER(shelved::named_later)
