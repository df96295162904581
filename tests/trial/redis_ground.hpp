// A private Redis, with a replica if asked, or several with a shard each; and a gate before each for each process.
#pragma once

#include "support/redis_server.hpp"
#include "trial/clock_file.hpp"
#include "trial/ground.hpp"
#include "trial/site.hpp"

#include <chrono>
#include <optional>

namespace trial {

class redis_ground final : public ground {
public:
    explicit redis_ground(const terms& how);
    ~redis_ground() override;

    const std::filesystem::path& folder() const override { return servers_.front()->folder(); }
    way next_way() override;
    std::string url() const override;
    bool has_clock() const override { return true; }
    void set_clock(std::int64_t ms_ahead) override { clock_->set(ms_ahead); }
    void fill() override;
    bool make_room() override;
    void mend() override;
    void rest() override;
    void tend() override;
    std::vector<std::pair<std::string, std::string>> variables() const override;
    std::vector<fault> faults() const override;

    errand::test::redis_server& primary() { return *servers_[primary_]; }
    std::size_t shards() const { return shards_; }
    errand::test::redis_server& server_of(std::size_t shard) {
        return shards_ > 1 ? *servers_[shard] : primary();
    }
    errand::test::tcp_gate& any_gate(dice& random) { return *gates_[random() % gates_.size()]; }
    // Kills the primary and lets the other take its place; brings the old one back as the replica of that.
    void fail_over();
    void promote();
    void bring_back();
    // What the primary does from now on does not come to its replica.
    void hold_replica();
    bool replica_has_all() const;
    void cut_all();
    // Lets them change places; connections stay where they are. Whether they did.
    bool change_places();
    bool replica_is_there() const;
    void restart(std::size_t shard, std::chrono::milliseconds pause);

private:
    void follow(std::size_t replica);
    std::filesystem::path appended_file() const;
    void note_written();
    void lose_last_second();

    const bool lone_, replicated_, confirmed_, every_second_;
    const std::size_t shards_;
    std::optional<clock_file> clock_;
    std::vector<std::unique_ptr<errand::test::redis_server>> servers_;
    std::size_t primary_ = 0;
    std::unique_ptr<errand::test::tcp_gate>
        link_;  // from the replica to its primary, unless they have changed places
    std::vector<std::unique_ptr<errand::test::tcp_gate>>
        gates_;  // those of a process in the order of the shards
    std::vector<std::pair<std::int64_t, std::uintmax_t>> written_;  // how long the append-only file was when
};

}  // namespace trial
