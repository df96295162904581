// A Redis whose clock a test sets; only where ERRAND_TEST_CLOCK says that programs' clocks can be.
#pragma once

#include "support/redis_server.hpp"
#include "support/test_app.hpp"
#include "trial/clock_file.hpp"

#include <chrono>
#include <filesystem>
#include <string>
#include <unistd.h>

namespace errand::test {

class clocked_server {
public:
    clocked_server() = default;
    ~clocked_server() { std::filesystem::remove(path_); }
    clocked_server(const clocked_server&) = delete;
    clocked_server& operator=(const clocked_server&) = delete;

    // Of a store with one shard.
    config settings() const {
        auto with = fresh_settings();
        with.store = server.url();
        with.shards = 1;
        return with;
    }

    void set_ahead(std::chrono::milliseconds by) const { clock_.set(by.count()); }

private:
    const std::filesystem::path path_ =
        std::filesystem::temp_directory_path() / ("errand-clock-" + std::to_string(::getpid()));
    const trial::clock_file clock_{path_.string()};

public:
    const redis_server server{options()};

private:
    redis_server::options options() const {
        redis_server::options how;
        for (const auto& [name, value] : clock_.variables()) how.environment.push_back(name + "=" + value);
        return how;
    }
};

}  // namespace errand::test
