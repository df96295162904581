// Receipts for orders: a bean, business ids, retries, results and duplicates, in two roles of one program.
#include "../ledger.hpp"
#include "../shared_store.hpp"
#include "receipts.hpp"
#include "submit.hpp"

#include <charconv>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr const char* usage = R"(usage:
  receipts work [--ledger FILE]           sends receipts until SIGTERM; each attempt adds a line to the ledger
  receipts submit N [PREFIX] [PER_SECOND] submits N orders named PREFIX1 to PREFIXN and checks all receipts
  receipts demo                           both in one process
ERRAND_STORE names the store: sqlite:///path/tasks.db, redis://host:port, redis+unix:///path
)";

struct bad_usage : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

int report(const tally& t) {
    std::printf("receipts: %zu submitted, %zu success, %zu duplicates, %zu wrong\n", t.submitted, t.success,
                t.duplicates, t.wrong);
    return t.wrong == 0 && t.success == t.submitted ? 0 : 1;
}

int work(const std::string& ledger_file) {
    errand::app app{shared_store()};
    app.provide<mailer>("smtp://localhost");
    keep_ledger(app, ledger_file);
    return app.run();
}

int submit(const order_run& what) {
    errand::app app{shared_store()};
    return report(app.block_on(submit_orders(app, what)));
}

errand::awaitable<tally> work_and_submit(errand::app& app) {
    co_await app.start();
    const tally all = co_await submit_orders(app, {.orders = 200});
    co_await app.stop();
    co_return all;
}

int demo() {
    errand::app app;
    app.provide<mailer>("smtp://localhost");
    return report(app.block_on(work_and_submit(app)));
}

std::size_t number(const std::string& text) {
    std::size_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size()) throw bad_usage{"not a number: " + text};
    return value;
}

int run(const std::vector<std::string>& arguments) {
    const std::string role = arguments.empty() ? "" : arguments[0];
    if (role == "demo" && arguments.size() == 1) return demo();
    if (role == "work" && arguments.size() == 1) return work({});
    if (role == "work" && arguments.size() == 3 && arguments[1] == "--ledger") return work(arguments[2]);
    if (role == "submit" && arguments.size() >= 2 && arguments.size() <= 4) {
        order_run what{.orders = number(arguments[1])};
        if (arguments.size() > 2) what.prefix = arguments[2];
        if (arguments.size() > 3) what.per_second = number(arguments[3]);
        return submit(what);
    }
    throw bad_usage{"work, submit or demo?"};
}

}  // namespace

int main(int count, char** arguments) try {
    return run({arguments + 1, arguments + count});
} catch (const bad_usage& e) {
    std::fprintf(stderr, "receipts: %s\n%s", e.what(), usage);
    return 2;
} catch (const std::exception& e) {
    std::fprintf(stderr, "receipts: %s\n", e.what());
    return 1;
}
