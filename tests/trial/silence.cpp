#include "trial/silence.hpp"

#include <errand/error.hpp>
#include <errand/inspect.hpp>

#include "support/task_journal.hpp"
#include "trial/judgement.hpp"
#include "trial/site.hpp"

#include <filesystem>
#include <fstream>
#include <utility>

namespace trial {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds longest_wait{starts_within + 1500};
constexpr std::chrono::milliseconds until_idle = 5s;
constexpr std::chrono::milliseconds delay = 800ms;
constexpr std::chrono::milliseconds longer_than_a_lease = 2 * lease;

class silence {
public:
    explicit silence(site& at) : at_{at}, book_{at.book().path()}, sign_{at.book().path() + ".silent"} {
        std::ofstream{sign_}.put('x');
    }
    ~silence() { std::filesystem::remove(sign_); }
    silence(const silence&) = delete;
    silence& operator=(const silence&) = delete;

    bool falls() {
        return holds(until_idle, [&] { return at_.is_idle(); });
    }

    void try_again() { wait_for(submit("trial::failing", {0, 1})); }
    void snooze() { wait_for(submit("trial::snoozing", {0})); }
    void fall_due() { wait_for(submit_delayed()); }

    void resolve() {
        const auto parent = submit_delayed();
        errand::options with;
        with.after.emplace_back(parent);
        const auto child = submit("trial::quick", {0}, std::move(with));
        book_.add("needs:" + parent.id(), child.id());
        wait_for(child);
    }

    void resume() {
        const auto from = ms_now();
        ask(at_.app().inspect().pause("default"));
        const auto task = submit("trial::quick", {0});
        at_.go_on_for(300ms);
        ask(at_.app().inspect().resume("default"));
        at_.happened.pauses.push_back({from, ms_now()});
        wait_for(task);
    }

    void revive() {
        const auto task = submit("trial::broken", {0});
        if (!wait_for(task)) return;
        book_.add("reviving", task.id());
        if (ask(task.revive())) book_.add("revived", task.id());
        wait_for(task);
    }

    // Its worker stands still in the middle of it for longer than its lease.
    void recover() {
        const auto task = submit("trial::slow", {0, 700});
        at_.go_on_for(200ms);
        if (auto* one = at_.any_worker(at_.random)) at_.freeze_worker(*one, longer_than_a_lease, "paused");
        at_.go_on_for(longer_than_a_lease + 100ms);
        wait_for(task);
    }

private:
    using task = errand::handle<boost::json::value>;

    template <class T>
    T ask(errand::awaitable<T> what) {
        return at_.app().block_on(std::move(what));
    }

    template <class Condition>
    bool holds(std::chrono::milliseconds within, const Condition& condition) {
        const auto end = clock::now() + within;
        while (!condition()) {
            if (clock::now() > end) return false;
            at_.go_on_for(10ms);
        }
        return true;
    }

    task submit(const char* handler, boost::json::array args, errand::options with = {}) {
        auto accepted = ask(at_.app().perform(handler, std::move(args), std::move(with)));
        book_.add("accepted", accepted.id());
        return accepted;
    }

    task submit_delayed() {
        const auto since = ms_now();
        errand::options with;
        with.delay = delay;
        const auto its = submit("trial::quick", {0}, std::move(with));
        book_.add("delayed", its.id(), static_cast<int>(delay.count()), static_cast<std::uint64_t>(since));
        return its;
    }

    bool wait_for(const task& its) {
        return holds(longest_wait, [&] {
            const auto info = ask(at_.app().find(its.id()));
            return info && is_end(info->state);
        });
    }

    site& at_;
    const errand::test::task_journal book_;
    const std::string sign_;
};

}  // namespace

void be_silent(site& at) {
    at.calm_down();
    silence its{at};
    if (!its.falls()) return;
    try {
        for (auto step : {&silence::try_again, &silence::snooze, &silence::fall_due, &silence::resolve,
                          &silence::resume, &silence::revive, &silence::recover})
            (its.*step)();
    } catch (const errand::store_error& e) {
        // Nothing else strikes meanwhile.
        at.complaints.emplace_back(std::string{"the store failed in silence: "} + e.what());
        return;
    }
    at.count("silence");
}

}  // namespace trial
