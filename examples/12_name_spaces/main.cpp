// One worker for two tenants: a shop that has piled up tasks does not keep the mail waiting.
//   ERRAND_STORE=redis://localhost:6379 12_name_spaces
#include "../shared_store.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

// Whose tasks were started, in order.
class journal {
public:
    void add(std::string name_space) {
        std::lock_guard lock{guard_};
        starts_.push_back(std::move(name_space));
    }
    std::ptrdiff_t starts_before(const std::string& name_space) {
        std::lock_guard lock{guard_};
        return std::ranges::find(starts_, name_space) - starts_.begin();
    }

private:
    std::mutex guard_;
    std::vector<std::string> starts_;
};

class work {
public:
    explicit work(journal& starts) : starts_{starts} {}
    errand::awaitable<void> perform(int /*number*/) {
        auto& self = co_await errand::this_task();
        starts_.add(self.name_space());
    }

private:
    journal& starts_;
};
ERRAND_HANDLER(work)

// The settings of a tenant's own program, which knows nothing of the others.
errand::config of_tenant(const std::string& name) {
    auto settings = shared_store();
    settings.name_space = name;
    return settings;
}

int main() {
    errand::app shop{of_tenant("shop")};
    errand::app mail{of_tenant("mail")};
    std::vector<int> numbers(100);
    std::iota(numbers.begin(), numbers.end(), 1);
    const auto pile = shop.block_on(shop.handler<work>().perform_bulk(numbers));
    const auto letter = mail.block_on(mail.handler<work>().perform_async(1));

    auto settings = shared_store();
    settings.concurrency = 1;
    settings.name_spaces = {{"shop", 3}, {"mail", 1}};
    errand::app worker{settings};
    auto& starts = worker.provide<journal>();
    worker.block_on(worker.start());
    mail.block_on(letter.result(1min));
    for (const auto& one : pile) shop.block_on(one.result(1min));
    worker.block_on(worker.stop());
    std::printf("name_spaces: %zu tasks, and the mail %s for the shop\n", pile.size() + 1,
                starts.starts_before("mail") <= 10 ? "did not wait" : "waited");
}
