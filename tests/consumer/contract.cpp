// The programs that the documentation prints, as a user's project has them: declare a handler, call it like a local
// function, look around inside it, hold submissions back, run a worker.
#include <errand/errand.hpp>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>

using namespace std::chrono_literals;

// ---- 1. declare a handler -------------------------------------------------------------------------------------------

struct order {
    std::string id;
    std::int64_t cents = 0;
    std::optional<std::string> coupon;
};
struct receipt {
    std::string order_id;
    std::string url;
};

class mailer {
public:
    explicit mailer(std::string at) : at_{std::move(at)} {}
    std::string link(const std::string& id) const { return at_ + "/" + id; }

private:
    std::string at_;
};

class send_receipt {
public:
    explicit send_receipt(mailer& m) : mailer_{m} {}
    errand::awaitable<receipt> perform(order o);
    static std::string biz_id(const order& o) { return o.id; }

private:
    mailer& mailer_;
};
ERRAND_HANDLER(send_receipt, .queue = "mail", .timeout = 600s, .max_retry = 3)

errand::awaitable<receipt> send_receipt::perform(order o) {
    errand::task_context& self = co_await errand::this_task();
    self.log().info("order {}", o.id);
    co_await self.progress(0.4, "4 of 10");
    if (self.cancelled()) throw errand::discard("cancelled");
    co_return receipt{o.id, mailer_.link(o.id)};
}

namespace shop {
struct audit {
    explicit audit(const mailer& m, errand::proxy<audit> self, errand::app& owner)
        : mailer_{m}, self_{self}, owner_{owner} {}
    errand::awaitable<int> perform(int depth, const std::string& note) {
        if (depth == 0) co_return static_cast<int>(note.size());
        auto child = co_await self_.perform_async(depth - 1, note);
        co_return co_await child;
    }
    const mailer& mailer_;
    errand::proxy<audit> self_;
    errand::app& owner_;
};
}  // namespace shop
ERRAND_HANDLER(shop::audit)

struct breaks {
    static inline int deaths = 0;
    errand::awaitable<void> perform(std::string how) {
        if (how == "discard") throw errand::discard("why");
        errand::task_context& self = co_await errand::this_task();
        if (how == "retry" && self.attempt() == 1) throw errand::retry_in(10ms, "why");
        if (how == "throw") throw std::runtime_error("broken");
    }
    static void on_dead(const errand::task_info& task) { deaths += task.errors.empty() ? 0 : 1; }
};
ERRAND_HANDLER(breaks, .max_retry = 1, .backoff = [](int, std::exception_ptr) { return 5ms; })

struct only_declared {
    errand::awaitable<void> perform(int n);
};
ERRAND_DECLARE_HANDLER(only_declared, .queue = "elsewhere")

// ---------------------------------------------------------------------------------------------------------------------

namespace {

void check(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "not so: %s\n", what);
    std::exit(1);
}

// 2. Call it like a local function.
errand::awaitable<void> call_it(errand::app& app) {
    auto receipts = app.handler<send_receipt>();
    errand::handle<receipt> h = co_await receipts.perform_async(order{"o-1", 990, {}});
    receipt r = co_await h;
    check(r.url == "smtp://localhost/o-1", "the result is the handler's");
    check((co_await h.info()).state == errand::state::success, "its state is success");

    auto again = co_await receipts.perform_async(order{"o-1", 990, {}});
    check(again.duplicate() && again.id() == h.id(), "the second submission is a duplicate");

    auto later = co_await receipts.with({.biz_id = "b", .delay = 5min, .priority = 9, .max_retry = 0})
                     .perform_async(order{"o-2", 1, {}});
    check((co_await later.info()).state == errand::state::delayed, "a delayed task waits");
    check(co_await later.cancel(), "it can be cancelled");

    auto found = co_await app.find<receipt>(h.id());
    check(found.has_value() && (co_await *found).order_id == "o-1", "an id is enough to find it again");
    check((co_await app.find(h.id()))->handler == "send_receipt", "and its picture");

    std::vector<order> orders(3);
    for (std::size_t i = 0; i < orders.size(); ++i) orders[i].id = "bulk-" + std::to_string(i);
    auto many = co_await receipts.perform_bulk(orders);
    check((co_await many[2]).order_id == "bulk-2", "handles come in order");
    check((co_await errand::all(many)).size() == 3, "many are awaited at once");
    const auto [one, other] = co_await errand::all(many[0], h);
    check(one.order_id == "bulk-0" && other.order_id == "o-1", "also those of several types");
    check((co_await errand::any(many)).first < 3, "or the first of them");

    auto named = co_await app.perform("shop::audit", boost::json::array{1, "abc"});
    check((co_await named).as_int64() == 3, "a task can be submitted by wire name");
    auto nested = co_await app.handler<shop::audit>().perform_async(5, "four");
    check(co_await nested.result(20s) == 4, "children are awaited inside a handler");

    co_await app.handler<only_declared>().perform_async(1);
}

// 3. Inside a handler.
errand::awaitable<void> fail(errand::app& app) {
    auto proxy = app.handler<breaks>();
    co_await co_await proxy.perform_async("retry");
    auto dead = co_await proxy.perform_async("throw");
    try {
        co_await dead;
        check(false, "awaiting a dead task throws");
    } catch (const errand::task_failed& e) {
        check(e.state() == errand::state::dead && e.attempts() == 2, "it says how the task ended");
    }
    check(breaks::deaths == 1, "on_dead has run");
}

// 4. Transactions.
errand::awaitable<void> hold_back(errand::app& app) {
    auto receipts = app.handler<send_receipt>();
    errand::transaction_guard guard{app};
    auto h = co_await receipts.in(guard).perform_async(order{"tx-1", 1, {}});
    check(!co_await app.find(h.id()), "nothing leaves before the commit");
    co_await guard.commit();
    check((co_await h).order_id == "tx-1", "it leaves with the commit");

    std::optional<errand::handle<receipt>> inner;
    co_await errand::transaction(app, [&]() -> errand::awaitable<void> {
        inner = co_await receipts.perform_async(order{"tx-2", 1, {}});
        check(!co_await app.find(inner->id()), "nothing leaves before the body returns");
    });
    check((co_await *inner).order_id == "tx-2", "it leaves when the body returns");
}

errand::awaitable<void> all(errand::app& app) {
    co_await app.start();
    co_await call_it(app);
    co_await fail(app);
    co_await hold_back(app);
    co_await app.stop();
}

}  // namespace

int main() {
    errand::app app;
    mailer& m = app.provide<mailer>("smtp://localhost");
    check(m.link("x") == "smtp://localhost/x", "provide returns the bean");
    app.block_on(all(app));

    // 7. Run it: works until SIGTERM, also for the second time.
    auto h = app.block_on(app.handler<send_receipt>().perform_async(order{"run", 1, {}}));
    std::jthread stopper{[&] {
        check(app.block_on(h).order_id == "run", "run() works");
        ::kill(::getpid(), SIGTERM);
    }};
    return app.run();
}
