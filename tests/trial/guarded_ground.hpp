// Several Redis servers that choose by themselves who leads: a cluster, or a pair that a Sentinel watches over. No gates: clients go
// where they are told to.
#pragma once

#include "support/redis_server.hpp"
#include "trial/ground.hpp"

#include <chrono>
#include <cstddef>
#include <optional>

namespace trial {

class guarded_ground : public ground {
public:
    const std::filesystem::path& folder() const override { return server(0).folder(); }
    way next_way() override { return {url()}; }
    bool has_clock() const override { return true; }
    void set_clock(std::int64_t) override {}
    void fill() override;
    bool make_room() override;
    std::vector<fault> faults() const override;

    // Each of these has a leader and one that follows it.
    virtual std::size_t pairs() const = 0;
    virtual std::size_t servers() const = 0;
    virtual errand::test::redis_server& server(std::size_t at) const = 0;
    // By what the servers say of themselves; nothing while none leads.
    virtual std::optional<std::size_t> leader_of(std::size_t pair) const = 0;
    // Each pair has a leader, and one that has all that its leader has and may take its place.
    virtual bool is_whole() const = 0;
    // Asks for it; whether somebody listened.
    virtual bool change_leader_of(std::size_t pair) = 0;
    // Whether servers can come and go. Then: another one that follows the pair's leader, its hand-over to that one, and the end of one that
    // leads no more, which may have to be asked for again.
    virtual bool can_grow() const { return false; }
    virtual std::size_t add_follower_of(std::size_t) { return 0; }
    virtual void hand_over_to(std::size_t) {}
    virtual bool remove(std::size_t) { return false; }
    // Where the shard of this number, counted round, could go: a pair that does not have it; nothing while nobody has it. And that it goes
    // there; false when something came in between, and it is to be asked again.
    virtual std::optional<std::size_t> other_pair_for(std::size_t) const { return std::nullopt; }
    virtual bool move_shard(std::size_t, std::size_t) { return false; }

private:
    void limit_memory(const char* most);
};

}  // namespace trial
