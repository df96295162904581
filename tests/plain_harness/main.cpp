// The harness without a test framework: what fails is printed, and the program ends with 1.
#include <errand/testing.hpp>

#include <iostream>

using namespace std::chrono_literals;

struct mailer {
    explicit mailer(std::string to) : address{std::move(to)} {}
    std::string address;
    int sent = 0;
};

struct order {
    std::string id;
    std::int64_t cents = 0;
    std::optional<std::string> coupon;
};
struct receipt {
    std::string order_id;
    std::string url;
};

class send_receipt {
public:
    explicit send_receipt(mailer& m) : mailer_{m} {}
    errand::awaitable<receipt> perform(order o) {
        ++mailer_.sent;
        co_return receipt{o.id, mailer_.address + o.id};
    }
    static std::string biz_id(const order& o) { return o.id; }

private:
    mailer& mailer_;
};
ERRAND_HANDLER(send_receipt, .queue = "mail")

namespace {

int failures = 0;

void check(bool holds, const char* what) {
    if (holds) return;
    ++failures;
    std::cerr << "failed: " << what << '\n';
}

void twenty_days_of_retries() {
    errand::testing::harness t;
    auto& mail = t.app().provide<mailer>("null:");
    t.fail_next<send_receipt>(std::runtime_error{"no route to host"}, 25);
    auto h = t.run(t.app().handler<send_receipt>().perform_async(order{"o-1", 990, {}}));
    check(t.drain() == 1, "the first attempt runs at once");
    check(t.run(h.info()).state == errand::state::retry, "it is tried again");
    check(t.advance(25 * 24h) == 25, "all retries run");
    const auto info = t.run(h.info());
    check(info.state == errand::state::success, "the last one succeeds");
    check(info.errors.size() == 25, "the others are kept");
    check(*info.finished_at - *info.submitted_at > 20 * 24h, "that took twenty days of the clock");
    check(t.run(h).url == "null:o-1", "its result is there");
    check(mail.sent == 1, "the handler ran once");
}

void what_is_expected() {
    errand::testing::harness t;
    t.app().provide<mailer>("null:");
    t.run(t.app().handler<send_receipt>().perform_async(order{"o-1", 990, {}}));
    t.expect_submitted<send_receipt>(order{"o-1", 990, {}});
    bool thrown = false;
    try {
        t.expect_submitted<send_receipt>(order{"o-2", 990, {}});
    } catch (const errand::testing::expectation_failed& e) {
        thrown = std::string{e.what()}.find("o-1") != std::string::npos;
    }
    check(thrown, "an expectation that fails says what there is instead");
    check(t.pending<send_receipt>().size() == 1, "a submission is pending");
}

}  // namespace

int main() {
    twenty_days_of_retries();
    what_is_expected();
    return failures == 0 ? 0 : 1;
}
