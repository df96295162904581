// The outbox of a database of the user's. The one place of this program that knows which databases there are.
#include <errand/database.hpp>
#include <errand/error.hpp>
#include <errand/mysql.hpp>
#include <errand/postgres.hpp>
#include <errand/sqlite.hpp>

#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "cli/text.hpp"
#include "outbox/statements.hpp"

#include <boost/json/object.hpp>

#include <CLI/CLI.hpp>

#include <memory>

namespace errand::cli {
namespace {

struct outbox_line {
    std::string action;
    std::string db;
    std::string dialect;
};

exit_code print_sql(const std::string& dialect) {
    if (dialect.empty())
        throw usage_error{"outbox sql: name the database: --dialect sqlite, postgres or mysql"};
    for (const auto& table : outbox_statements::of(sql::dialect::of(dialect)).tables())
        print(table + ";\n\n");
    return exit_code::done;
}

// Tables are made when that is what was asked for.
constexpr database_options only_looks{.install = false};

// By the URL's scheme. Throws usage_error for one that this program was not built with.
std::shared_ptr<database> open_database(errand::app& owner, const std::string& url) {
    if (url.starts_with("sqlite:")) return std::make_shared<sqlite::database>(owner, url, only_looks);
#ifdef ERRAND_HAS_POSTGRES
    if (url.starts_with("postgres")) return std::make_shared<postgres::database>(owner, url, only_looks);
#endif
#ifdef ERRAND_HAS_MYSQL
    if (url.starts_with("mysql:")) return std::make_shared<mysql::database>(owner, url, only_looks);
#endif
    throw usage_error{
        "--db: \"" + url.substr(0, url.find(':')) +
        "\" is no database that this program was built with; use sqlite:///path/file.db, postgres://user@host/name or mysql://user@host/name"};
}

// Its tasks are of no concern here: no store is needed.
config without_store(session& on) {
    auto settings = on.settings();
    settings.store = "sqlite::memory:";
    settings.shards = 1;
    settings.log_level = "off";
    return settings;
}

exit_code install(session& on, const std::string& url) {
    errand::app local{without_store(on)};
    const auto db = open_database(local, url);
    local.block_on(db->install());
    if (on.json()) {
        print_document(boost::json::object{{"installed", true}});
    } else {
        print("errand_outbox and errand_inbox are there\n");
    }
    return exit_code::done;
}

exit_code show_status(session& on, const std::string& url) {
    errand::app local{without_store(on)};
    const auto db = open_database(local, url);
    const auto all = local.block_on(local.inspect().outboxes());
    const auto& one = all.at(0);
    if (!one.trouble.empty()) {
        complain(one.trouble);
        return exit_code::undone;
    }
    if (on.json()) {
        print_document(boost::json::object{
            {"database", one.database}, {"backlog", one.backlog}, {"oldest", one.oldest.count()}});
        return exit_code::done;
    }
    if (one.backlog == 0) {
        print("nothing waits in the outbox\n");
        return exit_code::done;
    }
    print(std::to_string(one.backlog) + (one.backlog == 1 ? " task waits" : " tasks wait") +
          " in the outbox, the oldest for " + length_text(one.oldest) + "\n");
    return exit_code::done;
}

exit_code run_outbox(session& on, const outbox_line& given) {
    if (given.action == "sql") return print_sql(given.dialect);
    if (given.db.empty()) throw usage_error{"outbox " + given.action + ": name the database: --db URL"};
    return given.action == "install" ? install(on, given.db) : show_status(on, given.db);
}

}  // namespace

runner prepare_outbox(CLI::App& line) {
    const auto given = std::make_shared<outbox_line>();
    line.add_option(
            "action", given->action,
            "status: what waits in it; install: makes its tables; sql: prints the statements that make them")
        ->required()
        ->check(CLI::IsMember({"status", "install", "sql"}))
        ->type_name("ACTION");
    line.add_option("--db", given->db, "The database: sqlite:///path, postgresql://… or mysql://…")
        ->type_name("URL");
    line.add_option("--dialect", given->dialect, "Of which database, for sql: sqlite, postgres or mysql")
        ->type_name("NAME");
    return [given](session& on) { return run_outbox(on, *given); };
}

}  // namespace errand::cli
