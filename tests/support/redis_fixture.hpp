// A store fixture on a private Redis, for what only Redis has.
#pragma once

#include "store/redis/claim_text.hpp"
#include "store/redis/redis_store.hpp"
#include "support/redis_parts.hpp"
#include "support/redis_server.hpp"
#include "support/store_fixture.hpp"

namespace errand::test {

class redis_backing final : public redis_parts {
public:
    redis_backing() = default;
    explicit redis_backing(redis_server::options how) : server{std::move(how)} {}

    redis_server server;

    void place(store_settings& with) override { with.url = server.url(); }
    std::string key(const std::string& part) const override { return "errand:{default.0}:" + part; }
    std::string command(const std::vector<std::string>& words) const override {
        return server.command(words);
    }
};

struct redis_fixture : store_fixture {
    redis_fixture() : redis_fixture{std::make_unique<redis_backing>()} {}
    explicit redis_fixture(redis_server::options how)
        : redis_fixture{std::make_unique<redis_backing>(std::move(how))} {}

    // The text of a key's field, as redis-cli would show it; keys by their last part.
    std::string redis(std::vector<std::string> words) const { return server.command(words); }
    std::string key(const std::string& part) const { return inner.key(part); }
    std::string size_of(const std::string& part) const { return inner.size_of(part); }

private:
    explicit redis_fixture(std::unique_ptr<redis_backing> on)
        : store_fixture{std::move(on)}, inner{static_cast<redis_backing&>(*behind)}, server{inner.server} {}

    redis_backing& inner;

public:
    redis_server& server;
};

}  // namespace errand::test
