// Workers with keys and without, on tasks whose content is encrypted.
#include "runtime/app_core.hpp"
#include "support/await.hpp"
#include "support/encryption_keys.hpp"
#include "support/shards.hpp"
#include "support/store_kind.hpp"
#include "worker/handlers.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

#include <sstream>

using namespace std::chrono_literals;
using namespace worker_test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using errand::state;
using errand::test::eventually;
using errand::test::new_key;
using errand::test::old_key;
using errand::test::with_keys;

namespace {

errand::encryption_key key_of(const std::string& text) { return errand::read_encryption_keys(text).at(0); }

// The arguments of a task as the store keeps them.
std::string kept_args(errand::app& app, const std::string& id) {
    boost::asio::io_context io;
    const auto raw = errand::test::opened_store(io, app, "raw:1");
    const auto found = errand::test::await(io, raw->find(*errand::parse_task_id(id)));
    REQUIRE(found);
    raw->close();
    io.restart();
    io.run();
    return errand::decode_body(found->body).args;
}

}  // namespace

TEST_CASE("tasks of an app that encrypts are run as others are") {
    bench t{with_keys(errand::test::fresh_settings(), new_key)};
    t.book.body = [](errand::task_context& self) -> errand::awaitable<int> {
        self.log().info("begins");
        co_await self.progress(0.5, "half");
        const auto kept = co_await self.stage("a", []() -> errand::awaitable<int> { co_return 20; });
        if (self.attempt() == 1) throw std::runtime_error{"once"};
        co_return kept + self.attempt();
    };
    t.start();
    const auto h = submit(t);
    CHECK(t.wait(h) == 22);
    const auto seen = t.info(h);
    CHECK(seen.encrypted_with == "new");
    CHECK(seen.progress_text == "half");
    CHECK(text_of(seen) == "std::runtime_error: once");
    CHECK(t.wait(t.run(t.app.handler<echo>().perform_async(7))) == 7);
    const auto first = t.run(t.app.handler<echo>().perform_async(1));
    CHECK(t.run(errand::all(std::vector{first, t.run(t.app.handler<echo>().perform_async(2))})) ==
          std::vector{1, 2});
}

TEST_CASE("encrypt takes the place of what the configuration says, and comes before all else") {
    bench t{with_keys(errand::test::fresh_settings(), old_key)};
    CHECK_THROWS_MATCHES(t.app.encrypt({}), errand::usage_error,
                         MessageMatches(ContainsSubstring("no key was given")));
    auto large = errand::test::fresh_settings();
    large.max_payload = std::size_t{13} << 20;
    CHECK_THROWS_MATCHES(errand::app{with_keys(large, new_key)}, errand::usage_error,
                         MessageMatches(ContainsSubstring("at most 12 MiB where content is encrypted")));
    CHECK_NOTHROW(errand::app{with_keys(large, "")});
    t.app.encrypt({.keys = {key_of(new_key)}});
    const auto h = t.run(t.app.handler<echo>().perform_async(7));
    CHECK(t.info(h).encrypted_with == "new");
    CHECK_THROWS_MATCHES(
        t.app.encrypt({.keys = {key_of(old_key)}}), errand::usage_error,
        MessageMatches(ContainsSubstring("encrypt was called after this app had used its store")));
    t.start();
    CHECK(t.wait(h) == 7);
}

