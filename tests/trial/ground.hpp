// The store on which a trial takes place: where it is, how it is reached, and what can happen to it.
#pragma once

#include "support/tcp_gate.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace trial {

struct fault;
struct terms;
class site;

// How a process reaches the store.
struct way {
    std::string url;
    std::vector<errand::test::tcp_gate*> gates{};  // through which it leads: one for each server, if any

    void stall(bool on) const {
        for (auto* gate : gates) gate->stall(on);
    }
};

class ground {
public:
    virtual ~ground() = default;

    // Of everything that the trial writes; gone with the ground.
    virtual const std::filesystem::path& folder() const = 0;
    virtual way next_way() = 0;
    // Past the gates.
    virtual std::string url() const = 0;
    // The store goes by the clocks of the processes that use it, which are one: the machine's.
    virtual bool has_clock() const = 0;
    virtual void set_clock(std::int64_t ms_ahead) = 0;
    // Nothing more can be written; whether it was so until there is room again.
    virtual void fill() = 0;
    virtual bool make_room() = 0;
    // What comes to an end before the trial does.
    virtual void mend() {}
    // Nobody works any more: only the trial looks at what is left.
    virtual void rest() {}
    // Every few ms.
    virtual void tend() {}
    // What it adds to the environment of a worker or producer.
    virtual std::vector<std::pair<std::string, std::string>> variables() const { return {}; }
    // What happens to it alone.
    virtual std::vector<fault> faults() const = 0;
};

std::unique_ptr<ground> make_redis_ground(const terms& how);
std::unique_ptr<ground> make_sqlite_ground(const terms& how);
std::unique_ptr<ground> make_cluster_ground(const terms& how);
std::unique_ptr<ground> make_sentinel_ground();

}  // namespace trial
