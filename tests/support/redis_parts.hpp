// The look inside that tests of stores take where these are on Redis: of one shard, whichever server has it.
#pragma once

#include "support/backing.hpp"

#include <string>
#include <vector>

namespace errand::test {

class redis_parts : public backing {
public:
    virtual std::string key(const std::string& part) const = 0;
    virtual std::string command(const std::vector<std::string>& words) const = 0;

    long kept(const std::string& part) const override;
    void make_overdue(const task_id& id) override;
    void set_last_claim(claim_number number) override;
    std::string size_of(const std::string& part) const;
};

}  // namespace errand::test