TEST_CASE("a task waits for a worker that has its key, loses no attempt, and what was plain before is run",
          "[shared_by_apps]") {
    const auto settings = errand::test::fresh_settings();
    std::atomic<int> locked{0};
    std::string why;
    bench keyed{with_keys(settings, new_key)};
    bench blind{with_keys(settings, "")};
    blind.app.on_event([&](const errand::event& what) {
        if (what.kind != errand::event_kind::task_snoozed) return;
        if (locked == 0) why = what.text;
        ++locked;
    });
    const auto h = keyed.run(keyed.app.handler<echo>().perform_async(7));
    const auto plain = blind.run(blind.app.handler<echo>().perform_async(8));
    blind.start();
    CHECK(blind.wait(plain) == 8);
    eventually([&] { return locked > 0; });
    CHECK(why == "args: encrypted with the key new, which this program does not have");
    eventually([&] { return keyed.info(h).state == state::delayed; });
    CHECK(keyed.info(h).attempt == 0);
    CHECK(blind.book.count("7") == 0);
    const auto seen = blind.run(blind.app.find(h.id()));
    REQUIRE(seen);
    CHECK(seen->unreadable);
    CHECK(seen->encrypted_with == "new");
    blind.stop();
    keyed.start();
    CHECK(keyed.wait(h) == 7);
    CHECK(keyed.info(h).attempt == 1);
    CHECK(keyed.book.count("7") == 1);
    const auto readable = blind.run(blind.app.find<int>(h.id()));
    REQUIRE(readable);
    CHECK_THROWS_MATCHES(
        blind.wait(*readable), errand::key_missing,
        MessageMatches(ContainsSubstring("encrypted with the key new, which this program does not have")));
}

TEST_CASE("a task waits for a worker that has the key of the result it takes, and loses no attempt",
          "[shared_by_apps]") {
    auto settings = errand::test::fresh_settings();
    settings.queues = {{"default", 1}};
    auto of_both = settings;
    of_both.queues.emplace("later", 1);
    std::atomic<int> waited{0};
    std::string why;
    bench before{with_keys(of_both, old_key)};
    const auto echoes = before.app.handler<echo>();
    const auto last =
        before.run(errand::chain(echoes.plan(7), echoes.with({.queue = "later"}).plan()).submit());
    {
        // What the first task has for a result is encrypted with the new key.
        bench during{with_keys(settings, new_key + "," + old_key)};
        during.start();
        eventually([&] { return before.info(last).state == state::ready; });
    }
    before.app.on_event([&](const errand::event& what) {
        if (what.kind != errand::event_kind::task_snoozed) return;
        if (waited == 0) why = what.text;
        ++waited;
    });
    before.start();
    eventually([&] { return waited > 1; });
    before.stop();
    CHECK_THAT(why, ContainsSubstring("encrypted with the key new, which this program does not have"));
    CHECK(before.info(last).attempt == 0);
    CHECK(!before.info(last).started_at);
    CHECK(before.book.count("7") == 0);
    bench after{with_keys(of_both, new_key + "," + old_key)};
    after.start();
    const auto taken = after.run(after.app.find<int>(last.id()));
    REQUIRE(taken);
    CHECK(after.wait(*taken) == 7);
    CHECK(after.info(*taken).attempt == 1);
}

