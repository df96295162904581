// Section 4 of the contract, its in-memory half: what is performed under a transaction leaves with the commit.
#include "support/test_app.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <random>
#include <stdexcept>

using namespace std::chrono_literals;
using namespace boost::asio::experimental::awaitable_operators;
using Catch::Matchers::ContainsSubstring;
using errand::test::test_app;
namespace asio = boost::asio;

namespace held_back {

struct record {
    errand::awaitable<std::string> perform(std::string key) { co_return key; }
    static std::string biz_id(const std::string& key) { return key; }
};

}  // namespace held_back

ERRAND_HANDLER(held_back::record)

namespace {

using held_back::record;
using handle_type = errand::handle<std::string>;

struct rollback : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Whether the store knows the task of this key: derived ids make it findable without a handle.
bool submitted(test_app& t, const handle_type& h) { return t.run(t.app.find(h.id())).has_value(); }

errand::awaitable<void> deeper(errand::app& app, std::string key, int depth, std::vector<handle_type>& out) {
    if (depth > 0) {
        co_await asio::post(asio::use_awaitable);
        co_await deeper(app, key, depth - 1, out);
        co_return;
    }
    out.push_back(co_await app.handler<record>().perform_async(key));
}

}  // namespace

TEST_CASE("What is performed under a transaction leaves when its body returns", "[transaction][concurrent]") {
    test_app t;
    std::vector<handle_type> handles;
    t.run([](test_app& a, std::vector<handle_type>& out) -> errand::awaitable<void> {
        co_await errand::transaction(a.app, [&]() -> errand::awaitable<void> {
            co_await deeper(a.app, "deep", 5, out);
            CHECK_FALSE(co_await a.app.find(out[0].id()));
            CHECK_FALSE(out[0].duplicate());
        });
    }(t, handles));
    CHECK(submitted(t, handles.at(0)));
    CHECK_FALSE(handles[0].duplicate());
}

TEST_CASE("Nothing leaves when the body throws, and the exception comes through", "[transaction]") {
    test_app t;
    std::vector<handle_type> handles;
    CHECK_THROWS_AS(t.run([](test_app& a, std::vector<handle_type>& out) -> errand::awaitable<void> {
        co_await errand::transaction(a.app, [&]() -> errand::awaitable<void> {
            co_await deeper(a.app, "never", 2, out);
            throw rollback{"no"};
        });
    }(t, handles)),
                    rollback);
    CHECK_FALSE(submitted(t, handles.at(0)));
    CHECK_THROWS_AS(t.info(handles[0]), errand::usage_error);
}

TEST_CASE("A transaction returns what its body returns", "[transaction]") {
    test_app t;
    const auto h = t.run(errand::transaction(t.app, [&]() -> errand::awaitable<handle_type> {
        co_return co_await t.app.handler<record>().perform_async("value");
    }));
    CHECK(submitted(t, h));
}

TEST_CASE("Parallel branches and spawned coroutines are held back too", "[transaction][concurrent]") {
    test_app t;
    std::vector<handle_type> handles;
    t.run([](test_app& a, std::vector<handle_type>& out) -> errand::awaitable<void> {
        co_await errand::transaction(a.app, [&]() -> errand::awaitable<void> {
            co_await (deeper(a.app, "left", 3, out) && deeper(a.app, "right", 1, out));
            auto executor = co_await asio::this_coro::executor;
            co_await asio::co_spawn(executor, deeper(a.app, "spawned", 1, out), asio::use_awaitable);
            co_await asio::co_spawn(asio::make_strand(executor), deeper(a.app, "strand", 1, out),
                                    asio::use_awaitable);
            for (const auto& h : out) CHECK_FALSE(co_await a.app.find(h.id()));
        });
    }(t, handles));
    REQUIRE(handles.size() == 4);
    for (const auto& h : handles) CHECK(submitted(t, h));
}

TEST_CASE("An inner transaction joins the outer one and drops only its own when it throws", "[transaction]") {
    test_app t;
    std::vector<handle_type> outer;
    std::vector<handle_type> kept;
    std::vector<handle_type> dropped;
    t.run([](test_app& a, auto& out, auto& in, auto& lost) -> errand::awaitable<void> {
        co_await errand::transaction(a.app, [&]() -> errand::awaitable<void> {
            co_await deeper(a.app, "outer", 0, out);
            co_await errand::transaction(a.app, [&]() -> errand::awaitable<void> {
                co_await deeper(a.app, "in", 0, in);
            });
            try {
                co_await errand::transaction(a.app, [&]() -> errand::awaitable<void> {
                    co_await deeper(a.app, "lost", 0, lost);
                    throw rollback{"inner"};
                });
            } catch (const rollback&) {
            }
            CHECK_FALSE(co_await a.app.find(in.at(0).id()));
        });
    }(t, outer, kept, dropped));
    CHECK(submitted(t, outer.at(0)));
    CHECK(submitted(t, kept.at(0)));
    CHECK_FALSE(submitted(t, dropped.at(0)));
}

