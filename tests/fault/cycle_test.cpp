// Submissions that close a cycle at the same moment: not all of them are accepted, and what was accepted is not left
// waiting in a cycle. It is shown so: once what was refused is submitted without dependencies, everything ends.
#include "fault/site.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <barrier>
#include <cstdio>
#include <map>
#include <optional>
#include <thread>

using namespace fault_test;

namespace {

using ring_handle = errand::handle<stone>;

// One party of each ring, on its own connection: submits its task the moment all parties are ready.
struct party {
    errand::app app;
    std::vector<std::optional<ring_handle>> accepted{};  // one per ring
    std::vector<std::string> refusals{};                 // texts
    std::string failure{};

    explicit party(const errand::config& with) : app{with} {}

    static std::string key(std::size_t ring, std::size_t at) {
        return "ring" + std::to_string(ring) + "-" + std::to_string(at);
    }

    void submit_all(std::size_t rings, std::size_t me, std::size_t size, std::barrier<>& together) {
        const auto stones = app.handler<lays_stone>();
        for (std::size_t ring = 0; ring < rings; ++ring) {
            const auto next = stones.ref(key(ring, (me + 1) % size));
            const auto mine = stones.with({.biz_id = key(ring, me), .after = {next}});
            together.arrive_and_wait();
            accepted.emplace_back();
            try {
                accepted.back() = app.block_on(mine.perform_async(0, errand::duration{0}));
            } catch (const errand::dependency_cycle& e) {
                refusals.emplace_back(e.what());
            } catch (const std::exception& e) {
                failure = e.what();
            }
        }
    }
};

struct rings {
    rings(std::size_t count, std::size_t size) : size_{size} {
        for (std::size_t i = 0; i < size; ++i) parties_.push_back(std::make_unique<party>(all_.settings()));
        std::barrier together{static_cast<std::ptrdiff_t>(size)};
        std::vector<std::thread> threads;
        for (std::size_t i = 0; i < size; ++i)
            threads.emplace_back([&, i] { parties_[i]->submit_all(count, i, size, together); });
        for (auto& one : threads) one.join();
        all_.worker();
        for (const auto& one : parties_) CHECK(one->failure.empty());
        for (std::size_t ring = 0; ring < count; ++ring) look_at(ring);
    }

    // Everything ends once what was refused is there, submitted without dependencies.
    void end() {
        auto& app = parties_.front()->app;
        for (const auto& one : refused_) {
            const auto h = app.block_on(
                app.handler<lays_stone>().with({.biz_id = one}).perform_async(0, errand::duration{0}));
            CHECK_FALSE(h.duplicate());
            handles_.push_back(h);
        }
        const errand::await_options how{.within = patience};
        CHECK_NOTHROW(app.block_on(errand::all(how, handles_)));
        std::size_t texts = 0;
        for (const auto& one : parties_) {
            texts += one->refusals.size();
            for (const auto& text : one->refusals) CHECK(names_all(text));
        }
        CHECK(texts == refused_.size());
        std::printf("fault: rings of %zu: %zu submissions accepted, %zu refused; %zu rings refused whole\n",
                    size_, handles_.size() - refused_.size(), refused_.size(), whole_);
    }

private:
    void look_at(std::size_t ring) {
        std::size_t refused = 0;
        for (std::size_t at = 0; at < size_; ++at) {
            const auto& h = parties_[at]->accepted[ring];
            if (h) {
                auto& app = parties_.front()->app;
                handles_.push_back(*app.block_on(app.find<stone>(h->id())));
                CHECK(app.block_on(handles_.back().info()).state == errand::state::waiting);
            } else {
                refused_.push_back(party::key(ring, at));
                ++refused;
            }
        }
        CHECK(refused >= 1);
        whole_ += refused == size_ ? 1 : 0;
    }

    // The text names each task on the cycle.
    bool names_all(const std::string& text) const {
        const auto begin = text.find("ring");
        const auto ring = text.substr(begin, text.find('-', begin) - begin);
        for (std::size_t at = 0; at < size_; ++at) {
            if (text.find(ring + '-' + std::to_string(at)) == std::string::npos) return false;
        }
        return true;
    }

    const std::size_t size_;
    fleet all_{{}, "builder"};
    std::vector<std::unique_ptr<party>> parties_;
    std::vector<ring_handle> handles_;
    std::vector<std::string> refused_;  // keys
    std::size_t whole_ = 0;
};

}  // namespace

TEST_CASE("of two submissions that close a cycle at once one is refused, and none waits for ever",
          "[dependency]") {
    rings pairs{1000, 2};
    pairs.end();
}

TEST_CASE("of three submissions that close a cycle at once one is refused, and none waits for ever",
          "[dependency]") {
    rings triples{300, 3};
    triples.end();
}

TEST_CASE("cycles closed by processes that are killed meanwhile leave nothing waiting", "[dependency]") {
    dice random{std::random_device{}()};
    const std::chrono::seconds length{std::max(5, seconds_of_fire() / 4)};
    site building{make_rings(60 * static_cast<std::size_t>(length.count()), length, random), {}};
    building.burn(length, {.between_kills = 250ms, .submitters_only = true}, random);
    const auto refused = building.refused();
    std::map<std::string, int> refused_in;
    std::size_t tasks = 0;
    for (const auto& list : building.lists()) {
        tasks += list.size();
        for (const auto& one : list)
            refused_in[one.key.substr(1)] += refused.contains(building.id_of(one.key)) ? 1 : 0;
    }
    for (const auto& [ring, count] : refused_in) CHECK(count >= 1);
    CHECK(building.count(errand::state::waiting) == tasks - refused.size());
    building.submit_freely(refused);
    const auto found = building.audit();
    building.print("rings, " + std::to_string(refused.size()) + " tasks refused", found);
    CHECK(found.wrong() == 0);
}
