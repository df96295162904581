#include "service/lmstfy/office.hpp"

#include <errand/error.hpp>
#include <errand/proxy.hpp>

#include "runtime/caller_loop.hpp"
#include "service/lmstfy/names.hpp"
#include "service/refusal.hpp"

#include <spdlog/logger.h>

namespace errand::lmstfy {
namespace {

// Each has threads and connections of its own.
constexpr std::size_t most_tenants = 200;

}  // namespace

office::office(web::hub& of)
    : hub_{of}, core_{detail::core_of(of.app)}, home_{caller_loop(of.loop, core_)}, tokens_{core_, home_} {}

bool office::has_pool(std::string_view name) const {
    return name == default_pool || options().pools.contains(std::string{name});
}

std::vector<std::string> office::pools() const {
    std::vector<std::string> all{std::string{default_pool}};
    for (const auto& [name, url] : options().pools) all.push_back(name);
    return all;
}

std::shared_ptr<tenant> office::tenant_of(const token_place& where) {
    auto& there = tenants_[where];
    if (there) return there;
    const bool own = where.pool == default_pool && where.name_space == core_.settings.name_space;
    if (own) {
        auto work = [&hub = hub_, &core = core_, &home = home_] {
            if (!hub.work) hub.work = std::make_shared<web::exchange>(core, home);
            return hub.work;
        };
        there = std::make_shared<tenant>(hub_.app, home_, std::move(work));
        return there;
    }
    constexpr std::string_view busy = "this service cannot serve that namespace now";
    if (tenants_.size() > most_tenants) {
        tenants_.erase(where);
        throw web::refusal{503, "unavailable", std::string{busy}};
    }
    auto settings = core_.settings;
    settings.name_space = where.name_space;
    settings.name_spaces.clear();
    if (where.pool != default_pool) {
        settings.store = options().pools.at(where.pool);
        settings.shards = 0;
    }
    try {
        there = std::make_shared<tenant>(where.pool, std::move(settings));
    } catch (const error& why) {
        tenants_.erase(where);
        core_.log->warn("namespace {} of pool {} cannot be served: {}", where.name_space, where.pool,
                        why.what());
        throw web::refusal{503, "unavailable", std::string{busy}};
    }
    return there;
}

std::vector<std::shared_ptr<tenant>> office::tenants() const {
    std::vector<std::shared_ptr<tenant>> all;
    for (const auto& [where, one] : tenants_) all.push_back(one);
    return all;
}

std::vector<std::shared_ptr<tenant>> office::shown_tenants() {
    std::vector<token_place> known{{std::string{default_pool}, core_.settings.name_space}};
    for (const auto& [where, tokens] : tokens_.all()) {
        if (!tokens.empty() && has_pool(where.pool)) known.push_back(where);
    }
    if (known.size() <= most_tenants) {
        for (const auto& where : known) {
            try {
                tenant_of(where);
            } catch (const web::refusal&) {
                // Its requests hear of it.
            }
        }
    }
    return tenants();
}

awaitable<void> office::stop() {
    for (const auto& one : tenants()) co_await one->stop();
}

office& office_of(web::hub& of) {
    if (!of.jobs) of.jobs = std::make_shared<office>(of);
    return *of.jobs;
}

}  // namespace errand::lmstfy