TEST_CASE("Awaiting a held-back result is refused, awaiting another one is fine", "[transaction]") {
    test_app t;
    t.start();
    auto other = t.run(t.app.handler<record>().perform_async("other"));
    t.run([](test_app& a, handle_type before) -> errand::awaitable<void> {
        co_await errand::transaction(a.app, [&]() -> errand::awaitable<void> {
            auto h = co_await a.app.handler<record>().perform_async("mine");
            CHECK(co_await before == "other");
            bool refused = false;
            try {
                co_await h;
            } catch (const errand::usage_error&) {
                refused = true;
            }
            CHECK(refused);
        });
    }(t, other));
}

TEST_CASE("A commit that is refused submits nothing of the transaction", "[transaction]") {
    test_app t;
    t.run(t.app.handler<record>().perform_async("taken"));
    std::vector<handle_type> handles;
    CHECK_THROWS_AS(t.run([](test_app& a, std::vector<handle_type>& out) -> errand::awaitable<void> {
        co_await errand::transaction(a.app, [&]() -> errand::awaitable<void> {
            co_await deeper(a.app, "fresh", 0, out);
            auto strict = a.app.handler<record>().with({.on_duplicate = errand::reject});
            out.push_back(co_await strict.perform_async("taken"));
        });
    }(t, handles)),
                    errand::duplicate_task);
    CHECK_FALSE(submitted(t, handles.at(0)));
}

TEST_CASE("A transaction that no single call can carry is refused whole, one just below arrives",
          "[transaction]") {
    test_app t;
    const auto commit = [&t](int tasks, std::vector<handle_type>& out) {
        return t.run([](test_app& a, int n, std::vector<handle_type>& to) -> errand::awaitable<void> {
            co_await errand::transaction(a.app, [&]() -> errand::awaitable<void> {
                for (int i = 0; i < n; ++i) {
                    auto one = a.app.handler<record>().with({.biz_id = std::to_string(i)});
                    to.push_back(co_await one.perform_async(std::string(1'000'000, 'x')));
                }
            });
        }(t, tasks, out));
    };
    std::vector<handle_type> refused;
    CHECK_THROWS_AS(commit(34, refused), errand::usage_error);
    CHECK_FALSE(submitted(t, refused.at(0)));
    std::vector<handle_type> arrived;
    commit(33, arrived);
    CHECK(submitted(t, arrived.at(32)));
}

TEST_CASE("A duplicate is known to the handle after the commit", "[transaction]") {
    test_app t;
    auto first = t.run(t.app.handler<record>().perform_async("twice"));
    const auto again = t.run(errand::transaction(t.app, [&]() -> errand::awaitable<handle_type> {
        auto h = co_await t.app.handler<record>().perform_async("twice");
        CHECK_FALSE(h.duplicate());
        co_return h;
    }));
    CHECK(again.duplicate());
    CHECK(again.id() == first.id());
}

TEST_CASE("A guard holds back what goes through it, until commit or rollback", "[transaction]") {
    test_app t;
    auto proxy = t.app.handler<record>();
    std::optional<handle_type> never;
    {
        errand::transaction_guard guard{t.app};
        never = t.run(proxy.in(guard).perform_async("dropped"));
    }
    CHECK_FALSE(submitted(t, *never));

    errand::transaction_guard guard{t.app};
    auto held = t.run(proxy.in(guard).perform_async("guarded"));
    auto many = t.run(proxy.in(guard).perform_bulk(std::vector<std::string>{"g1", "g2"}));
    auto direct = t.run(proxy.perform_async("direct"));
    CHECK(submitted(t, direct));
    CHECK_FALSE(submitted(t, held));
    t.run(guard.commit());
    CHECK(submitted(t, held));
    CHECK(submitted(t, many.at(1)));
    CHECK_THROWS_AS(t.run(guard.commit()), errand::usage_error);
    CHECK_THROWS_AS(t.run(proxy.in(guard).perform_async("late")), errand::usage_error);

    errand::transaction_guard rolled{t.app};
    auto gone = t.run(proxy.in(rolled).perform_async("rolled"));
    rolled.rollback();
    CHECK_FALSE(submitted(t, gone));
    CHECK_THROWS_AS(t.run(proxy.in(rolled).perform_async("late")), errand::usage_error);
}

