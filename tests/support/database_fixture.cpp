#include "support/database_fixture.hpp"

#include "support/backing.hpp"
#include "support/database_server.hpp"

#include <cstdlib>

namespace errand::test {

std::string_view database_kind() {
    const char* given = std::getenv("ERRAND_TEST_DATABASE");
    return given && *given ? given : "sqlite";
}

bool tasks_are_inside() {
    const char* given = std::getenv("ERRAND_TEST_STORE");
    return given && std::string_view{given} == "sqlite-inside";
}

std::string fresh_database_url() {
    if (database_kind() == "sqlite") return "sqlite://" + fresh_database() + "?synchronous=off";
    auto& server = server_of_program(database_kind());
    return server.url(server.make_database());
}

std::shared_ptr<errand::database> open_database(errand::app& owner, const std::string& url,
                                                database_options options) {
    if (url.starts_with("postgres")) return std::make_shared<errand::postgres::database>(owner, url, options);
    if (url.starts_with("mysql")) return std::make_shared<errand::mysql::database>(owner, url, options);
    return std::make_shared<errand::sqlite::database>(owner, url, options);
}

std::string sql(std::string_view statement) {
    std::string text;
    int number = 0;
    for (const char c : statement) {
        text += c;
        if (c != '?' || database_kind() != "postgres") continue;
        text.back() = '$';
        text += std::to_string(++number);
    }
    return text;
}

test_database::test_database(errand::app& owner, database_options options)
    : url_{tasks_are_inside() ? owner.settings().store : fresh_database_url()},
      db_{open_database(owner, url_, options)} {
    owner.block_on(db_->execute("CREATE TABLE note(id BIGINT PRIMARY KEY, text VARCHAR(200))"));
}

}  // namespace errand::test
