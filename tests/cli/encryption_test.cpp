// The program `errand` on tasks that are encrypted, with the key and without.
#include "cli/office.hpp"
#include "support/places.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <filesystem>
#include <fstream>

using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using errand::state;

namespace {

const std::string own_key = "k1:" + std::string(64, '1');
constexpr int secret_number = 471147;
const std::string secret_digits = std::to_string(secret_number);

errand::config keyed() {
    auto settings = errand::test::fresh_settings();
    settings.encryption_keys = own_key;
    return settings;
}

struct keyed_office : cli_test::office {
    keyed_office() : office{keyed()} {}

    errand::test::cli_result with_key(const std::vector<std::string>& words) const {
        return errand(words, {}, {{"ERRAND_ENCRYPTION_KEYS", own_key}});
    }
    // What one command says with the key and, of what is secret, nothing without it.
    std::string hidden(const std::vector<std::string>& words) const {
        const auto open = with_key(words);
        INFO(open.err);
        CHECK(open.code == 0);
        CHECK_THAT(open.out, ContainsSubstring(secret_digits));
        auto shut = errand(words);
        CHECK(shut.code == 0);
        CHECK_THAT(shut.out + shut.err, !ContainsSubstring(secret_digits));
        return std::move(shut.out);
    }
};

}  // namespace

TEST_CASE("show says with the key what a task carries, and without it that it is encrypted", "[cli]") {
    keyed_office t;
    cli_test::broken = true;
    const auto failed = t.submit(secret_number);
    t.start();
    t.all_are(state::dead, 1);
    cli_test::broken = false;
    const auto done = t.submit(secret_number);
    CHECK(t.wait(done) == 2 * secret_number);

    for (const auto& id : {failed.id(), done.id()}) {
        const auto text = t.hidden({"show", id});
        CHECK_THAT(text, ContainsSubstring("arguments    (encrypted)") &&
                             ContainsSubstring(
                                 "with the key k1, which is not among those of ERRAND_ENCRYPTION_KEYS here"));
        CHECK_THAT(t.with_key({"show", id}).out, ContainsSubstring("arguments    [" + secret_digits + "]") &&
                                                     ContainsSubstring("encrypted    with the key k1\n"));
        t.hidden({"show", id, "--json"});
    }
    CHECK_THAT(t.errand({"show", failed.id()}).out, ContainsSubstring("std::runtime_error: (encrypted)"));
    CHECK_THAT(t.errand({"show", done.id()}).out, ContainsSubstring("result       (encrypted)"));
    t.hidden({"list", "dead", "--json"});
    CHECK(t.answer({"list", "dead"}).at("tasks").at(0).at("encrypted_with") == "k1");
    CHECK(t.answer({"list", "dead"}).at("tasks").at(0).at("unreadable") == true);
}

TEST_CASE("who has no key repairs all the same", "[cli]") {
    keyed_office t;
    cli_test::broken = true;
    const auto failed = t.submit(secret_number);
    t.start();
    t.all_are(state::dead, 1);
    cli_test::broken = false;
    CHECK(t.errand({"revive", failed.id()}).code == 0);
    CHECK(t.wait(failed) == 2 * secret_number);
    const auto late = t.submit(secret_number, {.delay = 1h});
    CHECK(t.errand({"change", late.id(), "--priority", "3", "--now"}).code == 0);
    CHECK(t.wait(late) == 2 * secret_number);
}

TEST_CASE("what errand submits with a key is encrypted", "[cli]") {
    keyed_office t;
    CHECK(t.with_key({"perform", "chore", "[" + secret_digits + "]", "--queue", "chores"}).code == 0);
    const auto listed = t.errand({"list", "ready", "--json"});
    CHECK_THAT(listed.out, ContainsSubstring("errand.sealed.1:k1:") && !ContainsSubstring(secret_digits));
    CHECK(t.with_key({"list", "ready", "--json"}).json().at("tasks").at(0).at("args").at(0) == secret_number);
}

TEST_CASE("keys come out of a file, and wrong ones are named without their secrets", "[cli]") {
    keyed_office t;
    const auto id = t.submit(secret_number).id();
    const auto folder = errand::test::temporary_folder("keys");
    const auto file = (folder / "errand.keys").string();
    const auto look = [&](const std::string& keys) {
        return t.errand({"show", id}, {}, {{"ERRAND_ENCRYPTION_KEYS", keys}});
    };
    std::ofstream{file} << "# of the shop\nk2:" << std::string(64, '2') << "\n" << own_key << "\n";
    CHECK_THAT(look(file).out, ContainsSubstring("[" + secret_digits + "]"));
    const auto refused = [&](const std::string& keys, const std::string& words) {
        const auto said = look(keys);
        CHECK(said.code == 2);
        CHECK_THAT(said.err, ContainsSubstring(words) && !ContainsSubstring("c2VjcmV0"));
    };
    refused((folder / "none").string(), "ERRAND_ENCRYPTION_KEYS: cannot read " + (folder / "none").string());
    std::ofstream{file} << "# none yet\n";
    refused(file, file + " has no key");
    refused("k1:c2VjcmV0", "entry 1, key k1: its secret is not 32 bytes");
    refused("c2VjcmV0", "is not of the form id:secret");
    // Another secret of the same name reads nothing.
    CHECK_THAT(look("k1:" + std::string(64, '3')).out, ContainsSubstring("arguments    (encrypted)"));
    std::filesystem::remove_all(folder);
}

TEST_CASE("who has no key exports nothing that is encrypted, and hears of it", "[cli]") {
    keyed_office t;
    t.submit(secret_number);
    const auto open = t.with_key({"export", "ready"});
    CHECK(open.code == 0);
    CHECK_THAT(open.out, ContainsSubstring("\"args\":[" + secret_digits + "]"));
    const auto shut = t.errand({"export", "ready"});
    CHECK(shut.code == 1);
    CHECK(shut.out.empty());
    CHECK_THAT(shut.err,
               ContainsSubstring("1 task was left out") && ContainsSubstring("ERRAND_ENCRYPTION_KEYS"));
    // What is imported with a key is encrypted as well.
    CHECK(t.with_key({"cancel", "--all", "--state", "ready", "--yes"}).code == 0);
    const auto folder = errand::test::temporary_folder("exported");
    std::ofstream{folder / "tasks"} << open.out;
    CHECK(t.with_key({"import", (folder / "tasks").string(), "--name", "n"}).code == 0);
    CHECK_THAT(t.errand({"list", "ready", "--json"}).out, !ContainsSubstring(secret_digits));
    CHECK(t.with_key({"list", "ready", "--json"}).json().at("tasks").at(0).at("args").at(0) == secret_number);
    std::filesystem::remove_all(folder);
}
