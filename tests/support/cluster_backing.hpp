// A namespace of one shard on a cluster.
#pragma once

#include "support/redis_cluster.hpp"
#include "support/redis_parts.hpp"

#include <memory>
#include <string>
#include <vector>

namespace errand::test {

class cluster_backing final : public redis_parts {
public:
    // `own`: null for the cluster that the tests of a program share.
    explicit cluster_backing(std::string name_space, std::unique_ptr<redis_cluster> own = nullptr);

    void place(store_settings& with) override;
    std::string key(const std::string& part) const override;
    // At the server that has the shard now.
    std::string command(const std::vector<std::string>& words) const override;

    redis_cluster& servers() const;
    unsigned slot() const;

private:
    std::string name_space_;
    std::string tag_;
    std::unique_ptr<redis_cluster> own_;
};

// In a namespace that no other test has.
std::unique_ptr<backing> make_cluster_backing();

}  // namespace errand::test
