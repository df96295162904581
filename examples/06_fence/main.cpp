// A fence: an attempt that lost its lease may be at work still; what it writes is refused once a later one has written.
//
//   06_fence work DATABASE      a worker until SIGTERM
//   06_fence ask DATABASE       asks for report 1 and says whose it is
//   06_fence show DATABASE      says whose report 1 is now
//
// DATABASE is sqlite:///path/reports.db for all, ERRAND_STORE the store that they share.
#include <errand/errand.hpp>

#include <cstdio>
#include <string>
#include <thread>

class write_report {
public:
    explicit write_report(errand::database& db) : db_{db} {}

    errand::awaitable<void> perform(std::int64_t id) {
        auto& self = co_await errand::this_task();
        std::fprintf(stderr, "attempt %d computes\n", self.attempt());
        const auto text = compute(self.attempt());
        // A machine that slept until here has lost its lease, and does not know it yet.
        const auto rows =
            co_await db_.execute("UPDATE report SET text = $1, fence = $2 WHERE id = $3 AND fence <= $2",
                                 text, self.fence(), id);
        std::fprintf(stderr, "attempt %d %s\n", self.attempt(), rows == 0 ? "is refused" : "has written");
        if (rows == 0) throw errand::discard("a later attempt is at work");
    }

private:
    // It holds its thread, and hears of nothing meanwhile.
    static std::string compute(int attempt) {
        std::this_thread::sleep_for(std::chrono::seconds{1});
        return "by attempt " + std::to_string(attempt);
    }

    errand::database& db_;
};
ERRAND_HANDLER(write_report, .queue = "reports")

errand::awaitable<void> show(errand::database& db) {
    const auto text = co_await db.query<std::string>("SELECT text FROM report WHERE id = 1");
    std::printf("report 1 is %s\n", text.at(0).c_str());
}

errand::awaitable<void> ask(errand::app& app, errand::database& db) {
    co_await db.execute(
        "CREATE TABLE IF NOT EXISTS report(id BIGINT PRIMARY KEY, text TEXT, fence BIGINT NOT NULL)");
    co_await db.execute("INSERT INTO report(id, text, fence) VALUES(1, '', 0) ON CONFLICT DO NOTHING");
    co_await (co_await app.handler<write_report>().perform_async(1));
    co_await show(db);
}

int main(int count, char** words) try {
    if (count != 3) return std::fputs("06_fence work|ask|show DATABASE\n", stderr), 2;
    const std::string role = words[1];
    errand::app app;
    errand::sqlite::database db{app, words[2]};
    app.provide_ref<errand::database>(db);
    if (role == "work") return app.run();
    app.block_on(role == "ask" ? ask(app, db) : show(db));
} catch (const std::exception& e) {
    std::fprintf(stderr, "06_fence: %s\n", e.what());
    return 1;
}