TEST_CASE("keys change while tasks wait: what the old one encrypted is run, and the new one encrypts",
          "[shared_by_apps]") {
    const auto settings = errand::test::fresh_settings();
    bench before{with_keys(settings, old_key)};
    const auto early = before.run(before.app.handler<echo>().perform_async(1));
    bench during{with_keys(settings, new_key + "," + old_key)};
    const auto late = during.run(during.app.handler<echo>().perform_async(2));
    CHECK(kept_args(before.app, early.id()).starts_with(R"(["errand.sealed.1:old:)"));
    CHECK(kept_args(before.app, late.id()).starts_with(R"(["errand.sealed.1:new:)"));
    during.start();
    const auto taken = during.run(during.app.find<int>(early.id()));
    REQUIRE(taken);
    CHECK(during.wait(*taken) == 1);
    CHECK(during.wait(late) == 2);
    // What was encrypted stays so to its end.
    CHECK(kept_args(before.app, early.id()).starts_with(R"(["errand.sealed.1:old:)"));
}

TEST_CASE("content that was moved to another task, or changed, ends dead with words that say so",
          "[shared_by_apps]") {
    const auto settings = errand::test::fresh_settings();
    bench t{with_keys(settings, new_key)};
    const auto first = t.run(t.app.handler<echo>().perform_async(1));
    const auto second = t.run(t.app.handler<echo>().perform_async(2));
    {
        boost::asio::io_context io;
        const auto raw = errand::test::opened_store(io, t.app, "thief:1");
        const auto found = errand::test::await(io, raw->find(*errand::parse_task_id(second.id())));
        REQUIRE(found);
        auto body = errand::decode_body(found->body);
        body.args = kept_args(t.app, first.id());
        errand::edit_call call{.id = found->id,
                               .seen = found->body,
                               .body = errand::encode(body),
                               .due_at = {},
                               .expires_at = {}};
        CHECK(errand::test::await(io, raw->edit(call)) == errand::edit_verdict::done);
        raw->close();
        io.restart();
        io.run();
    }
    t.start();
    CHECK(t.wait(first) == 1);
    const auto end = end_of(t, second);
    CHECK(end.state == state::dead);
    CHECK_THAT(text_of(end), ContainsSubstring("was changed since, or belongs to another task"));
    CHECK(t.book.count("2") == 0);
}

TEST_CASE("the log says of what is encrypted that it failed, and not with which words") {
    for (const bool tells : {false, true}) {
        auto settings = errand::test::fresh_settings();
        settings.log_level = "info";
        std::ostringstream lines;
        bench t{std::move(settings)};
        t.app.encrypt({.keys = {key_of(new_key)}, .log_messages = tells});
        errand::detail::core_of(t.app).log->sinks() = {
            std::make_shared<spdlog::sinks::ostream_sink_mt>(lines)};
        t.book.body = [](errand::task_context&) -> errand::awaitable<int> {
            throw std::runtime_error{"no route to anna@example.org"};
            co_return 0;
        };
        t.start();
        const auto h = submit(t, {.max_retry = 1});
        CHECK(end_of(t, h).state == state::dead);
        CHECK(text_of(t.info(h)) == "std::runtime_error: no route to anna@example.org");
        t.stop();
        const auto said = lines.str();
        CHECK_THAT(said, ContainsSubstring("attempt 1 of 2 failed: std::runtime_error"));
        CHECK((said.find("anna@example.org") != said.npos) == tells);
        CHECK((said.find("std::runtime_error, whose message is kept encrypted") != said.npos) != tells);
    }
}

TEST_CASE("of a stage that is tried again, and of what on_dead throws, the log says no words either") {
    auto settings = errand::test::fresh_settings();
    settings.log_level = "info";
    std::ostringstream lines;
    bench t{std::move(settings)};
    t.app.encrypt({.keys = {key_of(new_key)}});
    errand::detail::core_of(t.app).log->sinks() = {std::make_shared<spdlog::sinks::ostream_sink_mt>(lines)};
    errand::stage_options how;
    how.max_retry = 1;
    how.backoff = errand::backoff::uniform(1ms);
    t.book.body = [&, how](errand::task_context& self) -> errand::awaitable<int> {
        co_return co_await self.stage("flaky", how, [&]() -> errand::awaitable<int> {
            t.book.note("try");
            if (t.book.count("try") < 2) throw std::runtime_error{"no route to anna@example.org"};
            co_return 1;
        });
    };
    t.start();
    const auto h = submit(t);
    CHECK(t.wait(h) == 1);
    const auto kept = t.info(h).log;
    REQUIRE(kept.size() == 1);
    CHECK_THAT(kept[0], ContainsSubstring("stage \"flaky\" failed, retry 1 of 1 in ") &&
                            ContainsSubstring(": std::runtime_error: no route to anna@example.org"));
    CHECK(end_of(t, t.run(t.app.handler<mourned>().perform_async())).state == state::dead);
    t.stop();
    const auto said = lines.str();
    CHECK_THAT(said, ContainsSubstring("stage \"flaky\" failed, retry 1 of 1 in "));
    CHECK_THAT(said, ContainsSubstring(": std::runtime_error, whose message is kept encrypted"));
    CHECK_THAT(said, ContainsSubstring("std::runtime_error, whose message may hold what is encrypted"));
    CHECK_THAT(said, !ContainsSubstring("anna@example.org") && !ContainsSubstring("on_dead is broken too"));
}
