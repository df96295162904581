#include "trial/rewound.hpp"

#include "trial/redis_ground.hpp"
#include "trial/site.hpp"

#include <csignal>
#include <thread>

namespace trial {

using namespace std::chrono_literals;
using errand::test::holds_within;

namespace {

constexpr std::size_t tasks = 5;
constexpr int length_ms = 3000;

void submit(site& at, std::size_t count, int ms) {
    for (std::size_t i = 0; i < count; ++i) {
        const auto h = at.app().block_on(at.app().perform("trial::slow", {0, ms}));
        at.note_accepted(h.id());
    }
}

// What follows proves nothing when it was not so.
void wait_for(site& at, const char* what, const std::function<bool()>& holds) {
    if (!holds_within(20s, holds))
        at.complaints.emplace_back(std::string{"it did not come to pass: "} + what);
}

void wait_for_starts(site& at, const worker& of, std::size_t count) {
    wait_for(at, "a worker starts what it claimed",
             [&] { return at.book().count("started", of.one->pid()) >= count; });
}

}  // namespace

void give_a_number_twice(site& at) {
    auto& store = dynamic_cast<redis_ground&>(at.store());
    auto &first = *at.workers.at(0), &second = *at.workers.at(1);
    wait_for(at, "workers start", [&] { return at.book().count("up") == 2; });
    submit(at, 4, 1);
    wait_for(at, "the first tasks end", [&] { return at.book().count("success") == 4; });
    const auto before = [&](const worker& of) { return at.book().count("started", of.one->pid()); };
    const auto of_first = before(first) + tasks, of_second = before(second) + tasks;

    first.one->signal(SIGSTOP);
    second.one->signal(SIGSTOP);
    at.shift_store_clock(-60'000);
    submit(at, tasks, length_ms);
    wait_for(at, "the replica has all", [&] { return store.replica_has_all(); });
    store.hold_replica();
    first.one->signal(SIGCONT);
    wait_for_starts(at, first, of_first);
    first.one->signal(SIGSTOP);
    store.promote();
    at.look_anew();
    second.one->signal(SIGCONT);
    wait_for_starts(at, second, of_second);
    first.one->signal(SIGCONT);
    at.count("number_given_twice");
    at.go_on_for(std::chrono::milliseconds{length_ms} + 2s);
    store.bring_back();
}

}  // namespace trial
