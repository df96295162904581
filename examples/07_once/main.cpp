// Once: the work and the record that it was done are one transaction, so that whoever does it again finds it done.
//
//   07_once work DATABASE      a worker until SIGTERM
//   07_once pay DATABASE       pays 100 into account 1, waits for the receipt, and says what the account has
//
// DATABASE is sqlite:///path/bank.db for both, ERRAND_STORE the store that they share.
#include <errand/errand.hpp>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstdio>
#include <string>

struct payment {
    std::int64_t account = 0;
    std::int64_t cents = 0;
};

// As slow as a mail server is.
errand::awaitable<void> send_receipt() {
    boost::asio::steady_timer timer{co_await boost::asio::this_coro::executor, std::chrono::seconds{2}};
    co_await timer.async_wait(boost::asio::use_awaitable);
}

class credit {
public:
    explicit credit(errand::database& db) : db_{db} {}

    errand::awaitable<void> perform(payment p) {
        auto& self = co_await errand::this_task();
        const bool first = co_await errand::transaction(db_, [&](auto& tx) -> errand::awaitable<bool> {
            if (!co_await self.once(tx)) co_return false;  // an earlier attempt has committed
            co_await tx.execute("UPDATE account SET cents = cents + $1 WHERE id = $2", p.cents, p.account);
            co_return true;
        });
        std::fprintf(stderr, "attempt %d %s\n", self.attempt(), first ? "has paid" : "finds it paid");
        // Who dies here has paid, and has written so beside the payment.
        co_await send_receipt();
    }

private:
    errand::database& db_;
};
ERRAND_HANDLER(credit, .queue = "payments")

errand::awaitable<void> pay(errand::app& app, errand::database& db) {
    co_await db.execute("CREATE TABLE IF NOT EXISTS account(id BIGINT PRIMARY KEY, cents BIGINT NOT NULL)");
    co_await db.execute("INSERT INTO account(id, cents) VALUES(1, 0) ON CONFLICT DO NOTHING");
    co_await (co_await app.handler<credit>().perform_async(payment{.account = 1, .cents = 100}));
    const auto cents = co_await db.query<std::int64_t>("SELECT cents FROM account WHERE id = 1");
    std::printf("account 1 has %lld cents\n", static_cast<long long>(cents.at(0)));
}

int main(int count, char** words) try {
    if (count != 3) return std::fputs("07_once work|pay DATABASE\n", stderr), 2;
    errand::app app;
    errand::sqlite::database db{app, words[2]};
    app.provide_ref<errand::database>(db);
    if (words[1] == std::string{"work"}) return app.run();
    app.block_on(pay(app, db));
} catch (const std::exception& e) {
    std::fprintf(stderr, "07_once: %s\n", e.what());
    return 1;
}