TEST_CASE("A transaction of more tasks than one step of a store should take is refused whole, in a sentence",
          "[transaction]") {
    const auto keys = [](const std::string& front, int count) {
        std::vector<std::string> all;
        for (int i = 0; i < count; ++i) all.push_back(front + std::to_string(i));
        return all;
    };
    test_app t;
    auto proxy = t.app.handler<record>();
    errand::transaction_guard guard{t.app};
    auto many = t.run(proxy.in(guard).perform_bulk(keys("a", 20'001)));
    CHECK_THROWS_WITH(t.run(guard.commit()),
                      ContainsSubstring("20001 tasks") && ContainsSubstring("at most 20000 tasks"));
    CHECK_FALSE(submitted(t, many.front()));
    CHECK_FALSE(submitted(t, many.back()));

    errand::transaction_guard tied{t.app};
    auto first = t.run(proxy.in(tied).perform_async("first"));
    auto heirs = t.run(proxy.with({.after = {first}}).in(tied).perform_bulk(keys("b", 1'999)));
    CHECK_THROWS_WITH(t.run(tied.commit()), ContainsSubstring("1999 dependencies"));
    CHECK_FALSE(submitted(t, first));
    CHECK_FALSE(submitted(t, heirs.back()));

    errand::transaction_guard large{t.app};
    auto all = t.run(proxy.in(large).perform_bulk(keys("c", 3'000)));
    t.run(large.commit());
    CHECK(submitted(t, all.back()));
}

TEST_CASE("Performing under a transaction that has ended is refused", "[transaction]") {
    test_app t;
    std::optional<asio::any_io_executor> inside;
    CHECK_THROWS_AS(t.run([](test_app& a, auto& leaked) -> errand::awaitable<void> {
        co_await errand::transaction(a.app, [&]() -> errand::awaitable<void> {
            leaked = co_await asio::this_coro::executor;
        });
        std::vector<handle_type> out;
        co_await asio::co_spawn(*leaked, deeper(a.app, "late", 0, out), asio::use_awaitable);
    }(t, inside)),
                    errand::usage_error);
}

namespace {

// One of many transactions that run at once: some deep, some nested, some rolled back. Says whether it
// ended as its body did; the caller's thread checks that, because Catch's assertions belong to one thread.
errand::awaitable<bool> one_of_many(errand::app& app, int number, unsigned seed,
                                    std::vector<handle_type>& kept, std::vector<handle_type>& dropped) {
    std::minstd_rand random{seed};
    const bool rolls_back = random() % 3 == 0;
    const auto key = "t" + std::to_string(number) + "-";
    auto& mine = rolls_back ? dropped : kept;
    try {
        co_await errand::transaction(app, [&]() -> errand::awaitable<void> {
            for (int i = 0; i < 3; ++i) {
                co_await deeper(app, key + std::to_string(i), static_cast<int>(random() % 4), mine);
                co_await asio::post(asio::use_awaitable);
            }
            if (rolls_back) throw rollback{key};
        });
    } catch (const rollback& e) {
        co_return rolls_back&& e.what() == key;
    }
    co_return !rolls_back;
}

void run_interleaved(std::size_t threads) {
    // All commit at once, over several shards one after the other: on a busy machine that lasts.
    auto patient = errand::test::fresh_settings();
    patient.store_timeout = std::chrono::minutes{1};
    test_app t{patient};
    constexpr int count = 1000;
    std::vector<std::vector<handle_type>> kept(count);
    std::vector<std::vector<handle_type>> dropped(count);
    asio::thread_pool pool{threads};
    std::vector<std::future<bool>> ends;
    for (int i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        ends.push_back(
            asio::co_spawn(pool, one_of_many(t.app, i, static_cast<unsigned>(i) + 1, kept[at], dropped[at]),
                           asio::use_future));
    }
    for (auto& end : ends) CHECK(end.get());
    pool.join();
    t.run([](test_app& a, auto& in, auto& out) -> errand::awaitable<void> {
        for (const auto& list : in) {
            for (const auto& h : list) CHECK(co_await a.app.find(h.id()));
        }
        for (const auto& list : out) {
            for (const auto& h : list) CHECK_FALSE(co_await a.app.find(h.id()));
        }
    }(t, kept, dropped));
}

}  // namespace

TEST_CASE("A thousand transactions interleaved on one thread never mix", "[transaction][concurrent]") {
    run_interleaved(1);
}

TEST_CASE("A thousand transactions interleaved on four threads never mix", "[transaction][concurrent]") {
    run_interleaved(4);
}
