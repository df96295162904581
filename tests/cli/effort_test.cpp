// How much a single script does while very many tasks are repaired, counted in words: of all commands that it calls, their
// names, keys and values. Redis serves nobody else meanwhile, so it must not grow with the number of tasks.
#include "cli/office.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstring>
#include <functional>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace std::chrono_literals;
using cli_test::office;
using errand::state;

namespace {

constexpr int many = 3000;
// One to three ms. A script that did one thing to each of so many tasks would need more.
constexpr std::size_t most_words = 5000;

// Redis's MONITOR: each script, then what it calls, a line each.
class monitor {
public:
    monitor() : socket_{::socket(AF_UNIX, SOCK_STREAM, 0)} {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        const auto path = errand::test::shared_redis().socket_path();
        REQUIRE(path.size() < sizeof address.sun_path);
        std::memcpy(address.sun_path, path.c_str(), path.size());
        REQUIRE(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
        REQUIRE(::write(socket_, "MONITOR\r\n", 9) == 9);
        REQUIRE(line() == "+OK\r");
    }
    ~monitor() { ::close(socket_); }
    monitor(const monitor&) = delete;
    monitor& operator=(const monitor&) = delete;

    std::string line() {
        auto end = text_.find('\n', from_);
        while (end == text_.npos) {
            text_.erase(0, from_);
            from_ = 0;
            char more[65536];
            const auto size = ::read(socket_, more, sizeof more);
            REQUIRE(size > 0);
            text_.append(more, static_cast<std::size_t>(size));
            end = text_.find('\n');
        }
        auto one = text_.substr(from_, end - from_);
        from_ = end + 1;
        return one;
    }

private:
    int socket_;
    std::string text_;
    std::size_t from_ = 0;
};

std::size_t words_in(const std::string& line) {
    std::size_t words = 1;
    for (auto at = line.find("\" \""); at != line.npos; at = line.find("\" \"", at + 3)) ++words;
    return words;
}

// Checks all scripts that ran meanwhile.
void in_small_steps(const std::function<void()>& work) {
    monitor seen;
    work();
    errand::test::shared_redis().command({"ECHO", "that was all"});
    std::string script;
    std::string worst;
    std::size_t words = 0;
    std::size_t most = 0;
    for (auto line = seen.line(); line.find("that was all") == line.npos; line = seen.line()) {
        if (line.find("] \"EVALSHA\"") != line.npos) {
            script = line.substr(0, 200);
            words = 0;
        } else if (line.find(" lua] ") != line.npos) {
            words += words_in(line);
        }
        if (words > most) {
            most = words;
            worst = script;
        }
    }
    INFO(worst);
    CHECK(most > 0);
    CHECK(most < most_words);
}

void all_of(office& t, std::vector<std::string> words, int n = many) {
    const auto what = words.front();
    INFO(what);
    words.insert(words.begin() + 1, {"--all", "--yes"});
    CHECK(t.answer(words).at("changed") == n);
}

void submit_many(office& t, const errand::options& how) {
    std::vector<std::tuple<int>> items;
    for (int i = 0; i < many; ++i) items.emplace_back(i);
    t.run(t.app.handler<cli_test::chore>().with(how).perform_bulk(items));
}

}  // namespace

TEST_CASE("no script grows with the number of dead tasks that are revived, cancelled and deleted", "[cli]") {
    office t;
    t.let_die(many);
    t.stop();
    in_small_steps([&] { all_of(t, {"revive"}); });
    in_small_steps([&] { all_of(t, {"cancel", "--state", "ready"}); });
    // Their entries stand in the queue still.
    in_small_steps([&] {
        const auto last = t.submit(1);
        t.start();
        CHECK(t.wait(last) == 2);
        t.stop();
    });
    in_small_steps([&] { CHECK(t.answer({"doctor"}).at("found") == 0); });
    in_small_steps([&] { all_of(t, {"delete", "--state", "cancelled"}); });
}

TEST_CASE("no script grows with the number of tasks that are run now, and then deleted", "[cli]") {
    office t;
    submit_many(t, {.delay = 1h, .priority = 3});
    in_small_steps([&] { all_of(t, {"retry", "--state", "delayed"}); });
    in_small_steps([&] {
        t.start();
        t.all_are(state::success, many);
        t.stop();
    });
    in_small_steps([&] { all_of(t, {"delete", "--state", "success"}); });
}

TEST_CASE("no script grows with the number of tasks that depend on one that is revived", "[cli]") {
    office t;
    const auto parent = t.app.handler<cli_test::chore>().ref("parent");
    submit_many(t, {.after = {parent}});
    cli_test::broken = true;
    t.start();
    in_small_steps([&] {
        t.submit(1, {.biz_id = "parent"});
        t.all_are(state::cancelled, many);
    });
    cli_test::broken = false;
    in_small_steps([&] {
        all_of(t, {"revive"}, 1);
        t.all_are(state::success, many + 1);
    });
    t.stop();
    in_small_steps([&] { all_of(t, {"delete", "--state", "success"}, many + 1); });
}

TEST_CASE("no script grows with the number of tasks that fall due or expire at once", "[cli]") {
    office t;
    submit_many(t, {.expires_after = 1ms});
    submit_many(t, {.delay = 1ms, .priority = 1});
    in_small_steps([&] {
        t.start();
        errand::test::eventually([&] {
            return t.count(state::success) + t.count(state::expired) == std::size_t{2 * many};
        });
        t.stop();
    });
}
