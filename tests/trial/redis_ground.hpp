// A private Redis, with a replica if asked, and a gate before it for each process.
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
    std::string url() const override { return servers_[primary_]->url(); }
    bool has_clock() const override { return true; }
    void set_clock(std::int64_t ms_ahead) override { clock_->set(ms_ahead); }
    void fill() override;
    bool make_room() override;
    void mend() override;
    void tend() override;
    std::vector<fault> faults() const override;

    errand::test::redis_server& primary() { return *servers_[primary_]; }
    errand::test::tcp_gate& any_gate(dice& random) { return *gates_[random() % gates_.size()]; }
    // Kills the primary and lets the other take its place.
    void fail_over();
    // Lets them change places; connections stay where they are. Whether they did.
    bool change_places();
    bool replica_is_there() const;
    void restart(std::chrono::milliseconds pause);

private:
    void follow(std::size_t replica);
    std::filesystem::path appended_file() const;
    void note_written();
    void lose_last_second();

    const bool lone_, replicated_, confirmed_, every_second_;
    std::optional<clock_file> clock_;
    std::vector<std::unique_ptr<errand::test::redis_server>> servers_;
    std::size_t primary_ = 0;
    std::vector<std::unique_ptr<errand::test::tcp_gate>> gates_;
    std::vector<std::pair<std::int64_t, std::uintmax_t>> written_;  // how long the append-only file was when
};

}  // namespace trial
